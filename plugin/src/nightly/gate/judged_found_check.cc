#include <fmt/format.h>
#include <algorithm>
#include <string>

#include "nightly/gate/checks.h"
#include "nightly/gate/gate.h"

namespace prescope {

namespace {

using Rule = GateVerdict::Rule;
using Status = GateVerdict::Status;

constexpr std::string_view kIdProblem = "an id problem, not a ranking regression";

/// How many judged citations are there, of how many.
struct Present {
  std::uint64_t count = 0, of = 0;
  [[nodiscard]] double share() const noexcept {
    return of == 0 ? 0.0 : std::min(1.0, static_cast<double>(count) / static_cast<double>(of));
  }
};

std::string fall_words(const Present& then, const Present& now) {
  return fmt::format("from {} to {} ({} and {} of {})", percent_words(then.share()),
                     percent_words(now.share()), then.count, now.count, now.of);
}

std::string hint_words(const DocnoHint& hint) {
  return fmt::format(
      "{} of {} judged docnos match, under docno policy {} it would be {}; these are other {}: "
      "use --docno {}, for the baseline too",
      hint.matched, hint.judged, to_string(hint.policy), hint.would_match,
      hint.policy == DocnoPolicy::kPublication ? "spellings" : "kind codes",
      to_string(hint.policy));
}

/// Another docno policy would match half of what is lost, or more.
bool explains(const std::optional<DocnoHint>& hint, std::uint64_t lost) {
  return hint && hint->would_match > hint->matched &&
         (hint->would_match - hint->matched) * 2 >= lost;
}

/// What made `lost` judged documents leave the index.
std::string cause_words(const GateSubject& subject, std::uint64_t lost) {
  if (explains(subject.tonight.docno_hint, lost)) {
    return fmt::format("{}: {}", kIdProblem, hint_words(*subject.tonight.docno_hint));
  }
  const auto& then = subject.baseline.evaluation.index.documents;
  const auto& now = subject.tonight.index.documents;
  if (!then || !now) {
    return "documents are missing or their ids have changed, which is no ranking regression";
  }
  if (*now < *then) {
    return fmt::format(
        "documents are missing from the index ({} of {} are left) or their ids have changed, which "
        "is no ranking regression",
        *now, *then);
  }
  return fmt::format("{}; the index has no fewer documents than before ({}), so their ids changed",
                     kIdProblem, *now);
}

Rule check_index(const GateSubject& subject, const Present& then, const Present& now) {
  Rule rule{.id = "input.judged_found"};
  const double accepted = subject.rules.input.judged_found_fall;
  if (then.share() - now.share() > accepted) {
    rule.status = Status::kBadInput;
    rule.reason = fmt::format("Judged docnos found in the index fell {}, {} accepted: {}.",
                              fall_words(then, now), percent_words(accepted),
                              cause_words(subject, then.count - now.count));
  } else {
    rule.reason =
        fmt::format("Judged docnos found in the index: {} ({} of {}), at the baseline {}.",
                    percent_words(now.share()), now.count, now.of, percent_words(then.share()));
  }
  return rule;
}

Present retrieved(const GateSubject& subject, const EvaluationRecord::Topic* PairedTopic::*which) {
  Present present;
  for (const PairedTopic& topic : subject.topics) {
    present.count += (topic.*which)->found.size();
    present.of += (topic.*which)->num_rel;
  }
  return present;
}

/// Of runs: what was retrieved says little about ids by itself.
Rule check_retrieved(const GateSubject& subject) {
  const Present then = retrieved(subject, &PairedTopic::baseline);
  const Present now = retrieved(subject, &PairedTopic::tonight);
  Rule rule{.id = "input.judged_found", .status = Status::kSkipped};
  const bool has_fallen = then.share() - now.share() > subject.rules.input.judged_found_fall;
  if (has_fallen && explains(subject.tonight.docno_hint, then.count - now.count)) {
    rule.status = Status::kBadInput;
    rule.reason =
        fmt::format("Relevant citations retrieved fell {}: {}: {}.", fall_words(then, now),
                    kIdProblem, hint_words(*subject.tonight.docno_hint));
    return rule;
  }
  if (now.count * 2 < then.count) {
    rule.status = Status::kWarning;
    rule.reason = fmt::format(
        "No index is known of both, and relevant citations retrieved fell {}: do the ids of the "
        "run look like those of the judgements?",
        fall_words(then, now));
    return rule;
  }
  rule.reason = fmt::format(
      "Not looked at, because no index is known of both; relevant citations retrieved: {} ({} of "
      "{}), at the baseline {}.",
      percent_words(now.share()), now.count, now.of, percent_words(then.share()));
  return rule;
}

}  // namespace

Rule check_judged_found(const GateSubject& subject) {
  const auto& then = subject.baseline.evaluation.index.judged_found;
  const auto& now = subject.tonight.index.judged_found;
  if (!then || !now) return check_retrieved(subject);
  return check_index(subject, {*then, subject.baseline.evaluation.qrels.relevant},
                     {*now, subject.tonight.qrels.relevant});
}

}  // namespace prescope
