// SPDX-License-Identifier: Apache-2.0
// The arena over the steps.
#include "memory.h"
#include "session.h"
#include "view/draw.h"
#include <algorithm>
#include <set>

namespace pliant::tool::view {
namespace {

constexpr double panelWidth = 640, plotLeft = 76, plotWidth = 536, plotHeight = 260, rowHeight = 17;
constexpr size_t tableRows = 8, formulaCharacters = 40;

struct Life {
  const ArenaItem *item;
  int64_t bytes, offset;
};

/// A round number of bytes so that few steps of it reach `total`.
double gridStep(double total) {
  double step = 64;
  while (step * 5 < total)
    step *= 2;
  return step;
}

} // namespace

SymbolValues exampleShapes(const Program &program) {
  const std::vector<std::string> symbols = modelSymbols(program.inputs);
  std::set<std::string> first;
  for (const Argument &input : program.inputs)
    if (input.type.rank() > 1)
      if (auto symbol = input.type.shape[0].symbolName())
        first.insert(*symbol);
  SymbolValues values;
  for (int64_t size : {8, 16, 32, 64, 128, 256, 512}) {
    for (const std::string &symbol : symbols)
      values[symbol] = first.contains(symbol) ? 1 : size;
    const bool full = std::all_of(program.arena.begin(), program.arena.end(), [&](const ArenaItem &item) {
      auto bytes = valueOf(item.bytes, values);
      return bytes && *bytes > 0;
    });
    if (full)
      break;
  }
  return values;
}

Drawn drawMemory(Svg &svg, const driver::Compiled &compiled, const SymbolValues &values, TypeNames &names, Point at) {
  const Program &program = *compiled.program;
  const std::string shapes = str(values, modelSymbols(program.inputs));
  std::vector<int64_t> sizes, offsets(program.arena.size());
  for (const ArenaItem &item : program.arena) {
    auto bytes = valueOf(item.bytes, values);
    sizes.push_back(bytes ? std::max<int64_t>(*bytes, 0) : 0);
  }
  const int64_t total = placeArena(program.arena, sizes.data(), offsets.data());
  std::vector<Life> lives;
  int end = 1;
  std::map<int, int64_t> change;
  for (size_t i = 0; i < program.arena.size(); ++i) {
    const ArenaItem &item = program.arena[i];
    lives.push_back({&item, sizes[i], offsets[i]});
    end = std::max(end, item.last + 1);
    change[item.first] += sizes[i];
    change[item.last + 1] -= sizes[i];
  }
  int64_t live = 0, most = 0;
  int peak = 0;
  for (auto [time, bytes] : change)
    if ((live += bytes) > most) {
      most = live;
      peak = time;
    }
  std::vector<const Life *> atPeak;
  for (const Life &life : lives)
    if (life.item->first <= peak && peak <= life.item->last && life.bytes)
      atPeak.push_back(&life);
  std::sort(atPeak.begin(), atPeak.end(), [](const Life *a, const Life *b) {
    return a->bytes != b->bytes ? a->bytes > b->bytes : a->item->buffer < b->item->buffer;
  });
  std::vector<const Step *> makers(program.buffers.size()); // of each buffer
  std::set<int> scratch;
  for (const Step *s : numberedSteps(program)) {
    for (int output : s->outputs)
      if (const Step *&maker = makers[baseBuffer(program, output)]; !maker || maker->kind == Step::Kind::If)
        maker = s;
    if (s->scratch >= 0) {
      makers[s->scratch] = s;
      scratch.insert(s->scratch);
    }
  }
  auto nameOf = [&](const Life &life) {
    return scratch.contains(life.item->buffer) ? std::string("scratch")
                                               : names.label(program.buffers[life.item->buffer].type);
  };
  const size_t rows = std::min(atPeak.size(), tableRows), more = atPeak.size() - rows;
  const double height =
      92 + plotHeight + 34 + (rows ? 30 + rowHeight * static_cast<double>(rows + (more ? 1 : 0)) : 0) + 12;
  svg.beginGroup("memory");
  svg.rect(at.x, at.y, panelWidth, height, 10, "panel");
  const double x0 = at.x + plotLeft, y0 = at.y + 84 + plotHeight;
  svg.text(at.x + 18, at.y + 28, "s13", "Memory over the run");
  svg.text(at.x + 18, at.y + 47, "s11 soft",
           shortened("arena " + bytesText(static_cast<double>(total)) + (shapes.empty() ? "" : " at " + shapes), 84));
  const uint64_t dynamic =
      static_cast<uint64_t>(std::count_if(program.buffers.begin(), program.buffers.end(),
                                          [](const Buffer &b) { return b.storage == Buffer::Storage::Dynamic; }));
  svg.text(at.x + 18, at.y + 63, "s11 soft",
           std::to_string(lives.size()) + " buffers, each from its writer to its last reader" +
               (dynamic ? "; " + std::to_string(dynamic) + " of run-time size not shown" : ""));
  const double scale = plotHeight / static_cast<double>(std::max<int64_t>(total, 1));
  const double width = plotWidth / static_cast<double>(end);
  const double step = gridStep(static_cast<double>(std::max<int64_t>(total, 1)));
  for (double bytes = 0; bytes <= static_cast<double>(total); bytes += step) {
    const double y = y0 - bytes * scale;
    svg.path("M" + number(x0) + " " + number(y) + " H" + number(x0 + plotWidth), "grid");
    svg.text(x0 - 8, y + 3.5, "s10 soft", bytesText(bytes), "end");
  }
  for (const Life &life : lives) {
    if (!life.bytes)
      continue;
    const Step *maker = makers[life.item->buffer];
    const Tone tone = maker ? toneOf(program, compiled, *maker) : Tone::Host;
    svg.rect(x0 + life.item->first * width, y0 - static_cast<double>(life.offset + life.bytes) * scale,
             std::max((life.item->last + 1 - life.item->first) * width, 0.8),
             std::max(static_cast<double>(life.bytes) * scale, 0.4), 0, std::string("buffer ") + toneClass(tone),
             nameOf(life) + (maker ? " of " + stepName(program, *maker) : "") + "\n" + life.item->bytes.str() +
                 " bytes = " + bytesText(static_cast<double>(life.bytes)) + "\nsteps " +
                 std::to_string(life.item->first) + " to " + std::to_string(life.item->last));
  }
  std::string line = "M" + number(x0) + " " + number(y0);
  live = 0;
  for (auto [time, bytes] : change) {
    live += bytes;
    line += " H" + number(x0 + time * width) + " V" + number(y0 - static_cast<double>(live) * scale);
  }
  svg.path(line, "live");
  svg.path("M" + number(x0) + " " + number(y0) + " H" + number(x0 + plotWidth), "axis");
  svg.text(x0, y0 + 16, "s10 soft", "0");
  svg.text(x0 + plotWidth, y0 + 16, "s10 soft", "step " + std::to_string(end), "end");
  if (most) {
    const double x = x0 + (peak + 0.5) * width;
    svg.circle({x, y0 - static_cast<double>(most) * scale}, 3.5, "peak");
    svg.text(std::clamp(x, x0 + 60, x0 + plotWidth - 120), y0 + 16, "s10 soft", "peak: step " + std::to_string(peak),
             "middle");
  }
  double y = y0 + 46;
  if (rows) {
    svg.text(at.x + 18, y, "s11",
             "Largest live set: " + bytesText(static_cast<double>(most)) + " at step " + std::to_string(peak));
    svg.circle({at.x + panelWidth - 24, y - 4}, 3.5, "peak");
    for (size_t i = 0; i < rows; ++i) {
      y += rowHeight;
      const Life &life = *atPeak[i];
      svg.text(at.x + 18, y, "m s10",
               shortened(nameOf(life) + (scratch.contains(life.item->buffer)
                                             ? " of " + stepName(program, *makers[life.item->buffer])
                                             : ""),
                         formulaCharacters));
      svg.text(at.x + 18 + 41 * 6.1 + 8, y, "m s10 soft", shortened(life.item->bytes.str(), 34));
      svg.text(at.x + panelWidth - 18, y, "m s10", bytesText(static_cast<double>(life.bytes)), "end");
    }
    if (more)
      svg.text(at.x + 18, y + rowHeight, "s10 soft", "and " + std::to_string(more) + " more");
  }
  svg.endGroup();
  return {panelWidth, height};
}

} // namespace pliant::tool::view
