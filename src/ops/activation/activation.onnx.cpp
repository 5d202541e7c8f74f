// SPDX-License-Identifier: Apache-2.0
// Activation operators.
#include "ops/onnx_axes.h"

namespace pliant::ops::activation {
using namespace onnx_import;

template <Value (*build)(NodeImport &, Value)> static Status importActivation(NodeImport &n) {
  Value x = n.in(0);
  if (n.b.failed())
    return n.b.status();
  n.out(build(n, x));
  return n.b.status();
}

static Value hardSigmoid(NodeImport &n, Value x) {
  return n.b.hardSigmoid(x, n.floatAttr("alpha", 0.2), n.floatAttr("beta", 0.5));
}
static Value hardSwish(NodeImport &n, Value x) { return n.b.hardSwish(x); }
static Value elu(NodeImport &n, Value x) { return n.b.elu(x, n.floatAttr("alpha", 1)); }
static Value selu1(NodeImport &n, Value x) {
  return n.b.selu(x, n.floatAttr("alpha", 1.6732), n.floatAttr("gamma", 1.0507));
}
static Value selu(NodeImport &n, Value x) {
  return n.b.selu(x, n.floatAttr("alpha", 1.67326319217681884765625), n.floatAttr("gamma", 1.05070102214813232421875));
}
static Value celu(NodeImport &n, Value x) { return n.b.celu(x, n.floatAttr("alpha", 1)); }
static Value leakyRelu(NodeImport &n, Value x) { return n.b.leakyRelu(x, n.floatAttr("alpha", 0.01)); }
static Value thresholdedRelu(NodeImport &n, Value x) { return n.b.thresholdedRelu(x, n.floatAttr("alpha", 1)); }
static Value softplus(NodeImport &n, Value x) { return n.b.softplus(x); }
static Value softsign(NodeImport &n, Value x) { return n.b.softsign(x); }
static Value mish(NodeImport &n, Value x) { return n.b.mish(x); }
static Value gelu(NodeImport &n, Value x) { return n.b.gelu(x, n.strAttr("approximate", "none") == "tanh"); }
static Value shrink(NodeImport &n, Value x) {
  auto on = [&](Value v) { return n.b.shrink(v, n.floatAttr("bias", 0), n.floatAttr("lambd", 0.5)); };
  if (n.b.failed() || isFloat(n.b.dtype(x)))
    return on(x);
  return n.b.cast(on(n.b.cast(x, DType::F64)), n.b.dtype(x)); // both attributes are floats
}
/// Integers too: their slope is an integer, and the product wraps.
static Value preluBy(NodeImport &n, Value x, Value slope) {
  if (n.b.failed() || isFloat(n.b.dtype(x)))
    return n.b.prelu(x, slope);
  return n.b.select(n.b.greaterEqual(x, n.b.scalarLike(x, 0)), x, n.b.mul(x, slope));
}
/// Before opset 7 the slope of a vector is per channel.
static Value prelu1(NodeImport &n, Value x) { return preluBy(n, x, perChannel(n.b, n.in(1), n.rank(0))); }
static Value prelu(NodeImport &n, Value x) { return preluBy(n, x, n.in(1)); }

std::span<const Row> onnxRows() {
  static const Row rows[] = {
      {"HardSigmoid", 1, importActivation<hardSigmoid>},
      {"HardSwish", 1, importActivation<hardSwish>},
      {"Elu", 1, importActivation<elu>},
      {"Selu", 1, importActivation<selu1>},
      {"Selu", 6, importActivation<selu>},
      {"Celu", 1, importActivation<celu>},
      {"LeakyRelu", 1, importActivation<leakyRelu>},
      {"PRelu", 1, importActivation<prelu1>},
      {"PRelu", 7, importActivation<prelu>},
      {"ThresholdedRelu", 1, importActivation<thresholdedRelu>},
      {"Softplus", 1, importActivation<softplus>},
      {"Softsign", 1, importActivation<softsign>},
      {"Mish", 1, importActivation<mish>},
      {"Gelu", 1, importActivation<gelu>},
      {"Shrink", 1, importActivation<shrink>},
  };
  return rows;
}

} // namespace pliant::ops::activation
