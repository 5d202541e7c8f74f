// SPDX-License-Identifier: Apache-2.0
// Random graphs: nothing overlaps, edges go down, lines pass beside boxes, columns are bounded.
#include "view/layout.h"
#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace pliant::tool::view;

namespace {

TEST(Spread, NearestPositionsInOrder) {
  EXPECT_EQ(spread({}, {}, {}), std::vector<double>());
  EXPECT_EQ(spread({5}, {1}, {}), std::vector<double>({5}));
  EXPECT_EQ(spread({0, 10, 20}, {1, 1, 1}, {5, 5}), std::vector<double>({0, 10, 20}));
  EXPECT_EQ(spread({10, 10}, {1, 1}, {4}), std::vector<double>({8, 12}));
  EXPECT_EQ(spread({10, 10}, {3, 1}, {4}), std::vector<double>({9, 13}));
  EXPECT_EQ(spread({20, 0}, {1, 1}, {4}), std::vector<double>({8, 12}));
}

Layout randomGraph(std::mt19937 &random, int count) {
  Layout layout;
  auto draw = [&](int below) { return static_cast<int>(random() % static_cast<unsigned>(below)); };
  for (int i = 0; i < count; ++i) {
    const double width = 40 + draw(200);
    layout.boxes.push_back({width, 20.0 + draw(80), Box::Place::Free, 0, width});
    for (int k = draw(4); i && k > 0; --k) {
      const int from = draw(3) ? std::max(0, i - 1 - draw(4)) : draw(i);
      layout.edges.push_back({from, i, 0, layout.boxes[from].width / 2, draw(2) ? -1 : width / 2});
    }
  }
  return layout;
}

/// What is left of `x` and right of it, with half a unit of tolerance.
bool inside(double x, double left, double right) { return x > left + 0.5 && x < right - 0.5; }

void expectSound(const Layout &layout) {
  for (size_t i = 0; i < layout.boxes.size(); ++i) {
    const Box &a = layout.boxes[i];
    EXPECT_TRUE(std::isfinite(a.x) && std::isfinite(a.y));
    EXPECT_GE(a.x, -0.01);
    EXPECT_LE(a.x + a.width, layout.width + 0.01);
    EXPECT_LE(a.y + a.height, layout.height + 0.01);
    for (size_t j = 0; j < i; ++j) {
      const Box &b = layout.boxes[j];
      EXPECT_TRUE(a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y || b.y + b.height <= a.y)
          << "boxes " << j << " and " << i << " overlap";
    }
  }
  for (const Curve &curve : layout.curves) { // straight pieces run beside boxes; curves stay between ranks
    const Point &from = curve.points.front(), &to = curve.points.back();
    if (curve.points.size() != 2 || std::abs(from.x - to.x) > 0.01)
      continue;
    for (const Box &box : layout.boxes)
      EXPECT_FALSE(inside(from.x, box.x, box.x + box.width) && to.y > box.y + 0.5 && from.y < box.y + box.height - 0.5)
          << "a line at " << from.x << " crosses a box";
  }
}

TEST(Layout, RandomGraphs) {
  std::mt19937 random(7);
  for (int round = 0; round < 60; ++round) {
    Layout layout = randomGraph(random, round);
    layout.run(1e18);
    expectSound(layout);
    for (const Edge &e : layout.edges)
      EXPECT_GT(layout.boxes[e.to].y, layout.boxes[e.from].y + layout.boxes[e.from].height);
  }
}

TEST(Layout, Columns) {
  std::mt19937 random(8);
  for (int round = 0; round < 20; ++round) {
    Layout layout = randomGraph(random, 40 + 4 * round);
    layout.run(700);
    expectSound(layout);
  }
  Layout chain;
  for (int i = 0; i < 100; ++i) {
    chain.boxes.push_back({100, 40, Box::Place::Free, 0, 100});
    if (i)
      chain.edges.push_back({i - 1, i, 0, 50, -1});
  }
  chain.run(1000);
  EXPECT_LT(chain.height, 1300);
  EXPECT_LT(chain.width, 8 * 300);
  expectSound(chain);
}

TEST(Layout, Deterministic) {
  std::mt19937 first(9), second(9);
  Layout a = randomGraph(first, 80), b = randomGraph(second, 80);
  a.run(900);
  b.run(900);
  for (size_t i = 0; i < a.boxes.size(); ++i)
    EXPECT_TRUE(a.boxes[i].x == b.boxes[i].x && a.boxes[i].y == b.boxes[i].y);
}

} // namespace
