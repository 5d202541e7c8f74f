// SPDX-License-Identifier: Apache-2.0
// Drawers of losses, signals and text features.
#include "drawing.h"

namespace pliant::differential {
namespace {

Data real(double low, double high) { return {Data::Kind::Real, low, high, {}}; }

bool loss(Drawing &d, const char *op) {
  const bool cross = std::string(op) == "SoftmaxCrossEntropyLoss";
  const int64_t classes = d.between(1, 5);
  Extents rest{d.extent()};
  for (int i = d.below(3); i > 0; --i)
    rest.push_back(d.extent());
  Extents shape = rest;
  shape.insert(shape.begin() + 1, classes);
  Value x = d.input(d.type(F32 | F64), shape, real(-2, 2));
  Node node(op, {x, d.input(d.type(I64 | I32), rest, {Data::Kind::Integers, 0, static_cast<double>(classes - 1), {}})});
  if (d.chance(2))
    node.in(d.operand(x.type.dtype, {classes}, {Data::Kind::Quarters, 0.25, 2, {}}));
  node.set("reduction", d.one<const char *>({"mean", "sum", "none"}));
  if (d.chance(3))
    node.set("ignore_index", d.between(0, classes - 1));
  return d.emit(std::move(node), rounded(cross && d.chance(3) ? 2 : 1));
}

/// Near 0 these are what rounding leaves, of either sign: nobody divides by that.
constexpr Results last{false, 0, 1, false};

bool window(Drawing &d, const char *op) {
  Node node(op, {d.intScalar(d.between(1, 12), d.type(I64 | I32))});
  if (d.chance(2))
    node.set("periodic", d.between(0, 1));
  if (d.chance(4))
    node.set("output_datatype", static_cast<int64_t>(onnxType(d.type(F32 | F64))));
  return d.emit(std::move(node), last);
}
bool mel(Drawing &d, const char *op) {
  auto scalar = [&](double v) { return d.constant(DType::F32, {}, real(v, v)); };
  return d.emit(Node(op, {d.intScalar(d.between(2, 8)), d.intScalar(d.one<int64_t>({16, 32})), d.intScalar(8000),
                          scalar(0), scalar(4000)}),
                last);
}
bool dft(Drawing &d, const char *op) {
  const bool complex = d.chance(2), inverse = complex && d.chance(2), oneSided = !complex && d.chance(2);
  Value x = d.input(DType::F32, {Expr(d.between(1, 2)), Expr(d.between(1, 9)), Expr(d.between(1, 9)), complex ? 2 : 1},
                    real(-1, 1));
  const int64_t axis = d.between(1, 2);
  Node node(op, {x});
  if (d.chance(3))
    node.in(d.intScalar(d.between(1, 10)));
  else if (d.opset >= 20)
    node.in(Drawing::none());
  d.opset >= 20 ? node.in(d.intScalar(axis)) : node.set("axis", axis);
  return d.emit(
      std::move(node.set("inverse", static_cast<int64_t>(inverse)).set("onesided", static_cast<int64_t>(oneSided))),
      last);
}
bool stft(Drawing &d, const char *op) {
  const int64_t frame = d.one<int64_t>({4, 5, 8});
  Value x = d.input(DType::F32, {d.one<Expr>({Expr::symbol("n"), 1, 2}), Expr(d.between(8, 30)), 1}, real(-1, 1));
  Node node(op, {x, d.intScalar(d.between(1, 5))});
  const bool own = d.chance(2);
  node.in(own ? d.constant(DType::F32, {frame}, real(0, 1)) : Drawing::none());
  if (!own || d.chance(2))
    node.in(d.intScalar(frame));
  return d.emit(std::move(node.set("onesided", d.between(0, 1))), last);
}
bool tfIdf(Drawing &d, const char *op) {
  Value x = d.input(d.type(I64 | I32), d.chance(2) ? Extents{d.extent()} : Extents{Expr(d.between(1, 3)), d.extent()},
                    {Data::Kind::Integers, 0, 5, {}});
  Node node(op, {x});
  const int64_t least = d.between(1, 2), most = d.between(least, 2);
  node.set("min_gram_length", least).set("max_gram_length", most).set("max_skip_count", d.between(0, 3));
  node.set("ngram_counts", std::vector<int64_t>{0, 3}).set("ngram_indexes", std::vector<int64_t>{0, 2, 1, 3, 4});
  node.set("pool_int64s", std::vector<int64_t>{2, 3, 5, 4, 5, 1, 2})
      .set("mode", d.one<const char *>({"TF", "IDF", "TFIDF"}));
  if (d.chance(2))
    node.set("weights", std::vector<double>{0.5, 2, 1, -1, 0.25});
  return d.emit(std::move(node), rounded());
}
bool upsample(Drawing &d, const char *op) {
  if (d.opset != 9)
    return false;
  Value x = d.input(DType::F32, {Expr::symbol("n"), 2, Expr::symbol("m") + 1, 3});
  DenseTensor scales = *DenseTensor::allocate(DType::F32, {4});
  for (int i = 0; i < 4; ++i)
    scales.as<float>()[i] = i < 2 ? 1.0f : d.one<float>({1, 2, 3});
  return d.emit(Node(op, {x, d.constant(scales)}).set("mode", d.chance(2) ? "nearest" : "linear"), rounded());
}

const Drawer drawers[] = {
    {"NegativeLogLikelihoodLoss", loss},
    {"SoftmaxCrossEntropyLoss", loss},
    {"HannWindow", window},
    {"HammingWindow", window},
    {"BlackmanWindow", window},
    {"MelWeightMatrix", mel},
    {"DFT", dft},
    {"STFT", stft},
    {"TfIdfVectorizer", tfIdf},
    {"Upsample", upsample},
};

} // namespace

std::span<const Drawer> layers() { return drawers; }

} // namespace pliant::differential
