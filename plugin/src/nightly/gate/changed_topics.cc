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
using FoundDocument = GateVerdict::Citation;

/// Gives the documents of one topic the same numbers in both rankings, by their keys.
class FoundDocuments {
 public:
  explicit FoundDocuments(const DocnoNormalizer& docnos) : docnos_(&docnos) {}

  /// `side` is where the rank goes: FoundDocument::rank_a or FoundDocument::rank_b.
  std::vector<JudgedHit> number(const std::vector<EvaluationRecord::Found>& found,
                                std::optional<Rank> FoundDocument::*side) {
    std::vector<JudgedHit> hits;
    hits.reserve(found.size());
    for (const EvaluationRecord::Found& each : found) {
      const std::uint32_t number = number_of(each.docno);
      documents_[number].*side = each.rank;
      hits.push_back({each.rank, JudgementIndex(number)});
    }
    return hits;
  }
  void mark_must_find(const std::set<std::string>& keys) {
    for (const auto& [key, number] : numbers_) documents_[number].must_find = keys.contains(key);
  }
  [[nodiscard]] const std::vector<FoundDocument>& all() const { return documents_; }

 private:
  std::uint32_t number_of(const Docno& docno) {
    const auto next = static_cast<std::uint32_t>(documents_.size());
    const auto [at, is_new] = numbers_.try_emplace(docnos_->key(docno), next);
    if (is_new) documents_.emplace_back().docno = docno;
    return at->second;
  }

  const DocnoNormalizer* docnos_;
  std::map<std::string, std::uint32_t> numbers_;
  std::vector<FoundDocument> documents_;
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
    const double before = *EvaluationRecord::score(*topic.baseline, measure_);
    const double now = *EvaluationRecord::score(*topic.tonight, measure_);
    ChangedTopic changed{.shown = {{topic.tonight->id, before, now, clean_difference(now, before)},
                                   topic.tonight->num_rel},
                         .is_emptied = had_some && !has_some,
                         .is_filled = !had_some && has_some};
    if (topic.baseline->found != topic.tonight->found) add_changes(topic, changed);
    return changed;
  }

 private:
  static DocnoPolicy policy_of(const EvaluationRecord& record) {
    return record.qrels.docno == DocnoPolicy::kFamily ? DocnoPolicy::kPatent : record.qrels.docno;
  }

  void add_changes(const PairedTopic& topic, ChangedTopic& changed) const {
    FoundDocuments found(docnos_);
    const auto before = found.number(topic.baseline->found, &FoundDocument::rank_a);
    const auto after = found.number(topic.tonight->found, &FoundDocument::rank_b);
    const auto pinned = must_find_.find(topic.tonight->id);
    if (pinned != must_find_.end()) found.mark_must_find(pinned->second);
    const auto whole = static_cast<double>(credits_.whole(topic.tonight->num_rel));
    for (const CitationChange& change : citation_changes(before, after, credits_)) {
      FoundDocument& citation =
          changed.shown.citations.emplace_back(found.all()[change.judgement.value()]);
      citation.rank_a = change.rank_a;
      citation.rank_b = change.rank_b;
      citation.share = static_cast<double>(change.credit) / whole;
      changed.has_changes = true;
      changed.has_loss |= change.is_lost();
      changed.has_hard_loss |= change.is_lost_from_far(credits_.cutoff());
    }
    for (const FoundDocument& document : found.all()) {
      if (is_must_find_lost(document)) add_must_find_lost(document, changed);
    }
  }

  [[nodiscard]] bool is_must_find_lost(const FoundDocument& document) const {
    return document.must_find && document.rank_a &&
           (!document.rank_b ||
            *document.rank_b > std::max(*document.rank_a, credits_.cutoff().value()));
  }

  /// If it was lost from behind the cutoff, where it moved nothing, it is no change yet.
  void add_must_find_lost(const FoundDocument& document, ChangedTopic& changed) const {
    changed.has_must_find_lost = true;
    if (*document.rank_a > credits_.cutoff().value()) changed.shown.citations.push_back(document);
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

namespace {

using TopicPointers = std::vector<const EvaluationRecord::Topic*>;

TopicPointers by_id(const EvaluationRecord& record) {
  TopicPointers topics;
  topics.reserve(record.topics.size());
  for (const EvaluationRecord::Topic& topic : record.topics) topics.push_back(&topic);
  std::ranges::stable_sort(
      topics, {}, [](const auto* topic) -> const auto& { return topic->id; });
  return topics;
}

}  // namespace

std::vector<PairedTopic> paired_topics(const EvaluationRecord& baseline,
                                       const EvaluationRecord& tonight) {
  const TopicPointers before = by_id(baseline), now = by_id(tonight);
  std::vector<PairedTopic> pairs;
  pairs.reserve(before.size());
  for (auto b = before.begin(), t = now.begin(); b != before.end() && t != now.end();) {
    const auto order = (*b)->id <=> (*t)->id;
    if (order == 0) pairs.push_back({*b, *t});
    if (order <= 0) ++b;
    if (order >= 0) ++t;
  }
  return pairs;
}

}  // namespace prescope
