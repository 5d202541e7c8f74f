// SPDX-License-Identifier: Apache-2.0
// Draws a graph with its regions, and the arena over the steps.
#pragma once
#include "shapes.h"
#include "view/graph.h"
#include "view/svg.h"

namespace pliant::tool::view {

/// The size and the text of a drawing whose upper left corner is at `at`.
struct Drawn {
  double width = 0, height = 0;
};

/// Cards, frames and lines. High drawings are cut into columns.
Drawn drawGraph(Svg &svg, const Region &graph, Point at);

/// Buffers of the arena as rectangles: when they live, and where; the live bytes as a line; and the largest of those
/// that live at the peak as a table.
Drawn drawMemory(Svg &svg, const driver::Compiled &compiled, const SymbolValues &values, TypeNames &names, Point at);

/// Small values at which nothing in the arena is empty, for a drawing: 1 for the first extent of an input, a power of
/// two for others.
SymbolValues exampleShapes(const Program &program);

} // namespace pliant::tool::view
