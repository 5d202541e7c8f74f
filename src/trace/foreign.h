// SPDX-License-Identifier: Apache-2.0
// Which leaf of a segment a node of another log is. It is not kept in the node, which is another thread's, so it is
// looked up by the node's address.
#pragma once
#include <cstdint>
#include <vector>

namespace pliant::trace {

struct Node;

/// The operand words of one segment's leaves that other logs have made. Open addressing, at most half full; what an
/// older segment has left behind counts as free.
class ForeignLeaves {
public:
  static constexpr uint32_t none = ~uint32_t(0);

  /// From here on it is about another segment, of a number that it never had.
  void begin(uint64_t number) {
    segment = number;
    count = 0;
  }
  uint32_t find(const Node *node) const { return count ? places[placeOf(node)].wordIn(segment) : none; }
  /// Of a node that is not there.
  void add(const Node *node, uint32_t word) {
    if (2 * (count + 1) > places.size())
      grow();
    places[placeOf(node)] = {node, segment, word};
    ++count;
  }
  /// Of the one added last: no other was put behind it for want of its place.
  void remove(const Node *node) {
    places[placeOf(node)] = {};
    --count;
  }

private:
  struct Place {
    const Node *node = nullptr;
    uint64_t segment = 0;
    uint32_t word = none;

    uint32_t wordIn(uint64_t number) const { return segment == number ? word : none; }
  };
  std::vector<Place> places; ///< a power of two
  uint64_t segment = 0;
  size_t count = 0;

  /// Where it is, or would be.
  size_t placeOf(const Node *node) const {
    const size_t mask = places.size() - 1;
    size_t at = reinterpret_cast<uintptr_t>(node) / 64 * 0x9e3779b97f4a7c15ull >> 32 & mask;
    while (places[at].segment == segment && places[at].node != node)
      at = (at + 1) & mask;
    return at;
  }
  void grow() {
    std::vector<Place> old(places.empty() ? 64 : 2 * places.size());
    old.swap(places);
    for (const Place &place : old)
      if (place.segment == segment)
        places[placeOf(place.node)] = place;
  }
};

} // namespace pliant::trace
