#include "support/ledger_traffic.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <string>

#include "base/hash.h"

namespace prescope {
namespace {

constexpr int kCarried = kCarriedDocuments;
constexpr int kDocuments = 30;  // that may be judged
constexpr int kSecondDocno = 100;

DocId docid(int document, std::uint64_t generation) {
  return DocId(static_cast<std::uint32_t>(1000 * (generation % 97)) +
               static_cast<std::uint32_t>((document * 7) % kDocuments));
}

/// Each index numbers its states; the upper half of a generation is the index.
std::uint64_t first_generation(std::uint64_t index) { return ((index + 1) << 32U) + 1; }

/// Returns one of the docnos that may be judged.
int draw_docno(Dice& dice) {
  const auto document = static_cast<int>(dice.below(kDocuments));
  return document % 3 == 0 && dice.one_in(2) ? document + kSecondDocno : document;
}

PlainLedger::Baseline baseline_of(const LedgerOptions& options, const Judgements& judgements,
                                  const Scorer& scorer) {
  PlainLedger::Baseline baseline;
  for (const BaselineScore& score : options.baseline) {
    const auto topic = judgements.qrels(0).find(score.topic.text());
    for (std::size_t m = 0; m < scorer.measures().size(); ++m) {
      if (scorer.measures()[m].name() == score.measure) {
        baseline[{topic->value(), m}] = score.score;
      }
    }
  }
  return baseline;
}

std::function<std::uint32_t(std::uint32_t)> assigned_of(const LedgerOptions& options) {
  if (options.mode != Mode::kSplit || !options.assigned) return {};
  return [assigned = options.assigned](std::uint32_t topic) {
    return assigned(TopicIndex(topic))->value();
  };
}

/// Of the arm with the larger share, as many topics are compared as the other one has.
std::function<bool(std::uint32_t, std::uint32_t, std::uint32_t)> is_compared_of(
    const LedgerOptions& options) {
  if (!options.share) return {};
  return [share = options.share, draw = options.second_draw](std::uint32_t topic, std::uint32_t own,
                                                             std::uint32_t other) {
    return draw(TopicIndex(topic)) * share(ArmIndex(own)) < share(ArmIndex(other));
  };
}

}  // namespace

Judgements::Judgements(Dice& dice) : topics_(kTrafficTopics) {
  for (auto& topic : topics_) {
    for (std::uint32_t i = 0; i < 1 + dice.below(5); ++i) {
      topic[draw_docno(dice)] = static_cast<Grade>(dice.below(3));
    }
  }
  if (dice.one_in(2)) {
    FamilyMap families;
    for (std::uint32_t t = 0; t < kTrafficTopics; ++t) {
      families.add(Docno("t" + std::to_string(t)), dice.of({"f1", "f2", "f3"}));
    }
    families_ = std::make_shared<const FamilyMap>(std::move(families));
  }
  publish();
}

void Judgements::change(Dice& dice) {
  for (std::uint32_t changes = 1 + dice.below(3); changes > 0; --changes) {
    std::map<int, Grade>& topic = topics_[dice.below(kTrafficTopics)];
    const int document = draw_docno(dice);
    if (dice.one_in(2) && topic.size() > 1) {
      topic.erase(std::next(topic.begin(), dice.below(topic.size())));
    } else {
      topic[document] = static_cast<Grade>(dice.below(3));
    }
  }
  publish();
}

std::unique_ptr<ResolvedQrels> Judgements::table(std::uint64_t generation) const {
  std::vector<Resolution> found;
  for (int document = 0; document < kCarried; ++document) {
    for (const int docno : {document, document + kSecondDocno}) {
      if (docno != document && document % 3 != 0) continue;
      const std::uint32_t key = judged_.back()->find(plain_docno(docno));
      if (key != JudgedDocnos::kNotJudged) found.push_back({key, docid(document, generation)});
    }
  }
  return std::make_unique<ResolvedQrels>(*judged_.back(), found, generation, kCarried);
}

void Judgements::publish() {
  std::vector<Qrels::Line> lines;
  for (std::uint32_t t = 0; t < kTrafficTopics; ++t) {
    for (const auto& [document, grade] : topics_[t]) {
      lines.push_back({TopicId("t" + std::to_string(t)), Docno(plain_docno(document)), grade});
    }
  }
  Qrels qrels = Qrels::from_lines(lines, {.families = families_});
  judged_.push_back(judged_.empty()
                        ? std::make_unique<JudgedDocnos>(std::move(qrels))
                        : std::make_unique<JudgedDocnos>(std::move(qrels), *judged_.back()));
}

Ledger::Placement record(Ledger& ledger, const PlainQuery& query, const Judgements& judgements) {
  Observation observation{.topic = query.topic ? TopicIndex(*query.topic) : kUnjudgedTopic,
                          .arm = ArmIndex(query.arm),
                          .visit = query.visit,
                          .visit_key = query.key,
                          .compared_arms = query.compared_arms,
                          .generation = query.generation,
                          .documents = query.collection_size,
                          .latency = query.latency,
                          .self_time = query.self_time,
                          .first_rank = query.first_rank,
                          .depth = query.requested,
                          .num_ret = static_cast<std::uint32_t>(query.documents.size()),
                          .flags = query.flags,
                          .stage = query.stage,
                          .judgements_version = query.version};
  std::vector<JudgedHit> hits;
  if (query.topic) {
    const Qrels& qrels = judgements.qrels(query.version);
    if (plain_has_several_docnos(query, qrels)) {
      observation.flags = observation.flags | RankingFlags::kSeveralDocnos;
    }
    for (const auto& [docno, rank] : plain_hits(query, qrels)) {
      hits.push_back({rank, qrels.topics()[*query.topic].find(plain_docno(docno)).value()});
    }
  }
  std::ranges::sort(hits, {}, &JudgedHit::rank);
  std::vector<DocId> docids;
  std::vector<std::uint64_t> keys;
  for (const int document : query.captured()) {
    if (query.by_docids) {
      docids.push_back(docid(document, query.generation));
    } else {
      keys.push_back(key_hash(plain_docno(document)));
    }
  }
  observation.hits = hits;
  observation.captured_docids = docids;
  observation.captured_keys = keys;
  return ledger.record(observation);
}

void add(Rejudged& sum, const Rejudged& more) {
  sum.topics += more.topics;
  sum.rescored += more.rescored;
  sum.awaiting += more.awaiting;
}

namespace {

/// Three slices, each with any of the topics.
FollowedSlices draw_slices(Dice& dice) {
  std::vector<FollowedSlice> slices(3);
  for (FollowedSlice& slice : slices) {
    for (std::uint32_t t = 0; t < kTrafficTopics; ++t) {
      if (dice.one_in(2)) slice.topics.emplace_back(t);
    }
  }
  return {std::move(slices), {}};
}

}  // namespace

LedgerOptions draw_ledger_options(Dice& dice, Mode mode) {
  LedgerOptions options{
      .mode = mode,
      .epochs = dice.of({EpochRule::kGeneration, EpochRule::kConfiguration}),
      .shadow_latency =
          dice.of({ShadowOptions::Latency::kBothArms, ShadowOptions::Latency::kNotCompared}),
      .scored_flags = dice.of({RankingFlags::kNone, RankingFlags::kNone, RankingFlags::kFiltered,
                               RankingFlags::kSorted | RankingFlags::kCollapsed}),
      .slices = draw_slices(dice)};
  if (dice.one_in(2))
    options.assigned = [](TopicIndex topic) { return ArmIndex(topic.value() % 2); };
  if (mode == Mode::kSplit && dice.one_in(2)) {
    const double of_first = dice.of({0.25, 4.0});
    options.share = [of_first](ArmIndex arm) { return arm == ArmIndex(0) ? of_first : 1.0; };
    options.second_draw = [](TopicIndex topic) { return topic.value() % 3 * 0.2; };
  }
  for (std::uint32_t t = 0; t < kTrafficTopics; ++t) {
    if (!dice.one_in(2)) continue;
    options.baseline.push_back(
        {TopicId("t" + std::to_string(t)), dice.of({"R@10", "AP"}), 0.01 * dice.below(101)});
  }
  return options;
}

LedgerTraffic::LedgerTraffic(const Judgements& judgements, const Scorer& scorer,
                             const LedgerOptions& options, Dice& dice)
    : judgements_(judgements),
      dice_(dice),
      arms_(2 + dice.below(2)),
      ledger(judgements.judged(judgements.newest()), scorer, arms_, options),
      plain(judgements.qrels(judgements.newest()),
            {scorer.measures().begin(), scorer.measures().end()}, arms_,
            {.mode = options.mode,
             .epochs = options.epochs,
             .shadow_latency = options.shadow_latency,
             .scored_flags = options.scored_flags,
             .baseline = baseline_of(options, judgements, scorer),
             .primary = options.primary,
             .assigned = assigned_of(options),
             .is_compared = is_compared_of(options)}),
      capture_depth_(dice.of({0U, 3U, 10U, 100U})) {
  for (std::uint32_t index : {0U, 1U}) {
    uses_docids_[index] = dice.one_in(2);
    current_[index] = before_[index] = first_generation(index);
  }
}

void LedgerTraffic::serve() {
  PlainQuery query = requests_.empty() || !dice_.one_in(8)
                         ? draw_request()
                         : again(requests_[dice_.below(requests_.size())]);
  requests_.push_back(query);
  if (requests_.size() > 8) requests_.erase(requests_.begin());
  search(query);
  if (dice_.one_in(6)) {
    // Another search for the same request: deeper or shallower, the next page, or by another arm.
    query.requested = dice_.of({2U, 5U, 10U, 20U});
    if (dice_.one_in(2)) query.first_rank = dice_.of({3U, 6U, 11U});
    if (ledger.options().mode == Mode::kPaired && dice_.one_in(4)) query.arm = dice_.below(arms_);
    search(query);
  }
  if (ledger.options().mode == Mode::kPaired ? !dice_.one_in(5) : dice_.one_in(20)) {
    search_for_comparison(query);
  }
  while (!under_way_.empty() && !dice_.one_in(4)) deliver_one();
}

/// Mostly in the order of the queries.
void LedgerTraffic::deliver_one() {
  const std::size_t at = dice_.one_in(4) ? dice_.below(under_way_.size()) : 0;
  const PlainQuery query = under_way_[at];
  under_way_.erase(under_way_.begin() + static_cast<std::ptrdiff_t>(at));
  const Ledger::Placement found = record(ledger, query, judgements_);
  const PlainLedger::Placement expected = plain.record(query);
  places_agree = places_agree && found.visit == expected.visit &&
                 found.covered == expected.covered && found.is_exhausted == expected.exhausted;
  queries.push_back(query);
  queries.back().visit = found.visit;  // as logs have it
}

void LedgerTraffic::renew_index() {
  const std::uint32_t index = dice_.below(2);
  before_[index] = current_[index]++;
}

void LedgerTraffic::change_arms() {
  const std::uint32_t arm = 1 + dice_.below(arms_);
  if (arm == arms_) {
    if (arms_ == 4) return;
    ledger.add_arm();
    plain.add_arm();
    ++arms_;
  } else if (ledger.arm(ArmIndex(arm)).is_removed()) {
    ledger.restore_arm(ArmIndex(arm));
    plain.restore_arm(arm);
  } else {
    ledger.remove_arm(ArmIndex(arm));
    plain.remove_arm(arm);
  }
  ledger.leave_out_visits_up_to(visits_);
  plain.leave_out_visits_up_to(visits_);
}

Rejudged LedgerTraffic::rejudge() {
  const Qrels &before = ledger.qrels(), &now = judgements_.qrels(judgements_.newest());
  std::vector<TopicIndex> changed;
  for (std::uint32_t t = 0; t < kTrafficTopics; ++t) {
    const auto is = now.topics()[t].judgements(), was = before.topics()[t].judgements();
    const bool is_same = std::ranges::equal(is, was, [](const Judgement& a, const Judgement& b) {
      return a.docno == b.docno && a.grade == b.grade;
    });
    if (!is_same) changed.emplace_back(t);
  }
  plain.rejudge(now);
  return ledger.rejudge(judgements_.judged(judgements_.newest()), changed);
}

Rejudged LedgerTraffic::locate() {
  Rejudged result;
  for (std::uint32_t arm = 0; arm < arms_; ++arm) add(result, locate(arm));
  return result;
}

Rejudged LedgerTraffic::locate(std::uint32_t arm) {
  const std::uint64_t generation = generation_of(arm);
  std::set<int> carried;
  for (int document = 0; document < kCarried; ++document) carried.insert(document);
  plain.locate(arm, generation, carried);
  return ledger.locate(ArmIndex(arm), *judgements_.table(generation));
}

std::uint64_t LedgerTraffic::generation_of(std::uint32_t arm) {
  const std::uint32_t index = arm < 2 ? 0 : 1;
  return dice_.one_in(12) ? before_[index] : current_[index];
}

PlainQuery LedgerTraffic::draw_request() {
  PlainQuery query{.arm = dice_.below(arms_), .visit = dice_.one_in(10) ? 0 : ++visits_};
  if (!dice_.one_in(12)) query.topic = dice_.below(kTrafficTopics);
  if (dice_.one_in(2)) query.key = 1 + dice_.below(4);
  query.requested = dice_.of({2U, 5U, 10U, 20U});
  if (dice_.one_in(query.key == 0 ? 12 : 2)) query.first_rank = next_page(query);
  return query;
}

/// Another search for an earlier request.
PlainQuery LedgerTraffic::again(PlainQuery query) {
  query.requested = dice_.of({2U, 5U, 10U, 20U});
  query.first_rank = dice_.one_in(2) ? 1 : next_page(query);
  return query;
}

void LedgerTraffic::search(PlainQuery query) {
  query.by_docids = uses_docids_[query.arm < 2 ? 0 : 1];
  query.generation = !query.by_docids && dice_.one_in(8) ? 0 : generation_of(query.arm);
  query.collection_size = dice_.one_in(3) ? 0 : 1000;
  query.version = judgements_.newest();
  if (dice_.one_in(12)) query.version = dice_.below(query.version + 1);
  draw_documents(query);
  query.latency = std::chrono::microseconds(1 + dice_.below(100'000));
  if (dice_.one_in(30)) query.latency = -query.latency;
  query.self_time = std::chrono::nanoseconds(500 + dice_.below(5000));
  query.flags = draw_flags();
  query.stage = Stage::kUnnamed;
  if (dice_.one_in(4)) {
    query.stage = dice_.of({Stage::kCandidates, Stage::kServed, Stage::kFirstOwn});
  }
  query.capture_depth = capture_depth_;
  const bool has_failed = has(query.flags, RankingFlags::kFailed | RankingFlags::kTimedOut);
  const bool is_unseen = !has_failed && query.topic && dice_.one_in(12);
  if (is_unseen) {
    query.flags = RankingFlags::kUnseen;
    if (dice_.one_in(2)) query.flags = query.flags | RankingFlags::kAwaited;
    const bool is_comparison = query.compared_arms > 0;
    if (is_comparison && dice_.one_in(4)) query.flags = query.flags | RankingFlags::kGivenUp;
  }
  if (has_failed || is_unseen) {
    query.documents.clear();
    query.stage = Stage::kUnnamed;
    query.generation = 0;
    query.first_rank = 1;
  }
  under_way_.push_back(query);
}

/// Some of the searches are lost.
void LedgerTraffic::search_for_comparison(const PlainQuery& served) {
  const bool both = ledger.options().shadow_latency != ShadowOptions::Latency::kNotCompared;
  std::vector<std::uint32_t> arms;
  std::uint32_t active = 0;
  for (std::uint32_t arm = 0; arm < arms_; ++arm) {
    if (ledger.arm(ArmIndex(arm)).is_removed()) continue;
    ++active;
    if (both || arm != served.arm) arms.insert(arms.begin() + dice_.below(arms.size() + 1), arm);
  }
  for (const std::uint32_t arm : arms) {
    if (dice_.one_in(8)) continue;
    PlainQuery query = served;
    query.arm = arm;
    query.compared_arms = active;
    search(query);
    if (arm == served.arm || dice_.one_in(4)) {
      under_way_.back().flags = under_way_.back().flags | RankingFlags::kRepeated;
    }
  }
}

Rank LedgerTraffic::next_page(const PlainQuery& query) {
  const auto visits = query.topic
                          ? plain.visits(PlainLedger::Track::kServed, query.arm, *query.topic)
                          : std::vector<const PlainLedger::Visit*>();
  for (auto visit = visits.rbegin(); visit != visits.rend() && !dice_.one_in(5); ++visit) {
    if ((*visit)->key != query.key) continue;
    return std::max(2U, (*visit)->covered + dice_.of({0U, 1U, 1U, 1U, 2U}));
  }
  return dice_.of({2U, 6U, 11U, 21U});
}

void LedgerTraffic::draw_documents(PlainQuery& query) {
  const std::uint32_t served = dice_.one_in(4) ? dice_.below(query.requested + 1) : query.requested;
  while (query.documents.size() < served) {
    const int document =
        query.by_docids ? static_cast<int>(dice_.below(kCarried)) : draw_docno(dice_);
    const bool repeated = std::ranges::find(query.documents, document) != query.documents.end();
    if (!repeated || dice_.one_in(8)) query.documents.push_back(document);
  }
}

RankingFlags LedgerTraffic::draw_flags() {
  const std::pair<RankingFlags, std::uint32_t> one_in[] = {
      {RankingFlags::kRetried, 15},   {RankingFlags::kUntimed, 15}, {RankingFlags::kPartial, 10},
      {RankingFlags::kDeepened, 10},  {RankingFlags::kSorted, 15},  {RankingFlags::kFiltered, 15},
      {RankingFlags::kCollapsed, 15}, {RankingFlags::kFailed, 25},  {RankingFlags::kTimedOut, 25},
      {RankingFlags::kReplaced, 25}};
  RankingFlags flags = RankingFlags::kNone;
  for (const auto& [flag, n] : one_in) {
    if (dice_.one_in(n)) flags = flags | flag;
  }
  return flags;
}

}  // namespace prescope
