// SPDX-License-Identifier: Apache-2.0
// For tests of the public tensors: what a call throws.
#pragma once
#include "pliant/pliant.h"
#include <gtest/gtest.h>
#include <string>

namespace pliant {

/// The text of the exception that `call` throws.
template <class Call> std::string thrown(const Call &call) {
  try {
    call();
  } catch (const Exception &e) {
    return e.what();
  }
  return "nothing";
}
#define EXPECT_SAYS(call, part) EXPECT_NE(thrown([&] { call; }).find(part), std::string::npos) << thrown([&] { call; })

} // namespace pliant
