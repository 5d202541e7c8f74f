// SPDX-License-Identifier: Apache-2.0
// ONNX models.
#include "pliant/model.h"
#include "binding.h"
#include <chrono>
#include <pybind11/stl.h>

namespace pliant::python {
namespace {

struct PyModel {
  Model model;
  std::optional<std::chrono::nanoseconds> took; ///< by the last call; guarded by the GIL

  /// As reads (memory.cpp): in the background where it may take long, so that Ctrl-C can end the waiting.
  std::vector<Tensor> call(const py::args &given) {
    const Site site = here();
    std::vector<Tensor> inputs;
    for (py::handle each : given)
      inputs.push_back(isTensor(each.ptr()) ? tensorOf(each.ptr()) : tensorFrom(each.ptr(), {}, false, site));
    const auto begin = std::chrono::steady_clock::now();
    std::vector<Tensor> results;
    if (took && *took < longWait) {
      const WithoutGil free;
      results = model(std::span<const Tensor>(inputs), site);
    } else {
      const Model::Call call = model.start(inputs, site);
      waitUntil([&] { return call.ready(); });
      results = call.results();
    }
    took = std::chrono::steady_clock::now() - begin;
    return results;
  }
};

} // namespace

void addModel(py::module_ &module) {
  py::class_<PyModel>(module, "Model", "An ONNX model as a function of tensors, compiled once for all shapes.")
      .def(py::init([](const std::string &path, std::map<std::string, std::string> rename,
                       std::vector<std::string> facts, int threads) {
             const WithoutGil free;
             return PyModel{Model(path, Model::Options{std::move(rename), std::move(facts), threads})};
           }),
           py::arg("path"), py::kw_only(), py::arg("rename") = py::dict(), py::arg("facts") = py::list(),
           py::arg("threads") = 0)
      .def("__call__", &PyModel::call)
      .def_property_readonly("inputs", [](const PyModel &self) { return self.model.inputs(); })
      .def_property_readonly("outputs", [](const PyModel &self) { return self.model.outputs(); })
      .def("__repr__", [](const PyModel &self) {
        return "<pliant.Model " + py::repr(py::cast(self.model.inputs())).cast<std::string>() + " -> " +
               py::repr(py::cast(self.model.outputs())).cast<std::string>() + ">";
      });
}

} // namespace pliant::python
