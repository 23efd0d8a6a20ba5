#include "prescope/qrels.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <iterator>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "core/columns.h"
#include "core/in_parallel.h"
#include "core/run_scan/run_input.h"
#include "core/run_scan/topic_borders.h"
#include "core/text_file.h"
#include "prescope/error.h"

namespace prescope {
namespace {

constexpr std::string_view kExpectedJudgement = "expected \"topic iter docno grade\"";

/// A judgement of one topic, as it was read.
struct Entry {
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

/// Folds what was judged more than once. A topic at a time, so that little is kept in memory beside
/// the result.
class Folding {
 public:
  Folding(Grade min_grade, Source source) : min_grade_(min_grade), source_(std::move(source)) {}

  /// All entries of a topic. Takes their judgements.
  void add_topic(const TopicId& topic, std::vector<Entry>& entries) {
    sort(entries);
    std::vector<Judgement> judgements;
    judgements.reserve(entries.size());
    for (std::size_t begin = 0, end = 0; begin < sorted_.size(); begin = end) {
      const std::string& key = sorted_[begin]->judgement.key;
      for (end = begin + 1; end < sorted_.size() && sorted_[end]->judgement.key == key;) ++end;
      const auto same_key = std::span(sorted_).subspan(begin, end - begin);
      if (same_key.size() > 1) fold(topic, same_key);
      judgements.push_back(std::move(same_key.front()->judgement));
    }
    topics.emplace_back(topic, std::move(judgements), min_grade_);
  }

  /// Topics that come behind these.
  void append(Folding&& part) {
    topics.insert(topics.end(), std::make_move_iterator(part.topics.begin()),
                  std::make_move_iterator(part.topics.end()));
    repeated += part.repeated;
    merged += part.merged;
  }

  std::vector<TopicQrels> topics{};
  std::size_t repeated = 0;
  std::size_t merged = 0;

 private:
  /// An entry beside the beginning of its key, which nearly always tells two entries apart.
  struct Sorted {
    std::uint64_t beginning = 0;
    Entry* entry = nullptr;

    explicit Sorted(Entry& of) : entry(&of) {
      const std::string& key = of.judgement.key;
      unsigned char bytes[sizeof beginning] = {};
      std::memcpy(bytes, key.data(), std::min(key.size(), sizeof bytes));
      for (const unsigned char byte : bytes) beginning = beginning << 8U | byte;
    }
    Entry* operator->() const noexcept { return entry; }
  };

  /// By key, then by spelling, then by line.
  static bool is_before(const Sorted& a, const Sorted& b) {
    if (a.beginning != b.beginning) return a.beginning < b.beginning;
    if (const int order = a->judgement.key.compare(b->judgement.key)) return order < 0;
    return std::tie(a->judgement.docno, a->line) < std::tie(b->judgement.docno, b->line);
  }

  void sort(std::vector<Entry>& entries) {
    sorted_.clear();
    for (Entry& entry : entries) sorted_.emplace_back(entry);
    if (!std::ranges::is_sorted(sorted_, is_before)) std::ranges::sort(sorted_, is_before);
  }

  /// Judgements of one key become the first of them: the earliest spelling, the highest grade.
  void fold(const TopicId& topic, std::span<const Sorted> same_key) {
    Entry* first = same_key.front().entry;
    Grade highest = first->judgement.grade;
    for (std::size_t i = 1; i < same_key.size(); ++i) {
      const Entry &earlier = *same_key[i - 1].entry, &entry = *same_key[i].entry;
      const bool same_spelling = earlier.judgement.docno == entry.judgement.docno;
      if (same_spelling) refuse_contradiction(topic, earlier, entry);
      ++(same_spelling ? repeated : merged);
      highest = std::max(highest, entry.judgement.grade);
      if (entry.line < first->line) first = same_key[i].entry;
    }
    if (first != same_key.front().entry) std::swap(first->judgement, same_key.front()->judgement);
    same_key.front()->judgement.grade = highest;
  }

  /// The same spelling has the same grade, or an error names both lines.
  void refuse_contradiction(const TopicId& topic, const Entry& first, const Entry& second) const {
    if (first.judgement.grade == second.judgement.grade) return;
    throw Error(
        ErrorCode::kBadInput,
        fmt::format("{}: docno '{}' of topic '{}' has grade {}, but grade {} at {}; keep one "
                    "of the two lines",
                    source_.place(second.line), second.judgement.docno.text(), topic.text(),
                    second.judgement.grade, first.judgement.grade, source_.place(first.line)));
  }

  std::vector<Sorted> sorted_;
  Grade min_grade_;
  Source source_;
};

/// The entries of all topics, for files in which the lines of a topic are not together.
using EntriesByTopic = std::map<TopicId, std::vector<Entry>>;

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
                         Folding& folding) {
  TopicId topic;
  std::vector<Entry> entries;
  DocnoBuffer buffer;
  for_each_line(path, part, options, [&](const Line& line, std::uint64_t number) {
    if (line.topic != topic.text()) {
      if (!entries.empty()) folding.add_topic(topic, entries);
      entries.clear();
      topic = TopicId(line.topic);
    }
    Entry& entry = entries.emplace_back();
    entry.judgement.docno = Docno(line.docno);
    entry.judgement.key = docnos.key(line.docno, buffer);
    entry.judgement.grade = line.grade;
    entry.line = number;
  });
  folding.add_topic(topic, entries);
}

/// Parts that threads are worth starting for, of a plain file.
std::vector<TextFile::Part> parts_of(const std::filesystem::path& path, unsigned threads) {
  constexpr std::uint64_t kSmallestPart = std::uint64_t{1} << 18U;
  std::error_code failed;
  const std::uint64_t size = std::filesystem::file_size(path, failed);
  if (failed || threads < 2 || size < 2 * kSmallestPart) return {{}};
  const RunInput input(path);
  if (!input.has_random_access()) return {{}};
  const auto worth = static_cast<unsigned>(std::min<std::uint64_t>(threads, size / kSmallestPart));
  const std::vector<std::uint64_t> at = topic_borders(input, worth);
  std::vector<TextFile::Part> parts;
  for (std::size_t i = 1; i < at.size(); ++i) parts.push_back({at[i - 1], at[i]});
  return parts;
}

/// Several parts by as many threads. What is wrong in one of them is left to be found again by
/// reading all lines in order, which knows their numbers.
bool fold_parts(const std::filesystem::path& path, const QrelsOptions& options,
                const DocnoNormalizer& docnos, Folding& folding) {
  const std::vector<TextFile::Part> parts = parts_of(path, options.threads);
  if (parts.size() < 2) return false;
  std::vector<Folding> folded(parts.size(), Folding(options.min_grade, {path.string()}));
  try {
    in_parallel(parts.size(), options.threads, [&](std::size_t i) {
      fold_topic_by_topic(path, parts[i], options, docnos, folded[i]);
    });
  } catch (const Error&) {
    return false;
  }
  for (Folding& part : folded) folding.append(std::move(part));
  return true;
}

/// False where a topic's lines are not together: then `folding` is of no use.
bool fold_together(const std::filesystem::path& path, const QrelsOptions& options,
                   const DocnoNormalizer& docnos, Folding& folding) {
  if (!fold_parts(path, options, docnos, folding)) {
    fold_topic_by_topic(path, {}, options, docnos, folding);
  }
  if (!std::ranges::is_sorted(folding.topics, {}, &TopicQrels::id)) {
    std::ranges::sort(folding.topics, {}, &TopicQrels::id);
  }
  return std::ranges::adjacent_find(folding.topics, {}, &TopicQrels::id) == folding.topics.end();
}

void fold_scattered(const std::filesystem::path& path, const QrelsOptions& options,
                    const DocnoNormalizer& docnos, Folding& folding) {
  EntriesByTopic topics;
  for_each_line(path, {}, options, [&](const Line& line, std::uint64_t number) {
    const Docno docno(line.docno);
    topics[TopicId(line.topic)].push_back({{docno, docnos.key(docno), line.grade}, number});
  });
  for (auto& [topic, entries] : topics) folding.add_topic(topic, entries);
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
  Folding folding(options.min_grade, {path.string()});
  std::error_code missing;
  const bool once_only = path == "-" || (std::filesystem::exists(path, missing) &&
                                         !std::filesystem::is_regular_file(path, missing));
  if (once_only || !fold_together(path, options, qrels.docnos_, folding)) {
    folding = Folding(options.min_grade, {path.string()});
    fold_scattered(path, options, qrels.docnos_, folding);
  }
  qrels.topics_ = std::move(folding.topics);
  qrels.repeated_ = folding.repeated;
  qrels.merged_ = folding.merged;
  return qrels;
}

Qrels Qrels::from_lines(std::span<const Line> lines, const QrelsOptions& options) {
  Qrels qrels;
  qrels.docnos_ = make_normalizer(options);
  qrels.min_grade_ = options.min_grade;
  EntriesByTopic topics;
  std::uint64_t number = 0;
  for (const Line& line : lines) {
    topics[line.topic].push_back(
        {{line.docno, qrels.docnos_.key(line.docno), line.grade}, ++number});
  }
  Folding folding(options.min_grade, {});
  for (auto& [topic, entries] : topics) folding.add_topic(topic, entries);
  qrels.topics_ = std::move(folding.topics);
  qrels.repeated_ = folding.repeated;
  qrels.merged_ = folding.merged;
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
