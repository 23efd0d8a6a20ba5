#include "collect/posted_visits.h"

#include <fmt/format.h>
#include <algorithm>

#include "base/errors.h"
#include "base/sip_hash.h"
#include "report/text/visible_text.h"

namespace prescope {

namespace {

std::uint64_t id_of(const PostedRanking& ranking) { return SipHash::of(ranking.visit); }

/// Returns the ranking as an engine of docnos gives it. A client that does not say how many hits it
/// asked for may have had more than it posts.
Ranking ranking_of(const PostedVisits::Named& posted) {
  const PostedRanking& from = posted.ranking;
  Ranking ranking{
      .arm = posted.arm,
      .kind = HitKind::kDocnos,
      .docnos = from.docnos,
      .first_rank = from.first_rank,
      .requested_depth = from.depth.value_or(static_cast<std::uint32_t>(from.docnos.size())),
      .total_hits = from.total.value_or(0),
      .latency = from.latency.value_or(std::chrono::nanoseconds(0)),
      .flags = from.flags};
  if (!from.latency) ranking.flags = ranking.flags | RankingFlags::kUntimed;
  return ranking;
}

bool has_failed(RankingFlags flags) {
  return has(flags, RankingFlags::kFailed | RankingFlags::kTimedOut);
}

}  // namespace

Outcome PostedVisits::observe(const Named& posted) {
  const bool is_paired = experiment_.options().mode == Mode::kPaired;
  if (!is_paired && posted.ranking.shadow.value_or(false)) {
    throw bad_input_error(
        "a ranking for comparison (shadow), and the experiment's mode is not paired; expected "
        "rankings that were served, or live.mode = \"paired\"");
  }
  // What was known of the visit before its later page failed stays as it is.
  if (has_failed(posted.ranking.flags) && posted.ranking.first_rank > 1) {
    return Outcome::kNotCompared;
  }
  if (is_paired) {
    check_compared(posted);
    return observe_paired(posted);
  }
  return observe_served(visit_of(posted, posted.request_id), posted);
}

Visit PostedVisits::visit_of(const Named& posted, std::uint64_t request_id) const {
  Visit visit = experiment_.visit(
      posted.topic,
      {.key = posted.ranking.visit, .served = posted.ranking.served, .request_id = request_id});
  visit.started = {};  // it says nothing about what was served elsewhere
  return visit;
}

Outcome PostedVisits::observe_served(const Visit& visit, const Named& posted) {
  const RankingFlags flags = posted.ranking.flags;
  if (!has_failed(flags)) return experiment_.observe(visit, ranking_of(posted));
  using Failure = Experiment::SearchFailure;
  return experiment_.observe_failure(
      visit, posted.arm,
      has(flags, RankingFlags::kTimedOut) ? Failure::kTimedOut : Failure::kFailed);
}

/// The first ranking of a visit that is not said to be a shadow's was served; a ranking of another
/// arm is compared with it.
Outcome PostedVisits::observe_paired(const Named& posted) {
  const auto known = places_.find(id_of(posted.ranking));
  Open* open = known == places_.end() ? nullptr : &*known->second;
  if (open != nullptr && open->comparison.visit.topic != posted.topic) {
    throw bad_input_error(
        "visit '{}' is of another topic than its earlier ranking; expected one "
        "topic for a visit",
        one_line(posted.ranking.visit));
  }
  const auto served = open == nullptr ? std::nullopt : open->comparison.served;
  const bool is_other = served && *served != posted.arm;
  if (is_other && posted.ranking.shadow == false) {
    throw bad_input_error(
        "visit '{}' was served by arm '{}'; expected \"shadow\": true for the "
        "rankings of other arms",
        one_line(posted.ranking.visit), experiment_.arms()[served->value()].text());
  }
  const bool is_shadow = posted.ranking.shadow.value_or(is_other);
  const bool is_new =
      posted.ranking.first_rank > 1 || (open != nullptr && open->is_of_earlier_process);
  if (is_new && !is_shadow) {
    return observe_served(visit_of(posted, posted.request_id), posted);
  }
  if (open == nullptr) open = &open_visit(posted, is_shadow);
  if (is_shadow) return observe_compared(*open, posted);
  open->comparison.served = posted.arm;
  Visit visit = open->comparison.visit;
  visit.request_id = posted.request_id;
  if (posted.ranking.served) visit.served = posted.ranking.served;
  const Outcome outcome = observe_served(visit, posted);
  if (posted.topic == kUnjudgedTopic) compare_unjudged(*open, posted);
  end_if_complete(*open);
  return outcome;
}

PostedVisits::Open& PostedVisits::open_visit(const Named& posted, bool is_shadow) {
  const Visit visit = visit_of(posted, 0);
  const auto served = is_shadow ? std::nullopt : std::optional(posted.arm);
  const bool is_compared = !posted.ranking.compared || !posted.ranking.compared->empty();
  const std::string_view query =
      posted.ranking.query.empty() ? posted.ranking.topic : posted.ranking.query;
  return add({.id = id_of(posted.ranking),
              .until = Clock::now() + wait_,
              .comparison = is_compared ? experiment_.begin_comparison(visit, served, query)
                                        : OpenComparison{.visit = visit, .served = served}});
}

PostedVisits::Open& PostedVisits::add(Open open) {
  if (open_.size() >= kMostOpen) {
    if (!open_.front().is_ended) ++crowded_out_;
    give_up_oldest();
  }
  open_.push_back(open);
  places_.emplace(open_.back().id, std::prev(open_.end()));
  return open_.back();
}

void PostedVisits::remember(const Named& posted) {
  const bool is_paired = experiment_.options().mode == Mode::kPaired;
  if (!is_paired || posted.ranking.first_rank > 1 || posted.ranking.shadow.value_or(false)) return;
  if (places_.contains(id_of(posted.ranking))) return;
  add({.id = id_of(posted.ranking),
       .until = Clock::now() + wait_,
       .comparison = {.visit = {.topic = posted.topic}, .served = posted.arm},
       .is_ended = true,
       .is_of_earlier_process = true});
}

Outcome PostedVisits::observe_compared(Open& open, const Named& posted) {
  if (std::exchange(open.is_of_earlier_process, false)) {
    open.comparison = experiment_.begin_comparison(visit_of(posted, 0), open.comparison.served);
    give_up(open);
  }
  const std::uint64_t arm = std::uint64_t{1} << posted.arm.value();
  if (posted.ranking.first_rank == 1) {
    if ((open.arms_ranked & arm) != 0) {
      throw bad_input_error(
          "arm '{}' has ranked visit '{}' for comparison already; expected one "
          "ranking of each arm",
          experiment_.arms()[posted.arm.value()].text(), one_line(posted.ranking.visit));
    }
    open.arms_ranked |= arm;
  }
  if (posted.topic == kUnjudgedTopic) {
    compare_unjudged(open, posted);
    end_if_complete(open);
    return Outcome::kNotCompared;
  }
  open.comparison.visit.request_id = posted.request_id;
  const Outcome outcome = experiment_.observe(open.comparison, ranking_of(posted));
  open.comparison.visit.request_id = 0;
  end_if_complete(open);
  return outcome;
}

/// Of a visit without judgements, what was served is compared too, and no log has the rankings.
void PostedVisits::compare_unjudged(Open& open, const Named& posted) {
  if (!open.is_ended) (void)experiment_.observe(open.comparison, ranking_of(posted));
}

/// What was served is recorded in an earlier process only, so this one never has all rankings.
void PostedVisits::give_up(Open& open) {
  open.is_ended = true;
  experiment_.end_comparison(open.comparison);
}

/// The visit stays open, so that what still comes for it is not taken for another one.
void PostedVisits::end_if_complete(Open& open) {
  const bool is_served_compared =
      open.comparison.visit.topic != kUnjudgedTopic &&
      experiment_.options().shadow.latency == ShadowOptions::Latency::kNotCompared;
  const bool has_served = is_served_compared && open.comparison.served;
  const std::uint32_t answered = open.comparison.ranked + open.comparison.failed;
  if (open.is_ended || answered + (has_served ? 1U : 0U) < open.comparison.arms) return;
  open.is_ended = true;
  experiment_.end_comparison(open.comparison);
}

void PostedVisits::give_up(Clock::time_point now) {
  while (!open_.empty() && open_.front().until <= now) give_up_oldest();
}

void PostedVisits::give_up_oldest() {
  Open& oldest = open_.front();
  if (!oldest.is_ended) give_up(oldest);
  places_.erase(oldest.id);
  open_.pop_front();
}

void PostedVisits::check_compared(const Named& posted) const {
  const auto& compared = posted.ranking.compared;
  if (!compared || compared->empty()) return;
  std::vector<std::string_view> active;
  for (std::uint32_t a = 0; a < experiment_.arms().size(); ++a) {
    if (experiment_.status(ArmIndex(a)) == ArmStatus::kActive) {
      active.push_back(experiment_.arms()[a].text());
    }
  }
  std::vector<std::string_view> named = *compared;
  std::ranges::sort(named);
  std::vector<std::string_view> expected = active;
  std::ranges::sort(expected);
  if (named == expected) return;
  throw bad_input_error(
      "compared names the arms {}; expected each active arm once: {} (or none: [])",
      one_line(fmt::format("{}", fmt::join(*compared, ", "))), fmt::join(active, ", "));
}

}  // namespace prescope
