// Paths and queries: decoded if there is only one way to read them, else refused.
#include "serve/http/request_target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace prescope::serve {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST(RequestTarget, PathIsDecodedSegmentBySegment) {
  const std::vector<std::pair<std::string, std::string>> paths = {
      {"/", "/"},
      {"//", "//"},
      {"/a/b/", "/a/b/"},
      {"/a%20b+c", "/a b+c"},
      {"/a%2Fb", "/a/b"},
      {"/%E2%82%AC", "/\xE2\x82\xAC"},
      {"/...", "/..."},
      {"/.a", "/.a"},
      {"/a.", "/a."},
      {"/%252e%252e", "/%2e%2e"},  // decoded once
      {"/api/topic/..%2f..%2fx", "/api/topic/../../x"}};
  for (const auto& [target, path] : paths) {
    const auto request = decode_target(target);
    ASSERT_TRUE(request) << target;
    EXPECT_EQ(request->path, path);
    EXPECT_THAT(request->query, IsEmpty());
  }
}

TEST(RequestTarget, QueryHasNamesAndValues) {
  const auto request = decode_target("/x?b=1=2&&c&d=&=e&a=ä+%2B?/..");
  ASSERT_TRUE(request);
  EXPECT_EQ(request->path, "/x");
  EXPECT_THAT(request->query, ElementsAre(Pair("", "e"), Pair("a", "ä +?/.."), Pair("b", "1=2"),
                                          Pair("c", ""), Pair("d", "")));
  EXPECT_THAT(decode_target("/x?")->query, IsEmpty());
}

TEST(RequestTarget, AmbiguousTargetsAreRefused) {
  for (const char* target : {"",     "x",       "*",         "?a=b",     "http://localhost/",
                             "/.",   "/..",     "/../",      "/a/./b",   "/a/../b",
                             "/%2e", "/.%2E",   "/%2e%2e/x", "/%",       "/%4",
                             "/%4g", "/%g4",    "/x#",       "/x?a=#b",  "/%00",
                             "/%0a", "/%7f",    "/\t",       "/%80",     "/%ed%a0%80",
                             "/x?%", "/x?a=%1", "/x?a=%00",  "/x?%ff=a", "/x?a=1&b&%61=1"}) {
    EXPECT_FALSE(decode_target(target)) << target;
  }
}

/// Encodes like encodeURIComponent.
std::string encoded(const std::string& text) {
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_plain = byte < 0x80U && std::isalnum(byte) != 0;
    result += is_plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return result;
}

TEST(RequestTarget, EncodedTextIsDecodedUnchanged) {
  std::mt19937 random(7);
  const std::vector<std::string> pieces = {"a", "/",  "?", "&", "=", "%",   "+", "#", "..", "\"",
                                           "<", "\\", "ä", "€", "😀", "%41", " ", ";", ":",  "'"};
  for (int i = 0; i < 2000; ++i) {
    std::string name = "x", value;
    for (std::size_t n = random() % 6; n > 0; --n) name += pieces[random() % pieces.size()];
    for (std::size_t n = random() % 6; n > 0; --n) value += pieces[random() % pieces.size()];
    const auto request =
        decode_target("/api/topic/" + encoded(name) + "?" + encoded(name) + "=" + encoded(value));
    ASSERT_TRUE(request) << name;
    EXPECT_EQ(request->path, "/api/topic/" + name);
    EXPECT_THAT(request->query, ElementsAre(Pair(name, value)));
  }
}

TEST(RequestTarget, RandomBytesAreReadOrRefused) {
  std::mt19937 random(11);
  for (int i = 0; i < 20'000; ++i) {
    std::string target = "/";
    for (std::size_t n = random() % 40; n > 0; --n) target += static_cast<char>(random() % 256);
    const auto request = decode_target(target);
    if (!request) continue;
    EXPECT_EQ(request->path.front(), '/');
    for (const char c : request->path) EXPECT_GE(static_cast<unsigned char>(c), 0x20U);
  }
}

}  // namespace
}  // namespace prescope::serve
