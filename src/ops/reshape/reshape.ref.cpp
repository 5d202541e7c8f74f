// SPDX-License-Identifier: Apache-2.0
// Reference of reshape: the same bytes.
#include "ops/op.h"

namespace pliant::ops::reshape {

Status ref(RefContext &c) {
  if (c.inputs[0].size() != c.outputs[0].size())
    return c.error("shape " + str(c.inputs[0].dims()) + " cannot become " + str(c.outputs[0].dims()) +
                       ": element counts differ",
                   "C1");
  if (c.inputs[0].bytes() > 0)
    std::memcpy(c.outputs[0].data(), c.inputs[0].data(), c.inputs[0].bytes());
  return ok();
}

} // namespace pliant::ops::reshape
