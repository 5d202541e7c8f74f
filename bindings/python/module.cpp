// SPDX-License-Identifier: Apache-2.0
// The module `pliant._pliant`. What a user sees is the package (pliant/__init__.py).
#include "binding.h"
#include <pybind11/stl.h>

namespace pliant::python {

/// An integer where it is one.
static Operand numberOf(py::handle object, const char *what, Site site) {
  if (PyIndex_Check(object.ptr()))
    return {integersOf(py::reinterpret_steal<py::object>(needed(PyNumber_Index(object.ptr()))).ptr(), what).front(),
            site};
  const double real = PyFloat_AsDouble(object.ptr());
  if (real == -1 && PyErr_Occurred())
    throw py::error_already_set();
  return {real, site};
}

static void addCreation(py::module_ &module) {
  module.def(
      "tensor",
      [](py::handle data, py::handle dtype) { return tensorFrom(data.ptr(), dtypeOrNone(dtype.ptr()), false, here()); },
      py::arg("data"), py::arg("dtype") = py::none(),
      "A tensor with elements of its own, of a number, a nested list, an array or a tensor. Without a dtype numbers "
      "of\n"
      "Python become float32, int64 or bool.");
  module.def(
      "asarray",
      [](py::object data, py::handle dtype, bool copy) {
        if (isTensor(data.ptr()) && (dtype.is_none() || dtypeOf(dtype.ptr()) == tensorOf(data.ptr()).dtype()))
          return data;
        return py::reinterpret_steal<py::object>(wrap(tensorFrom(data.ptr(), dtypeOrNone(dtype.ptr()), !copy, here())));
      },
      py::arg("data"), py::arg("dtype") = py::none(), py::arg("copy") = true,
      "The tensor itself, or one of a number, a nested list or an array. With copy=False the memory of an array is "
      "shared:\n"
      "it must not change as long as the tensor or anything computed from it is in use.");
  // These have signatures that `inspect` can read, in the place of pybind11's.
  py::options options;
  options.disable_function_signatures();
  module.def(
      "arange",
      [](py::handle start, py::handle stop, py::handle step, py::handle dtype) {
        const Site site = here();
        const Operand first = numberOf(start, "start", site);
        const std::optional<DType> type = dtypeOrNone(dtype.ptr());
        return stop.is_none() ? arange(Operand(0, site), first, numberOf(step, "step", site), type)
                              : arange(first, numberOf(stop, "stop", site), numberOf(step, "step", site), type);
      },
      py::arg("start"), py::arg("stop") = py::none(), py::arg("step") = 1, py::arg("dtype") = py::none(),
      "arange(start, stop=None, step=1, dtype=None)\n--\n\narange(start, stop=None, step=1, dtype=None)\n\n"
      "start, start + step, ... before stop; with one number from 0 to before it. Integers are int64, others float32 "
      "unless another type is given.");
  module.def(
      "full",
      [](py::handle shape, py::handle value, py::handle dtype) {
        const Argument filled(value.ptr(), here());
        return full(shapeOf(shape.ptr()), filled, dtypeOrNone(dtype.ptr()));
      },
      py::arg("shape"), py::arg("value"), py::arg("dtype") = py::none(),
      "full(shape, value, dtype=None)\n--\n\nfull(shape, value, dtype=None)\n\n"
      "A tensor of the shape, filled with the value.");
  module.def(
      "split",
      [](py::handle x, py::handle parts, int64_t axis) {
        const Argument whole(x.ptr(), here());
        py::list out;
        const bool equal = PyIndex_Check(parts.ptr()) && !PySequence_Check(parts.ptr());
        for (Tensor &each : equal ? split(whole, parts.cast<int64_t>(), axis)
                                  : split(whole, std::span<const int64_t>(integersOf(parts.ptr(), "positions")), axis))
          out.append(py::reinterpret_steal<py::object>(wrap(std::move(each))));
        return out;
      },
      py::arg("x"), py::arg("parts"), py::arg("axis") = 0,
      "split(x, parts, axis=0)\n--\n\nsplit(x, parts, axis=0)\n\n"
      "A list of as many equal parts along an axis; or of the parts that begin at the positions, if `parts` is a "
      "list.");
  module.def(
      "from_dlpack", [](py::handle source, bool copy) { return fromDlpackObject(source.ptr(), !copy, here()); },
      py::arg("source"), py::arg("copy") = true,
      "A tensor of another library's, by DLPack. With copy=False its memory is shared and must not change.");
  module.def("_restore", [](const std::string &dtype, py::handle shape, const py::bytes &bytes) {
    const auto type = dtypeFromName(dtype);
    const std::string_view elements = bytes;
    Array array{type.value_or(DType::F32), shapeOf(shape.ptr()), nullptr};
    size_t count = type ? byteSize(*type) : 0;
    for (int64_t extent : array.shape)
      if (extent < 0 || __builtin_mul_overflow(count, static_cast<size_t>(extent), &count))
        count = SIZE_MAX;
    if (!type || count != elements.size())
      refuse("ValueError", "what was pickled is no tensor");
    array.data = std::shared_ptr<const void>(elements.data(), [](const void *) {});
    return Tensor::copied(array, here());
  });
}

} // namespace pliant::python

PYBIND11_MODULE(_pliant, module) {
  using namespace pliant::python;
  py::register_local_exception_translator([](std::exception_ptr error) {
    try {
      if (error)
        std::rethrow_exception(error);
    } catch (const pliant::Exception &) {
      setError();
    }
  });
  importErrors();
  importDtypes();
  addTensorType(module);
  addCreation(module);
  addFunctions(module);
  // As in NumPy these fold over axes; element by element there are maximum and minimum.
  const py::handle tensor(reinterpret_cast<PyObject *>(tensorType));
  for (const auto &[name, fold] : {std::pair("max", "amax"), std::pair("min", "amin")}) {
    const py::object function = module.attr(fold);
    module.attr(name) = function;
    tensor.attr(name) = function;
  }
  addRun(module);
  addModel(module);
  addRandom(module);
}
