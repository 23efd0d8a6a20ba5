#include "judgements/qrels.h"

#include <fmt/format.h>
#include <algorithm>
#include <boost/endian/conversion.hpp>
#include <charconv>
#include <cstring>
#include <iterator>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "base/hash.h"
#include "base/text_file.h"
#include "base/threads.h"
#include "prescope/error.h"
#include "prescope/qrels.h"
#include "runs/scan/part_borders.h"
#include "runs/scan/run_input.h"

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

namespace {

constexpr std::string_view kExpectedJudgement = "expected \"topic iter docno grade\"";

DocnoNormalizer make_normalizer(const QrelsOptions& options) {
  if (options.docno != DocnoPolicy::kFamily) return DocnoNormalizer(options.docno);
  if (options.family_map.empty()) {
    throw Error(ErrorCode::kUsage,
                "docno policy 'family' needs a family map; give a file of lines \"docno family\"");
  }
  return DocnoNormalizer(options.docno, FamilyMap::load(options.family_map));
}

Grade parse_grade(std::string_view text, const CitationCategories& categories,
                  const TextFile& file) {
  Grade grade = 0;
  const char* end = text.data() + text.size();
  const auto [stopped, failed] = std::from_chars(text.data(), end, grade);
  if (stopped == end && failed == std::errc::result_out_of_range) {
    throw file.bad_line(fmt::format("grade '{}' is out of range; expected an integer in [{}, {}]",
                                    text, std::numeric_limits<Grade>::min(),
                                    std::numeric_limits<Grade>::max()));
  }
  if (stopped == end && failed == std::errc()) return grade;
  if (const auto category = categories.grade(text)) return *category;
  throw file.bad_line(
      fmt::format("grade '{}' is neither an integer nor a citation category (X, Y, A, ...); {}",
                  text, kExpectedJudgement));
}

struct Line {
  std::string_view topic, docno;
  Grade grade = 0;
};

Line parse_line(std::string_view line, const QrelsOptions& options, const TextFile& file) {
  constexpr std::size_t kClefIp = 3, kWithExtra = 5;
  const Columns columns = split_columns(line, kClefIp, kWithExtra);
  if (columns.count < kClefIp || columns.count > kWithExtra) {
    throw file.bad_line(fmt::format(
        "{} column{}; {} (or \"topic docno grade\"; use tabs where a docno contains spaces)",
        columns.count, columns.count == 1 ? "" : "s", kExpectedJudgement));
  }
  const std::size_t docno = columns.count == kClefIp ? 1 : 2;
  return {columns.text[0], columns.text[docno],
          parse_grade(columns.text[docno + 1], options.categories, file)};
}

/// Those of all topics, for files in which the lines of a topic are not together.
using JudgedLinesByTopic = std::map<TopicId, JudgedLines>;

/// Calls `take(line, line number)` for each judgement of a file, or of a part of it.
template <class Take>
void for_each_line(const std::filesystem::path& path, const TextFile::Part& part,
                   const QrelsOptions& options, Take take) {
  bool any = false;
  TextFile file(path, part);
  for (std::string_view text; file.next(text);) {
    if (trimmed(text).empty() || text.starts_with('#')) continue;
    take(parse_line(text, options, file), file.line_number());
    any = true;
  }
  if (any) return;
  throw Error(ErrorCode::kBadInput,
              fmt::format("{}: no judgements; {} lines", path.string(), kExpectedJudgement));
}

/// Leaves a topic in two where its lines are not together.
void fold_topic_by_topic(const std::filesystem::path& path, const TextFile::Part& part,
                         const QrelsOptions& options, const DocnoNormalizer& docnos,
                         JudgementFolding& folding) {
  TopicId topic;
  JudgedLines lines;
  DocnoBuffer buffer;
  for_each_line(path, part, options, [&](const Line& line, std::uint64_t number) {
    if (line.topic != topic.text()) {
      if (!lines.lines().empty()) folding.add_topic(topic, lines);
      lines.clear();
      topic = TopicId(line.topic);
    }
    lines.add(line.docno, docnos.key(line.docno, buffer), line.grade, number);
  });
  folding.add_topic(topic, lines);
}

/// Of a plain file, for several threads.
std::vector<TextFile::Part> parts_of(const std::filesystem::path& path, unsigned threads) {
  constexpr std::uint64_t kSmallestPart = std::uint64_t{1} << 17U;
  std::error_code failed;
  const std::uint64_t size = std::filesystem::file_size(path, failed);
  if (failed || threads < 2 || size < 4 * kSmallestPart) return {{}};
  const RunInput input(path);
  if (!input.has_random_access()) return {{}};
  const std::vector<std::uint64_t> at = topic_borders(input, threads, kSmallestPart);
  std::vector<TextFile::Part> parts;
  for (std::size_t i = 1; i < at.size(); ++i) parts.push_back({at[i - 1], at[i]});
  return parts;
}

/// Several parts by as many threads. What is wrong in one of them is left to be found again by
/// reading all lines in order, which knows their numbers.
bool fold_parts(const std::filesystem::path& path, const QrelsOptions& options,
                const DocnoNormalizer& docnos, JudgementFolding& folding) {
  const std::vector<TextFile::Part> parts = parts_of(path, options.threads);
  if (parts.size() < 2) return false;
  std::vector<JudgementFolding> folded(parts.size(),
                                       JudgementFolding(options.min_grade, path.string()));
  try {
    in_parallel(parts.size(), options.threads, [&](std::size_t i) {
      fold_topic_by_topic(path, parts[i], options, docnos, folded[i]);
    });
  } catch (const Error&) {
    return false;
  }
  for (JudgementFolding& part : folded) folding.append(std::move(part));
  return true;
}

/// False where a topic's lines are not together: then `folding` is of no use.
bool fold_together(const std::filesystem::path& path, const QrelsOptions& options,
                   const DocnoNormalizer& docnos, JudgementFolding& folding) {
  if (!fold_parts(path, options, docnos, folding)) {
    fold_topic_by_topic(path, {}, options, docnos, folding);
  }
  if (!std::ranges::is_sorted(folding.topics, {}, &TopicQrels::id)) {
    std::ranges::sort(folding.topics, {}, &TopicQrels::id);
  }
  return std::ranges::adjacent_find(folding.topics, {}, &TopicQrels::id) == folding.topics.end();
}

void fold_scattered(const std::filesystem::path& path, const QrelsOptions& options,
                    const DocnoNormalizer& docnos, JudgementFolding& folding) {
  JudgedLinesByTopic topics;
  DocnoBuffer buffer;
  for_each_line(path, {}, options, [&](const Line& line, std::uint64_t number) {
    topics[TopicId(line.topic)].add(line.docno, docnos.key(line.docno, buffer), line.grade, number);
  });
  for (const auto& [topic, lines] : topics) folding.add_topic(topic, lines);
}

}  // namespace

CitationCategories::CitationCategories() {
  for (const char letter : {'X', 'E'}) grades_[letter] = 3;
  grades_['Y'] = 2;
  for (const char letter : {'A', 'D', 'L', 'O', 'P', 'T'}) grades_[letter] = 1;
}

void CitationCategories::set(std::string_view letter, Grade grade) {
  if (letter.size() != 1 || letter[0] < 'A' || letter[0] > 'Z') {
    throw Error(ErrorCode::kUsage,
                fmt::format("citation category '{}'; expected one letter A-Z", letter));
  }
  grades_[letter[0]] = grade;
}

std::optional<Grade> CitationCategories::grade(std::string_view token) const noexcept {
  std::optional<Grade> highest;
  for (const char letter : token) {
    const auto found = grades_.find(letter);
    if (found == grades_.end()) return std::nullopt;
    highest = std::max(highest.value_or(found->second), found->second);
  }
  return highest;
}

TopicQrels::TopicQrels(TopicId id, std::vector<Judgement> judgements, Grade min_grade)
    : id_(std::move(id)), judgements_(std::move(judgements)), min_grade_(min_grade) {
  const auto relevant = [min_grade](const Judgement& j) { return j.grade >= min_grade; };
  if (!std::ranges::is_sorted(judgements_, {}, &Judgement::key)) {
    std::ranges::sort(judgements_, {}, &Judgement::key);
  }
  num_rel_ = static_cast<std::uint32_t>(std::ranges::count_if(judgements_, relevant));
}

std::optional<JudgementIndex> TopicQrels::find(std::string_view key) const noexcept {
  const auto at = std::lower_bound(
      judgements_.begin(), judgements_.end(), key,
      [](const Judgement& judgement, std::string_view wanted) { return judgement.key < wanted; });
  if (at == judgements_.end() || at->key != key) return std::nullopt;
  return JudgementIndex(static_cast<std::uint32_t>(at - judgements_.begin()));
}

Qrels Qrels::load(const std::filesystem::path& path, const QrelsOptions& options) {
  Qrels qrels;
  qrels.docnos_ = make_normalizer(options);
  qrels.min_grade_ = options.min_grade;
  JudgementFolding folding(options.min_grade, path.string());
  std::error_code missing;
  const bool once_only = path == "-" || (std::filesystem::exists(path, missing) &&
                                         !std::filesystem::is_regular_file(path, missing));
  if (once_only || !fold_together(path, options, qrels.docnos_, folding)) {
    folding = JudgementFolding(options.min_grade, path.string());
    fold_scattered(path, options, qrels.docnos_, folding);
  }
  qrels.take(std::move(folding.topics));
  qrels.repeated_ = folding.repeated;
  qrels.merged_ = folding.merged;
  return qrels;
}

Qrels Qrels::from_lines(std::span<const Line> lines, const QrelsOptions& options) {
  Qrels qrels;
  qrels.docnos_ = make_normalizer(options);
  qrels.min_grade_ = options.min_grade;
  JudgedLinesByTopic topics;
  DocnoBuffer buffer;
  std::uint64_t number = 0;
  for (const Line& line : lines) {
    const std::string& docno = line.docno.text();
    topics[line.topic].add(docno, qrels.docnos_.key(docno, buffer), line.grade, ++number);
  }
  JudgementFolding folding(options.min_grade, {});
  for (const auto& [topic, judged] : topics) folding.add_topic(topic, judged);
  qrels.take(std::move(folding.topics));
  qrels.repeated_ = folding.repeated;
  qrels.merged_ = folding.merged;
  return qrels;
}

void Qrels::take(std::vector<TopicQrels> topics) {
  topics_ = std::move(topics);
  slots_ = KeySlots(static_cast<std::uint32_t>(topics_.size()),
                    [this](std::uint32_t i) { return key_hash(topics_[i].id().text()); });
}

std::optional<TopicIndex> Qrels::find(std::string_view topic_id) const noexcept {
  const std::uint32_t found = slots_.find(
      key_hash(topic_id), [&](std::uint32_t i) { return topics_[i].id().text() == topic_id; });
  if (found == KeySlots::kNone) return std::nullopt;
  return TopicIndex(found);
}

std::size_t Qrels::num_judgements() const noexcept {
  std::size_t sum = 0;
  for (const TopicQrels& topic : topics_) sum += topic.judgements().size();
  return sum;
}

}  // namespace prescope
