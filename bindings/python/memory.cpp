// SPDX-License-Identifier: Apache-2.0
// Elements shared with others: the buffer protocol, NumPy, DLPack. Elements of a tensor never change (a write gives the
// tensor new ones), so what is handed out is read-only, and stays what it was.
#include "binding.h"
#include "pliant/dlpack.h"
#include "pliant/run.h"
#include <chrono>

namespace pliant::python {
namespace {

const char *formatOf(DType type) {
  switch (type) {
  case DType::F32:
    return "f";
  case DType::F64:
    return "d";
  case DType::F16:
    return "e";
  case DType::BF16:
    return nullptr; // NumPy has no such type
  case DType::I64:
    return "q";
  case DType::I32:
    return "i";
  case DType::I16:
    return "h";
  case DType::I8:
    return "b";
  case DType::U64:
    return "Q";
  case DType::U32:
    return "I";
  case DType::U16:
    return "H";
  case DType::U8:
    return "B";
  case DType::Bool:
    return "?";
  case DType::String: // no tensor of ours has it
    break;
  }
  return nullptr;
}

/// What a view of a buffer holds.
struct Lent {
  Array array;
  std::vector<Py_ssize_t> shape, strides;
};

} // namespace

namespace {

/// How long the last read on a line took.
struct Wait {
  Site site;
  std::chrono::nanoseconds took{};
};
std::array<Wait, 1024> waits; // guarded by the GIL

} // namespace

Array elements(const Tensor &tensor) {
  using Clock = std::chrono::steady_clock;
  const Site site = here();
  Reading reading(tensor, site); // another Python thread may write to the tensor meanwhile
  if (reading.ready())
    return reading.array();
  Wait &last = waits[(reinterpret_cast<uintptr_t>(site.file) / 16 + site.line) % waits.size()];
  const bool known = last.site.file == site.file && last.site.line == site.line;
  const auto begin = Clock::now();
  if (!known || last.took > longWait) {
    {
      const WithoutGil free;
      reading.start();
    }
    waitUntil([&] { return reading.ready(); });
  }
  Array out;
  {
    const WithoutGil free;
    out = reading.array();
  }
  last = {site, Clock::now() - begin};
  return out;
}

int getBuffer(PyObject *self, Py_buffer *view, int flags) {
  view->obj = nullptr;
  return guarded(
      [&] {
        if (flags & PyBUF_WRITABLE) {
          PyErr_SetString(PyExc_BufferError, "elements of a tensor are read-only; write with x[...] = y");
          return -1;
        }
        auto lent = std::make_unique<Lent>();
        lent->array = elements(tensorOf(self));
        const Array &array = lent->array;
        const char *format = formatOf(array.dtype);
        if (!format) {
          PyErr_SetString(PyExc_BufferError, "buffers have no format for bfloat16; use x.astype(pliant.float32)");
          return -1;
        }
        lent->shape.assign(array.shape.begin(), array.shape.end());
        lent->strides.assign(array.shape.size(), static_cast<Py_ssize_t>(byteSize(array.dtype)));
        for (size_t i = array.shape.size(); i-- > 1;)
          lent->strides[i - 1] = lent->strides[i] * lent->shape[i];
        Py_ssize_t count = 1;
        for (Py_ssize_t extent : lent->shape)
          count *= extent;
        view->buf = const_cast<void *>(array.data.get());
        view->itemsize = static_cast<Py_ssize_t>(byteSize(array.dtype));
        view->len = count * view->itemsize;
        view->readonly = 1;
        view->ndim = static_cast<int>(array.shape.size());
        view->format = flags & PyBUF_FORMAT ? const_cast<char *>(format) : nullptr;
        view->shape = flags & PyBUF_ND ? lent->shape.data() : nullptr;
        view->strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? lent->strides.data() : nullptr;
        view->suboffsets = nullptr;
        view->internal = lent.release();
        view->obj = Py_NewRef(self);
        return 0;
      },
      -1);
}

void releaseBuffer(PyObject *, Py_buffer *view) { delete static_cast<Lent *>(view->internal); }

py::object numpyOf(PyObject *tensor) {
  if (tensorOf(tensor).dtype() == DType::BF16)
    refuse("TypeError", "NumPy has no bfloat16; use x.astype(pliant.float32).numpy()");
  // First: Python may end a thread inside of an import, unwinding it without the GIL that objects here would need.
  const py::object asarray = py::module_::import("numpy").attr("asarray");
  return asarray(py::reinterpret_steal<py::object>(needed(PyMemoryView_FromObject(tensor))));
}

namespace {

constexpr const char *capsuleName = "dltensor", *versionedName = "dltensor_versioned";

template <class Managed> py::object capsule(Managed *managed, const char *name, void (*drop)(PyObject *)) {
  PyObject *out = PyCapsule_New(managed, name, drop);
  if (!out)
    releaseDlpack(managed);
  return py::reinterpret_steal<py::object>(needed(out));
}

/// A capsule that nobody has taken gives its tensor back.
template <class Managed> void drop(PyObject *capsule) {
  const char *name = std::is_same_v<Managed, DLManagedTensor> ? capsuleName : versionedName;
  if (PyCapsule_IsValid(capsule, name))
    releaseDlpack(static_cast<Managed *>(PyCapsule_GetPointer(capsule, name)));
}

template <class Managed>
Tensor take(const py::object &from, const char *name, const char *used, bool share, Site site) {
  auto *managed = static_cast<Managed *>(needed(PyCapsule_GetPointer(from.ptr(), name)));
  // Its deleter may want the GIL, and whoever drops the last tensor may hold locks that others wait for with it.
  Tensor out = fromDlpack(managed, share, [](Managed *each) { later([each] { releaseDlpack(each); }); }, site);
  needed(PyCapsule_SetName(from.ptr(), used));
  return out;
}

} // namespace

py::object toDlpackCapsule(PyObject *tensor, py::object version) {
  const Tensor own = tensorOf(tensor);
  (void)elements(own); // the wait is without the GIL
  if (!version.is_none() && version.cast<py::tuple>()[0].cast<int>() >= 1)
    return capsule(toDlpackVersioned(own, here()), versionedName, drop<DLManagedTensorVersioned>);
  return capsule(toDlpack(own, here()), capsuleName, drop<DLManagedTensor>);
}

Tensor fromDlpackObject(PyObject *object, bool share, Site site) {
  py::object source = py::reinterpret_borrow<py::object>(object);
  if (!PyCapsule_CheckExact(object)) {
    const py::object make = source.attr("__dlpack__");
    try {
      source = make(py::arg("max_version") = py::make_tuple(1, 0));
    } catch (py::error_already_set &error) {
      if (!error.matches(PyExc_TypeError))
        throw;
      source = make(); // it does not know of versions
    }
  }
  if (PyCapsule_IsValid(source.ptr(), versionedName))
    return take<DLManagedTensorVersioned>(source, versionedName, "used_dltensor_versioned", share, site);
  if (PyCapsule_IsValid(source.ptr(), capsuleName))
    return take<DLManagedTensor>(source, capsuleName, "used_dltensor", share, site);
  refuse("TypeError", "no DLPack capsule that is still unused");
}

} // namespace pliant::python
