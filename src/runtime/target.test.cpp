// SPDX-License-Identifier: Apache-2.0
#include "runtime/target.h"
#include <gtest/gtest.h>

using namespace pliant;

TEST(Target, HostIsConsistent) {
  const TargetDescription &host = TargetDescription::host();
  EXPECT_TRUE(host.has("sse2"));
  EXPECT_FALSE(host.has("sse"
                        "5"));
  EXPECT_FALSE(host.has("xop"));
  EXPECT_EQ(host.vectorBits == 512, host.has("avx512vl") && host.has("avx512bw"));
  EXPECT_EQ(host.fma, host.has("fma"));
  EXPECT_EQ(host.vectorRegisters, host.vectorBits == 512 ? 32u : 16u);
  EXPECT_GE(host.l1d, 8u << 10);
  EXPECT_GE(host.l2, host.l1d);
  EXPECT_GE(host.cacheLine, 32u);
  EXPECT_FALSE(host.cpu.empty());
}

TEST(Target, AgreesWithTheCompilerRuntime) {
  __builtin_cpu_init();
  const TargetDescription &host = TargetDescription::host();
  EXPECT_EQ(host.has("avx2"), !!__builtin_cpu_supports("avx2"));
  EXPECT_EQ(host.has("avx512f"), !!__builtin_cpu_supports("avx512f"));
  EXPECT_EQ(host.has("avx512vnni"), !!__builtin_cpu_supports("avx512vnni"));
  EXPECT_EQ(host.has("avx512bf16"), !!__builtin_cpu_supports("avx512bf16"));
  EXPECT_EQ(host.has("avx512vbmi"), !!__builtin_cpu_supports("avx512vbmi"));
  EXPECT_EQ(host.has("gfni"), !!__builtin_cpu_supports("gfni"));
  EXPECT_EQ(host.has("bmi2"), !!__builtin_cpu_supports("bmi2"));
}

TEST(Target, ForcedNarrows) {
  auto baseline = TargetDescription::forced("x86-64");
  ASSERT_TRUE(baseline);
  EXPECT_EQ(baseline->vectorBits, 128u);
  EXPECT_EQ(baseline->cpu, "x86-64");
  EXPECT_FALSE(baseline->fma);
  EXPECT_FALSE(baseline->has("avx"));
  EXPECT_TRUE(baseline->has("sse2"));
  const TargetDescription &host = TargetDescription::host();
  EXPECT_EQ(baseline->l2, host.l2);
  auto avx2 = TargetDescription::forced("avx2"), avx512 = TargetDescription::forced("avx512");
  EXPECT_EQ(static_cast<bool>(avx2), host.vectorBits >= 256);
  EXPECT_EQ(static_cast<bool>(avx512), host.vectorBits >= 512);
  if (avx2) {
    EXPECT_EQ(avx2->vectorBits, 256u);
    EXPECT_TRUE(avx2->fma);
    EXPECT_FALSE(avx2->has("avx512f"));
    EXPECT_FALSE(avx2->has("avxvnni"));
  }
  if (avx512) {
    EXPECT_EQ(avx512->vectorBits, 512u);
    EXPECT_FALSE(avx512->has("avx512vnni"));
    EXPECT_NE(avx512->key(), avx2->key());
  }
}

TEST(Target, UnknownNameIsAnError) {
  auto target = TargetDescription::forced("sparc");
  ASSERT_FALSE(target);
  EXPECT_EQ(target.error().message, "there is no target 'sparc'");
}

TEST(Target, Json) {
  auto target = TargetDescription::forced("x86-64");
  std::string json = target->json();
  EXPECT_EQ(json.rfind("{\"name\": \"x86-64\", \"cpu\": \"x86-64\", \"vectorBits\": 128, ", 0), 0u) << json;
  EXPECT_EQ(json.back(), '}');
}
