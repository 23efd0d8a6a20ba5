#include "runs/scan/topic_lines.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numeric>
#include <unordered_map>

#include "base/text_file.h"
#include "runs/scan/run_line.h"

namespace prescope {

namespace {

constexpr std::size_t kFirstRoom = 256;
/// So that seven of eight chains are empty when a line comes.
constexpr std::size_t kSlotsForAnEntry = 4;

/// Of a line that has been found well-formed.
double score_behind(const char* text) noexcept {
  double score = 0.0;
  if (read_plain_score(text, score)) return score;
  return parse_score(first_column(text)).value_or(0.0);
}

/// Up to its end, no more than digits.
bool ends_in_digits(const char* score) noexcept {
  while (is_digit(*score)) ++score;
  return ends_score(*score);
}

/// How two scores stand to each other where their first digits tell: 1 where `score` is above
/// `before`, -1 where it is below. 0 where only numbers tell: the points stand in different
/// columns or behind the first difference, or the difference is not surely one of rounded numbers.
int compare_first_digits(const char* score, const char* before, ScorePrecision precision) noexcept {
  const int most = precision == ScorePrecision::kDouble ? 13 : 4;  // digits that are the same
  int digits = 0;
  bool behind_point = false;
  for (; *score == *before; ++score, ++before) {
    if (is_digit(*score)) {
      if (++digits > most) return 0;
    } else if (*score == '.' && !behind_point) {
      behind_point = true;
    } else {
      return 0;
    }
  }
  if (!behind_point || !is_digit(*score) || !is_digit(*before)) return 0;
  const bool rises = *score > *before;
  const char* const larger = rises ? score : before;
  const char* const smaller = rises ? before : score;
  // 0.3900 and 0.3899 may be closer than the digits of a number tell.
  const bool is_far = *larger - *smaller > 1 || (is_digit(larger[1]) && is_digit(smaller[1]) &&
                                                 (larger[1] != '0' || smaller[1] != '9'));
  if (!is_far || !ends_in_digits(score) || !ends_in_digits(before)) return 0;
  return rises ? 1 : -1;
}

}  // namespace

TopicLines::TopicLines(const Qrels& qrels, ScorePrecision precision, CountGreater count_greater)
    : qrels_(&qrels),
      precision_(precision),
      count_greater_(count_greater),
      raw_(qrels.docnos().policy() == DocnoPolicy::kRaw),
      entries_(kFirstRoom),
      slots_(kSlotsForAnEntry * kFirstRoom) {}

void TopicLines::begin(std::string_view topic, std::optional<TopicIndex> index) {
  topic_ = topic;
  index_ = index;
  rises_ = file_order_breaks_tie_ = repeats_ = false;
  hits_.clear();
  scores_.clear();
  std::ranges::fill(slots_, 0U);
  count_ = judged_ = 0;
  if (!index) return;
  const auto judgements = qrels_->topic(*index).judgements();
  judged_ = static_cast<std::uint32_t>(judgements.size());
  for (const Judgement& judgement : judgements) insert({.hash = hash_copied(judgement.key)});
}

std::uint64_t TopicLines::hash_of_key(std::string_view docno) const {
  DocnoBuffer buffer;
  return hash_copied(qrels_->docnos().key(docno, buffer));
}

std::string TopicLines::key_of(std::string_view docno) const {
  DocnoBuffer buffer;
  return std::string(qrels_->docnos().key(docno, buffer));
}

void TopicLines::insert(TopicEntry entry) {
  const Cursor at = cursor();
  std::uint32_t& slot = at.slots[entry.hash & at.slot_mask];
  entry.next = slot;
  at.entries[at.count] = entry;
  slot = at.count + 1;
  commit(at.count + 1);
  for (std::uint32_t earlier = entry.next; earlier != 0; earlier = entries_[earlier - 1].next) {
    if (entries_[earlier - 1].hash == entry.hash) meet(earlier - 1);
  }
}

void TopicLines::grow() {
  entries_.resize(2 * entries_.size());
  slots_.assign(kSlotsForAnEntry * entries_.size(), 0U);
  for (std::uint32_t i = 0; i < count_; ++i) {
    std::uint32_t& slot = slots_[entries_[i].hash & (slots_.size() - 1)];
    entries_[i].next = slot;
    slot = i + 1;
  }
}

void TopicLines::meet(std::uint32_t earlier) {
  if (count_ <= judged_) return;  // judged keys are distinct
  const std::uint32_t last = size() - 1;
  const std::string key = key_of(docno_at(last));
  if (earlier >= judged_) {
    if (key_of(docno_at(earlier - judged_)) == key) repeats_ = true;
  } else if (qrels_->topic(*index_).judgements()[earlier].key == key) {
    hits_.push_back({last, JudgementIndex(earlier)});
  }
}

double TopicLines::score_at(std::uint32_t i) const noexcept {
  if (!scores_.empty()) return scores_[i];
  const double score = score_behind(score_text(i));
  return precision_ == ScorePrecision::kFloat ? double{static_cast<float>(score)} : score;
}

bool TopicLines::have_same_score(std::uint32_t i, std::uint32_t j) const noexcept {
  const bool is_text = scores_.empty();
  if (is_text && compare_first_digits(score_text(i), score_text(j), precision_) != 0) return false;
  return score_at(i) == score_at(j);
}

void TopicLines::note_tie() noexcept {
  const std::uint32_t last = size() - 1;
  if (docno_at(last - 1) < docno_at(last)) file_order_breaks_tie_ = true;
}

void TopicLines::compare_last() noexcept {
  if (size() < 2 || rises_) return;
  if (scores_.empty()) {
    const int order =
        compare_first_digits(score_text(size() - 1), score_text(size() - 2), precision_);
    if (order > 0) note_rise();
    if (order != 0) return;
  }
  const double before = score_at(size() - 2), now = score_at(size() - 1);
  if (now > before) note_rise();
  if (now == before) note_tie();
}

void TopicLines::add(TopicEntry line) {
  line.hash = hash_of({text_ + line.docno(), line.docno_size()});
  insert(line);
  compare_last();
}

void TopicLines::add_scored(TopicEntry line, double score) {
  scores_.push_back(precision_ == ScorePrecision::kFloat ? double{static_cast<float>(score)}
                                                         : score);
  insert(line);
  compare_last();
}

std::string_view TopicLines::last_tag() const noexcept {
  const std::string_view score = first_column(score_text(size() - 1));
  const char* const behind = score.data() + score.size();
  return first_column(behind + std::strspn(behind, " \t"));
}

void TopicLines::read_scores() {
  if (!scores_.empty()) return;
  scores_read_.resize(size());
  for (std::uint32_t i = 0; i < size(); ++i) scores_read_[i] = score_at(i);
  scores_.swap(scores_read_);
}

Retrieved TopicLines::placed_in_falling(const Hit& hit) const {
  std::uint32_t first = hit.line, last = hit.line;
  while (first > 0 && have_same_score(first - 1, hit.line)) --first;
  while (last + 1 < size() && have_same_score(last + 1, hit.line)) ++last;
  std::uint32_t rank = first + 1;
  for (std::uint32_t i = first; i <= last; ++i) rank += docno_at(i) > docno_at(hit.line) ? 1 : 0;
  return {.judgement = hit.judgement,
          .trec_rank = rank,
          .file_rank = hit.line + 1,
          .first_tied = first + 1,
          .last_tied = last + 1};
}

Retrieved TopicLines::placed_by_counting(const Hit& hit) const {
  const double score = scores_[hit.line];
  const auto lines_above = [&](double limit) {
    return count_greater_(scores_.data(), scores_.size(), limit);
  };
  const std::uint32_t above = lines_above(score);
  const std::uint32_t tied = lines_above(std::nextafter(score, -HUGE_VAL)) - above;
  std::uint32_t before = 0;
  auto i = scores_.begin();
  for (std::uint32_t seen = 0; tied > 1 && seen < tied; ++seen, ++i) {
    i = std::find(i, scores_.end(), score);
    const auto line = static_cast<std::uint32_t>(i - scores_.begin());
    before += docno_at(line) > docno_at(hit.line) ? 1 : 0;
  }
  return {.judgement = hit.judgement,
          .trec_rank = above + before + 1,
          .file_rank = hit.line + 1,
          .first_tied = above + 1,
          .last_tied = above + tied};
}

void TopicLines::add_without_repeats(RunFacts& facts) {
  if (rises_ && !hits_.empty()) read_scores();
  for (const Hit& hit : hits_) {
    facts.retrieved.push_back(rises_ ? placed_by_counting(hit) : placed_in_falling(hit));
  }
}

std::vector<std::uint32_t> TopicLines::trec_order() const {
  std::vector<std::uint32_t> order(size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, [&](std::uint32_t a, std::uint32_t b) {
    return scores_[a] != scores_[b] ? scores_[a] > scores_[b] : docno_at(a) > docno_at(b);
  });
  return order;
}

void TopicLines::add_with_repeats(RunFacts& facts, RunFacts::Topic& topic) {
  read_scores();
  const std::vector<std::uint32_t> order = trec_order();
  std::unordered_map<std::string, std::size_t> places;  // of those retrieved, or SIZE_MAX
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    const std::string_view docno = docno_at(order[i]);
    const auto [place, is_new] = places.try_emplace(key_of(docno), SIZE_MAX);
    if (is_new) {
      const auto judgement = qrels_->topic(topic.topic).find(place->first);
      if (!judgement) continue;
      place->second = facts.retrieved.size();
      Retrieved document = placed_by_counting({order[i], *judgement});
      document.trec_rank = i + 1;  // where equal docnos tie, the first of them
      facts.retrieved.push_back(document);
      continue;
    }
    if (topic.duplicates++ == 0) facts.repeats.push_back({topic.topic, Docno(docno), i + 1});
    if (place->second == SIZE_MAX) continue;
    Rank& file_rank = facts.retrieved[place->second].file_rank;
    file_rank = std::min(file_rank, order[i] + 1);
  }
}

void TopicLines::finish(RunFacts& facts) {
  if (!index_) return;
  RunFacts::Topic topic{.topic = *index_,
                        .num_ret = size(),
                        .orders_differ = rises_ || file_order_breaks_tie_,
                        .first_retrieved = static_cast<std::uint32_t>(facts.retrieved.size())};
  if (repeats_) {
    add_with_repeats(facts, topic);
  } else {
    add_without_repeats(facts);
  }
  topic.num_retrieved = static_cast<std::uint32_t>(facts.retrieved.size()) - topic.first_retrieved;
  std::ranges::sort(std::span(facts.retrieved).subspan(topic.first_retrieved), {},
                    &Retrieved::trec_rank);
  facts.topics.push_back(topic);
}

}  // namespace prescope
