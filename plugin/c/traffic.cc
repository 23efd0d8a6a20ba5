#include <deque>

#include "c/columns.h"
#include "prescope/ranking_observer.h"

// The functions that a host calls for each request. No exception leaves them.

namespace prescope::c {

namespace {

/// What a prescope_visit holds: the visit, and the beginning of the user's words.
struct NamedVisit {
  static constexpr std::size_t kMost = 63;
  Visit visit{};
  std::uint8_t size = 0;
  std::array<char, kMost> query{};
};
static_assert(std::is_trivially_copyable_v<NamedVisit> &&
              sizeof(NamedVisit) <= sizeof(prescope_visit));
static_assert(sizeof(DocId) == sizeof(std::uint32_t) && std::is_trivially_copyable_v<DocId>);

prescope_visit opaque(const Visit& visit, std::string_view query) noexcept {
  NamedVisit named{.visit = visit};
  // A character that is cut at the end is shown as U+FFFD.
  named.size = static_cast<std::uint8_t>(query.copy(named.query.data(), NamedVisit::kMost));
  prescope_visit result{};
  std::memcpy(&result, &named, sizeof(named));
  return result;
}

Visit visit_of(const prescope_visit& opaque) noexcept {
  Visit visit;
  static_assert(offsetof(NamedVisit, visit) == 0);
  std::memcpy(static_cast<void*>(&visit), &opaque, sizeof(visit));
  return visit;
}

QueryText query_of(const prescope_visit& opaque) noexcept {
  NamedVisit named;
  std::memcpy(static_cast<void*>(&named), &opaque, sizeof(named));
  const std::size_t size = std::min<std::size_t>(named.size, NamedVisit::kMost);
  return QueryText({named.query.data(), size});
}

/// Flags that a host may set; `more` are allowed too.
bool are_known(std::uint32_t flags, std::uint32_t more = 0) noexcept {
  constexpr std::uint32_t kKnown = PRESCOPE_SORTED | PRESCOPE_RETRIED | PRESCOPE_PARTIAL |
                                   PRESCOPE_DEEPENED | PRESCOPE_FILTERED | PRESCOPE_COLLAPSED;
  return (flags & ~(kKnown | more)) == 0;
}

/// Counts what cannot be read.
prescope_outcome abandoned(Experiment& live) noexcept {
  live.count_adapter_failure();
  return PRESCOPE_ABANDONED;
}

/// Counts a search for a visit that was never begun.
prescope_outcome without_visit(Experiment& live) noexcept {
  live.count_unobserved_search();
  return PRESCOPE_NO_SCOPE;
}

/// Returns the ranking without its hits.
Ranking ranking_of(const prescope_ranking& given) noexcept {
  using Clock = std::chrono::steady_clock;
  const std::size_t hits = given.docnos != nullptr ? given.docnos->count : given.num_docids;
  Ranking ranking{.arm = ArmIndex(given.arm),
                  .kind = given.docnos != nullptr ? HitKind::kDocnos : HitKind::kDocids,
                  .resolved = given.index != nullptr ? given.index->resolved.get() : nullptr,
                  .collection_size = given.collection_size,
                  .first_rank = given.first_rank,
                  .requested_depth = given.requested_depth != 0 ? given.requested_depth
                                                                : static_cast<std::uint32_t>(hits),
                  .total_hits = given.total_hits,
                  .flags = RankingFlags(given.flags)};
  const bool is_timed =
      (given.started_ns != 0 || given.ended_ns != 0) && given.ended_ns >= given.started_ns;
  if (is_timed) {
    ranking.latency = std::chrono::nanoseconds(given.ended_ns - given.started_ns);
  } else {
    ranking.search_started = Clock::now();
    ranking.flags = ranking.flags | RankingFlags::kUntimed;
  }
  return ranking;
}

std::span<const DocId> docids_of(const prescope_ranking& given) noexcept {
  return {reinterpret_cast<const DocId*>(given.docids), given.num_docids};
}

/// Throws for a column that cannot be read.
void add_docnos(RankingObserver& observer, const prescope_column& docnos) {
  ColumnCursor cursor(docnos, "docnos");
  if (docnos.layout == PRESCOPE_TEXTS) {  // the quickest, because nothing need be looked for
    const std::span texts(static_cast<const prescope_text*>(docnos.data), docnos.count);
    return observer.add_each(texts, view_of);
  }
  std::array<std::string_view, 128> names;
  const bool one_by_one = docnos.layout == PRESCOPE_FIXED_UCS4;  // views live until the next
  std::size_t filled = 0;
  for (std::size_t i = 0; i < cursor.size(); ++i) {
    names[filled++] = cursor.next();
    if (!one_by_one && filled < names.size()) continue;
    observer.add(std::span<const std::string_view>(names).first(filled));
    filled = 0;
  }
  observer.add(std::span<const std::string_view>(names).first(filled));
}

/// Gives the hits to the observer. `args` are what it is made of.
template <class... Args>
prescope_outcome observe(const prescope_ranking& given, Args&&... args) noexcept {
  RankingObserver observer(std::forward<Args>(args)...);
  if (observer.wants_hits()) {
    try {
      if (given.docnos != nullptr) {
        add_docnos(observer, *given.docnos);
      } else {
        observer.add(docids_of(given));
      }
    } catch (...) {
      observer.abandon();
    }
  }
  return static_cast<prescope_outcome>(observer.end());
}

/// The rankings of a comparison, with the memory of their docnos.
class ComparedRankings {
 public:
  /// Throws for a ranking that cannot be read.
  ComparedRankings(const prescope_ranking* given, std::size_t count) {
    const auto* at = reinterpret_cast<const unsigned char*>(given);
    for (std::size_t i = 0; i < count; ++i) {
      const auto* one = reinterpret_cast<const prescope_ranking*>(at);
      add(versioned(one, PRESCOPE_RANKING_INIT, "prescope_ranking"));
      at += one->size;
    }
  }
  [[nodiscard]] std::span<const Ranking> rankings() const noexcept { return rankings_; }

 private:
  void add(const prescope_ranking& given) {
    if (!are_known(given.flags, PRESCOPE_FAILED | PRESCOPE_TIMED_OUT)) {
      throw usage_error("flags {}", given.flags);
    }
    Ranking ranking = ranking_of(given);
    ranking.docids = docids_of(given);
    if (given.docnos != nullptr) ranking.docnos = names_of(*given.docnos);
    rankings_.push_back(ranking);
  }
  std::span<const std::string_view> names_of(const prescope_column& column) {
    ColumnCursor cursor(column, "docnos");
    auto& texts = texts_.emplace_back();
    auto& names = names_.emplace_back();
    texts.reserve(cursor.size());  // `names` refer to strings, which must not move
    for (std::size_t i = 0; i < cursor.size(); ++i) {
      names.emplace_back(texts.emplace_back(cursor.next()));
    }
    return names;
  }

  std::vector<Ranking> rankings_;
  std::deque<std::vector<std::string>> texts_;
  std::deque<std::vector<std::string_view>> names_;
};

static_assert(static_cast<int>(Outcome::kRecorded) == PRESCOPE_RECORDED &&
              static_cast<int>(Outcome::kUnjudged) == PRESCOPE_UNJUDGED &&
              static_cast<int>(Outcome::kUnmatched) == PRESCOPE_UNMATCHED &&
              static_cast<int>(Outcome::kNoScope) == PRESCOPE_NO_SCOPE &&
              static_cast<int>(Outcome::kInactiveArm) == PRESCOPE_INACTIVE_ARM &&
              static_cast<int>(Outcome::kSampledOut) == PRESCOPE_SAMPLED_OUT &&
              static_cast<int>(Outcome::kNoRoom) == PRESCOPE_NO_ROOM &&
              static_cast<int>(Outcome::kNotCompared) == PRESCOPE_NOT_COMPARED &&
              static_cast<int>(Outcome::kAbandoned) == PRESCOPE_ABANDONED);
static_assert(static_cast<int>(RankingFlags::kSorted) == PRESCOPE_SORTED &&
              static_cast<int>(RankingFlags::kRetried) == PRESCOPE_RETRIED &&
              static_cast<int>(RankingFlags::kPartial) == PRESCOPE_PARTIAL &&
              static_cast<int>(RankingFlags::kDeepened) == PRESCOPE_DEEPENED &&
              static_cast<int>(RankingFlags::kFailed) == PRESCOPE_FAILED &&
              static_cast<int>(RankingFlags::kTimedOut) == PRESCOPE_TIMED_OUT &&
              static_cast<int>(RankingFlags::kFiltered) == PRESCOPE_FILTERED &&
              static_cast<int>(RankingFlags::kCollapsed) == PRESCOPE_COLLAPSED);

}  // namespace

}  // namespace prescope::c

using namespace prescope;
using namespace prescope::c;

prescope_visit prescope_begin(prescope_experiment* experiment, const prescope_request* request) {
  prescope_request given PRESCOPE_REQUEST_INIT;
  if (experiment == nullptr || !copy_versioned(request, given)) return {};
  Experiment& live = *experiment->experiment;
  const std::optional<TopicIndex> topic = live.qrels().look_up(view_of(given.topic));
  VisitOptions options{.key = view_of(given.session), .request_id = given.request_id};
  if (given.served_utc_ns != 0) {
    options.served = UtcTime(std::chrono::duration_cast<UtcTime::duration>(
        std::chrono::nanoseconds(given.served_utc_ns)));
  }
  Visit visit = live.visit(topic.value_or(kUnjudgedTopic), options);
  if (given.arm != PRESCOPE_NO_ARM) visit.arm = ArmIndex(given.arm);
  return opaque(visit, view_of(given.query.size != 0 ? given.query : given.topic));
}

prescope_outcome prescope_observe(prescope_experiment* experiment, const prescope_visit* visit,
                                  const prescope_ranking* ranking) {
  prescope_ranking given PRESCOPE_RANKING_INIT;
  if (experiment == nullptr) return PRESCOPE_ABANDONED;
  Experiment& live = *experiment->experiment;
  if (ranking == nullptr || !copy_versioned(ranking, given) || !are_known(given.flags) ||
      (given.docids == nullptr && given.num_docids != 0)) {
    return abandoned(live);
  }
  if (visit == nullptr) return observe(given, live, ranking_of(given));
  const Visit begun = visit_of(*visit);
  if (begun.number == 0) return without_visit(live);
  return observe(given, live, begun, ranking_of(given));
}

prescope_outcome prescope_observe_failure(prescope_experiment* experiment,
                                          const prescope_visit* visit, uint32_t arm,
                                          uint32_t has_timed_out) {
  if (experiment == nullptr) return PRESCOPE_ABANDONED;
  using Failure = ExperimentTraffic::SearchFailure;
  const Failure failure = has_timed_out != 0 ? Failure::kTimedOut : Failure::kFailed;
  Experiment& live = *experiment->experiment;
  if (visit == nullptr) {
    return static_cast<prescope_outcome>(live.observe_failure(ArmIndex(arm), failure));
  }
  const Visit begun = visit_of(*visit);
  if (begun.number == 0) return without_visit(live);
  return static_cast<prescope_outcome>(live.observe_failure(begun, ArmIndex(arm), failure));
}

int prescope_wants_shadow(prescope_experiment* experiment, const prescope_visit* visit) {
  if (experiment == nullptr || visit == nullptr) return 0;
  const Visit begun = visit_of(*visit);
  return begun.number != 0 && experiment->experiment->wants_shadow(begun) ? 1 : 0;
}

int prescope_shadow(prescope_experiment* experiment, const prescope_visit* visit, uint32_t served,
                    int (*search)(void* context, uint32_t arm), void (*free_context)(void* context),
                    void* context) {
  try {
    const std::shared_ptr<void> owned(context, [free_context](void* given) {
      if (free_context != nullptr) free_context(given);
    });
    if (experiment == nullptr || visit == nullptr || search == nullptr) return 0;
    const Visit begun = visit_of(*visit);
    if (begun.number == 0) return 0;
    const bool is_taken = experiment->experiment->shadow(
        begun, ArmIndex(served),
        [search, owned](ArmIndex arm) {
          const int failed = search(owned.get(), arm.value());
          if (failed != 0) throw engine_error("the host's search returned {}", failed);
        },
        query_of(*visit).view());
    return is_taken ? 1 : 0;
  } catch (...) {  // no memory
    return 0;
  }
}

prescope_outcome prescope_observe_comparison(prescope_experiment* experiment,
                                             const prescope_visit* visit, uint32_t served,
                                             const prescope_ranking* rankings, size_t count) {
  if (experiment == nullptr) return PRESCOPE_ABANDONED;
  Experiment& live = *experiment->experiment;
  if (visit == nullptr || (rankings == nullptr && count != 0)) return abandoned(live);
  const Visit begun = visit_of(*visit);
  if (begun.number == 0) return without_visit(live);
  try {
    const ComparedRankings compared(rankings, count);
    return static_cast<prescope_outcome>(experiment->experiment->observe_comparison(
        begun, ArmIndex(served), compared.rankings(), query_of(*visit).view()));
  } catch (...) {
    experiment->experiment->count_adapter_failure();
    return PRESCOPE_ABANDONED;
  }
}
