#include "support/ledger_traffic.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <string>

#include "base/hash.h"

namespace prescope {
namespace {

constexpr int kCarried = 27;    // documents that the indexes have
constexpr int kDocuments = 30;  // that may be judged

DocId docid(int document, std::uint64_t generation) {
  return DocId(static_cast<std::uint32_t>(1000 * generation) +
               static_cast<std::uint32_t>((document * 7) % kDocuments));
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

}  // namespace

Judgements::Judgements(Dice& dice) : topics_(kTrafficTopics) {
  for (auto& topic : topics_) {
    for (std::uint32_t i = 0; i < 1 + dice.below(5); ++i) {
      topic[static_cast<int>(dice.below(kDocuments))] = static_cast<Grade>(dice.below(3));
    }
  }
  publish();
}

void Judgements::change(Dice& dice) {
  for (std::uint32_t changes = 1 + dice.below(3); changes > 0; --changes) {
    std::map<int, Grade>& topic = topics_[dice.below(kTrafficTopics)];
    const auto document = static_cast<int>(dice.below(kDocuments));
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
    const std::uint32_t key = judged_.back()->find(plain_docno(document));
    if (key != JudgedDocnos::kNotJudged) found.push_back({key, docid(document, generation)});
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
  qrels_.push_back(std::make_unique<Qrels>(Qrels::from_lines(lines)));
  judged_.push_back(
      std::make_unique<JudgedDocnos>(*qrels_.back(), static_cast<std::uint32_t>(judged_.size())));
}

/// The query as the query path would hand it over.
void record(Ledger& ledger, const PlainQuery& query, const Judgements& judgements) {
  Observation observation{.topic = query.topic ? TopicIndex(*query.topic) : kUnjudgedTopic,
                          .arm = ArmIndex(query.arm),
                          .generation = query.generation,
                          .collection_size = query.collection_size,
                          .latency = query.latency,
                          .self_time = query.self_time,
                          .first_rank = query.first_rank,
                          .requested_depth = query.requested,
                          .num_ret = static_cast<std::uint32_t>(query.documents.size()),
                          .flags = query.flags,
                          .judgements_version = query.version};
  std::vector<JudgedHit> hits;
  for (std::size_t i = 0; query.topic && i < query.documents.size(); ++i) {
    const TopicQrels& topic = judgements.qrels(query.version).topics()[*query.topic];
    const auto judgement = topic.find(plain_docno(query.documents[i]));
    const bool repeated =
        std::find(query.documents.begin(), query.documents.begin() + static_cast<std::ptrdiff_t>(i),
                  query.documents[i]) != query.documents.begin() + static_cast<std::ptrdiff_t>(i);
    if (judgement && !repeated) {
      hits.push_back({static_cast<Rank>(query.first_rank + i), *judgement});
    }
  }
  std::vector<DocId> docids;
  std::vector<std::uint64_t> keys;
  const std::size_t depth = std::min<std::size_t>(query.capture_depth, query.documents.size());
  for (std::size_t i = 0; i < depth; ++i) {
    if (query.captured == PlainQuery::Captured::kDocids) {
      docids.push_back(docid(query.documents[i], query.generation));
    } else if (query.captured == PlainQuery::Captured::kKeys) {
      keys.push_back(key_hash(plain_docno(query.documents[i])));
    }
  }
  observation.hits = hits;
  observation.captured_docids = docids;
  observation.captured_keys = keys;
  ledger.record(observation);
}

void add(Rejudged& sum, const Rejudged& more) {
  sum.topics += more.topics;
  sum.rescored += more.rescored;
  sum.awaiting += more.awaiting;
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
             .baseline = baseline_of(options, judgements, scorer)}),
      capture_depth_(dice.of({0U, 3U, 10U, 100U})) {}

void LedgerTraffic::serve() {
  const PlainQuery query = draw();
  queries.push_back(query);
  record(ledger, query, judgements_);
  plain.record(query);
}

void LedgerTraffic::renew_index() {
  const std::uint32_t index = dice_.below(2);
  before_[index] = current_[index];
  current_[index] = ++generations_;
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
  return dice_.one_in(10) ? before_[index] : current_[index];
}

PlainQuery LedgerTraffic::draw() {
  PlainQuery query{.arm = dice_.below(arms_)};
  if (!dice_.one_in(12)) query.topic = dice_.below(kTrafficTopics);
  query.generation = dice_.one_in(12) ? 0 : generation_of(query.arm);
  query.collection_size = dice_.one_in(3) ? 0 : 1000;
  query.version = judgements_.newest();
  if (dice_.one_in(6)) query.version = dice_.below(query.version + 1);
  query.requested = dice_.of({2U, 5U, 10U, 20U});
  if (dice_.one_in(4)) query.first_rank = next_page(query);
  draw_documents(query);
  query.latency = std::chrono::microseconds(1 + dice_.below(100'000));
  if (dice_.one_in(30)) query.latency = -query.latency;
  query.self_time = std::chrono::nanoseconds(500 + dice_.below(5000));
  query.flags = draw_flags();
  query.captured = PlainQuery::Captured::kKeys;
  if (capture_depth_ == 0) query.captured = PlainQuery::Captured::kNothing;
  if (query.generation != 0 && dice_.one_in(2) && capture_depth_ != 0) {
    query.captured = PlainQuery::Captured::kDocids;
  }
  query.capture_depth = capture_depth_;
  return query;
}

Rank LedgerTraffic::next_page(const PlainQuery& query) {
  const PlainLedger::Topic* const topic =
      query.topic ? plain.topic(query.arm, *query.topic) : nullptr;
  const bool seen = topic != nullptr && !topic->counted.empty();
  if (!seen || dice_.one_in(4)) return dice_.of({2U, 6U, 11U, 21U});
  return std::max(2U, topic->counted.back().covered + 1 - dice_.below(2));
}

void LedgerTraffic::draw_documents(PlainQuery& query) {
  const std::uint32_t served = dice_.one_in(4) ? dice_.below(query.requested + 1) : query.requested;
  while (query.documents.size() < served) {
    const auto document = static_cast<int>(dice_.below(kCarried));
    const bool repeated = std::ranges::find(query.documents, document) != query.documents.end();
    // The second of two in a page that overlaps with the one before is not known to the ledger.
    if (!repeated || (query.first_rank == 1 && dice_.one_in(8))) {
      query.documents.push_back(document);
    }
  }
}

RankingFlags LedgerTraffic::draw_flags() {
  RankingFlags flags = RankingFlags::kNone;
  if (dice_.one_in(15)) flags = flags | RankingFlags::kRetried;
  if (dice_.one_in(15)) flags = flags | RankingFlags::kUntimed;
  if (dice_.one_in(10)) flags = flags | RankingFlags::kPartial;
  if (dice_.one_in(2)) flags = flags | RankingFlags::kShadow;
  if (dice_.one_in(30)) flags = flags | RankingFlags::kFailed;
  if (dice_.one_in(30)) flags = flags | RankingFlags::kTimedOut;
  return flags;
}

}  // namespace prescope
