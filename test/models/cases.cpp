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

std::string repeated(const std::string &shape, int times) {
  std::string text = shape;
  for (int i = 1; i < times; ++i)
    text += ";" + shape;
  return text;
}

/// A decoder's calls: a prefill, then one token at a time. Batch, tokens, tokens with the past, past.
std::string growing(int batch, int prefill, int steps) {
  std::string text;
  for (int i = 0, past = 0; i <= steps; past += i++ ? 1 : prefill) {
    const int tokens = i ? 1 : prefill;
    text += (i ? ";" : "") + std::to_string(batch) + "," + std::to_string(tokens) + "," +
            std::to_string(past + tokens) + "," + std::to_string(past);
  }
  return text;
}

/// 30 seconds of sound, chunk by chunk.
Stream voice(int rate, int chunk, int batch) {
  const std::string b = std::to_string(batch);
  return {.name = std::to_string(rate) + " Hz, batch " + b,
          .shapes = repeated(b + "," + std::to_string(chunk) + "," + b, (30 * rate + chunk - 1) / chunk),
          .ranges = "sr=" + std::to_string(rate) + ".." + std::to_string(rate),
          .feed = {{"stateN", "state"}},
          .signal = "input",
          .reference = 12};
}

Stream decoding(int batch, int prefill) {
  return {.name = "prefill of " + std::to_string(prefill),
          .shapes = growing(batch, prefill, 20),
          .ranges = "",
          .feed = {{"present.1.key", "past_key_values.1.key"},
                   {"present.1.value", "past_key_values.1.value"},
                   {"present.3.key", "past_key_values.3.key"},
                   {"present.3.value", "past_key_values.3.value"},
                   {"present_conv.0", "past_conv.0"},
                   {"present_conv.2", "past_conv.2"}},
          .reference = 21};
}

/// A loop of at most so many tokens, for one text and for three.
Stream generating(int most) {
  const std::string trips = std::to_string(most);
  return {.name = "at most " + trips, .shapes = "1;3", .ranges = "most=" + trips + ".." + trips, .feed = {}};
}

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
       // The table of positions ends at 256: a step right behind it has no rows.
       .shapes = product({{1, 3}, lengths, {0, 1, 17, 64}}) + ";1,1,127;3,1,128;2,2,254;1,31,225;1,1,255",
       .reference = product({{1, 3}, {1, 16, 31}, {0, 1, 17}}) + ";1,1,256",
       .bad = "1,7,250;2,1,512",
       .prefill = "gpt2_tiny_prefill",
       .states = 4},
      {.name = "lstm_language_tiny",
       .file = "lstm_language_tiny.onnx",
       .shapes = "5,17;3,90",
       .reference = "1,1;7,3;2,16"},
      {.name = "gru_language_tiny",
       .file = "gru_language_tiny.onnx",
       .shapes = "5,17;3,90",
       .reference = "1,1;7,3;2,16"},
      {.name = "lstm_tagger_tiny", .file = "lstm_tagger_tiny.onnx", .shapes = "5,17;3,90", .reference = "1,1;7,3;2,16"},
      {.name = "lstm_generator_tiny",
       .file = "lstm_generator_tiny.onnx",
       .streams = {generating(0), generating(1), generating(31), generating(127)}},
      {.name = "t5_encoder_tiny",
       .file = "t5_encoder_tiny.onnx",
       .shapes = product({{1, 3}, lengths}),
       .reference = "1,1;3,7;2,16"},
      {.name = "t5_decoder_tiny",
       .file = "t5_decoder_tiny.onnx",
       .shapes = product({{1, 3}, {1, 2, 7, 31, 128}, {1, 7, 64, 127}}),
       .reference = "1,1,1;3,7,2;2,5,16"},
      {.name = "whisper_encoder_tiny",
       .file = "whisper_encoder_tiny.onnx",
       .shapes = product({{1, 3}, lengths}) + ";1,255",
       .reference = "1,1;3,2;1,7;2,16"},
      {.name = "byte_sb_bidi_lstm",
       .file = "byte_sb_bidi_lstm/model.onnx",
       .shapes = "1..4,1..40",
       .reference = "1,1;2,7;4,40"},
      {.name = "pos_tagger",
       .file = "pos_tagger/model.onnx",
       .shapes = "1..40",
       .reference = "1;2;7",
       .given = {{"var_sentence_length", {"sentence_length"}}, {"reshape_size", {"sentence_length", "1", "128"}}},
       .storedWeights = true},
      {.name = "micro_kws", .file = "micro_kws_m_static_fp32.onnx"},
      {.name = "micro_kws_qdq", .file = "micro_kws_m_qdq.onnx", .reference = "1..5", .literal = true},
      {.name = "tiny_lfm2",
       .file = "tiny_lfm2_decoder.onnx",
       .streams = {decoding(1, 1), decoding(2, 5), decoding(3, 16)},
       .states = 4},
      {.name = "silero_vad",
       .file = "silero_vad_v5.onnx",
       .bad = "1,2048,1",
       .streams = {voice(16000, 512, 1), voice(16000, 512, 3), voice(8000, 256, 1), voice(8000, 256, 3)}},
      {.name = "graph_gpt2",
       .file = "graph_gpt2.onnx",
       .shapes = "1,1,16;2,1,31",
       .reference = "1,1,1;2,1,3",
       .streams = {{.name = "no token",
                    .shapes = "1,1,0",
                    .ranges = "",
                    .feed = {},
                    .reference = 1,
                    .empty = {"output1", "output2"}},
                   {.name = "a token", .shapes = "1,2,1", .ranges = "", .feed = {}, .full = {"output1", "output2"}}}},
      {.name = "graph_t5_encoder", .file = "graph_t5_encoder.onnx", .shapes = "1,31;3,16", .reference = "1,0;1,1;2,3"},
      {.name = "graph_tiny_yolov3",
       .file = "graph_tiny_yolov3.onnx",
       .shapes = "1,416,416;1,96,128",
       .reference = "1,32,32;1,64,96",
       .ranges = "input_1=-4..4",
       .streams = {{.name = "no box",
                    .shapes = "1,64,96;1,32,32",
                    .ranges = "input_1=0..0",
                    .feed = {},
                    .reference = 2,
                    .empty = {"yolonms_layer_1:2"}},
                   {.name = "boxes",
                    .shapes = "1,96,128",
                    .ranges = "input_1=-8..8",
                    .feed = {},
                    .reference = 1,
                    .full = {"yolonms_layer_1:2"}}}},
      {.name = "bert_base", .file = "bert_base.onnx", .shapes = product({{1, 3}, lengths}), .large = true},
      {.name = "gpt2_small_prefill",
       .file = "gpt2_small_prefill.onnx",
       .shapes = product({{1, 3}, lengths}),
       .large = true},
      {.name = "lstm_language", .file = "lstm_language.onnx", .shapes = product({lengths, {1, 3}}), .large = true},
      {.name = "gru_language", .file = "gru_language.onnx", .shapes = product({lengths, {1, 3}}), .large = true},
      {.name = "lstm_tagger", .file = "lstm_tagger.onnx", .shapes = product({lengths, {1, 3}}), .large = true},
      {.name = "lstm_generator",
       .file = "lstm_generator.onnx",
       .streams = {generating(0), generating(1), generating(2), generating(7), generating(16), generating(31),
                   generating(64), generating(127)},
       .large = true},
      {.name = "t5_encoder", .file = "t5_encoder.onnx", .shapes = product({{1, 3}, lengths}), .large = true},
      {.name = "t5_decoder",
       .file = "t5_decoder.onnx",
       .shapes = product({{1, 3}, {1, 7, 31, 127}, {1, 16, 127}}),
       .large = true},
      {.name = "whisper_encoder",
       .file = "whisper_encoder.onnx",
       .shapes = product({{1, 3}, lengths}) + ";1,1500",
       .large = true},
      {.name = "gpt2_small_step",
       .file = "gpt2_small_step.onnx",
       .shapes = product({{1, 3}, {1, 2, 16, 31}, {0, 1, 17, 64}}) + ";1,1,127;3,1,128;2,7,255;1,1,512;3,2,512",
       .prefill = "gpt2_small_prefill",
       .states = 24,
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
