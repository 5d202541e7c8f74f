// SPDX-License-Identifier: Apache-2.0
// Layered layout.
#include "view/layout.h"
#include <algorithm>
#include <cmath>
#include <map>

namespace pliant::tool::view {
namespace {

constexpr double rankGap = 40, boxGap = 26, bendWidth = 14, columnGap = 60;
constexpr double straight = 30; ///< how strongly a bend holds to its line, where a box holds to another with 1
constexpr int orderSweeps = 16, placeSweeps = 60;

/// A box, or a bend where a line crosses a rank.
struct Vertex {
  int box; ///< -1: a bend
  int rank;
  double width;
  double x = 0; ///< of its middle
  std::vector<int> up{}, down{};
  int chain = -1; ///< of bends that belong to one line
};

/// Between neighbours of two ranks.
struct Link {
  int from, to;
  double fromX, toX; ///< from the middles; toX is set when edges are spread
  bool freeTo;
  bool last;
};

class Layering {
public:
  explicit Layering(Layout &layout) : layout(layout) {}

  void run(double columnHeight) {
    rank();
    link();
    order();
    spreadEnds();
    place();
    spreadEnds(); // by where the other ends are now
    place();
    heights();
    columns(columnHeight);
    curves();
  }

private:
  Layout &layout;
  std::vector<Vertex> vertices;
  std::vector<Link> links;
  int chainCount = 0;
  std::vector<std::vector<int>> ranks; ///< vertices from left to right
  std::vector<double> tops, rankHeights;
  std::vector<int> columnOf;
  std::vector<double> columnTop, columnBottom, columnLeft;

  void rank() {
    const size_t count = layout.boxes.size();
    std::vector<int> of(count, 0);
    std::vector<bool> hasInput(count);
    std::vector<std::vector<int>> out(count);
    for (const Edge &e : layout.edges) {
      out[e.from].push_back(e.to);
      hasInput[e.to] = true;
    }
    bool top = false;
    for (const Box &box : layout.boxes)
      top |= box.place == Box::Place::Top;
    for (size_t i = 0; i < count; ++i) { // boxes come in an order that edges follow
      if (top && layout.boxes[i].place != Box::Place::Top)
        of[i] = std::max(of[i], 1);
      for (int to : out[i])
        of[to] = std::max(of[to], of[i] + 1);
    }
    for (size_t i = count; i-- > 0;) // sources come down to what reads them
      if (!hasInput[i] && !out[i].empty() && layout.boxes[i].place == Box::Place::Free) {
        int first = of[out[i][0]];
        for (int to : out[i])
          first = std::min(first, of[to]);
        of[i] = std::max(of[i], first - 1);
      }
    int last = 0;
    for (size_t i = 0; i < count; ++i)
      if (layout.boxes[i].place != Box::Place::Bottom)
        last = std::max(last, of[i]);
    for (size_t i = 0; i < count; ++i) {
      if (layout.boxes[i].place == Box::Place::Bottom)
        of[i] = last + 1;
      vertices.push_back({static_cast<int>(i), of[i], layout.boxes[i].width});
    }
  }

  void link() {
    std::map<std::pair<int, int>, std::vector<int>> chains; // of a box's value: the vertex in each rank below it
    for (const Edge &e : layout.edges) {
      auto &chain = chains[{e.from, e.value}];
      const double fromX = e.fromX - vertices[e.from].width / 2;
      int at = e.from;
      for (int r = vertices[e.from].rank + 1; r < vertices[e.to].rank; ++r) {
        const auto index = static_cast<size_t>(r - vertices[e.from].rank - 1);
        if (index == chain.size()) {
          chain.push_back(static_cast<int>(vertices.size()));
          vertices.push_back({-1, r, bendWidth});
          vertices.back().chain = chain.size() > 1 ? vertices[chain[0]].chain : chainCount++;
          links.push_back({at, chain.back(), at == e.from ? fromX : 0, 0, false, false});
        }
        at = chain[index];
      }
      links.push_back(
          {at, e.to, at == e.from ? fromX : 0, e.toX < 0 ? 0 : e.toX - vertices[e.to].width / 2, e.toX < 0, true});
    }
    int count = 0;
    for (const Vertex &v : vertices)
      count = std::max(count, v.rank + 1);
    ranks.resize(static_cast<size_t>(count));
    for (size_t v = 0; v < vertices.size(); ++v)
      ranks[vertices[v].rank].push_back(static_cast<int>(v));
    for (size_t l = 0; l < links.size(); ++l) {
      vertices[links[l].from].down.push_back(static_cast<int>(l));
      vertices[links[l].to].up.push_back(static_cast<int>(l));
    }
  }

  // ---- order in a rank: barycentres, the best of all sweeps

  void number() {
    for (auto &rank : ranks)
      for (size_t i = 0; i < rank.size(); ++i)
        vertices[rank[i]].x = static_cast<double>(i);
  }

  int64_t crossings() const {
    int64_t total = 0;
    for (size_t r = 0; r + 1 < ranks.size(); ++r) {
      std::vector<std::pair<double, double>> ends;
      for (int v : ranks[r])
        for (int l : vertices[v].down)
          ends.emplace_back(vertices[v].x + links[l].fromX * 1e-4, vertices[links[l].to].x + links[l].toX * 1e-4);
      if (ends.size() > 2000)
        continue;
      for (size_t i = 0; i < ends.size(); ++i)
        for (size_t j = 0; j < i; ++j)
          total += (ends[i].first - ends[j].first) * (ends[i].second - ends[j].second) < 0;
    }
    return total;
  }

  void order() {
    number();
    auto best = ranks;
    int64_t fewest = crossings();
    for (int sweep = 0; sweep < orderSweeps && fewest; ++sweep) {
      const bool down = sweep % 2 == 0;
      for (size_t i = 0; i < ranks.size(); ++i) {
        auto &rank = ranks[down ? i : ranks.size() - 1 - i];
        std::vector<std::pair<double, int>> keyed;
        for (int v : rank) {
          double sum = 0;
          const auto &list = down ? vertices[v].up : vertices[v].down;
          for (int l : list)
            sum += down ? vertices[links[l].from].x + links[l].fromX * 1e-4
                        : vertices[links[l].to].x + links[l].toX * 1e-4;
          keyed.emplace_back(list.empty() ? vertices[v].x : sum / static_cast<double>(list.size()), v);
        }
        auto before = [&](const auto &a, const auto &b) {
          return a.first != b.first ? a.first < b.first : vertices[a.second].x < vertices[b.second].x;
        };
        std::sort(keyed.begin(), keyed.end(), before);
        for (size_t k = 0; k < rank.size(); ++k) {
          rank[k] = keyed[k].second;
          vertices[rank[k]].x = static_cast<double>(k);
        }
      }
      if (int64_t now = crossings(); now < fewest) {
        fewest = now;
        best = ranks;
      }
    }
    ranks = best;
    // Middles that need no more room than there is, to start from.
    for (auto &rank : ranks) {
      double x = 0;
      for (int v : rank) {
        vertices[v].x = x + vertices[v].width / 2;
        x += vertices[v].width + boxGap;
      }
    }
  }

  /// Ends that may be anywhere on the upper side of a box stand side by side in the order of where they come from.
  void spreadEnds() {
    for (Vertex &v : vertices) {
      std::vector<int> list;
      for (int l : v.up)
        if (links[l].freeTo)
          list.push_back(l);
      std::sort(list.begin(), list.end(), [&](int a, int b) {
        const double x = vertices[links[a].from].x + links[a].fromX, y = vertices[links[b].from].x + links[b].fromX;
        return x != y ? x < y : a < b;
      });
      if (list.empty() || v.box < 0)
        continue;
      const Box &box = layout.boxes[v.box];
      const auto gaps = static_cast<double>(list.size() - 1);
      const double room = std::max(box.entryWidth - 24, 0.0), step = gaps > 0 ? std::min(36.0, room / gaps) : 0;
      const double half = step * gaps / 2, left = box.entryX + 12 + half,
                   right = box.entryX + box.entryWidth - 12 - half;
      // Above where the first value leaves, so that chains are straight.
      double middle = (left + right) / 2;
      if (!v.down.empty() && left <= right)
        middle = std::clamp(links[v.down[0]].fromX + v.width / 2, left, right);
      for (size_t i = 0; i < list.size(); ++i)
        links[list[i]].toX = middle - v.width / 2 + step * static_cast<double>(i) - half;
    }
  }

  // ---- positions: each rank moves towards its neighbours in turn

  void place() {
    for (int sweep = 0; sweep < placeSweeps; ++sweep) {
      const bool down = sweep % 2 == 0;
      std::vector<double> sums(static_cast<size_t>(chainCount)), counts(static_cast<size_t>(chainCount));
      for (const Vertex &v : vertices)
        if (v.chain >= 0) {
          sums[v.chain] += v.x;
          counts[v.chain] += 1;
        }
      for (size_t i = 0; i < ranks.size(); ++i) {
        auto &rank = ranks[down ? i : ranks.size() - 1 - i];
        std::vector<double> wanted, weights, apart;
        for (size_t k = 0; k < rank.size(); ++k) {
          const Vertex &v = vertices[rank[k]];
          double sum = 0, total = 0;
          auto pull = [&](const std::vector<int> &list, bool above, double strength) {
            for (int l : list) {
              const Link &link = links[l];
              const int other = above ? link.from : link.to;
              const double weight = strength * (v.box < 0 && vertices[other].box < 0   ? 8
                                                : v.box < 0 || vertices[other].box < 0 ? 2
                                                                                       : 1);
              const double shift = above ? link.fromX - link.toX : link.toX - link.fromX;
              sum += weight * (vertices[other].x + shift);
              total += weight;
            }
          };
          pull(v.up, true, down ? 1 : 0.2);
          pull(v.down, false, down ? 0.2 : 1);
          if (v.chain >= 0 && counts[v.chain] > 1) { // long lines become straight
            sum += straight * sums[v.chain] / counts[v.chain];
            total += straight;
          }
          wanted.push_back(total > 0 ? sum / total : v.x);
          weights.push_back(std::max(total, 0.05));
          if (k)
            apart.push_back((vertices[rank[k - 1]].width + v.width) / 2 + boxGap);
        }
        const std::vector<double> found = spread(wanted, weights, apart);
        for (size_t k = 0; k < rank.size(); ++k)
          vertices[rank[k]].x = found[k];
      }
    }
  }

  void heights() {
    double y = 0;
    for (auto &rank : ranks) {
      double height = 0;
      for (int v : rank)
        if (vertices[v].box >= 0)
          height = std::max(height, layout.boxes[vertices[v].box].height);
      tops.push_back(y);
      rankHeights.push_back(height);
      y += height + rankGap;
    }
    layout.height = std::max(0.0, y - rankGap);
  }

  /// Cuts between ranks, near equal heights, where few lines cross.
  void columns(double columnHeight) {
    columnOf.assign(ranks.size(), 0);
    const int count = std::max(1, static_cast<int>(std::lround(std::min(layout.height / columnHeight, 1e6))));
    std::vector<int> crossing(ranks.size(), 0); // lines from rank r - 1 to r
    for (const Link &l : links)
      ++crossing[vertices[l.to].rank];
    size_t from = 0;
    for (int c = 1; c < count; ++c) {
      const double target = layout.height * c / count;
      size_t best = 0;
      double least = 0;
      for (size_t r = from + 1; r < ranks.size(); ++r) {
        const double cost = std::abs(tops[r] - target) / 100 + 1.5 * crossing[r];
        if (!best || cost < least) {
          best = r;
          least = cost;
        }
      }
      if (!best)
        break;
      for (size_t r = best; r < ranks.size(); ++r)
        columnOf[r] = c;
      from = best;
    }
    double x = 0;
    layout.height = 0;
    for (size_t r = 0; r < ranks.size();) {
      size_t end = r;
      double left = 1e18, right = -1e18, lines = 0;
      for (; end < ranks.size() && columnOf[end] == columnOf[r]; ++end)
        for (int v : ranks[end]) {
          left = std::min(left, vertices[v].x - vertices[v].width / 2);
          right = std::max(right, vertices[v].x + vertices[v].width / 2);
        }
      const double head = r ? 16.0 * crossing[r] + 20 : 0; // room for the lines that come from the column before
      for (size_t i = r; i < end; ++i) {
        for (int v : ranks[i])
          vertices[v].x += x - left;
      }
      const double top = tops[r] - head;
      for (size_t i = r; i < end; ++i)
        tops[i] -= top;
      lines = end < ranks.size() ? 16.0 * crossing[end] + 20 : 0;
      const double bottom = tops[end - 1] + rankHeights[end - 1];
      columnTop.push_back(head);
      columnBottom.push_back(bottom);
      columnLeft.push_back(x);
      layout.height = std::max(layout.height, bottom + lines);
      x += right - left;
      layout.width = x;
      if (end < ranks.size())
        x += columnGap + lines;
      r = end;
    }
    for (Vertex &v : vertices)
      if (v.box >= 0) {
        layout.boxes[v.box].x = v.x - v.width / 2;
        layout.boxes[v.box].y = tops[v.rank];
      }
  }

  void curves() {
    std::map<int, int> crossed; // lines into each column so far
    for (const Link &l : links) {
      const Vertex &from = vertices[l.from], &to = vertices[l.to];
      const double height = from.box >= 0 ? layout.boxes[from.box].height : rankHeights[from.rank];
      Point start{from.x + l.fromX, tops[from.rank] + height}, end{to.x + l.toX, tops[to.rank]};
      if (from.box < 0) // through the rank of the bend
        layout.curves.push_back({{{start.x, tops[from.rank]}, start}, false});
      if (columnOf[from.rank] == columnOf[to.rank]) {
        const double low = tops[from.rank] + rankHeights[from.rank];
        if (low > start.y + 1) // past higher boxes of the rank
          layout.curves.push_back({{start, {start.x, low}}, false});
        layout.curves.push_back({{{start.x, low}, end}, l.last});
        continue;
      }
      const int c = columnOf[to.rank], lane = crossed[c]++;
      const double low = columnBottom[static_cast<size_t>(c) - 1] + 16 + 16 * lane;
      const double gutter = columnLeft[c] - columnGap / 2 - 16 * lane;
      const double high = columnTop[c] - 16 - 16 * lane;
      layout.curves.push_back({{start, {start.x, low}, {gutter, low}, {gutter, high}, {end.x, high}, end}, l.last});
    }
  }
};

} // namespace

std::vector<double> spread(const std::vector<double> &wanted, const std::vector<double> &weights,
                           const std::vector<double> &apart) {
  // Less the distances from the first, positions must only not fall: pool adjacent violators.
  struct Pool {
    double sum, weight;
    size_t count;
  };
  std::vector<double> offsets(wanted.size(), 0);
  for (size_t i = 1; i < wanted.size(); ++i)
    offsets[i] = offsets[i - 1] + apart[i - 1];
  std::vector<Pool> pools;
  for (size_t i = 0; i < wanted.size(); ++i) {
    pools.push_back({(wanted[i] - offsets[i]) * weights[i], weights[i], 1});
    while (pools.size() > 1 &&
           pools[pools.size() - 2].sum / pools[pools.size() - 2].weight >= pools.back().sum / pools.back().weight) {
      Pool last = pools.back();
      pools.pop_back();
      pools.back().sum += last.sum;
      pools.back().weight += last.weight;
      pools.back().count += last.count;
    }
  }
  std::vector<double> out;
  for (const Pool &pool : pools)
    for (size_t k = 0; k < pool.count; ++k)
      out.push_back(pool.sum / pool.weight + offsets[out.size()]);
  return out;
}

void Layout::run(double columnHeight) {
  if (!boxes.empty())
    Layering(*this).run(columnHeight);
}

static std::string point(Point p) { return number(p.x) + " " + number(p.y); }

std::string pathOf(const Curve &curve) {
  const std::vector<Point> &p = curve.points;
  std::string out = "M" + point(p[0]);
  if (p.size() == 2) {
    if (std::abs(p[0].x - p[1].x) < 0.5)
      return out + " L" + point(p[1]);
    const double bend = std::max(12.0, (p[1].y - p[0].y) * 0.55);
    return out + " C" + point({p[0].x, p[0].y + bend}) + " " + point({p[1].x, p[1].y - bend}) + " " + point(p[1]);
  }
  auto towards = [](Point a, Point b, double by) {
    const double length = std::hypot(b.x - a.x, b.y - a.y);
    const double share = length > 0 ? std::min(by, length / 2) / length : 0;
    return Point{a.x + (b.x - a.x) * share, a.y + (b.y - a.y) * share};
  };
  for (size_t i = 1; i + 1 < p.size(); ++i)
    out += " L" + point(towards(p[i], p[i - 1], 8)) + " Q" + point(p[i]) + " " + point(towards(p[i], p[i + 1], 8));
  return out + " L" + point(p.back());
}

} // namespace pliant::tool::view
