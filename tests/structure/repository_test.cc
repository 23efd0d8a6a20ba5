// The repository as a newcomer finds it: the top level holds what the documents say, the README's
// commands exist, links lead somewhere, the list of packages can be read.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "support/scratch_file.h"

namespace prescope {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const fs::path kRoot = PRESCOPE_SOURCE_DIR;

std::vector<fs::path> documents() {
  std::vector<fs::path> found = {kRoot / "README.md", kRoot / "CHANGELOG.md",
                                 kRoot / "CONTRIBUTING.md", kRoot / "SECURITY.md"};
  for (const auto& entry : fs::recursive_directory_iterator(kRoot / "docs")) {
    if (entry.path().extension() == ".md") found.push_back(entry.path());
  }
  return found;
}

TEST(Repository, TopLevelHasOnlyDocumentedFiles) {
  const std::set<std::string> allowed = {"CMakeLists.txt",
                                         "CMakePresets.json",
                                         "plugin",
                                         "engine-adapters",
                                         "tests",
                                         "examples",
                                         "docs",
                                         "README.md",
                                         "CONTRIBUTING.md",
                                         "SECURITY.md",
                                         "LICENSE",
                                         "CHANGELOG.md",
                                         "build"};
  for (const auto& entry : fs::directory_iterator(kRoot)) {
    const std::string name = entry.path().filename().string();
    EXPECT_TRUE(name.starts_with('.') || allowed.contains(name)) << name << " is not of the layout";
  }
}

TEST(Repository, ReadmeShowsTheTwoCommandsThatDoEverything) {
  const std::string readme = content_of(kRoot / "README.md");
  for (const char* script : {"examples/quickstart/run.sh", "tests/run.sh"}) {
    EXPECT_THAT(readme, HasSubstr(std::string("bash ") + script));
    EXPECT_TRUE(fs::is_regular_file(kRoot / script)) << script;
  }
}

TEST(Repository, ReadmeIsShort) {
  const std::string readme = content_of(kRoot / "README.md");
  EXPECT_LT(std::ranges::count(readme, '\n'), 150);
}

TEST(Repository, LinesOfProseHaveAtMost100Columns) {
  for (const fs::path& document : documents()) {
    std::istringstream text(
        std::regex_replace(content_of(document), std::regex("```[^`]*```"), ""));
    for (std::string line; std::getline(text, line);) {
      if (line.starts_with('|') || line.starts_with("    ")) continue;  // a table, a listing
      const auto is_first_byte = [](unsigned char c) { return (c & 0xC0U) != 0x80U; };
      EXPECT_LE(std::ranges::count_if(line, is_first_byte), 100) << document << ": " << line;
    }
  }
}

TEST(Repository, EveryRelativeLinkOfTheDocumentsLeadsToAFile) {
  const std::regex link(R"(\]\(([^)#\s]+)[^)]*\))");
  for (const fs::path& document : documents()) {
    // A lambda in a listing looks like a link.
    const std::string text =
        std::regex_replace(content_of(document), std::regex("```[^`]*```"), "");
    for (std::sregex_iterator i(text.begin(), text.end(), link), end; i != end; ++i) {
      const std::string target = (*i)[1];
      if (target.find("://") != std::string::npos) continue;
      EXPECT_TRUE(fs::exists(document.parent_path() / target))
          << document << " links to " << target;
    }
  }
}

TEST(Repository, EveryLineOfTheInstallListNamesPackageGroupAndReason) {
  std::istringstream list(content_of(kRoot / "docs/dependencies/debian12.txt"));
  const std::set<std::string> groups = {"build", "test", "run", "fleet"};
  std::set<std::string> seen;
  std::string line;
  while (std::getline(list, line)) {
    if (line.empty() || line.starts_with('#')) continue;
    std::istringstream words(line);
    std::string package, group, reason;
    words >> package >> group >> reason;
    EXPECT_TRUE(groups.contains(group)) << line;
    EXPECT_FALSE(reason.empty()) << line;
    EXPECT_TRUE(seen.insert(package).second) << package << " is listed twice";
    // apt would remove Boost 1.74, with which Lucene++ is built, without asking.
    EXPECT_THAT(package, testing::Not(HasSubstr("boost1.81")));
  }
  EXPECT_TRUE(seen.contains("liblucene++-dev"));
}

}  // namespace
}  // namespace prescope
