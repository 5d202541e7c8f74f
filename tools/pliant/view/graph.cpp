// SPDX-License-Identifier: Apache-2.0
// From steps to nodes.
#include "view/graph.h"
#include "memory.h"
#include "ops/op.h"
#include "session.h"
#include "view/fold.h"
#include "view/svg.h"
#include <algorithm>
#include <set>

namespace pliant::tool::view {
namespace {

constexpr size_t lineCharacters = 30, mostLines = 3, mostNodes = 240, shownAtEnds = 110, mostNotes = 2,
                 longestExtent = 12, mostTooltip = 300;

bool computes(const GroupNode &node) {
  const Pattern pattern = info(node.op).pattern;
  return pattern != Pattern::Source && pattern != Pattern::Host;
}

std::vector<std::string> opLines(const std::vector<std::string> &ops) {
  std::vector<std::string> lines;
  for (size_t i = 0; i < ops.size(); ++i) {
    std::string word = (i ? "+ " : "") + shortened(ops[i], lineCharacters - 2);
    if (!lines.empty() && lines.back().size() + 1 + word.size() <= lineCharacters) {
      lines.back() += " " + word;
    } else if (lines.size() < mostLines) {
      lines.push_back(word);
    } else {
      const std::string more = " ... " + std::to_string(ops.size() - i) + " more";
      std::string &last = lines.back();
      while (last.size() + more.size() > lineCharacters && last.rfind(" + ") != std::string::npos)
        last.resize(last.rfind(" + "));
      last += more;
      break;
    }
  }
  return lines;
}

class Builder {
public:
  Builder(const driver::Compiled &compiled, TypeNames &names)
      : compiled(compiled), program(*compiled.program), names(names) {}

  Region build() {
    Region top;
    std::vector<const Step *> steps;
    for (const Step &step : program.steps)
      steps.push_back(&step);
    std::vector<Item> items = fold(steps);
    for (size_t i = 0; i < program.inputs.size(); ++i)
      endNode(top, Node::Kind::Input, program.inputs[i], program.inputBuffers[i]);
    append(top, items);
    for (size_t i = 0; i < program.outputs.size(); ++i)
      endNode(top, Node::Kind::Output, program.outputs[i], program.outputBuffers[i]);
    for (auto &[key, count] : ends)
      if (count > 1)
        for (Node &node : top.nodes)
          if (node.kind == key.first &&
              (node.kind == Node::Kind::Input ? node.makes[0].buffer : node.reads[0]) == key.second)
            node.detail += " and " + std::to_string(count - 1) + " more";
    reads.assign(program.buffers.size(), 0);
    countReads(top);
    close(top);
    return top;
  }

private:
  const driver::Compiled &compiled;
  const Program &program;
  TypeNames &names;
  std::map<int, int> same;
  std::map<std::pair<Node::Kind, int>, int> ends; ///< inputs and outputs that one node stands for
  std::vector<int> reads;                         ///< of each buffer, by nodes other than frames

  std::vector<Item> fold(const std::vector<const Step *> &steps) {
    Folded folded = view::fold(program, steps);
    same.insert(folded.same.begin(), folded.same.end());
    return std::move(folded.items);
  }
  int bufferOf(int buffer) const {
    buffer = baseBuffer(program, buffer);
    while (program.buffers[buffer].storage == Buffer::Storage::Element) // a part of what the trips of a loop collect
      buffer = baseBuffer(program, program.buffers[buffer].index);
    for (auto found = same.find(buffer); found != same.end(); found = same.find(buffer))
      buffer = found->second;
    return buffer;
  }
  bool flows(int buffer) const {
    const Buffer::Storage storage = program.buffers[buffer].storage;
    return storage != Buffer::Storage::Weight && storage != Buffer::Storage::Constant;
  }

  void endNode(Region &region, Node::Kind kind, const Argument &argument, int buffer) {
    const int base = bufferOf(buffer);
    if (ends[{kind, base}]++)
      return;
    Node node;
    node.kind = kind;
    node.title = {shortened(argument.name, lineCharacters)};
    node.tooltip = argument.name + ": " + (argument.list ? argument.list->str() : argument.type.str());
    if (kind == Node::Kind::Input) {
      node.detail = "input";
      node.makes.push_back(made(base, argument.type));
    } else {
      node.detail = "output";
      node.reads.push_back(base);
    }
    region.nodes.push_back(std::move(node));
  }

  Made made(int buffer, const TensorType &type) {
    if (program.buffers[buffer].storage == Buffer::Storage::List)
      return {bufferOf(buffer), "list", "a list of tensors"};
    return {bufferOf(buffer), names.label(type),
            shortened(type.str(), mostTooltip) + "\n" + shortened(program.buffers[buffer].bytes().str(), mostTooltip) +
                " bytes"};
  }

  void append(Region &region, const std::vector<Item> &items) {
    for (const Item &item : items) {
      if (item.count > 1) {
        Node frame;
        frame.kind = Node::Kind::Frame;
        frame.badge = "x " + std::to_string(item.count);
        frame.tooltip = std::to_string(item.count) + " equal segments, drawn once";
        for (auto [first, next] : item.carried)
          frame.carried[bufferOf(first)] = bufferOf(next);
        append(frame.lanes.emplace_back(), item.body);
        frame.laneTitles.emplace_back();
        region.nodes.push_back(std::move(frame));
      } else {
        add(region, *item.step);
      }
    }
  }

  void add(Region &region, const Step &step) {
    const std::vector<std::pair<const char *, const std::vector<Step> *>> lanes = nested(step);
    if (lanes.empty() && (step.kind == Step::Kind::Check || step.kind == Step::Kind::Release))
      return; // checks are listed above the picture
    Node node;
    for (int buffer : step.inputs) {
      const int base = bufferOf(buffer);
      if (!flows(base)) {
        note(node, buffer);
        continue;
      }
      if (std::find(node.reads.begin(), node.reads.end(), base) == node.reads.end())
        node.reads.push_back(base);
    }
    node.place = step.place;
    if (!lanes.empty()) {
      node.kind = Node::Kind::Frame;
      node.repeats = step.kind == Step::Kind::Loop;
      node.badge = stepName(program, step).substr(stepName(program, step).rfind(' ') + 1);
      node.tooltip = node.badge + (step.place.empty() ? "" : "\nat " + step.place);
      for (auto &[title, steps] : lanes) { // the depth is that of nested control flow, which the importer bounds
        std::vector<const Step *> list;
        for (const Step &inner : *steps)
          list.push_back(&inner);
        append(node.lanes.emplace_back(), fold(list));
        node.laneTitles.emplace_back(title);
      }
    } else {
      describe(node, step);
    }
    node.replaces = step.kind == Step::Kind::Share;
    if (node.kind == Node::Kind::Card)
      for (int buffer : step.outputs) {
        const bool twice = std::any_of(node.makes.begin(), node.makes.end(),
                                       [&](const Made &m) { return m.buffer == bufferOf(buffer); });
        if (!twice)
          node.makes.push_back(made(buffer, program.buffers[buffer].type));
      }
    if (node.kind == Node::Kind::Card && node.makes.empty() && step.kind == Step::Kind::Assign)
      return;
    region.nodes.push_back(std::move(node));
  }

  static std::vector<std::pair<const char *, const std::vector<Step> *>> nested(const Step &step) {
    if (step.kind == Step::Kind::If)
      return {{"then", &step.thenSteps}, {"else", &step.elseSteps}};
    if (step.kind == Step::Kind::Loop)
      return {{"each trip", &step.body}};
    return {};
  }

  void note(Node &node, int buffer) {
    const Buffer &what = program.buffers[buffer];
    const Buffer &base = program.buffers[baseBuffer(program, buffer)];
    std::string label = names.label(what.type);
    if (auto bytes = what.bytes().constant(); bytes && *bytes > 4096)
      label += "  " + bytesText(static_cast<double>(*bytes));
    if (base.storage == Buffer::Storage::Weight)
      node.tooltip +=
          (node.tooltip.empty() ? "weight " : "\nweight ") + program.weights[base.index].name + ": " + what.type.str();
    node.weights.push_back(label);
  }

  void describe(Node &node, const Step &step) const {
    std::vector<std::string> ops;
    node.tone = toneOf(program, compiled, step);
    std::string notes = std::move(node.tooltip);
    if (step.kind == Step::Kind::Launch) {
      const Group &group = program.groups[step.group];
      node.group = step.group;
      std::string places;
      for (const GroupNode &inner : group.nodes) {
        if (computes(inner))
          ops.emplace_back(info(inner.op).name);
        if (!inner.place.empty() && places.find("\n" + inner.place) == places.npos && places.size() < 600)
          places += "\n" + inner.place;
      }
      const bool noted = static_cast<size_t>(step.group) < compiled.groups.size();
      node.detail = noted ? compiled.groups[step.group].description : "";
      if (node.tone == Tone::Contraction || node.tone == Tone::Convolution) {
        node.detail = node.tone == Tone::Convolution ? "convolution" : "contraction";
        const auto product = std::find_if(group.nodes.begin(), group.nodes.end(), [](const GroupNode &n) {
          return info(n.op).pattern == Pattern::Contraction;
        });
        if (std::any_of(product, group.nodes.end(),
                        [](const GroupNode &n) { return info(n.op).pattern == Pattern::Pointwise; }))
          node.detail += " with epilogue";
      }
      node.tooltip = group.name() + "\n" + node.detail + "\n" +
                     std::to_string(noted ? compiled.groups[step.group].launches : 1) +
                     " launches of this kernel\nfrom" + places;
    } else if (step.kind == Step::Kind::Evaluate) {
      ops.emplace_back(info(step.op).name);
      node.detail = isFallback(step) ? "fallback: the reference evaluator" : "on the host";
      node.tooltip = node.detail + "\nat " + step.place;
    } else {
      const std::string name = stepName(program, step); // "host extents"
      node.detail = "host";
      std::string list;
      for (size_t i = 0; i < std::max(step.symbols.size(), step.values.size()); ++i) {
        std::string text = i < step.symbols.size() ? step.symbols[i] : "";
        if (i < step.values.size())
          text += (text.empty() ? "" : " = ") + shortened(step.values[i].str(), mostTooltip);
        list += (list.empty() ? "" : ", ") + text;
      }
      ops.push_back(name.substr(name.rfind(' ') + 1));
      node.title = {ops[0], shortened(list, lineCharacters)};
      if (list.empty())
        node.title.pop_back();
      node.tooltip = name + "\n" + list + (step.place.empty() ? "" : "\nat " + step.place);
    }
    if (node.title.empty())
      node.title = ops.empty() ? std::vector<std::string>{"copy"} : opLines(ops);
    if (!notes.empty())
      node.tooltip += "\n" + notes;
    if (node.weights.size() > mostNotes) {
      const size_t more = node.weights.size() - (mostNotes - 1);
      node.weights.resize(mostNotes - 1);
      node.weights.push_back("and " + std::to_string(more) + " more");
    }
  }

  // ---- what crosses the borders of regions

  void countReads(const Region &region) {
    for (const Node &node : region.nodes) {
      for (int buffer : node.reads)
        ++reads[buffer];
      for (const Region &lane : node.lanes)
        countReads(lane);
    }
  }

  /// Fills enters and leaves, from the inside out; returns the reads inside.
  std::map<int, int> close(Region &region) {
    std::map<int, int> inside;
    std::set<int> made, entered;
    for (Node &node : region.nodes) {
      for (int buffer : node.reads)
        ++inside[buffer];
      if (node.kind == Node::Kind::Frame)
        closeFrame(node, inside);
      for (int buffer : node.reads)
        if (!made.contains(buffer) && entered.insert(buffer).second)
          region.enters.push_back(buffer);
      for (const Made &m : node.makes)
        made.insert(m.buffer);
    }
    for (int buffer : made)
      if (reads[buffer] > (inside.contains(buffer) ? inside[buffer] : 0))
        region.leaves.push_back(buffer);
    if (region.nodes.size() > mostNodes)
      leaveOut(region);
    return inside;
  }

  void closeFrame(Node &node, std::map<int, int> &inside) {
    std::set<int> out, known(node.reads.begin(), node.reads.end());
    for (Region &lane : node.lanes) {
      for (auto [buffer, count] : close(lane))
        inside[buffer] += count;
      if (node.repeats)
        for (const Node &inner : lane.nodes)
          for (const Made &m : inner.makes)
            if (std::find(lane.enters.begin(), lane.enters.end(), m.buffer) != lane.enters.end())
              node.carried[m.buffer] = m.buffer;
      for (auto [first, buffer] : node.carried)
        if (std::find(lane.leaves.begin(), lane.leaves.end(), buffer) == lane.leaves.end())
          lane.leaves.push_back(buffer);
      for (int buffer : lane.enters)
        if (known.insert(buffer).second)
          node.reads.push_back(buffer);
      out.insert(lane.leaves.begin(), lane.leaves.end());
    }
    for (int buffer : out)
      node.makes.push_back(made(buffer, program.buffers[buffer].type));
  }

  /// The middle of a region that is too large to look at.
  static void leaveOut(Region &region) {
    Node gap;
    gap.kind = Node::Kind::Gap;
    const auto first = region.nodes.begin() + shownAtEnds, last = region.nodes.end() - shownAtEnds;
    gap.title = {std::to_string(last - first) + " steps not drawn"};
    gap.detail = "`pliant explain` lists them";
    gap.tooltip = gap.detail;
    std::set<int> made, read;
    std::map<int, Made> values;
    for (auto node = first; node != last; ++node) {
      for (int buffer : node->reads)
        if (!made.contains(buffer) && read.insert(buffer).second)
          gap.reads.push_back(buffer);
      for (const Made &m : node->makes) {
        made.insert(m.buffer);
        values.emplace(m.buffer, m);
      }
    }
    std::set<int> after(region.leaves.begin(), region.leaves.end());
    for (auto node = last; node != region.nodes.end(); ++node)
      after.insert(node->reads.begin(), node->reads.end());
    for (auto &[buffer, value] : values)
      if (after.contains(buffer))
        gap.makes.push_back(value);
    region.nodes.insert(region.nodes.erase(first, last), std::move(gap));
  }
};

} // namespace

const char *toneClass(Tone tone) {
  const char *names[] = {"loops", "rows", "contraction", "convolution", "own", "fallback", "host"};
  return names[static_cast<int>(tone)];
}

const char *toneName(Tone tone) {
  const char *names[] = {"loops", "rows", "contraction", "convolution", "own loops", "fallback", "host"};
  return names[static_cast<int>(tone)];
}

Tone toneOf(const Program &program, const driver::Compiled &compiled, const Step &step) {
  if (isFallback(step))
    return Tone::Fallback;
  if (step.kind != Step::Kind::Launch)
    return Tone::Host;
  const std::string description = static_cast<size_t>(step.group) < compiled.groups.size()
                                      ? compiled.groups[step.group].description
                                      : std::string();
  if (description.starts_with("contraction")) {
    for (const GroupNode &node : program.groups[step.group].nodes)
      if (std::string_view(info(node.op).name).starts_with("conv"))
        return Tone::Convolution;
    return Tone::Contraction;
  }
  return description.starts_with("rows") ? Tone::Rows : description.starts_with("loops") ? Tone::Loops : Tone::Own;
}

std::string TypeNames::label(const TensorType &type) {
  std::string out(name(type.dtype));
  out += "(";
  for (size_t axis = 0; axis < type.shape.size(); ++axis) {
    if (type.shape.size() > 6 && axis == 4) {
      out += ", ...";
      break;
    }
    std::string text = type.shape[axis].str();
    if (text.size() > longestExtent) {
      auto [at, fresh] = names.emplace(text, "e" + std::to_string(named.size() + 1));
      if (fresh)
        named.emplace_back(at->second, text);
      text = at->second;
    }
    out += (axis ? ", " : "") + text;
  }
  return printable(out + ")");
}

Region buildGraph(const driver::Compiled &compiled, TypeNames &names) { return Builder(compiled, names).build(); }

} // namespace pliant::tool::view
