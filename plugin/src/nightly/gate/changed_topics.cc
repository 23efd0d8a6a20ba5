#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "measures/citation_changes.h"
#include "nightly/gate/checks.h"
#include "prescope/judged_ranking.h"
#include "statistics/paired_tests.h"

namespace prescope {

namespace {

/// A document that either ranking found, and its ranks there.
struct FoundDocument {
  Docno docno{};
  std::optional<Rank> baseline{}, tonight{};
  bool must_find = false;
};

/// The documents of one topic, with the same number in both rankings if their keys are the same.
struct FoundDocuments {
  const DocnoNormalizer& docnos;
  const std::set<std::string>& must_find;  ///< keys
  std::vector<FoundDocument> documents{};
  std::map<std::string, std::uint32_t> numbers{};

  /// `side` is where the rank goes: FoundDocument::baseline or FoundDocument::tonight.
  std::vector<JudgedHit> add(const std::vector<EvaluationRecord::Found>& found,
                             std::optional<Rank> FoundDocument::*side) {
    std::vector<JudgedHit> hits;
    for (const EvaluationRecord::Found& each : found) {
      const std::string key = docnos.key(each.docno);
      const auto next = static_cast<std::uint32_t>(documents.size());
      const auto [at, is_new] = numbers.try_emplace(key, next);
      if (is_new) documents.push_back({.docno = each.docno, .must_find = must_find.contains(key)});
      documents[at->second].*side = each.rank;
      hits.push_back({each.rank, JudgementIndex(at->second)});
    }
    return hits;
  }
};

/// Whether the topic has a citation up to the cutoff.
bool has_found(const EvaluationRecord::Topic& topic, Cutoff cutoff) noexcept {
  return !topic.found.empty() && topic.found.front().rank <= cutoff.value();
}

class ChangeFinder {
 public:
  explicit ChangeFinder(const GateSubject& subject)
      : measure_(*subject.moving),
        credits_(*CitationCredits::of(measure_)),
        docnos_(policy_of(subject.tonight)) {
    for (const MustFind& citation : subject.baseline.must_find) {
      must_find_[citation.topic].insert(docnos_.key(citation.docno));
    }
  }

  [[nodiscard]] ChangedTopic find(const PairedTopic& topic) const {
    const Cutoff cutoff = credits_.cutoff();
    const bool had_some = has_found(*topic.baseline, cutoff);
    const bool has_some = has_found(*topic.tonight, cutoff);
    ChangedTopic changed{.shown = {.id = topic.tonight->id,
                                   .num_rel = topic.tonight->num_rel,
                                   .baseline = *EvaluationRecord::score(*topic.baseline, measure_),
                                   .tonight = *EvaluationRecord::score(*topic.tonight, measure_)},
                         .is_emptied = had_some && !has_some,
                         .is_filled = !had_some && has_some};
    changed.difference = clean_difference(changed.shown.tonight, changed.shown.baseline);
    if (topic.baseline->found != topic.tonight->found) add_changes(topic, changed);
    return changed;
  }

 private:
  static DocnoPolicy policy_of(const EvaluationRecord& record) {
    return record.qrels.docno == DocnoPolicy::kFamily ? DocnoPolicy::kPatent : record.qrels.docno;
  }

  void add_changes(const PairedTopic& topic, ChangedTopic& changed) const {
    static const std::set<std::string> kNone;
    const auto pinned = must_find_.find(topic.tonight->id);
    FoundDocuments found{docnos_, pinned == must_find_.end() ? kNone : pinned->second};
    const auto before = found.add(topic.baseline->found, &FoundDocument::baseline);
    const auto after = found.add(topic.tonight->found, &FoundDocument::tonight);
    const auto whole = static_cast<double>(credits_.whole(topic.tonight->num_rel));
    for (const CitationChange& change : citation_changes(before, after, credits_)) {
      const FoundDocument& document = found.documents[change.judgement.value()];
      changed.shown.citations.push_back({.docno = document.docno,
                                         .baseline = change.rank_a,
                                         .tonight = change.rank_b,
                                         .share = static_cast<double>(change.credit) / whole,
                                         .must_find = document.must_find});
      changed.has_changes = true;
      changed.has_loss |= change.is_lost();
      changed.has_hard_loss |= change.is_lost_from_far(credits_.cutoff());
    }
    for (const FoundDocument& document : found.documents) {
      if (is_must_find_lost(document)) add_must_find_lost(document, changed);
    }
  }

  [[nodiscard]] bool is_must_find_lost(const FoundDocument& document) const {
    return document.must_find && document.baseline &&
           (!document.tonight ||
            *document.tonight > std::max(*document.baseline, credits_.cutoff().value()));
  }

  /// If it was lost from behind the cutoff, where it moved nothing, it is no change yet.
  void add_must_find_lost(const FoundDocument& document, ChangedTopic& changed) const {
    changed.has_must_find_lost = true;
    if (*document.baseline <= credits_.cutoff().value()) return;
    changed.shown.citations.push_back({.docno = document.docno,
                                       .baseline = document.baseline,
                                       .tonight = document.tonight,
                                       .must_find = true});
  }

  Measure measure_;
  CitationCredits credits_;
  DocnoNormalizer docnos_;
  std::map<TopicId, std::set<std::string>> must_find_;
};

}  // namespace

std::vector<ChangedTopic> changed_topics(const GateSubject& subject) {
  const ChangeFinder finder(subject);
  std::vector<ChangedTopic> topics;
  topics.reserve(subject.topics.size());
  for (const PairedTopic& topic : subject.topics) {
    if (topic.baseline->num_rel > 0 && topic.tonight->num_rel > 0) {
      topics.push_back(finder.find(topic));
    }
  }
  return topics;
}

std::vector<PairedTopic> paired_topics(const EvaluationRecord& baseline,
                                       const EvaluationRecord& tonight) {
  std::map<TopicId, PairedTopic> by_id;
  for (const EvaluationRecord::Topic& topic : baseline.topics) by_id[topic.id].baseline = &topic;
  for (const EvaluationRecord::Topic& topic : tonight.topics) by_id[topic.id].tonight = &topic;
  std::vector<PairedTopic> pairs;
  for (const auto& [id, pair] : by_id) {
    if (pair.baseline != nullptr && pair.tonight != nullptr) pairs.push_back(pair);
  }
  return pairs;
}

}  // namespace prescope
