// The guide and its example agree.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <vector>

namespace prescope {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = PRESCOPE_SOURCE_DIR;

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in) << path << " cannot be read";
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Returns the listings of a document between ```cpp or ```cmake and ```.
std::vector<std::string> listings(const std::string& document) {
  const std::regex fenced("```(?:cpp|cmake)\n([^`]*)```");
  std::vector<std::string> found;
  for (std::sregex_iterator i(document.begin(), document.end(), fenced), end; i != end; ++i) {
    found.push_back((*i)[1]);
  }
  return found;
}

TEST(AdaptersGuide, EveryListingIsInTheExample) {
  std::vector<std::string> sources;
  for (const auto& entry : fs::directory_iterator(kRoot / "examples/own_engine")) {
    sources.push_back(read(entry.path()));
  }
  const std::vector<std::string> shown = listings(read(kRoot / "docs/adapters.md"));
  EXPECT_GE(shown.size(), 10U) << "the listings are no longer found";
  for (const std::string& listing : shown) {
    EXPECT_THAT(sources, testing::Contains(testing::HasSubstr(listing)));
  }
}

}  // namespace
}  // namespace prescope
