#include "fleet/fleet_session.h"

#include <fmt/format.h>
#include <simdjson.h>
#include <algorithm>
#include <bit>
#include <limits>
#include <list>
#include <map>
#include <tuple>

#include "base/split_mix.h"
#include "fleet/row_binary.h"
#include "fleet/schema.h"
#include "live/summary/health_counters.h"
#include "store/sessions/observation_schema.h"
#include "store/sessions/rebuilt_session.h"

namespace prescope {

namespace {

constexpr std::int64_t kEndOfTime = std::numeric_limits<std::int64_t>::max();

constexpr const char* kFactColumns =
    "seq, order_ms, time_ms, session, arm, topic, visit, visit_key, compared_arms, generation, "
    "documents, first_rank, depth, num_ret, late, duplicates, flags, latency_ns, self_ns, "
    "total_hits, ranks, positions";

/// Generations are numbers of one process.
std::uint64_t generation_of(std::uint64_t spool, std::uint32_t session, std::uint64_t generation) {
  if (generation == 0) return 0;
  constexpr std::uint64_t kLow = 0xFFFFFFFFU;
  const std::uint64_t of_process = SplitMix(spool ^ session).next();
  return SplitMix(of_process ^ generation >> 32U).next() << 32U | (generation & kLow);
}

/// Visits are numbered in their spool; 0 if unknown. Visits up to 1 are late.
constexpr std::uint64_t kLateVisit = 1, kUnknownVisit = std::uint64_t{1} << 63U;

std::uint64_t visit_of(std::uint64_t spool, std::uint64_t visit) {
  return visit >= kUnknownVisit ? 0 : SplitMix(spool ^ visit).next() | 2U;
}

/// Anybody who may write to the database may write anything.
bool make_sense(std::span<const JudgedHit> hits, std::size_t judgements) {
  Rank last = 0;
  return std::ranges::all_of(hits, [&](const JudgedHit& hit) {
    return std::exchange(last, hit.rank) < hit.rank && hit.judgement.value() < judgements;
  });
}

/// Returns the arms that an epoch's text lists, in their order.
std::vector<ArmId> arms_in(std::string_view text) {
  simdjson::dom::parser parser;
  std::vector<ArmId> arms;
  for (const simdjson::dom::element arm : parser.parse(text.data(), text.size())["arms"]) {
    arms.emplace_back(std::string_view(arm.at(0)));
  }
  return arms;
}

}  // namespace

/// One row of the observations' table, the next that is folded.
struct FleetSession::Fact {
  std::uint64_t seq = 0;
  std::int64_t order_ms = 0, time_ms = 0;
  std::string_view arm{}, topic{};
  bool is_late = false;
  Observation observation{};
  std::vector<JudgedHit> hits{};

  void read(RowBinaryReader& row, std::uint64_t spool) {
    seq = row.number<std::uint64_t>();
    order_ms = row.number<std::int64_t>();
    time_ms = row.number<std::int64_t>();
    const auto session = row.number<std::uint32_t>();
    arm = row.text();
    topic = row.text();
    observation.visit = visit_of(spool, row.number<std::uint64_t>());
    observation.visit_key = row.number<std::uint64_t>();
    observation.compared_arms = row.number<std::uint32_t>();
    observation.generation = generation_of(spool, session, row.number<std::uint64_t>());
    observation.collection_size = row.number<std::uint64_t>();
    observation.first_rank = row.number<std::uint32_t>();
    observation.requested_depth = row.number<std::uint32_t>();
    observation.num_ret = row.number<std::uint32_t>();
    is_late = row.number<std::uint8_t>() != 0;
    observation.duplicates = row.number<std::uint32_t>();
    observation.flags = RankingFlags(row.number<std::uint32_t>());
    observation.latency = std::chrono::nanoseconds(row.number<std::int64_t>());
    observation.self_time = std::chrono::nanoseconds(row.number<std::int64_t>());
    observation.total_hits = row.number<std::uint64_t>();
    hits.clear();
    row.array<std::uint32_t>([&](Rank rank) { hits.push_back({rank, {}}); });
    std::size_t i = 0;
    row.array<std::uint32_t>([&](std::uint32_t position) {
      if (i < hits.size()) hits[i].judgement = JudgementIndex(position);
      ++i;
    });
  }
};

/// The facts of one store, in the order of their numbers.
struct FleetSession::Spool {
  std::string server{};
  std::uint64_t spool = 0;
  // As the shipper says:
  std::uint64_t up_to = 0, dropped = 0;
  std::int64_t complete_ms = 0;
  bool is_closed = false;
  std::uint64_t shipped_up_to = 0, shipped_rows = 0;  // of the epoch
  std::map<std::string, std::uint64_t, std::less<>> counters{};
  // As they were read:
  std::uint64_t read_up_to = 0;  // number
  std::uint64_t rows = 0;        // of the epoch, up to there
  std::uint64_t missing = 0;
  std::string page{};
  std::optional<RowBinaryReader> rest{};  // of the page
  bool has_fact = false;
  Fact fact{};

  /// Moves to the next fact of the page; a row that was sent twice counts once.
  bool next() {
    const std::uint64_t before = fact.seq;
    for (has_fact = false; rest && !rest->at_end() && !has_fact; has_fact = fact.seq != before) {
      fact.read(*rest, spool);
    }
    return has_fact;
  }
  /// Counts rows without reading them, those that were sent twice once.
  [[nodiscard]] std::uint64_t rows_of_page() const {
    std::uint64_t count = 0, before = 0;
    for (RowBinaryReader rows_left(page); !rows_left.at_end();) {
      const auto seq = rows_left.number<std::uint64_t>();
      rows_left.skip(8 + 8 + 4);  // to the session
      for (int text = 0; text < 2; ++text) rows_left.text();
      rows_left.skip(7 * 8 + 6 * 4 + 1);  // from the visit to the total of hits
      for (int array = 0; array < 2; ++array) rows_left.skip(4 * rows_left.length());
      count += std::exchange(before, seq) != seq ? 1U : 0U;
    }
    return count;
  }
  friend bool operator<(const Spool& a, const Spool& b) {
    return std::tie(a.fact.order_ms, a.server, a.spool) <
           std::tie(b.fact.order_ms, b.server, b.spool);
  }
};

/// One epoch.
struct FleetSession::State {
  State(const SessionWords& words, Qrels qrels, const std::vector<ArmId>& names)
      : set_up(session_set_up(words)), judged(std::move(qrels)) {
    for (const ArmId& name : names) arms.push_back({.id = name});
    restart();
  }

  /// Forgets all facts.
  void restart() {
    ledger.emplace(judged, set_up.scorer, arms.size(), set_up.options);
    ledger->leave_out_visits_up_to(kLateVisit);
    recorded = 0;
    folded_to = last_order_ms = 0;
    for (Spool& spool : spools) {
      spool.read_up_to = spool.rows = 0;
      spool.page.clear();
      spool.rest.reset();
      spool.has_fact = false;
      spool.fact.seq = 0;
    }
  }

  EpochName epoch{};
  SessionSetUp set_up;
  JudgedDocnos judged;
  std::vector<ArmFacts> arms{};
  std::optional<Ledger> ledger{};
  std::list<Spool> spools{};
  std::uint64_t recorded = 0;
  std::int64_t folded_to = 0;                   // all facts before this time are in the ledger
  std::int64_t last_order_ms = 0, last_ms = 0;  // of a fact
  std::uint64_t progress_at = 0;
  bool is_behind = false;  // there is more to fold, also if folding failed meanwhile
};

FleetSession::FleetSession(FleetAddress address, std::optional<std::string> experiment,
                           OnProgress on_progress)
    : fleet_(std::move(address)),
      experiment_(std::move(experiment)),
      on_progress_(std::move(on_progress)) {
  check_fleet(fleet_);
  read();
}
FleetSession::~FleetSession() = default;

FleetSession::EpochName FleetSession::newest_epoch() {
  const std::string found = fleet_.ask(fmt::format(
      "SELECT experiment, epoch, max(began_ms) AS began FROM {}.epochs FINAL {} GROUP BY "
      "experiment, epoch ORDER BY began DESC, epoch LIMIT 1 FORMAT RowBinary",
      fleet_.address().database,
      experiment_ ? "WHERE experiment = " + sql_text(*experiment_) : std::string()));
  RowBinaryReader row(found);
  if (row.at_end()) {
    throw Error(ErrorCode::kUsage,
                experiment_ ? fmt::format("{}: no experiment '{}' was shipped to it",
                                          fleet_.address().text, *experiment_)
                            : fmt::format("{}: nothing was shipped to it; 'prescope ship' does",
                                          fleet_.address().text));
  }
  EpochName epoch{.experiment = std::string(row.text()), .key = row.number<std::uint64_t>()};
  epoch.began_ms = row.number<std::int64_t>();
  return epoch;
}

/// Servers have one configuration in an epoch; if their options differ, the newest counts.
std::unique_ptr<FleetSession::State> FleetSession::begin(const EpochName& epoch) {
  const std::string& database = fleet_.address().database;
  const std::string of_experiment = "experiment = " + sql_text(epoch.experiment);
  const std::string found = fleet_.ask(fmt::format(
      "SELECT text, judgements, mode, rule, alpha, shadow_latency, measures, inference, "
      "primary_measure, salt, scored_flags, baseline, docno, min_grade FROM {}.epochs FINAL "
      "WHERE {} AND epoch = {} ORDER BY made_ms DESC LIMIT 1 FORMAT RowBinary",
      database, of_experiment, epoch.key));
  RowBinaryReader row(found);
  const std::string text(row.text());
  const auto version = row.number<std::uint64_t>();
  SessionWords words{.experiment = epoch.experiment};
  words.mode = row.text();
  words.epochs = row.text();
  words.alpha = std::bit_cast<double>(row.number<std::uint64_t>());
  for (std::string* word :
       {&words.shadow_latency, &words.measures, &words.inference, &words.primary, &words.salt}) {
    *word = row.text();
  }
  words.scored_flags = RankingFlags(row.number<std::uint32_t>());
  words.baseline = row.text();
  const DocnoPolicy policy = parse_docno_policy(row.text());
  const auto min_grade = row.number<Grade>();
  // An index label is in the key, so that a later generation shows the same documents.
  if (text.find(R"(,"spool":)") == std::string::npos)
    words.epochs = word_in(kEpochWords, EpochRule::kConfiguration);

  const std::string judged = fleet_.ask(fmt::format(
      "SELECT topic, any(text) FROM {}.judgements WHERE {} AND version = {} GROUP BY topic "
      "ORDER BY topic FORMAT RowBinary",
      database, of_experiment, version));
  std::vector<TopicQrels> topics;
  for (RowBinaryReader rows(judged); !rows.at_end();) {
    std::string topic(rows.text());
    topics.push_back(stored_topic(std::move(topic), policy, min_grade, rows.text()));
  }
  auto state =
      std::make_unique<State>(words, stored_qrels(topics, policy, min_grade), arms_in(text));
  state->epoch = epoch;
  return state;
}

/// Returns whether any server has shipped more, or says that it is complete up to a later time.
bool FleetSession::read_progress(State& state) {
  const std::string& database = fleet_.address().database;
  const std::string of_epoch = fmt::format("experiment = {} AND epoch = {}",
                                           sql_text(state.epoch.experiment), state.epoch.key);
  const std::string there =
      fleet_.ask(fmt::format("SELECT server, spool, up_to, complete_ms, dropped, closed FROM "
                             "{}.spools FINAL ORDER BY server, spool FORMAT RowBinary",
                             database));
  // Asked for later, so that it has the epoch of all numbers up to `up_to`.
  const std::string shipped =
      fleet_.ask(fmt::format("SELECT server, spool, up_to, rows, counters, counts FROM {}.shipped "
                             "FINAL WHERE {} FORMAT RowBinary",
                             database, of_epoch));
  std::map<std::pair<std::string, std::uint64_t>, Spool*> known;
  for (Spool& spool : state.spools) known[{spool.server, spool.spool}] = &spool;
  for (RowBinaryReader rows(shipped); !rows.at_end();) {
    std::string server(rows.text());
    const auto number = rows.number<std::uint64_t>();
    Spool*& spool = known[{server, number}];
    if (spool == nullptr) {
      spool = &state.spools.emplace_back();
      spool->server = std::move(server);
      spool->spool = number;
    }
    spool->shipped_up_to = rows.number<std::uint64_t>();
    spool->shipped_rows = rows.number<std::uint64_t>();
    std::vector<std::string_view> names;
    for (std::uint64_t left = rows.length(); left > 0; --left) names.push_back(rows.text());
    std::size_t i = 0;
    rows.array<std::uint64_t>([&](std::uint64_t count) {
      spool->counters.insert_or_assign(std::string(names.at(i++)), count);
    });
  }
  bool is_new = false;
  for (RowBinaryReader rows(there); !rows.at_end();) {
    std::string server(rows.text());
    const auto number = rows.number<std::uint64_t>();
    const auto up_to = rows.number<std::uint64_t>();
    const auto complete_ms = rows.number<std::int64_t>();
    const auto dropped = rows.number<std::uint64_t>();
    const bool is_closed = rows.number<std::uint8_t>() != 0;
    const auto found = known.find({server, number});
    if (found == known.end()) continue;  // of other epochs or experiments
    Spool& spool = *found->second;
    is_new = is_new || spool.up_to != up_to || spool.complete_ms != complete_ms ||
             spool.is_closed != is_closed;
    spool.up_to = up_to;
    spool.complete_ms = complete_ms;
    spool.dropped = dropped;
    spool.is_closed = is_closed;
  }
  return is_new;
}

bool FleetSession::read() {
  const EpochName newest = newest_epoch();
  const bool is_other = !state_ || !(state_->epoch == newest);
  std::unique_ptr<State> begun = is_other ? begin(newest) : nullptr;
  State& state = is_other ? *begun : *state_;
  state.epoch.began_ms = newest.began_ms;
  if (is_other) state_.swap(begun);
  const bool is_new = read_progress(state);
  state.is_behind = state.is_behind || is_new || is_other;
  if (!state.is_behind) return false;
  fold(state);
  state.is_behind = false;
  return true;
}

/// Reads the next facts of a spool unless there is one. Returns false if a fact comes too late: it
/// belongs before others that are in the ledger.
bool FleetSession::fill(State& state, Spool& spool) {
  const std::uint64_t numbers_at_once =
      std::clamp<std::uint64_t>(1'000'000 / state.spools.size(), 2'000, 100'000);
  while (!spool.has_fact && spool.read_up_to < spool.up_to) {
    const std::uint64_t end = std::min(spool.read_up_to + numbers_at_once, spool.up_to);
    spool.page = fleet_.ask(fmt::format(
        "SELECT {} FROM {}.observations WHERE experiment = {} AND epoch = {} AND server = {} AND "
        "spool = {} AND seq > {} AND seq <= {} ORDER BY seq FORMAT RowBinary",
        kFactColumns, fleet_.address().database, sql_text(state.epoch.experiment), state.epoch.key,
        sql_text(spool.server), spool.spool, spool.read_up_to, end));
    spool.read_up_to = end;
    spool.rows += spool.rows_of_page();
    spool.rest.emplace(spool.page);
    if (spool.read_up_to == spool.shipped_up_to) {
      spool.missing = std::max(spool.shipped_rows, spool.rows) - spool.rows;
    }
    if (spool.next() && spool.fact.order_ms < state.folded_to) return false;
  }
  return true;
}

/// Folds all facts before the time up to which every server that is open is complete.
void FleetSession::fold(State& state) {
  std::int64_t end = kEndOfTime;
  for (const Spool& spool : state.spools) {
    if (!spool.is_closed) end = std::min(end, spool.complete_ms);
  }
  const auto fill_all = [&] {
    return std::ranges::all_of(state.spools, [&](Spool& spool) { return fill(state, spool); });
  };
  if (!fill_all()) {
    state.restart();
    if (!fill_all()) return;
  }
  while (true) {
    Spool* first = nullptr;
    for (Spool& spool : state.spools) {
      if (spool.has_fact && (first == nullptr || spool < *first)) first = &spool;
    }
    if (first == nullptr || first->fact.order_ms >= end) break;
    state.last_ms = std::max(state.last_ms, first->fact.time_ms);
    state.last_order_ms = first->fact.order_ms;
    record(state, *first);
    if (!first->next()) static_cast<void>(fill(state, *first));
  }
  state.folded_to = std::max(state.folded_to, end != kEndOfTime ? end : state.last_order_ms + 1);
}

void FleetSession::record(State& state, Spool& spool) {
  Observation& observation = spool.fact.observation;
  const auto arm = std::ranges::find(state.arms, spool.fact.arm, [](const ArmFacts& of) {
    return std::string_view(of.id.text());
  });
  if (arm == state.arms.end()) return;  // was removed from the epoch's text by hand
  observation.arm = ArmIndex(static_cast<std::uint32_t>(arm - state.arms.begin()));
  observation.topic = kUnjudgedTopic;
  const Qrels& qrels = state.judged.qrels();
  if (!spool.fact.topic.empty()) {
    const auto topic = qrels.find(spool.fact.topic);
    if (!topic) return;
    observation.topic = *topic;
    if (!make_sense(spool.fact.hits, qrels.topic(*topic).judgements().size())) return;
  }
  if (spool.fact.is_late) observation.visit = kLateVisit;
  observation.hits = spool.fact.hits;
  state.ledger->record(observation);
  ++state.recorded;
  if (!on_progress_) return;
  constexpr std::uint64_t kPoints = 400;
  std::uint64_t rows = 0;
  if (state.recorded < state.progress_at) return;
  for (const Spool& each : state.spools) rows += each.shipped_rows;
  state.progress_at = state.recorded + std::max<std::uint64_t>(rows / kPoints, 1);
  on_progress_(*this, UtcTime(std::chrono::milliseconds(spool.fact.time_ms)));
}

std::vector<std::string> FleetSession::sentences() const {
  std::vector<std::string> sentences;
  const Spool* slowest = nullptr;
  for (const Spool& spool : state_->spools) {
    if (!spool.is_closed && (slowest == nullptr || spool.complete_ms < slowest->complete_ms)) {
      slowest = &spool;
    }
    if (spool.missing > 0) {
      sentences.push_back(
          fmt::format("{} observations of server {} are missing, though they were "
                      "acknowledged; 'prescope fleet check' says more",
                      spool.missing, spool.server));
    }
    if (spool.dropped > 0) {
      sentences.push_back(
          fmt::format("server {} gave up {} observations that exceeded the limits "
                      "of its outbox",
                      spool.server, spool.dropped));
    }
  }
  if (slowest != nullptr) {
    sentences.push_back(fmt::format(
        "the fleet is complete up to {}, by which server {} has shipped; later observations are "
        "not in the summary yet",
        utc_text(UtcTime(std::chrono::milliseconds(slowest->complete_ms))), slowest->server));
  }
  return sentences;
}

Summary FleetSession::summary(SummaryDetail detail) const {
  SummaryFacts of = state_->set_up.facts;
  of.arms = state_->arms;
  of.health = {.pushed = state_->recorded, .recorded = state_->recorded};
  Summary summary = summarize(*state_->ledger, std::move(of), detail);
  for (const auto& [name, counter] : kHealthCounters) {
    std::uint64_t counted = 0;
    for (const Spool& spool : state_->spools) {
      const auto found = spool.counters.find(name);
      counted += found != spool.counters.end() ? found->second : 0;
    }
    summary.health.*counter = std::max(summary.health.*counter, counted);
  }
  summary.not_in_store = sentences();
  return summary;
}

std::optional<TopicDetail> FleetSession::topic(const TopicId& id) const {
  return topic_detail(*state_->ledger, state_->arms, id);
}

UtcTime FleetSession::last() const { return UtcTime(std::chrono::milliseconds(state_->last_ms)); }
UtcTime FleetSession::began() const {
  return UtcTime(std::chrono::milliseconds(state_->epoch.began_ms));
}
std::uint64_t FleetSession::observations() const { return state_->recorded; }

}  // namespace prescope
