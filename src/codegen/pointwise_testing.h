// SPDX-License-Identifier: Apache-2.0
// For tests only: loops over elements around emitters of single elements, in vectors with a masked tail and in scalars.
// Memory holds compute types: f16 and bf16 as f32, bool as a byte.
#pragma once
#include "codegen/contraction/harness.h"
#include "codegen/number.h"
#include <gtest/gtest.h>
#include <iostream>

namespace pliant::codegen {

/// One function of elements: in -> out.
struct PointBody {
  std::vector<DType> in;
  DType out;
  std::function<Value(PointEmitter &, llvm::ArrayRef<Value>)> emit;
};

struct PointLoops {
  Emitter &e;
  const TargetDescription &target;
  const KernelArguments &arguments;
  int64_t unroll; ///< vectors at once in the longest loop
  static constexpr int64_t lanes = 16;

  Type memoryType(DType type) const {
    return type == DType::Bool ? Type(e.b.getI8Type()) : computeType(e.b.getContext(), type);
  }
  Value address(Value buffer, DType type, Value at) { return e.atType(memoryType(type), buffer, at); }

  void point(const PointBody &body, llvm::ArrayRef<Value> in, Value out, Value at, int64_t width, Value mask) {
    PointEmitter p{e.b, e.loc, target, width, {}, body.out, mask, arguments.state};
    p.in.assign(body.in.begin(), body.in.end());
    Values x;
    for (size_t i = 0; i < in.size(); ++i) {
      Type type = p.shaped(memoryType(body.in[i]));
      Value from = address(in[i], body.in[i], at);
      Value zero = mask ? Value(Number(p, e.b.create<mlir::LLVM::ZeroOp>(e.loc, type))) : Value();
      Value v = mask ? e.b.create<mlir::LLVM::MaskedLoadOp>(e.loc, type, from, mask, ValueRange{zero}, 1u).getResult()
                     : e.b.create<mlir::LLVM::LoadOp>(e.loc, type, from, 1u).getResult();
      x.push_back(body.in[i] == DType::Bool ? Value(Number(p, v) != Number(p, v).integer(0)) : v);
    }
    Value y = p.rounded(body.emit(p, x), body.out);
    if (body.out == DType::Bool)
      y = resized({p, y}, 8, false);
    Value to = address(out, body.out, at);
    if (mask)
      e.b.create<mlir::LLVM::MaskedStoreOp>(e.loc, y, to, mask, 1u);
    else
      e.b.create<mlir::LLVM::StoreOp>(e.loc, y, to, 1u);
  }

  void vectors(const PointBody &body, llvm::ArrayRef<Value> in, Value out) {
    auto wholes = [&](int64_t unit) { return e.mul(e.div(arguments.end, e.idx(unit)), e.idx(unit)); };
    Value n = arguments.end, from = arguments.begin, full = wholes(lanes);
    if (unroll > 1) {
      Value most = wholes(unroll * lanes);
      e.loop(from, most, e.idx(unroll * lanes), [&](Value i) {
        for (int64_t k = 0; k < unroll; ++k)
          point(body, in, out, e.add(i, e.idx(k * lanes)), lanes, {});
      });
      from = most;
    }
    e.loop(from, full, e.idx(lanes), [&](Value i) { point(body, in, out, i, lanes, {}); });
    e.when(e.less(full, n), [&] { point(body, in, out, full, lanes, e.maskFor(e.sub(n, full))); });
  }
  void scalars(const PointBody &body, llvm::ArrayRef<Value> in, Value out) {
    e.loop(arguments.begin, arguments.end, e.idx(1), [&](Value i) { point(body, in, out, i, 0, {}); });
  }
};

/// Buffers: `inputs` of them, shared by all bodies, then per body the result in vectors and (if wanted) in scalars.
/// `timed`: four vectors at once, as kernels have them; what is right in one is right in four.
inline CompiledKernel compilePoints(const TargetDescription &target, int inputs, const std::vector<PointBody> &bodies,
                                    bool scalars = true, bool timed = false, bool assembly = false) {
  CompileOptions options{target.cpu, target.features, assembly};
  const int outputs = static_cast<int>(bodies.size()) * (scalars ? 2 : 1);
  CompiledKernel kernel = compileKernel(
      inputs + outputs, 0,
      [&](OpBuilder &b, Location loc, const KernelArguments &arguments) {
        Emitter e(b, loc, DType::F32, PointLoops::lanes, target.fma);
        PointLoops loops{e, target, arguments, timed ? 4 : 1};
        auto in = llvm::ArrayRef<Value>(arguments.buffers).take_front(inputs);
        size_t next = inputs;
        for (const PointBody &body : bodies) {
          loops.vectors(body, in.take_front(body.in.size()), arguments.buffers[next++]);
          if (scalars)
            loops.scalars(body, in.take_front(body.in.size()), arguments.buffers[next++]);
        }
        return ok();
      },
      options);
  EXPECT_TRUE(kernel.undefined.empty()) << target.name << ": the kernel calls " << kernel.undefined.front();
  return kernel;
}

inline std::vector<TargetDescription> testTargets() { return runnable({"host", "avx2", "x86-64"}); }

} // namespace pliant::codegen
