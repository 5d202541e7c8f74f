// SPDX-License-Identifier: Apache-2.0
// How the processor rounds and treats denormals while Pliant computes: results must not depend on what another library
// has left in the caller's thread, nor leave anything there.
#pragma once
#include <immintrin.h>

namespace pliant {

/// While it lives, this thread rounds to nearest, traps nothing, and keeps denormals or, when asked, takes and gives
/// zero for them. Then the caller's settings and flags are back.
class FloatControl {
public:
  explicit FloatControl(bool flushDenormals = false) : before(_mm_getcsr()) {
    constexpr unsigned allMasked = 0x1f80, flush = 0x8040; // flush to zero, denormals are zero
    _mm_setcsr(allMasked | (flushDenormals ? flush : 0));
  }
  ~FloatControl() { _mm_setcsr(before); }
  FloatControl(const FloatControl &) = delete;
  FloatControl &operator=(const FloatControl &) = delete;

private:
  unsigned before;
};

} // namespace pliant
