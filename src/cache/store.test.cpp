// SPDX-License-Identifier: Apache-2.0
#include "cache/store.h"
#include "cache/build_id.h"
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

using namespace pliant;
using cache::Store;
namespace fs = std::filesystem;

namespace {

class StoreTest : public testing::Test {
protected:
  std::string folder = testing::TempDir() + "pliant_store_" + std::to_string(getpid());
  ~StoreTest() override { fs::remove_all(folder); }

  static DigestBytes key(uint64_t number) { return Digest().add(number).finish(); }
  std::string file(uint64_t number) const { return folder + "/" + hex(key(number)) + ".kernel"; }
  uint64_t size() const {
    uint64_t total = 0;
    for (const auto &entry : fs::directory_iterator(folder))
      total += entry.file_size();
    return total;
  }
};

/// Sets a variable and sets it back.
class Variable {
public:
  Variable(const char *name, const char *value) : name(name) {
    if (const char *old = std::getenv(name))
      before = old;
    value ? setenv(name, value, 1) : unsetenv(name);
  }
  ~Variable() { before ? setenv(name, before->c_str(), 1) : unsetenv(name); }

private:
  const char *name;
  std::optional<std::string> before;
};

} // namespace

TEST_F(StoreTest, GivesBackWhatWasPut) {
  Store store(folder, 1 << 20);
  EXPECT_FALSE(store.get("kernel", key(1)));
  const std::string content("a\0b", 3);
  store.put("kernel", key(1), content);
  store.put("kernel", key(2), "");
  EXPECT_EQ(store.get("kernel", key(1)), content);
  EXPECT_EQ(store.get("kernel", key(2)), "");
  EXPECT_FALSE(store.get("program", key(1)));
  store.put("kernel", key(1), "newer");
  EXPECT_EQ(store.get("kernel", key(1)), "newer");
  EXPECT_EQ(fs::status(folder).permissions(), fs::perms::owner_all);
}

TEST_F(StoreTest, AnyDamageIsAMiss) {
  Store store(folder, 1 << 20);
  store.put("kernel", key(1), "some content");
  std::string whole;
  {
    std::ifstream in(file(1), std::ios::binary);
    whole.assign(std::istreambuf_iterator<char>(in), {});
  }
  auto write = [&](const std::string &bytes) { std::ofstream(file(1), std::ios::binary) << bytes; };
  for (size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] ^= 1;
    write(damaged);
    EXPECT_FALSE(store.get("kernel", key(1))) << "byte " << i;
    write(whole.substr(0, i));
    EXPECT_FALSE(store.get("kernel", key(1))) << "cut at " << i;
  }
  write(whole + "x");
  EXPECT_FALSE(store.get("kernel", key(1)));
  write(whole);
  EXPECT_TRUE(store.get("kernel", key(1)));
  fs::rename(file(1), file(2)); // whole, but of another key
  EXPECT_FALSE(store.get("kernel", key(2)));
}

TEST_F(StoreTest, WhatOthersMayWriteIsNotTrusted) {
  Store store(folder, 1 << 20);
  store.put("kernel", key(1), "code");
  chmod(file(1).c_str(), 0622);
  EXPECT_FALSE(store.get("kernel", key(1)));
  chmod(file(1).c_str(), 0644);
  EXPECT_TRUE(store.get("kernel", key(1)));
  fs::rename(file(1), folder + "/elsewhere");
  fs::create_symlink(folder + "/elsewhere", file(1));
  EXPECT_FALSE(store.get("kernel", key(1)));
}

TEST_F(StoreTest, TheOldestGoFirst) {
  Store store(folder, 10000);
  for (uint64_t i = 0; i < 20; ++i) {
    store.put("kernel", key(i), std::string(900, 'x'));
    fs::last_write_time(file(i), fs::file_time_type::clock::now() - std::chrono::hours(100 - i));
  }
  EXPECT_TRUE(store.get("kernel", key(0))); // used: now the newest
  std::ofstream(folder + "/notes.txt") << "not ours";
  std::ofstream(folder + "/dead.part") << "of a process that died";
  fs::last_write_time(folder + "/dead.part", fs::file_time_type::clock::now() - std::chrono::hours(2));
  std::ofstream(folder + "/alive.part") << "being written";
  store.trim();
  EXPECT_LE(size(), 10000u + 100u);
  EXPECT_TRUE(store.get("kernel", key(0)));
  EXPECT_TRUE(store.get("kernel", key(19)));
  EXPECT_FALSE(store.get("kernel", key(1)));
  EXPECT_TRUE(fs::exists(folder + "/notes.txt"));
  EXPECT_TRUE(fs::exists(folder + "/alive.part"));
  EXPECT_FALSE(fs::exists(folder + "/dead.part"));
  store.put("kernel", key(30), std::string(10001, 'x')); // larger than the cache may be
  EXPECT_FALSE(store.get("kernel", key(30)));
}

TEST_F(StoreTest, APlaceThatCannotBeWrittenIsQuiet) {
  std::ofstream(folder) << "a file where the folder should be";
  Store store(folder + "/below", 1 << 20);
  store.put("kernel", key(1), "content");
  EXPECT_FALSE(store.get("kernel", key(1)));
  store.trim();
}

TEST_F(StoreTest, WritersAtOnceLeaveWholeEntries) {
  Store store(folder, 1 << 24);
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (char who = 'a'; who < 'e'; ++who)
    threads.emplace_back([&, who] {
      for (int i = 0; i < 200; ++i) {
        store.put("kernel", key(1), std::string(5000, who));
        auto read = store.get("kernel", key(1));
        if (!read || read->size() != 5000 || *read != std::string(5000, read->front()))
          ++wrong;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), fs::directory_iterator()), 1);
}

TEST_F(StoreTest, TheEnvironmentSaysWhere) {
  Variable limit("PLIANT_CACHE_LIMIT", nullptr), own("PLIANT_CACHE_DIR", folder.c_str());
  ASSERT_TRUE(Store::open());
  Store::open()->put("kernel", key(1), "x");
  EXPECT_TRUE(fs::exists(file(1)));
  {
    Variable none("PLIANT_CACHE_LIMIT", "0");
    EXPECT_FALSE(Store::open());
  }
  {
    Variable wrong("PLIANT_CACHE_LIMIT", "a lot");
    EXPECT_FALSE(Store::open());
  }
  Variable noOwn("PLIANT_CACHE_DIR", ""), xdg("XDG_CACHE_HOME", folder.c_str());
  Store::open()->put("kernel", key(1), "x");
  EXPECT_TRUE(fs::exists(folder + "/pliant/compiled"));
  Variable noXdg("XDG_CACHE_HOME", "relative/is/invalid"), home("HOME", (folder + "/user").c_str());
  Store::open()->put("kernel", key(1), "x");
  EXPECT_TRUE(fs::exists(folder + "/user/.cache/pliant/compiled"));
  EXPECT_FALSE(fs::exists("relative"));
  Variable noHome("HOME", nullptr);
  EXPECT_FALSE(Store::open());
}

TEST(BuildId, OfThisLibraryAndOfOthers) {
  auto own = cache::coreBuildId();
  ASSERT_TRUE(own);
  EXPECT_EQ(own->size(), 20u);
  Dl_info info{};
  ASSERT_TRUE(dladdr(reinterpret_cast<const void *>(&cache::coreBuildId), &info));
  EXPECT_EQ(cache::buildId(info.dli_fname), own); // of the file as of the memory
  int local = 0;
  EXPECT_FALSE(cache::buildIdAt(&local));
  EXPECT_FALSE(cache::buildId("/"));
  EXPECT_FALSE(cache::buildId("/nowhere"));
  EXPECT_FALSE(cache::buildId("/proc/self/environ"));
}
