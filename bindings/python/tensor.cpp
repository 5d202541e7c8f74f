// SPDX-License-Identifier: Apache-2.0
// The type Tensor: operators, conversions, attributes.
#include "binding.h"
#include <structmember.h>

namespace pliant::python {

PyTypeObject *tensorType = nullptr;

PyObject *wrap(Tensor value) {
  PyObject *out = needed(tensorType->tp_alloc(tensorType, 0));
  auto *tensor = reinterpret_cast<PyTensor *>(out);
  new (&tensor->value) Tensor(std::move(value));
  return out; // all else is zero
}

namespace {

PyObject *make(PyTypeObject *, PyObject *arguments, PyObject *named) {
  return guarded([&] {
    static const char *names[] = {"data", "dtype", nullptr};
    PyObject *data = nullptr, *dtype = nullptr;
    if (!PyArg_ParseTupleAndKeywords(arguments, named, "O|O", const_cast<char **>(names), &data, &dtype))
      throw py::error_already_set();
    return wrap(tensorFrom(data, dtypeOrNone(dtype), false, here()));
  });
}

void destroy(PyObject *self) {
  auto *tensor = reinterpret_cast<PyTensor *>(self);
  if (tensor->weak)
    PyObject_ClearWeakRefs(self);
  Py_XDECREF(tensor->key);
  tensor->value.~Tensor();
  PyTypeObject *type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

// ---- operators

template <class Make> PyObject *binary(PyObject *lhs, PyObject *rhs, const Make &make) {
  return guarded([&]() -> PyObject * {
    if (!isOperand(lhs) || !isOperand(rhs))
      return Py_NewRef(Py_NotImplemented);
    const Site site = here();
    const Argument left(lhs, site), right(rhs, site);
    return wrap(make(left, right));
  });
}
/// Writes the result of an operator in place.
template <class Make> PyObject *inPlace(PyObject *self, PyObject *rhs, const char *op, const Make &make) {
  return guarded([&]() -> PyObject * {
    if (!isOperand(rhs))
      return Py_NewRef(Py_NotImplemented);
    const Site site = here();
    const Argument right(rhs, site);
    const Tensor result = make(Operand(tensorOf(self), site), right);
    tensorOf(self).store(op, Operand(result, site));
    return Py_NewRef(self);
  });
}

#define PLIANT_BINARY(name, op, expression)                                                                            \
  PyObject *name(PyObject *lhs, PyObject *rhs) {                                                                       \
    return binary(lhs, rhs, [](const Operand &x, const Operand &y) { return expression; });                            \
  }                                                                                                                    \
  PyObject *name##InPlace(PyObject *self, PyObject *rhs) {                                                             \
    return inPlace(self, rhs, op, [](const Operand &x, const Operand &y) { return expression; });                      \
  }
PLIANT_BINARY(nbAdd, "+=", pliant::add(x, y))
PLIANT_BINARY(nbSubtract, "-=", pliant::sub(x, y))
PLIANT_BINARY(nbMultiply, "*=", pliant::mul(x, y))
PLIANT_BINARY(nbTrueDivide, "/=", trueDivide(x, y))
PLIANT_BINARY(nbFloorDivide, "//=", floorDivide(x, y))
PLIANT_BINARY(nbRemainder, "%=", remainder(x, y))
PLIANT_BINARY(nbAnd, "&=", x &y)
PLIANT_BINARY(nbOr, "|=", x | y)
PLIANT_BINARY(nbXor, "^=", x ^ y)
PLIANT_BINARY(nbLeftShift, "<<=", x << y)
PLIANT_BINARY(nbRightShift, ">>=", x >> y)
PLIANT_BINARY(nbMatmul, "@=", matmul(x, y))
PLIANT_BINARY(nbPowerOf, "**=", pliant::pow(x, y))
#undef PLIANT_BINARY

PyObject *nbPower(PyObject *lhs, PyObject *rhs, PyObject *modulus) {
  return modulus == Py_None ? nbPowerOf(lhs, rhs) : Py_NewRef(Py_NotImplemented);
}
PyObject *nbPowerInPlace(PyObject *self, PyObject *rhs, PyObject *modulus) {
  return modulus == Py_None ? nbPowerOfInPlace(self, rhs) : Py_NewRef(Py_NotImplemented);
}
PyObject *nbDivmod(PyObject *lhs, PyObject *rhs) {
  PyObject *quotient = nbFloorDivide(lhs, rhs);
  if (!quotient || quotient == Py_NotImplemented)
    return quotient;
  PyObject *rest = nbRemainder(lhs, rhs);
  return rest ? Py_BuildValue("(NN)", quotient, rest) : (Py_DECREF(quotient), nullptr);
}

template <class Make> PyObject *unary(PyObject *self, const Make &make) {
  return guarded([&] { return wrap(make(Operand(tensorOf(self), here()))); });
}
PyObject *nbNegative(PyObject *self) {
  return unary(self, [](const Operand &x) { return neg(x); });
}
PyObject *nbPositive(PyObject *self) {
  return unary(self, [](const Operand &x) { return *x.tensor; });
}
PyObject *nbAbsolute(PyObject *self) {
  return unary(self, [](const Operand &x) { return pliant::abs(x); });
}
PyObject *nbInvert(PyObject *self) {
  return unary(self, [](const Operand &x) { return ~x; });
}

PyObject *compare(PyObject *lhs, PyObject *rhs, int op) {
  return binary(lhs, rhs, [op](const Operand &x, const Operand &y) {
    switch (op) {
    case Py_LT:
      return less(x, y);
    case Py_LE:
      return lessEqual(x, y);
    case Py_GT:
      return greater(x, y);
    case Py_GE:
      return greaterEqual(x, y);
    case Py_NE:
      return notEqual(x, y);
    default:
      return equal(x, y);
    }
  });
}

// ---- values

/// The only element.
py::object item(PyObject *self) {
  const Tensor &tensor = tensorOf(self);
  if (tensor.size() != 1)
    refuse("ValueError", "a tensor of shape " + py::str(shapeTuple(tensor.shape())).cast<std::string>() + " has " +
                             std::to_string(tensor.size()) + " elements, not 1");
  return py::reinterpret_steal<py::object>(needed(number(elements(tensor), 0)));
}

int nbBool(PyObject *self) {
  return guarded([&] { return PyObject_IsTrue(item(self).ptr()); }, -1);
}
PyObject *nbInt(PyObject *self) {
  return guarded([&] { return PyNumber_Long(item(self).ptr()); });
}
PyObject *nbFloat(PyObject *self) {
  return guarded([&] { return PyNumber_Float(item(self).ptr()); });
}
PyObject *nbIndex(PyObject *self) {
  return guarded([&]() -> PyObject * {
    const Tensor &tensor = tensorOf(self);
    if (!isInteger(tensor.dtype()) || tensor.rank() != 0)
      refuse("TypeError", "only an integer tensor of rank 0 is an index");
    return item(self).release().ptr();
  });
}

Py_ssize_t length(PyObject *self) {
  return guarded(
      [&]() -> Py_ssize_t {
        if (tensorOf(self).rank() == 0)
          refuse("TypeError", "a tensor of rank 0 has no length");
        return static_cast<Py_ssize_t>(tensorOf(self).dim(0, here()));
      },
      Py_ssize_t(-1));
}

PyObject *iterate(PyObject *self) {
  return guarded([&]() -> PyObject * {
    if (tensorOf(self).rank() == 0)
      refuse("TypeError", "a tensor of rank 0 cannot be iterated");
    py::list rows;
    const int64_t count = tensorOf(self).dim(0, here());
    for (int64_t i = 0; i < count; ++i)
      rows.append(py::reinterpret_steal<py::object>(needed(getItem(self, py::int_(i).ptr()))));
    return PyObject_GetIter(rows.ptr());
  });
}

int contains(PyObject *self, PyObject *value) {
  return guarded(
      [&] {
        const Site site = here();
        const Argument argument(value, site);
        const Tensor found = any(Operand(equal(Operand(tensorOf(self), site), argument), site));
        return static_cast<int>(*elements(found).as<bool>());
      },
      -1);
}

std::string text(const Tensor &tensor) {
  (void)elements(tensor); // the wait is without the GIL
  return tensor.str(here());
}

PyObject *str(PyObject *self) {
  return guarded([&] { return py::str(text(tensorOf(self))).release().ptr(); });
}

PyObject *repr(PyObject *self) {
  return guarded([&] {
    const Tensor &tensor = tensorOf(self);
    const std::string type = std::string(name(tensor.dtype()));
    std::string shown;
    try {
      shown = text(tensor);
    } catch (const Exception &error) { // debuggers and notebooks ask for it when something has failed already
      shown = std::string("failed: ") + error.what();
    }
    if (tensor.rank() == 0)
      return py::str("tensor(" + shown + ", " + type + ")").release().ptr();
    std::string rows;
    for (char c : shown)
      rows += c == '\n' ? std::string("\n       ") : std::string(1, c);
    const std::string shape = py::str(shapeTuple(tensor.shape())).cast<std::string>();
    return py::str("tensor(" + rows + ", " + type + ", shape=" + shape + ")").release().ptr();
  });
}

// ---- methods

PyObject *methodItem(PyObject *self, PyObject *) {
  return guarded([&] { return item(self).release().ptr(); });
}
PyObject *methodList(PyObject *self, PyObject *) {
  return guarded([&] { return nested(elements(tensorOf(self))).release().ptr(); });
}
PyObject *methodNumpy(PyObject *self, PyObject *) {
  return guarded([&] { return numpyOf(self).release().ptr(); });
}
PyObject *methodCopy(PyObject *self, PyObject *) {
  return guarded([&] { return wrap(tensorOf(self)); });
}
PyObject *methodAsType(PyObject *self, PyObject *dtype) {
  return unary(self, [&](const Operand &x) { return cast(x, dtypeOf(dtype)); });
}
PyObject *methodAssign(PyObject *self, PyObject *value) {
  return guarded([&] {
    const Argument argument(value, here());
    tensorOf(self).assign(argument);
    return Py_NewRef(self);
  });
}
/// `x.reshape(2, 3)` and `x.reshape((2, 3))`.
std::vector<int64_t> listed(PyObject *arguments) {
  if (PyTuple_GET_SIZE(arguments) == 1)
    return PyTuple_GET_ITEM(arguments, 0) == Py_None ? std::vector<int64_t>()
                                                     : integersOf(PyTuple_GET_ITEM(arguments, 0), "shape");
  return integersOf(arguments, "shape");
}
PyObject *methodReshape(PyObject *self, PyObject *arguments) {
  return guarded([&] { return wrap(tensorOf(self).reshape(listed(arguments), here())); });
}
PyObject *methodTranspose(PyObject *self, PyObject *arguments) {
  return guarded([&] { return wrap(tensorOf(self).transpose(listed(arguments), here())); });
}
PyObject *methodBroadcastTo(PyObject *self, PyObject *arguments) {
  return guarded([&] { return wrap(tensorOf(self).broadcastTo(listed(arguments), here())); });
}
PyObject *methodArray(PyObject *self, PyObject *arguments, PyObject *named) {
  return guarded([&]() -> PyObject * {
    static const char *names[] = {"dtype", "copy", nullptr};
    PyObject *dtype = Py_None, *copy = Py_None;
    if (!PyArg_ParseTupleAndKeywords(arguments, named, "|OO", const_cast<char **>(names), &dtype, &copy))
      throw py::error_already_set();
    py::object array = numpyOf(self);
    if (dtype != Py_None && !py::object(array.attr("dtype")).equal(py::reinterpret_borrow<py::object>(dtype)))
      return array.attr("astype")(py::handle(dtype)).release().ptr();
    return (copy == Py_True ? array.attr("copy")() : array).release().ptr();
  });
}
PyObject *methodReduce(PyObject *self, PyObject *) {
  return guarded([&] {
    const Array array = elements(tensorOf(self));
    const auto count = static_cast<size_t>(tensorOf(self).size());
    const py::bytes bytes(static_cast<const char *>(array.data.get()), count * byteSize(array.dtype));
    const py::object restore = py::module_::import("pliant").attr("_restore");
    return py::make_tuple(restore, py::make_tuple(std::string(name(array.dtype)), shapeTuple(array.shape), bytes))
        .release()
        .ptr();
  });
}
PyObject *methodDlpack(PyObject *self, PyObject *arguments, PyObject *named) {
  return guarded([&] {
    static const char *names[] = {"stream", "max_version", "dl_device", "copy", nullptr};
    PyObject *stream = Py_None, *version = Py_None, *device = Py_None, *copy = Py_None;
    if (!PyArg_ParseTupleAndKeywords(arguments, named, "|$OOOO", const_cast<char **>(names), &stream, &version, &device,
                                     &copy))
      throw py::error_already_set();
    if (stream != Py_None)
      refuse("ValueError", "the CPU has no streams");
    return toDlpackCapsule(self, py::reinterpret_borrow<py::object>(version)).release().ptr();
  });
}
PyObject *methodDevice(PyObject *, PyObject *) { return Py_BuildValue("(ii)", 1, 0); }
PyObject *methodFormat(PyObject *self, PyObject *spec) {
  return guarded([&] {
    const bool plain = PyUnicode_Check(spec) && PyUnicode_GET_LENGTH(spec) == 0;
    return plain ? str(self) : PyObject_Format(item(self).ptr(), spec);
  });
}

PyObject *getShape(PyObject *self, void *) {
  return guarded([&] { return shapeTuple(tensorOf(self).shape()).release().ptr(); });
}
PyObject *getDtype(PyObject *self, void *) {
  return guarded([&] { return Py_NewRef(dtypeObject(tensorOf(self).dtype())); });
}
PyObject *getRank(PyObject *self, void *) {
  return guarded([&] { return PyLong_FromLongLong(tensorOf(self).rank()); });
}
PyObject *getSize(PyObject *self, void *) {
  return guarded([&] { return PyLong_FromLongLong(tensorOf(self).size()); });
}
PyObject *getBytes(PyObject *self, void *) {
  return guarded([&] {
    const Tensor &tensor = tensorOf(self);
    return PyLong_FromLongLong(tensor.size() * static_cast<int64_t>(byteSize(tensor.dtype())));
  });
}
PyObject *getTransposed(PyObject *self, void *) {
  return guarded([&] { return wrap(tensorOf(self).transpose({}, here())); });
}

PyCFunction function(PyObject *(*f)(PyObject *, PyObject *, PyObject *)) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(f));
}
template <class F> void *slot(F *f) { return reinterpret_cast<void *>(f); }

PyMethodDef methods[] = {
    {"item", methodItem, METH_NOARGS, "item()\n--\n\nThe only element as a number of Python; waits for it."},
    {"tolist", methodList, METH_NOARGS, "tolist()\n--\n\nThe elements as nested lists; waits for them."},
    {"numpy", methodNumpy, METH_NOARGS,
     "numpy()\n--\n\nA read-only array of NumPy on the elements, without a copy; waits for them."},
    {"astype", methodAsType, METH_O, "astype(dtype, /)\n--\n\nThe elements converted to another type."},
    {"assign", methodAssign, METH_O,
     "assign(value, /)\n--\n\nWrites the value, converted and broadcast, to all elements."},
    {"reshape", methodReshape, METH_VARARGS, "reshape(*shape)\n--\n\nA view in another shape; one extent may be -1."},
    {"transpose", methodTranspose, METH_VARARGS,
     "transpose(*axes)\n--\n\nA view with the axes in another order, reversed when none is given."},
    {"broadcast_to", methodBroadcastTo, METH_VARARGS,
     "broadcast_to(*shape)\n--\n\nA view repeated to a shape; it cannot be written to."},
    {"copy", methodCopy, METH_NOARGS, "copy()\n--\n\nThe same value, independent of later writes to either."},
    {"__copy__", methodCopy, METH_NOARGS, nullptr},
    {"__deepcopy__", methodCopy, METH_O, nullptr},
    {"__reduce__", methodReduce, METH_NOARGS, nullptr},
    {"__array__", function(methodArray), METH_VARARGS | METH_KEYWORDS, nullptr},
    {"__dlpack__", function(methodDlpack), METH_VARARGS | METH_KEYWORDS, nullptr},
    {"__dlpack_device__", methodDevice, METH_NOARGS, nullptr},
    {"__format__", methodFormat, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr}};

PyGetSetDef attributes[] = {{"shape", getShape, nullptr, "the extents of the axes", nullptr},
                            {"dtype", getDtype, nullptr, "the type of the elements", nullptr},
                            {"ndim", getRank, nullptr, "the number of axes", nullptr},
                            {"size", getSize, nullptr, "the number of elements", nullptr},
                            {"nbytes", getBytes, nullptr, "the memory that the elements need", nullptr},
                            {"T", getTransposed, nullptr, "a view with the axes in reverse order", nullptr},
                            {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyMemberDef members[] = {{"__weaklistoffset__", T_PYSSIZET, offsetof(PyTensor, weak), READONLY, nullptr},
                         {nullptr, 0, 0, 0, nullptr}};

constexpr const char *documentation =
    "Tensor(data, dtype=None)\n--\n\n"
    "Elements of one type along axes. What is done to tensors is recorded and runs when a value is asked for. "
    "Operators,\n"
    "indices and broadcasting follow NumPy; numbers of Python take the element type of the tensors beside them.";

PyType_Slot slots[] = {{Py_tp_new, slot(make)},
                       {Py_tp_dealloc, slot(destroy)},
                       {Py_tp_doc, const_cast<char *>(documentation)},
                       {Py_tp_repr, slot(repr)},
                       {Py_tp_str, slot(str)},
                       {Py_tp_hash, slot(PyObject_HashNotImplemented)},
                       {Py_tp_richcompare, slot(compare)},
                       {Py_tp_iter, slot(iterate)},
                       {Py_tp_methods, methods},
                       {Py_tp_getset, attributes},
                       {Py_tp_members, members},
                       {Py_mp_length, slot(length)},
                       {Py_mp_subscript, slot(getItem)},
                       {Py_mp_ass_subscript, slot(setItem)},
                       {Py_sq_contains, slot(contains)},
                       {Py_bf_getbuffer, slot(getBuffer)},
                       {Py_bf_releasebuffer, slot(releaseBuffer)},
                       {Py_nb_add, slot(nbAdd)},
                       {Py_nb_subtract, slot(nbSubtract)},
                       {Py_nb_multiply, slot(nbMultiply)},
                       {Py_nb_true_divide, slot(nbTrueDivide)},
                       {Py_nb_floor_divide, slot(nbFloorDivide)},
                       {Py_nb_remainder, slot(nbRemainder)},
                       {Py_nb_divmod, slot(nbDivmod)},
                       {Py_nb_power, slot(nbPower)},
                       {Py_nb_matrix_multiply, slot(nbMatmul)},
                       {Py_nb_and, slot(nbAnd)},
                       {Py_nb_or, slot(nbOr)},
                       {Py_nb_xor, slot(nbXor)},
                       {Py_nb_lshift, slot(nbLeftShift)},
                       {Py_nb_rshift, slot(nbRightShift)},
                       {Py_nb_inplace_add, slot(nbAddInPlace)},
                       {Py_nb_inplace_subtract, slot(nbSubtractInPlace)},
                       {Py_nb_inplace_multiply, slot(nbMultiplyInPlace)},
                       {Py_nb_inplace_true_divide, slot(nbTrueDivideInPlace)},
                       {Py_nb_inplace_floor_divide, slot(nbFloorDivideInPlace)},
                       {Py_nb_inplace_remainder, slot(nbRemainderInPlace)},
                       {Py_nb_inplace_power, slot(nbPowerInPlace)},
                       {Py_nb_inplace_matrix_multiply, slot(nbMatmulInPlace)},
                       {Py_nb_inplace_and, slot(nbAndInPlace)},
                       {Py_nb_inplace_or, slot(nbOrInPlace)},
                       {Py_nb_inplace_xor, slot(nbXorInPlace)},
                       {Py_nb_inplace_lshift, slot(nbLeftShiftInPlace)},
                       {Py_nb_inplace_rshift, slot(nbRightShiftInPlace)},
                       {Py_nb_negative, slot(nbNegative)},
                       {Py_nb_positive, slot(nbPositive)},
                       {Py_nb_absolute, slot(nbAbsolute)},
                       {Py_nb_invert, slot(nbInvert)},
                       {Py_nb_bool, slot(nbBool)},
                       {Py_nb_int, slot(nbInt)},
                       {Py_nb_float, slot(nbFloat)},
                       {Py_nb_index, slot(nbIndex)},
                       {0, nullptr}};

PyType_Spec spec{"pliant.Tensor", sizeof(PyTensor), 0, Py_TPFLAGS_DEFAULT, slots};

} // namespace

void addTensorType(py::module_ &module) {
  tensorType = reinterpret_cast<PyTypeObject *>(needed(PyType_FromSpec(&spec)));
  const py::handle type(reinterpret_cast<PyObject *>(tensorType));
  type.attr("__array_ufunc__") = py::none(); // NumPy's operators leave the work to ours
  module.attr("Tensor") = type;
}

} // namespace pliant::python
