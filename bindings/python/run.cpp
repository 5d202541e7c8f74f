// SPDX-License-Identifier: Apache-2.0
// When recorded work runs, what is known of it, random numbers, and ONNX models.
#include "pliant/run.h"
#include "binding.h"
#include "pliant/model.h"
#include "pliant/observe.h"
#include "pliant/random.h"
#include <pybind11/stl.h>

namespace pliant::python {
namespace {

py::dict asDict(const Histogram &histogram) {
  py::dict out;
  out["count"] = histogram.count;
  out["sum"] = histogram.sum;
  out["largest"] = histogram.largest;
  out["median"] = histogram.quantile(0.5);
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
  out["hits"] = all.hits;
  out["failures"] = all.failures;
  out["cuts"] = cut;
  out["ops_per_segment"] = asDict(all.opsPerSegment);
  out["compile_ns"] = asDict(all.compileTime);
  out["run_ns"] = asDict(all.runTime);
  out["wait_ns"] = asDict(all.waitTime);
  return out;
}

std::vector<Tensor> tensorsOf(const py::args &given) {
  std::vector<Tensor> out;
  const py::object all =
      given.size() == 1 && !isTensor(py::object(given[0]).ptr()) ? py::object(given[0]) : py::object(given);
  for (py::handle each : all)
    out.push_back(each.cast<Tensor>());
  return out;
}

} // namespace

void addRun(py::module_ &module) {
  module.def(
      "barrier",
      [] {
        py::gil_scoped_release free;
        barrier();
      },
      "Hands what this thread has recorded to the background, and returns: the end of a step.");
  module.def(
      "wait",
      [] {
        py::gil_scoped_release free;
        wait();
      },
      "Waits for all that was handed over, by any thread.");
  module.def(
      "eval",
      [](const py::args &tensors) {
        const std::vector<Tensor> all = tensorsOf(tensors);
        py::gil_scoped_release free;
        eval(std::span<const Tensor>(all));
      },
      "eval(*tensors): runs them, and whatever else is pending, and waits. A list of tensors does as well.");
  module.def(
      "counters", countersAsDict,
      "What happened since the start or `reset_counters`: segments, ops, compiles, hits, cuts by reason, times.");
  module.def("reset_counters", resetCounters, "Sets all counters to 0.");
  module.def("explain", explain, "For each compile the line that asked, and what was new about it.");
  module.def(
      "pending", [](bool dot) { return pending(dot ? Form::Dot : Form::Text); }, py::arg("dot") = false,
      "What this thread has recorded and not run yet, as text or as a graph for Graphviz.");
  module.def("start_timeline", startTimeline, "Begins to note what is recorded, compiled, run and waited for.");
  module.def("timeline", timeline, "What was noted since `start_timeline`, in Chrome's trace format.");
  onWarning([](const std::string &text) {
    later([text] {
      if (PyErr_WarnEx(PyExc_RuntimeWarning, text.c_str(), 1) < 0)
        PyErr_WriteUnraisable(nullptr); // warnings that are errors have no caller here
    });
  });
  py::module_::import("atexit").attr("register")(py::cpp_function([] { onWarning({}); }));

  py::class_<Model>(module, "Model", "An ONNX model as a function of tensors, compiled once for all shapes.")
      .def(py::init([](const std::string &path, std::map<std::string, std::string> rename,
                       std::vector<std::string> facts, int threads) {
             py::gil_scoped_release free;
             return Model(path, Model::Options{std::move(rename), std::move(facts), threads});
           }),
           py::arg("path"), py::kw_only(), py::arg("rename") = py::dict(), py::arg("facts") = py::list(),
           py::arg("threads") = 0)
      .def("__call__",
           [](const Model &model, const py::args &given) {
             std::vector<Tensor> inputs;
             const Site site = here();
             for (py::handle each : given)
               inputs.push_back(isTensor(each.ptr()) ? tensorOf(each.ptr()) : tensorFrom(each.ptr(), {}, false, site));
             py::gil_scoped_release free;
             return model(std::span<const Tensor>(inputs), site);
           })
      .def_property_readonly("inputs", &Model::inputs)
      .def_property_readonly("outputs", &Model::outputs)
      .def("__repr__", [](const Model &model) {
        return "<pliant.Model " + py::repr(py::cast(model.inputs())).cast<std::string>() + " -> " +
               py::repr(py::cast(model.outputs())).cast<std::string>() + ">";
      });
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
