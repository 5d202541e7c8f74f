// SPDX-License-Identifier: Apache-2.0
// When recorded work runs, what is known of it, and random numbers.
#include "pliant/run.h"
#include "binding.h"
#include "pliant/observe.h"
#include "pliant/random.h"
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <pybind11/stl.h>
#include <thread>

namespace pliant::python {
namespace {

py::dict asDict(const Histogram &histogram) {
  py::dict out;
  out["count"] = histogram.count;
  out["sum"] = histogram.sum;
  out["largest"] = histogram.largest;
  out["median"] = histogram.quantile(0.5);
  out["p90"] = histogram.quantile(0.9);
  out["p99"] = histogram.quantile(0.99);
  return out;
}

py::dict countersAsDict() {
  const Counters all = counters();
  py::dict out, cut;
  for (size_t i = 0; i < cuts; ++i)
    cut[std::string(name(static_cast<Cut>(i))).c_str()] = all.cut[i];
  out["segments"] = all.segments;
  out["ops"] = all.ops;
  out["compiles"] = all.compiles;
  out["loads"] = all.loads;
  out["hits"] = all.hits;
  out["launches"] = all.launches;
  out["failures"] = all.failures;
  out["evictions"] = all.evictions;
  out["programs"] = all.programs;
  out["program_bytes"] = all.programBytes;
  out["fallbacks"] = all.fallbacks;
  out["donations"] = all.donations;
  out["bytes_in"] = all.bytesIn;
  out["bytes_out"] = all.bytesOut;
  out["bytes_live"] = all.bytesLive;
  out["bytes_peak"] = all.bytesPeak;
  out["cuts"] = cut;
  out["ops_per_segment"] = asDict(all.opsPerSegment);
  out["compile_ns"] = asDict(all.compileTime);
  out["load_ns"] = asDict(all.loadTime);
  out["run_ns"] = asDict(all.runTime);
  out["wait_ns"] = asDict(all.waitTime);
  return out;
}

/// A class of C++ whose life is a `with` block.
template <class Scope, class... Arguments> struct Block {
  std::tuple<Arguments...> arguments;
  std::unique_ptr<Scope> open;
};
template <class Scope, class... Arguments>
void scope(py::module_ &module, const char *name, const char *documentation) {
  using Held = Block<Scope, Arguments...>;
  py::class_<Held>(module, name, documentation)
      .def(py::init([](Arguments... arguments) { return Held{{arguments...}, nullptr}; }))
      .def("__enter__",
           [](Held &self) {
             if constexpr (std::is_same_v<Scope, NoEvaluation>)
               self.open = std::make_unique<Scope>(here());
             else
               self.open = std::apply([](auto... each) { return std::make_unique<Scope>(each...); }, self.arguments);
           })
      .def("__exit__", [](Held &self, const py::args &) { self.open.reset(); });
}

std::vector<Tensor> tensorsOf(const py::args &given) {
  std::vector<Tensor> out;
  const py::object all =
      given.size() == 1 && !isTensor(py::object(given[0]).ptr()) ? py::object(given[0]) : py::object(given);
  for (py::handle each : all)
    out.push_back(each.cast<Tensor>());
  return out;
}

/// Called, and dropped, by the thread that ran what is observed, which must not wait for the GIL.
std::shared_ptr<py::object> keptForLater(const py::object &receiver) {
  return {new py::object(receiver), [](py::object *held) { later([held] { delete held; }); }};
}

/// Calls the receiver with the values, or `failed` with the exception, on the main thread.
void observeFrom(const py::object &tensors, const py::object &receiver, const py::object &failed) {
  std::vector<Tensor> all;
  for (py::handle each : tensors)
    all.push_back(each.cast<Tensor>());
  const auto kept = keptForLater(receiver);
  std::function<void(const Exception &)> onError;
  if (!failed.is_none())
    onError = [heard = keptForLater(failed)](const Exception &error) {
      later([heard, exception = std::make_exception_ptr(error)] {
        try {
          (*heard)(exceptionOf(exception));
        } catch (py::error_already_set &raised) {
          raised.discard_as_unraisable(*heard);
        }
      });
    };
  observe(
      std::move(all),
      [kept](const std::vector<Array> &arrays) {
        std::vector<Tensor> values;
        for (const Array &each : arrays)
          values.push_back(Tensor::of(each, Site()));
        later([kept, values = std::move(values)] {
          try {
            py::list given;
            for (const Tensor &each : values)
              given.append(py::cast(each));
            (*kept)(*given);
          } catch (py::error_already_set &error) {
            error.discard_as_unraisable(*kept);
          }
        });
      },
      std::move(onError), here());
}

void prepareFrom(const py::object &record) {
  std::optional<py::error_already_set> raised; // what is thrown must not pass the frames between
  py::object results;                          // held, or they would be no results
  {
    const WithoutGil compiling;
    prepare([&] {
      const PyGILState_STATE held = orStay(PyGILState_Ensure);
      PyObject *made = orStay([&] { return PyObject_CallNoArgs(record.ptr()); });
      if (made)
        results = py::reinterpret_steal<py::object>(made);
      else
        raised.emplace();
      PyGILState_Release(held);
    });
  }
  if (raised)
    throw py::error_already_set(*raised);
}

/// Waits for all that was handed over; Ctrl-C ends the waiting.
void waitForAll() {
  auto done = std::make_shared<std::atomic<bool>>(false);
  std::thread([done] {
    wait();
    *done = true;
  }).detach();
  waitUntil([&] { return done->load(); });
}

/// The process ends: what was handed over is finished first, since compiling does not survive the libraries' own end.
/// Ctrl-C ends the process at once.
void finish() {
  try {
    waitForAll();
  } catch (py::error_already_set &) {
    std::_Exit(130);
  }
  const WithoutGil free;
  pliant::finish(); // threads that do not end with the program compute nothing any more
}

void addScopes(py::module_ &module) {
  module.def("set_eager", setEager, py::arg("eager"),
             "Whether this thread runs every op at once. The bits are the same; for debugging.");
  module.def(
      "set_backend", [](std::string_view name) { setBackend(name, here()); }, py::arg("name"),
      "What computes recorded work from now on: \"native\" compiles it; \"reference\" calls the plain evaluators of "
      "the ops one after the other, slowly and without the compiler, for comparison.");
  module.def("backend", backend, "The name of what computes recorded work.");
  module.def(
      "set_threads", [](int count, int64_t below) { setThreads(count, below, here()); }, py::arg("count"),
      py::arg("serial_below") = 20000,
      "How many threads a kernel of recorded work may use, as many as there are processors unless set, and the\n"
      "nanoseconds of work below which it uses one. Runs that begin later heed it. The bits are the same.");
  module.def(
      "set_cut_budget", [](int64_t ops, int64_t bytes) { setCutBudget(ops, bytes, here()); }, py::arg("ops"),
      py::arg("bytes"),
      "How many ops (16,384 unless set), and bytes of memory that nothing else keeps (256 MiB), may be pending on a\n"
      "thread before they are handed over though nobody asks. The bits are the same.");
  module.def(
      "set_program_limits", [](int64_t programs, int64_t bytes) { setProgramLimits(programs, bytes, here()); },
      py::arg("programs"), py::arg("bytes"),
      "How many compiled programs of recorded work are kept (1024 unless set), and how many bytes of code (1 GiB): "
      "those used longest ago are given up, and made again when they are needed.");
  module.def(
      "set_idle_time", [](double seconds) { setIdleTime(seconds, here()); }, py::arg("seconds"),
      "What programs and models keep for their next run, and no run has used for this long (or up to twice as "
      "long), goes back to the system: 10 seconds unless set; 0: it is kept.");
  module.def("trim", trim, py::call_guard<WithoutGil>(), "Gives back now what no run uses.");
  module.def(
      "observe", observeFrom, py::arg("tensors"), py::arg("receiver"), py::arg("failed") = py::none(),
      "Calls receiver(*values) on the main thread when the tensors are there, after the next barrier or read; or, "
      "if it is given, failed(error) when one of them cannot be had.");
  module.def("prepare", prepareFrom, py::arg("record"),
             "Compiles what record() records without running it, so that the first real step finds its program.");
  scope<NoEvaluation>(module, "no_evaluation",
                      "with no_evaluation(): this thread may record, but asking for a value raises.");
  scope<AtMostPrograms, int64_t>(
      module, "at_most_programs",
      "with at_most_programs(n): what needs more programs, by the compiler or from the disk cache, "
      "raises when it is asked for.");
}

} // namespace

void addRun(py::module_ &module) {
  waitWhenCrowded(false);
  module.def(
      "barrier",
      [] {
        barrier(here());
        makeRoom();
      },
      "Hands what this thread has recorded to the background, and returns: the end of a step.");
  module.def("wait", waitForAll, "Waits for all that was handed over, by any thread.");
  module.def(
      "eval",
      [](const py::args &tensors) {
        const std::vector<Tensor> all = tensorsOf(tensors);
        barrier(here());
        for (const Tensor &each : all)
          (void)elements(each);
      },
      "eval(*tensors): runs them, and whatever else is pending, and waits. A list of tensors does as well.");
  addScopes(module);
  module.def(
      "counters", countersAsDict,
      "What happened since the start or `reset_counters`: segments, ops, programs compiled, loaded from the disk cache "
      "or known, kernels launched, ops without a kernel, cuts by reason, bytes handed in and out and in use, times.");
  module.def("reset_counters", resetCounters, "Sets all counters to 0.");
  module.def(
      "explain", explain,
      "For each program made the line that asked, and what was new about it; then the lines that read values for "
      "which what was recorded had to run, the costliest first.");
  module.def("live", live, "What all threads have recorded and not run yet, by line, and the bytes of what is there.");
  module.def(
      "pending",
      [](const std::string &form) {
        if (form != "text" && form != "dot" && form != "ir")
          refuse("ValueError", "the form is '" + form + "'; 'text', 'dot' and 'ir' are known");
        return pending(form == "text" ? Form::Text : form == "dot" ? Form::Dot : Form::Ir);
      },
      py::arg("form") = "text",
      "What this thread has recorded and not run yet: as \"text\", as a graph for Graphviz (\"dot\"), or as MLIR "
      "(\"ir\"), which `pliant view` draws and `pliant compile` follows through the stages.");
  module.def("start_timeline", startTimeline, "Begins to note what is recorded, compiled, run and waited for.");
  module.def("timeline", timeline, "What was noted since `start_timeline`, in Chrome's trace format.");
  onWarning([](const std::string &text) {
    later([text] {
      if (PyErr_WarnEx(PyExc_RuntimeWarning, text.c_str(), 1) < 0)
        PyErr_WriteUnraisable(nullptr); // warnings that are errors have no caller here
    });
  });
  py::module_::import("atexit").attr("register")(py::cpp_function([] {
    onWarning({});
    finish();
    endLater();
  }));
}

void addRandom(py::module_ &module) {
  auto type = [](py::handle dtype) { return dtypeOrNone(dtype.ptr()).value_or(DType::F32); };
  py::class_<Generator>(
      module, "Generator",
      "Random numbers by counters: the same seed gives the same numbers on every machine, whatever is\n"
      "run when; one program serves all seeds.")
      .def(py::init<uint64_t>(), py::arg("seed"))
      .def(
          "uniform",
          [type](Generator &self, py::handle shape, py::handle dtype) {
            return self.uniform(shapeOf(shape.ptr()), type(dtype), here());
          },
          py::arg("shape"), py::arg("dtype") = py::none(), "In [0, 1).")
      .def(
          "normal",
          [type](Generator &self, py::handle shape, py::handle dtype) {
            return self.normal(shapeOf(shape.ptr()), type(dtype), here());
          },
          py::arg("shape"), py::arg("dtype") = py::none(), "Of mean 0 and variance 1.")
      .def(
          "integers",
          [](Generator &self, py::handle shape, int64_t low, int64_t high) {
            return self.integers(shapeOf(shape.ptr()), low, high, here());
          },
          py::arg("shape"), py::arg("low"), py::arg("high"), "int64 in [low, high).")
      .def(
          "bernoulli",
          [](Generator &self, py::handle shape, double p) { return self.bernoulli(shapeOf(shape.ptr()), p, here()); },
          py::arg("shape"), py::arg("p"), "True with probability p.")
      .def(
          "permutation", [](Generator &self, int64_t n) { return self.permutation(n, here()); }, py::arg("n"),
          "0, 1, ..., n - 1 in a random order.")
      .def("fork", &Generator::fork, "A stream of its own, which depends on this one's seed and position only.")
      .def("seek", &Generator::seek, py::arg("position"), "Continues with the number at a position of the stream.")
      .def_property_readonly("seed", &Generator::seed)
      .def_property_readonly("position", &Generator::position, "Numbers drawn so far.")
      .def(py::pickle([](const Generator &self) { return py::make_tuple(self.seed(), self.position()); },
                      [](const py::tuple &state) {
                        Generator out(state[0].cast<uint64_t>());
                        out.seek(state[1].cast<uint64_t>());
                        return out;
                      }))
      .def("__repr__", [](const Generator &self) {
        return "Generator(" + std::to_string(self.seed()) + ") at " + std::to_string(self.position());
      });
}

} // namespace pliant::python
