// SPDX-License-Identifier: Apache-2.0
// Cards, frames, lines.
#include "view/draw.h"
#include "view/layout.h"
#include <algorithm>
#include <cmath>
#include <set>

namespace pliant::tool::view {
namespace {

constexpr double padding = 12, bar = 5, titleLine = 16, smallLine = 14, chipHeight = 20, chipDrop = 9, chipGap = 8;
constexpr double titleSize = 12, smallSize = 10, framePadding = 22, frameHead = 44, frameFoot = 40, laneGap = 26;
constexpr double portWidth = 16, againWidth = 26;
constexpr double columnHeight = 1700; ///< nothing lower is cut
constexpr size_t placeCharacters = 38;

double chipWidth(const Made &made) { return monoWidth(made.label, smallSize) + 16; }

/// A node with its size and, for a frame, the layouts inside.
struct Measured;
struct Arranged {
  const Region *region = nullptr;
  Layout layout;
  std::vector<Measured> nodes;
  std::map<int, int> entries, exits; ///< buffer to box
  double middleOf(int box) const { return layout.boxes[box].x + layout.boxes[box].width / 2; }
};
struct Measured {
  const Node *node = nullptr;
  double width = 0, height = 0; ///< of all
  double cardX = 0, cardWidth = 0, cardHeight = 0;
  std::vector<double> chips;   ///< middles of the values below
  std::map<int, double> ports; ///< frames: where a buffer enters the upper side
  std::vector<Arranged> lanes;
  std::vector<double> laneX;
  double laneHeight = 0;
};

Arranged arrange(const Region &region, bool inside, double columnHeight);

void placeChips(Measured &m, double middle) {
  double total = -chipGap;
  for (const Made &made : m.node->makes)
    total += chipWidth(made) + chipGap;
  double x = middle - total / 2;
  for (const Made &made : m.node->makes) {
    m.chips.push_back(x + chipWidth(made) / 2);
    x += chipWidth(made) + chipGap;
  }
}

Measured measureCard(const Node &node) {
  Measured m;
  m.node = &node;
  const bool pill = node.kind == Node::Kind::Input || node.kind == Node::Kind::Output;
  double text = 0;
  for (const std::string &line : node.title)
    text = std::max(text, monoWidth(line, titleSize));
  text = std::max(text, sansWidth(node.detail, smallSize));
  text = std::max(text, monoWidth(shortened(node.place, placeCharacters), smallSize));
  m.cardWidth = std::max(100.0, text + 2 * padding + (pill ? 0 : bar));
  m.cardHeight = padding + static_cast<double>(node.title.size()) * titleLine + (node.detail.empty() ? 0 : smallLine) +
                 (node.place.empty() ? 0 : smallLine) + 7;
  double notes = 0, chips = -chipGap;
  for (const std::string &note : node.weights)
    notes = std::max(notes, monoWidth(note, smallSize) + 16);
  for (const Made &made : node.makes)
    chips += chipWidth(made) + chipGap;
  m.cardX = std::max(0.0, (chips - m.cardWidth) / 2);
  m.width = std::max(m.cardX + m.cardWidth + notes, chips);
  m.height = m.cardHeight + (node.makes.empty() ? 0 : chipDrop + chipHeight);
  placeChips(m, m.cardX + m.cardWidth / 2);
  return m;
}

Measured measureFrame(const Node &node) {
  Measured m;
  m.node = &node;
  double x = framePadding, chips = -chipGap;
  for (const Region &lane : node.lanes) {
    m.lanes.push_back(arrange(lane, true, 1e18));
    m.laneX.push_back(x);
    x += std::max(m.lanes.back().layout.width, 60.0) + laneGap;
    m.laneHeight = std::max(m.laneHeight, m.lanes.back().layout.height);
  }
  x += framePadding - laneGap;
  for (const Made &made : node.makes)
    chips += chipWidth(made) + chipGap;
  const double again = againWidth * static_cast<double>(node.carried.size());
  m.width = m.cardWidth = std::max({x + again, chips + 2 * framePadding, 120.0});
  m.cardHeight = frameHead + m.laneHeight + frameFoot;
  m.height = m.cardHeight + chipHeight / 2;
  auto meanOf = [&](int buffer, std::map<int, int> Arranged::*side, double otherwise) {
    double sum = 0;
    int count = 0;
    for (size_t i = 0; i < m.lanes.size(); ++i)
      if (auto box = (m.lanes[i].*side).find(buffer); box != (m.lanes[i].*side).end()) {
        sum += m.laneX[i] + m.lanes[i].middleOf(box->second);
        ++count;
      }
    return count ? sum / count : otherwise;
  };
  // In the order of where they go on, with room for each.
  std::vector<std::pair<double, int>> order;
  for (int buffer : node.reads)
    order.emplace_back(meanOf(buffer, &Arranged::entries, m.width / 2), buffer);
  std::sort(order.begin(), order.end());
  std::vector<double> wanted;
  for (auto [at, buffer] : order)
    wanted.push_back(at);
  std::vector<double> found = spread(wanted, std::vector<double>(order.size(), 1),
                                     std::vector<double>(order.empty() ? 0 : order.size() - 1, portWidth));
  for (size_t i = 0; i < order.size(); ++i)
    m.ports[order[i].second] = std::clamp(found[i], 20.0, m.width - 20);
  order.clear();
  for (size_t i = 0; i < node.makes.size(); ++i)
    order.emplace_back(meanOf(node.makes[i].buffer, &Arranged::exits, m.width / 2), static_cast<int>(i));
  std::sort(order.begin(), order.end());
  std::vector<double> apart;
  wanted.clear();
  for (size_t i = 0; i < order.size(); ++i) {
    wanted.push_back(order[i].first);
    if (i)
      apart.push_back((chipWidth(node.makes[order[i - 1].second]) + chipWidth(node.makes[order[i].second])) / 2 +
                      chipGap);
  }
  found = spread(wanted, std::vector<double>(order.size(), 1), apart);
  double shift = 0; // into the frame
  if (!order.empty()) {
    const double left = found.front() - chipWidth(node.makes[order.front().second]) / 2;
    const double right = found.back() + chipWidth(node.makes[order.back().second]) / 2;
    shift = std::max(0.0, 10 - left) - std::max(0.0, right - (m.width - 10));
  }
  m.chips.resize(node.makes.size());
  for (size_t i = 0; i < order.size(); ++i)
    m.chips[order[i].second] = found[i] + shift;
  return m;
}

Arranged arrange(const Region &region, bool inside, double columnHeight) {
  Arranged a;
  a.region = &region;
  struct Source {
    int box;
    double x;
  };
  std::map<int, std::vector<Source>> makers;
  auto port = [&](int buffer, double width, Box::Place place) {
    a.layout.boxes.push_back({width, 0, place, 0, width});
    const int box = static_cast<int>(a.layout.boxes.size()) - 1;
    (place == Box::Place::Top ? a.entries : a.exits)[buffer] = box;
    return box;
  };
  if (inside)
    for (int buffer : region.enters)
      makers[buffer].push_back({port(buffer, portWidth, Box::Place::Top), portWidth / 2});
  const int first = static_cast<int>(a.layout.boxes.size());
  for (const Node &node : region.nodes) {
    a.nodes.push_back(node.kind == Node::Kind::Frame ? measureFrame(node) : measureCard(node));
    const Measured &m = a.nodes.back();
    a.layout.boxes.push_back({m.width, m.height, Box::Place::Free, m.cardX, m.cardWidth});
  }
  std::map<int, double> widths; // of chips, for exits
  for (size_t i = 0; i < region.nodes.size(); ++i) {
    const Node &node = region.nodes[i];
    const int box = first + static_cast<int>(i);
    for (int buffer : node.reads)
      for (const Source &source : makers[buffer]) {
        auto at = a.nodes[i].ports.find(buffer);
        a.layout.edges.push_back({source.box, box, buffer, source.x, at == a.nodes[i].ports.end() ? -1 : at->second});
      }
    for (size_t k = 0; k < node.makes.size(); ++k) {
      auto &list = makers[node.makes[k].buffer];
      if (node.kind == Node::Kind::Frame || node.replaces)
        list.clear(); // a frame may hand on what it was given
      list.push_back({box, a.nodes[i].chips[k]});
      widths[node.makes[k].buffer] = chipWidth(node.makes[k]);
    }
  }
  if (inside)
    for (int buffer : region.leaves) {
      const double width = widths.contains(buffer) ? widths[buffer] : portWidth;
      const int box = port(buffer, width, Box::Place::Bottom);
      for (const Source &source : makers[buffer])
        a.layout.edges.push_back({source.box, box, buffer, source.x, width / 2});
    }
  a.layout.run(columnHeight);
  return a;
}

class Painter {
public:
  explicit Painter(Svg &svg) : svg(svg) {}

  void region(const Arranged &a, Point at) {
    lines(a, at);
    const size_t first = a.entries.size();
    for (size_t i = 0; i < a.nodes.size(); ++i) {
      const Box &box = a.layout.boxes[first + i];
      const Point corner{at.x + box.x, at.y + box.y};
      if (a.nodes[i].node->kind == Node::Kind::Frame)
        frame(a.nodes[i], corner);
      else
        card(a.nodes[i], corner);
    }
  }

private:
  Svg &svg;

  void lines(const Arranged &a, Point at) {
    std::set<std::string> drawn;
    for (Curve curve : a.layout.curves) {
      bool toBox = curve.last;
      for (Point &p : curve.points) {
        p.x += at.x;
        p.y += at.y;
      }
      for (auto [buffer, box] : a.exits) // go on through the border: no arrow
        toBox &= std::abs(curve.points.back().y - at.y - a.layout.boxes[box].y) > 0.5;
      std::string d = pathOf(curve);
      if (drawn.insert(d).second)
        svg.path(d, "edge", toBox ? "tip" : "");
    }
  }

  void chips(const Measured &m, Point at, double top) {
    for (size_t i = 0; i < m.node->makes.size(); ++i) {
      const Made &made = m.node->makes[i];
      const double width = chipWidth(made), x = at.x + m.chips[i];
      svg.beginGroup("value", made.tooltip);
      svg.rect(x - width / 2, top, width, chipHeight, chipHeight / 2, "chip");
      svg.text(x, top + 13.5, "m s10", made.label, "middle");
      svg.endGroup();
    }
  }

  void card(const Measured &m, Point at) {
    const Node &node = *m.node;
    const bool pill = node.kind == Node::Kind::Input || node.kind == Node::Kind::Output;
    const std::string tone = toneClass(node.tone),
                      data = node.group >= 0 ? "data-group=\"" + std::to_string(node.group) + "\"" : "";
    const double x = at.x + m.cardX, left = x + padding + (pill ? 0 : bar);
    for (double chip : m.chips) {
      const double from = std::clamp(at.x + chip, x + 10, x + m.cardWidth - 10), y = at.y + m.cardHeight;
      svg.path(pathOf({{{from, y - 1}, {at.x + chip, y + chipDrop}}, false}), "edge");
    }
    svg.beginGroup(pill ? "end" : node.kind == Node::Kind::Gap ? "gap" : "card", node.tooltip, data);
    if (pill) {
      svg.rect(x, at.y, m.cardWidth, m.cardHeight, 14, "io");
    } else {
      const bool dashed = node.tone == Tone::Host || node.tone == Tone::Fallback;
      svg.rect(x, at.y, m.cardWidth, m.cardHeight, 7, dashed ? "face dash" : "face");
      svg.rect(x, at.y, m.cardWidth, m.cardHeight, 7, "tint " + tone);
      svg.rect(x + 4, at.y + 7, 3, m.cardHeight - 14, 1.5, tone);
    }
    double y = at.y + padding + 8;
    for (const std::string &line : node.title) {
      svg.text(left, y, pill ? "m s12 on" : "m s12", line);
      y += titleLine;
    }
    y -= 1;
    if (!node.detail.empty()) {
      svg.text(left, y, pill ? "s10 onsoft" : "s10 soft", node.detail);
      y += smallLine;
    }
    if (!node.place.empty())
      svg.text(left, y, "m s10 soft", shortened(node.place, placeCharacters));
    svg.endGroup();
    y = at.y + padding + 6;
    if (!node.weights.empty())
      svg.beginGroup("weights");
    for (const std::string &note : node.weights) {
      svg.text(x + m.cardWidth + 8, y, "m s10 soft", note);
      y += smallLine;
    }
    if (!node.weights.empty())
      svg.endGroup();
    chips(m, at, at.y + m.cardHeight + chipDrop);
  }

  void frame(const Measured &m, Point at) {
    const Node &node = *m.node;
    svg.beginGroup("region", node.tooltip);
    svg.rect(at.x, at.y, m.cardWidth, m.cardHeight, 12, "frame");
    const double badge = sansWidth(node.badge, 13) + 18;
    svg.rect(at.x - 8, at.y - 11, badge, 22, 11, "badge");
    svg.text(at.x - 8 + badge / 2, at.y + 4.5, "s13 on", node.badge, "middle");
    svg.endGroup();
    const double top = at.y + frameHead, bottom = top + m.laneHeight;
    for (size_t i = 0; i < m.lanes.size(); ++i) {
      const Arranged &lane = m.lanes[i];
      const Point corner{at.x + m.laneX[i], top};
      if (m.lanes.size() > 1) {
        svg.rect(corner.x - 10, top - 14, std::max(lane.layout.width, 60.0) + 20, m.laneHeight + 28, 8, "lane");
        svg.text(corner.x - 4, top + 2, "s11 soft", node.laneTitles[i]);
      }
      if (lane.nodes.empty())
        svg.text(corner.x, top + 10, "s10 soft", "nothing");
      for (auto [buffer, box] : lane.entries)
        svg.path(pathOf({{{at.x + m.ports.at(buffer), at.y}, {corner.x + lane.middleOf(box), top}}, false}), "edge");
      for (auto [buffer, box] : lane.exits)
        for (size_t k = 0; k < node.makes.size(); ++k)
          if (node.makes[k].buffer == buffer) {
            const Point from{corner.x + lane.middleOf(box), corner.y + lane.layout.boxes[box].y};
            if (from.y < bottom - 1)
              svg.path(pathOf({{from, {from.x, bottom}}, false}), "edge");
            svg.path(pathOf({{{from.x, bottom}, {at.x + m.chips[k], at.y + m.cardHeight - chipHeight / 2}}, false}),
                     "edge");
          }
      region(lane, corner);
    }
    again(m, at);
    for (auto [buffer, x] : m.ports)
      svg.circle({at.x + x, at.y}, 3.5, "port");
    chips(m, at, at.y + m.cardHeight - chipHeight / 2);
  }

  /// What a repetition hands to the next one goes up at the right.
  void again(const Measured &m, Point at) {
    double right = at.x + m.cardWidth - 14;
    for (auto [read, made] : m.node->carried) {
      auto port = m.ports.find(read);
      for (size_t k = 0; k < m.node->makes.size(); ++k)
        if (m.node->makes[k].buffer == made && port != m.ports.end()) {
          const double low = at.y + m.cardHeight - chipHeight / 2 - 10, high = at.y + 14;
          svg.path(pathOf({{{at.x + m.chips[k] + 6, at.y + m.cardHeight - chipHeight / 2},
                            {at.x + m.chips[k] + 6, low},
                            {right, low},
                            {right, high},
                            {at.x + port->second, high},
                            {at.x + port->second, high + 12}},
                           false}),
                   "again", "tip");
          right -= againWidth / 2;
        }
    }
  }
};

} // namespace

Drawn drawGraph(Svg &svg, const Region &graph, Point at) {
  Arranged all = arrange(graph, false, 1e18);
  if (all.layout.height > columnHeight) { // a page somewhat wider than high
    const double count = std::max(1.0, std::round(std::sqrt(1.3 * all.layout.height / (all.layout.width + 80))));
    all = arrange(graph, false, std::max(all.layout.height / count, columnHeight));
  }
  Painter(svg).region(all, at);
  return {all.layout.width, all.layout.height};
}

} // namespace pliant::tool::view
