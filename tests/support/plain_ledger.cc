#include "support/plain_ledger.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace prescope {
namespace {

constexpr int kSecondDocno = 100;

using Answer = PlainLedger::Answer;

Answer answer_of(const PlainQuery& query) {
  if (has(query.flags, RankingFlags::kUnseen)) return Answer::kUnseen;
  const bool has_failed =
      has(query.flags, RankingFlags::kFailed) || has(query.flags, RankingFlags::kTimedOut);
  return has_failed ? Answer::kFailure : Answer::kRanking;
}

bool has_answer(const PlainQuery& query) { return answer_of(query) == Answer::kRanking; }

bool ends(const PlainQuery& query) {
  if (!has_answer(query)) return answer_of(query) == Answer::kFailure;
  return query.documents.size() < query.requested && !has(query.flags, RankingFlags::kPartial);
}

bool is_timed(const PlainQuery& query) {
  return has_answer(query) && !has(query.flags, RankingFlags::kRetried) &&
         !has(query.flags, RankingFlags::kUntimed) && query.latency.count() >= 0;
}

double milliseconds(const PlainQuery& query) {
  return static_cast<double>(query.latency.count()) / 1e6;
}

double rounded(double difference) { return std::round(difference * 1e12) / 1e12; }

double mean_of(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

bool differ(std::uint64_t a, std::uint64_t b) { return a != 0 && b != 0 && a != b; }

/// Of one index.
bool are_of_two_states(std::uint64_t a, std::uint64_t b) {
  return a >> 32U == b >> 32U && differ(a, b);
}

bool includes(const std::set<int>& all, const std::set<int>& some) {
  return std::includes(all.begin(), all.end(), some.begin(), some.end());
}

int number_of(const std::string& docno) {
  return std::stoi(docno.substr(1)) + (docno[0] == 'e' ? kSecondDocno : 0);
}

/// Returns the docno for which a served document counts, if it has a judged one.
std::optional<int> judged_docno(int document, bool by_docids, const std::set<int>& judged) {
  if (judged.contains(document)) return document;
  const int second = document + kSecondDocno;
  if (by_docids && document % 3 == 0 && judged.contains(second)) return second;
  return std::nullopt;
}

std::set<int> judged_of(const Qrels& qrels, std::uint32_t topic) {
  std::set<int> docnos;
  for (const Judgement& judgement : qrels.topics()[topic].judgements()) {
    docnos.insert(number_of(judgement.docno.text()));
  }
  return docnos;
}

std::map<int, Grade> grades_of(const Qrels& qrels, std::uint32_t topic) {
  std::map<int, Grade> grades;
  for (const Judgement& judgement : qrels.topics()[topic].judgements()) {
    grades[number_of(judgement.docno.text())] = judgement.grade;
  }
  return grades;
}

bool is_inner_stage(Stage stage) { return stage != Stage::kUnnamed && stage != Stage::kServed; }

}  // namespace

std::string plain_docno(int docno) {
  return docno < kSecondDocno ? "d" + std::to_string(docno)
                              : "e" + std::to_string(docno - kSecondDocno);
}

std::vector<int> PlainQuery::captured() const {
  const std::size_t depth = std::min<std::size_t>(capture_depth, documents.size());
  return {documents.begin(), documents.begin() + static_cast<std::ptrdiff_t>(depth)};
}

std::map<int, Rank> plain_hits(const PlainQuery& query, const Qrels& qrels) {
  std::map<int, Rank> hits;
  const std::set<int> judged = judged_of(qrels, query.topic.value());
  for (std::size_t i = 0; i < query.documents.size(); ++i) {
    const auto docno = judged_docno(query.documents[i], query.by_docids, judged);
    if (docno) hits.try_emplace(*docno, static_cast<Rank>(query.first_rank + i));
  }
  return hits;
}

bool plain_has_several_docnos(const PlainQuery& query, const Qrels& qrels) {
  const std::set<int> judged = judged_of(qrels, query.topic.value());
  return query.by_docids && std::ranges::any_of(judged, [&](int docno) {
           return docno < kCarriedDocuments && judged.contains(docno + kSecondDocno);
         });
}

PlainLedger::PlainLedger(const Qrels& qrels, std::vector<Measure> measures, std::uint32_t arms,
                         Options options)
    : versions_{&qrels},
      measures_(std::move(measures)),
      options_(std::move(options)),
      arms_(arms),
      first_values_(measures_.size()) {}

std::set<int> PlainLedger::judged(std::uint32_t version, std::uint32_t topic) const {
  return judged_of(*versions_[version], topic);
}

std::set<int> PlainLedger::judged_now(std::uint32_t topic) const {
  return judged_of(*versions_.back(), topic);
}

bool PlainLedger::is_awaiting(const Visit& visit, std::uint32_t topic) const {
  return !includes(visit.known, judged_now(topic));
}

bool PlainLedger::reaches(const Visit& visit, std::uint32_t topic, std::size_t measure) const {
  const auto cutoff = measures_[measure].cutoff();
  if (visit.answer == Answer::kUnseen) return false;
  if (is_awaiting(visit, topic)) return cutoff && visit.known_to >= cutoff->value();
  if (!cutoff || visit.exhausted || visit.ends_with_failure) return true;
  // A partial answer has nothing at the ranks that it lacks.
  return visit.covered >= cutoff->value() || visit.asked_in_vain >= cutoff->value();
}

std::optional<double> PlainLedger::value(const Visit& visit, std::uint32_t topic,
                                         std::size_t measure) const {
  std::vector<GradedRank> judged;
  std::vector<Rank> relevant;
  std::vector<Grade> grades;
  std::uint32_t num_rel = 0;
  for (const auto& [docno, grade] : grades_of(qrels(), topic)) {
    grades.push_back(grade);
    num_rel += grade >= 1 ? 1 : 0;
    const auto found = visit.found.find(docno);
    if (found == visit.found.end()) continue;
    judged.push_back({found->second, grade});
    if (grade >= 1) relevant.push_back(found->second);
  }
  std::ranges::sort(judged, {}, &GradedRank::rank);
  std::ranges::sort(relevant);
  std::ranges::sort(grades, std::greater{});
  return measures_[measure].score({.num_rel = num_rel,
                                   .relevant = relevant,
                                   .num_ret = visit.covered,
                                   .collection_size = visit.collection_size,
                                   .judged = judged,
                                   .grades = grades});
}

/// Nothing more is found, or all other judged documents come next, those of the highest grade
/// first.
PlainLedger::Bounds PlainLedger::bounds(const Visit& visit, std::uint32_t topic,
                                        std::size_t measure) const {
  std::vector<std::pair<Grade, int>> missing;
  for (const auto& [docno, grade] : grades_of(qrels(), topic)) {
    if (!visit.found.contains(docno)) missing.emplace_back(grade, docno);
  }
  std::ranges::sort(missing, std::greater{});
  Visit best = visit;
  for (const auto& [grade, docno] : missing) best.found[docno] = ++best.covered;
  // A measure that has no value, because the size of the collection is unknown, is in [0, 1].
  return {value(visit, topic, measure).value_or(0.0), value(best, topic, measure).value_or(1.0)};
}

void PlainLedger::score(Visit& visit, std::uint32_t topic) const {
  visit.values.assign(measures_.size(), std::nullopt);
  visit.is_shallow.assign(measures_.size(), false);
  visit.bounds.assign(measures_.size(), std::nullopt);
  const auto grades = grades_of(qrels(), topic);
  const bool has_relevant =
      std::ranges::any_of(grades, [](const auto& one) { return one.second >= 1; });
  for (std::size_t m = 0; m < measures_.size(); ++m) {
    if (reaches(visit, topic, m)) {
      visit.values[m] = value(visit, topic, m);
      if (visit.values[m]) visit.bounds[m] = {*visit.values[m], *visit.values[m]};
    } else if (has_relevant && !is_awaiting(visit, topic)) {
      visit.is_shallow[m] = true;
      visit.bounds[m] = bounds(visit, topic, m);
    }
  }
}

/// A measure that one ranking lacks cannot be compared.
void PlainLedger::score(Comparison& comparison) const {
  for (Ranked& one : comparison.ranked) score(one.visit, comparison.topic);
  for (std::size_t m = 0; m < measures_.size(); ++m) {
    bool all_have_values = true, is_any_shallow = false;
    for (const Ranked& one : comparison.ranked) {
      all_have_values = all_have_values && one.visit.values[m].has_value();
      is_any_shallow = is_any_shallow || one.visit.is_shallow[m];
    }
    for (Ranked& one : comparison.ranked) {
      if (!all_have_values) one.visit.values[m].reset();
      one.visit.is_shallow[m] = is_any_shallow;
    }
  }
}

bool PlainLedger::is_late(std::uint64_t generation) {
  if (generation == 0) return false;
  const std::uint64_t index = generation >> 32U;
  if (!newest_.contains(index)) newest_[index] = generation;
  const bool is_new = generation > newest_[index];
  if (is_new) newest_[index] = generation;
  if (options_.epochs == EpochRule::kConfiguration) {
    index_changes += is_new ? 1 : 0;
    return false;
  }
  if (is_new) begin_epoch();
  return generation < newest_[index];
}

bool PlainLedger::answers(const PlainQuery& query) {
  Arm& arm = arms_[query.arm];
  const auto is_left_out = [&](RankingFlags flag) {
    return has(query.flags, flag) && !has(options_.scored_flags, flag);
  };
  if (is_left_out(RankingFlags::kSorted)) return ++arm.sorted, false;
  if (is_left_out(RankingFlags::kFiltered)) return ++arm.filtered, false;
  if (is_left_out(RankingFlags::kCollapsed)) return ++arm.collapsed, false;
  return true;
}

void PlainLedger::count(const PlainQuery& query) {
  Arm& arm = arms_[query.arm];
  auto& latency = query.compared_arms > 0 ? arm.shadow_latency : arm.latency;
  ++observations;
  if (answer_of(query) == Answer::kUnseen) {
    arm.unseen += query.compared_arms == 0 ? 1 : 0;
    return;
  }
  if (!has_answer(query)) {
    ++(has(query.flags, RankingFlags::kTimedOut) ? arm.timed_out : arm.failed);
    latency.push_back(kNever);
    return;
  }
  ++(query.topic ? arm.judged : arm.unjudged);
  if (query.topic && has(query.flags, RankingFlags::kPartial)) ++arm.partial;
  if (has(query.flags, RankingFlags::kRetried)) {
    ++arm.retried;
  } else {
    (query.topic ? arm.self_time : arm.unjudged_self).push_back(query.self_time);
  }
  if (has(query.flags, RankingFlags::kReplaced)) ++arm.replaced;
  if (query.latency.count() < 0) ++clock_steps;
  if (is_timed(query)) latency.push_back(query.latency);
}

PlainLedger::Placement PlainLedger::record(const PlainQuery& query) {
  Placement placement{.visit = query.visit};
  if (arms_[query.arm].removed) {
    late += query.topic ? 1 : 0;
    return placement;
  }
  const bool is_of_earlier_arms = query.visit > 0 && query.visit <= newest_left_out_;
  const bool is_left_out = is_late(query.generation) || is_of_earlier_arms;
  if (is_left_out) late += query.topic ? 1 : 0;
  if (is_inner_stage(query.stage)) {
    if (query.topic && !is_left_out) add_stage(query, query.visit);
    ++observations;
    return placement;
  }
  if (is_left_out) {
    count(query);
    return placement;
  }
  const bool may_be_scored = query.topic && (!has_answer(query) || answers(query));
  if (query.topic && !may_be_scored && query.first_rank == 1) {
    const Track track = query.compared_arms > 0 ? Track::kCompared : Track::kServed;
    ++forgotten_[{track, query.arm}].unscored;
    const bool is_first = track == Track::kServed && served_[{query.arm, *query.topic}].empty();
    if (is_first) left_out_.insert({query.arm, *query.topic});
  }
  if (may_be_scored && query.compared_arms == 0) {
    placement = take(query);
  } else if (may_be_scored && has_answer(query) && query.first_rank == 1) {
    placement.covered = static_cast<std::uint32_t>(query.documents.size());
    placement.exhausted = ends(query);
  }
  if (may_be_scored && has_answer(query)) add_stage(query, placement.visit);
  if (query.topic && options_.mode == Mode::kPaired) compare(query, may_be_scored);
  if (query.topic && is_timed(query)) {
    const Track track = query.compared_arms > 0 ? Track::kCompared : Track::kServed;
    latencies_[{track, {query.arm, *query.topic}}].push_back(milliseconds(query));
  }
  count(query);
  return placement;
}

/// Rankings of earlier judgements, and those before the arm's first inner stage, are not kept.
void PlainLedger::add_stage(const PlainQuery& query, std::uint64_t visit) {
  if (query.version + 1 != versions_.size() || visit == 0) return;
  if (is_inner_stage(query.stage)) staged_arms_.insert(query.arm);
  if (!staged_arms_.contains(query.arm)) return;
  StageRanking ranking{
      .visit = visit, .stage = query.stage, .is_from_rank_1 = query.first_rank == 1};
  const std::map<int, Grade> grades = grades_of(qrels(), *query.topic);
  for (const auto& [docno, rank] : plain_hits(query, qrels())) {
    if (grades.at(docno) >= 1) ranking.relevant.insert(docno);
  }
  stage_rankings_[{query.arm, *query.topic}].push_back(ranking);
}

PlainLedger::Stages PlainLedger::stages(std::uint32_t arm, Stage stage) const {
  Stages totals;
  for (const auto& [of, rankings] : stage_rankings_) {
    if (of.first != arm) continue;
    auto first = rankings.end();  // of the last visit's rankings without another visit between
    while (first != rankings.begin() && std::prev(first)->visit == rankings.back().visit) --first;
    std::optional<std::set<int>> at_stage, served;
    bool is_named = false;
    for (auto one = first; one != rankings.end(); ++one) {
      if (one->stage == stage) {
        if (!at_stage) at_stage.emplace();
        at_stage->insert(one->relevant.begin(), one->relevant.end());
      }
      const bool counts = one->stage == Stage::kServed || !is_named;
      if (is_inner_stage(one->stage) || !counts) continue;
      if (!served || one->is_from_rank_1) served.emplace();
      served->insert(one->relevant.begin(), one->relevant.end());
      is_named = one->stage == Stage::kServed;
    }
    if (!at_stage || !served) continue;
    ++totals.topics;
    for (const auto& [docno, grade] : grades_of(qrels(), of.second)) {
      if (grade < 1) continue;
      ++totals.relevant;
      totals.found += at_stage->contains(docno) ? 1 : 0;
      totals.served += served->contains(docno) ? 1 : 0;
      totals.kept += at_stage->contains(docno) && served->contains(docno) ? 1 : 0;
    }
  }
  return totals;
}

PlainLedger::Visit PlainLedger::visit_of(const PlainQuery& query) const {
  Visit visit{.number = query.visit,
              .key = query.key,
              .answer = answer_of(query),
              .is_named = query.stage == Stage::kServed,
              .generation = query.generation,
              .collection_size = query.collection_size,
              .found = plain_hits(query, *versions_[query.version]),
              .covered = static_cast<std::uint32_t>(query.first_rank - 1 + query.documents.size()),
              .exhausted = ends(query),
              .by_docids = query.by_docids,
              .has_several_docnos = plain_has_several_docnos(query, *versions_[query.version]),
              .captured = query.captured(),
              .known = judged(query.version, *query.topic)};
  if (has(query.flags, RankingFlags::kPartial)) {
    visit.asked_in_vain = query.first_rank - 1 + query.requested;
  }
  const std::set<int> now = judged_now(*query.topic);
  const auto is_withdrawn = [&](int docno) { return !now.contains(docno); };
  withdraw(visit, is_withdrawn);
  // Captured docnos can be looked through again; docids wait for `locate`.
  const std::size_t depth = visit.by_docids ? 0 : visit.captured.size();
  for (std::size_t i = 0; i < depth; ++i) {
    const int docno = visit.captured[i];
    if (!now.contains(docno) || visit.known.contains(docno)) continue;
    visit.found[docno] = query.first_rank + static_cast<Rank>(i);
    visit.known.insert(docno);
  }
  if (depth >= query.documents.size()) visit.known = now;
  visit.known_to = static_cast<std::uint32_t>(depth);
  return visit;
}

PlainLedger::Visit* PlainLedger::open_visit(const PlainQuery& query) {
  std::vector<Visit>& visits = served_[{query.arm, *query.topic}];
  for (auto visit = visits.rbegin(); visit != visits.rend(); ++visit) {
    const bool is_same = query.key != 0
                             ? visit->key == query.key
                             : visit->key == 0 && query.visit != 0 && visit->number == query.visit;
    if (visit->is_open && is_same) return &*visit;
  }
  return nullptr;
}

PlainLedger::Placement PlainLedger::take(const PlainQuery& query) {
  const Visit page = visit_of(query);
  const bool is_undecided = is_awaiting(page, *query.topic);
  Visit* const open = open_visit(query);
  const bool has_begun = open != nullptr && query.visit != 0 && open->number == query.visit;
  if (!has_answer(query) && open != nullptr) return take_nothing(query, *open);
  const bool is_first = query.first_rank == 1 && !has_begun;
  if (is_undecided && (!is_first || page.captured.empty())) {
    ++late;
    return {.visit = query.visit};
  }
  if (!is_first && open == nullptr) {
    ++(query.key == 0 ? pages_without_key : page_gaps);
    return {.visit = query.visit};
  }
  if (!is_first) return join(*open, page, query);
  std::vector<Visit>& visits = served_[{query.arm, *query.topic}];
  if (visits.empty() && options_.assigned && options_.assigned(*query.topic) != query.arm) {
    ++misassigned_[query.arm];
  }
  visits.push_back(page);
  visits.back().began_awaiting = is_undecided;
  visits.back().order = ++begun_visits_;
  changed(query.arm, *query.topic, begun_visits_);
  return {.visit = query.visit, .covered = page.covered, .exhausted = page.exhausted};
}

/// The visit has begun. If another request of it failed, nothing follows what it had, unless the
/// page is asked for again. Nobody knows what it had if it was not seen.
PlainLedger::Placement PlainLedger::take_nothing(const PlainQuery& query, Visit& open) {
  const bool is_of_its_request = query.visit != 0 && query.visit == open.number;
  if (answer_of(query) == Answer::kFailure && !is_of_its_request &&
      open.answer == Answer::kRanking) {
    open.ends_with_failure = true;
    changed(query.arm, *query.topic, open.order);
  }
  return {.visit = query.visit};
}

/// A request was served the ranking that is named so, else its last one.
bool PlainLedger::takes_the_place(const PlainQuery& now, const Visit& before) {
  return now.stage == Stage::kServed || !before.is_named;
}

PlainLedger::Visit PlainLedger::in_place_of(const Visit& before, Visit now) {
  now.number = before.number;
  now.order = before.order;
  now.has_several = before.has_several;
  if (before.answer != Answer::kRanking) return now;
  if (now.collection_size == 0) now.collection_size = before.collection_size;
  return now;
}

PlainLedger::Placement PlainLedger::join(Visit& visit, const Visit& page, const PlainQuery& query) {
  if (query.first_rank == 1 && !visit.began_awaiting) {
    if (visit.answer == Answer::kRanking && !visit.has_several) {
      ++arms_[query.arm].replaced;
      visit.has_several = true;
    }
    if (!takes_the_place(query, visit)) return {.visit = visit.number};
    arms_[query.arm].unseen -= visit.answer == Answer::kUnseen ? 1 : 0;
    visit = in_place_of(visit, page);
    changed(query.arm, *query.topic, visit.order);
    return {.visit = visit.number, .covered = visit.covered, .exhausted = visit.exhausted};
  }
  const bool leaves_a_gap = query.first_rank > visit.covered + 1;
  if ((leaves_a_gap && !visit.exhausted) || visit.began_awaiting ||
      differ(page.generation, visit.generation)) {
    ++page_gaps;
    return {.visit = query.visit};
  }
  // The end of a page before that of the visit is another ranking's.
  const bool says_more = page.covered >= visit.covered || page.asked_in_vain > visit.asked_in_vain;
  if (!leaves_a_gap && says_more) {
    for (const auto& [docno, rank] : page.found) {
      if (rank > visit.covered) visit.found.try_emplace(docno, rank);
    }
    const bool is_captured_to_its_end =
        !visit.captured.empty() && visit.captured.size() == visit.covered;
    if (is_captured_to_its_end && (!visit.by_docids || visit.generation == page.generation)) {
      for (std::size_t i = 0; i < page.captured.size(); ++i) {
        if (query.first_rank + i > visit.covered) visit.captured.push_back(page.captured[i]);
      }
    }
    visit.ends_with_failure = false;  // the page was asked for again
    visit.exhausted = visit.exhausted || (page.exhausted && page.covered >= visit.covered);
    visit.covered = std::max(visit.covered, page.covered);
    visit.asked_in_vain = std::max(visit.asked_in_vain, page.asked_in_vain);
    visit.has_several_docnos = visit.has_several_docnos || page.has_several_docnos;
    if (visit.generation == 0) visit.generation = page.generation;
    changed(query.arm, *query.topic, visit.order);
  }
  return {.visit = visit.number, .covered = visit.covered, .exhausted = visit.exhausted};
}

/// A served ranking is part of a comparison if its arm is not searched again. A failure that left
/// the user without an answer always is.
bool PlainLedger::is_compared(const PlainQuery& query) {
  const bool is_served_compared = options_.shadow_latency == ShadowOptions::Latency::kNotCompared;
  if (query.compared_arms > 0 || is_served_compared) return true;
  if (answer_of(query) != Answer::kFailure) return false;
  const Visit* const visit = open_visit(query);
  return visit != nullptr && visit->number == query.visit && visit->answer != Answer::kRanking;
}

void PlainLedger::compare(const PlainQuery& query, bool answers) {
  if (query.visit == 0 || query.first_rank != 1) return;
  const bool is_part = is_compared(query);
  auto comparison = std::ranges::find(comparisons_, query.visit, &Comparison::number);
  if (comparison == comparisons_.end()) {
    if (!is_part) return;
    comparisons_.push_back({.number = query.visit, .topic = *query.topic});
    comparison = std::prev(comparisons_.end());
  }
  if (comparison->is_complete) return;
  if (is_part) {
    take_in(*comparison, query, answers);
  } else if (has_answer(query)) {
    // The arm failed at first, and then answered: its search for comparison counts.
    std::erase_if(comparison->ranked,
                  [&](const Ranked& one) { return one.is_of_user && one.arm == query.arm; });
  }
  if (comparison->expected == 0) return;
  if (comparison->ranked.size() >= comparison->expected) {
    complete(*comparison);
  } else {
    consider(comparison->topic, comparison->number);
  }
}

void PlainLedger::take_in(Comparison& comparison, const PlainQuery& query, bool answers) {
  comparison.expected = std::max(comparison.expected, query.compared_arms);
  const bool announces = query.compared_arms > 0 && answer_of(query) == Answer::kUnseen;
  const auto earlier = std::ranges::find(comparison.ranked, query.arm, &Ranked::arm);
  if (announces) {
    // An announcement says only how many arms are expected.
  } else if (earlier == comparison.ranked.end()) {
    comparison.ranked.push_back(ranked_by(query, answers));
  } else if (query.compared_arms == 0) {
    Ranked now = ranked_by(query, answers);
    const bool is_answer = now.is_scored && has_answer(query);
    const bool had_answer = earlier->is_scored && earlier->visit.answer == Answer::kRanking;
    const bool counts = !had_answer || takes_the_place(query, earlier->visit);
    if (had_answer) now.visit = in_place_of(earlier->visit, now.visit);
    if (is_answer && counts) *earlier = now;
  }
  const bool has_begun = std::ranges::any_of(
      comparison.ranked, [](const Ranked& one) { return one.has_failed || !one.is_of_user; });
  if (has(query.flags, RankingFlags::kAwaited)) comparison.is_awaited = true;
  if (has(query.flags, RankingFlags::kGivenUp)) comparison.is_given_up = true;
  if (comparison.expected == 0 || !(has_begun || comparison.is_given_up)) return;
  begun_ += comparison.is_counted ? 0 : 1;
  comparison.is_counted = true;
}

PlainLedger::Ranked PlainLedger::ranked_by(const PlainQuery& query, bool answers) {
  Ranked ranked{.arm = query.arm,
                .is_of_user = query.compared_arms == 0,
                .is_left_out = !answers,
                .has_failed = answer_of(query) == Answer::kFailure,
                .is_repeated = has(query.flags, RankingFlags::kRepeated)};
  if (!has_answer(query)) {
    // As if nothing had been found.
    ranked.visit.number = query.visit;
    ranked.visit.answer = answer_of(query);
    ranked.visit.exhausted = ends(query);
    ranked.visit.known = judged_now(*query.topic);
  } else if (answers) {
    ranked.visit = visit_of(query);
    const bool is_undecided = is_awaiting(ranked.visit, *query.topic);
    ranked.is_scored = !is_undecided || !ranked.visit.captured.empty();
    if (!ranked.is_scored && query.compared_arms > 0) ++late;
  } else {
    ranked.is_scored = false;
  }
  if (is_timed(query)) ranked.latency_ms = milliseconds(query);
  return ranked;
}

void PlainLedger::complete(Comparison& comparison) {
  comparison.is_complete = true;
  if (options_.shadow_latency != ShadowOptions::Latency::kNotCompared) add_latency(comparison);
  consider(comparison.topic, comparison.number);
  // A visit that the user sorted under every arm is no comparison.
  if (std::ranges::all_of(comparison.ranked, &Ranked::is_left_out)) --begun_;
  if (!std::ranges::all_of(comparison.ranked, &Ranked::is_scored)) return;
  if (are_of_two_states(comparison)) return;
  comparison.is_scored = true;
  ++compared_;
  score(comparison);
  const std::uint32_t topic = comparison.topic;
  // Visits are in the order in which they became complete.
  const auto at = comparisons_.begin() + (&comparison - comparisons_.data());
  std::rotate(at, at + 1, comparisons_.end());
  remember_changes(Track::kCompared, topic);
}

void PlainLedger::add_latency(const Comparison& comparison) {
  for (const Ranked& a : comparison.ranked) {
    for (const Ranked& b : comparison.ranked) {
      const bool is_pair = a.arm == 0 && b.arm > 0;
      if (!is_pair || prescope::are_of_two_states(a.visit.generation, b.visit.generation)) continue;
      if (a.is_scored || b.is_scored) add_latency(a, b);
    }
  }
}

void PlainLedger::add_latency(const Ranked& a, const Ranked& b) {
  Untimed& untimed = untimed_[b.arm];
  const bool has_a = a.is_scored && a.latency_ms, has_b = b.is_scored && b.latency_ms;
  const double most = std::log(2.0);
  auto& [least_ratio, most_ratio] = latency_bounds_[b.arm].emplace_back(-most, most);
  if (has_a && has_b) {
    const double log_ratio = std::log(*b.latency_ms / *a.latency_ms);
    const double limited = std::clamp(log_ratio, -most, most);
    log_ratios_[b.arm].push_back(log_ratio);
    untimed.repeated_a += a.is_repeated && !b.is_repeated ? 1 : 0;
    untimed.repeated_b += b.is_repeated && !a.is_repeated ? 1 : 0;
    // In unlike state either arm's caches may be the warmer ones.
    if (a.is_repeated == b.is_repeated) least_ratio = most_ratio = limited;
    return;
  }
  untimed.failed_a += a.has_failed ? 1 : 0;
  untimed.failed_b += b.has_failed ? 1 : 0;
  untimed.untimed_a += !has_a && !a.has_failed ? 1 : 0;
  untimed.untimed_b += !has_b && !b.has_failed ? 1 : 0;
}

/// Fixes what is expected of the topic, then takes its first values into account.
void PlainLedger::expect(std::uint32_t arm, std::uint32_t topic) {
  if (!expected_.contains(topic)) {
    for (const auto& first_values : first_values_) {
      std::vector<double> seen;
      for (const auto& [of, value] : first_values) seen.push_back(value);
      expected_[topic].push_back(seen.empty() ? 0.5 : mean_of(seen));
    }
  }
  for (const Visit& visit : served_[{arm, topic}]) {
    for (std::size_t m = 0; m < measures_.size(); ++m) {
      if (visit.values[m]) first_values_[m].try_emplace(topic, *visit.values[m]);
    }
  }
}

/// A user's visit is new, or more is known of one.
void PlainLedger::changed(std::uint32_t arm, std::uint32_t topic, std::uint64_t visit) {
  for (Visit& one : served_[{arm, topic}]) score(one, topic);
  remember_latest(arm, topic);
  expect(arm, topic);
  consider(arm, topic, visit);
  remember_changes(Track::kServed, topic);
}

void PlainLedger::remember_latest(std::uint32_t arm, std::uint32_t topic) {
  std::vector<std::uint64_t>& latest = latest_valued_[{arm, topic}];
  latest.resize(measures_.size());
  for (const Visit& visit : served_[{arm, topic}]) {
    for (std::size_t m = 0; m < measures_.size(); ++m) {
      if (visit.values[m]) latest[m] = std::max(latest[m], visit.order);
    }
  }
}

/// The arm that the hash gives a topic to, or the one that served it if that is not checked.
std::uint32_t PlainLedger::assigned(std::uint32_t arm, std::uint32_t topic) const {
  return options_.assigned ? options_.assigned(topic) : arm;
}

/// Returns whether a topic of the arm is among those by which `b` and arm 0 are compared.
bool PlainLedger::is_compared(std::uint32_t topic, std::uint32_t own, std::uint32_t b) const {
  return !options_.is_compared || options_.is_compared(topic, own, own == b ? 0 : b);
}

/// Returns whether another topic of the same family is evidence already.
bool PlainLedger::is_taken(std::uint32_t b, std::uint32_t topic) const {
  return std::ranges::any_of(firsts_, [&](const auto& one) {
    const auto& [of_b, other] = one.first;
    return of_b == b && other != topic &&
           qrels().family(TopicIndex(other)) == qrels().family(TopicIndex(topic));
  });
}

/// Mode::kSplit: the first visit of either arm of a pair is the topic's evidence, unless it has no
/// value at all.
void PlainLedger::consider(std::uint32_t arm, std::uint32_t topic, std::uint64_t visit) {
  if (options_.mode != Mode::kSplit) return;
  for (std::uint32_t b = 1; b < arms_.size(); ++b) {
    const std::uint32_t of = assigned(arm, topic);
    if ((of != 0 && of != b) || !is_compared(topic, of, b) || is_taken(b, topic)) continue;
    const auto first = firsts_.try_emplace({b, topic}, arm, visit).first;
    if (first->second != std::pair(arm, visit)) continue;
    bool has_any = false;
    for (std::size_t m = 0; m < measures_.size(); ++m) {
      has_any = has_any || first_difference(b, topic, m).has_value();
    }
    if (!has_any) firsts_.erase(first);
  }
}

bool PlainLedger::are_of_two_states(const Comparison& comparison) {
  return std::ranges::any_of(comparison.ranked, [&](const Ranked& one) {
    return std::ranges::any_of(comparison.ranked, [&](const Ranked& other) {
      return prescope::are_of_two_states(one.visit.generation, other.visit.generation);
    });
  });
}

/// It was not ranked by all, and nobody says that this is because of the topic, or it cannot be
/// scored for a reason that has nothing to do with the topic.
bool PlainLedger::gives_way(const Comparison& comparison) {
  bool is_any_lost = false, is_any_odd = false;
  for (const Ranked& one : comparison.ranked) {
    is_any_lost = is_any_lost || (!one.is_scored && !one.is_left_out);
    is_any_odd = is_any_odd || one.has_failed || one.is_left_out;
  }
  const bool is_in_part = comparison.ranked.size() < comparison.expected;
  const bool is_lost_by_chance = is_in_part && !is_any_odd && !comparison.is_awaited;
  return is_any_lost || are_of_two_states(comparison) || is_lost_by_chance;
}

/// What an arm has not ranked, or not in a way that can be scored, may be anything.
std::optional<PlainLedger::Bounds> PlainLedger::bounds_in(const Comparison& comparison,
                                                          std::uint32_t arm,
                                                          std::size_t measure) const {
  const auto ranked = std::ranges::find(comparison.ranked, arm, &Ranked::arm);
  const bool is_there = ranked != comparison.ranked.end();
  if (!is_there && comparison.ranked.size() >= comparison.expected) return std::nullopt;
  Visit visit{.answer = Answer::kUnseen, .known = judged_now(comparison.topic)};
  if (is_there && ranked->is_scored && !are_of_two_states(comparison)) visit = ranked->visit;
  score(visit, comparison.topic);
  return visit.bounds[measure];
}

std::optional<PlainLedger::Bounds> PlainLedger::difference_in(std::uint64_t number, std::uint32_t b,
                                                              std::size_t measure) const {
  const Comparison& comparison = *std::ranges::find(comparisons_, number, &Comparison::number);
  const bool is_left_out =
      !comparison.ranked.empty() && std::ranges::all_of(comparison.ranked, &Ranked::is_left_out);
  const auto x = bounds_in(comparison, 0, measure), y = bounds_in(comparison, b, measure);
  if (is_left_out || !x || !y) return std::nullopt;
  return Bounds{rounded(y->low - x->high), rounded(y->high - x->low)};
}

/// Mode::kPaired: the same with the first visit that was compared, or was to be.
void PlainLedger::consider(std::uint32_t topic, std::uint64_t comparison) {
  for (std::uint32_t b = 1; b < arms_.size(); ++b) {
    if (arms_[b].removed) continue;
    const auto first = std::ranges::find_if(firsts_, [&](const auto& one) {
      return one.first.first == b &&
             qrels().family(TopicIndex(one.first.second)) == qrels().family(TopicIndex(topic));
    });
    const bool has_one = first != firsts_.end();
    const bool is_same =
        has_one && first->first.second == topic && first->second.second == comparison;
    if (has_one && !is_same && !giving_way_.contains(first->first)) continue;
    bool has_any = false;
    for (std::size_t m = 0; m < measures_.size(); ++m) {
      has_any = has_any || difference_in(comparison, b, m).has_value();
    }
    if (!is_same && !has_any) continue;
    if (has_one) {
      giving_way_.erase(first->first);
      firsts_.erase(first);
    }
    if (!has_any) continue;
    firsts_[{b, topic}] = {0, comparison};
    const Comparison& one = *std::ranges::find(comparisons_, comparison, &Comparison::number);
    if (gives_way(one)) giving_way_.insert({b, topic});
  }
}

void PlainLedger::remember_changes(Track track, std::uint32_t topic) {
  for (std::uint32_t arm = 0; arm < arms_.size(); ++arm) {
    for (std::size_t m = 0; m < measures_.size(); ++m) {
      double& largest = largest_change_[{std::size_t{track == Track::kCompared}, arm, topic, m}];
      largest = std::max(largest, mean(track, arm, topic, m).last_change().value_or(0.0));
    }
  }
}

void PlainLedger::begin_epoch() {
  ++epoch;
  observations = index_changes = compared_ = begun_ = 0;
  served_.clear();
  comparisons_.clear();
  latencies_.clear();
  log_ratios_.clear();
  untimed_.clear();
  stage_rankings_.clear();
  staged_arms_.clear();
  latency_bounds_.clear();
  expected_.clear();
  first_values_.assign(measures_.size(), {});
  latest_valued_.clear();
  firsts_.clear();
  giving_way_.clear();
  left_out_.clear();
  forgotten_.clear();
  misassigned_.clear();
  largest_change_.clear();
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

/// If a document may have another docno than the one that was withdrawn, only what was found is
/// known.
bool PlainLedger::withdraw(Visit& visit, const std::function<bool(int)>& is_withdrawn) {
  const auto withdrawn =
      std::erase_if(visit.found, [&](const auto& hit) { return is_withdrawn(hit.first); });
  const bool is_lost = visit.has_several_docnos && withdrawn > 0;
  std::erase_if(visit.known, [&](int docno) {
    return is_withdrawn(docno) || (is_lost && !visit.found.contains(docno));
  });
  return is_lost;
}

/// The visit's facts in changed judgements.
void PlainLedger::restart(Visit& visit, std::uint32_t topic, const std::set<int>& was,
                          const std::set<int>& is) const {
  const bool was_awaiting = !includes(visit.known, was);
  const std::size_t depth = visit.by_docids ? 0 : visit.captured.size();
  const bool is_lost = withdraw(visit, [&](int docno) { return !is.contains(docno); });
  for (std::size_t i = 0; i < depth; ++i) {
    const int docno = visit.captured[i];
    if (!is.contains(docno) || visit.known.contains(docno)) continue;
    visit.found[docno] = static_cast<Rank>(i) + 1;
    visit.known.insert(docno);
  }
  if (depth >= visit.covered) visit.known = is;
  // A table for the old judgements says nothing about a new docno.
  const bool is_as_before = was_awaiting && includes(was, is) && !is_lost;
  if (!is_as_before) visit.known_to = static_cast<std::uint32_t>(depth);
  score(visit, topic);
}

void PlainLedger::rejudge(const Qrels& now) {
  const Qrels& before = *versions_.back();
  versions_.push_back(&now);
  ++epoch;
  observations = index_changes = 0;
  for (std::uint32_t t = 0; t < now.topics().size(); ++t) {
    if (grades_of(before, t) == grades_of(now, t)) continue;
    const std::set<int> was = judged_of(before, t), is = judged_of(now, t);
    std::erase_if(stage_rankings_, [&](const auto& one) { return one.first.second == t; });
    rejudge_served(t, was, is);
    rejudge_compared(t, was, is);
  }
}

/// The last visit of each arm is kept. That of the arm whose visit was the evidence is the
/// evidence.
void PlainLedger::rejudge_served(std::uint32_t topic, const std::set<int>& was,
                                 const std::set<int>& is) {
  for (std::uint32_t b = 1; b < arms_.size() && options_.mode == Mode::kSplit; ++b) {
    const auto first = firsts_.find({b, topic});
    if (first == firsts_.end()) continue;
    first->second.second = served_[{first->second.first, topic}].back().order;
  }
  for (std::uint32_t a = 0; a < arms_.size(); ++a) {
    std::vector<Visit>& visits = served_[{a, topic}];
    if (visits.empty()) continue;
    for (std::size_t i = 0; i + 1 < visits.size(); ++i) {
      add_to(forgotten_[{Track::kServed, a}], visits[i]);
    }
    visits = {visits.back()};
    visits.back().is_open = false;
    restart(visits.back(), topic, was, is);
    latest_valued_.erase({a, topic});
    remember_latest(a, topic);
    expect(a, topic);
    consider(a, topic, visits.back().order);
  }
}

/// The last visit that was compared is kept, and is the evidence.
void PlainLedger::rejudge_compared(std::uint32_t topic, const std::set<int>& was,
                                   const std::set<int>& is) {
  if (options_.mode == Mode::kPaired) {
    std::erase_if(firsts_, [&](const auto& first) { return first.first.second == topic; });
    std::erase_if(giving_way_, [&](const TopicOfArm& first) { return first.second == topic; });
  }
  bool is_last = true;
  for (auto one = comparisons_.rbegin(); one != comparisons_.rend(); ++one) {
    if (one->topic != topic) continue;
    if (one->is_scored && std::exchange(is_last, false)) {
      for (Ranked& ranked : one->ranked) restart(ranked.visit, topic, was, is);
      score(*one);
      consider(topic, one->number);
      continue;
    }
    for (const Ranked& ranked : one->ranked) {
      if (one->is_scored) add_to(forgotten_[{Track::kCompared, ranked.arm}], ranked.visit);
    }
    one->ranked.clear();
    one->is_complete = one->is_complete || one->expected > 0;
    one->is_scored = false;
  }
}

bool PlainLedger::can_locate(const Visit& visit, std::uint32_t topic,
                             std::uint64_t generation) const {
  return is_awaiting(visit, topic) && visit.by_docids && !visit.captured.empty() &&
         visit.generation == generation;
}

/// Matches the captured documents anew, as a query would be.
void PlainLedger::locate(Visit& visit, std::uint32_t topic, const std::set<int>& carried) const {
  const std::set<int> now = judged_now(topic);
  std::set<int> docnos_in_index;
  for (const int document : carried) {
    if (const auto docno = judged_docno(document, true, now)) docnos_in_index.insert(*docno);
  }
  const std::map<int, Rank> before = visit.found;
  visit.found.clear();
  for (std::size_t i = 0; i < visit.captured.size(); ++i) {
    const auto docno = judged_docno(visit.captured[i], true, now);
    if (docno) visit.found.try_emplace(*docno, static_cast<Rank>(i) + 1);
  }
  for (const auto& [docno, rank] : before) {
    if (rank > visit.captured.size()) visit.found.try_emplace(docno, rank);
  }
  for (const int docno : now) {
    const bool is_decided = visit.found.contains(docno) || !docnos_in_index.contains(docno);
    if (is_decided || visit.captured.size() >= visit.covered) visit.known.insert(docno);
  }
  visit.known_to = static_cast<std::uint32_t>(visit.captured.size());
}

void PlainLedger::locate(std::uint32_t arm, std::uint64_t generation,
                         const std::set<int>& carried) {
  for (auto& [of, visits] : served_) {
    if (of.first != arm || visits.empty() || !can_locate(visits.back(), of.second, generation)) {
      continue;
    }
    locate(visits.back(), of.second, carried);
    changed(arm, of.second, visits.back().order);
  }
  // Of the topics of a family, the first that gets a value is evidence.
  for (std::uint32_t t = 0; t < qrels().topics().size(); ++t) {
    const auto one =
        std::find_if(comparisons_.rbegin(), comparisons_.rend(),
                     [t](const auto& each) { return each.is_scored && each.topic == t; });
    if (one == comparisons_.rend()) continue;
    bool is_located = false;
    for (Ranked& ranked : one->ranked) {
      if (ranked.arm != arm || !can_locate(ranked.visit, t, generation)) continue;
      locate(ranked.visit, t, carried);
      is_located = true;
    }
    if (!is_located) continue;
    score(*one);
    consider(t, one->number);
    remember_changes(Track::kCompared, t);
  }
}

std::vector<const PlainLedger::Visit*> PlainLedger::visits(Track track, std::uint32_t arm,
                                                           std::uint32_t topic) const {
  std::vector<const Visit*> visits;
  if (track == Track::kServed) {
    const auto found = served_.find({arm, topic});
    if (found == served_.end()) return visits;
    for (const Visit& visit : found->second) visits.push_back(&visit);
    return visits;
  }
  for (const Comparison& comparison : comparisons_) {
    if (!comparison.is_scored || comparison.topic != topic) continue;
    for (const Ranked& one : comparison.ranked) {
      if (one.arm == arm) visits.push_back(&one.visit);
    }
  }
  return visits;
}

std::vector<double> PlainLedger::latencies(Track track, std::uint32_t arm,
                                           std::uint32_t topic) const {
  const auto found = latencies_.find({track, {arm, topic}});
  return found == latencies_.end() ? std::vector<double>() : found->second;
}

PlainLedger::Mean PlainLedger::mean(Track track, std::uint32_t arm, std::uint32_t topic,
                                    std::size_t measure) const {
  Mean mean;
  for (const Visit* visit : visits(track, arm, topic)) {
    if (visit->values[measure]) mean.values.push_back(*visit->values[measure]);
    mean.shallow += visit->is_shallow[measure] ? 1 : 0;
    mean.has_last = visit->values[measure].has_value();
    const auto latest = latest_valued_.find({arm, topic});
    if (track == Track::kServed && latest != latest_valued_.end() &&
        visit->order == latest->second[measure]) {
      mean.knows_last = visit->values[measure].has_value();
    }
  }
  const auto change =
      largest_change_.find({std::size_t{track == Track::kCompared}, arm, topic, measure});
  if (change != largest_change_.end()) mean.largest_change = change->second;
  return mean;
}

std::optional<double> PlainLedger::Mean::last_change() const {
  if (values.size() < 2) return std::nullopt;
  if (!knows_last) return 0.0;
  return std::abs(rounded(values.back() - mean_of({values.begin(), values.end() - 1})));
}

std::optional<double> PlainLedger::expected(std::uint32_t topic, std::size_t measure) const {
  const auto found = expected_.find(topic);
  if (options_.mode != Mode::kSplit || found == expected_.end()) return std::nullopt;
  const auto baseline = options_.baseline.find({topic, measure});
  return baseline == options_.baseline.end() ? found->second[measure] : baseline->second;
}

std::optional<PlainLedger::Difference> PlainLedger::difference(std::uint32_t b, std::uint32_t topic,
                                                               std::size_t measure) const {
  const std::vector<double> in_a = mean(track(), 0, topic, measure).values;
  const std::vector<double> in_b = mean(track(), b, topic, measure).values;
  const double a = in_a.empty() ? 0.0 : mean_of(in_a), of_b = in_b.empty() ? 0.0 : mean_of(in_b);
  if (options_.mode == Mode::kSplit) {
    const std::uint32_t served = in_a.empty() ? b : 0, given = assigned(served, topic);
    if (!is_compared(topic, given == 0 || given == b ? given : served, b)) return std::nullopt;
  }
  if (!in_a.empty() && !in_b.empty()) {
    return Difference{a, of_b, rounded(of_b - a) / (options_.mode == Mode::kSplit ? 2.0 : 1.0)};
  }
  if (options_.mode != Mode::kSplit || (in_a.empty() && in_b.empty())) return std::nullopt;
  const double c = *expected(topic, measure);
  return Difference{a, of_b, in_a.empty() ? rounded(of_b - c) : rounded(c - a)};
}

std::vector<double> PlainLedger::log_ratios(std::uint32_t b) const {
  const auto found = log_ratios_.find(b);
  return found == log_ratios_.end() ? std::vector<double>() : found->second;
}

PlainLedger::Untimed PlainLedger::untimed(std::uint32_t b) const {
  const auto found = untimed_.find(b);
  return found == untimed_.end() ? Untimed() : found->second;
}

std::vector<std::pair<double, double>> PlainLedger::latency_bounds(std::uint32_t b) const {
  const auto found = latency_bounds_.find(b);
  return found == latency_bounds_.end() ? std::vector<std::pair<double, double>>() : found->second;
}

/// Mode::kSplit: the distance from what was expected. If another arm served the topic than the one
/// that it was given to, nobody knows what that one would have served.
std::optional<PlainLedger::Bounds> PlainLedger::first_difference(std::uint32_t b,
                                                                 std::uint32_t topic,
                                                                 std::size_t measure) const {
  const auto first = firsts_.find({b, topic});
  if (first == firsts_.end()) return std::nullopt;
  const auto [arm, visit] = first->second;
  if (options_.mode == Mode::kPaired) return difference_in(visit, b, measure);
  const std::vector<Visit>& visits = served_.at({arm, topic});
  const auto& found = std::ranges::find(visits, visit, &Visit::order)->bounds[measure];
  if (!found) return std::nullopt;
  const std::uint32_t of = assigned(arm, topic);
  const Bounds bounds = of == arm ? *found : Bounds{0.0, 1.0};
  const double c = *expected(topic, measure);
  return of == b ? Bounds{rounded(bounds.low - c), rounded(bounds.high - c)}
                 : Bounds{rounded(c - bounds.high), rounded(c - bounds.low)};
}

std::vector<PlainLedger::Bounds> PlainLedger::evidence(
    std::uint32_t b, std::size_t measure,
    const std::optional<std::set<std::uint32_t>>& topics) const {
  std::vector<Bounds> values;
  const auto is_in = [&](std::uint32_t topic) { return !topics || topics->contains(topic); };
  for (std::uint32_t t = 0; t < qrels().topics().size(); ++t) {
    if (!is_in(t)) continue;
    const std::optional<Bounds> value = first_difference(b, t, measure);
    if (value) values.push_back(*value);
  }
  if (options_.mode != Mode::kSplit) return values;
  // Nobody knows what one arm left out beyond what the other did.
  std::vector<double> seen;
  for (const auto& [topic, value] : first_values_[measure]) seen.push_back(value);
  const double c = seen.empty() ? 0.5 : mean_of(seen);
  const auto left_out_of = [&](std::uint32_t arm) {
    return std::ranges::count_if(left_out_, [&](const TopicOfArm& one) {
      return one.first == arm && is_in(one.second) && is_compared(one.second, arm, b);
    });
  };
  for (auto n = left_out_of(b); n > left_out_of(0); --n) values.push_back({-c, 1.0 - c});
  for (auto n = left_out_of(0); n > left_out_of(b); --n) values.push_back({c - 1.0, c});
  return values;
}

void PlainLedger::add_to(Counts& counts, const Visit& visit) const {
  const std::optional<Bounds>& primary = visit.bounds[options_.primary];
  ++counts.visits;
  counts.failed += visit.answer == Answer::kFailure ? 1 : 0;
  counts.unseen += visit.answer == Answer::kUnseen ? 1 : 0;
  counts.bounded += primary && primary->low < primary->high ? 1 : 0;
}

PlainLedger::Counts PlainLedger::counts(Track track, std::uint32_t arm) const {
  const auto forgotten = forgotten_.find({track, arm});
  Counts counts = forgotten == forgotten_.end() ? Counts() : forgotten->second;
  for (std::uint32_t t = 0; t < qrels().topics().size(); ++t) {
    for (const Visit* visit : visits(track, arm, t)) add_to(counts, *visit);
  }
  return counts;
}

std::uint32_t PlainLedger::topics_misassigned(std::uint32_t arm) const {
  const auto found = misassigned_.find(arm);
  return found == misassigned_.end() ? 0 : found->second;
}

}  // namespace prescope
