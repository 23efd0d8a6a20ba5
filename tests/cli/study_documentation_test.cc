// The pages on the studies keep up with the program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "support/study_workspace.h"

namespace prescope::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

const std::filesystem::path kDocsOfStudies = std::filesystem::path(PRESCOPE_SOURCE_DIR) / "docs";

void collect_study_keys(const json& value, std::set<std::string>& keys) {
  if (value.is_array()) {
    for (const json& item : value) collect_study_keys(item, keys);
  }
  if (!value.is_object()) return;
  for (const auto& [key, member] : value.items()) {
    keys.insert(key);
    if (key != "evaluation") collect_study_keys(member, keys);  // as of prescope evaluate
  }
}

TEST(StudyDocumentation, JsonPageNamesEveryKey) {
  const Workspace workspace(set_up_studies);
  // A run that repeats a document, and a topic with n above N_max.
  workspace.write("early.run", workspace.read("early.run") + "T1 Q0 A 5 1 e\n");
  const std::string page = content_of(kDocsOfStudies / "studies-json.md");
  for (const std::vector<std::string>& study : kStudies) {
    std::vector<std::string> arguments = study;
    arguments.insert(arguments.end(), {"--json", "-"});
    std::set<std::string> keys;
    collect_study_keys(json::parse(workspace.run(arguments).out), keys);
    EXPECT_GT(keys.size(), 10U);
    for (const std::string& key : keys) {
      EXPECT_THAT(page, HasSubstr("`" + key + "`")) << study[1];
    }
  }
}

TEST(StudyDocumentation, PageNamesEveryFlagAndFigure) {
  const Workspace workspace(set_up_studies);
  const std::string page = content_of(kDocsOfStudies / "studies.md");
  const std::regex flag("\n  (?:-[a-z],)?(--[a-z-]+)");
  for (const std::vector<std::string>& study : kStudies) {
    EXPECT_THAT(page, HasSubstr("prescope study " + study[1] + " "));
    const std::string help =
        run_program({.arguments = {"study", study[1], "--help"}, .environment = {}}).out;
    for (std::sregex_iterator at(help.begin(), help.end(), flag), end; at != end; ++at) {
      if ((*at)[1] == "--help") continue;
      EXPECT_THAT(page, HasSubstr("`" + (*at)[1].str())) << study[1];
    }
    std::vector<std::string> arguments = study;
    arguments.insert(arguments.end(), {"--svg", "figures"});
    ASSERT_EQ(workspace.run(arguments).exit_code, 0);
  }
  for (const auto& entry : std::filesystem::directory_iterator(workspace.path("figures"))) {
    EXPECT_THAT(page, HasSubstr("`" + entry.path().filename().string() + "`"));
  }
}

}  // namespace
}  // namespace prescope::testing
