// SPDX-License-Identifier: Apache-2.0
// Texts that come from files are safe in XML.
#include "view/svg.h"
#include <gtest/gtest.h>

using namespace pliant::tool::view;

namespace {

TEST(Svg, HostileNames) {
  EXPECT_EQ(printable("plain"), "plain");
  EXPECT_EQ(printable("a\x01\x7f\n"), "a???");
  EXPECT_EQ(printable("\xc3\xa9"), "\xc3\xa9");
  EXPECT_EQ(printable("\xc3"), "?");
  EXPECT_EQ(printable("\xc0\x80"), "??");           // overlong
  EXPECT_EQ(printable("\xed\xa0\x80"), "?");        // a surrogate
  EXPECT_EQ(printable("\xef\xbf\xbf"), "?");        // no character
  EXPECT_EQ(printable("\xe2\x80\xae"), "?");        // would turn the text around
  EXPECT_EQ(printable("\xf5\x80\x80\x80"), "????"); // beyond Unicode
}

TEST(Svg, TextsAndAttributesAreEscaped) {
  Svg svg;
  svg.beginGroup("card", "<&>\"\n\x02");
  svg.text(1, 2, "m", "]]></text><script>\xff");
  svg.endGroup();
  std::string text = svg.finish(10, 10, "<t>");
  EXPECT_NE(text.find("<title>&lt;&amp;&gt;&quot;&#10;?</title>"), std::string::npos);
  EXPECT_NE(text.find("]]&gt;&lt;/text&gt;&lt;script&gt;?"), std::string::npos);
  EXPECT_EQ(text.find("<script"), std::string::npos);
}

TEST(Svg, Shortened) {
  EXPECT_EQ(shortened("/layers.0/attention/q", 30), "/layers.0/attention/q");
  EXPECT_EQ(shortened("0123456789abcdef", 9), "012...def");
  const std::string accents = "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9";
  EXPECT_EQ(shortened(accents, 9), accents.substr(0, 6) + "..." + accents.substr(0, 6)); // between characters
}

TEST(Svg, Widths) {
  EXPECT_DOUBLE_EQ(monoWidth("abcd", 10), 24.4);
  EXPECT_DOUBLE_EQ(monoWidth("\xc3\xa9", 10), 11); // may come from another font
}

TEST(Svg, Numbers) {
  EXPECT_EQ(number(1), "1");
  EXPECT_EQ(number(0.26), "0.3");
  EXPECT_EQ(number(-0.01), "0");
}

} // namespace
