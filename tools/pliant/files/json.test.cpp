// SPDX-License-Identifier: Apache-2.0
#include "files/json.h"
#include <gtest/gtest.h>
#include <limits>

using namespace pliant::files;

TEST(Json, WritesLinesInOrder) {
  JsonWriter json;
  json.beginObject();
  json.field("name", "x");
  json.field("dims", std::vector<int64_t>{1, 40, -3});
  json.key("empty");
  json.beginArray();
  json.endArray();
  json.key("runs");
  json.beginArray();
  json.beginObject();
  json.field("ms", 0.5);
  json.field("ok", true);
  json.endObject();
  json.value(2);
  json.endArray();
  json.key("none");
  json.null();
  json.endObject();
  EXPECT_EQ(json.text(), "{\n  \"name\": \"x\",\n  \"dims\": [1, 40, -3],\n  \"empty\": [],\n  \"runs\": [\n    {\n"
                         "      \"ms\": 0.5,\n      \"ok\": true\n    },\n    2\n  ],\n  \"none\": null\n}\n");
}

TEST(Json, ANumberMayComeLater) {
  JsonWriter json(JsonWriter::Style::Compact);
  json.beginObject();
  json.field("a", 1);
  const size_t count = json.later("count");
  json.field("b", 2);
  json.endObject();
  json.fill(count, 30);
  EXPECT_EQ(json.text(), "{\"a\": 1, \"count\": 30, \"b\": 2}\n");
}

TEST(Json, CompactIsOneLine) {
  JsonWriter json(JsonWriter::Style::Compact);
  json.beginObject();
  json.field("a", 1);
  json.key("b");
  json.beginArray();
  json.value("c");
  json.value(uint64_t(18446744073709551615u));
  json.endArray();
  json.key("t");
  json.raw("{\"x\": 1}");
  json.endObject();
  EXPECT_EQ(json.text(), "{\"a\": 1, \"b\": [\"c\", 18446744073709551615], \"t\": {\"x\": 1}}\n");
}

TEST(Json, EscapesAndReplacesBadBytes) {
  EXPECT_EQ(JsonWriter::quoted("a\"\\\n\t\x01\x7f"), "\"a\\\"\\\\\\n\\t\\u0001\\u007f\"");
  EXPECT_EQ(JsonWriter::quoted("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"), "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"");
  std::string bad = "\xef\xbf\xbd";
  EXPECT_EQ(JsonWriter::quoted("\xff"), "\"" + bad + "\"");
  EXPECT_EQ(JsonWriter::quoted("\xe2\x82"), "\"" + bad + bad + "\"");
  EXPECT_EQ(JsonWriter::quoted("\xc0\x80"), "\"" + bad + bad + "\"");
  EXPECT_EQ(JsonWriter::quoted("\xed\xa0\x80"), "\"" + bad + bad + bad + "\"");
  EXPECT_EQ(JsonWriter::quoted(std::string_view("\0", 1)), "\"\\u0000\"");
}

TEST(Json, NumbersReadBack) {
  JsonWriter json(JsonWriter::Style::Compact);
  json.beginArray();
  json.value(0.1);
  json.value(0.1f);
  json.value(1e300);
  json.value(-0.0);
  json.value(std::numeric_limits<double>::quiet_NaN());
  json.value(std::numeric_limits<double>::infinity());
  json.value(-std::numeric_limits<float>::infinity());
  json.value(int8_t(-5));
  json.endArray();
  EXPECT_EQ(json.text(), "[0.1, 0.1, 1e+300, -0, \"NaN\", \"Infinity\", \"-Infinity\", -5]\n");
}
