#include "runs/docno_hint.h"

#include <unordered_set>

#include "runs/scan/run_lines.h"

namespace prescope {

namespace {

constexpr std::size_t kLinesOfSample = 1000;
/// A gain below one in so many matches is chance: newswire names may look like patent numbers.
constexpr std::uint64_t kLeastGain = 50;

/// Counts the judgements that the first lines find under one policy.
class Sample {
 public:
  Sample(const Qrels& qrels, DocnoNormalizer docnos) : qrels_(&qrels), docnos_(std::move(docnos)) {}

  void add(TopicIndex topic, std::string_view docno) {
    DocnoBuffer buffer;
    const std::string_view key = docnos_.key(docno, buffer);
    const auto [groups, is_new] = groups_.try_emplace(topic);
    if (is_new) {
      for (const Judgement& judgement : qrels_->topic(topic).judgements()) {
        ++groups->second[docnos_.key(judgement.docno)];
      }
    }
    const auto group = groups->second.find(std::string(key));
    if (group != groups->second.end()) matched_ += std::exchange(group->second, 0);
  }
  [[nodiscard]] std::uint64_t matched() const noexcept { return matched_; }

 private:
  const Qrels* qrels_;
  DocnoNormalizer docnos_;
  /// The number of judgements of the same document by topic and key; 0 once it was found.
  std::map<TopicIndex, std::unordered_map<std::string, std::uint64_t>> groups_;
  std::uint64_t matched_ = 0;
};

bool is_hint(std::uint64_t matched, std::uint64_t would_match, HintSearch search) {
  return search == HintSearch::kAllLines ? would_match > matched
                                         : should_suggest(matched, would_match);
}

/// Returns the policy that finds most in the lines looked at, if that is a hint.
std::optional<DocnoPolicy> promising_policy(const Qrels& qrels, ByteSource& file,
                                            HintSearch search) {
  const std::vector<DocnoPolicy> policies = coarser_policies(qrels.docnos().policy());
  Sample now(qrels, qrels.docnos());
  std::vector<Sample> others;
  for (const DocnoPolicy policy : policies) others.emplace_back(qrels, DocnoNormalizer(policy));
  RunLines lines(file);
  std::size_t left = search == HintSearch::kAllLines ? SIZE_MAX : kLinesOfSample;
  for (RunLine line; left > 0 && lines.next(line);) {
    const auto topic = qrels.find(line.topic);
    if (!topic) continue;
    --left;
    now.add(*topic, line.docno);
    for (Sample& other : others) other.add(*topic, line.docno);
  }
  const auto best = std::ranges::max_element(others, {}, &Sample::matched);
  if (best == others.end() || !is_hint(now.matched(), best->matched(), search)) return std::nullopt;
  return policies[static_cast<std::size_t>(best - others.begin())];
}

std::uint64_t distinct_docnos(const Qrels& qrels) {
  std::unordered_set<std::string_view> docnos;
  for (const TopicQrels& topic : qrels.topics()) {
    for (const Judgement& judgement : topic.judgements()) docnos.insert(judgement.docno.text());
  }
  return docnos.size();
}

/// Counts docnos of `qrels` whose key in `matched`, the same topics under any policy, was
/// retrieved.
std::uint64_t matched_docnos(const Qrels& qrels, const Qrels& matched, const RunFacts& facts) {
  std::unordered_set<std::string_view> docnos;
  std::unordered_set<std::string_view> keys;
  for (const RunFacts::Topic& topic : facts.topics) {
    keys.clear();
    for (const Retrieved& document : facts.of(topic)) {
      keys.insert(matched.topic(topic.topic).judgements()[document.judgement.value()].key);
    }
    for (const Judgement& judgement : qrels.topic(topic.topic).judgements()) {
      DocnoBuffer buffer;
      const auto key = matched.docnos().key(judgement.docno.text(), buffer);
      if (keys.contains(key)) docnos.insert(judgement.docno.text());
    }
  }
  return docnos.size();
}

}  // namespace

bool should_suggest(std::uint64_t matched, std::uint64_t would_match) noexcept {
  return would_match > matched && (would_match - matched) * kLeastGain >= matched;
}

std::vector<DocnoPolicy> coarser_policies(DocnoPolicy policy) {
  std::vector<DocnoPolicy> coarser;
  for (const DocnoPolicy each : {DocnoPolicy::kPublication, DocnoPolicy::kPatent}) {
    if (each > policy) coarser.push_back(each);
  }
  return coarser;
}

Qrels under_policy(const Qrels& qrels, DocnoPolicy policy) {
  std::vector<Qrels::Line> lines;
  for (const TopicQrels& topic : qrels.topics()) {
    for (const Judgement& judgement : topic.judgements()) {
      lines.push_back({topic.id(), judgement.docno, judgement.grade});
    }
  }
  return Qrels::from_lines(lines, {.docno = policy, .min_grade = qrels.min_grade()});
}

std::optional<DocnoHint> find_docno_hint(const Qrels& qrels, const RunFacts& facts,
                                         const ReadRunOptions& options, HintSearch search) {
  if (coarser_policies(qrels.docnos().policy()).empty()) return std::nullopt;
  const auto source = reopened(facts);
  if (source == nullptr) return std::nullopt;
  const std::optional<DocnoPolicy> policy = promising_policy(qrels, *source, search);
  if (!policy) return std::nullopt;
  const Qrels other = under_policy(qrels, *policy);
  const RunFacts other_facts = read_run(other, *reopened(facts), options);
  const DocnoHint hint{.policy = *policy,
                       .judged = distinct_docnos(qrels),
                       .matched = matched_docnos(qrels, qrels, facts),
                       .would_match = matched_docnos(qrels, other, other_facts)};
  return is_hint(hint.matched, hint.would_match, search) ? std::optional(hint) : std::nullopt;
}

}  // namespace prescope
