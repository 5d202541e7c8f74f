// SPDX-License-Identifier: Apache-2.0
// Lines of the Python program. Finding a line walks a table of the code object, so the answer is kept for the place
// in the code that asked.
#include "binding.h"
#include "pliant/run.h"
#include <frameobject.h>
#include <unordered_set>

namespace pliant::python {
namespace {

struct Known {
  PyCodeObject *code = nullptr; ///< a reference, so that no other code is ever at this address
  int instruction = -1;
  Site site;
};
constexpr size_t places = 4096;
Known known[places]; // guarded by the GIL

const char *interned(PyObject *name) {
  static auto *names = new std::unordered_set<std::string>; // of as long a life as the process
  Py_ssize_t length = 0;
  const char *text = PyUnicode_AsUTF8AndSize(name, &length);
  if (!text) {
    PyErr_Clear();
    return "";
  }
  return names->emplace(text, static_cast<size_t>(length)).first->c_str();
}

} // namespace

Site here() {
  // Whoever records asks for its line first, with the GIL and no lock of ours: that is where it may wait.
  if (crowded())
    makeRoom();
  PyFrameObject *frame = PyEval_GetFrame();
  if (!frame)
    return {};
  PyCodeObject *code = PyFrame_GetCode(frame);
  const int instruction = PyFrame_GetLasti(frame);
  const auto mixed = reinterpret_cast<uintptr_t>(code) / 16 * 31 + static_cast<uintptr_t>(instruction);
  Known &entry = known[mixed * 0x9e3779b97f4a7c15 >> 52];
  static_assert(places == 1 << 12);
  if (entry.code == code && entry.instruction == instruction) {
    Py_DECREF(code);
    return entry.site;
  }
  const int line = PyCode_Addr2Line(code, instruction);
  const Site site(interned(code->co_filename), static_cast<uint32_t>(line > 0 ? line : 0));
  PyCodeObject *old = entry.code;
  entry = {code, instruction, site};
  Py_XDECREF(old);
  return site;
}

} // namespace pliant::python
