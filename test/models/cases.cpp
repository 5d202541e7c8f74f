// SPDX-License-Identifier: Apache-2.0
// The table of models; symbols in the order that `pliant check` lists them.
#include "cases.h"
#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace pliant::models {
namespace {

/// All combinations of the lists, the last running fastest.
std::string product(const std::vector<std::vector<int>> &lists) {
  std::vector<std::string> out{""};
  for (const std::vector<int> &list : lists) {
    std::vector<std::string> longer;
    for (const std::string &prefix : out)
      for (int value : list)
        longer.push_back((prefix.empty() ? "" : prefix + ",") + std::to_string(value));
    out = std::move(longer);
  }
  std::string text;
  for (const std::string &shape : out)
    text += (text.empty() ? "" : ";") + shape;
  return text;
}

const std::vector<int> lengths{1, 2, 7, 16, 31, 64, 127, 128};

} // namespace

const std::vector<Case> &cases() {
  static const std::vector<Case> list{
      {.name = "ppocr_rec",
       .file = "ch_PP-OCRv4_rec_infer.onnx",
       .shapes = "1,17;1,40..640/25;1,960;2,200;5,200;8,200",
       .reference = "1,17;1,40;2,31"},
      {.name = "ppocr_det",
       .file = "ch_PP-OCRv4_det_infer.onnx",
       .shapes = "1,32,32;1,32,64;1,96,160;1,256,512;1,320,320;1,320,480;1,416,608;1,480,640;1,640,640;1,736,736",
       .reference = "1,32,32;2,32,64",
       .bad = "1,100,100"},
      {.name = "ppocr_cls",
       .file = "ch_ppocr_mobile_v2.0_cls_infer.onnx",
       .shapes = "1,48,192;2,48,192;7,48,192;1,32,100",
       .reference = "2,48,192;1,32,100"},
      {.name = "yunet",
       .file = "yunet_n_dynamic.onnx",
       .shapes = "1,64,96;1,96,64;1,160,160;1,320,320;1,224,416;1,480,640;"
                 "3,64,96;3,96,64;3,160,160;3,320,320;3,224,416;3,480,640",
       .reference = "1,64,96;3,96,64"},
      {.name = "resnet18", .file = "resnet18.onnx"},
      {.name = "mobilenet_v2", .file = "mobilenet_v2.onnx"},
      {.name = "bert_tiny", .file = "bert_tiny.onnx", .shapes = product({{1, 3}, lengths}), .reference = "1,1;3,7"},
      {.name = "gpt2_tiny_prefill",
       .file = "gpt2_tiny_prefill.onnx",
       .shapes = product({{1, 3}, lengths}),
       .reference = "1,1;3,7"},
      {.name = "gpt2_tiny_step",
       .file = "gpt2_tiny_step.onnx",
       .shapes = product({{1, 3}, lengths, {0, 1, 17, 64}}),
       .reference = product({{1, 3}, {1, 16, 31}, {0, 1, 17}}),
       .prefill = "gpt2_tiny_prefill"},
      {.name = "lstm_language_tiny",
       .file = "lstm_language_tiny.onnx",
       .shapes = "5,17;3,90",
       .reference = "1,1;7,3;2,16"},
      {.name = "gru_language_tiny",
       .file = "gru_language_tiny.onnx",
       .shapes = "5,17;3,90",
       .reference = "1,1;7,3;2,16"},
      {.name = "lstm_tagger_tiny", .file = "lstm_tagger_tiny.onnx", .shapes = "5,17;3,90", .reference = "1,1;7,3;2,16"},
      {.name = "byte_sb_bidi_lstm",
       .file = "byte_sb_bidi_lstm/model.onnx",
       .shapes = product({{1, 2, 3, 4}, {1, 2, 7, 16, 31, 40}}),
       .reference = "1,1;2,7"},
      {.name = "bert_base", .file = "bert_base.onnx", .shapes = product({{1, 3}, lengths}), .large = true},
      {.name = "gpt2_small_prefill",
       .file = "gpt2_small_prefill.onnx",
       .shapes = product({{1, 3}, lengths}),
       .large = true},
      {.name = "lstm_language", .file = "lstm_language.onnx", .shapes = product({lengths, {1, 3}}), .large = true},
      {.name = "gru_language", .file = "gru_language.onnx", .shapes = product({lengths, {1, 3}}), .large = true},
      {.name = "lstm_tagger", .file = "lstm_tagger.onnx", .shapes = product({lengths, {1, 3}}), .large = true},
      {.name = "gpt2_small_step",
       .file = "gpt2_small_step.onnx",
       .shapes = product({{1, 3}, {1, 2, 16, 31}, {0, 1, 17, 64}}),
       .prefill = "gpt2_small_prefill",
       .large = true},
  };
  return list;
}

const Case *findCase(const std::string &name) {
  auto found = std::find_if(cases().begin(), cases().end(), [&](const Case &c) { return c.name == name; });
  return found == cases().end() ? nullptr : &*found;
}

namespace fs = std::filesystem;

std::vector<std::string> folders() {
  const char *given = std::getenv("PLIANT_MODELS"), *cache = std::getenv("PLIANT_CACHE"), *home = std::getenv("HOME");
  return {given ? given : PLIANT_SOURCE_DIR "/../shared/models",
          fs::path(cache ? cache : std::string(home ? home : "") + "/.cache/pliant") / "models"};
}

std::string findFile(const std::string &name) {
  std::error_code failure;
  for (const std::string &folder : folders())
    if (fs::exists(fs::path(folder) / name, failure))
      return (fs::path(folder) / name).string();
  return {};
}

} // namespace pliant::models
