#include "nightly/record/evaluation_record.h"

#include <fmt/format.h>
#include <algorithm>
#include <unordered_set>

#include "base/hash.h"
#include "base/split_mix.h"
#include "judgements/judgement_line.h"
#include "judgements/patent_number.h"
#include "runs/read_runs.h"

namespace prescope {

namespace {

/// Ends a text in the hash; no name contains it.
constexpr std::string_view kEnd{"\0", 1};
constexpr std::string_view kCategoriesCondition = "qrels.categories";

std::uint64_t hash_of(const TopicQrels& topic) {
  std::uint64_t hash = fnv_1a(kEnd, fnv_1a(topic.id().text()));
  for (const Judgement& judgement : topic.judgements()) {
    hash = fnv_1a(kEnd, fnv_1a(judgement.key, hash));
    hash = fnv_1a(kEnd, fnv_1a(fmt::format_int(judgement.grade).c_str(), hash));
  }
  return SplitMix(hash).next();  // sums of FNV-1a hashes alone are often equal
}

/// `sum` is the sum of the hashes of all topics, so that a change replaces only a few terms.
QrelsVersion version_of(const Qrels& qrels, std::uint64_t sum) {
  if (qrels.finds_topics()) {  // their number is not known
    sum += fnv_1a(qrels.source_version());
    return {.hash = fmt::format("{:016x}", sum),
            .docno = qrels.docnos().policy(),
            .min_grade = qrels.min_grade()};
  }
  return {.hash = fmt::format("{:016x}", sum),
          .topics = qrels.topics().size(),
          .judgements = qrels.num_judgements(),
          .relevant = qrels.num_relevant(),
          .docno = qrels.docnos().policy(),
          .min_grade = qrels.min_grade()};
}

/// Returns true if the scores put the last line first, and the relevant documents behind. If every
/// line is relevant, the gain is 0 but for rounding.
bool is_reversed(const TopicQrels& judged, const RunFacts::Topic& topic,
                 std::span<const Retrieved> found) {
  double gain = 0.0;
  for (const Retrieved& one : found) {
    if (one.trec_rank + one.file_rank != topic.num_ret + 1) return false;
    if (judged.is_relevant(one.judgement)) gain += 1.0 / one.file_rank - 1.0 / one.trec_rank;
  }
  return gain > 1e-9;
}

EvaluationRecord::LineOrder line_order(const Qrels& qrels, const RunFacts& facts) {
  EvaluationRecord::LineOrder order;
  for (const RunFacts::Topic& topic : facts.topics) {
    const std::span<const Retrieved> found = facts.of(topic);
    if (found.empty() || topic.num_ret < 3) continue;
    ++order.topics;
    const auto ties_with_all = [&](const Retrieved& one) {
      return one.first_tied == 1 && one.last_tied == topic.num_ret;
    };
    if (std::ranges::all_of(found, ties_with_all)) {
      ++order.tied;
    } else if (is_reversed(qrels.topic(topic.topic), topic, found)) {
      ++order.reversed;
    }
  }
  return order;
}

std::vector<Condition> run_conditions(const RunSource& source) {
  std::vector<Condition> conditions = qrels_conditions(source.qrels_options);
  conditions.push_back({"run.order", source.ranks.order == RunOrder::kTrec ? "trec" : "file"});
  conditions.push_back(
      {"run.score", source.read.score == ScorePrecision::kDouble ? "double" : "float"});
  if (source.ranks.judged_only) conditions.push_back({"run.judged_only", "on"});
  return conditions;
}

}  // namespace

std::optional<double> EvaluationRecord::score(const Topic& topic, const Measure& measure) {
  std::vector<Rank> ranks;
  ranks.reserve(topic.found.size());
  for (const Found& found : topic.found) ranks.push_back(found.rank);
  return measure.score({.num_rel = topic.num_rel, .relevant = ranks, .num_ret = topic.num_ret});
}

Mean mean_of(const EvaluationRecord& record, const Measure& measure) {
  std::vector<double> scores;
  scores.reserve(record.topics.size());
  for (const EvaluationRecord::Topic& topic : record.topics) {
    if (const auto score = EvaluationRecord::score(topic, measure)) scores.push_back(*score);
  }
  return {.mean = mean_over_topics(measure, scores),
          .topics = static_cast<std::uint32_t>(scores.size())};
}

QrelsVersion qrels_version(const Qrels& qrels, std::optional<DocnoPolicy> keys_are_of) {
  std::uint64_t sum = 0;
  if (keys_are_of.value_or(qrels.docnos().policy()) != DocnoPolicy::kRaw)
    sum = fnv_1a(fmt::format_int(kDocnoRules).c_str());
  for (const TopicQrels& topic : qrels.topics()) sum += hash_of(topic);
  return version_of(qrels, sum);
}

QrelsVersion changed_qrels_version(const Qrels& qrels, const Qrels& before,
                                   const QrelsVersion& version_before) {
  std::uint64_t sum = std::stoull(version_before.hash, nullptr, 16);
  qrels.topics().for_each_unshared(before.topics(), [&](std::size_t i) {
    const TopicQrels &topic = qrels.topics()[i], &old = before.topics()[i];
    if (!topic.is_shared_with(old)) sum += hash_of(topic) - hash_of(old);
  });
  return version_of(qrels, sum);
}

std::string judged_families_hash(const Qrels& qrels) {
  const FamilyMap* const families = qrels.docnos().families();
  if (families == nullptr) return {};
  std::unordered_set<std::string_view> judged;
  for (const TopicQrels& topic : qrels.topics()) {
    for (const Judgement& judgement : topic.judgements()) judged.insert(judgement.key);
  }
  std::uint64_t sum = 0;  // the same in any order
  for (const auto& [patent, family] : families->by_patent()) {
    if (!judged.contains(family)) continue;
    sum += SplitMix(fnv_1a(patent, fnv_1a(kEnd, fnv_1a(family)))).next();
  }
  return fmt::format("{:016x}", sum);
}

QrelsVersion evaluation_qrels_version(const Qrels& qrels) {
  QrelsVersion version = qrels_version(qrels);
  if (const std::string families = judged_families_hash(qrels); !families.empty()) {
    version.hash = fmt::format("{:016x}", fnv_1a(families, fnv_1a(version.hash)));
  }
  if (!qrels.rule().empty()) {
    version.hash = fmt::format("{:016x}", fnv_1a(qrels.rule(), fnv_1a(version.hash)));
  }
  return version;
}

void set_served(const TopicQrels& judged, const JudgedRanking& ranking,
                EvaluationRecord::Topic& topic) {
  topic.served = true;
  topic.num_ret = ranking.num_ret;
  topic.duplicates = ranking.duplicates;
  topic.found.clear();
  for (const JudgedHit& hit : ranking.hits) {
    if (!judged.is_relevant(hit.judgement)) continue;
    topic.found.push_back({judged.judgements()[hit.judgement.value()].docno, hit.rank});
  }
}

std::vector<EvaluationRecord::Topic> unserved_topics(const Qrels& qrels) {
  std::vector<EvaluationRecord::Topic> topics;
  topics.reserve(qrels.topics().size());
  for (const TopicQrels& judged : qrels.topics()) {
    topics.push_back({.id = judged.id(), .num_rel = judged.num_rel(), .served = false});
    if (!qrels.has_family_map()) continue;
    const TopicIndex topic(static_cast<std::uint32_t>(topics.size() - 1));
    topics.back().family = qrels.family(topic).value();
  }
  return topics;
}

std::vector<Condition> qrels_conditions(const QrelsOptions& options) {
  std::string categories = changed_categories(options.categories);
  if (categories.empty()) return {};
  return {{std::string(kCategoriesCondition), std::move(categories)}};
}

void add_rule(const Qrels& qrels, EvaluationRecord& record) {
  if (!qrels.rule().empty())
    record.conditions.push_back({std::string(kRuleCondition), qrels.rule()});
  if (qrels.collapses()) record.conditions.push_back({"qrels.collapse", "on"});
}

CitationCategories categories_of(const EvaluationRecord& record) {
  CitationCategories categories;
  for (const Condition& condition : record.conditions) {
    if (condition.name != kCategoriesCondition) continue;
    for (const std::string& one : split(condition.value, ',')) {
      const auto [letter, grade] = split_category(one);
      set_category(categories, letter, grade);
    }
  }
  return categories;
}

EvaluationRecord record_of_run(const Qrels& qrels, const RunFacts& facts,
                               const RankOptions& ranks) {
  EvaluationRecord record{.arm = facts.tag,
                          .source = fmt::format("run {}", facts.path),
                          .qrels = evaluation_qrels_version(qrels),
                          .topics = unserved_topics(qrels),
                          .docnos = qrels.docnos()};
  if (std::string words = without_family_words(qrels); !words.empty()) {
    record.input_notes.push_back(std::move(words));
  }
  record.input = check_run_input(qrels, facts, ranks.order);
  if (ranks.order == RunOrder::kTrec) record.lines = line_order(qrels, facts);
  for (const RunFacts::Topic& served : facts.topics) {
    const JudgedRanking ranking = judged_ranking(qrels, facts, served, ranks);
    set_served(qrels.topic(served.topic), ranking, record.topics[served.topic.value()]);
    record.depth = std::max(record.depth, ranking.num_ret);
  }
  return record;
}

EvaluationRecord evaluate_run(const RunSource& source) {
  const JudgedRuns runs =
      load_runs(source.qrels, source.qrels_options, {&source.path, 1}, source.read);
  const RunFacts& facts = runs.facts.front();
  EvaluationRecord record = record_of_run(runs.qrels, facts, source.ranks);
  record.measures = source.measures;
  record.docno_hint = find_docno_hint(runs.qrels, facts, source.read, HintSearch::kAllLines);
  record.conditions = run_conditions(source);
  add_rule(runs.qrels, record);
  return record;
}

}  // namespace prescope
