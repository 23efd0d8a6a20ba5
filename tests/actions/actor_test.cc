// A verdict calls the host, and runs commands.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <thread>

#include "actions/actor.h"
#include "actions/decided_experiment.h"
#include "prescope/error.h"
#include "support/report_summary.h"
#include "support/scratch_file.h"

namespace prescope {
namespace {

using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

/// Texts that several threads add.
class Texts {
 public:
  void add(std::string text) {
    const std::scoped_lock lock(mutex_);
    texts_.push_back(std::move(text));
  }
  [[nodiscard]] std::vector<std::string> all() const {
    const std::scoped_lock lock(mutex_);
    return texts_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> texts_;
};

/// Waits for another thread or process; the test's own time limit ends it.
void wait_for(const std::function<bool()>& done) {
  while (!done()) std::this_thread::sleep_for(milliseconds(2));
}

std::shared_ptr<Summary> with_verdict(double mean, LiveState state = LiveState::kConfirmed) {
  auto summary = std::make_shared<Summary>(testing::live_summary());
  summary->epoch.number = 1;
  summary->pairs[0].differences[0].live->state = state;
  summary->pairs[0].differences[0].live->mean = mean;
  return summary;
}

/// Returns the content; empty if there is no file.
std::string text_in(const std::filesystem::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Actors with one journal, on summaries that a test makes.
class ActorTest : public ::testing::Test {
 protected:
  /// Shows the summary to a new actor until the condition holds.
  void act(
      ActionOptions options, const std::shared_ptr<const Summary>& summary,
      const std::function<bool()>& done = [] { return true; }) {
    if (options.journal.empty()) options.journal = journal();
    options.on_warning = [this](const std::string& sentence) { warnings_.add(sentence); };
    ActionSource source{.newest = [summary] { return summary; }, .interval = milliseconds(5)};
    source.on_event = on_event_;
    const Actor actor(std::move(options), std::move(source));
    wait_for(done);
  }
  /// Shows the summary until the journal has so many events, and their commands have ended.
  void act_to_the_end(const ActionOptions& options, const std::shared_ptr<const Summary>& summary,
                      std::size_t events = 1) {
    act(options, summary, [this, events] {
      return Journal(journal()).events().size() == events &&
             Journal(journal()).open(Journal::Work::kCommand).empty();
    });
  }
  [[nodiscard]] std::filesystem::path journal() const { return scratch_.path() / "acts"; }
  [[nodiscard]] std::string file(const char* name) const { return scratch_.path() / name; }

  ScratchFolder scratch_;
  Texts warnings_, told_;
  std::function<void(const Event&)> on_event_;  ///< of actors that begin from now on
  /// Adds the kind of an event to `told_`.
  const std::function<void(const Event&)> tell_ = [this](const Event& event) {
    told_.add(std::string(to_string(event.kind)) + (event.is_repeated ? " again" : ""));
  };
};

TEST_F(ActorTest, CommandGetsTheEventOnItsInputAndInItsEnvironment) {
  act_to_the_end({.command = "echo \"$PRESCOPE_EVENT $PRESCOPE_ARM $PRESCOPE_EXPERIMENT\" > '" +
                             file("said") + "'; echo \"$PRESCOPE_EVENT_ID\" >> '" + file("said") +
                             "'; cat > '" + file("input") + "'"},
                 with_verdict(-0.1));
  const std::set<std::string> events = Journal(journal()).events();
  ASSERT_THAT(events, SizeIs(1));
  EXPECT_EQ(text_in(file("said")), "worse bm25 patents\n" + *events.begin() + "\n");
  const auto input = nlohmann::json::parse(text_in(file("input")));
  EXPECT_EQ(input.at("id"), *events.begin());
  EXPECT_EQ(input.at("sentence"), "tfidf is better than bm25 by 0.1000 PRES@100.");
  EXPECT_THAT(warnings_.all(), IsEmpty());
}

TEST_F(ActorTest, CommandRunsOnceOverRestartsAndForEachKind) {
  const ActionOptions options{.command = "echo \"$PRESCOPE_EVENT\" >> '" + file("said") + "'"};
  for (int restart = 0; restart < 3; ++restart) act_to_the_end(options, with_verdict(-0.1));
  EXPECT_EQ(text_in(file("said")), "worse\n");
  act_to_the_end(options, with_verdict(-0.1, LiveState::kVetoed), 2);
  EXPECT_EQ(text_in(file("said")), "worse\nvetoed\n");
}

TEST_F(ActorTest, AnEventAtTheVeryEndIsActedUponToo) {
  auto summary = with_verdict(-0.1, LiveState::kNoVerdict);
  ActionSource source{.newest = [&] { return summary; },
                      .last = [] { return with_verdict(-0.1); },
                      .interval = std::chrono::hours(1)};
  {
    const Actor actor({.command = "echo ran > '" + file("said") + "'", .journal = journal()},
                      std::move(source));
  }
  wait_for([&] { return Journal(journal()).open(Journal::Work::kCommand).empty(); });
  EXPECT_EQ(text_in(file("said")), "ran\n");
}

TEST_F(ActorTest, FailureIsToldWithTheFirstLineThatTheCommandPrinted) {
  act({.command = "echo; echo 'no such arm' >&2; echo more; exit 3"}, with_verdict(-0.1),
      [this] { return !warnings_.all().empty(); });
  EXPECT_THAT(warnings_.all(),
              ElementsAre(AllOf(StartsWith("action worse-"),
                                HasSubstr(": its command ended with exit code 3: no such arm"))));
}

TEST_F(ActorTest, CommandThatTakesTooLongIsEnded) {
  act({.command = "sleep 600", .time_limit = std::chrono::seconds(1)}, with_verdict(-0.1),
      [this] { return !warnings_.all().empty(); });
  EXPECT_THAT(warnings_.all(), ElementsAre(HasSubstr("its command was ended after 1 s")));
}

TEST_F(ActorTest, CommandThatPrintsWithoutEndLeavesAFewKilobytes) {
  act_to_the_end({.command = "head -c 10000000 /dev/zero"}, with_verdict(-0.1));
  const std::string event = *Journal(journal()).events().begin();
  EXPECT_EQ(Journal(journal()).ended(event, Journal::Work::kCommand), "0");
  EXPECT_EQ(std::filesystem::file_size(journal() / event / "command.output"), 4096U);
}

// As after a loss of power, or if someone kills the command's shell.
TEST_F(ActorTest, CommandThatBeganAndHasNoEndIsNotRunAgain) {
  on_event_ = tell_;
  act({}, with_verdict(-0.1), [this] { return !told_.all().empty(); });
  const std::filesystem::path event = journal() / *Journal(journal()).events().begin();
  std::ofstream(event / "command.due") << "60\n";
  const std::filesystem::path begun = event / "command.begun";
  std::filesystem::create_directory(begun);
  const ActionOptions options{.command = "echo ran > '" + file("said") + "'"};
  act(options, with_verdict(-0.1));
  EXPECT_THAT(warnings_.all(), IsEmpty()) << "it may still run";
  std::filesystem::last_write_time(
      begun, std::filesystem::file_time_type::clock::now() - std::chrono::minutes(2));
  act(options, with_verdict(-0.1), [this] { return !warnings_.all().empty(); });
  EXPECT_THAT(warnings_.all(), ElementsAre(HasSubstr("how it ended is not known; it is not run")));
  act(options, with_verdict(-0.1));
  EXPECT_THAT(warnings_.all(), SizeIs(1)) << "it is told once";
  EXPECT_FALSE(std::filesystem::exists(file("said")));
}

TEST_F(ActorTest, ActorsWithOneJournalActOnce) {
  const auto summary = with_verdict(-0.1);
  const auto options = [&] {
    return ActionOptions{.command = "echo ran >> '" + file("said") + "'", .journal = journal()};
  };
  const ActionSource source{.newest = [&] { return summary; }, .interval = milliseconds(1)};
  {
    std::vector<std::unique_ptr<Actor>> actors;
    std::vector<std::jthread> threads;
    std::mutex mutex;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&] {
        auto actor = std::make_unique<Actor>(options(), source);
        const std::scoped_lock lock(mutex);
        actors.push_back(std::move(actor));
      });
    }
    threads.clear();
    wait_for([&] {
      return !Journal(journal()).events().empty() &&
             Journal(journal()).open(Journal::Work::kCommand).empty();
    });
  }
  EXPECT_THAT(Journal(journal()).events(), SizeIs(1));
  EXPECT_EQ(text_in(file("said")), "ran\n");
}

// Each look starts a shell as long as no command has begun.
TEST_F(ActorTest, OfManyShellsForOneEventOneRunsTheCommand) {
  constexpr int kEvents = 6, kShells = 12;
  Journal recording(journal());
  std::string expected;
  for (int i = 0; i < kEvents; ++i) {
    const Event event{.id = "event-" + std::to_string(i)};
    ASSERT_TRUE(recording.record(event, {{Journal::Work::kCommand, std::chrono::seconds(60)}}));
    expected += "ran\n";
  }
  const std::string command = "echo ran >> '" + file("said") + "'";
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < kShells; ++i) {
      threads.emplace_back([&] {
        Journal own(journal());
        Commands(own, command, [](const std::string&) {}).look();
      });
    }
  }
  wait_for([&] { return recording.open(Journal::Work::kCommand).empty(); });
  EXPECT_EQ(text_in(file("said")), expected);
}

TEST_F(ActorTest, HostIsToldOnceInEachProcess) {
  on_event_ = tell_;
  const auto told = [this](std::size_t count) {
    return [this, count] { return told_.all().size() == count; };
  };
  act({}, with_verdict(-0.1), told(1));
  act({}, with_verdict(-0.1), told(2));
  EXPECT_THAT(told_.all(), ElementsAre("worse", "worse again"));
}

TEST_F(ActorTest, WhatTheHostThrowsIsAWarningAndTheCommandStillRuns) {
  on_event_ = [](const Event&) { throw std::runtime_error("arm is gone"); };
  act_to_the_end({.command = "echo ran > '" + file("said") + "'"}, with_verdict(-0.1));
  EXPECT_EQ(text_in(file("said")), "ran\n");
  EXPECT_THAT(warnings_.all(), ElementsAre("actions: arm is gone"));
}

// A full disk, or a folder that was removed: the event is kept until it can be written.
TEST_F(ActorTest, EventWaitsUntilTheJournalCanBeWritten) {
  const auto summary = with_verdict(-0.1, LiveState::kNoVerdict);
  std::shared_ptr<const Summary> shown = summary;
  std::mutex mutex;
  ActionSource source{.newest =
                          [&] {
                            const std::scoped_lock lock(mutex);
                            return shown;
                          },
                      .interval = milliseconds(1)};
  const auto warn = [this](const std::string& sentence) { warnings_.add(sentence); };
  const Actor actor(
      {.command = "echo ran > '" + file("said") + "'", .journal = journal(), .on_warning = warn},
      std::move(source));
  std::filesystem::rename(journal(), file("elsewhere"));
  {
    const std::scoped_lock lock(mutex);
    shown = with_verdict(-0.1);
  }
  wait_for([this] { return !warnings_.all().empty(); });
  EXPECT_THAT(warnings_.all(), ElementsAre(StartsWith("actions: " + journal().string())));
  std::filesystem::rename(file("elsewhere"), journal());
  wait_for([this] { return text_in(file("said")) == "ran\n"; });
}

TEST_F(ActorTest, BadOptionsAreRefusedTogether) {
  const Refusal refusal = refusal_of([] {
    const Actor actor(
        {.on = {}, .command = " ", .time_limit = std::chrono::seconds(0), .url = "ftp://h/secret"},
        {.newest = [] { return with_verdict(-0.1); }});
  });
  EXPECT_EQ(refusal.code, ErrorCode::kUsage);
  EXPECT_EQ(refusal.message,
            "options of actions: on names no kind of event; expected at least one; command is "
            "blank; expected a command of the shell; time_limit is 0 s; expected 1 to 86400 s; "
            "command and url need a journal, so that they act once; name a folder; url is neither "
            "http://... nor https://...");
}

TEST_F(ActorTest, BadJournalsAreRefused) {
  std::ofstream(file("plain")) << "text";
  std::filesystem::create_directory(file("other"));
  std::ofstream(scratch_.path() / "other" / "journal") << "text";
  const std::vector<std::pair<std::string, std::string>> kCases = {
      {file("missing/acts"), "missing' is not there; make it first"},
      {file("plain"), "plain: is a file; the journal of actions is a folder"},
      {file("other"), "name another folder"}};
  for (const auto& [journal, message] : kCases) {
    EXPECT_THAT(refusal_of([&] {
                  const Actor actor({.command = "true", .journal = journal},
                                    {.newest = [] { return with_verdict(-0.1); }});
                }).message,
                HasSubstr(message))
        << journal;
  }
  EXPECT_THAT(refusal_of([] {
                const Actor actor({}, {.newest = [] { return with_verdict(-0.1); }});
              }).message,
              HasSubstr("nothing is done; set command, url or on_event"));
}

/// A real experiment whose bad arm is paused by its own verdict.
TEST(Actions, BadArmIsPausedWithoutAPerson) {
  Texts sentences;
  const auto pause = [&](const Event& event, Experiment& experiment) {
    experiment.pause_arm(experiment.arm(event.arm));
    sentences.add(std::string(to_string(event.kind)) + ": " + event.sentence);
  };
  Experiment experiment(DecidedTraffic::qrels(), DecidedTraffic::options({.on_event = pause}));
  DecidedTraffic::serve(experiment);
  wait_for([&] { return experiment.status(ArmIndex(1)) == ArmStatus::kPaused; });
  wait_for([&] { return !sentences.all().empty(); });
  EXPECT_THAT(sentences.all(), ElementsAre("worse: good is better than bad by 0.9000 PRES@10."));
  DecidedTraffic::serve(experiment);
  experiment.resume_arm(ArmIndex(1));  // it is as bad as before
  DecidedTraffic::serve(experiment);
  wait_for([&] { return experiment.status(ArmIndex(1)) == ArmStatus::kPaused; });
  wait_for([&] { return sentences.all().size() == 2; });
  EXPECT_EQ(experiment.summary()->pairs.size(), 1U);
}

TEST(Actions, VetoIsAnEvent) {
  Texts sentences;
  const auto say = [&](const Event& event, Experiment&) { sentences.add(event.sentence); };
  Experiment experiment(DecidedTraffic::qrels(), DecidedTraffic::options({.on_event = say}));
  DecidedTraffic::serve(experiment, DecidedTraffic::Bad::kFindsNothing);
  wait_for([&] { return !sentences.all().empty(); });
  EXPECT_THAT(sentences.all(), ElementsAre(HasSubstr("No verdict: bad found no judged document")));
}

// Short programs end before a summary is published.
TEST(Actions, ExperimentThatEndsAtOnceHasItsEvent) {
  const ScratchFolder scratch;
  const std::filesystem::path said = scratch.path() / "said", journal = scratch.path() / "acts";
  {
    ExperimentOptions options = DecidedTraffic::options(
        {.command = "echo \"$PRESCOPE_EXPERIMENT $PRESCOPE_ARM\" > '" + said.string() + "'",
         .journal = journal});
    options.recording.publish_interval = std::chrono::hours(1);
    Experiment experiment(DecidedTraffic::qrels(), std::move(options));
    DecidedTraffic::serve(experiment);
  }
  wait_for([&] { return Journal(journal).open(Journal::Work::kCommand).empty(); });
  EXPECT_EQ(text_in(said), "autumn bad\n");
}

}  // namespace
}  // namespace prescope
