#include "support/plain_ledger.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace prescope {
namespace {

using Captured = PlainQuery::Captured;

bool ends(const PlainQuery& query) {
  return query.documents.size() < query.requested && !has(query.flags, RankingFlags::kPartial);
}

double rounded(double difference) { return std::round(difference * 1e12) / 1e12; }

double mean_of(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

bool differ(std::uint64_t a, std::uint64_t b) { return a != 0 && b != 0 && a != b; }

bool includes(const std::set<int>& all, const std::set<int>& some) {
  return std::includes(all.begin(), all.end(), some.begin(), some.end());
}

int document_of(const std::string& docno) { return std::stoi(docno.substr(1)); }

}  // namespace

std::string plain_docno(int document) { return "d" + std::to_string(document); }

PlainLedger::PlainLedger(const Qrels& qrels, std::vector<Measure> measures, std::uint32_t arms,
                         Options options)
    : versions_{&qrels},
      measures_(std::move(measures)),
      options_(std::move(options)),
      arms_(arms),
      first_values_(measures_.size()),
      seen_(measures_.size()) {}

std::set<int> PlainLedger::judged(const Qrels& qrels, std::uint32_t topic) {
  std::set<int> documents;
  for (const Judgement& judgement : qrels.topics()[topic].judgements()) {
    documents.insert(document_of(judgement.docno.text()));
  }
  return documents;
}

std::set<int> PlainLedger::judged_now(std::uint32_t topic) const {
  return judged(*versions_.back(), topic);
}

bool PlainLedger::is_awaiting(const Visit& visit, std::uint32_t topic) const {
  return !includes(visit.known, judged_now(topic));
}

bool PlainLedger::reaches(const Visit& visit, std::uint32_t topic, std::size_t measure) const {
  const auto cutoff = measures_[measure].cutoff();
  if (is_awaiting(visit, topic)) return cutoff && visit.known_to >= cutoff->value();
  return !cutoff || visit.exhausted || visit.covered >= cutoff->value();
}

/// Computed from all served documents, known or not.
std::optional<double> PlainLedger::value(const Visit& visit, std::uint32_t topic,
                                         std::size_t measure) const {
  const TopicQrels& qrels = versions_.back()->topics()[topic];
  std::vector<GradedRank> judged;
  std::vector<Rank> relevant;
  std::vector<Grade> grades;
  for (std::uint32_t j = 0; j < qrels.judgements().size(); ++j) {
    const Judgement& judgement = qrels.judgements()[j];
    grades.push_back(judgement.grade);
    const auto found = visit.ranks.find(document_of(judgement.docno.text()));
    if (found == visit.ranks.end()) continue;
    judged.push_back({found->second, judgement.grade});
    if (judgement.grade >= 1) relevant.push_back(found->second);
  }
  std::ranges::sort(judged, {}, &GradedRank::rank);
  std::ranges::sort(relevant);
  std::ranges::sort(grades, std::greater{});
  return measures_[measure].score({.num_rel = qrels.num_rel(),
                                   .relevant = relevant,
                                   .num_ret = visit.covered,
                                   .collection_size = visit.collection_size,
                                   .judged = judged,
                                   .grades = grades});
}

bool PlainLedger::is_late(Arm& arm, std::uint64_t generation) {
  if (options_.epochs == EpochRule::kConfiguration || generation == 0) return false;
  if (arm.generation == 0) {
    std::uint64_t now = generation;
    while (moves_.contains(now)) now = moves_[now];
    arm.generation = now;
  }
  const std::uint64_t before = arm.generation;
  if (generation < before) return true;
  if (generation == before) return false;
  begin_epoch();
  moves_[before] = generation;
  for (Arm& other : arms_) {
    if (other.generation == before) other.generation = generation;
  }
  return false;
}

void PlainLedger::record(const PlainQuery& query) {
  Arm& arm = arms_[query.arm];
  const bool failed = has(query.flags, RankingFlags::kFailed);
  const bool timed_out = has(query.flags, RankingFlags::kTimedOut);
  const bool scored = query.topic && !failed && !timed_out;
  if (arm.removed) {
    late += scored ? 1 : 0;
    return;
  }
  const bool too_late = is_late(arm, query.generation);
  if (failed || timed_out) {
    ++(timed_out ? arm.timed_out : arm.failed);
    (has(query.flags, RankingFlags::kShadow) ? arm.shadow_latency : arm.latency).push_back(kNever);
    return;
  }
  const bool in_score = scored && !too_late && take(query);
  if (scored && !in_score) ++late;
  ++(query.topic ? arm.judged : arm.unjudged);
  const bool retried = has(query.flags, RankingFlags::kRetried);
  const bool shadow = has(query.flags, RankingFlags::kShadow);
  arm.retried += retried ? 1 : 0;
  if (!retried) (query.topic ? arm.self_time : arm.unjudged_self).push_back(query.self_time);
  if (query.latency.count() < 0) ++clock_steps;
  if (retried || has(query.flags, RankingFlags::kUntimed) || query.latency.count() < 0) return;
  (shadow ? arm.shadow_latency : arm.latency).push_back(query.latency);
  if (!in_score) return;
  Topic& topic = arm.topics[*query.topic];
  topic.last_ms = static_cast<double>(query.latency.count()) / 1e6;
  const bool paired = options_.mode == Mode::kPaired;
  const bool compared = options_.shadow_latency == ShadowOptions::Latency::kBothArms;
  if (paired ? shadow && compared : !shadow) topic.log_ms.push_back(std::log(*topic.last_ms));
}

PlainLedger::Visit PlainLedger::visit_of(const PlainQuery& query) const {
  Visit visit{.covered = static_cast<std::uint32_t>(query.documents.size()),
              .exhausted = ends(query),
              .generation = query.generation,
              .collection_size = query.collection_size,
              .kind = query.captured};
  for (std::size_t i = 0; i < query.documents.size(); ++i) {
    visit.ranks.try_emplace(query.documents[i], static_cast<Rank>(query.first_rank + i));
  }
  if (query.captured != Captured::kNothing) {
    visit.captured = query.documents;
    visit.captured.resize(std::min<std::size_t>(query.capture_depth, query.documents.size()));
  }
  const std::set<int> now = judged_now(*query.topic);
  visit.known = judged(*versions_[query.version], *query.topic);
  // Forgets withdrawn documents; one that comes back counts as new.
  std::erase_if(visit.known, [&](int document) { return !now.contains(document); });
  if (query.version + 1 < versions_.size()) look_through_capture(visit, now);
  visit.known_to =
      visit.kind == Captured::kKeys ? static_cast<std::uint32_t>(visit.captured.size()) : 0;
  return visit;
}

/// Documents of `now` that a capture of names decides become known.
void PlainLedger::look_through_capture(Visit& visit, const std::set<int>& now) const {
  const std::size_t depth = visit.kind == Captured::kKeys ? visit.captured.size() : 0;
  for (std::size_t i = 0; i < depth; ++i) {
    if (now.contains(visit.captured[i])) visit.known.insert(visit.captured[i]);
  }
  if (depth >= visit.covered) visit.known = now;
}

bool PlainLedger::counts(const Topic& topic, const Visit& visit, std::uint32_t index) const {
  if (topic.counted.empty()) return true;
  const Visit& last = topic.counted.back();
  const bool foreign = last.of_another_server;
  if (!foreign && differ(visit.generation, last.generation) && visit.generation > last.generation) {
    return true;
  }
  const bool visit_awaits = is_awaiting(visit, index), last_awaits = is_awaiting(last, index);
  if (visit.exhausted && !visit_awaits) return true;
  if (last.exhausted && !last_awaits) return false;
  return (visit_awaits ? visit.known_to : visit.covered) >=
         (last_awaits ? last.known_to : last.covered);
}

bool PlainLedger::take(const PlainQuery& query) {
  Topic& topic = arms_[query.arm].topics[*query.topic];
  Visit visit = visit_of(query);
  const bool undecided = is_awaiting(visit, *query.topic);
  if (query.first_rank > 1) return !undecided && take_page(topic, query);
  const bool has_better =
      !topic.counted.empty() && !is_awaiting(topic.counted.back(), *query.topic);
  if (undecided && (visit.captured.empty() || has_better)) return false;
  ++topic.visits;
  if (!counts(topic, visit, *query.topic)) return true;
  if (!expected_.contains(*query.topic)) {
    std::vector<double>& expected = expected_[*query.topic];
    for (const std::vector<double>& seen : seen_) {
      expected.push_back(seen.empty() ? 0.5 : mean_of(seen));
    }
  }
  topic.counted.push_back(std::move(visit));
  topic.counted.back().values.resize(measures_.size());
  score_last(query.arm, *query.topic);
  return true;
}

bool PlainLedger::take_page(Topic& topic, const PlainQuery& page) {
  if (topic.counted.empty() || topic.counted.back().of_another_server ||
      differ(page.generation, topic.counted.back().generation)) {
    // A page without a generation may belong to any.
    if (topic.counted.empty() || page.generation != 0) {
      ++page_gaps;
      return true;
    }
  }
  Visit& visit = topic.counted.back();
  const auto last = static_cast<std::uint32_t>(page.first_rank - 1 + page.documents.size());
  if (page.first_rank > visit.covered + 1) {
    page_gaps += visit.exhausted ? 0 : 1;
    return true;
  }
  if (last <= visit.covered && !ends(page)) return true;
  const bool whole = visit.captured.size() == visit.covered && visit.kind == page.captured;
  const bool same_index =
      visit.kind != Captured::kDocids ||
      (!visit.of_another_server && page.generation != 0 && visit.generation == page.generation);
  for (std::size_t i = 0; i < page.documents.size(); ++i) {
    const auto rank = static_cast<Rank>(page.first_rank + i);
    if (rank <= visit.covered) continue;
    visit.ranks.try_emplace(page.documents[i], rank);
    if (whole && same_index && !visit.captured.empty() && i < page.capture_depth) {
      visit.captured.push_back(page.documents[i]);
    }
  }
  visit.covered = std::max(visit.covered, last);
  visit.exhausted = ends(page);
  if (visit.generation == 0) visit.generation = page.generation;
  score_last(page.arm, *page.topic);
  return true;
}

void PlainLedger::score_last(std::uint32_t arm, std::uint32_t topic) {
  Visit& visit = arms_[arm].topics[topic].counted.back();
  for (std::size_t m = 0; m < measures_.size(); ++m) {
    if (!reaches(visit, topic, m)) continue;
    const std::optional<double> now = value(visit, topic, m);
    if (!now) continue;
    visit.values[m] = now;
    if (first_values_[m].try_emplace(topic, *now).second) seen_[m].push_back(*now);
  }
}

void PlainLedger::begin_epoch() {
  ++epoch;
  for (Arm& arm : arms_) arm.topics.clear();
  expected_.clear();
  first_values_.assign(measures_.size(), {});
  seen_.assign(measures_.size(), {});
}

void PlainLedger::add_arm() {
  arms_.emplace_back();
  begin_epoch();
}

void PlainLedger::remove_arm(std::uint32_t arm) {
  arms_[arm] = Arm{.removed = true};
  begin_epoch();
}

void PlainLedger::restore_arm(std::uint32_t arm) {
  arms_[arm] = Arm{};
  begin_epoch();
}

void PlainLedger::rejudge(const Qrels& now) {
  const Qrels& before = *versions_.back();
  versions_.push_back(&now);
  ++epoch;
  for (std::uint32_t t = 0; t < now.topics().size(); ++t) {
    const auto as_pairs = [&](const Qrels& qrels) {
      std::map<int, Grade> grades;
      for (const Judgement& judgement : qrels.topics()[t].judgements()) {
        grades[document_of(judgement.docno.text())] = judgement.grade;
      }
      return grades;
    };
    if (as_pairs(before) == as_pairs(now)) continue;
    const std::set<int> was = judged(before, t), is = judged(now, t);
    for (std::uint32_t a = 0; a < arms_.size(); ++a) {
      Topic& topic = arms_[a].topics[t];
      if (topic.counted.empty()) continue;
      topic.counted = {topic.counted.back()};
      Visit& visit = topic.counted.back();
      const bool awaited = !includes(visit.known, was);
      std::erase_if(visit.known, [&](int document) { return !is.contains(document); });
      look_through_capture(visit, is);
      if (!awaited || !includes(was, is)) {
        visit.known_to =
            visit.kind == Captured::kKeys ? static_cast<std::uint32_t>(visit.captured.size()) : 0;
      }
      visit.values.assign(measures_.size(), std::nullopt);
      score_last(a, t);
    }
  }
}

void PlainLedger::locate(std::uint32_t arm, std::uint64_t generation,
                         const std::set<int>& carried) {
  for (auto& [t, topic] : arms_[arm].topics) {
    if (topic.counted.empty() || !is_awaiting(topic.counted.back(), t)) continue;
    Visit& visit = topic.counted.back();
    if (visit.of_another_server || visit.kind != Captured::kDocids || visit.captured.empty() ||
        visit.generation != generation) {
      continue;
    }
    topic.counted = {visit};
    Visit& last = topic.counted.back();
    const std::set<int> now = judged_now(t);
    for (const int document : now) {
      const bool found = std::ranges::find(last.captured, document) != last.captured.end();
      if (found || !carried.contains(document)) last.known.insert(document);
    }
    if (last.captured.size() >= last.covered) last.known = now;
    last.known_to = static_cast<std::uint32_t>(last.captured.size());
    last.values.assign(measures_.size(), std::nullopt);
    score_last(arm, t);
  }
}

const PlainLedger::Topic* PlainLedger::topic(std::uint32_t arm, std::uint32_t topic) const {
  const auto found = arms_[arm].topics.find(topic);
  return found == arms_[arm].topics.end() ? nullptr : &found->second;
}

std::vector<double> PlainLedger::values(std::uint32_t arm, std::uint32_t topic,
                                        std::size_t measure) const {
  std::vector<double> values;
  const Topic* const one = this->topic(arm, topic);
  if (one == nullptr) return values;
  for (const Visit& visit : one->counted) {
    if (visit.values[measure]) values.push_back(*visit.values[measure]);
  }
  return values;
}

std::optional<double> PlainLedger::mean(std::uint32_t arm, std::uint32_t topic,
                                        std::size_t measure) const {
  const std::vector<double> all = values(arm, topic, measure);
  if (all.empty()) return std::nullopt;
  return mean_of(all);
}

std::optional<double> PlainLedger::expected(std::uint32_t topic, std::size_t measure) const {
  const auto found = expected_.find(topic);
  if (options_.mode != Mode::kSplit || found == expected_.end()) return std::nullopt;
  const auto baseline = options_.baseline.find({topic, measure});
  return baseline == options_.baseline.end() ? found->second[measure] : baseline->second;
}

std::optional<double> PlainLedger::difference(std::uint32_t b, std::uint32_t topic,
                                              std::size_t measure) const {
  const std::optional<double> of_a = mean(0, topic, measure), of_b = mean(b, topic, measure);
  if (of_a && of_b) return rounded(*of_b - *of_a) / (options_.mode == Mode::kSplit ? 2.0 : 1.0);
  if (options_.mode != Mode::kSplit || (!of_a && !of_b)) return std::nullopt;
  const double c = *expected(topic, measure);
  return of_b ? rounded((*of_b - c) * 1.0) : rounded((*of_a - c) * -1.0);
}

std::optional<double> PlainLedger::log_ratio(std::uint32_t b, std::uint32_t topic) const {
  const Topic *const in_a = this->topic(0, topic), *const in_b = this->topic(b, topic);
  if (in_a == nullptr || in_b == nullptr || in_a->log_ms.empty() || in_b->log_ms.empty() ||
      options_.mode == Mode::kSplit) {
    return std::nullopt;
  }
  return mean_of(in_b->log_ms) - mean_of(in_a->log_ms);
}

bool PlainLedger::is_awaiting(std::uint32_t arm, std::uint32_t topic) const {
  const Topic* const one = this->topic(arm, topic);
  return one != nullptr && !one->counted.empty() && is_awaiting(one->counted.back(), topic);
}

bool PlainLedger::is_too_shallow(std::uint32_t arm, std::uint32_t topic,
                                 std::size_t measure) const {
  const Topic* const one = this->topic(arm, topic);
  if (one == nullptr || one->counted.empty() || !values(arm, topic, measure).empty()) return false;
  const Visit& last = one->counted.back();
  return !is_awaiting(last, topic) && !reaches(last, topic, measure);
}

}  // namespace prescope
