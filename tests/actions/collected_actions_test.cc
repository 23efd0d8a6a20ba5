// Actions of experiments that are fed with lines, and how their options are read.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <thread>

#include "actions/journal.h"
#include "collect/collector.h"
#include "support/scratch_file.h"

namespace prescope {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::string_view kExperimentFile = R"(name = "autumn"
measures = ["PRES@2"]
[qrels]
path = "qrels.txt"
[live]
mode = "paired"
[[arms]]
name = "good"
[[arms]]
name = "bad"
)";

constexpr int kTopics = 200;

/// An experiment file with this end, in a folder of its own.
class CollectedActions : public ::testing::Test {
 protected:
  CollectedActions() {
    std::string qrels;
    for (int t = 0; t < kTopics; ++t) qrels += fmt::format("T{0} 0 D{0} 1\n", t);
    scratch_.write("qrels.txt", qrels);
  }
  [[nodiscard]] LiveOptions read(const std::string& end, const ReplayFlags& flags = {}) const {
    const auto file = scratch_.write("x.toml", std::string(kExperimentFile) + end);
    return read_live_options(file, flags);
  }
  [[nodiscard]] std::string refused(const std::string& end, const ReplayFlags& flags = {}) const {
    return refusal_of([&] { static_cast<void>(read(end, flags)); }).message;
  }

  ScratchFolder scratch_;
};

TEST_F(CollectedActions, AreReadFromTheFileAndFlags) {
  EXPECT_THAT(read("").actions.command, IsEmpty());
  const std::string table =
      "[actions]\ncommand = \"true\"\non = [\"better\", \"latency_worse\"]\nlimit_s = 5\n"
      "journal = \"acts\"\n";
  ActionOptions options = read(table).actions;
  EXPECT_EQ(options.command, "true");
  EXPECT_THAT(options.on, ElementsAre(EventKind::kBetter, EventKind::kLatencyWorse));
  EXPECT_EQ(options.time_limit, std::chrono::seconds(5));
  EXPECT_EQ(options.journal, scratch_.path() / "acts");
  options =
      read(table, {.values = {{"actions.on", "worse"}, {"actions.url", "http://h/"}}}).actions;
  EXPECT_THAT(options.on, ElementsAre(EventKind::kWorse));
  EXPECT_EQ(options.url, "http://h/");
  options = read("[actions]\nurl = \"http://h/\"\n").actions;
  EXPECT_THAT(options.on, ElementsAre(EventKind::kWorse, EventKind::kVetoed));
  EXPECT_EQ(read_action_options({.values = {{"actions.command", "true"}}}).command, "true");
}

TEST_F(CollectedActions, BadOptionsAreRefused) {
  EXPECT_THAT(refused("[actions]\ncommand = \"\"\non = [\"wors\"]\n"),
              AllOf(HasSubstr("actions.command is empty"),
                    HasSubstr("unknown kind of event 'wors'; did you mean 'worse'?")));
  EXPECT_THAT(refused("[actions]\non = [\"worse\"]\n"),
              HasSubstr("actions.on has no effect without a command or a URL"));
  EXPECT_THAT(refused("[actions]\ncomand = \"true\"\n"), HasSubstr("command"));
  EXPECT_THAT(refused("", {.values = {{"actions.limit_s", "0"}, {"actions.command", "true"}}}),
              HasSubstr("--action-limit: actions.limit_s is '0'; expected an integer from 1"));
}

TEST_F(CollectedActions, CommandRunsOnceBesideTheStore) {
  const std::string said = scratch_.path() / "said";
  const LiveOptions live =
      read("[actions]\ncommand = \"echo $PRESCOPE_EVENT $PRESCOPE_ARM >> '" + said + "'\"\n");
  std::string lines;
  for (int t = 0; t < kTopics; ++t) {
    const std::string begin = fmt::format(R"("visit":"v{0}","topic":"T{0}","depth":2,)", t);
    lines += fmt::format(R"({{"id":"a{0}","arm":"good",{1}"docnos":["D{0}","X"]}})", t, begin);
    lines += fmt::format(
        "\n"
        R"({{"id":"b{0}","arm":"bad",{1}"docnos":["X","D{0}"]}})",
        t, begin);
    lines += "\n";
  }
  const std::filesystem::path store = scratch_.path() / "x.store";
  for (int restart = 0; restart < 2; ++restart) {
    Collector collector({.live = live, .store = store});
    ASSERT_TRUE(collector.post(lines, [](const CollectAnswer&) {}));
    collector.end();
  }
  Journal journal(store.string() + ".actions");
  while (!journal.open(Journal::Work::kCommand).empty()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  EXPECT_EQ(content_of(said), "worse bad\n");
}

}  // namespace
}  // namespace prescope
