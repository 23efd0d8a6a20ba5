#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "nightly/gate/checks.h"
#include "nightly/record/conditions.h"

namespace prescope {

namespace {

using Status = GateVerdict::Status;

/// Returns true if the change is larger than what is accepted, by more than rounding: in binary,
/// 0.99 - 0.98 is above 0.01.
bool exceeds(double change, double accepted) { return change > accepted + 1e-9; }

std::string judgement_words(const QrelsVersion& qrels) {
  return fmt::format("{} and {} from grade {} on ({})", counted_words(qrels.topics, "topic"),
                     counted_words(qrels.relevant, "relevant citation"), qrels.min_grade,
                     qrels.hash);
}

Finding check_qrels(const GateSubject& subject) {
  const QrelsVersion& then = subject.baseline.evaluation.qrels;
  const QrelsVersion& now = subject.tonight.qrels;
  if (then.hash == now.hash && then.min_grade == now.min_grade) {
    return {Status::kPass,
            fmt::format("The judgements are the baseline's: {}.", judgement_words(now))};
  }
  const bool by_family = now.docno == DocnoPolicy::kFamily;
  // The hash covers the rules that make docnos keys: a baseline of an older version is not
  // comparable.
  const std::string others =
      by_family ? ", the families of judged documents, or prescope's rules of patent numbers,"
      : now.docno == DocnoPolicy::kRaw ? ""
                                       : ", or prescope's rules of patent numbers,";
  return {Status::kBadInput,
          fmt::format("The judgements{} are not the baseline's: it has {}, tonight has {}; scores "
                      "under other judgements cannot be compared: evaluate under the baseline's{}, "
                      "or pin a new baseline.",
                      others, judgement_words(then), judgement_words(now),
                      by_family ? " and with its family map" : "")};
}

std::size_t served_topics(const EvaluationRecord& record) {
  return static_cast<std::size_t>(
      std::ranges::count(record.topics, true, &EvaluationRecord::Topic::served));
}

Finding check_topics(const GateSubject& subject) {
  const std::size_t served = subject.topics.size();
  std::vector<std::string> missing;
  for (const PairedTopic& topic : subject.topics) {
    if (!topic.tonight->served) missing.push_back(topic.tonight->id.text());
  }
  const std::size_t added = served_topics(subject.tonight) + missing.size() - served;
  const Status status = added == 0 ? Status::kPass : Status::kWarning;
  const std::string left_out =
      added == 0 ? "."
                 : fmt::format("; {} that it did not serve count in no rule until you pin again.",
                               counted_words(added, "topic"));
  if (missing.empty()) {
    return {status,
            fmt::format("All topics of the baseline were served tonight: {}{}", served, left_out)};
  }
  const std::uint32_t accepted = subject.rules.input.topics_missing;
  const std::string found =
      fmt::format("{} of the {} that the baseline served were not served tonight ({}); {} accepted",
                  counted_words(missing.size(), "topic"), served, listed_names(missing), accepted);
  if (missing.size() <= accepted) {
    return {status, found + ", and they count as finding nothing" + left_out};
  }
  return {Status::kBadInput, found + ": the run or the replay is not complete."};
}

/// Other queries that find the same may still be slower, which the latency rule has to say.
Finding check_texts(const GateSubject& subject) {
  std::uint64_t known = 0;
  bool finds_others = false;
  std::vector<std::string> changed;
  for (const auto& [baseline, tonight] : subject.topics) {
    if (!baseline->text || !tonight->text) continue;
    ++known;
    if (baseline->text == tonight->text) continue;
    changed.push_back(tonight->id.text());
    finds_others = finds_others || baseline->found != tonight->found;
  }
  if (known == 0) return {Status::kSkipped, "The texts of the topics are not known of both."};
  if (changed.empty()) return {Status::kPass, "The texts of the topics are the baseline's."};
  const std::string found =
      fmt::format("{} of {} have other texts than at the baseline ({})",
                  counted_words(changed.size(), "topic"), known, listed_names(changed));
  if (!finds_others) {
    return {Status::kWarning, found + ": these are other queries, though they find the same."};
  }
  return {Status::kBadInput,
          found +
              ": these are other queries, and no ranking regression; replay the baseline's "
              "texts, or pin a new baseline."};
}

namespace {

/// Returns what a check of the run's lines found; an empty text if it found nothing.
std::string words_of_check(const EvaluationRecord& record, std::string_view check) {
  if (!record.input) return {};
  const auto found = std::ranges::find_if(
      *record.input, [&](const InputFinding& finding) { return finding.check->name == check; });
  return found == record.input->end() ? std::string() : found->words;
}

}  // namespace

Finding check_lines(const EvaluationRecord& record) {
  if (!record.scores_fault.empty()) return {Status::kBadInput, record.scores_fault};
  if (!record.lines) {
    return {Status::kSkipped, "How scores order the lines is known of a run that was just read."};
  }
  const auto& [topics, tied, reversed] = *record.lines;
  if (tied * 2 > topics) {
    return {Status::kBadInput,
            fmt::format("All scores are equal in {} of {}: only docnos order the documents, not "
                        "the engine; write its scores, or use --order file.",
                        counted_words(tied, "topic"), topics)};
  }
  if (reversed * 2 > topics) {
    return {Status::kBadInput,
            fmt::format("Scores rise from line to line in {} of {} in which the relevant documents "
                        "come first, so that the last line ranks first: their signs are reversed, "
                        "or they are distances; negate them, or use --order file.",
                        counted_words(reversed, "topic"), topics)};
  }
  if (const std::string rising = words_of_check(record, kRisingCheck); !rising.empty()) {
    return {Status::kWarning, fmt::format("{}.", rising)};
  }
  return {Status::kPass,
          fmt::format("Scores order the documents of {} of {} with a judged document.",
                      topics - tied, counted_words(topics, "topic"))};
}

Finding check_documents(const GateSubject& subject) {
  const auto& then = subject.baseline.evaluation.index.documents;
  const auto& now = subject.tonight.index.documents;
  if (!then || !now || *then == 0) {
    return {Status::kSkipped, "How many documents the index has is not known of both."};
  }
  const double change = static_cast<double>(*now) / static_cast<double>(*then) - 1.0;
  const double accepted = subject.rules.input.documents_change;
  const std::string found =
      fmt::format("The index has {}, the baseline's had {}: {:+.1f} %, {} accepted",
                  counted_words(*now, "document"), *then, 100.0 * change, percent_words(accepted));
  if (!exceeds(std::abs(change), accepted)) return {Status::kPass, found + '.'};
  return {Status::kBadInput, found + ": it was not built to the end, or from another collection."};
}

Finding check_repeats(const EvaluationRecord& record, double accepted) {
  // A replay knows which judged documents repeat; it only counts the other documents.
  const char* const document = record.index.engine.empty() ? "document" : "judged document";
  std::uint64_t hits = 0, duplicates = 0, topics = 0;
  for (const EvaluationRecord::Topic& topic : record.topics) {
    hits += topic.num_ret;
    duplicates += topic.duplicates;
    if (topic.duplicates > 0) ++topics;
  }
  if (duplicates == 0) {
    return {Status::kPass, fmt::format("No ranking has a {} twice.", document)};
  }
  const double share =
      static_cast<double>(duplicates) / static_cast<double>(std::max(hits, duplicates));
  const std::string found =
      fmt::format("{} of {} in {} repeat a {} of the same ranking: {}, {} accepted", duplicates,
                  counted_words(hits, "hit"), counted_words(topics, "topic"), document,
                  percent_words(share), percent_words(accepted));
  if (share <= accepted) return {Status::kPass, found + '.'};
  return {Status::kBadInput,
          found +
              ": documents, or publications that the docno policy takes for one, are in the index "
              "twice, or rankings were joined wrongly."};
}

constexpr std::uint32_t kNoEnd = std::numeric_limits<std::uint32_t>::max();

/// Returns the last rank that any deciding measure reads.
std::uint32_t last_rank_read(const GateRules& rules) {
  std::uint32_t last = 0;
  for (const GateRules::Decision& decision : rules.decisions) {
    const std::optional<Cutoff> cutoff = decision.measure.cutoff();
    last = std::max(last, cutoff ? cutoff->value() : kNoEnd);
  }
  return last;
}

/// Returns true if rankings ended at the record's depth because no more hits were requested.
bool is_limit(const EvaluationRecord& record) {
  if (!record.index.engine.empty()) return true;
  std::size_t served = 0, ended = 0;
  for (const EvaluationRecord::Topic& topic : record.topics) {
    if (topic.num_ret > 0) ++served;
    if (topic.num_ret == record.depth) ++ended;
  }
  return ended * 10 >= served;
}

/// Both rankings must reach the last rank that a rule reads, or end before it at the same depth.
/// The depth asked of an engine is known; the longest ranking of a run is taken for a limit if a
/// tenth of its topics end there.
Finding check_depth(const GateSubject& subject) {
  const EvaluationRecord& then = subject.baseline.evaluation;
  const EvaluationRecord& now = subject.tonight;
  if (then.depth == now.depth) {
    return {Status::kPass, fmt::format("Rankings are {} deep, as the baseline's.", now.depth)};
  }
  const std::uint32_t last = last_rank_read(subject.rules);
  const EvaluationRecord& shallow = then.depth < now.depth ? then : now;
  const std::string found =
      fmt::format("Rankings are {} deep, the baseline's {}", now.depth, then.depth);
  if (shallow.depth >= last) return {Status::kPass, found + ": no rule reads so far."};
  if (!is_limit(shallow)) {
    return {Status::kPass, found + ": the longest ones, if nobody cut them."};
  }
  return {Status::kBadInput,
          fmt::format("{}, and the rules read {}: the depth asked for has changed, not the "
                      "ranking; ask for {} again, or pin a new baseline.",
                      found, last == kNoEnd ? "all ranks" : fmt::format("up to rank {}", last),
                      then.depth)};
}

/// A search that stops early finds less, whatever its ranking; how many hits there are is not known
/// of every engine to be a fault, so that it is a warning.
Finding check_hits(const GateSubject& subject) {
  const std::uint32_t last = last_rank_read(subject.rules);
  std::uint64_t topics = 0;
  std::vector<std::string> fewer;
  for (const PairedTopic& topic : subject.topics) {
    const std::uint64_t then = std::min(topic.baseline->num_ret, last);
    if (then == 0) continue;
    ++topics;
    if (std::uint64_t{topic.tonight->num_ret} * 2 < then) fewer.push_back(topic.tonight->id.text());
  }
  if (fewer.empty()) return {Status::kPass, "No topic has fewer than half of the baseline's hits."};
  const std::string found =
      fmt::format("{} of {} have fewer than half of the baseline's hits ({})",
                  counted_words(fewer.size(), "topic"), topics, listed_names(fewer));
  if (fewer.size() * 2 <= topics) return {Status::kPass, found + '.'};
  return {Status::kWarning, found + ": does the search stop early, or ask for more words?"};
}

constexpr std::string_view kIdProblem = "an id problem, not a ranking regression";

/// The number of judged citations that were found, and of all.
struct Present {
  std::uint64_t count = 0, of = 0;
  void add(const EvaluationRecord::Topic& topic) noexcept {
    count += topic.found.size();
    of += topic.num_rel;
  }
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

/// The judged documents that another docno policy would match besides.
std::uint64_t gain_of(const std::optional<DocnoHint>& hint) {
  return hint && hint->would_match > hint->matched ? hint->would_match - hint->matched : 0;
}

/// Returns true if another docno policy would match at least half of the loss, beyond what it would
/// have matched at the baseline.
bool explains(const GateSubject& subject, std::uint64_t lost) {
  const std::uint64_t then = gain_of(subject.baseline.evaluation.docno_hint);
  const std::uint64_t now = gain_of(subject.tonight.docno_hint);
  return now > then && (now - then) * 2 >= lost;
}

/// Documents that the baseline found and the index no longer has.
struct Gone {
  std::uint64_t citations = 0;  ///< by which topics cite them
  std::set<std::string> docnos{};

  [[nodiscard]] std::string words() const {
    if (docnos.empty()) return {};
    return "; gone are " + listed_names(std::vector<std::string>(docnos.begin(), docnos.end()));
  }
};

Gone gone_documents(const GateSubject& subject) {
  const DocnoNormalizer docnos = docnos_of(subject.tonight);
  std::set<std::string> missing;
  for (const Docno& docno : subject.tonight.missing) missing.insert(docnos.key(docno));
  Gone gone;
  for (const PairedTopic& topic : subject.topics) {
    for (const EvaluationRecord::Found& found : topic.baseline->found) {
      if (!missing.contains(docnos.key(found.docno))) continue;
      ++gone.citations;
      gone.docnos.insert(found.docno.text());
    }
  }
  return gone;
}

/// Returns why `lost` judged documents left the index.
std::string cause_words(const GateSubject& subject, std::uint64_t lost) {
  if (explains(subject, lost)) {
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

Finding check_index(const GateSubject& subject, const Present& then, const Present& now) {
  const double accepted = subject.rules.input.judged_found_fall;
  const Gone gone = gone_documents(subject);
  if (exceeds(then.share() - now.share(), accepted)) {
    return {Status::kBadInput,
            fmt::format("Judged docnos found in the index fell {}, {} accepted: {}{}.",
                        fall_words(then, now), percent_words(accepted),
                        cause_words(subject, then.count - now.count), gone.words())};
  }
  // Other judged documents that came do not bring back those that left.
  if (exceeds(static_cast<double>(gone.citations), accepted * static_cast<double>(now.of))) {
    return {
        Status::kBadInput,
        fmt::format("{} of {} that the baseline found left the index, {} accepted: {}{}.",
                    counted_words(gone.citations, "relevant citation"), now.of,
                    percent_words(accepted), cause_words(subject, gone.citations), gone.words())};
  }
  return {Status::kPass,
          fmt::format("Judged docnos found in the index: {} ({} of {}), at the baseline {}.",
                      percent_words(now.share()), now.count, now.of, percent_words(then.share()))};
}

/// Ids that differ in a few documents cost a run as much as a worse ranking.
constexpr std::uint64_t kFewestLost = 3;

/// For runs: the retrieved share alone says little about ids.
Finding check_retrieved(const GateSubject& subject) {
  Present then, now;
  for (const PairedTopic& topic : subject.topics) {
    then.add(*topic.baseline);
    now.add(*topic.tonight);
  }
  if (then.count >= now.count + kFewestLost && explains(subject, then.count - now.count)) {
    return {Status::kBadInput,
            fmt::format("Relevant citations retrieved fell {}: {}: {}.", fall_words(then, now),
                        kIdProblem, hint_words(*subject.tonight.docno_hint))};
  }
  if (now.count * 2 < then.count) {
    return {Status::kWarning,
            fmt::format("No index is known of both, and relevant citations retrieved fell {}: do "
                        "the ids of the run look like those of the judgements?",
                        fall_words(then, now))};
  }
  return {Status::kSkipped,
          fmt::format("Not looked at, because no index is known of both; relevant citations "
                      "retrieved: {} ({} of {}), at the baseline {}.",
                      percent_words(now.share()), now.count, now.of, percent_words(then.share()))};
}

/// The index must have the judged documents, by their ids. If no index is known, as for runs, the
/// check fails only if another docno policy explains the loss.
Finding check_judged_found(const GateSubject& subject) {
  const auto& then = subject.baseline.evaluation.index.judged_found;
  const auto& now = subject.tonight.index.judged_found;
  if (!then || !now) return check_retrieved(subject);
  return check_index(subject, {*then, subject.baseline.evaluation.qrels.relevant},
                     {*now, subject.tonight.qrels.relevant});
}

Finding check_all_served(const EvaluationRecord& record) {
  const std::size_t served = served_topics(record);
  const std::string found = fmt::format("{} of {} served", served,
                                        counted_words(record.topics.size(), "topic") +
                                            (record.topics.size() == 1 ? " was" : " were"));
  if (served * 2 < record.topics.size() || served == 0) {
    return {Status::kBadInput, found + ": the run or the replay is not complete."};
  }
  return {Status::kPass, found + '.'};
}

/// The judged documents of an evaluation by itself.
Finding check_found(const EvaluationRecord& record) {
  Present present;
  for (const EvaluationRecord::Topic& topic : record.topics) present.add(topic);
  const std::string retrieved = fmt::format(
      "{} of {} retrieved", present.count,
      counted_words(present.of, "relevant document") + (present.of == 1 ? " was" : " were"));
  const auto& in_index = record.index.judged_found;
  const std::string found = in_index ? fmt::format("{}; the index has {} of {}", retrieved,
                                                   *in_index, record.qrels.relevant)
                                     : retrieved;
  const auto& hint = record.docno_hint;
  const bool is_broken = present.count == 0 || (hint && hint->would_match >= 2 * hint->matched);
  if (is_broken && !hint) {
    return {Status::kBadInput, found + ": do their ids look like those of the judgements?"};
  }
  if (is_broken || (hint && should_suggest(hint->matched, hint->would_match))) {
    return {is_broken ? Status::kBadInput : Status::kWarning,
            fmt::format("{}: {}.", found, hint_words(*hint))};
  }
  return {Status::kPass, found + '.'};
}

/// Returns the rules of these ids and findings.
std::vector<GateVerdict::Rule> rules_of(
    const std::vector<std::pair<const char*, Finding>>& findings) {
  std::vector<GateVerdict::Rule> rules;
  for (const auto& [id, finding] : findings) rules.push_back(finding.as_rule(id));
  return rules;
}

}  // namespace

std::vector<GateVerdict::Rule> pin_checks(const EvaluationRecord& record) {
  return rules_of(
      {{"input.topics", check_all_served(record)},
       {"input.judged_found", check_found(record)},
       {kIndexRule.data(), check_arm_on_index(record)},
       {kScoresRule, check_lines(record)},
       {"input.run", check_run_file(record)},
       {"input.duplicates", check_repeats(record, GateRules{}.input.duplicates_share)}});
}

std::vector<GateVerdict::Rule> input_checks(const GateSubject& subject) {
  return rules_of(
      {{"input.qrels", check_qrels(subject)},
       {"input.topics", check_topics(subject)},
       {"input.texts", check_texts(subject)},
       {kConditionsRule.data(), check_conditions(subject)},
       {kArmRule.data(), check_arm(subject)},
       {kIndexRule.data(), check_passport(subject)},
       {"input.depth", check_depth(subject)},
       {"input.hits", check_hits(subject)},
       {kScoresRule, check_lines(subject.tonight)},
       {"input.run", check_run_file(subject.tonight)},
       {"input.clock", check_clock(subject)},
       {"input.documents", check_documents(subject)},
       {"input.judged_found", check_judged_found(subject)},
       {"input.duplicates", check_repeats(subject.tonight, subject.rules.input.duplicates_share)}});
}

}  // namespace prescope
