// The evidence about pairs of arms, over all topics and in slices.
#include <algorithm>

#include "live/ledger/ledger.h"
#include "statistics/paired_tests.h"

namespace prescope {

/// Topics that may have any value: one for each that flags have left out of one arm only.
struct Ledger::Unscored {
  Bounds value{};
  std::uint64_t topics = 0;

  [[nodiscard]] BoundedEvidence with(BoundedEvidence evidence) const noexcept {
    if (topics > 0) evidence.add(value, topics);
    return evidence;
  }
};

Ledger::Unscored Ledger::unscored(std::size_t measure, const UnscoredTopics& of) const noexcept {
  if (!expectation_ || of.in_a == of.in_b) return {};
  const double expected = expectation_->so_far(measure);
  return {.value = of.in_b > of.in_a ? Bounds{-expected, 1.0 - expected}
                                     : Bounds{expected - 1.0, expected},
          .topics = std::max(of.in_a, of.in_b) - std::min(of.in_a, of.in_b)};
}

BoundedEvidence Ledger::evidence(ArmIndex b, std::size_t measure) const noexcept {
  const PairState& pair = pairs_[b.value()];
  return unscored(measure, pair.unscored).with(pair.evidence[measure]);
}

BoundedEvidence Ledger::evidence_in(std::size_t slice, ArmIndex b) const noexcept {
  const SliceState& of = pairs_[b.value()].slices[slice];
  return unscored(options_.primary, of.unscored).with(of.evidence);
}

MarginBets Ledger::margin_bets(std::size_t margin, ArmIndex b) const noexcept {
  MarginBets bets = pairs_[b.value()].margins[margin];
  const LossMargin& of = margins_[margin];
  const Unscored more = unscored(of.measure, pairs_[b.value()].unscored);
  if (more.topics > 0) {
    bets.bet_on(more.value, of.margin / scale(), static_cast<double>(more.topics));
  }
  return bets;
}

/// Bets on a value of the measure, or takes the bets back; nothing for kNoBounds.
void Ledger::renew_margins(PairState& pair, std::size_t measure, const Bounds& value,
                           double times) noexcept {
  if (!value.has_value()) return;
  for (std::size_t i = 0; i < margins_.size(); ++i) {
    const LossMargin& of = margins_[i];
    if (of.measure == measure) pair.margins[i].bet_on(value, of.margin / scale(), times);
  }
}

/// Returns whether all topics of the next look are there.
bool Ledger::is_look_due(const PairState& pair) const noexcept {
  return pair.looks_over < topics_at_looks_.size() &&
         pair.evidence[options_.primary].topics() >= topics_at_looks_[pair.looks_over];
}

/// Keeps the evidence of a look that is due, before a topic is added.
void Ledger::end_look(ArmIndex b) noexcept {
  PairState& pair = pairs_[b.value()];
  if (!is_look_due(pair)) return;
  Look& look = pair.looks[pair.looks_over++];
  for (std::size_t m = 0; m < num_measures_; ++m) look[m] = evidence(b, m);
}

std::vector<Ledger::Look> Ledger::looks(ArmIndex b) const {
  const PairState& pair = pairs_[b.value()];
  std::vector<Look> taken(pair.looks.begin(),
                          pair.looks.begin() + static_cast<std::ptrdiff_t>(pair.looks_over));
  if (!is_look_due(pair)) return taken;
  Look& now = taken.emplace_back();
  for (std::size_t m = 0; m < num_measures_; ++m) now.push_back(evidence(b, m));
  return taken;
}

/// Adds the value of a topic to its slices, or takes it out; nothing for kNoBounds.
void Ledger::renew_slices(PairState& pair, TopicIndex topic, const Bounds& value,
                          Sign sign) noexcept {
  if (!value.has_value()) return;
  const std::uint32_t differs = value.excludes_zero() ? 1 : 0;
  for (const std::uint32_t s : options_.slices.of(topic)) {
    SliceState& slice = pair.slices[s];
    if (sign == Sign::kAdd) {
      slice.evidence.add(value);
      slice.differing += differs;
    } else {
      slice.evidence.remove(value);
      slice.differing -= differs;
    }
  }
}

/// Sets what a family of topics adds to the evidence of a pair, if this is the family's first visit
/// with values. Called again for the same visit when more becomes known.
template <class DifferenceOf>
void Ledger::renew_first(ArmIndex b, const FirstVisit& visit,
                         const DifferenceOf& difference_of) noexcept {
  PairState& pair = pairs_[b.value()];
  const std::size_t family = qrels().family(visit.topic).value();
  if (pair.first_visits.empty() || !seen_families_.has_seen(family)) return;
  FirstVisit& first = pair.first_visits.at(family);
  const bool is_same = first.is_same(visit);
  if (first.visit != 0 && !is_same && !first.gives_way) return;
  bool has_any = false;
  for (std::size_t m = 0; m < num_measures_; ++m) {
    has_any = has_any || difference_of(m).has_value();
  }
  if (!is_same && !has_any) return;
  const bool is_new = !pair.firsts.row_at(family)[options_.primary].has_value();
  if (is_new && difference_of(options_.primary).has_value()) {
    end_look(b);
    pair.arrivals.add(latest_);
  }
  for (std::size_t m = 0; m < num_measures_; ++m) {
    Bounds& known = pair.firsts.row_at(family)[m];
    const Bounds now = difference_of(m);
    if (known.has_value()) pair.evidence[m].remove(known);
    if (now.has_value()) pair.evidence[m].add(now);
    renew_margins(pair, m, known, -1.0);
    renew_margins(pair, m, now, 1.0);
    if (m == options_.primary) {
      renew_slices(pair, first.topic, known, Sign::kTakeOut);
      renew_slices(pair, visit.topic, now, Sign::kAdd);
    }
    known = now;
  }
  first = has_any ? visit : FirstVisit{visit.topic, visit.arm};
}

/// Mode::kSplit: the value of a topic is its distance from what was expected of it. If another arm
/// than the one that the hash gives has served it, nobody knows what that one would have served.
void Ledger::renew_first_served(ArmIndex arm, TopicIndex topic, std::uint32_t place,
                                const Values& now) noexcept {
  if (!expectation_) return;
  const ArmIndex assigned =
      options_.assigned ? options_.assigned(topic).value_or(arm) : ArmIndex(arm);
  for_each_pair(assigned, [&](ArmIndex b) {
    if (!is_compared(topic, assigned, assigned == b ? ArmIndex(0) : b)) return;
    renew_first(b, {topic, arm, place}, [&](std::size_t m) {
      if (!now.bounds[m]) return kNoBounds;
      const double expected = expectation_->of(topic, m).value();
      const auto& [low, high] = assigned == arm ? *now.bounds[m] : Bounds{0.0, 1.0};
      return assigned == b
                 ? Bounds{clean_difference(low, expected), clean_difference(high, expected)}
                 : Bounds{clean_difference(expected, high), clean_difference(expected, low)};
    });
  });
}

/// Mode::kPaired: `values_of(arm)` points to the values of the visit, or is null.
void Ledger::renew_first_compared(const FirstVisit& visit, const ValuesOf& values_of) noexcept {
  for_each_pair(ArmIndex(0), [&](ArmIndex b) {
    const Values* const in_a = values_of(ArmIndex(0));
    const Values* const in_b = values_of(b);
    renew_first(b, visit, [&](std::size_t m) {
      if (in_a == nullptr || in_b == nullptr) return kNoBounds;
      const std::optional<Bounds>&a = in_a->bounds[m], &of_b = in_b->bounds[m];
      if (!a || !of_b) return kNoBounds;
      return Bounds{clean_difference(of_b->low, a->high), clean_difference(of_b->high, a->low)};
    });
  });
}

}  // namespace prescope
