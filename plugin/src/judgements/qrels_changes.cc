// Applies changes to judgements; the result is a new value.
#include <fmt/format.h>
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "prescope/error.h"
#include "prescope/qrels.h"

namespace prescope {

namespace {

constexpr std::size_t kMostNamed = 10;

/// A document's new grade, or none if it is withdrawn.
struct Change {
  Docno docno;
  std::optional<Grade> grade;
};
using ChangesByKey = std::map<std::string, Change, std::less<>>;

/// Changes by topic and key, checked against the judgements that they are of.
class CheckedChanges {
 public:
  CheckedChanges(const Qrels& qrels, const JudgementChanges& changes) : qrels_(qrels) {
    for (const Qrels::Line& line : changes.judged) change(line.topic, line.docno, line.grade);
    for (const auto& [topic, docno] : changes.withdrawn) change(topic, docno, std::nullopt);
    if (num_problems_ > problems_.size()) {
      problems_.push_back(fmt::format("and {} more", num_problems_ - problems_.size()));
    }
    if (problems_.empty()) return;
    throw Error(ErrorCode::kUsage, fmt::format("changed judgements: {}; nothing was changed",
                                               fmt::join(problems_, "; ")));
  }

  [[nodiscard]] const std::map<TopicIndex, ChangesByKey>& by_topic() const { return by_topic_; }

 private:
  void problem(std::string text) {
    if (num_problems_++ < kMostNamed) problems_.push_back(std::move(text));
  }

  std::optional<TopicIndex> topic_of(const TopicId& id) {
    const std::optional<TopicIndex> found = qrels_.find(id.text());
    if (!found && unknown_.insert(id).second) {
      problem(fmt::format("topic '{}' is not in the qrels; expected one of their {} topics",
                          id.text(), qrels_.topics().size()));
    }
    return found;
  }

  void change(const TopicId& id, const Docno& docno, std::optional<Grade> grade) {
    const std::optional<TopicIndex> topic = topic_of(id);
    if (!topic) return;
    std::string key = qrels_.docnos().key(docno);
    if (!grade && !qrels_.topic(*topic).find(key)) {
      return problem(fmt::format("docno '{}' of topic '{}' is withdrawn, but was not judged",
                                 docno.text(), id.text()));
    }
    const auto [at, is_first] = by_topic_[*topic].try_emplace(std::move(key), Change{docno, grade});
    const std::optional<Grade> before = at->second.grade;
    if (is_first || before == grade) return;
    problem(
        grade ? fmt::format("docno '{}' of topic '{}' is given grade {} and grade {}; keep one",
                            docno.text(), id.text(), *before, *grade)
              : fmt::format("docno '{}' of topic '{}' is judged and withdrawn; keep one of the two",
                            docno.text(), id.text()));
  }

  const Qrels& qrels_;
  std::map<TopicIndex, ChangesByKey> by_topic_;
  std::set<TopicId> unknown_;
  std::vector<std::string> problems_;
  std::size_t num_problems_ = 0;
};

/// A document keeps the spelling under which it was first judged.
std::vector<Judgement> changed(std::span<const Judgement> judgements, ChangesByKey changes) {
  std::vector<Judgement> result;
  for (const Judgement& judgement : judgements) {
    const auto change = changes.extract(judgement.key);
    if (change.empty()) {
      result.push_back(judgement);
    } else if (const auto grade = change.mapped().grade) {
      result.push_back({judgement.docno, judgement.key, *grade});
    }
  }
  for (const auto& [key, change] : changes) result.push_back({change.docno, key, *change.grade});
  return result;
}

}  // namespace

Qrels Qrels::with(const JudgementChanges& changes) const {
  const CheckedChanges checked(*this, changes);
  Qrels result = *this;
  for (const auto& [topic, by_key] : checked.by_topic()) {
    TopicQrels& of = result.topics_[topic.value()];
    of = TopicQrels(of.id(), changed(of.judgements(), by_key), min_grade_);
  }
  return result;
}

}  // namespace prescope
