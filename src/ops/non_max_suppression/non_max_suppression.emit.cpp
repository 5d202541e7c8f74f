// SPDX-License-Identifier: Apache-2.0
// Per batch and class: the best of the boxes still alive is chosen, and kills those that it overlaps. Which boxes are
// alive stands in scratch; one unit, since what is chosen is written one after the other.
#include "codegen/memory.h"
#include "codegen/number.h"
#include <cmath>

using namespace mlir;

namespace pliant::codegen {
namespace {

class Suppression {
public:
  Suppression(KernelEmitter &k, const NonMaxSuppressionAttrs &a) : k(k), a(a), p(k.point()) {}

  Expr emit() {
    const Extents &scores = k.operandTypes[1].shape;
    k.scratchBytes = scores[2] * 4;
    n = k.extent(scores[2]);
    Value classes = k.extent(scores[1]), zero = k.idx(0), one = k.idx(1);
    Value limit = k.min(k.extent(a.limit[0]), n);
    Number overlap(p, loadElements(p, k, k.inputs[2], DType::F32, zero));
    Number least(p, loadElements(p, k, k.inputs[3], DType::F32, zero));
    k.loop(k.begin, k.end, one, [&](Value) {
      Value rows = k.extent(k.node->type.shape[0]);
      k.loop(zero, k.mul(rows, k.idx(3)), one, [&](Value i) { k.storeIndex(zero, k.outputs[0], i); });
      Value count =
          k.loop(zero, k.extent(scores[0] * scores[1]), one, ValueRange(zero), [&](Value list, ValueRange before) {
            batch = k.div(list, classes);
            k.loop(zero, n, one, [&](Value i) { // scores that are not above the least one become minus infinity
              Number score(p, loadElements(p, k, k.inputs[1], DType::F32, k.add(k.mul(list, n), i)));
              store(i, select(score > least, score, -INFINITY));
            });
            return k.loop(zero, limit, one, before, [&](Value, ValueRange found) {
              auto [best, score] = bestAlive();
              Value some = score != -INFINITY;
              k.when(some, [&] {
                Value values[] = {batch, k.rem(list, classes), best};
                for (int64_t i = 0; i < 3; ++i)
                  k.storeIndex(values[i], k.outputs[0], k.add(k.mul(found[0], k.idx(3)), k.idx(i)));
                kill(best, overlap);
              });
              return Values{k.select(some, k.add(found[0], one), found[0])};
            });
          })[0];
      k.storeIndex(count, k.outputs[1], zero);
    });
    return 1;
  }

private:
  KernelEmitter &k;
  const NonMaxSuppressionAttrs &a;
  const PointEmitter p;
  Value n, batch;

  struct Box {
    Number top, left, bottom, right;
  };
  Number alive(Value i) { return {p, loadElements(p, k, k.scratch, DType::F32, i)}; }
  void store(Value i, Number score) { storeElements(p, k, score, k.scratch, DType::F32, i); }

  std::pair<Value, Number> bestAlive() {
    Values best = k.loop(k.idx(0), n, k.idx(1), ValueRange{k.idx(0), p.constant(DType::F32, -INFINITY)},
                         [&](Value i, ValueRange old) {
                           Number score = alive(i), most(p, old[1]), better = score > most;
                           return Values{k.select(better, i, old[0]), select(better, score, most)};
                         });
    return {best[0], Number(p, best[1])};
  }
  Box box(Value i) {
    auto number = [&](int64_t part) {
      Value at = k.add(k.mul(k.add(k.mul(batch, n), i), k.idx(4)), k.idx(part));
      return Number(p, loadElements(p, k, k.inputs[0], DType::F32, at));
    };
    Number v0 = number(0), v1 = number(1), v2 = number(2), v3 = number(3);
    if (a.centred)
      return {v1 - v3 * 0.5, v0 - v2 * 0.5, v1 + v3 * 0.5, v0 + v2 * 0.5};
    return {least(v0, v2), least(v1, v3), greatest(v0, v2), greatest(v1, v3)};
  }
  void kill(Value best, Number overlap) {
    const Box one = box(best);
    Number area = (one.bottom - one.top) * (one.right - one.left);
    store(best, Number(p, p.constant(DType::F32, -INFINITY)));
    k.loop(k.idx(0), n, k.idx(1), [&](Value i) {
      const Box other = box(i);
      Number height = least(one.bottom, other.bottom) - greatest(one.top, other.top);
      Number width = least(one.right, other.right) - greatest(one.left, other.left);
      Number common = height * width;
      Number whole = area + (other.bottom - other.top) * (other.right - other.left) - common;
      Number dead = (height > 0.0) & (width > 0.0) & (common / whole > overlap);
      store(i, select(dead, -INFINITY, alive(i)));
    });
  }
};

} // namespace
} // namespace pliant::codegen

namespace pliant::ops::non_max_suppression {

using namespace codegen;

Result<Expr> emit(KernelEmitter &k, OpId, const Attrs &attrs) {
  return Suppression(k, std::get<NonMaxSuppressionAttrs>(attrs)).emit();
}

} // namespace pliant::ops::non_max_suppression
