// SPDX-License-Identifier: Apache-2.0
// x[...] by NumPy's rules.
#include "binding.h"

namespace pliant::python {
namespace {

/// The indices of one pair of brackets.
struct Indices {
  std::vector<Index> all;
  std::deque<Tensor> made; ///< of lists and arrays
  bool plain = true;       ///< numbers, slices, None and Ellipsis only

  Indices(PyObject *key, Site site) : site(site) {
    if (PyTuple_Check(key))
      for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(key); ++i)
        add(PyTuple_GET_ITEM(key, i));
    else
      add(key);
  }
  operator std::span<const Index>() const { return all; }
  /// How many elements a mask picks is a shape, which recording waits for: here without the GIL.
  void waitForMasks() const {
    for (const Index &each : all)
      if (each.kind == Index::Kind::Tensor && each.tensor->dtype() == DType::Bool)
        (void)elements(*each.tensor);
  }

private:
  const Site site;

  void add(PyObject *item) {
    if (PyLong_CheckExact(item))
      return number(item);
    if (PySlice_Check(item)) {
      Py_ssize_t start = 0, stop = 0, step = 0;
      needed(PySlice_Unpack(item, &start, &stop, &step));
      all.emplace_back(Slice{start, stop, step}, site);
    } else if (item == Py_None) {
      all.emplace_back(newAxis, site);
    } else if (item == Py_Ellipsis) {
      all.emplace_back(ellipsis, site);
    } else if (isTensor(item)) {
      plain = false;
      all.emplace_back(tensorOf(item), site);
    } else if (PyBool_Check(item)) {
      refuse("IndexError", "a bool as an index; a mask is a bool tensor with the shape of the axes that it picks from");
    } else if (PyList_Check(item) || PyTuple_Check(item) || PyObject_CheckBuffer(item)) {
      Tensor tensor = tensorFrom(item, std::nullopt, false, site);
      if (tensor.size() == 0 && PyList_Check(item))
        tensor = cast(Operand(tensor, site), DType::I64);
      if (tensor.rank() == 0 && PyIndex_Check(item))
        return number(item);
      plain = false;
      made.push_back(std::move(tensor));
      all.emplace_back(made.back(), site);
    } else if (PyIndex_Check(item)) {
      number(item);
    } else {
      refuse("TypeError", std::string("a ") + Py_TYPE(item)->tp_name +
                              " as an index; integers, slices, None, ..., lists, arrays and tensors pick elements");
    }
  }
  void number(PyObject *item) {
    const Py_ssize_t value = PyNumber_AsSsize_t(item, PyExc_IndexError);
    if (value == -1 && PyErr_Occurred())
      throw py::error_already_set();
    all.emplace_back(static_cast<int64_t>(value), site);
  }
};

uint64_t serialOf(PyTensor *tensor) {
  static uint64_t last = 0; // guarded by the GIL
  if (!tensor->serial)
    tensor->serial = ++last;
  return tensor->serial;
}

} // namespace

PyObject *getItem(PyObject *self, PyObject *key) {
  return guarded([&]() -> PyObject * {
    const Site site = here();
    const Indices indices(key, site);
    indices.waitForMasks();
    PyObject *out = wrap(Tensor(tensorOf(self)(std::span<const Index>(indices))));
    if (indices.plain) {
      auto *view = reinterpret_cast<PyTensor *>(out);
      view->parent = serialOf(reinterpret_cast<PyTensor *>(self));
      view->key = Py_NewRef(key);
    }
    return out;
  });
}

int setItem(PyObject *self, PyObject *key, PyObject *value) {
  return guarded(
      [&] {
        if (!value)
          refuse("TypeError", "elements of a tensor cannot be deleted");
        // x[i] += y writes through the view x[i] and then assigns that view to x[i]: it is there already.
        if (isTensor(value)) {
          const auto *view = reinterpret_cast<PyTensor *>(value);
          if (view->key && view->key == key && view->parent == reinterpret_cast<PyTensor *>(self)->serial)
            return 0;
        }
        const Site site = here();
        const Indices indices(key, site);
        const Argument argument(value, site);
        const Operand &written = argument;
        if (written.tensor && written.tensor->rank() > 0) // one number needs no count
          indices.waitForMasks();
        tensorOf(self)(std::span<const Index>(indices)) = written;
        return 0;
      },
      -1);
}

} // namespace pliant::python
