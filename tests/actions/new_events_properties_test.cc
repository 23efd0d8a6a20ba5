// Which events are new, over restarts and for several processes with one journal, equals what a
// plain reference says that keeps the whole history.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <random>

#include "actions/actor.h"
#include "actions/events.h"
#include "support/clickhouse_server.h"
#include "support/number_of_cases.h"
#include "support/report_summary.h"
#include "support/scratch_file.h"

namespace prescope {
namespace {

constexpr EventKind kDrawnKinds[] = {EventKind::kBetter, EventKind::kWorse, EventKind::kVetoed,
                                     EventKind::kLatencyWorse};
constexpr std::uint32_t kProcesses = 2, kPairs = 2;

/// One summary in plain terms: what holds of each pair.
struct Holding {
  LiveState state;
  bool is_negative, is_slower;
};

Summary summary_of(const std::vector<Holding>& pairs, std::uint64_t epoch) {
  Summary summary = testing::live_summary();
  summary.epoch.number = epoch;
  summary.arms.push_back(summary.arms[1]);
  summary.arms.back().id = ArmId("third");
  const ArmPair pair = summary.pairs[0];
  summary.pairs.clear();
  for (std::uint32_t p = 0; p < pairs.size(); ++p) {
    ArmPair& made = summary.pairs.emplace_back(pair);
    made.b = ArmIndex(p + 1);
    LiveVerdict& live = *made.differences[0].live;
    live.state = pairs[p].state;
    live.mean = pairs[p].is_negative ? -0.1 : 0.1;
    made.latency.mean = pairs[p].is_slower ? 1.5 : 0.5;
  }
  return summary;
}

/// The reference: kinds that hold for a pair.
std::vector<std::string> kinds_of(const Holding& pair) {
  std::vector<std::string> kinds;
  if (pair.state == LiveState::kConfirmed)
    kinds.emplace_back(pair.is_negative ? "worse" : "better");
  if (pair.state == LiveState::kVetoed) kinds.emplace_back("vetoed");
  if (pair.is_slower) kinds.emplace_back("latency_worse");
  return kinds;
}

/// The reference of NewEvents: a list of everything that was ever found, searched from the start.
class PlainHistory {
 public:
  using Key = std::pair<std::string, std::uint32_t>;  // kind and pair

  void restart(std::uint32_t process) { ++lives_[process]; }

  /// Returns whether the event is new in the process, and whether it is acted upon.
  struct Answer {
    bool is_new, is_acted_upon;
  };
  Answer find(std::uint32_t process, std::uint64_t epoch, const Key& key) {
    const Life life{process, lives_[process]};
    const Entry* last = nullptr;  // of this life
    std::uint64_t acted = 0, acted_meanwhile = 0;
    for (const Entry& entry : entries_) {
      if (entry.key != key) continue;
      if (entry.life == life) last = &entry;
      if (entry.is_acted_upon) ++acted;
      if (entry.is_acted_upon && entry.at >= begun_[life]) ++acted_meanwhile;
    }
    if (last != nullptr && last->epoch == epoch) return {false, false};
    std::uint64_t occurrence = acted + 1;
    if (last != nullptr) {
      occurrence = last->occurrence + 1;
    } else if (acted > 0 && (epoch == 1 || acted_meanwhile > 0)) {
      occurrence = acted;
    }
    const bool acts = occurrence > acted;
    entries_.push_back({key, life, epoch, occurrence, acts, entries_.size()});
    return {true, acts};
  }
  void begin(std::uint32_t process) { begun_[{process, lives_[process]}] = entries_.size(); }

 private:
  using Life = std::pair<std::uint32_t, std::uint32_t>;
  struct Entry {
    Key key;
    Life life;
    std::uint64_t epoch, occurrence;
    bool is_acted_upon;
    std::size_t at;
  };
  std::vector<Entry> entries_;
  std::map<std::uint32_t, std::uint32_t> lives_;
  std::map<Life, std::size_t> begun_;
};

/// A process as Actor is one, step by step.
struct Process {
  explicit Process(const std::filesystem::path& folder) : journal(folder), fresh(&journal, {}, 1) {}
  Journal journal;
  NewEvents fresh;
  std::uint64_t epoch = 1;
};

TEST(NewEventsProperty, EqualsAPlainHistoryOverRestartsAndProcesses) {
  std::uint64_t acted_upon = 0, repeated = 0;
  for (std::uint64_t seed = 1; seed <= number_of_cases(60); ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(static_cast<std::uint32_t>(seed));
    const auto draw = [&](std::uint32_t below) {
      return static_cast<std::uint32_t>(random() % below);
    };
    const ScratchFolder scratch(folder_in_memory());
    const std::filesystem::path folder = scratch.path() / "acts";
    PlainHistory history;
    std::map<std::uint32_t, std::unique_ptr<Process>> processes;
    const auto begin = [&](std::uint32_t p) {
      history.restart(p);
      history.begin(p);
      processes[p] = std::make_unique<Process>(folder);
    };
    for (std::uint32_t p = 0; p < kProcesses; ++p) begin(p);
    std::set<std::string> ids;
    for (int step = 0; step < 25; ++step) {
      const std::uint32_t p = draw(kProcesses);
      if (draw(6) == 0) begin(p);
      Process& process = *processes[p];
      if (draw(4) == 0) ++process.epoch;
      std::vector<Holding> pairs;
      for (std::uint32_t i = 0; i < kPairs; ++i) {
        constexpr LiveState kStates[] = {LiveState::kCollecting, LiveState::kConfirmed,
                                         LiveState::kConfirmed, LiveState::kVetoed};
        pairs.push_back({kStates[draw(4)], draw(2) == 0, draw(3) == 0});
      }
      std::map<PlainHistory::Key, bool> expected, found;
      for (std::uint32_t i = 0; i < kPairs; ++i) {
        for (const std::string& kind : kinds_of(pairs[i])) {
          const auto answer = history.find(p, process.epoch, {kind, i});
          if (answer.is_new) expected[{kind, i}] = answer.is_acted_upon;
        }
      }
      const Summary summary = summary_of(pairs, process.epoch);
      for (const Event& event : process.fresh.of(events_in(summary, kDrawnKinds))) {
        const bool acts = !event.is_repeated && process.journal.record(event, {});
        found[{std::string(to_string(event.kind)), event.arm == "bm25" ? 0U : 1U}] = acts;
        EXPECT_EQ(ids.insert(event.id).second, acts) << event.id;
        ++(acts ? acted_upon : repeated);
      }
      ASSERT_EQ(found, expected) << "step " << step;
    }
    EXPECT_EQ(Journal(folder).events(), ids);
  }
  EXPECT_GT(acted_upon, 0U);
  EXPECT_GT(repeated, 0U);
}

TEST(NewEvents, ANewRunIsAnotherNameSaltConfigurationOrJournal) {
  const ScratchFolder scratch;
  const std::filesystem::path folder = scratch.path() / "acts";
  const Summary first = summary_of({{LiveState::kConfirmed, true, false}}, 1);
  const auto acts = [&](const Summary& summary, const std::map<std::string, std::string>& configs,
                        const std::filesystem::path& in) {
    Journal journal(in);
    NewEvents fresh(&journal, configs, 1);
    std::vector<Event> events = fresh.of(events_in(summary, kDrawnKinds));
    EXPECT_EQ(events.size(), 1U);
    return !events.at(0).is_repeated && journal.record(events.at(0), {});
  };
  EXPECT_TRUE(acts(first, {}, folder));
  EXPECT_FALSE(acts(first, {}, folder)) << "a restart";
  Summary renamed = first, salted = first;
  renamed.experiment = "winter";
  salted.salt = "other";
  EXPECT_TRUE(acts(renamed, {}, folder));
  EXPECT_TRUE(acts(salted, {}, folder));
  EXPECT_TRUE(acts(first, {{"bm25", "k1 = 2"}}, folder));
  EXPECT_FALSE(acts(first, {{"bm25", "k1 = 2"}}, folder));
  EXPECT_TRUE(acts(first, {}, scratch.path() / "other"));
}

}  // namespace
}  // namespace prescope
