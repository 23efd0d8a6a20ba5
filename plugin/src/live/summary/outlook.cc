#include "live/summary/outlook.h"

#include <algorithm>
#include <cmath>

#include "statistics/evidence.h"

namespace prescope {

namespace {

/// Returns the sums of so many topics with the mean and the spread of these.
TopicSums continued(const TopicSums& sums, double topics) {
  const double times = topics / static_cast<double>(sums.n());
  return {static_cast<std::uint64_t>(topics), times * sums.sum(), times * sums.squares()};
}

/// Returns the topics until the interval leaves 0 if all stays as it is.
std::optional<double> topics_to_verdict(const Ledger& ledger, ArmIndex b, const LiveVerdict& live) {
  constexpr std::uint32_t kFewest = 20;
  constexpr double kMost = 1e9;
  const bool has_sign = live.mean && (*live.mean_low > 0.0 || *live.mean_high < 0.0);
  if (live.topics < kFewest || !has_sign || live.state == LiveState::kAhead) return std::nullopt;
  const BoundedEvidence evidence = ledger.evidence(b, ledger.options().primary);
  const TopicSums now =
      (*live.mean_low > 0.0 ? evidence.at_low() : evidence.at_high()).sums();  // nearest to 0
  const ConfidenceSequence sequence{.alpha = live.alpha,
                                    .b_squared = ledger.statement(live.alpha).b_squared};
  const auto shows = [&](double topics) {
    return sequence.log_e_value(continued(now, topics)) >= -std::log(live.alpha);
  };
  double too_few = live.topics, enough = 2.0 * too_few;
  for (; !shows(enough); enough *= 2.0) {
    if (enough > kMost) return std::nullopt;
    too_few = enough;
  }
  while (enough - too_few > 1.0) {
    const double middle = std::floor((too_few + enough) / 2.0);
    (shows(middle) ? enough : too_few) = middle;
  }
  return enough - live.topics;
}

std::optional<double> topics_to_next_look(const PlannedTest& test) {
  const auto next = std::ranges::find(test.looks, false, &PlannedLook::is_taken);
  if (next == test.looks.end()) return std::nullopt;
  return std::max(1.0, static_cast<double>(next->topics) - test.topics);
}

/// Returns the judged topics, or families, that may yet be compared. In Mode::kSplit some of them
/// will be served by other arms, or are not compared: as many as so far.
std::optional<std::uint32_t> units_left(const Ledger& ledger, std::uint32_t compared) {
  if (ledger.options().finds_topics) return std::nullopt;
  const auto counts = ledger.topic_counts();
  const std::uint32_t units =
      ledger.qrels().has_family_map() ? counts.families : counts.with_relevant;
  const bool is_split = ledger.options().mode == Mode::kSplit;
  const std::uint32_t done = is_split ? ledger.families_seen() : compared;
  const std::uint32_t left = units - std::min(units, done);
  if (!is_split || done == 0) return left;
  return static_cast<std::uint32_t>(std::lround(static_cast<double>(left) * compared / done));
}

bool is_open(const std::optional<PlannedTest>& planned, LiveState live) {
  if (planned) return planned->state == PlannedState::kGoing;
  return live == LiveState::kCollecting || live == LiveState::kNoVerdict ||
         live == LiveState::kAhead;
}

}  // namespace

std::optional<Outlook> outlook_of(const Ledger& ledger, const ComparedPair& pair,
                                  const ArmPair& so_far) {
  const std::optional<LiveVerdict>& live = so_far.differences[ledger.options().primary].live;
  if (!live || !pair.is_shown) return std::nullopt;
  Outlook outlook{.is_open = !pair.is_vetoed && is_open(so_far.planned, live->state),
                  .left = units_left(ledger, live->topics),
                  .per_hour = ledger.pair(pair.b).arrivals.per_hour(ledger.latest())};
  if (outlook.is_open) {
    outlook.topics = so_far.planned ? topics_to_next_look(*so_far.planned)
                                    : topics_to_verdict(ledger, pair.b, *live);
  }
  return outlook;
}

}  // namespace prescope
