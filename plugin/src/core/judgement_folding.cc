#include "core/judgement_folding.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/endian/conversion.hpp>
#include <cstring>
#include <iterator>
#include <tuple>
#include <utility>

#include "prescope/error.h"

namespace prescope {
namespace {

std::uint64_t beginning_of(std::string_view key) noexcept {
  unsigned char bytes[sizeof(std::uint64_t)] = {};
  std::memcpy(bytes, key.data(), std::min(key.size(), sizeof bytes));
  return boost::endian::load_big_u64(bytes);
}

}  // namespace

void JudgedLines::add(std::string_view docno, std::string_view key, Grade grade,
                      std::uint64_t number) {
  Line& line = lines_.emplace_back();
  line.grade = grade;
  line.number = number;
  line.docno = line.key = texts_.size();
  line.docno_size = docno.size();
  line.key_size = key.size();
  texts_ += docno;
  if (key.data() == docno.data() && key.size() <= docno.size()) return;
  line.key = texts_.size();
  texts_ += key;
}

void JudgedLines::clear() noexcept {
  texts_.clear();
  lines_.clear();
}

void JudgementFolding::add_topic(const TopicId& topic, const JudgedLines& lines) {
  sort(lines);
  std::vector<Judgement> judgements;
  judgements.reserve(sorted_.size());
  for (std::size_t begin = 0, end = 0; begin < sorted_.size(); begin = end) {
    const std::string_view key = lines.key(*sorted_[begin].line);
    for (end = begin + 1; end < sorted_.size() && lines.key(*sorted_[end].line) == key;) ++end;
    Line judged = *sorted_[begin].line;
    if (end - begin > 1) {
      judged = folded(topic, lines, std::span(sorted_).subspan(begin, end - begin));
    }
    judgements.emplace_back(Docno(lines.docno(judged)), std::string(key), judged.grade);
  }
  topics.emplace_back(topic, std::move(judgements), min_grade_);
}

void JudgementFolding::append(JudgementFolding&& part) {
  topics.insert(topics.end(), std::make_move_iterator(part.topics.begin()),
                std::make_move_iterator(part.topics.end()));
  repeated += part.repeated;
  merged += part.merged;
}

/// By key, then by spelling, then by line.
void JudgementFolding::sort(const JudgedLines& lines) {
  sorted_.clear();
  for (const Line& line : lines.lines()) sorted_.push_back({beginning_of(lines.key(line)), &line});
  const auto is_before = [&](const Sorted& a, const Sorted& b) {
    if (a.beginning != b.beginning) return a.beginning < b.beginning;
    if (const int order = lines.key(*a.line).compare(lines.key(*b.line))) return order < 0;
    return std::tuple(lines.docno(*a.line), a.line->number) <
           std::tuple(lines.docno(*b.line), b.line->number);
  };
  if (!std::ranges::is_sorted(sorted_, is_before)) std::ranges::sort(sorted_, is_before);
}

/// Of one key: the earliest spelling, with the highest grade.
JudgedLines::Line JudgementFolding::folded(const TopicId& topic, const JudgedLines& lines,
                                           std::span<const Sorted> same_key) {
  Line first = *same_key.front().line;
  Grade highest = first.grade;
  for (std::size_t i = 1; i < same_key.size(); ++i) {
    const Line &earlier = *same_key[i - 1].line, &line = *same_key[i].line;
    const std::string_view docno = lines.docno(line);
    const bool same_spelling = lines.docno(earlier) == docno;
    if (same_spelling) refuse_contradiction(topic, docno, earlier, line);
    ++(same_spelling ? repeated : merged);
    highest = std::max(highest, line.grade);
    if (line.number < first.number) first = line;
  }
  first.grade = highest;
  return first;
}

/// The same spelling has the same grade, or an error names both lines.
void JudgementFolding::refuse_contradiction(const TopicId& topic, std::string_view docno,
                                            const Line& first, const Line& second) const {
  if (first.grade == second.grade) return;
  throw Error(
      ErrorCode::kBadInput,
      fmt::format("{}: docno '{}' of topic '{}' has grade {}, but grade {} at {}; keep one "
                  "of the two lines",
                  place(second), docno, topic.text(), second.grade, first.grade, place(first)));
}

std::string JudgementFolding::place(const Line& line) const {
  return path_.empty() ? fmt::format("judgement {}", line.number)
                       : fmt::format("{}:{}", path_, line.number);
}

}  // namespace prescope
