// SPDX-License-Identifier: Apache-2.0
// The register tile shared by GEMM and convolution.
#include "codegen/contraction/tile.h"

using namespace mlir;

namespace pliant::codegen {

TileEmitter::TileEmitter(FactorEmitter &factors, const Tile &tile, bool transposedA, bool looped,
                         const Epilogue &epilogue)
    : factors(factors), e(factors.e), tile(tile), transposedA(transposedA), looped(looped), epilogue(epilogue) {
  if (!transposedA)
    rowPointers = e.stack(tile.rows * 8);
  int64_t vectors = tile.rows * tile.vectors;
  for (int64_t rows = 1; rows <= std::min(tile.rows, wideRows); ++rows)
    vectors = std::max(vectors, rows * widePanels(tile, rows) * tile.vectors);
  if (looped)
    buffer = e.stack(vectors * tile.lanes * e.elementBytes);
}

int64_t TileEmitter::widePanels(const Tile &tile, int64_t rows) {
  // About eight independent sums hide the latency of the multiply-add; k is never split, so bits stay the same.
  const int64_t panels = rows == 1 ? 4 : rows <= wideRows ? 2 : 1;
  return tile.vectors == 1 && panels > 1 ? 2 * panels : panels;
}
Value TileEmitter::widePanels(Value rows) {
  Value few = e.select(e.equal(rows, e.idx(1)), e.idx(widePanels(tile, 1)), e.idx(widePanels(tile, 2)));
  return e.select(e.lessEqual(rows, e.idx(wideRows)), few, e.idx(1));
}

int64_t TileEmitter::leastRows(int64_t rows) const {
  int64_t least = rows;
  while (least > 1 && loopFor(least - 1) == rows)
    --least;
  return least;
}

void TileEmitter::emit(const TileJob &job) {
  // Case r < 100: r rows of one panel; case 100 + r: r rows of widePanels(r) panels; case 200 + r: of one vector.
  constexpr int64_t wide = 100, narrow = 200;
  llvm::SmallVector<int64_t> cases;
  for (int64_t rows = 1; rows < tile.rows; ++rows)
    if (loopFor(rows) == rows)
      cases.push_back(rows);
  const bool widens = !e.isConstant(job.panels, 1), narrows = job.narrows && tile.vectors > 1 && tile.rowStep() > 1;
  for (int64_t rows = 1; widens && rows <= std::min(wideRows, tile.rows); ++rows)
    cases.push_back(wide + rows);
  Value rows = job.rows, isNarrow;
  if (tile.rowStep() > 1) {
    Value step = e.idx(tile.rowStep()), stepped = e.less(e.idx(exactRows), rows);
    rows = e.select(stepped, e.mul(e.ceilDiv(rows, step), step), rows);
    if (narrows) { // one loop for all of these rows: code is time of the compiler
      cases.push_back(narrow + tile.rows);
      isNarrow = e.both(stepped, e.lessEqual(job.columnsLeft, e.idx(tile.lanes)));
      rows = e.select(isNarrow, e.idx(tile.rows), rows);
    }
    // The rows beyond the last read the first one.
    if (!job.baseA)
      e.loop(job.rows, rows, e.idx(1), [&](Value i) { setRow(i, e.loadPointer(rowPointers, e.idx(0))); });
  }
  e.when(job.largeResult, [&] {
    e.loop(e.idx(0), job.rows, e.idx(1), [&](Value i) {
      Value to = e.at(job.c, e.add(e.mul(resultRow(job, i), job.ldc), job.col));
      for (int64_t v = 0; v < tile.vectors; ++v)
        e.prefetch(e.at(to, v * tile.lanes), 3, true);
    });
  });
  Value key = widens ? e.select(e.equal(job.panels, e.idx(1)), rows, e.add(rows, e.idx(wide))) : rows;
  if (isNarrow)
    key = e.select(isNarrow, e.idx(narrow + tile.rows), key);
  auto op = e.b.create<scf::IndexSwitchOp>(e.loc, TypeRange{}, key, cases, cases.size());
  auto fill = [&](Region &region, const Form &form) {
    OpBuilder::InsertionGuard guard(e.b);
    e.b.createBlock(&region);
    emitRows(job, form);
    e.b.create<scf::YieldOp>(e.loc);
  };
  fill(op.getDefaultRegion(), {tile.rows, leastRows(tile.rows), 1, tile.vectors});
  for (auto [i, value] : llvm::enumerate(cases)) {
    const int64_t rows = value % wide;
    Form form{rows, leastRows(rows), 1, tile.vectors};
    if (value > narrow)
      form.least = exactRows + 1, form.vectors = 1;
    else if (value > wide)
      form.panels = widePanels(tile, rows);
    fill(op.getCaseRegions()[i], form);
  }
  if (looped)
    e.outOfLine([&] { loopEpilogue(job); });
}

/// The first element of row i; rows beyond the last read the first one.
Value TileEmitter::rowPointer(const TileJob &job, const Form &form, int64_t i) {
  if (!job.baseA)
    return e.loadPointer(rowPointers, e.idx(i));
  Value row = i < form.least ? e.idx(i) : e.select(e.less(e.idx(i), job.rows), e.idx(i), e.idx(0));
  return e.at(job.baseA, e.mul(row, job.rowStride));
}

// State carried by the k loops: accumulators in order (row, panel, vector), the panel pointer, the prefetch pointer.
void TileEmitter::emitRows(const TileJob &job, const Form &form) {
  const int64_t rows = form.rows, panels = form.panels, vectors = form.vectors;
  Values state(form.sums(), e.zeroVector());
  if (job.start) {
    Value factor = e.splat(job.start), head = factors.atPanel(job.panel, -tile.columns());
    for (int64_t j = 0; j < panels * vectors; ++j) {
      Value panel = factors.atPanel(head, e.mul(job.panelStride, e.idx(j / vectors)));
      Value sums = e.loadVector(factors.atPanel(panel, j % vectors * tile.lanes));
      Value first = e.b.create<arith::MulIOp>(e.loc, sums, factor);
      for (int64_t i = 0; i < rows; ++i)
        state[i * panels * vectors + j] = first;
    }
  }
  state.push_back(job.panel);
  if (job.prefetch)
    state.push_back(job.prefetch);
  Values pointers;
  for (int64_t i = 0; i < rows && !transposedA; ++i)
    pointers.push_back(rowPointer(job, form, i));
  if (job.rowStride) // else each step of the loop would add them up
    pointers = e.pinned(pointers);
  if (!job.segments) {
    state = emitSegment(job, pointers, form, e.idx(0), state);
  } else {
    state = e.loop(e.idx(0), job.segmentCount, e.idx(1), state, [&](Value s, ValueRange args) {
      Values state(args);
      if (job.panelOffsets)
        state[form.sums()] = factors.atPanel(job.panel, e.loadIndex(job.panelOffsets, s));
      return emitSegment(job, pointers, form, e.loadIndex(job.segments, s), state);
    });
  }
  auto acc = ValueRange(state).take_front(form.sums());
  if (looped)
    storeTile(form, acc);
  else
    storeInline(job, form, acc);
}

Values TileEmitter::emitSegment(const TileJob &job, ArrayRef<Value> pointers, const Form &form, Value offset,
                                ValueRange state) {
  // Unrolling hides the loop's own instructions, and a loop of few rounds has its end predicted. Where the tile fills
  // the register file the steps are kept apart: the scheduler would overlap them and rotate the accumulators through
  // moves and stack slots.
  const int64_t unroll = fillsRegisters(form) ? 4 : 2;
  // The loops count in offsets into the rows, or in k where k has a stride.
  Value first = job.strideK ? e.idx(0) : offset, last = e.add(first, job.length);
  auto body = [&](int64_t steps) {
    return [&, steps](Value i, ValueRange args) {
      Value at = job.strideK ? e.add(offset, e.mul(i, job.strideK)) : i;
      return emitStep(job, pointers, form, steps, at, args);
    };
  };
  Value whole = e.sub(last, e.rem(job.length, e.idx(unroll)));
  Values mid = e.loop(first, whole, e.idx(unroll), state, body(unroll));
  return e.loop(whole, last, e.idx(1), mid, body(1));
}

Values TileEmitter::emitStep(const TileJob &job, ArrayRef<Value> pointers, const Form &form, int64_t unroll,
                             Value offset, ValueRange state) {
  const int64_t rows = form.rows, panels = form.panels, vectors = form.vectors;
  const int64_t count = form.sums();
  Values acc(state.take_front(count));
  Value panel = state[count];
  Values a;
  for (int64_t i = 0; i < rows; ++i)
    if (!transposedA)
      a.push_back(e.at(pointers[i], offset));
    else if (i < form.least)
      a.push_back(e.at(e.at(job.baseA, offset), i));
    else
      a.push_back(e.at(job.baseA, e.add(offset, e.min(e.idx(i), e.sub(job.rows, e.idx(1))))));
  for (int64_t u = 0; u < unroll; ++u) {
    if (u && fillsRegisters(form))
      acc = e.pinned(acc);
    Values bs;
    for (int64_t p = 0; p < panels; ++p) {
      Value base = p == 0 ? panel : factors.atPanel(panel, e.mul(job.panelStride, e.idx(p)));
      for (int64_t v = 0; v < vectors; ++v)
        bs.push_back(factors.loadPanel(factors.atPanel(base, v * tile.lanes)));
      if (job.ahead && rows <= wideRows) // the matrix is read at the pace of memory
        for (int64_t v = 0; v < vectors; ++v)
          e.prefetch(factors.atPanel(factors.atPanel(base, job.ahead), v * tile.lanes), 2);
    }
    if (u == 0 && job.prefetch && rows > wideRows) // of few rows the next panels are read along with this one
      e.prefetch(state[count + 1], 2);
    for (int64_t i = 0; i < rows; ++i) {
      Value from = transposedA ? (u ? e.at(a[i], e.mul(job.strideK, e.idx(u))) : a[i]) : e.at(a[i], u);
      Value scalar = e.splat(factors.loadLhs(from));
      for (auto [j, b] : llvm::enumerate(bs))
        acc[i * bs.size() + j] = factors.multiplyAdd(scalar, b, acc[i * bs.size() + j]);
    }
    panel = factors.atPanel(panel, job.panelRow);
  }
  acc.push_back(panel);
  if (job.prefetch)
    acc.push_back(factors.atPanel(state[count + 1], e.mul(job.prefetchStep, e.idx(unroll))));
  return acc;
}

Value TileEmitter::resultRow(const TileJob &job, Value i) {
  return job.rowIndexes ? e.loadIndex(job.rowIndexes, i) : e.add(job.row, i);
}

Value TileEmitter::applyEpilogue(const TileJob &job, Value acc, Value row, Value col, Value mask) {
  return epilogue ? epilogue(e.b, e.loc, EpilogueSite{acc, job.batch, row, col, mask}) : acc;
}

/// Rows of whole panels, as the looped epilogue reads them.
void TileEmitter::storeTile(const Form &form, ValueRange acc) {
  const int64_t vectors = form.panels * form.vectors, pitch = form.panels * tile.columns();
  for (auto [j, value] : llvm::enumerate(acc)) {
    const auto at = static_cast<int64_t>(j);
    e.store(value, e.at(buffer, at / vectors * pitch + at % vectors * tile.lanes));
  }
}

void TileEmitter::storeInline(const TileJob &job, const Form &form, ValueRange acc) {
  const int64_t rows = form.rows, vectors = form.panels * form.vectors;
  // The first `whole` vectors have all columns, those up to `some` some, the others none.
  auto rowsOf = [&](int64_t whole, int64_t some) {
    Values masks(static_cast<size_t>(whole), Value());
    for (int64_t v = whole; v < some; ++v)
      masks.push_back(e.maskFor(e.sub(job.columnsLeft, e.idx(v * tile.lanes))));
    auto storeRow = [&](int64_t i) {
      Value row = resultRow(job, e.idx(i));
      Value to = e.at(job.c, e.add(e.mul(row, job.ldc), job.col));
      for (int64_t v = 0; v < some; ++v) {
        Value col = e.add(job.col, e.idx(v * tile.lanes));
        Value value = applyEpilogue(job, acc[i * vectors + v], row, col, masks[v]);
        if (!value)
          continue; // the epilogue has stored it
        if (masks[v])
          e.storeMasked(value, e.at(to, v * tile.lanes), masks[v]);
        else
          e.store(value, e.at(to, v * tile.lanes));
      }
    };
    for (int64_t i = 0; i < rows; ++i) {
      if (i < form.least)
        storeRow(i);
      else
        e.when(e.less(e.idx(i), job.rows), [&] { storeRow(i); });
    }
  };
  // Masked stores are slow where no register holds masks, so a vector has one only if it needs it.
  auto hasMore = [&](int64_t v) { return e.less(e.idx(v * tile.lanes), job.columnsLeft); };
  auto rest = [&] {
    if (vectors == 2)
      e.when(hasMore(1), [&] { rowsOf(1, 2); }, [&] { rowsOf(0, 1); });
    else
      rowsOf(0, vectors);
  };
  e.when(e.lessEqual(e.idx(vectors * tile.lanes), job.columnsLeft), [&] { rowsOf(vectors, vectors); }, rest);
}

void TileEmitter::loopEpilogue(const TileJob &job) {
  Value width = e.mul(job.panels, e.idx(tile.columns()));
  auto rowsOf = [&](Value columns, int64_t vectors) {
    const bool masked = vectors == 0;
    auto one = [&](Value i, Value row) {
      Value to = e.at(job.c, e.add(e.mul(row, job.ldc), job.col));
      Value from = e.at(buffer, e.mul(i, width));
      e.loop(e.idx(0), columns, e.idx(std::max<int64_t>(vectors, 1) * tile.lanes), [&](Value j) {
        if (masked) {
          Value mask = e.maskFor(e.sub(columns, j));
          Value value = applyEpilogue(job, e.loadVector(e.at(from, j)), row, e.add(job.col, j), mask);
          if (value)
            e.storeMasked(value, e.at(to, j), mask);
          return;
        }
        for (int64_t v = 0; v < vectors; ++v) {
          Value col = e.add(j, e.idx(v * tile.lanes));
          Value acc = e.loadVector(e.at(from, col));
          if (Value value = applyEpilogue(job, acc, row, e.add(job.col, col), Value()))
            e.store(value, e.at(to, col));
        }
      });
    };
    e.loop(e.idx(0), job.rows, e.idx(1), [&](Value i) {
      Value row = resultRow(job, i);
      if (job.rowIndexes)
        e.when(e.lessEqual(e.idx(0), row), [&] { one(i, row); });
      else
        one(i, row);
    });
  };
  e.when(
      e.lessEqual(width, job.columnsLeft), [&] { rowsOf(width, tile.vectors); }, [&] { rowsOf(job.columnsLeft, 0); });
}

} // namespace pliant::codegen
