// SPDX-License-Identifier: Apache-2.0
// Quantised models: integer operators equal their references; products of dequantised bytes, which run as integers,
// equal the literal formulas but next to a tie (decision 0015).
#include "api/compiler.h"
#include "control/text_model.h"
#include "executable/executable.h"
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <random>

namespace pliant::test {
namespace {

std::unique_ptr<Executable> load(const std::string &text, bool reference) {
  auto api = compiler();
  driver::Options options;
  options.cache = false;
  options.reference = reference;
  auto compiled = (*api)->bytes(modelOf(text), options);
  EXPECT_TRUE(compiled) << compiled.error().text() << "\n" << text;
  if (!compiled)
    return nullptr;
  auto executable = Executable::load(compiled->program, compiled->image, {}, std::move(compiled->weights));
  EXPECT_TRUE(executable);
  return executable ? std::move(*executable) : nullptr;
}

struct Draw {
  std::mt19937 random{11};
  int byte(const std::string &type) { return static_cast<int>(random() % 256) - (type == "i8" ? 128 : 0); }
  std::string list(const std::string &type, int count) {
    std::string text;
    for (int i = 0; i < count; ++i)
      text += (i ? ", " : "") + std::to_string(byte(type));
    return "{" + text + "}";
  }
  DenseTensor tensor(const std::string &type, std::vector<int64_t> dims) {
    DenseTensor t = *DenseTensor::zeros(type == "i8" ? DType::I8 : DType::U8, std::move(dims));
    for (int64_t i = 0; i < t.size(); ++i)
      t.as<uint8_t>()[i] = static_cast<uint8_t>(random());
    return t;
  }
};

std::string number(double v) {
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", v);
  return text;
}
std::string constant(const std::string &name, const std::string &type, const std::string &dims,
                     const std::string &list) {
  return name + " = Constant() value=" + type + "[" + dims + "]" + list + "\n";
}

const std::string byteTypes[] = {"u8", "i8"};

/// One product: a convolution of 8 channels, or a matrix product of depth 72; 9 outputs.
struct Product {
  bool conv, perChannel, powersOfTwo;
  std::string x, w;
  static constexpr int depth = 72, outputs = 9;
  double xScale() const { return powersOfTwo ? 0x1p-5 : 0.0213; }
  double wScale(int i) const { return powersOfTwo ? 0x1p-6 : 0.0117 + (perChannel ? 0.0007 * i : 0); }
  double yScale() const { return powersOfTwo ? 0x1p2 : 1.37; }

  std::string text(Draw &draw) const {
    std::string all = "in x:" + x + (conv ? "[N,8,H,W]" : "[N,72]") + "\nout y r\n";
    all += constant("xs", "f32", "", "{" + number(xScale()) + "}") + constant("xz", x, "", draw.list(x, 1));
    all += constant("w", w, conv ? "9, 8, 3, 3" : "72, 9", draw.list(w, depth * outputs));
    std::string scales;
    for (int i = 0; i < (perChannel ? outputs : 1); ++i)
      scales += (i ? ", " : "") + number(wScale(i));
    const std::string dims = perChannel ? "9" : "";
    all += constant("ws", "f32", dims, "{" + scales + "}") + constant("wz", w, dims, draw.list(w, perChannel ? 9 : 1));
    all += constant("ys", "f32", "", "{" + number(yScale()) + "}") + constant("yz", x, "", draw.list(x, 1));
    all += "xd = DequantizeLinear(x, xs, xz)\nwd = DequantizeLinear(w, ws, wz) axis=" + std::string(conv ? "0" : "1");
    all += conv ? "\nr = Conv(xd, wd) pads=[1, 0, 1, 2]\n" : "\nr = MatMul(xd, wd)\n";
    return all + "y = QuantizeLinear(r, ys, yz)\n";
  }
};

} // namespace

TEST(Quantised, ProductsOfDequantisedBytes) {
  const double u = 0x1p-24;
  int64_t elements = 0, different = 0;
  for (bool conv : {false, true})
    for (bool perChannel : {false, true})
      for (bool powersOfTwo : {false, true})
        for (const std::string &x : byteTypes)
          for (const std::string &w : byteTypes) {
            const Product p{conv, perChannel, powersOfTwo, x, w};
            Draw draw;
            const std::string text = p.text(draw);
            SCOPED_TRACE(text.substr(0, text.find("w = ")) + (perChannel ? " per channel" : ""));
            auto ours = load(text, false), literal = load(text, true);
            if (!ours || !literal)
              return;
            for (int64_t n : {1, 2, 7, 33}) {
              std::vector<int64_t> dims{n, 72};
              if (conv)
                dims = {n % 3, 8, n, 5};
              const std::vector<DenseTensor> inputs{draw.tensor(x, dims)};
              auto a = ours->run(inputs), b = literal->run(inputs);
              ASSERT_TRUE(a && b);
              const float *r = (*a)[1].as<float>(), *want = (*b)[1].as<float>();
              // Five roundings of each term, by the largest terms there may be.
              const double bound = 5 * u * p.xScale() * p.wScale(8) * Product::depth * 255 * 255;
              for (int64_t i = 0; i < (*a)[0].size(); ++i, ++elements) {
                if (powersOfTwo)
                  ASSERT_EQ(r[i], want[i]) << i; // nothing rounds
                ASSERT_LE(std::fabs(double(r[i]) - double(want[i])), bound) << i;
                const int qa = x == "i8" ? (*a)[0].as<int8_t>()[i] : (*a)[0].as<uint8_t>()[i];
                const int qb = x == "i8" ? (*b)[0].as<int8_t>()[i] : (*b)[0].as<uint8_t>()[i];
                if (qa == qb)
                  continue;
                ++different;
                ASSERT_FALSE(powersOfTwo);
                ASSERT_EQ(std::abs(qa - qb), 1);
                const double steps = double(want[i]) / p.yScale(), tie = std::floor(steps) + 0.5;
                ASSERT_LE(std::fabs(steps - tie) * p.yScale(), bound + 2 * u * std::fabs(double(want[i]))) << i;
              }
            }
          }
  EXPECT_LE(different * 1000, elements) << "more than next to ties";
}

TEST(Quantised, WeightsAloneStayNarrow) {
  // Dequantised with zero points of 0, per column or not, and f16 weights that a cast widens; behind a transpose too.
  for (const bool perChannel : {false, true})
    for (const bool transposed : {false, true})
      for (const std::string &w : {std::string("i8"), std::string("u8"), std::string("f16")}) {
        Draw draw;
        std::string text = "in x:f32[N,72]\nout y\n", scales, zeros;
        for (int i = 0; i < (perChannel ? 9 : 1); ++i) {
          scales += (i ? ", " : "") + number(0.0117 + 0.0007 * i);
          zeros += i ? ", 0" : "0";
        }
        // The bits of 0.5 to 2, positive, for f16.
        std::string list = draw.list(w, 72 * 9);
        if (w == "f16") {
          list = "{";
          for (int i = 0; i < 72 * 9; ++i)
            list += (i ? ", " : "") + std::to_string(0x3800 + draw.byte("u8") * 8);
          list += "}";
        }
        text += constant("w", w, transposed ? "9, 72" : "72, 9", list);
        const std::string dims = perChannel ? "9" : "";
        if (w == "f16")
          text += "wide = Cast(w) to=1\n";
        else
          text += constant("s", "f32", dims, "{" + scales + "}") + constant("z", w, dims, "{" + zeros + "}") +
                  "wide = DequantizeLinear(w, s, z) axis=" + (transposed ? "0" : "1") + "\n";
        text += transposed ? "t = Transpose(wide)\ny = MatMul(x, t)\n" : "y = MatMul(x, wide)\n";
        SCOPED_TRACE(text.substr(text.size() - 120));
        auto ours = load(text, false), literal = load(text, true);
        if (!ours || !literal)
          return;
        bool narrow = false; // what the one product packs
        for (const PackedWeight &packed : ours->program().packed)
          narrow |= byteSize(ours->program().buffers[packed.weightBuffer].type.dtype) < 4;
        if (w != "f16" || !transposed) // a transpose behind the cast takes it into its own kernel
          EXPECT_TRUE(narrow);
        for (int64_t n : {0, 1, 3, 15, 40}) {
          DenseTensor x = *DenseTensor::zeros(DType::F32, {n, 72});
          for (int64_t i = 0; i < x.size(); ++i)
            x.as<float>()[i] = static_cast<float>(draw.byte("i8")) / 64;
          auto a = ours->run(std::vector<DenseTensor>{x}), b = literal->run(std::vector<DenseTensor>{x});
          ASSERT_TRUE(a && b);
          double largest = 0;
          for (int64_t i = 0; i < (*b)[0].size(); ++i)
            largest = std::max(largest, std::fabs(double((*b)[0].as<float>()[i])));
          for (int64_t i = 0; i < (*b)[0].size(); ++i)
            ASSERT_LE(std::fabs(double((*a)[0].as<float>()[i]) - double((*b)[0].as<float>()[i])), 1e-5 * largest) << i;
        }
      }
}

TEST(Quantised, IntegerOperators) {
  // Zero points: one, one per row or column, none; vectors; batches.
  for (const std::string &x : byteTypes)
    for (const std::string &w : byteTypes) {
      Draw draw;
      auto both = [&](const std::string &text, const std::vector<std::vector<int64_t>> &shapes) {
        SCOPED_TRACE(text.substr(0, 200));
        auto ours = load(text, false), reference = load(text, true);
        if (!ours || !reference)
          return;
        EXPECT_EQ(ours->fallbacks(), 0);
        for (const std::vector<int64_t> &dims : shapes) {
          const std::vector<DenseTensor> inputs{draw.tensor(x, dims)};
          auto a = ours->run(inputs), b = reference->run(inputs);
          ASSERT_TRUE(a && b);
          ASSERT_EQ((*a)[0].dims(), (*b)[0].dims());
          ASSERT_EQ(std::memcmp((*a)[0].data(), (*b)[0].data(), (*a)[0].bytes()), 0);
        }
      };
      const std::string weights = constant("w", w, "72, 9", draw.list(w, 72 * 9));
      const std::string scalars = constant("xz", x, "", draw.list(x, 1)) + constant("wz", w, "", draw.list(w, 1));
      const std::string columns = constant("xz", x, "1", draw.list(x, 1)) + constant("wz", w, "9", draw.list(w, 9));
      const std::string rows = constant("xz", x, "4", draw.list(x, 4)) + constant("wz", w, "", "{0}");
      const std::vector<std::vector<int64_t>> matrices{{1, 72}, {4, 72}, {31, 72}, {0, 72}};
      both("in x:" + x + "[N,72]\nout y\n" + weights + "y = MatMulInteger(x, w)\n", matrices);
      for (const std::string &zeros : {scalars, columns})
        both("in x:" + x + "[N,72]\nout y\n" + weights + zeros + "y = MatMulInteger(x, w, xz, wz)\n", matrices);
      both("in x:" + x + "[B,4,72]\nout y\n" + weights + rows + "y = MatMulInteger(x, w, xz, wz)\n",
           {{1, 4, 72}, {3, 4, 72}});
      both("in x:" + x + "[72]\nout y\n" + weights + scalars + "y = MatMulInteger(x, w, xz, wz)\n", {{72}});
      const std::string scales = constant("xs", "f32", "", "{0.0213}") + constant("ws", "f32", "", "{0.0117}") +
                                 constant("ys", "f32", "", "{1.37}") + constant("yz", x, "", draw.list(x, 1));
      both("in x:" + x + "[N,72]\nout y\n" + weights + scalars + scales +
               "y = QLinearMatMul(x, xs, xz, w, ws, wz, ys, yz)\n",
           matrices);
      // Both computed: the right one is packed by the kernel.
      both("in x:" + x + "[N,M]\nout y\n" + scalars + "t = Transpose(x)\ny = MatMulInteger(x, t, xz, xz)\n",
           {{1, 1}, {5, 7}, {33, 64}, {2, 0}, {0, 3}});
      for (int groups : {1, 2, 8}) {
        const int per = 8 / groups, outputs = groups == 1 ? 9 : groups * 2;
        const std::string filters = constant("w", w, std::to_string(outputs) + ", " + std::to_string(per) + ", 3, 3",
                                             draw.list(w, outputs * per * 9));
        const std::string list = constant("wz", w, std::to_string(outputs), draw.list(w, outputs));
        const std::string attributes = " pads=[1, 2, 0, 1] strides=[1, 2] group=" + std::to_string(groups) + "\n";
        const std::vector<std::vector<int64_t>> images{{1, 8, 5, 5}, {2, 8, 17, 16}, {0, 8, 3, 3}};
        const std::string in = "in x:" + x + "[N,8,H,W]\nout y\n" + filters;
        both(in + "y = ConvInteger(x, w)" + attributes, images);
        both(in + scalars + "y = ConvInteger(x, w, xz, wz)" + attributes, images);
        both(in + constant("xz", x, "", draw.list(x, 1)) + list + "y = ConvInteger(x, w, xz, wz)" + attributes, images);
        both(in + scalars + scales + "y = QLinearConv(x, xs, xz, w, ws, wz, ys, yz)" + attributes, images);
      }
    }
}

} // namespace pliant::test
