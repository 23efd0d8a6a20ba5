#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "nightly/gate/checks.h"

namespace prescope {

namespace {

using Rule = GateVerdict::Rule;
using Status = GateVerdict::Status;

std::string judgement_words(const QrelsVersion& qrels) {
  return fmt::format("{} and {} from grade {} on ({})", counted_words(qrels.topics, "topic"),
                     counted_words(qrels.relevant, "relevant citation"), qrels.min_grade,
                     qrels.hash);
}

Rule check_qrels(const GateSubject& subject) {
  Rule rule{.id = "input.qrels"};
  const QrelsVersion& then = subject.baseline.evaluation.qrels;
  const QrelsVersion& now = subject.tonight.qrels;
  if (then.hash == now.hash && then.min_grade == now.min_grade) {
    rule.reason = fmt::format("The judgements are the baseline's: {}.", judgement_words(now));
    return rule;
  }
  rule.status = Status::kBadInput;
  rule.reason = fmt::format(
      "The judgements are not the baseline's: it has {}, tonight has {}; scores under other "
      "judgements cannot be compared: evaluate under the baseline's, or pin a new baseline.",
      judgement_words(then), judgement_words(now));
  return rule;
}

Rule check_topics(const GateSubject& subject) {
  std::uint64_t served = 0;
  std::vector<TopicId> missing;
  for (const PairedTopic& topic : subject.topics) {
    if (!topic.baseline->served) continue;
    ++served;
    if (!topic.tonight->served) missing.push_back(topic.tonight->id);
  }
  Rule rule{.id = "input.topics"};
  if (missing.empty()) {
    rule.reason = fmt::format("All topics of the baseline were served tonight: {}.", served);
    return rule;
  }
  const std::uint32_t accepted = subject.rules.input.topics_missing;
  const std::string found =
      fmt::format("{} of the {} that the baseline served were not served tonight ({})",
                  counted_words(missing.size(), "topic"), served, listed_topics(missing));
  if (missing.size() <= accepted) {
    rule.reason =
        fmt::format("{}; {} accepted, and they count as finding nothing.", found, accepted);
    return rule;
  }
  rule.status = Status::kBadInput;
  rule.reason =
      fmt::format("{}; {} accepted: the run or the replay is not complete.", found, accepted);
  return rule;
}

Rule check_documents(const GateSubject& subject) {
  Rule rule{.id = "input.documents"};
  const auto& then = subject.baseline.evaluation.index.documents;
  const auto& now = subject.tonight.index.documents;
  if (!then || !now || *then == 0) {
    rule.status = Status::kSkipped;
    rule.reason = "How many documents the index has is not known of both.";
    return rule;
  }
  const double change = static_cast<double>(*now) / static_cast<double>(*then) - 1.0;
  const double accepted = subject.rules.input.documents_change;
  rule.reason = fmt::format("The index has {}, the baseline's had {}: {}, {} accepted",
                            counted_words(*now, "document"), *then, relative_words(change),
                            percent_words(accepted));
  if (std::abs(change) > accepted) {
    rule.status = Status::kBadInput;
    rule.reason += ": it was not built to the end, or from another collection";
  }
  rule.reason += '.';
  return rule;
}

Rule check_duplicates(const GateSubject& subject) {
  std::uint64_t hits = 0, duplicates = 0, topics = 0;
  for (const EvaluationRecord::Topic& topic : subject.tonight.topics) {
    hits += topic.num_ret;
    duplicates += topic.duplicates;
    if (topic.duplicates > 0) ++topics;
  }
  Rule rule{.id = "input.duplicates"};
  if (duplicates == 0) {
    rule.reason = "No ranking has a document twice.";
    return rule;
  }
  const double share =
      static_cast<double>(duplicates) / static_cast<double>(std::max(hits, duplicates));
  const double accepted = subject.rules.input.duplicates_share;
  rule.reason = fmt::format("{} of {} in {} repeat a document of the same ranking: {}, {} accepted",
                            duplicates, counted_words(hits, "hit"), counted_words(topics, "topic"),
                            percent_words(share), percent_words(accepted));
  if (share > accepted) {
    rule.status = Status::kBadInput;
    rule.reason += ": documents are in the index twice, or rankings were joined wrongly";
  }
  rule.reason += '.';
  return rule;
}

constexpr std::uint32_t kNoEnd = std::numeric_limits<std::uint32_t>::max();

/// The last rank that any deciding measure reads.
std::uint32_t last_rank_read(const GateRules& rules) {
  std::uint32_t last = 0;
  for (const GateRules::Decision& decision : rules.decisions) {
    const std::optional<Cutoff> cutoff = decision.measure.cutoff();
    last = std::max(last, cutoff ? cutoff->value() : kNoEnd);
  }
  return last;
}

/// Whether rankings ended at the record's depth because nobody asked for more.
bool is_limit(const EvaluationRecord& record) {
  if (!record.index.engine.empty()) return true;
  std::size_t served = 0, ended = 0;
  for (const EvaluationRecord::Topic& topic : record.topics) {
    if (topic.num_ret > 0) ++served;
    if (topic.num_ret == record.depth) ++ended;
  }
  return ended * 10 >= served;
}

/// Whether both rankings reach the last rank that a rule reads, or stop short of it alike. What was
/// asked of an engine is known; of a run the longest ranking is taken for a limit if a tenth of its
/// topics end there.
Rule check_depth(const GateSubject& subject) {
  Rule rule{.id = "input.depth"};
  const EvaluationRecord& then = subject.baseline.evaluation;
  const EvaluationRecord& now = subject.tonight;
  if (then.depth == now.depth) {
    rule.reason = fmt::format("Rankings are {} deep, as the baseline's.", now.depth);
    return rule;
  }
  const std::uint32_t last = last_rank_read(subject.rules);
  const EvaluationRecord& shallow = then.depth < now.depth ? then : now;
  if (shallow.depth >= last || !is_limit(shallow)) {
    rule.reason = fmt::format(
        "Rankings are {} deep, the baseline's {}: {}.", now.depth, then.depth,
        shallow.depth >= last ? "no rule reads so far" : "the longest ones, where nobody cut them");
    return rule;
  }
  rule.status = Status::kBadInput;
  rule.reason = fmt::format(
      "Rankings are {} deep, the baseline's {}, and the rules read {}: the depth asked for has "
      "changed, not the ranking; ask for {} again, or pin a new baseline.",
      now.depth, then.depth, last == kNoEnd ? "all ranks" : fmt::format("up to rank {}", last),
      then.depth);
  return rule;
}

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

/// Whether the index has the judged documents, by their ids. If no index is known, as of runs, it
/// fails only if another docno policy explains what is no longer found.
Rule check_judged_found(const GateSubject& subject) {
  const auto& then = subject.baseline.evaluation.index.judged_found;
  const auto& now = subject.tonight.index.judged_found;
  if (!then || !now) return check_retrieved(subject);
  return check_index(subject, {*then, subject.baseline.evaluation.qrels.relevant},
                     {*now, subject.tonight.qrels.relevant});
}

}  // namespace

std::vector<Rule> input_checks(const GateSubject& subject) {
  return {check_qrels(subject),     check_topics(subject),       check_depth(subject),
          check_documents(subject), check_judged_found(subject), check_duplicates(subject)};
}

}  // namespace prescope
