#include "serve/site/nights.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <time.h>
#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>

#include "base/version.h"
#include "nightly/gate/gate.h"
#include "prescope/error.h"
#include "report/nightly/gate_report.h"
#include "serve/site/site.h"
#include "store/nights/store.h"

namespace prescope::serve {

namespace {

constexpr std::uint64_t kNsPerSecond = 1'000'000'000;
constexpr std::uint64_t kSettledAfterNs = kNsPerSecond;

std::uint64_t ns_of(const timespec& time) {
  return static_cast<std::uint64_t>(time.tv_sec) * kNsPerSecond +
         static_cast<std::uint64_t>(time.tv_nsec);
}

std::uint64_t ns_now() {
  timespec time{};
  ::clock_gettime(CLOCK_REALTIME, &time);
  return ns_of(time);
}

}  // namespace

FileStamp::FileStamp(const std::filesystem::path& path) {
  std::size_t next = 0;
  for (const std::string& name : {path.string(), path.string() + "-wal"}) {
    struct ::stat file {};
    if (::stat(name.c_str(), &file) == 0) {
      const std::uint64_t written = ns_of(file.st_mtim);
      facts_[next] = file.st_dev;
      facts_[next + 1] = file.st_ino;
      facts_[next + 2] = static_cast<std::uint64_t>(file.st_size);
      facts_[next + 3] = written;
      is_settled_ = is_settled_ && written + kSettledAfterNs < ns_now();
    }
    next += 4;
  }
}

namespace {

/// The newest night shown of each arm, unless its input was bad.
std::vector<const History::Line*> newest_lines(const History& history) {
  std::vector<const History::Line*> newest;
  for (const std::string& arm : history.arms) {
    const auto line = std::find_if(history.lines.rbegin(), history.lines.rend(),
                                   [&](const auto& each) { return each.night.arm == arm; });
    if (line->night.outcome != GateOutcome::kBadInput) newest.push_back(&*line);
  }
  return newest;
}

HistoryReport::Drift drift_of(const Store& store, std::span<const std::string> measures,
                              const Night& night, std::int64_t against) {
  HistoryReport::Drift drift{
      .arm = night.arm, .night = night.number, .against = against, .tests = {}};
  const EvaluationRecord a = store.evaluation(against), b = store.evaluation(night.number);
  for (const std::string& measure : measures) {
    drift.tests.push_back(paired_t_of(a, b, Measure::parse(measure)));
  }
  return drift;
}

std::vector<HistoryReport::Drift> drifts_of(const Store& store, std::span<const Night> nights,
                                            const History& history) {
  using Against = HistoryReport::Drift::Against;
  std::vector<HistoryReport::Drift> drifts;
  for (const History::Line* line : newest_lines(history)) {
    const auto add = [&](std::int64_t against, Against what) {
      drifts.push_back(drift_of(store, history.measures, line->night, against));
      drifts.back().what = what;
    };
    if (line->baseline) add(*line->baseline, Against::kBaseline);
    const auto accepted = last_accepted(nights, line->night);
    if (accepted && accepted != line->baseline) add(*accepted, Against::kAccepted);
  }
  return drifts;
}

}  // namespace

void add_means(const Store& store, std::span<const Measure> measures, std::vector<Night>& nights) {
  for (Night& night : nights) {
    std::optional<EvaluationRecord> record;
    for (const Measure& measure : measures) {
      const std::string name = measure.name();
      const auto has_name = [&](const auto& mean) { return mean.first == name; };
      if (std::ranges::any_of(night.means, has_name)) continue;
      if (!record) record = store.evaluation(night.number);
      night.means.emplace_back(name, mean_of(*record, measure));
    }
  }
}

HistoryReport history_report(const Store& store, const std::string& path,
                             std::span<const Night> nights, std::span<const std::string> measures,
                             const HistoryFilter& filter) {
  HistoryReport report{.program = std::string(kVersion),
                       .store = path,
                       .history = {},
                       .pins = store.pins(),
                       .drifts = {}};
  report.history = history_of(nights, report.pins, measures, filter);
  report.drifts = drifts_of(store, nights, report.history);
  return report;
}

namespace {

constexpr std::size_t kMostComparisons = 16;

std::string text_of(const HistoryReport& report) {
  std::string text;
  write_history_json(report, [&text](std::string_view piece) { text += piece; });
  return text;
}

}  // namespace

void Nights::look() {
  const FileStamp now(store_);
  if (stamp_ && *stamp_ == now) return;
  history_.reset();
  has_any_.reset();
  comparisons_.clear();
  stamp_.reset();
  if (now.is_settled()) stamp_ = now;
}

bool Nights::has_any() noexcept {
  try {
    look();
    if (!has_any_)
      has_any_ = !Store::open(store_, Store::Access::kRead).nights({.last = 1}).empty();
    had_any_ = *has_any_;
  } catch (const std::exception&) {
    // Asking for them says why.
  }
  return had_any_;
}

Nights::Text Nights::history() {
  look();
  if (!history_) {
    const Store store = Store::open(store_, Store::Access::kRead);
    const std::vector<Night> nights = store.nights();
    history_ = std::make_shared<const std::string>(
        text_of(history_report(store, store_.string(), nights, measures_of(nights), {})));
  }
  return history_;
}

Nights::Text Nights::compare(std::int64_t baseline, std::int64_t night) {
  look();
  const auto key = std::pair(baseline, night);
  if (const auto found = comparisons_.find(key); found != comparisons_.end()) return found->second;
  if (comparisons_.size() >= kMostComparisons) comparisons_.clear();
  const Store store = Store::open(store_, Store::Access::kRead);
  const GateReport report{.program = std::string(kVersion),
                          .store = store_.string(),
                          .evaluation = night,
                          .verdict = gate({.name = fmt::format("night {}", baseline),
                                           .number = baseline,
                                           .evaluation = store.evaluation(baseline)},
                                          store.evaluation(night), {}),
                          .compares_nights = true};
  return comparisons_[key] = std::make_shared<const std::string>(gate_json(report));
}

}  // namespace prescope::serve
