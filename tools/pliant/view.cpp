// SPDX-License-Identifier: Apache-2.0
// pliant view: a picture of the program.
#include "command.h"
#include "entry_checks.h"
#include "files/bytes.h"
#include "session.h"
#include "view/draw.h"
#include <algorithm>
#include <filesystem>
#include <set>

namespace pliant::tool {
namespace {

using view::Svg;

constexpr double margin = 36, row = 17, legendWidth = 640;
constexpr int64_t mostBytes = int64_t(1) << 44; ///< of a buffer, so that sums stay far below 64 bits
constexpr size_t listRows = 10, extentRows = 40, lineCharacters = 150;

/// What a run checks before its kernels, one line each.
std::vector<std::string> checkLines(const Program &program) {
  std::vector<std::string> lines;
  const EntryChecks entry = entryChecks(program);
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    std::string list;
    for (const std::string &check : entry.perInput[i])
      list += (list.empty() ? "" : ", ") + check;
    lines.push_back(program.inputs[i].name + ": " +
                    (program.inputs[i].list ? program.inputs[i].list->str() : program.inputs[i].type.str()) + "  " +
                    (list.empty() ? "nothing to check" : list));
  }
  std::set<std::string> seen;
  for (const Step *step : numberedSteps(program))
    if (step->kind == Step::Kind::Check)
      if (std::string text = checkText(*step); seen.insert(text).second)
        lines.push_back(text + "  at " + step->place);
  return lines;
}

double drawChecks(Svg &svg, const Program &program, view::Point at) {
  std::vector<std::string> lines = checkLines(program);
  if (lines.size() > listRows + 1) {
    const size_t more = lines.size() - listRows;
    lines.resize(listRows);
    lines.push_back("and " + std::to_string(more) + " more: `pliant explain` lists them");
  }
  svg.beginGroup("checks");
  svg.text(at.x, at.y, "s11 soft", "Checked at entry");
  for (const std::string &line : lines) {
    at.y += row;
    svg.text(at.x, at.y, "m s11", view::shortened(line, lineCharacters));
  }
  svg.endGroup();
  return row * static_cast<double>(lines.size());
}

double drawLegend(Svg &svg, view::Point at) {
  using view::Tone;
  const std::pair<Tone, const char *> rows[] = {
      {Tone::Loops, "element by element"},           {Tone::Rows, "reductions and what uses them"},
      {Tone::Contraction, "matrix products"},        {Tone::Convolution, "filters"},
      {Tone::Own, "pooling, resizing, sorting ..."}, {Tone::Fallback, "reference evaluator, no kernel"},
      {Tone::Host, "extents and values on the host"}};
  const double height = 44 + row * 4 + 26;
  svg.beginGroup("legend");
  svg.rect(at.x, at.y, legendWidth, height, 10, "panel");
  svg.text(at.x + 18, at.y + 28, "s13", "Kernels");
  for (size_t i = 0; i < std::size(rows); ++i) {
    const double x = at.x + 18 + (i % 2 ? 310 : 0), y = at.y + 50 + row * static_cast<double>(i / 2);
    svg.rect(x, y - 9, 10, 10, 2.5, view::toneClass(rows[i].first));
    svg.text(x + 18, y, "s11", view::toneName(rows[i].first));
    svg.text(x + 100, y, "s10 soft", rows[i].second);
  }
  svg.text(at.x + 18, at.y + height - 16, "s10 soft",
           "x N: equal segments, drawn once; dashed: what each hands to the next. Point at things for more.");
  svg.endGroup();
  return height;
}

/// What the names of long extents stand for.
double drawExtents(Svg &svg, const view::TypeNames &names, view::Point at) {
  const size_t rows = std::min(names.list().size(), extentRows), more = names.list().size() - rows;
  if (!rows)
    return 0;
  const double height = 44 + row * static_cast<double>(rows + (more ? 1 : 0)) + 8;
  svg.beginGroup("extents");
  svg.rect(at.x, at.y, legendWidth, height, 10, "panel");
  svg.text(at.x + 18, at.y + 28, "s13", "Extents");
  double y = at.y + 34;
  for (size_t i = 0; i < rows; ++i) {
    y += row;
    svg.text(at.x + 18, y, "m s11", names.list()[i].first);
    svg.text(at.x + 60, y, "m s11 soft", view::shortened(names.list()[i].second, 80));
  }
  if (more)
    svg.text(at.x + 18, y + row, "s10 soft", "and " + std::to_string(more) + " more");
  svg.endGroup();
  return height;
}

Status draw(const Arguments &arguments) {
  const std::string output = arguments.get("--output");
  if (output.empty())
    return userError("command line", "--output FILE is missing", "", "pliant view model.onnx --output model.svg");
  PLIANT_TRY(driver::Options options, compileOptions(arguments));
  PLIANT_TRY(Model model, compileModel(arguments, options));
  const Program &program = model.program();
  const std::vector<std::string> symbols = modelSymbols(program.inputs);
  SymbolValues values = view::exampleShapes(program);
  if (arguments.has("--shapes")) {
    PLIANT_TRY(auto list, parseShapes(arguments.get("--shapes"), symbols));
    if (list.size() != 1)
      return userError("command line",
                       "--shapes: a picture shows one list of values, " + std::to_string(list.size()) + " are given");
    values = list[0];
    for (const ArenaItem &item : program.arena)
      if (auto bytes = valueOf(item.bytes, values); !bytes || *bytes < 0 || *bytes > mostBytes)
        return userError("command line",
                         "--shapes: a value of " + program.buffers[item.buffer].type.str() +
                             (bytes && *bytes < 0 ? " has a negative extent" : " is too large to draw"));
  }
  int64_t launches = 0, fallbacks = 0;
  for (const Step *step : numberedSteps(program)) {
    launches += step->kind == Step::Kind::Launch;
    fallbacks += isFallback(*step);
  }
  const std::string name = std::filesystem::path(model.path).filename().string();
  const std::string line = std::to_string(launches) + " launches of " + std::to_string(program.groups.size()) +
                           " kernels, " + std::to_string(fallbacks) + " fallbacks, weights " +
                           bytesText(static_cast<double>(weightBytes(program))) + ", code " +
                           bytesText(static_cast<double>(model.compiled.image.size()));
  Svg svg;
  svg.text(margin, margin + 16, "s20", view::shortened(name, 60));
  svg.text(margin, margin + 38, "s12 soft", line);
  const double top = margin + 66 + drawChecks(svg, program, {margin, margin + 66}) + 40;
  view::TypeNames names;
  const view::Region graphOf = view::buildGraph(model.compiled, names);
  const view::Drawn graph = drawGraph(svg, graphOf, {margin, top});
  const double side = margin + std::max(graph.width, 480.0) + 56;
  const double legend = drawLegend(svg, {side, top});
  const double below = top + legend + 20;
  const view::Drawn memory = drawMemory(svg, model.compiled, values, names, {side, below});
  const double extents = drawExtents(svg, names, {side, below + memory.height + 20});
  const double height = std::max(top + graph.height, below + memory.height + 20 + extents) + margin;
  const double textWidth = margin * 2 + view::monoWidth(std::string(lineCharacters, 'x'), 11);
  PLIANT_CHECK(files::writeFile(
      output, svg.finish(std::max(side + memory.width + margin, textWidth), height, "pliant view " + name)));
  if (arguments.has("--json")) {
    files::JsonWriter json;
    json.beginObject();
    json.field("model", model.path);
    json.field("output", output);
    json.field("launches", launches);
    json.field("kernels", program.groups.size());
    json.key("symbols");
    json.beginObject();
    for (const std::string &symbol : symbols)
      json.field(symbol, values[symbol]);
    json.endObject();
    json.endObject();
    std::fputs(json.text().c_str(), stdout);
  } else if (output != "/dev/stdout") {
    const std::string shown = str(values, symbols);
    std::printf("%s: %s%s%s\n", output.c_str(), line.c_str(), shown.empty() ? "" : "; memory at ", shown.c_str());
  }
  return ok();
}

} // namespace

Command viewCommand() {
  return {
      "view",
      "model.onnx --output FILE.svg [options]",
      "draws the program: fused groups, types on the edges, memory over the run",
      "Equal segments of launches (the layers of a model) are drawn once. Without --shapes the memory is that of a\n"
      "small example, which the picture names.",
      modelOptions({{"--output", "FILE", "the SVG file to write"},
                    {"--shapes", "LIST", "values of the model's symbols for the picture of memory"}}),
      draw};
}

} // namespace pliant::tool
