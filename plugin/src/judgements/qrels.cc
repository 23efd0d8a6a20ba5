#include "prescope/qrels.h"

#include <fmt/format.h>
#include <algorithm>
#include <charconv>
#include <functional>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "base/hash.h"
#include "base/text_file.h"
#include "prescope/error.h"

namespace prescope {

namespace {

/// A judgement as it came, before those of one document become one.
struct JudgedLine {
  std::string docno, key;
  Grade grade = 0;
  std::uint64_t number = 0;  ///< of the line in its file
};

/// By topic, whose lines may be anywhere.
using JudgedLines = std::map<TopicId, std::vector<JudgedLine>, std::less<>>;

/// Makes one judgement of what was judged more than once.
class JudgementFolding {
 public:
  /// `path` is where the lines came from, for errors; empty if it was memory.
  JudgementFolding(Grade min_grade, std::string path)
      : min_grade_(min_grade), path_(std::move(path)) {}

  /// All topics, ascending. Throws Error(kBadInput) if one spelling has two grades.
  void add(JudgedLines lines) {
    topics.reserve(lines.size());
    for (; !lines.empty(); lines.erase(lines.begin())) {
      add_topic(lines.begin()->first, lines.begin()->second);
    }
  }

  std::vector<TopicQrels> topics{};
  std::size_t repeated = 0;
  std::size_t merged = 0;

 private:
  void add_topic(const TopicId& topic, std::vector<JudgedLine>& lines);
  JudgedLine folded(const TopicId& topic, std::span<JudgedLine> same_key);
  [[nodiscard]] std::string place(const JudgedLine& line) const {
    return path_.empty() ? fmt::format("judgement {}", line.number)
                         : fmt::format("{}:{}", path_, line.number);
  }

  Grade min_grade_;
  std::string path_;
};

void JudgementFolding::add_topic(const TopicId& topic, std::vector<JudgedLine>& lines) {
  std::ranges::sort(lines, {}, [](const JudgedLine& line) {
    return std::tie(line.key, line.docno, line.number);
  });
  std::vector<Judgement> judgements;
  judgements.reserve(lines.size());
  for (auto begin = lines.begin(), end = begin; begin != lines.end(); begin = end) {
    end =
        std::find_if(begin, lines.end(), [&](const JudgedLine& l) { return l.key != begin->key; });
    JudgedLine line = folded(topic, {begin, end});
    judgements.emplace_back(Docno(std::move(line.docno)), std::move(line.key), line.grade);
  }
  topics.emplace_back(topic, std::move(judgements), min_grade_);
}

/// Of one key: the earliest spelling, with the highest grade.
JudgedLine JudgementFolding::folded(const TopicId& topic, std::span<JudgedLine> same_key) {
  std::size_t first = 0;
  Grade highest = same_key[0].grade;
  for (std::size_t i = 1; i < same_key.size(); ++i) {
    const JudgedLine &earlier = same_key[i - 1], &line = same_key[i];
    const bool same_spelling = earlier.docno == line.docno;
    if (same_spelling && earlier.grade != line.grade) {
      throw Error(
          ErrorCode::kBadInput,
          fmt::format("{}: docno '{}' of topic '{}' has grade {}, but grade {} at {}; keep one "
                      "of the two lines",
                      place(line), line.docno, topic.text(), line.grade, earlier.grade,
                      place(earlier)));
    }
    ++(same_spelling ? repeated : merged);
    highest = std::max(highest, line.grade);
    if (line.number < same_key[first].number) first = i;
  }
  JudgedLine line = std::move(same_key[first]);
  line.grade = highest;
  return line;
}

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

JudgedLines read_lines(const std::filesystem::path& path, const QrelsOptions& options,
                       const DocnoNormalizer& docnos) {
  JudgedLines topics;
  auto last = topics.end();
  DocnoBuffer buffer;
  TextFile file(path);
  for (std::string_view text; file.next(text);) {
    if (trimmed(text).empty() || text.starts_with('#')) continue;
    const Line line = parse_line(text, options, file);
    if (last == topics.end() || line.topic != last->first.text()) {
      last = topics.try_emplace(TopicId(line.topic)).first;
    }
    last->second.push_back({std::string(line.docno), std::string(docnos.key(line.docno, buffer)),
                            line.grade, file.line_number()});
  }
  if (!topics.empty()) return topics;
  throw Error(ErrorCode::kBadInput,
              fmt::format("{}: no judgements; {} lines", path.string(), kExpectedJudgement));
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
  folding.add(read_lines(path, options, qrels.docnos_));
  qrels.take(std::move(folding.topics));
  qrels.repeated_ = folding.repeated;
  qrels.merged_ = folding.merged;
  return qrels;
}

Qrels Qrels::from_lines(std::span<const Line> lines, const QrelsOptions& options) {
  Qrels qrels;
  qrels.docnos_ = make_normalizer(options);
  qrels.min_grade_ = options.min_grade;
  JudgedLines topics;
  std::uint64_t number = 0;
  for (const Line& line : lines) {
    topics[line.topic].push_back(
        {line.docno.text(), qrels.docnos_.key(line.docno), line.grade, ++number});
  }
  JudgementFolding folding(options.min_grade, {});
  folding.add(std::move(topics));
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
