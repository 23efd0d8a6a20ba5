#include "runs/scan/scattered_topic.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "runs/scan/docno_hash.h"

namespace prescope {

namespace {

/// Of the sets of hashes: one in so many hashes is taken for another.
constexpr std::size_t kBitsForALine = 64;

std::size_t bits_for(std::size_t hashes) noexcept {
  constexpr std::size_t kFewest = 64, kMost = std::size_t{1} << ScatteredLine::kHashBits;
  return std::clamp(std::bit_ceil(hashes * kBitsForALine), kFewest, kMost);
}

}  // namespace

ScatteredTopic TopicSurvey::survey(TopicIndex topic, std::span<const ScatteredLine> lines) {
  ScatteredTopic surveyed{.index = topic, .num_ret = static_cast<std::uint32_t>(lines.size())};
  wanted_.reset(lines.size());
  read_scores(surveyed, lines);
  find_alarms(topic, lines);
  want_alarms(surveyed);
  for (ScatteredTopic::Candidate& candidate : surveyed.candidates) place(candidate);
  if (!surveyed.rises) want_tied_neighbours();
  wanted_.for_each([&](std::size_t i) {
    surveyed.wanted.push_back({.line = static_cast<std::uint32_t>(i), .kept = lines[i]});
  });
  return surveyed;
}

void TopicSurvey::read_scores(ScatteredTopic& topic, std::span<const ScatteredLine> lines) {
  scores_.clear();
  double before = HUGE_VAL;
  for (const ScatteredLine& line : lines) {
    scores_.push_back(line.score());
    topic.rises = topic.rises || line.score() > before;
    before = line.score();
  }
}

/// Lines whose hash may be another's or a judged document's.
void TopicSurvey::find_alarms(TopicIndex topic, std::span<const ScatteredLine> lines) {
  const std::size_t bits = bits_for(lines.size()), mask = bits - 1;
  seen_.reset(bits);
  alarming_.reset(bits);
  judged_.clear();
  for (const Judgement& judgement : qrels_->topic(topic).judgements()) {
    judged_.push_back(ScatteredLine::short_hash(hash_copied(judgement.key)));
    alarming_.add(judged_.back() & mask);
  }
  std::ranges::sort(judged_);
  for (const ScatteredLine& line : lines) {
    const std::size_t hash = line.hash() & mask;
    if (seen_.has(hash)) alarming_.add(hash);
    seen_.add(hash);
  }
  alarms_.clear();
  for (std::uint32_t i = 0; i < lines.size(); ++i) {
    if (alarming_.has(lines[i].hash() & mask)) alarms_.push_back({lines[i].hash(), i});
  }
  std::ranges::sort(alarms_);
}

void TopicSurvey::want_alarms(ScatteredTopic& topic) {
  for (auto begin = alarms_.begin(), end = begin; begin != alarms_.end(); begin = end) {
    end = std::find_if(begin, alarms_.end(), [&](const Alarm& a) { return a.hash != begin->hash; });
    const bool is_judged = std::ranges::binary_search(judged_, begin->hash);
    if (!is_judged && end - begin == 1) continue;
    for (auto alarm = begin; alarm != end; ++alarm) {
      wanted_.add(alarm->line);
      if (is_judged) topic.candidates.push_back({.line = alarm->line});
    }
  }
}

void TopicSurvey::place(ScatteredTopic::Candidate& candidate) {
  const double score = scores_[candidate.line];
  const auto lines_above = [&](double limit) {
    return count_greater_(scores_.data(), scores_.size(), limit);
  };
  candidate.above = lines_above(score);
  candidate.tied = lines_above(std::nextafter(score, -HUGE_VAL)) - candidate.above;
  auto i = scores_.begin();
  for (std::uint32_t seen = 0; candidate.tied > 1 && seen < candidate.tied; ++seen, ++i) {
    i = std::find(i, scores_.end(), score);
    wanted_.add(static_cast<std::size_t>(i - scores_.begin()));
  }
}

void TopicSurvey::want_tied_neighbours() {
  for (std::size_t i = 1; i < scores_.size(); ++i) {
    if (scores_[i] != scores_[i - 1]) continue;
    wanted_.add(i - 1);
    wanted_.add(i);
  }
}

bool ScatteredTopic::repeats(const Qrels& qrels) const {
  std::vector<const WantedLine*> by_hash;
  for (const WantedLine& line : wanted) by_hash.push_back(&line);
  std::ranges::sort(by_hash, {}, [](const WantedLine* line) { return line->kept.hash(); });
  DocnoBuffer buffer, earlier_buffer;
  for (auto line = by_hash.begin(); line != by_hash.end(); ++line) {
    for (auto earlier = line; earlier != by_hash.begin();) {
      --earlier;
      if ((*earlier)->kept.hash() != (*line)->kept.hash()) break;
      if (qrels.docnos().key((*earlier)->docno, earlier_buffer) ==
          qrels.docnos().key((*line)->docno, buffer)) {
        return true;
      }
    }
  }
  return false;
}

/// Of lines whose scores fall: whether the file has any two that tie in another order than docno
/// descending.
bool ScatteredTopic::ties_stand_otherwise() const {
  return std::ranges::adjacent_find(wanted, [](const WantedLine& a, const WantedLine& b) {
           return a.line + 1 == b.line && a.kept.score() == b.kept.score() && a.docno < b.docno;
         }) != wanted.end();
}

bool ScatteredTopic::add_to(RunFacts& facts, const Qrels& qrels) const {
  if (repeats(qrels)) return false;
  RunFacts::Topic topic{.topic = index,
                        .num_ret = num_ret,
                        .orders_differ = rises || ties_stand_otherwise(),
                        .first_retrieved = static_cast<std::uint32_t>(facts.retrieved.size())};
  DocnoBuffer buffer;
  for (const Candidate& candidate : candidates) {
    const WantedLine& own =
        *std::ranges::lower_bound(wanted, candidate.line, {}, &WantedLine::line);
    const auto judgement = qrels.topic(index).find(qrels.docnos().key(own.docno, buffer));
    if (!judgement) continue;
    const auto tied_before = std::ranges::count_if(wanted, [&](const WantedLine& other) {
      return other.kept.score() == own.kept.score() && other.docno > own.docno;
    });
    facts.retrieved.push_back(
        {.judgement = *judgement,
         .trec_rank = candidate.above + static_cast<std::uint32_t>(tied_before) + 1,
         .file_rank = candidate.line + 1,
         .first_tied = candidate.above + 1,
         .last_tied = candidate.above + candidate.tied});
  }
  topic.num_retrieved = static_cast<std::uint32_t>(facts.retrieved.size()) - topic.first_retrieved;
  std::ranges::sort(std::span(facts.retrieved).subspan(topic.first_retrieved), {},
                    &Retrieved::trec_rank);
  facts.topics.push_back(topic);
  return true;
}

}  // namespace prescope
