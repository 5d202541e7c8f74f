// SPDX-License-Identifier: Apache-2.0
// Python's objects to tensors and back: numbers, buffers, nested lists.
#include "binding.h"
#include <bit>
#include <cstring>

namespace pliant::python {
namespace {

// ---- buffers

/// The type of a buffer's elements, if it is one of ours in this machine's byte order.
std::optional<DType> dtypeOfFormat(const char *format, Py_ssize_t width) {
  const std::string_view given = format ? format : "B";
  std::string_view code = given;
  if (code.size() > 1 && (code[0] == '@' || code[0] == '=' || code[0] == '<'))
    code.remove_prefix(1);
  if (code.size() != 1)
    return std::nullopt;
  auto sized = [&](std::initializer_list<DType> types) -> std::optional<DType> {
    for (DType type : types)
      if (static_cast<Py_ssize_t>(byteSize(type)) == width)
        return type;
    return std::nullopt;
  };
  if (code == "?")
    return DType::Bool;
  if (std::string_view("efd").find(code) != std::string_view::npos)
    return sized({DType::F16, DType::F32, DType::F64});
  if (std::string_view("bhilqn").find(code) != std::string_view::npos)
    return sized({DType::I8, DType::I16, DType::I32, DType::I64});
  if (std::string_view("BHILQN").find(code) != std::string_view::npos)
    return sized({DType::U8, DType::U16, DType::U32, DType::U64});
  return std::nullopt;
}

/// A buffer that is given back in the end, also by a thread without the GIL.
struct Buffer {
  Py_buffer view{};
  bool held = false;
  bool open(PyObject *object) {
    held = PyObject_GetBuffer(object, &view, PyBUF_FULL_RO) == 0;
    if (!held)
      PyErr_Clear();
    return held;
  }
  ~Buffer() {
    if (held)
      PyBuffer_Release(&view);
  }
};

Tensor fromBuffer(std::shared_ptr<Buffer> buffer, PyObject *object, std::optional<DType> wanted, bool share,
                  Site site) {
  const Py_buffer &view = buffer->view;
  const auto own = dtypeOfFormat(view.format, view.itemsize);
  if (!own)
    refuse("TypeError", std::string("elements of the format '") + (view.format ? view.format : "") + "' of a " +
                            Py_TYPE(object)->tp_name + " are of no type that tensors have");
  Array array;
  array.dtype = *own;
  array.shape.assign(view.shape, view.shape + view.ndim);
  const bool contiguous = PyBuffer_IsContiguous(&view, 'C');
  if (share) {
    if (!contiguous || (wanted && *wanted != *own))
      refuse("ValueError", "the elements cannot be shared: they are of another type, or not contiguous in memory");
    const void *data = view.buf;
    // Whoever drops the last tensor may hold locks that others wait for with the GIL, so the buffer goes back later.
    auto *kept = new std::shared_ptr<Buffer>(std::move(buffer));
    array.data = std::shared_ptr<const void>(data, [kept](const void *) { later([kept] { delete kept; }); });
    return Tensor::of(std::move(array), site);
  }
  std::unique_ptr<std::byte[]> copy;
  const void *data = view.buf;
  if (!contiguous) {
    copy.reset(new std::byte[static_cast<size_t>(view.len ? view.len : 1)]);
    needed(PyBuffer_ToContiguous(copy.get(), &view, view.len, 'C'));
    data = copy.get();
  }
  array.data = std::shared_ptr<const void>(data, [](const void *) {});
  Tensor out = Tensor::copied(array, site);
  return wanted && *wanted != *own ? cast(Operand(out, site), *wanted) : out;
}

// ---- nested lists

bool isSequence(PyObject *object) { return PyList_Check(object) || PyTuple_Check(object); }

/// A nested list taken apart: its shape, and its leaves in row-major order.
struct Nested {
  std::vector<int64_t> shape;
  std::vector<PyObject *> leaves; ///< borrowed: the list holds them
  bool tensors = false;
  enum Kind { Bool, Integer, Real } kind = Bool;

  explicit Nested(PyObject *list) {
    for (PyObject *at = list; isSequence(at);) {
      if (shape.size() == 32)
        refuse("ValueError", "a list nested more than 32 levels deep");
      shape.push_back(PySequence_Fast_GET_SIZE(at));
      if (!shape.back())
        break;
      at = PySequence_Fast_GET_ITEM(at, 0);
    }
    collect(list, 0);
  }

private:
  void collect(PyObject *at, size_t depth) { // as deep as the shape is long
    if (depth == shape.size()) {
      if (isSequence(at))
        refuse("ValueError", "a list whose rows are of different depths");
      leaves.push_back(at);
      return note(at);
    }
    if (!isSequence(at) || PySequence_Fast_GET_SIZE(at) != shape[depth])
      refuse("ValueError", "a list whose rows are of different lengths: " + std::to_string(shape[depth]) +
                               " elements are expected at level " + std::to_string(depth + 1));
    for (int64_t i = 0; i < shape[depth]; ++i)
      collect(PySequence_Fast_GET_ITEM(at, i), depth + 1);
  }
  void note(PyObject *leaf) {
    if (isTensor(leaf) || (PyObject_CheckBuffer(leaf) && !PyBytes_Check(leaf)))
      tensors = true;
    else if (PyBool_Check(leaf))
      ;
    else if (PyLong_Check(leaf) || PyIndex_Check(leaf))
      kind = std::max(kind, Integer);
    else if (PyFloat_Check(leaf) || PyNumber_Check(leaf))
      kind = Real;
    else
      refuse("TypeError", std::string("a ") + Py_TYPE(leaf)->tp_name + " as an element of a tensor");
  }
};

/// Integers of 64 bits, those above INT64_MAX by their bits.
int64_t integerBits(PyObject *object, bool &above) {
  const py::object exact = py::reinterpret_steal<py::object>(needed(PyNumber_Index(object)));
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(exact.ptr(), &overflow);
  above = overflow > 0;
  if (!overflow)
    return value;
  const unsigned long long large = overflow > 0 ? PyLong_AsUnsignedLongLong(exact.ptr()) : 0;
  if (overflow < 0 || PyErr_Occurred()) {
    PyErr_Clear();
    refuse("ValueError", "the integer " + py::str(exact).cast<std::string>() + " needs more than 64 bits");
  }
  return static_cast<int64_t>(large);
}

template <class T> Tensor of(const std::vector<T> &values, const Shape &shape, DType type, Site site) {
  Array array{type, shape, std::shared_ptr<const void>(values.data(), [](const void *) {})};
  return Tensor::copied(array, site);
}

Tensor fromList(PyObject *list, std::optional<DType> wanted, Site site) {
  const Nested nested(list);
  if (nested.tensors) { // tensors and arrays among the leaves: they are stacked
    std::vector<Tensor> parts;
    for (PyObject *leaf : nested.leaves)
      parts.push_back(isTensor(leaf) ? tensorOf(leaf) : tensorFrom(leaf, std::nullopt, false, site));
    Tensor out = stack(std::span<const Tensor>(parts), 0, site);
    Shape shape = nested.shape;
    const Shape inner = parts.front().shape();
    shape.insert(shape.end(), inner.begin(), inner.end());
    out = reshape(Operand(out, site), shape);
    return wanted ? cast(Operand(out, site), *wanted) : out;
  }
  if (nested.kind == Nested::Real || nested.leaves.empty()) {
    std::vector<double> values;
    for (PyObject *leaf : nested.leaves) {
      values.push_back(PyFloat_AsDouble(leaf));
      if (values.back() == -1 && PyErr_Occurred())
        throw py::error_already_set();
    }
    const DType type = wanted.value_or(DType::F32);
    const Tensor out = of(values, nested.shape, DType::F64, site);
    return type == DType::F64 ? out : cast(Operand(out, site), type);
  }
  std::vector<int64_t> values;
  bool above = false, below = false;
  for (PyObject *leaf : nested.leaves) {
    bool large = false;
    values.push_back(integerBits(leaf, large));
    above |= large;
    below |= !large && values.back() < 0;
  }
  if (above && below)
    refuse("ValueError", "integers below 0 and above 2**63 - 1 have no common type");
  const DType read = above ? DType::U64 : DType::I64;
  const DType type = wanted.value_or(nested.kind == Nested::Bool ? DType::Bool : read);
  const Tensor out = of(values, nested.shape, read, site);
  return type == read ? out : cast(Operand(out, site), type);
}

} // namespace

Tensor tensorFrom(PyObject *object, std::optional<DType> dtype, bool share, Site site) {
  if (isTensor(object)) {
    const Tensor &tensor = tensorOf(object);
    return dtype && *dtype != tensor.dtype() ? cast(Operand(tensor, site), *dtype) : tensor;
  }
  if (isSequence(object) || PyBool_Check(object) || PyLong_CheckExact(object) || PyFloat_CheckExact(object)) {
    if (share)
      refuse("ValueError", "numbers and lists have no elements that could be shared");
    return fromList(object, dtype, site);
  }
  if (PyObject_CheckBuffer(object)) {
    auto buffer = std::make_shared<Buffer>();
    if (buffer->open(object))
      return fromBuffer(std::move(buffer), object, dtype, share, site);
  }
  if (PyObject_HasAttrString(object, "__dlpack__")) {
    Tensor out = fromDlpackObject(object, share, site);
    return dtype && *dtype != out.dtype() ? cast(Operand(out, site), *dtype) : out;
  }
  if (PyObject_HasAttrString(object, "__array__")) {
    const py::object array =
        py::reinterpret_steal<py::object>(needed(PyObject_CallMethod(object, "__array__", nullptr)));
    auto buffer = std::make_shared<Buffer>();
    if (buffer->open(array.ptr()))
      return fromBuffer(std::move(buffer), array.ptr(), dtype, share, site);
  }
  if (PyLong_Check(object) || PyFloat_Check(object) || PyIndex_Check(object))
    return fromList(object, dtype, site);
  refuse("TypeError", std::string("a ") + Py_TYPE(object)->tp_name + " is no tensor, number, array or list of numbers");
}

bool isOperand(PyObject *object) {
  if (isTensor(object) || PyFloat_Check(object) || PyLong_Check(object))
    return true;
  if (PyUnicode_Check(object) || PyBytes_Check(object))
    return false;
  return isSequence(object) || PyObject_CheckBuffer(object) || PyIndex_Check(object) ||
         PyObject_HasAttrString(object, "__dlpack__") || PyObject_HasAttrString(object, "__array__");
}

Operand Argument::operandOf(PyObject *object, Site site) {
  if (isTensor(object))
    return Operand(tensorOf(object), site);
  if (PyFloat_CheckExact(object))
    return Operand(PyFloat_AS_DOUBLE(object), site);
  if (PyBool_Check(object))
    return Operand(object == Py_True, site);
  if (PyLong_CheckExact(object)) {
    bool above = false;
    const int64_t value = integerBits(object, above);
    return above ? Operand(static_cast<uint64_t>(value), site) : Operand(value, site);
  }
  if (PyUnicode_Check(object) || PyBytes_Check(object))
    refuse("TypeError", std::string("a ") + Py_TYPE(object)->tp_name + " as an operand");
  made = tensorFrom(object, std::nullopt, false, site);
  return Operand(*made, site);
}

std::vector<int64_t> integersOf(PyObject *object, const char *what) {
  auto one = [&](PyObject *each) {
    if (!PyIndex_Check(each))
      refuse("TypeError", std::string(what) + ": a " + Py_TYPE(each)->tp_name + " in the place of an integer");
    bool above = false;
    const int64_t value = integerBits(each, above);
    if (above)
      refuse("ValueError", std::string(what) + ": an integer above 2**63 - 1");
    return value;
  };
  if (PyLong_Check(object))
    return {one(object)};
  if (!isSequence(object) && PyIndex_Check(object) && !isTensor(object) && !PyObject_HasAttrString(object, "__len__"))
    return {one(object)};
  const py::object fast = py::reinterpret_steal<py::object>(PySequence_Fast(object, ""));
  if (!fast) {
    PyErr_Clear();
    refuse("TypeError", std::string(what) + ": a " + Py_TYPE(object)->tp_name + " in the place of integers");
  }
  std::vector<int64_t> out;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(fast.ptr()); ++i)
    out.push_back(one(PySequence_Fast_GET_ITEM(fast.ptr(), i)));
  return out;
}

Shape shapeOf(PyObject *object) { return integersOf(object, "shape"); }

py::object shapeTuple(const Shape &shape) {
  py::tuple out(shape.size());
  for (size_t i = 0; i < shape.size(); ++i)
    PyTuple_SET_ITEM(out.ptr(), static_cast<Py_ssize_t>(i), needed(PyLong_FromLongLong(shape[i])));
  return std::move(out);
}

PyObject *number(const Array &array, int64_t i) {
  switch (array.dtype) {
  case DType::F32:
    return PyFloat_FromDouble(static_cast<double>(array.as<float>()[i]));
  case DType::F64:
    return PyFloat_FromDouble(array.as<double>()[i]);
  case DType::F16:
    return PyFloat_FromDouble(PyFloat_Unpack2(array.as<char>() + 2 * i, 1));
  case DType::BF16:
    return PyFloat_FromDouble(static_cast<double>(std::bit_cast<float>(uint32_t(array.as<uint16_t>()[i]) << 16)));
  case DType::I64:
    return PyLong_FromLongLong(array.as<int64_t>()[i]);
  case DType::I32:
    return PyLong_FromLong(array.as<int32_t>()[i]);
  case DType::I16:
    return PyLong_FromLong(array.as<int16_t>()[i]);
  case DType::I8:
    return PyLong_FromLong(array.as<int8_t>()[i]);
  case DType::U64:
    return PyLong_FromUnsignedLongLong(array.as<uint64_t>()[i]);
  case DType::U32:
    return PyLong_FromUnsignedLong(array.as<uint32_t>()[i]);
  case DType::U16:
    return PyLong_FromUnsignedLong(array.as<uint16_t>()[i]);
  case DType::U8:
    return PyLong_FromUnsignedLong(array.as<uint8_t>()[i]);
  case DType::Bool:
    return PyBool_FromLong(array.as<uint8_t>()[i]);
  case DType::String: // no tensor of ours has it
    break;
  }
  return nullptr;
}

static py::object nestedFrom(const Array &array, size_t axis, int64_t &at) { // as deep as the rank
  if (axis == array.shape.size())
    return py::reinterpret_steal<py::object>(needed(number(array, at++)));
  py::list out(static_cast<size_t>(array.shape[axis]));
  for (int64_t i = 0; i < array.shape[axis]; ++i)
    PyList_SET_ITEM(out.ptr(), i, nestedFrom(array, axis + 1, at).release().ptr());
  return std::move(out);
}
py::object nested(const Array &array) {
  int64_t at = 0;
  return nestedFrom(array, 0, at);
}

} // namespace pliant::python
