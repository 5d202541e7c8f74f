// SPDX-License-Identifier: Apache-2.0
// The functions of the table (pliant/call.h) as callable objects, which are methods of tensors too.
#include "binding.h"
#include <structmember.h>

namespace pliant::python {
namespace {

constexpr size_t mostSlots = 32, mostOperands = 8;

struct PyFunction {
  PyObject_HEAD vectorcallfunc call;
  const Function *row;
  PyObject **names; ///< interned, of operands and parameters
  size_t count;
  PyObject *documentation, *signature;
};

std::string signatureText(const Function &row) {
  std::string out = std::string(row.name) + "(";
  bool first = true;
  auto add = [&](const std::string &text) {
    out += (first ? "" : ", ") + text;
    first = false;
  };
  for (const char *operand : row.operands)
    add(operand);
  for (const Function::Parameter &each : row.parameters) {
    const std::string fallback = each.fallback ? each.fallback : "";
    if (!each.fallback)
      add(each.name);
    else if (fallback == "{}")
      add(std::string(each.name) + "=None");
    else if (each.kind == Attribute::Kind::Text || each.kind == Attribute::Kind::Type)
      add(std::string(each.name) + "='" + fallback + "'");
    else
      add(std::string(each.name) + "=" + (fallback == "true" ? "True" : fallback == "false" ? "False" : fallback));
  }
  return out + ")";
}

/// The slot that a name stands for; NumPy's spellings of some are known too.
size_t slotOf(const PyFunction &self, PyObject *name) {
  for (size_t i = 0; i < self.count; ++i)
    if (self.names[i] == name)
      return i;
  const char *given = needed(PyUnicode_AsUTF8(name));
  std::string_view wanted = given;
  if (wanted == "axis")
    wanted = "axes";
  else if (wanted == "keepdims")
    wanted = "keep_dims";
  else if (wanted == "axes")
    wanted = "perm";
  for (size_t i = 0; i < self.count; ++i)
    if (given == std::string_view(PyUnicode_AsUTF8(self.names[i])) || wanted == PyUnicode_AsUTF8(self.names[i]))
      return i;
  refuse("TypeError", std::string(self.row->name) + " has no argument '" + given + "': " + signatureText(*self.row));
}

/// What the values of one call refer to.
struct Lists {
  std::deque<std::vector<int64_t>> integers;
  std::deque<std::vector<double>> reals;
};

Attribute valueOf(const Function &row, const Function::Parameter &parameter, PyObject *object, Lists &lists) {
  Attribute out;
  const bool open = parameter.fallback && std::string_view(parameter.fallback) == "{}"; // documented as None
  if (!object || (object == Py_None && (open || parameter.kind == Attribute::Kind::Type)))
    return out;
  if (object == Py_None)
    refuse("TypeError", std::string(row.name) + ": '" + parameter.name + "' is not None: " + signatureText(row));
  out.kind = parameter.kind;
  switch (parameter.kind) {
  case Attribute::Kind::Bool: {
    const int truth = PyObject_IsTrue(object);
    needed(truth);
    out.integer = truth;
    break;
  }
  case Attribute::Kind::Integer:
    if (!PyIndex_Check(object))
      refuse("TypeError",
             std::string(row.name) + ": '" + parameter.name + "' is an integer, not a " + Py_TYPE(object)->tp_name);
    out.integer = integersOf(py::int_(py::reinterpret_borrow<py::object>(object)).ptr(), parameter.name).front();
    break;
  case Attribute::Kind::Real:
    out.real = PyFloat_AsDouble(object);
    if (out.real == -1 && PyErr_Occurred())
      throw py::error_already_set();
    break;
  case Attribute::Kind::Text: {
    if (!PyUnicode_Check(object))
      refuse("TypeError",
             std::string(row.name) + ": '" + parameter.name + "' is a text, not a " + Py_TYPE(object)->tp_name);
    Py_ssize_t length = 0;
    const char *text = needed(PyUnicode_AsUTF8AndSize(object, &length));
    out.text = {text, static_cast<size_t>(length)};
    break;
  }
  case Attribute::Kind::Integers:
    out.integers = lists.integers.emplace_back(integersOf(object, parameter.name));
    break;
  case Attribute::Kind::Reals: {
    std::vector<double> &reals = lists.reals.emplace_back();
    for (py::handle each : py::iter(py::reinterpret_borrow<py::object>(object)))
      reals.push_back(each.cast<double>());
    out.reals = reals;
    break;
  }
  case Attribute::Kind::Type:
    out.type = dtypeOf(object);
    break;
  case Attribute::Kind::None:
    break;
  }
  return out;
}

PyObject *given(const PyFunction &self, PyObject *const *slots) {
  const Function &row = *self.row;
  const Site site = here();
  Lists lists;
  std::array<Attribute, mostSlots> values;
  for (size_t i = 0; i < row.parameters.size(); ++i)
    values[i] = valueOf(row, row.parameters[i], slots[row.operands.size() + i], lists);
  static thread_local std::vector<Tensor> out; // keeps its memory; empty between calls
  struct Clear {
    ~Clear() { out.clear(); }
  } clear;
  const std::span<const Attribute> used(values.data(), row.parameters.size());
  if (row.variadic) {
    const py::object items =
        py::reinterpret_steal<py::object>(PySequence_Fast(slots[0], "a list of tensors is needed"));
    needed(items.ptr());
    std::deque<Argument> arguments;
    std::vector<Operand> operands;
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items.ptr()); ++i)
      operands.push_back(arguments.emplace_back(PySequence_Fast_GET_ITEM(items.ptr(), i), site));
    call(row, operands, used, site, out);
  } else {
    std::array<std::optional<Argument>, mostOperands> arguments;
    const Operand none(0, Site());
    std::array<Operand, mostOperands> operands{none, none, none, none, none, none, none, none};
    for (size_t i = 0; i < row.operands.size(); ++i)
      operands[i] = arguments[i].emplace(slots[i], site);
    for (size_t i = 0; row.waits && i < row.operands.size(); ++i) // here without the GIL
      if (operands[i].tensor)
        (void)elements(*operands[i].tensor);
    call(row, {operands.data(), row.operands.size()}, used, site, out);
  }
  if (row.results == 1)
    return wrap(std::move(out[0]));
  py::list results;
  for (Tensor &each : out)
    results.append(py::reinterpret_steal<py::object>(wrap(std::move(each))));
  return row.results ? PyList_AsTuple(results.ptr()) : results.release().ptr();
}

PyObject *vectorCall(PyObject *object, PyObject *const *arguments, size_t flags, PyObject *named) {
  return guarded([&] {
    const auto &self = *reinterpret_cast<PyFunction *>(object);
    const auto count = static_cast<size_t>(PyVectorcall_NARGS(flags));
    std::array<PyObject *, mostSlots> slots{};
    if (count > self.count)
      refuse("TypeError", std::to_string(count) + " arguments for " + signatureText(*self.row));
    std::copy(arguments, arguments + count, slots.begin());
    for (Py_ssize_t i = 0; named && i < PyTuple_GET_SIZE(named); ++i) {
      const size_t at = slotOf(self, PyTuple_GET_ITEM(named, i));
      if (slots[at])
        refuse("TypeError",
               std::string(PyUnicode_AsUTF8(self.names[at])) + " is given twice: " + signatureText(*self.row));
      slots[at] = arguments[count + static_cast<size_t>(i)];
    }
    for (size_t i = 0; i < self.row->operands.size(); ++i)
      if (!slots[i])
        refuse("TypeError", std::string("'") + self.row->operands[i] + "' is missing: " + signatureText(*self.row));
    return given(self, slots.data());
  });
}

PyObject *bind(PyObject *self, PyObject *object, PyObject *) {
  return object && object != Py_None ? PyMethod_New(self, object) : Py_NewRef(self);
}
PyObject *repr(PyObject *self) {
  return guarded([&] {
    return py::str("<function pliant." + signatureText(*reinterpret_cast<PyFunction *>(self)->row) + ">")
        .release()
        .ptr();
  });
}
PyObject *getName(PyObject *self, void *) {
  return PyUnicode_FromString(reinterpret_cast<PyFunction *>(self)->row->name);
}
PyObject *getModule(PyObject *, void *) { return PyUnicode_FromString("pliant"); }
PyObject *reduce(PyObject *self, PyObject *) { return getName(self, nullptr); } // pickled by its name

PyMemberDef members[] = {{"__vectorcalloffset__", T_PYSSIZET, offsetof(PyFunction, call), READONLY, nullptr},
                         {"__doc__", T_OBJECT, offsetof(PyFunction, documentation), READONLY, nullptr},
                         {"__text_signature__", T_OBJECT, offsetof(PyFunction, signature), READONLY, nullptr},
                         {nullptr, 0, 0, 0, nullptr}};
PyGetSetDef attributes[] = {{"__name__", getName, nullptr, nullptr, nullptr},
                            {"__qualname__", getName, nullptr, nullptr, nullptr},
                            {"__module__", getModule, nullptr, nullptr, nullptr},
                            {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyMethodDef methods[] = {{"__reduce__", reduce, METH_NOARGS, nullptr}, {nullptr, nullptr, 0, nullptr}};
PyType_Slot slots[] = {{Py_tp_call, reinterpret_cast<void *>(PyVectorcall_Call)},
                       {Py_tp_descr_get, reinterpret_cast<void *>(bind)},
                       {Py_tp_repr, reinterpret_cast<void *>(repr)},
                       {Py_tp_members, members},
                       {Py_tp_getset, attributes},
                       {Py_tp_methods, methods},
                       {0, nullptr}};
PyType_Spec spec{"pliant.Function", sizeof(PyFunction), 0,
                 Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_METHOD_DESCRIPTOR |
                     Py_TPFLAGS_DISALLOW_INSTANTIATION,
                 slots};

std::string documentationOf(const Function &row) {
  std::string out = std::string(row.summary) + ".";
  if (row.variadic)
    out += "\n\nTakes a list of tensors.";
  if (row.results > 1)
    out += "\n\nGives " + std::to_string(row.results) + " tensors.";
  if (*row.rules)
    out += std::string("\n\nRules: ") + row.rules;
  return out;
}

} // namespace

void addFunctions(py::module_ &module) {
  auto *type = reinterpret_cast<PyTypeObject *>(needed(PyType_FromSpec(&spec)));
  module.attr("Function") = py::handle(reinterpret_cast<PyObject *>(type));
  const py::handle tensor(reinterpret_cast<PyObject *>(tensorType));
  py::list names;
  for (const Function &row : functions()) {
    if (row.operands.size() > mostOperands || row.operands.size() + row.parameters.size() > mostSlots)
      throw std::logic_error(std::string(row.name) + " takes more arguments than the module has room for");
    auto *function = reinterpret_cast<PyFunction *>(needed(type->tp_alloc(type, 0))); // lives as long as the process
    function->call = vectorCall;
    function->row = &row;
    function->count = row.operands.size() + row.parameters.size();
    function->names = new PyObject *[function->count];
    for (size_t i = 0; i < row.operands.size(); ++i)
      function->names[i] = needed(PyUnicode_InternFromString(row.operands[i]));
    for (size_t i = 0; i < row.parameters.size(); ++i)
      function->names[row.operands.size() + i] = needed(PyUnicode_InternFromString(row.parameters[i].name));
    const std::string signature = signatureText(row);
    function->signature = py::str(signature.substr(signature.find('('))).release().ptr();
    function->documentation = py::str(signature + "\n\n" + documentationOf(row)).release().ptr();
    const auto object = py::reinterpret_steal<py::object>(reinterpret_cast<PyObject *>(function));
    if (!py::hasattr(module, row.name)) // some have a signature of Python's own
      module.attr(row.name) = object;
    names.append(row.name);
    if (!row.variadic && !row.operands.empty() && !py::hasattr(tensor, row.name))
      tensor.attr(row.name) = object;
  }
  module.attr("FUNCTIONS") = names;
}

} // namespace pliant::python
