// SPDX-License-Identifier: Apache-2.0
// What is recorded and not yet run, to be looked at: as text, one op a line, as a graph for Graphviz, or as IR.
#include "api/compile.h"
#include "api/record.h"
#include "runtime/memory.h"
#include "trace/oplist.h"
#include "trace/symbolic.h"
#include <algorithm>
#include <map>

namespace pliant {
namespace {

struct Picture {
  trace::Log::Listing listing = api::Session::current().pending();
  trace::OpList list{*listing.segment.structure};

  std::string type(uint32_t operand) const {
    const trace::Kind kind = list.kind(operand);
    const bool leaf = operand & trace::leafBit;
    std::vector<int64_t> dims;
    if (leaf) {
      const auto extents = listing.segment.leaves[operand & ~trace::leafBit]->dims();
      dims.assign(extents.begin(), extents.end());
    } else {
      dims = listing.dims[operand];
    }
    return std::string(name(kind.dtype)) + str(dims);
  }
  static std::string called(uint32_t operand) {
    return operand & trace::leafBit ? "leaf" + std::to_string(operand & ~trace::leafBit)
                                    : "v" + std::to_string(operand);
  }
  bool held(uint32_t value) const {
    const auto &results = list.structure.results;
    return std::binary_search(results.begin(), results.end(), value);
  }
  std::string line(size_t op) const {
    const auto &sites = *listing.segment.sites;
    return op < sites.size() && sites[op].line ? trace::str(sites[op]) : "";
  }
};

std::string asText(const Picture &picture) {
  std::string out;
  for (uint32_t i = 0; i < picture.list.leaves.size(); ++i)
    out += Picture::called(i | trace::leafBit) + ": " + picture.type(i | trace::leafBit) + "\n";
  for (size_t op = 0; op < picture.list.size(); ++op) {
    const trace::Header header = picture.list.header(op);
    const uint32_t first = picture.list.ops[op].value;
    for (uint32_t i = 0; i < header.results; ++i)
      out += (i ? ", " : "") + Picture::called(first + i) + (picture.held(first + i) ? "*" : "") + ": " +
             picture.type(first + i);
    out += " = " + std::string(info(header.op).name) + "(";
    for (uint32_t i = 0; i < header.operands; ++i)
      out += (i ? ", " : "") + Picture::called(picture.list.operand(op, i));
    out += ")";
    if (const std::string line = picture.line(op); !line.empty())
      out += "  # " + line;
    out += "\n";
  }
  return out;
}

std::string asDot(const Picture &picture) {
  std::string out = "digraph pending {\n  node [shape=box, fontname=\"sans-serif\"];\n";
  for (uint32_t i = 0; i < picture.list.leaves.size(); ++i)
    out += "  " + Picture::called(i | trace::leafBit) + " [label=\"" + picture.type(i | trace::leafBit) +
           "\", style=rounded];\n";
  for (size_t op = 0; op < picture.list.size(); ++op) {
    const trace::Header header = picture.list.header(op);
    const uint32_t first = picture.list.ops[op].value;
    for (uint32_t i = 0; i < header.results; ++i) {
      const std::string id = Picture::called(first + i);
      out += "  " + id + " [label=\"" + std::string(info(header.op).name) + "\\n" + picture.type(first + i) + "\"" +
             (picture.held(first + i) ? ", peripheries=2" : "") + "];\n";
      for (uint32_t k = 0; k < header.operands; ++k)
        out += "  " + Picture::called(picture.list.operand(op, k)) + " -> " + id + ";\n";
    }
  }
  return out + "}\n";
}

std::string asIr(const Picture &picture) {
  if (picture.listing.segment.empty())
    return {};
  auto ir = [&]() -> Result<std::string> {
    PLIANT_TRY(const trace::Trace trace, trace::generalize(trace::Instance(picture.listing.segment)));
    driver::Options options;
    options.stopAfter = "import";
    options.cache = false;
    PLIANT_TRY(driver::Compiled compiled, compile(trace, options));
    return std::move(compiled.prints.back().second);
  };
  return api::checked(ir());
}

/// Tensors that one line has recorded.
struct Recorded {
  int64_t tensors = 0, bytes = 0;
};

void count(const trace::Log::Listing &listing, std::map<std::string, Recorded> &lines) {
  const trace::OpList list(*listing.segment.structure);
  for (const uint32_t value : list.structure.results) {
    const uint32_t op = list.makers[value];
    const Site site = op < listing.segment.sites->size() ? (*listing.segment.sites)[op] : Site();
    Recorded &line = lines[site.line ? trace::str(site) : "no line"];
    auto bytes = static_cast<int64_t>(byteSize(list.kind(value).dtype));
    for (const int64_t extent : listing.dims[value])
      bytes *= extent;
    ++line.tensors;
    line.bytes += bytes;
  }
}

} // namespace

std::string live() {
  std::map<std::string, Recorded> lines;
  size_t threads = 0;
  for (const trace::Log::Listing &each : api::Session::pendingOfAll()) {
    threads += !each.segment.structure->results.empty();
    count(each, lines);
  }
  std::vector<std::pair<std::string, Recorded>> sorted(lines.begin(), lines.end());
  std::ranges::sort(sorted, [](const auto &a, const auto &b) {
    return a.second.bytes != b.second.bytes ? a.second.bytes > b.second.bytes : a.first < b.first;
  });
  std::string out;
  if (!sorted.empty())
    out = "recorded by " + std::to_string(threads) + (threads == 1 ? " thread" : " threads") + " and not yet run:\n";
  for (const auto &[line, recorded] : sorted)
    out += "  " + line + ": " + std::to_string(recorded.tensors) +
           (recorded.tensors == 1 ? " tensor, " : " tensors, ") + byteCountText(static_cast<size_t>(recorded.bytes)) +
           "\n";
  return out + "in memory: " + byteCountText(liveMemory()) + "\n";
}

std::string pending(Form form) {
  const Picture picture;
  switch (form) {
  case Form::Text:
    return asText(picture);
  case Form::Dot:
    return asDot(picture);
  case Form::Ir:
    return asIr(picture);
  }
  return {};
}

} // namespace pliant
