// SPDX-License-Identifier: Apache-2.0
// The command `ocr`: a table of what was read, figures, and the side-by-side picture.
#include "arguments.h"
#include "files/picture.h"
#include "session.h"
#include "sheet.h"
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <set>

using namespace ocr;
using namespace pliant;

namespace fs = std::filesystem;

static const std::vector<tool::Option> options{
    {"--model", "FILE", "a PP-OCR recognition model"},
    {"--keys", "FILE", "its characters, one a line"},
    {"--out", "FOLDER", "where side_by_side.png goes"},
    {"--json", nullptr, "one JSON object on standard output instead of the table"},
    {"--help", nullptr, "this text"},
};

static std::string help() {
  std::string out = "usage: ocr --model FILE --keys FILE [--out FOLDER] [--json] PICTURE...\n\n"
                    "Reads the text off pictures (.png or .jpg, one line of text each) of any width.\n\n";
  for (const tool::Option &option : options) {
    std::string left = std::string("  ") + option.name + (option.value ? std::string(" ") + option.value : "");
    left.resize(18, ' ');
    out += left + option.help + "\n";
  }
  return out;
}

/// All pictures are read before the compile: a wrong path shows at once.
static Result<std::vector<Row>> readPictures(const std::vector<std::string> &paths) {
  std::vector<Row> rows;
  for (const std::string &path : paths) {
    PLIANT_TRY(DenseTensor picture, files::readPicture(path));
    rows.push_back({path, std::move(picture), {}});
  }
  return rows;
}

static std::string sizeText(const DenseTensor &picture) {
  return std::to_string(picture.dims()[1]) + "x" + std::to_string(picture.dims()[0]);
}

/// The text comes last: it may be long, and its characters wide.
static void printRow(const Row &row, size_t nameWidth) {
  const bool any = !row.reading.text.empty();
  std::printf("%-*s  %10s  %9s  %10s  %s\n", static_cast<int>(nameWidth), fs::path(row.file).filename().c_str(),
              sizeText(row.picture).c_str(), timeText(row.reading.ms).c_str(),
              any ? percentText(row.reading.confidence).c_str() : "-",
              any ? row.reading.text.c_str() : "(no text found)");
  std::fflush(stdout);
}

static Summary summarize(const std::vector<Row> &rows, const Recognizer &recognizer) {
  std::set<int64_t> widths;
  std::vector<double> times;
  for (const Row &row : rows) {
    widths.insert(row.picture.dims()[1]);
    times.push_back(row.reading.ms);
  }
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
  return {recognizer.compiles(), static_cast<int64_t>(widths.size()), recognizer.compileMs, times[times.size() / 2]};
}

static std::string json(const std::vector<Row> &rows, const Recognizer &recognizer, const std::string &sheet) {
  files::JsonWriter json;
  json.beginObject();
  json.field("compiles", recognizer.compiles());
  json.field("compile_ms", recognizer.compileMs);
  json.field("load_ms", recognizer.loadMs);
  json.field("launches", recognizer.launches());
  json.field("fallbacks", recognizer.fallbacks());
  json.key("pictures");
  json.beginArray();
  for (const Row &row : rows) {
    json.beginObject();
    json.field("file", row.file);
    json.field("width", row.picture.dims()[1]);
    json.field("height", row.picture.dims()[0]);
    json.field("text", row.reading.text);
    json.field("confidence", row.reading.confidence);
    json.field("ms", row.reading.ms);
    json.endObject();
  }
  json.endArray();
  if (!sheet.empty())
    json.field("side_by_side", sheet);
  json.endObject();
  return json.text();
}

static Status run(const tool::Arguments &arguments) {
  for (const char *needed : {"--model", "--keys"})
    if (!arguments.has(needed))
      return userError("command line", std::string(needed) + " is missing", "", "`ocr --help` says what is needed");
  if (arguments.operands().empty())
    return userError("command line", "no picture is given");
  const bool asJson = arguments.has("--json");
  PLIANT_TRY(std::vector<Row> rows, readPictures(arguments.operands()));
  tool::Progress progress("compiling " + arguments.get("--model"));
  PLIANT_TRY(Recognizer recognizer, Recognizer::open(arguments.get("--model"), arguments.get("--keys")));
  progress.say("");

  size_t nameWidth = 7;
  for (const Row &row : rows)
    nameWidth = std::max(nameWidth, fs::path(row.file).filename().string().size());
  if (!asJson)
    std::printf("%-*s  %10s  %9s  %10s  %s\n", static_cast<int>(nameWidth), "picture", "size", "time", "confidence",
                "text");
  for (Row &row : rows) {
    auto reading = recognizer.read(row.picture);
    if (!reading)
      return reading.takeError().at(row.file);
    row.reading = std::move(*reading);
    if (!asJson)
      printRow(row, nameWidth);
  }
  const Summary summary = summarize(rows, recognizer);
  if (!asJson) {
    std::printf("\n%zu pictures of %ld different widths, %ld compile%s in %s, %s a picture (median)\n", rows.size(),
                static_cast<long>(summary.widths), static_cast<long>(summary.compiles),
                summary.compiles == 1 ? "" : "s", timeText(summary.compileMs).c_str(),
                timeText(summary.medianMs).c_str());
    if (recognizer.fallbacks())
      std::printf("%ld steps run as references, which is slow\n", static_cast<long>(recognizer.fallbacks()));
  }

  std::string sheet;
  if (arguments.has("--out")) {
    std::error_code failure;
    fs::create_directories(arguments.get("--out"), failure);
    if (failure)
      return userError("output", "the folder '" + arguments.get("--out") + "' cannot be made: " + failure.message());
    sheet = (fs::path(arguments.get("--out")) / "side_by_side.png").string();
    PLIANT_CHECK(writeSheet(sheet, rows, summary));
  }
  if (asJson)
    std::fputs(json(rows, recognizer, sheet).c_str(), stdout);
  else if (!sheet.empty())
    std::printf("input and result side by side: %s\n", sheet.c_str());
  if (std::fflush(stdout) != 0)
    return userError("output", "standard output cannot be written");
  return ok();
}

static int finish(const Error &error) {
  std::fflush(stdout);
  std::fprintf(stderr, "error: %s\n", error.text().c_str());
  return error.kind == Error::Kind::Internal ? 1 : 2;
}

int main(int argc, char **argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  auto arguments = tool::Arguments::parse("ocr", options, words);
  if (!arguments)
    return finish(arguments.error());
  if (arguments->has("--help")) {
    std::fputs(help().c_str(), stdout);
    return 0;
  }
  if (Status status = run(*arguments); !status)
    return finish(status.error());
  return 0;
}
