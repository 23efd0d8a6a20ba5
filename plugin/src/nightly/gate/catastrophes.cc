#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <set>

#include "measures/citation_changes.h"
#include "nightly/gate/checks.h"
#include "statistics/effect_size.h"
#include "statistics/paired_tests.h"

namespace prescope {

namespace {

/// The changes of one topic's citations up to the cutoff of the moving measure.
struct ChangedTopic {
  GateVerdict::Topic shown{};  ///< as in the verdict; rules add to its `fails`
  bool is_emptied = false;     ///< it had some citation, and has none
  bool is_filled = false;      ///< the other way round
  bool has_loss = false;
  bool has_hard_loss = false;  ///< from the first 80 % of the ranks up to the cutoff
  /// A pinned citation that the baseline found is neither up to the cutoff nor at its old rank or
  /// above.
  bool has_must_find_lost = false;
  bool has_changes = false;  ///< some citation was lost, gained or moved
};

using Topics = std::vector<ChangedTopic*>;

/// The result of a rule about single topics, and the topics by which it fails.
struct TopicsFinding {
  Finding finding{};
  Topics failing{};  ///< ascending by id; none if it holds
};

/// A document in either ranking, and its ranks there.
using FoundDocument = GateVerdict::Citation;

/// The documents of one topic, with the same number in both rankings if their keys are the same.
struct FoundDocuments {
  const DocnoNormalizer& docnos;
  const std::set<std::string>& must_find;  ///< keys
  std::vector<FoundDocument> documents{};
  std::map<std::string, std::uint32_t> numbers{};

  /// `side` receives the rank: FoundDocument::rank_a or FoundDocument::rank_b.
  std::vector<JudgedHit> add(const std::vector<EvaluationRecord::Found>& found,
                             std::optional<Rank> FoundDocument::*side) {
    std::vector<JudgedHit> hits;
    for (const EvaluationRecord::Found& each : found) {
      const std::string key = docnos.key(each.docno);
      const auto next = static_cast<std::uint32_t>(documents.size());
      const auto [at, is_new] = numbers.try_emplace(key, next);
      if (is_new) documents.push_back({{.docno = each.docno}, must_find.contains(key)});
      documents[at->second].*side = each.rank;
      hits.push_back({each.rank, JudgementIndex(at->second)});
    }
    return hits;
  }
};

bool has_found(const EvaluationRecord::Topic& topic, Cutoff cutoff) noexcept {
  return !topic.found.empty() && topic.found.front().rank <= cutoff.value();
}

class ChangeFinder {
 public:
  explicit ChangeFinder(const GateSubject& subject)
      : measure_(*subject.moving),
        credits_(*CitationCredits::of(measure_)),
        docnos_(docnos_of(subject.tonight)) {
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
  void add_changes(const PairedTopic& topic, ChangedTopic& changed) const {
    static const std::set<std::string> kNone;
    const auto pinned = must_find_.find(topic.tonight->id);
    FoundDocuments found{docnos_, pinned == must_find_.end() ? kNone : pinned->second};
    const auto before = found.add(topic.baseline->found, &FoundDocument::rank_a);
    const auto after = found.add(topic.tonight->found, &FoundDocument::rank_b);
    for (const CitationChange& change :
         citation_changes(topic.tonight->num_rel, before, after, credits_)) {
      FoundDocument& citation =
          changed.shown.citations.emplace_back(found.documents[change.judgement.value()]);
      citation.rank_a = change.rank_a;
      citation.rank_b = change.rank_b;
      citation.share = change.share;
      changed.has_changes = true;
      changed.has_loss |= change.is_lost();
      changed.has_hard_loss |= change.is_lost_from_far(credits_.cutoff());
    }
    add_lost_must_finds(found.documents, changed);
  }

  void add_lost_must_finds(const std::vector<FoundDocument>& documents,
                           ChangedTopic& changed) const {
    const std::uint32_t cutoff = credits_.cutoff().value();
    for (const FoundDocument& each : documents) {
      if (!each.must_find || !each.rank_a) continue;
      if (each.rank_b && *each.rank_b <= std::max(*each.rank_a, cutoff)) continue;
      changed.has_must_find_lost = true;
      // A document lost from behind the cutoff is not among the changes.
      if (*each.rank_a > cutoff) changed.shown.citations.push_back(each);
    }
  }

  Measure measure_;
  CitationCredits credits_;
  DocnoNormalizer docnos_;
  std::map<TopicId, std::set<std::string>> must_find_;
};

/// Returns all topics with relevant documents, ascending by id, also unchanged ones.
std::vector<ChangedTopic> changed_topics(const GateSubject& subject) {
  std::vector<ChangedTopic> topics;
  if (!subject.moving) return topics;
  const ChangeFinder finder(subject);
  for (const PairedTopic& topic : subject.topics) {
    if (topic.baseline->num_rel == 0 || topic.tonight->num_rel == 0) continue;
    topics.push_back(finder.find(topic));
  }
  return topics;
}

using Status = GateVerdict::Status;

template <class Predicate>
Topics topics_where(std::span<ChangedTopic> topics, const Predicate& predicate) {
  Topics found;
  for (ChangedTopic& topic : topics) {
    if (std::invoke(predicate, topic)) found.push_back(&topic);
  }
  return found;
}

std::string named_topics(const Topics& topics) {
  if (topics.empty()) return {};
  std::vector<std::string> ids;
  for (const ChangedTopic* topic : topics) ids.push_back(topic->shown.topic.text());
  return fmt::format(" ({})", listed_names(ids));
}

/// Returns a number of topics, at least one. A share such as 0.29 of 100 is 28.999... in binary.
std::size_t accepted(double share, std::size_t topics) {
  const double whole = std::floor(share * static_cast<double>(topics) + 1e-9);
  return static_cast<std::size_t>(std::max(1.0, whole));
}

TopicsFinding find_must_find(const GateSubject& subject, std::span<ChangedTopic> topics) {
  if (!subject.rules.catastrophe.must_find) return {{Status::kSkipped, kSwitchedOff}};
  const std::size_t pinned = subject.baseline.must_find.size();
  if (pinned == 0) return {{Status::kPass, "No citation is pinned."}};
  const std::string all = counted_words(pinned, "pinned citation");
  const Topics lost = topics_where(topics, &ChangedTopic::has_must_find_lost);
  if (lost.empty()) return {{Status::kPass, fmt::format("None of {} is lost.", all)}};
  return {
      {Status::kFail, fmt::format("{} lost a citation that must be found{}; of {}.",
                                  counted_words(lost.size(), "topic"), named_topics(lost), all)},
      lost};
}

GateVerdict::Emptied count_emptied(std::span<const ChangedTopic> topics) {
  GateVerdict::Emptied counts;
  for (const ChangedTopic& topic : topics) {
    if (topic.is_emptied) ++counts.emptied;
    if (topic.is_filled) ++counts.filled;
  }
  const std::uint64_t turned = std::uint64_t{counts.emptied} + counts.filled;
  if (turned > 0) counts.p_value = fair_coin_tail(counts.emptied, turned);
  // Its one-sided 95 % bound is the end of the 90 % interval.
  counts.rate_high = clopper_pearson_interval(counts.emptied, topics.size(), 0.9).high;
  return counts;
}

/// Counts and names the topics that the rules do not allow to be emptied.
std::string emptied_words(const GateSubject& subject, const Topics& emptied,
                          const GateVerdict::Emptied& all) {
  std::string words = fmt::format(
      "{}{} found something up to rank {} at the baseline and nothing tonight, {} the other way "
      "round",
      counted_words(emptied.size(), "topic"), named_topics(emptied),
      subject.moving->cutoff()->value(), all.filled);
  if (all.emptied > emptied.size()) {
    words += fmt::format(", {} more are allowed to", all.emptied - emptied.size());
  }
  // A larger p only says that no more topics were emptied than filled.
  if (all.p_value && *all.p_value <= 0.5) words += fmt::format(" ({})", p_words(*all.p_value));
  return fmt::format("{}; of topics like these at most {} are emptied", words,
                     percent_words(all.rate_high));
}

TopicsFinding find_emptied(const GateSubject& subject, std::span<ChangedTopic> topics) {
  const GateRules::Catastrophe& rules = subject.rules.catastrophe;
  if (!rules.emptied) return {{Status::kSkipped, kSwitchedOff}};
  const std::set<TopicId> allowed(rules.emptied_allowed.begin(), rules.emptied_allowed.end());
  const Topics emptied = topics_where(topics, [&](const ChangedTopic& topic) {
    return topic.is_emptied && !allowed.contains(topic.shown.topic);
  });
  Topics failing = emptied;
  std::erase_if(failing, [](const ChangedTopic* topic) { return !topic->has_hard_loss; });
  const std::string found = emptied_words(subject, emptied, count_emptied(topics));
  if (emptied.empty()) return {{Status::kPass, found + '.'}};
  if (failing.empty()) return {{Status::kWarning, found + ": only over the edge."}};
  const std::string which =
      failing.size() == emptied.size()
          ? ""
          : fmt::format(", from the first 80 % of the ranks{}", named_topics(failing));
  return {{Status::kFail, fmt::format("{}: none may be{}.", found, which)}, failing};
}

TopicsFinding find_hard_losses(const GateSubject& subject, std::span<ChangedTopic> topics) {
  const Topics hard = topics_where(topics, &ChangedTopic::has_hard_loss);
  const std::size_t limit = accepted(subject.rules.catastrophe.hard_loss_share, topics.size());
  const std::size_t lossy = topics_where(topics, &ChangedTopic::has_loss).size();
  const std::uint64_t cutoff = subject.moving->cutoff()->value();
  const bool has_failed = hard.size() > limit;
  const std::string reason = fmt::format(
      "{} of {} lost a citation from the first {} ranks{}, {} accepted; {} only from behind them, "
      "up to {}.",
      counted_words(hard.size(), "topic"), topics.size(), cutoff * 4 / 5,
      has_failed ? named_topics(hard) : std::string(), limit, lossy - hard.size(), cutoff);
  if (has_failed) return {{Status::kFail, reason}, hard};
  return {{lossy > limit ? Status::kWarning : Status::kPass, reason}};
}

TopicsFinding find_falls(const GateSubject& subject, std::span<ChangedTopic> topics) {
  const GateRules::Catastrophe& rules = subject.rules.catastrophe;
  const Topics fallen = topics_where(
      topics, [&](const ChangedTopic& topic) { return topic.shown.difference <= -rules.fall; });
  const std::size_t limit = accepted(rules.fall_share, topics.size());
  const bool has_failed = fallen.size() > limit;
  const std::string reason =
      fmt::format("{} of {} fell by {} or more in {}{}, {} accepted.",
                  counted_words(fallen.size(), "topic"), topics.size(), rules.fall,
                  subject.moving->name(), has_failed ? named_topics(fallen) : std::string(), limit);
  if (has_failed) return {{Status::kFail, reason}, fallen};
  return {{Status::kPass, reason}};
}

using FindTopics = TopicsFinding (*)(const GateSubject& subject, std::span<ChangedTopic> topics);
/// The rules about single topics, in the order of the report.
constexpr std::pair<const char*, FindTopics> kTopicRules[] = {
    {"catastrophe.must_find", find_must_find},
    {"catastrophe.emptied", find_emptied},
    {"catastrophe.hard_loss", find_hard_losses},
    {"catastrophe.fall", find_falls}};

/// Returns why these rules cannot be checked; null if they can.
const char* why_skipped(const GateSubject& subject, std::span<const ChangedTopic> topics) {
  if (!subject.moving) {
    return "Not looked at: neither PRES@N nor R@N decides, whose cutoff it reads.";
  }
  return topics.empty() ? "No topic has relevant documents." : nullptr;
}

/// Failing topics come first, then those that fell furthest.
bool comes_before(const GateVerdict::Topic& a, const GateVerdict::Topic& b) {
  if (a.fails.empty() != b.fails.empty()) return b.fails.empty();
  return a.b - a.a < b.b - b.a;
}

}  // namespace

void judge_topics(const GateSubject& subject, GateVerdict& verdict) {
  std::vector<ChangedTopic> topics = changed_topics(subject);
  const char* const skipped = why_skipped(subject, topics);
  for (const auto& [id, find] : kTopicRules) {
    const auto [finding, failing] =
        skipped != nullptr ? TopicsFinding{{Status::kSkipped, skipped}} : find(subject, topics);
    for (ChangedTopic* topic : failing) topic->shown.fails.emplace_back(id);
    verdict.rules.push_back(finding.as_rule(id));
  }
  if (!topics.empty()) verdict.emptied = count_emptied(topics);
  for (ChangedTopic& topic : topics) {
    if (!topic.has_changes && topic.shown.fails.empty()) continue;
    verdict.topics.push_back(std::move(topic.shown));
  }
  std::ranges::stable_sort(verdict.topics, comes_before);
}

DocnoNormalizer docnos_of(const EvaluationRecord& record) {
  if (record.docnos) return *record.docnos;
  const DocnoPolicy policy = record.qrels.docno;
  return DocnoNormalizer(policy == DocnoPolicy::kFamily ? DocnoPolicy::kPatent : policy);
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
