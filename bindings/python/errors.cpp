// SPDX-License-Identifier: Apache-2.0
// Exceptions of C++ as Python's, and work that other threads leave to Python.
#include "binding.h"
#include "pliant/run.h"
#include <chrono>
#include <mutex>
#include <thread>

namespace pliant::python {
namespace {

PyObject *valueError, *typeError, *indexError, *memoryError, *internalError;

PyObject *classOf(std::string_view kind) {
  return kind == "TypeError"    ? typeError
         : kind == "IndexError" ? indexError
         : kind == "ValueError" ? valueError
                                : internalError;
}

/// The exception with its parts as attributes.
void set(PyObject *kind, const char *message, const std::string &op, const std::string &where) {
  try {
    py::object error = py::reinterpret_steal<py::object>(needed(PyObject_CallFunction(kind, "s", message)));
    error.attr("op") = op;
    error.attr("where") = where;
    PyErr_SetObject(kind, error.ptr());
  } catch (py::error_already_set &failed) {
    failed.restore();
  }
}

} // namespace

void importErrors() {
  const py::module_ errors = py::module_::import("pliant.errors");
  auto take = [&](const char *name) { return errors.attr(name).cast<py::object>().release().ptr(); };
  valueError = take("InputError");
  typeError = take("KindError");
  indexError = take("PositionError");
  memoryError = take("OutOfMemoryError");
  internalError = take("InternalError");
}

void setError() noexcept {
  try {
    throw;
  } catch (py::error_already_set &error) {
    error.restore();
  } catch (const InternalException &error) {
    set(internalError, error.what(), error.op(), error.where());
  } catch (const MemoryException &error) {
    set(memoryError, error.what(), error.op(), error.where());
  } catch (const Exception &error) {
    // Positions among the values are found by a run: "[gather] index 5 is out of range [-3, 3)".
    const bool position =
        error.op() == "index" || std::string_view(error.what()).find("] index ") != std::string_view::npos;
    set(position ? indexError : valueError, error.what(), error.op(), error.where());
  } catch (const std::bad_alloc &) {
    set(memoryError, "not enough memory", "", "");
  } catch (const std::exception &error) {
    set(internalError, error.what(), "", "");
  } catch (...) {
    set(internalError, "an unknown exception of C++", "", "");
  }
}

py::object exceptionOf(const std::exception_ptr &exception) {
  try {
    std::rethrow_exception(exception);
  } catch (...) {
    setError();
  }
  return py::error_already_set().value(); // takes it from Python
}

void refuse(const char *kind, const std::string &message) {
  const Site site = here();
  const std::string where = *site.file ? std::string(site.file) + ":" + std::to_string(site.line) : "";
  set(classOf(kind), message.c_str(), "", where);
  throw py::error_already_set();
}

void waitUntil(const std::function<bool()> &done) {
  auto pause = std::chrono::microseconds(0);
  while (!done()) {
    {
      const WithoutGil free;
      pause < std::chrono::microseconds(20) ? std::this_thread::yield() : std::this_thread::sleep_for(pause);
    }
    pause = std::min(pause + pause / 8 + std::chrono::microseconds(1), std::chrono::microseconds(2000));
    if (PyErr_CheckSignals() < 0)
      throw py::error_already_set();
  }
}

void makeRoom() {
  waitUntil([] { return !crowded(); });
}

namespace {
struct Left {
  std::mutex mutex;
  std::vector<std::function<void()>> work;
  bool asked = false, ended = false;
};
Left &left() {
  static auto *all = new Left; // threads may end after the process's statics are gone
  return *all;
}
int doLeft(void *) {
  std::vector<std::function<void()>> work;
  {
    std::lock_guard lock(left().mutex);
    work.swap(left().work);
    left().asked = false;
  }
  for (const std::function<void()> &each : work)
    each();
  return 0;
}
} // namespace

void endLater() {
  std::lock_guard lock(left().mutex);
  left().ended = true;
}

void later(std::function<void()> work) {
  std::lock_guard lock(left().mutex);
  left().work.push_back(std::move(work));
  if (!left().asked)
    left().asked = !left().ended && Py_AddPendingCall(doLeft, nullptr) == 0;
}

} // namespace pliant::python
