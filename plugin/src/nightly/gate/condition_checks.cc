#include <fmt/format.h>
#include <algorithm>
#include <map>

#include "nightly/gate/checks.h"
#include "nightly/record/conditions.h"

namespace prescope {

namespace {

using Status = GateVerdict::Status;

/// Returns the changed conditions that a rule compares.
std::vector<ChangedCondition> changed_for(const GateSubject& subject, std::string_view rule) {
  std::vector<ChangedCondition> changes = changed_conditions(
      conditions_of(subject.baseline.evaluation), conditions_of(subject.tonight));
  std::erase_if(changes,
                [&](const ChangedCondition& change) { return kind_of(change.name).rule != rule; });
  return changes;
}

/// What the index holds at the baseline and tonight: sentences about differences.
class IndexChanges {
 public:
  explicit IndexChanges(const GateSubject& subject)
      : then_(subject.baseline.evaluation),
        now_(subject.tonight),
        accepted_(subject.rules.input.documents_change),
        docnos_(docnos_of(subject.tonight)) {
    for (const DocumentSample& one : then_.samples) samples_then_[docnos_.key(one.docno)] = &one;
    for (const DocumentSample& one : now_.samples) {
      const auto then = samples_then_.find(docnos_.key(one.docno));
      if (then != samples_then_.end()) samples_.emplace_back(then->second, &one);
    }
  }

  void look_at_fields() {
    if (!then_.index.passport.fields || !now_.index.passport.fields) return;
    for (const IndexPassport::Field& then : *then_.index.passport.fields) {
      const auto& fields = *now_.index.passport.fields;
      const auto now = std::ranges::find(fields, then.name, &IndexPassport::Field::name);
      if (now == fields.end()) {
        bad.push_back(fmt::format("no document has a text in '{}' any more", then.name));
        continue;
      }
      const auto share_then = share(then, then_), share_now = share(*now, now_);
      if (!share_then || !share_now || *share_now >= (1.0 - accepted_) * *share_then) continue;
      bad.push_back(fmt::format("{} of the documents have a text in '{}', at the baseline {}",
                                percent_words(*share_now), then.name, percent_words(*share_then)));
    }
  }

  void look_at_texts() {
    compare("stored title and abstract", &DocumentSample::stored, Kept::kMostly);
    // Another analyzer makes other terms of the same texts.
    if (then_.index.passport.analyzer != now_.index.passport.analyzer) return;
    compare("indexed text", &DocumentSample::searched, Kept::kUnlessAnalyzedAnew);
  }

  std::vector<std::string> bad{}, notes{};

 private:
  using Hash = std::optional<std::uint64_t> DocumentSample::*;
  /// How texts change from night to night. A text that is gone is a fault, and so is a text that
  /// another document had. Stored texts are kept: other ones are a fault if nearly all have
  /// changed. Indexed texts all change if terms are made in another way, which a gate is asked to
  /// judge.
  enum class Kept { kMostly, kUnlessAnalyzedAnew };

  static std::optional<double> share(const IndexPassport::Field& field,
                                     const EvaluationRecord& of) {
    if (!field.documents || !of.index.documents || *of.index.documents == 0) return std::nullopt;
    return static_cast<double>(*field.documents) / static_cast<double>(*of.index.documents);
  }

  /// Adds how many of the documents that both sampled have another text.
  void compare(std::string_view what, Hash hash, Kept kept) {
    constexpr std::size_t kFewest = 3;
    constexpr double kNearlyAll = 0.9;
    std::size_t known = 0, empty = 0, moved = 0;
    std::vector<std::string> changed;
    for (const auto& [then, now] : samples_) {
      if (!(then->*hash) || !(now->*hash)) continue;
      ++known;
      if (then->*hash == now->*hash) continue;
      changed.push_back(now->docno.text());
      if (now->*hash == kNothingStored) ++empty;
      moved += std::ranges::count_if(then_.samples, [&](const DocumentSample& other) {
                 return other.*hash == now->*hash;
               }) > 0;
    }
    if (changed.empty()) return;
    std::string words = fmt::format("{} of {} looked at have another {} than at the baseline ({})",
                                    counted_words(changed.size(), "judged document"), known, what,
                                    listed_names(changed));
    if (empty > 0) words += fmt::format("; {} have none any more", empty);
    if (moved > 0) words += fmt::format("; {} have the text that another document had", moved);
    const auto exceeds = [&](std::size_t faults, double accepted) {
      const bool is_enough = faults >= kFewest || faults == known;
      return is_enough && static_cast<double>(faults) > accepted * static_cast<double>(known);
    };
    const bool is_bad = exceeds(std::max(empty, moved), accepted_) ||
                        (kept == Kept::kMostly && exceeds(changed.size(), kNearlyAll));
    (is_bad ? bad : notes).push_back(std::move(words));
  }

  const EvaluationRecord& then_;
  const EvaluationRecord& now_;
  const double accepted_;
  const DocnoNormalizer docnos_;
  std::map<std::string, const DocumentSample*, std::less<>> samples_then_;  // by key
  std::vector<std::pair<const DocumentSample*, const DocumentSample*>> samples_;
};

bool is_known(const EvaluationRecord& record) {
  const IndexPassport& passport = record.index.passport;
  return passport.analyzer || passport.fields || passport.checksum || !record.samples.empty();
}

Finding same_index(const EvaluationRecord& then, const EvaluationRecord& now) {
  const auto& checksum = now.index.passport.checksum;
  if (checksum && checksum == then.index.passport.checksum) {
    return {Status::kPass,
            fmt::format("The index holds the baseline's texts, by its checksum {}.", *checksum)};
  }
  if (!is_known(then) || !is_known(now)) {
    return {Status::kSkipped,
            "What the index holds is not known of both: fields, analyzer and texts are not "
            "compared."};
  }
  return {Status::kPass,
          fmt::format("Fields and analyzer of the index are the baseline's, and so are the texts "
                      "of {} that were looked at.",
                      counted_words(now.samples.size(), "judged document"))};
}

}  // namespace

Finding check_conditions(const GateSubject& subject) {
  const EvaluationRecord& then = subject.baseline.evaluation;
  if (is_run(then) != is_run(subject.tonight)) {
    return {Status::kSkipped, "One of the two is a run file, the other a replay."};
  }
  const std::vector<ChangedCondition> changes = changed_for(subject, kConditionsRule);
  if (changes.empty()) {
    return {Status::kPass, is_run(then) ? "The run was read as the baseline's was."
                                        : "Topics and exclusions were chosen as at the baseline."};
  }
  return {Status::kBadInput,
          fmt::format("Tonight was evaluated otherwise than the baseline: {}; the same ranking has "
                      "other scores then: evaluate as the baseline was, or pin a new baseline.",
                      changed_words(changes))};
}

Finding check_arm(const GateSubject& subject) {
  if (subject.baseline.evaluation.config.empty() || subject.tonight.config.empty()) {
    return {Status::kSkipped, "A run does not say how it was made."};
  }
  const std::vector<ChangedCondition> changes = changed_for(subject, kArmRule);
  if (changes.empty()) return {Status::kPass, "Arm and engine are the baseline's."};
  return {Status::kWarning,
          fmt::format("Arm or engine have changed since the baseline, which alone may explain "
                      "another ranking: {}.",
                      changed_words(changes))};
}

Finding check_arm_on_index(const EvaluationRecord& record) {
  if (is_run(record)) return {Status::kSkipped, "A run does not say what it searched."};
  if (record.index_notes.empty()) {
    return {Status::kSkipped, "No setting of the arm is known to be honoured only in part."};
  }
  return {Status::kWarning, fmt::format("{}", fmt::join(record.index_notes, " "))};
}

Finding check_passport(const GateSubject& subject) {
  if (is_run(subject.tonight)) return {Status::kSkipped, "A run does not say what it searched."};
  IndexChanges changes(subject);
  changes.look_at_fields();
  std::vector<ChangedCondition> conditions = changed_for(subject, kIndexRule);
  if (!changes.bad.empty()) {  // the fields have been named
    std::erase_if(conditions, [](const auto& change) { return change.name == "index.fields"; });
  }
  if (!conditions.empty()) changes.notes.push_back(changed_words(conditions));
  changes.look_at_texts();
  std::vector<std::string>& bad = changes.bad;
  const bool is_bad = !bad.empty();
  std::ranges::move(changes.notes, std::back_inserter(bad));
  const Finding arm = check_arm_on_index(subject.tonight);
  const bool has_notes = arm.status == Status::kWarning;
  if (bad.empty()) {
    return has_notes ? arm : same_index(subject.baseline.evaluation, subject.tonight);
  }
  return {is_bad ? Status::kBadInput : Status::kWarning,
          fmt::format("The index does not hold what the baseline's held: {}; {}.{}",
                      fmt::join(bad, "; "),
                      is_bad ? "it is another collection, or was built otherwise: build it again, "
                               "or pin a new baseline"
                             : "this alone may explain another ranking",
                      has_notes ? ' ' + arm.reason : "")};
}

}  // namespace prescope
