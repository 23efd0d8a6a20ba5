#include "fleet/fleet_session.h"

#include <fmt/format.h>
#include <algorithm>
#include <queue>

#include "facts/health_counters.h"
#include "fleet/audit.h"
#include "fleet/fact_reader.h"
#include "fleet/schema.h"

namespace prescope {

namespace {

constexpr std::int64_t kEndOfTime = std::numeric_limits<std::int64_t>::max();
constexpr std::uint64_t kEndOfNumbers = std::numeric_limits<std::uint64_t>::max();

UtcTime time_of(std::int64_t ms) { return UtcTime(std::chrono::milliseconds(ms)); }

}  // namespace

/// One epoch.
struct FleetSession::State {
  /// The facts of one store, in the order of their numbers.
  struct Spool {
    SpoolProgress progress{};
    FactPage page{};
    std::size_t next = 0;           // fact of the page
    std::future<FactPage> ahead{};  // the page behind it
    std::uint64_t rows = 0;         // of the epoch, up to the end of the page
    std::uint64_t never_there = 0;  // of the acknowledged ones
    std::uint64_t lost_since = 0;   // of `rows`, when they were last counted again
    std::uint64_t senseless = 0;
    std::optional<std::uint64_t> after_senseless{};  // the first of these comes after this number

    [[nodiscard]] const Fact* fact() const noexcept {
      return next < page.facts.size() ? &page.facts[next] : nullptr;
    }
    [[nodiscard]] std::uint64_t missing() const noexcept { return never_there + lost_since; }
  };

  /// A count of rows that were read, taken again in several steps.
  struct Recount {
    struct Spool {
      std::uint64_t up_to = 0, rows = 0;  // of the Spool when the count began
      std::uint64_t counted = 0;
    };
    std::map<std::uint64_t, Spool> read{};
    std::uint64_t after = 0;  // numbers up to here were counted
  };

  State(FleetAddress address, FleetEpoch of) : epoch(std::move(of)), reader(address, epoch) {
    restart();
  }

  /// Forgets all facts.
  void restart() {
    LedgerOptions options = epoch.set_up.options;
    set_assignment(epoch.set_up.facts, epoch.arms, epoch.judged.qrels(), options);
    ledger.emplace(epoch.judged, epoch.set_up.scorer, epoch.arms.size(), options);
    ledger->leave_out_visits_up_to(FactReader::kLateVisit);
    recounting = {};
    recorded = 0;
    folded_to = last_ms = 0;
    for (auto& [name, spool] : spools) {
      spool = {.progress = std::move(spool.progress),
               .never_there = spool.never_there,
               .lost_since = spool.lost_since};
    }
  }

  /// Returns whether any server has shipped more, or says that it is complete up to a later time.
  bool read_progress(ClickHouse& fleet) {
    bool is_new = false;
    const auto take = [&](auto& known, auto newest) {
      is_new = is_new || known != newest;
      known = std::move(newest);
    };
    take(elsewhere, servers_elsewhere(fleet, epoch.name));
    auto newest = prescope::read_progress(fleet, epoch.name);
    // The order of facts depends on the servers' names.
    const auto is_renamed = [&](const auto& known) {
      const auto& [server, number] = known.first;
      return std::ranges::any_of(newest, [&](const auto& of) {
        return of.first.second == number && of.first.first != server;
      });
    };
    if (std::erase_if(spools, is_renamed) > 0) restart();
    for (auto& [name, progress] : newest) take(spools[name].progress, std::move(progress));
    return is_new;
  }

  /// Reads the next facts of a spool unless there is one, and begins to read those behind them.
  /// Returns false if a fact comes too late: it belongs before others that are in the ledger.
  bool fill(std::uint64_t number, Spool& spool) {
    const auto end_behind = [&](std::uint64_t after) {
      const std::uint64_t at_once = 400'000 / spools.size();
      return std::min(after + std::clamp<std::uint64_t>(at_once, 2'000, 50'000),
                      spool.progress.up_to);
    };
    const std::vector<std::string>& servers = spool.progress.servers;
    while (spool.fact() == nullptr && spool.page.up_to < spool.progress.up_to) {
      const std::uint64_t after = spool.page.up_to;
      spool.page = spool.ahead.valid() ? spool.ahead.get()
                                       : reader.read(number, servers, after, end_behind(after));
      spool.next = 0;
      spool.rows += spool.page.rows;
      spool.senseless += spool.page.senseless;
      if (spool.page.senseless > 0 && !spool.after_senseless) spool.after_senseless = after;
      const std::uint64_t up_to = spool.page.up_to;
      if (up_to == spool.progress.shipped_up_to) {
        spool.never_there = std::max(spool.progress.shipped_rows, spool.rows) - spool.rows;
      }
      const std::uint64_t end = end_behind(up_to);
      if (up_to < end) spool.ahead = reader.begin(number, servers, up_to, end);
      if (spool.fact() != nullptr && spool.fact()->order_ms < folded_to) return false;
    }
    return true;
  }

  bool recount(ClickHouse& fleet, std::uint64_t at_once) {
    if (recounting.read.empty()) {
      for (const auto& [name, spool] : spools) {
        recounting.read[name.second] = {.up_to = spool.page.up_to, .rows = spool.rows};
      }
    }
    const std::uint64_t after = recounting.after;
    const std::uint64_t end =
        after + std::min(at_once / (spools.size() + 1) + 1, kEndOfNumbers - after);
    std::map<std::uint64_t, std::uint64_t> ends;
    for (const auto& [spool, known] : recounting.read) {
      if (known.up_to > after) ends[spool] = std::min(known.up_to, end);
    }
    for (const auto& [spool, rows] : count_numbers(fleet, epoch.name.condition(), after, ends)) {
      recounting.read[spool].counted += rows;
    }
    recounting.after = end;
    const bool is_done = std::ranges::all_of(
        recounting.read, [&](const auto& of) { return of.second.up_to <= end; });
    if (!is_done) return false;
    bool is_new = false;
    for (auto& [name, spool] : spools) {
      const Recount::Spool& known = recounting.read[name.second];
      const std::uint64_t lost = known.rows - std::min(known.rows, known.counted);
      is_new = std::exchange(spool.lost_since, lost) != lost || is_new;
    }
    recounting = {};
    return is_new;
  }

  /// Folds at most `at_once` facts before the time up to which every server that is open is
  /// complete. Returns whether there are more.
  bool fold(std::uint64_t at_once) {
    const auto fill_all = [&] {
      return std::ranges::all_of(spools,
                                 [&](auto& of) { return fill(of.first.second, of.second); });
    };
    if (!fill_all()) {
      restart();
      if (!fill_all()) return false;
    }
    const std::int64_t end = complete_to();
    // The time of each spool's next fact, and the spool's place in the order of their names.
    using Next = std::pair<std::int64_t, std::size_t>;
    std::priority_queue<Next, std::vector<Next>, std::greater<>> queue;
    std::vector<std::pair<const SpoolName, Spool>*> places;
    const auto add = [&](std::size_t place) {
      const Fact* const fact = places[place]->second.fact();
      if (fact != nullptr) queue.emplace(fact->order_ms, place);
    };
    for (auto& of : spools) {
      places.push_back(&of);
      add(places.size() - 1);
    }
    const auto has_next = [&] { return !queue.empty() && queue.top().first < end; };
    for (; has_next() && at_once > 0; --at_once) {
      const auto [order_ms, place] = queue.top();
      auto& [name, spool] = *places[place];
      queue.pop();
      ledger->record(spool.fact()->observation);
      last_ms = order_ms;
      ++recorded;
      ++spool.next;
      static_cast<void>(fill(name.second, spool));
      add(place);
    }
    if (has_next()) return true;
    folded_to = std::max(folded_to, end != kEndOfTime ? end : last_ms + 1);
    return false;
  }

  /// Returns the time up to which every server that is open is complete.
  [[nodiscard]] std::int64_t complete_to() const noexcept {
    std::int64_t end = kEndOfTime;
    for (const auto& [name, spool] : spools) {
      if (!spool.progress.is_closed) end = std::min(end, spool.progress.complete_ms);
    }
    return end;
  }

  /// Returns the sum of a counter over all servers.
  [[nodiscard]] std::uint64_t counted(std::string_view name) const {
    std::uint64_t sum = 0;
    for (const auto& [store, spool] : spools) {
      const auto found = spool.progress.counters.find(name);
      sum += found != spool.progress.counters.end() ? found->second : 0;
    }
    return sum;
  }

  [[nodiscard]] std::vector<std::string> sentences() const {
    std::vector<std::string> sentences;
    if (is_behind) {
      std::uint64_t rows = 0;
      for (const auto& [name, spool] : spools) rows += spool.progress.shipped_rows;
      rows = std::max(rows, recorded + 1);
      sentences.push_back(
          fmt::format("{} % of the observations, which are being read in the order of their times",
                      (100 * (rows - recorded) + rows - 1) / rows));
    }
    const std::pair<const SpoolName, Spool>* slowest = nullptr;
    for (const auto& of : spools) {
      const auto& [name, spool] = of;
      const SpoolProgress& progress = spool.progress;
      if (!progress.is_closed &&
          (slowest == nullptr || progress.complete_ms < slowest->second.progress.complete_ms)) {
        slowest = &of;
      }
      if (spool.missing() > 0) {
        sentences.push_back(
            fmt::format("{} observations of server {} are missing, though they were "
                        "acknowledged; 'prescope fleet check' says more",
                        spool.missing(), name.first));
      }
      if (spool.senseless > 0) {
        sentences.push_back(
            fmt::format("{} observations of server {}, store {}, that make no sense, behind number "
                        "{}",
                        spool.senseless, name.first, name.second, *spool.after_senseless));
      }
      if (std::abs(progress.ahead_ms) > kClocksDifferMs) {
        sentences.push_back(clock_sentence(name.first, progress.ahead_ms));
      }
      if (progress.ahead_rows > 0)
        sentences.push_back(future_sentence(name.first, progress.ahead_rows));
      if (progress.dropped > 0) {
        sentences.push_back(
            fmt::format("server {} gave up {} observations that exceeded the limits of its outbox",
                        name.first, progress.dropped));
      }
    }
    for (const auto& [server, observations] : elsewhere) {
      sentences.push_back(
          fmt::format("{} observations of server {}, which are in other epochs of the experiment",
                      observations, server));
    }
    const std::uint64_t unjudged = counted(kOnlyCounted);
    if (unjudged > 0) sentences.push_back(only_counted(unjudged));
    if (slowest != nullptr) {
      sentences.push_back(fmt::format(
          "the fleet is complete up to {}, by which server {} has shipped; later observations are "
          "not in the summary yet",
          utc_text(time_of(slowest->second.progress.complete_ms)), slowest->first.first));
    }
    return sentences;
  }

  FleetEpoch epoch;
  FactReader reader;
  std::optional<Ledger> ledger{};
  std::map<SpoolName, Spool> spools{};
  Recount recounting{};
  std::map<std::string, std::uint64_t> elsewhere{};  // observations, by server
  std::uint64_t recorded = 0;
  std::int64_t folded_to = 0;  // all facts before this time are in the ledger
  std::int64_t last_ms = 0;    // of a fact
  bool is_behind = false;      // there is more to fold, also if folding failed meanwhile
};

FleetSession::FleetSession(FleetAddress address, std::optional<std::string> experiment,
                           std::uint64_t at_once)
    : fleet_(std::move(address)), experiment_(std::move(experiment)) {
  check_fleet(fleet_);
  read(at_once);
}
FleetSession::~FleetSession() = default;

bool FleetSession::read(std::uint64_t at_once) {
  bool is_new = is_behind();
  if (!is_new) {
    const EpochName newest = find_epoch(is_new);
    state_->epoch.name.began_ms = newest.began_ms;
    state_->is_behind = state_->read_progress(fleet_);
  }
  if (is_behind()) {
    is_new = true;
    state_->is_behind = state_->fold(at_once);
  }
  return is_new;
}

/// Returns the newest epoch, and reads it if it is another than before. Epochs that cannot be
/// understood are left out.
EpochName FleetSession::find_epoch(bool& is_new) {
  while (true) {
    std::set<std::uint64_t> left_out;
    for (const auto& [key, why] : senseless_) left_out.insert(key);
    const EpochName newest = newest_epoch(fleet_, experiment_, left_out);
    is_new = !state_ || !(state_->epoch.name == newest);
    try {
      if (is_new) state_ = std::make_unique<State>(fleet_.address(), read_epoch(fleet_, newest));
      return newest;
    } catch (const SenselessEpoch& error) {
      senseless_.emplace(newest.key, error.what());
    }
  }
}

bool FleetSession::recount(std::uint64_t at_once) { return state_->recount(fleet_, at_once); }

bool FleetSession::is_behind() const { return state_ && state_->is_behind; }

Summary FleetSession::summary(SummaryDetail detail) const {
  SummaryFacts of = state_->epoch.set_up.facts;
  of.arms = state_->epoch.arms;
  Health stored;
  for (const HealthCounter& one : health_counters()) {
    stored.*one.member = state_->counted(one.name);
  }
  of.health = raised_to(stored, {.pushed = state_->recorded, .recorded = state_->recorded},
                        *state_->ledger);
  Summary summary = summarize(*state_->ledger, of, detail);
  summary.missing = state_->sentences();
  for (const auto& [key, why] : senseless_) summary.missing.push_back(why);
  return summary;
}

std::optional<TopicDetail> FleetSession::topic(const TopicId& id) const {
  return topic_detail(*state_->ledger, state_->epoch.arms, id);
}

UtcTime FleetSession::last() const { return time_of(state_->last_ms); }
UtcTime FleetSession::began() const { return time_of(state_->epoch.name.began_ms); }
std::vector<FleetSession::Server> FleetSession::servers() const {
  std::vector<Server> servers;
  for (const auto& [name, spool] : state_->spools) {
    const SpoolProgress& progress = spool.progress;
    servers.push_back({.name = name.first,
                       .spool = name.second,
                       .complete = time_of(progress.complete_ms),
                       .waiting = progress.waiting,
                       .missing = spool.missing(),
                       .dropped = progress.dropped,
                       .senseless = spool.senseless,
                       .ahead = std::chrono::milliseconds(progress.ahead_ms),
                       .is_closed = progress.is_closed});
  }
  return servers;
}
std::uint64_t FleetSession::observations() const { return state_->recorded; }

}  // namespace prescope
