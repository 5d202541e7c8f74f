// SPDX-License-Identifier: Apache-2.0
// What the files of the Python module share. Tensors and functions are types of their own and take their arguments by
// hand, since recording an op must cost little; the rest of the module is pybind11's.
#pragma once
#include "pliant/call.h"
#include "pliant/functions.h"
#include <chrono>
#include <cxxabi.h>
#include <deque>
#include <functional>
#include <pybind11/pybind11.h>
#include <unistd.h>

namespace pliant::python {
namespace py = pybind11;

// ---- errors

/// Sets Python's error from the C++ exception being handled.
void setError() noexcept;
/// Runs what returns an object (or an int) to Python; an exception becomes Python's error and `failed`.
template <class F, class R = std::invoke_result_t<F>> R guarded(const F &body, R failed = R()) {
  try {
    return body();
  } catch (abi::__forced_unwind &) { // Python ends this thread
    throw;
  } catch (...) {
    setError();
    return failed;
  }
}
/// The exception of Python that stands for one of C++.
py::object exceptionOf(const std::exception_ptr &exception);
/// Throws a Python exception of the class with pliant's own base: "TypeError", "ValueError", "IndexError".
[[noreturn]] void refuse(const char *kind, const std::string &message);
/// Throws when a call of Python's API has failed.
template <class T> T *needed(T *result) {
  if (!result)
    throw py::error_already_set();
  return result;
}
inline void needed(int status) {
  if (status < 0)
    throw py::error_already_set();
}
void importErrors();

/// What may wait for the GIL, between frames that must not be unwound. Python unwinds threads that want the GIL back
/// when the process ends: they stay here instead, since what their frames hold can no longer be given back.
template <class F> auto orStay(const F &body) {
  try {
    return body();
  } catch (abi::__forced_unwind &) {
    for (;;)
      pause();
  }
}

/// Lets other threads have the GIL while it lives.
class WithoutGil {
public:
  WithoutGil() : state(PyEval_SaveThread()) {}
  ~WithoutGil() {
    orStay([this] { PyEval_RestoreThread(state); });
  }
  WithoutGil(const WithoutGil &) = delete;

private:
  PyThreadState *const state;
};

/// Waits without the GIL for what is done elsewhere, looking now and then; throws when Ctrl-C was pressed.
void waitUntil(const std::function<bool()> &done);
/// What took longer the last time, or of which nothing is known, runs in the background, so that Ctrl-C can end the
/// waiting; the rest runs on the calling thread, which costs microseconds less.
constexpr std::chrono::milliseconds longWait(2);
/// Waits until no more steps are in flight than a few.
void makeRoom();

/// Runs `work` soon, with the GIL, on the main thread. Any thread may call it, also while others wait for the GIL.
void later(std::function<void()> work);
/// Nothing comes later any more: Python ends. What is left to do is left alone.
void endLater();

// ---- where

/// The line of the Python program that is being run. Throws when Ctrl-C ends a wait for room.
Site here();

// ---- element types

void importDtypes();
PyObject *dtypeObject(DType type); ///< borrowed
DType dtypeOf(PyObject *object);   ///< pliant's, NumPy's, float, int, bool, or a name
inline std::optional<DType> dtypeOrNone(PyObject *object) {
  return !object || object == Py_None ? std::nullopt : std::optional(dtypeOf(object));
}

// ---- tensors

struct PyTensor {
  PyObject_HEAD Tensor value;
  uint64_t serial; ///< of those that were indexed; never used again
  uint64_t parent; ///< serial of what this was taken from by `key`
  PyObject *key;   ///< numbers and slices; null when this is no view
  PyObject *weak;
};
extern PyTypeObject *tensorType;
inline bool isTensor(PyObject *object) { return Py_TYPE(object) == tensorType; }
inline Tensor &tensorOf(PyObject *object) { return reinterpret_cast<PyTensor *>(object)->value; }
PyObject *wrap(Tensor value); ///< a new reference
/// The elements, waited for without the GIL.
Array elements(const Tensor &tensor);
void addTensorType(py::module_ &module);
/// The tables of indexing and of buffers, for the type.
PyObject *getItem(PyObject *self, PyObject *key);
int setItem(PyObject *self, PyObject *key, PyObject *value);
int getBuffer(PyObject *self, Py_buffer *view, int flags);
void releaseBuffer(PyObject *self, Py_buffer *view);

// ---- objects to tensors

/// A tensor of its own of an array, a scalar of NumPy, a nested list, or whatever has a buffer or DLPack. With `share`
/// the elements are not copied, or it is refused.
Tensor tensorFrom(PyObject *object, std::optional<DType> dtype, bool share, Site site);
/// Whether an operator takes it: a tensor, a number, an array, a list.
bool isOperand(PyObject *object);

/// One operand of a call.
class Argument {
public:
  Argument(PyObject *object, Site site) : operand(operandOf(object, site)) {}
  Argument(const Argument &) = delete;
  operator const Operand &() const { return operand; }

private:
  std::optional<Tensor> made; ///< of what is no tensor yet
  Operand operand;
  Operand operandOf(PyObject *object, Site site);
};

std::vector<int64_t> integersOf(PyObject *object, const char *what); ///< one integer, or a sequence
Shape shapeOf(PyObject *object);
py::object shapeTuple(const Shape &shape);
/// One element as Python's number.
PyObject *number(const Array &array, int64_t index);
py::object nested(const Array &array);
/// A read-only array of NumPy on the elements.
py::object numpyOf(PyObject *tensor);
py::object toDlpackCapsule(PyObject *tensor, py::object version);
Tensor fromDlpackObject(PyObject *object, bool share, Site site);

// ---- functions

void addFunctions(py::module_ &module);
void addRun(py::module_ &module);
void addModel(py::module_ &module);
void addRandom(py::module_ &module);

} // namespace pliant::python

/// Tensors in functions that pybind11 binds.
template <> struct pybind11::detail::type_caster<pliant::Tensor> {
  PYBIND11_TYPE_CASTER(pliant::Tensor, const_name("Tensor"));
  bool load(handle source, bool) {
    if (!pliant::python::isTensor(source.ptr()))
      return false;
    value = pliant::python::tensorOf(source.ptr());
    return true;
  }
  static handle cast(pliant::Tensor source, return_value_policy, handle) {
    return pliant::python::wrap(std::move(source));
  }
};
template <> struct pybind11::detail::type_caster<pliant::DType> {
  PYBIND11_TYPE_CASTER(pliant::DType, const_name("DType"));
  bool load(handle source, bool) {
    value = pliant::python::dtypeOf(source.ptr());
    return true;
  }
  static handle cast(pliant::DType source, return_value_policy, handle) {
    return handle(pliant::python::dtypeObject(source)).inc_ref();
  }
};
