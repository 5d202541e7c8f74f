// SPDX-License-Identifier: Apache-2.0
// Layered layout of a directed acyclic graph from top to bottom: ranks, an order in each rank with few crossings,
// positions, and curves that pass beside the boxes (Sugiyama's method).
#pragma once
#include "view/svg.h"
#include <vector>

namespace pliant::tool::view {

struct Box {
  enum class Place : unsigned char { Free, Top, Bottom };
  double width = 0, height = 0;
  Place place = Place::Free;         ///< Top and Bottom: in the first or last rank
  double entryX = 0, entryWidth = 0; ///< the part of the upper side where lines may enter, from the left
  double x = 0, y = 0;               ///< found: the upper left corner
};

struct Edge {
  int from, to; ///< boxes; from comes before to in their list
  int value;    ///< edges of one box and value share a line as long as they can
  double fromX; ///< where it leaves the lower side, from the left
  double toX;   ///< where it enters the upper side; below 0: anywhere, spread among the others
};

/// A piece of a line, from a lower side or bend to the next rank.
struct Curve {
  std::vector<Point> points; ///< two: a curve; more: straight lines with round corners
  bool last;                 ///< ends at a box
};

struct Layout {
  std::vector<Box> boxes;
  std::vector<Edge> edges;
  std::vector<Curve> curves; ///< found
  double width = 0, height = 0;

  /// Fills in what is found. A drawing higher than `columnHeight` is cut at ranks into columns side by side.
  void run(double columnHeight);
};

/// The text of a path for a curve.
std::string pathOf(const Curve &curve);

/// Positions nearest to `wanted` (least squares) that keep their order and `apart[i]` between i and i + 1.
std::vector<double> spread(const std::vector<double> &wanted, const std::vector<double> &weights,
                           const std::vector<double> &apart);

} // namespace pliant::tool::view
