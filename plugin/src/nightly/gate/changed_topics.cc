#include "nightly/gate/checks.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "statistics/paired_tests.h"

namespace prescope {

namespace {

using Document = ChangedTopic::Document;
using RelevantFound = EvaluationRecord::Found;

/// Gives the documents of one topic the same numbers in both rankings, by their keys.
class DocumentNumbers {
 public:
  explicit DocumentNumbers(const DocnoNormalizer& docnos) : docnos_(&docnos) {}

  /// `side` is where the rank goes: Document::baseline or Document::tonight.
  std::vector<JudgedHit> number(const std::vector<RelevantFound>& found,
                                std::optional<Rank> Document::*side) {
    std::vector<JudgedHit> hits;
    hits.reserve(found.size());
    for (const RelevantFound& each : found) {
      const std::uint32_t number = document_number(each.docno);
      documents_[number].*side = each.rank;
      hits.push_back({each.rank, JudgementIndex(number)});
    }
    return hits;
  }
  void mark_must_find(const std::set<std::string>& keys) {
    for (const auto& [key, number] : numbers_) documents_[number].must_find = keys.contains(key);
  }
  [[nodiscard]] std::vector<Document> take() && { return std::move(documents_); }

 private:
  std::uint32_t document_number(const Docno& docno) {
    const auto next = static_cast<std::uint32_t>(documents_.size());
    const auto [at, is_new] = numbers_.try_emplace(docnos_->key(docno), next);
    if (is_new) documents_.push_back({.docno = docno});
    return at->second;
  }

  const DocnoNormalizer* docnos_;
  std::map<std::string, std::uint32_t> numbers_;
  std::vector<Document> documents_;
};

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
    ChangedTopic changed{.topic = topic,
                         .cutoff = credits_.cutoff(),
                         .baseline = *EvaluationRecord::score(*topic.baseline, measure_),
                         .tonight = *EvaluationRecord::score(*topic.tonight, measure_),
                         .found_baseline = count_found(*topic.baseline, credits_.cutoff()),
                         .found_tonight = count_found(*topic.tonight, credits_.cutoff()),
                         .whole = credits_.whole(topic.tonight->num_rel)};
    changed.difference = clean_difference(changed.tonight, changed.baseline);
    if (topic.baseline->found != topic.tonight->found) find_changes(topic, changed);
    return changed;
  }

 private:
  static DocnoPolicy policy_of(const EvaluationRecord& record) {
    return record.qrels.docno == DocnoPolicy::kFamily ? DocnoPolicy::kPatent : record.qrels.docno;
  }

  void find_changes(const PairedTopic& topic, ChangedTopic& changed) const {
    DocumentNumbers numbers(docnos_);
    const auto before = numbers.number(topic.baseline->found, &Document::baseline);
    const auto after = numbers.number(topic.tonight->found, &Document::tonight);
    changed.changes = citation_changes(before, after, credits_);
    const auto pinned = must_find_.find(topic.tonight->id);
    if (pinned != must_find_.end()) numbers.mark_must_find(pinned->second);
    changed.documents = std::move(numbers).take();
  }

  Measure measure_;
  CitationCredits credits_;
  DocnoNormalizer docnos_;
  std::map<TopicId, std::set<std::string>> must_find_;
};

/// Lost from behind the cutoff, where it moved nothing.
bool is_lost_beyond_cutoff(const ChangedTopic& topic, const Document& document) {
  return topic.is_must_find_lost(document) && *document.baseline > topic.cutoff.value();
}

}  // namespace

bool ChangedTopic::has_loss() const noexcept {
  return std::ranges::any_of(changes, &CitationChange::is_lost);
}

bool ChangedTopic::has_hard_loss() const noexcept {
  return std::ranges::any_of(
      changes, [&](const CitationChange& change) { return change.is_lost_from_far(cutoff); });
}

bool ChangedTopic::is_must_find_lost(const Document& document) const noexcept {
  return document.must_find && document.baseline &&
         (!document.tonight || *document.tonight > std::max(*document.baseline, cutoff.value()));
}

bool ChangedTopic::has_must_find_lost() const noexcept {
  return std::ranges::any_of(documents,
                             [&](const Document& document) { return is_must_find_lost(document); });
}

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

GateVerdict::Topic to_verdict(const ChangedTopic& topic) {
  GateVerdict::Topic shown{.id = topic.id(),
                           .num_rel = topic.topic.tonight->num_rel,
                           .baseline = topic.baseline,
                           .tonight = topic.tonight};
  for (const CitationChange& change : topic.changes) {
    const Document& document = topic.documents[change.judgement.value()];
    shown.citations.push_back(
        {.docno = document.docno,
         .baseline = change.rank_a,
         .tonight = change.rank_b,
         .share = static_cast<double>(change.credit) / static_cast<double>(topic.whole),
         .must_find = document.must_find});
  }
  for (const Document& document : topic.documents) {
    if (!is_lost_beyond_cutoff(topic, document)) continue;
    shown.citations.push_back({.docno = document.docno,
                               .baseline = document.baseline,
                               .tonight = document.tonight,
                               .must_find = true});
  }
  return shown;
}

}  // namespace prescope
