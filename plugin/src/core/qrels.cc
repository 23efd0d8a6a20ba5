#include "prescope/qrels.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <tuple>

#include "core/columns.h"
#include "core/text_file.h"
#include "prescope/error.h"

namespace prescope {
namespace {

constexpr std::string_view kExpectedLine = "expected \"topic iter docno grade\"";

/// A judgement as it was read.
struct Entry {
  TopicId topic;
  Judgement judgement;
  std::uint64_t line = 0;
};

/// Where entries came from: a file, or memory where the path is empty.
struct Source {
  std::string path;

  [[nodiscard]] std::string place(std::uint64_t line) const {
    return path.empty() ? fmt::format("judgement {}", line) : fmt::format("{}:{}", path, line);
  }
};

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
                  text, kExpectedLine));
}

Entry parse_line(std::string_view line, const QrelsOptions& options, const TextFile& file) {
  constexpr std::size_t kClefIp = 3, kWithExtra = 5;
  const Columns columns = split_columns(line, kClefIp, kWithExtra);
  if (columns.count < kClefIp || columns.count > kWithExtra) {
    throw file.bad_line(fmt::format(
        "{} column{}; {} (or \"topic docno grade\"; use tabs where a docno contains spaces)",
        columns.count, columns.count == 1 ? "" : "s", kExpectedLine));
  }
  const std::size_t docno = columns.count == kClefIp ? 1 : 2;
  const Grade grade = parse_grade(columns.text[docno + 1], options.categories, file);
  return {TopicId(columns.text[0]), {Docno(columns.text[docno]), {}, grade}, file.line_number()};
}

/// Same topic and same spelling: the same grade, or an error that names both lines.
void check_for_contradictions(const std::vector<Entry>& sorted, const Source& source) {
  const auto contradicts = [](const Entry& a, const Entry& b) {
    return a.topic == b.topic && a.judgement.docno == b.judgement.docno &&
           a.judgement.grade != b.judgement.grade;
  };
  const auto found = std::adjacent_find(sorted.begin(), sorted.end(), contradicts);
  if (found == sorted.end()) return;
  const Entry &first = found[0], &second = found[1];
  throw Error(
      ErrorCode::kBadInput,
      fmt::format("{}: docno '{}' of topic '{}' has grade {}, but grade {} at {}; keep one "
                  "of the two lines",
                  source.place(second.line), second.judgement.docno.text(), second.topic.text(),
                  second.judgement.grade, first.judgement.grade, source.place(first.line)));
}

struct Folded {
  std::vector<TopicQrels> topics;
  std::size_t repeated = 0;
  std::size_t merged = 0;
};

/// Judgements of one key become one: the first spelling, the highest grade.
Judgement fold_key(std::span<Entry> same_key, Folded& folded) {
  const auto by_line = [](const Entry& a, const Entry& b) { return a.line < b.line; };
  const auto first = std::min_element(same_key.begin(), same_key.end(), by_line);
  Grade highest = first->judgement.grade;
  for (std::size_t i = 1; i < same_key.size(); ++i) {
    const bool same = same_key[i].judgement.docno == same_key[i - 1].judgement.docno;
    ++(same ? folded.repeated : folded.merged);
  }
  for (const Entry& entry : same_key) highest = std::max(highest, entry.judgement.grade);
  Judgement judgement = std::move(first->judgement);
  judgement.grade = highest;
  return judgement;
}

Folded fold(std::vector<Entry> entries, Grade min_grade, const Source& source) {
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::tie(a.topic, a.judgement.key, a.judgement.docno, a.line) <
           std::tie(b.topic, b.judgement.key, b.judgement.docno, b.line);
  });
  check_for_contradictions(entries, source);
  Folded folded;
  for (auto begin = entries.begin(); begin != entries.end();) {
    const TopicId topic = begin->topic;
    std::vector<Judgement> judgements;
    while (begin != entries.end() && begin->topic == topic) {
      const auto end = std::find_if(begin, entries.end(), [&](const Entry& entry) {
        return entry.topic != topic || entry.judgement.key != begin->judgement.key;
      });
      judgements.push_back(fold_key({begin, end}, folded));
      begin = end;
    }
    folded.topics.emplace_back(topic, std::move(judgements), min_grade);
  }
  return folded;
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
  std::ranges::sort(judgements_, {}, &Judgement::key);
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
  std::vector<Entry> entries;
  TextFile file(path);
  for (std::string_view line; file.next(line);) {
    if (trimmed(line).empty() || line.starts_with('#')) continue;
    Entry& entry = entries.emplace_back(parse_line(line, options, file));
    entry.judgement.key = qrels.docnos_.key(entry.judgement.docno);
  }
  if (entries.empty()) {
    throw Error(ErrorCode::kBadInput,
                fmt::format("{}: no judgements; {} lines", path.string(), kExpectedLine));
  }
  Folded folded = fold(std::move(entries), options.min_grade, {path.string()});
  qrels.topics_ = std::move(folded.topics);
  qrels.repeated_ = folded.repeated;
  qrels.merged_ = folded.merged;
  return qrels;
}

Qrels Qrels::from_lines(std::span<const Line> lines, const QrelsOptions& options) {
  Qrels qrels;
  qrels.docnos_ = make_normalizer(options);
  qrels.min_grade_ = options.min_grade;
  std::vector<Entry> entries;
  for (const Line& line : lines) {
    entries.push_back(
        {line.topic, {line.docno, qrels.docnos_.key(line.docno), line.grade}, entries.size() + 1});
  }
  Folded folded = fold(std::move(entries), options.min_grade, {});
  qrels.topics_ = std::move(folded.topics);
  qrels.repeated_ = folded.repeated;
  qrels.merged_ = folded.merged;
  return qrels;
}

std::optional<TopicIndex> Qrels::find(std::string_view topic_id) const noexcept {
  const auto at = std::lower_bound(
      topics_.begin(), topics_.end(), topic_id,
      [](const TopicQrels& topic, std::string_view wanted) { return topic.id().text() < wanted; });
  if (at == topics_.end() || at->id().text() != topic_id) return std::nullopt;
  return TopicIndex(static_cast<std::uint32_t>(at - topics_.begin()));
}

std::size_t Qrels::num_judgements() const noexcept {
  std::size_t sum = 0;
  for (const TopicQrels& topic : topics_) sum += topic.judgements().size();
  return sum;
}

}  // namespace prescope
