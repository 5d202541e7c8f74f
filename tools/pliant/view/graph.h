// SPDX-License-Identifier: Apache-2.0
// A program as the picture shows it: nodes with their texts, in regions that nest (branches, repeated layers).
#pragma once
#include "driver/compile.h"
#include <map>

namespace pliant::tool::view {

enum class Tone : unsigned char { Loops, Rows, Contraction, Convolution, Own, Fallback, Host };
const char *toneClass(Tone tone);
const char *toneName(Tone tone);
Tone toneOf(const Program &program, const driver::Compiled &compiled, const Step &step);

/// A value that a node makes, drawn below it with its type.
struct Made {
  int buffer;
  std::string label, tooltip;
};

struct Region;

struct Node {
  enum class Kind : unsigned char {
    Input,  ///< of the model
    Output, ///< of the model
    Card,   ///< a launch, a fallback, or what the host does
    Frame,  ///< lanes side by side
    Gap     ///< steps that are left out
  };
  Kind kind = Kind::Card;
  Tone tone = Tone::Host;
  int group = -1;
  std::vector<std::string> title; ///< lines
  std::string detail, place, tooltip;
  std::vector<std::string> weights; ///< side notes
  std::vector<int> reads;           ///< buffers, each once
  std::vector<Made> makes;
  bool replaces = false;      ///< what it makes takes the place of what was in the same buffers
  std::string badge;          ///< of a frame
  bool repeats = false;       ///< of a frame: what its lane makes of a buffer that it reads is what it reads next
  std::map<int, int> carried; ///< of repeated segments: what is read, and what the next one reads in its place
  std::vector<Region> lanes;
  std::vector<std::string> laneTitles;
};

struct Region {
  std::vector<Node> nodes;
  std::vector<int> enters, leaves; ///< buffers from outside that are read; buffers made here that are read outside
};

/// "f32(batch, seq, 768)", with names for long extents.
class TypeNames {
public:
  std::string label(const TensorType &type);
  /// Name and text of each extent that has got a name, in order.
  const std::vector<std::pair<std::string, std::string>> &list() const { return named; }

private:
  std::map<std::string, std::string> names;
  std::vector<std::pair<std::string, std::string>> named;
};

Region buildGraph(const driver::Compiled &compiled, TypeNames &names);

} // namespace pliant::tool::view
