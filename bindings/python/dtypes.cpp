// SPDX-License-Identifier: Apache-2.0
// Element types between C++ and Python (pliant/dtypes.py).
#include "binding.h"

namespace pliant::python {
namespace {
constexpr size_t count = static_cast<size_t>(DType::Bool) + 1;
PyObject *objects[count];
PyObject *find;
} // namespace

void importDtypes() {
  const py::module_ module = py::module_::import("pliant.dtypes");
  const py::list all = module.attr("ALL");
  for (size_t i = 0; i < count; ++i) {
    py::object each = all[i];
    if (each.attr("name").cast<std::string>() != name(static_cast<DType>(i)))
      throw std::logic_error("the element types of pliant/dtypes.py are not those of pliant/dtype.h");
    objects[i] = each.release().ptr();
  }
  find = module.attr("find").cast<py::object>().release().ptr();
}

PyObject *dtypeObject(DType type) { return objects[static_cast<size_t>(type)]; }

DType dtypeOf(PyObject *object) {
  auto index = [](PyObject *each) -> std::optional<DType> {
    for (size_t i = 0; i < count; ++i)
      if (objects[i] == each)
        return static_cast<DType>(i);
    return std::nullopt;
  };
  if (const auto known = index(object))
    return *known;
  const py::object found = py::reinterpret_steal<py::object>(needed(PyObject_CallOneArg(find, object)));
  if (const auto known = index(found.ptr()))
    return *known;
  refuse("TypeError", "no element type is called " + py::repr(object).cast<std::string>() +
                          "; there are float32, float64, float16, bfloat16, int8 to int64, uint8 to uint64 and bool");
}

} // namespace pliant::python
