#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/workspace.h"

namespace prescope::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string refusal_of_module(const Workspace& workspace, const std::string& engine,
                              std::map<std::string, std::string> environment = {}) {
  workspace.write("documents.jsonl", "{\"id\": \"EP1A1\", \"title\": \"one\"}\n");
  const Outcome outcome = workspace.run(
      {"index", "--engine", engine, "--out", "index", "documents.jsonl"}, environment);
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.out, "");
  return outcome.err;
}

TEST(EngineModule, IsFoundByNameInTheFoldersOfTheVariable) {
  const Workspace workspace(set_up_toy);
  const std::map<std::string, std::string> path = {
      {"PRESCOPE_ENGINE_PATH", "/nowhere::" + test_modules()}};
  const Outcome outcome = workspace.run({"replay", "experiment.toml", "--engine", "toy"}, path);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
}

TEST(EngineModule, IsFoundBesideTheProgram) {
  const Workspace workspace;
  const Outcome outcome = workspace.run({"replay", "--help-arms", "--engine", "lucenepp"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("Settings of an arm of lucenepp"), HasSubstr("k1")));
}

TEST(EngineModule, PathInAnExperimentFileIsRelativeToIt) {
  const Workspace workspace(set_up_toy);
  std::filesystem::copy_file(test_module("toy"), workspace.path("own.so"));
  std::string experiment = workspace.read("experiment.toml");
  experiment.replace(experiment.find(test_module("toy")), test_module("toy").size(), "own.so");
  workspace.write("experiment.toml", experiment);
  const Outcome outcome = run_program({.arguments = {"replay", workspace.path("experiment.toml")},
                                       .environment = {},
                                       .folder = "/"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
}

TEST(EngineModule, UnknownNameSuggestsTheNearestAndListsTheFolders) {
  const Workspace workspace;
  const std::string err =
      refusal_of_module(workspace, "toi", {{"PRESCOPE_ENGINE_PATH", test_modules()}});
  EXPECT_THAT(err, AllOf(HasSubstr("prescope: unknown engine 'toi'; did you mean 'toy'?"),
                         HasSubstr("looked for prescope-engine-toi.so in " + test_modules())));
}

TEST(EngineModule, MissingPathIsRefused) {
  const Workspace workspace;
  EXPECT_THAT(refusal_of_module(workspace, "./nowhere.so"),
              HasSubstr("./nowhere.so: no such engine module"));
}

TEST(EngineModule, OfAnotherInterfaceVersionIsRefused) {
  const Workspace workspace;
  EXPECT_THAT(refusal_of_module(workspace, test_module("outdated")),
              HasSubstr("was built for another version of the engine interface"));
}

TEST(EngineModule, LibraryWithoutTheFactoryIsRefused) {
  const Workspace workspace;
  EXPECT_THAT(refusal_of_module(workspace, test_module("nothing")),
              HasSubstr("is a library but no engine module: it does not export 'prescope_engine'"));
}

TEST(EngineModule, FileThatIsNoLibraryIsRefused) {
  const Workspace workspace;
  workspace.write("text.so", "not a library");
  EXPECT_THAT(refusal_of_module(workspace, "./text.so"),
              HasSubstr("cannot be loaded as an engine module"));
}

}  // namespace
}  // namespace prescope::testing
