#include "runs/convert.h"

#include "base/errors.h"
#include "base/json_lines.h"
#include "judgements/judgement_line.h"
#include "runs/scan/run_lines.h"

namespace prescope {

namespace {

/// A line of a run or of judgements in any format.
struct FileLine {
  std::string topic{}, docno{};
  std::optional<Grade> grade{};         ///< of judgements
  std::optional<std::uint64_t> rank{};  ///< of a run, as written
  std::optional<double> score{};
  std::string tag{};
};

struct LineLayout {
  FileKind kind = FileKind::kRun;
  FileFormat format = FileFormat::kTrec;
};

/// `text`, which the columns of a line can carry.
std::string parse_name(std::string_view field, std::string_view text, const TextFile& file) {
  if (text.find('\0') != std::string_view::npos) {
    throw file.bad_line(
        fmt::format("{} contains a NUL byte, which columns cannot carry; rename it", field));
  }
  const bool is_blank = text.find_first_of(" \t\r\n\v\f") != std::string_view::npos;
  if (!text.empty() && !is_blank) return std::string(text);
  throw file.bad_line(
      fmt::format("{} '{}' is empty or contains white space, which columns cannot carry; rename it",
                  field, text));
}

constexpr std::string_view kRanking = "expected \"topic 0 docno 1\", best first";
constexpr std::size_t kQrelsMin = 3, kQrelsMax = 5;

double parse_exact_score(std::string_view text, const TextFile& file) {
  double score = 0.0;
  if (read_score(text, score) && std::isfinite(score)) return score;
  throw file.bad_line(fmt::format("score '{}' is not a finite number; {}", text, kExpectedRunLine));
}

FileLine trec_run_line(std::string_view line, const TextFile& file) {
  const Columns columns = split_at_blanks(line);
  const std::string problem = problem_of_run_line(columns, line);
  if (!problem.empty()) throw file.bad_line(problem);
  const auto& [topic, q0, docno, rank, score, tag] = columns.text;
  return {.topic = std::string(topic),
          .docno = std::string(docno),
          .rank = whole_number<std::uint64_t>(rank),
          .score = parse_exact_score(score, file),
          .tag = std::string(tag)};
}

FileLine ranking_line(std::string_view line, const TextFile& file) {
  const Columns columns = split_at_blanks(line);
  if (columns.count != 4)
    throw file.bad_line(fmt::format("{} columns, not 4; {}", columns.count, kRanking));
  if (columns.text[1] != "0" && columns.text[1] != "Q0") {
    throw file.bad_line(fmt::format("'{}' in column 2; {}", columns.text[1], kRanking));
  }
  return {.topic = std::string(columns.text[0]), .docno = std::string(columns.text[2])};
}

FileKind kind_of_columns(const Columns& columns, const ConvertOptions& options,
                         const TextFile& file) {
  constexpr std::size_t kTrecQrels = 4;
  // A line that is too short for either is refused as one of a run.
  if (columns.count >= Columns::kKept || columns.count < kQrelsMin) return FileKind::kRun;
  const bool may_be_ranking = columns.count == kTrecQrels && options.from != FileFormat::kTrec;
  const bool may_lack_tag =
      columns.count == kQrelsMax && whole_number<double>(columns.text[kQrelsMax - 1]).has_value();
  if (!may_be_ranking && !may_lack_tag) return FileKind::kQrels;
  throw Error(ErrorCode::kUsage,
              file.bad_line(fmt::format("{} columns can be {}; say --kind qrels or --kind run",
                                        columns.count,
                                        may_lack_tag ? "judgements or a run that lacks one"
                                                     : "judgements or a ranking without scores"))
                  .what());
}

namespace dom = simdjson::dom;

constexpr std::string_view kJson =
    R"(expected {"topic": "...", "docno": "...", "score": 1.5} or {..., "grade": 1})";

/// The fields of one JSON line.
class JsonFields {
 public:
  JsonFields(std::string_view line, const TextFile& file) : file_(&file) {
    if (parser().parse(line.data(), line.size()).get(object_) != simdjson::SUCCESS) {
      throw file.bad_line(fmt::format("not a JSON object; {}", kJson));
    }
  }

  [[nodiscard]] bool has(std::string_view field) const {
    dom::element value;
    return object_[field].get(value) == simdjson::SUCCESS && !value.is_null();
  }
  /// A string, or an integer as one: topics are often numbers.
  [[nodiscard]] std::string text(std::string_view field) const {
    std::string_view text;
    std::int64_t number = 0;
    if (object_[field].get(text) == simdjson::SUCCESS) return parse_name(field, text, *file_);
    if (object_[field].get(number) == simdjson::SUCCESS) return fmt::format("{}", number);
    throw bad(field, "a string");
  }
  template <class T>
  [[nodiscard]] T get(std::string_view field, std::string_view expected) const {
    T value{};
    if (object_[field].get(value) == simdjson::SUCCESS) return value;
    throw bad(field, expected);
  }
  [[nodiscard]] std::int64_t integer(std::string_view field) const {
    return get<std::int64_t>(field, "an integer");
  }
  /// An integer, or the letters of a citation category.
  [[nodiscard]] Grade grade() const {
    std::string_view letters;
    if (object_["grade"].get(letters) == simdjson::SUCCESS)
      return parse_grade(letters, {}, *file_).value;
    return parse_grade(fmt::format("{}", integer("grade")), {}, *file_).value;
  }

 private:
  static dom::parser& parser() {
    static thread_local dom::parser parser;
    return parser;
  }
  [[nodiscard]] Error bad(std::string_view field, std::string_view expected) const {
    return file_->bad_line(has(field)
                               ? fmt::format("field '{}' is not {}; {}", field, expected, kJson)
                               : fmt::format("no field '{}'; {}", field, kJson));
  }

  const TextFile* file_;
  dom::object object_;
};

FileLine parse_json_line(std::string_view line, FileKind kind, const TextFile& file) {
  const JsonFields fields(line, file);
  FileLine result;
  result.topic = fields.text("topic");
  result.docno = fields.text("docno");
  if (kind == FileKind::kQrels) {
    result.grade = fields.grade();
    return result;
  }
  if (fields.has("rank")) {
    const std::int64_t rank = fields.integer("rank");
    if (rank >= 0) result.rank = static_cast<std::uint64_t>(rank);
  }
  if (fields.has("score")) result.score = fields.get<double>("score", "a number");
  if (fields.has("tag")) result.tag = fields.text("tag");
  return result;
}

FileKind kind_of_json(std::string_view line, const TextFile& file) {
  const JsonFields fields(line, file);
  if (fields.has("grade")) return FileKind::kQrels;
  if (fields.has("score") || fields.has("rank")) return FileKind::kRun;
  throw file.bad_line("neither 'score', 'rank' nor 'grade'; say --kind run or --kind qrels");
}

void append_json_line(std::string& out, const FileLine& line, FileKind kind) {
  const auto end = std::back_inserter(out);
  out += R"({"topic": )";
  append_json_text(out, line.topic);
  out += R"(, "docno": )";
  append_json_text(out, line.docno);
  if (kind == FileKind::kQrels) {
    fmt::format_to(end, ", \"grade\": {}}}\n", line.grade.value_or(0));
    return;
  }
  fmt::format_to(end, R"(, "rank": {}, "score": {}, "tag": )", line.rank.value_or(0),
                 line.score.value_or(0.0));
  append_json_text(out, line.tag);
  out += "}\n";
}

/// Returns the layout of the line, if `kind` and `from` do not determine it. Throws
/// Error(kBadInput) if it has none, Error(kUsage) if it could have several.
LineLayout layout_of(std::string_view line, const ConvertOptions& options, const TextFile& file) {
  const bool is_json =
      options.from ? *options.from == FileFormat::kJsonLines : trimmed(line).starts_with('{');
  if (is_json) {
    return {options.kind ? *options.kind : kind_of_json(line, file), FileFormat::kJsonLines};
  }
  const Columns columns = split_at_blanks(line);
  const FileKind kind = options.kind ? *options.kind : kind_of_columns(columns, options, file);
  if (options.from) return {kind, *options.from};
  // A ranking without scores is CLEF-IP's, as are judgements of three columns.
  const bool four = columns.count == Columns::kKept - 2;
  return {kind, four == (kind == FileKind::kQrels) ? FileFormat::kTrec : FileFormat::kClefIp};
}

FileLine parse_line(std::string_view line, LineLayout layout, JudgementLines& judgements,
                    const TextFile& file) {
  if (layout.format == FileFormat::kJsonLines) return parse_json_line(line, layout.kind, file);
  if (layout.kind == FileKind::kQrels) {
    const auto [topic, docno, grade] = judgements.parse(line, file);
    return {.topic = std::string(topic), .docno = std::string(docno), .grade = grade.value};
  }
  return layout.format == FileFormat::kTrec ? trec_run_line(line, file) : ranking_line(line, file);
}

/// JSON is UTF-8; columns are any bytes, unless their readers skip them at the start of a line.
void refuse_other_bytes(const FileLine& line, FileFormat to, const TextFile& file) {
  if (to != FileFormat::kJsonLines) {
    if (!line.topic.starts_with('#') && without_mark(line.topic) == line.topic) return;
    throw file.bad_line(
        fmt::format("topic '{}' begins with '#' or a byte-order mark, which a line cannot begin "
                    "with; rename it",
                    line.topic));
  }
  if (is_utf8(line.topic) && is_utf8(line.docno) && is_utf8(line.tag)) return;
  throw file.bad_line("invalid UTF-8, which JSON cannot carry; convert the file to UTF-8");
}

/// Appends the line in `layout`, with its end.
void append_line(std::string& out, const FileLine& line, LineLayout layout) {
  if (layout.format == FileFormat::kJsonLines) return append_json_line(out, line, layout.kind);
  const auto end = std::back_inserter(out);
  const bool is_trec = layout.format == FileFormat::kTrec;
  if (layout.kind == FileKind::kQrels) {
    fmt::format_to(end, "{}{} {} {}\n", line.topic, is_trec ? " 0" : "", line.docno,
                   line.grade.value_or(0));
  } else if (is_trec) {
    fmt::format_to(end, "{} Q0 {} {} {} {}\n", line.topic, line.docno, line.rank.value_or(0),
                   line.score.value_or(0.0), line.tag);
  } else {
    fmt::format_to(end, "{} 0 {} 1\n", line.topic, line.docno);
  }
}

using Sink = std::function<void(std::string_view)>;

/// Assigns scores that fall from line to line, and ranks that agree with them.
void score_by_order(std::vector<FileLine>& lines) {
  for (std::size_t i = 0; i < lines.size(); ++i) {
    lines[i].rank = i + 1;
    lines[i].score = static_cast<double>(lines.size() - i);
  }
}

void sort_by_score(std::vector<FileLine>& lines) {
  std::stable_sort(lines.begin(), lines.end(), [](const FileLine& a, const FileLine& b) {
    return a.score != b.score ? a.score > b.score : a.docno > b.docno;
  });
}

/// One conversion, from its first line on.
class Conversion {
 public:
  Conversion(LineLayout from, const ConvertOptions& options, const Sink& sink)
      : from_(from), options_(options), sink_(&sink) {}

  void add(FileLine line, const TextFile& file) {
    if (from_.kind == FileKind::kQrels) return write(line);
    if (!has_scores_) has_scores_ = line.score.has_value();
    if (*has_scores_ != line.score.has_value()) {
      throw file.bad_line(*has_scores_ ? "no score, unlike the lines before; give every line one"
                                       : "a score, unlike the lines before; give every line one");
    }
    if (!options_.tag.empty()) line.tag = options_.tag;
    if (line.tag.empty()) line.tag = "run";
    const auto [at, is_new] = topic_numbers_.try_emplace(line.topic, topics_.size());
    if (is_new) topics_.emplace_back();
    Topic& topic = topics_[at->second];
    ++topic.lines;
    if (!line.rank) line.rank = topic.lines;
    if (!scored() && options_.to != FileFormat::kClefIp) return write(line);
    topic.kept.push_back(std::move(line));
  }
  void finish() {
    for (Topic& topic : topics_) {
      scored() ? score_by_order(topic.kept) : sort_by_score(topic.kept);
      for (const FileLine& line : topic.kept) write(line);
    }
    if (!pending_.empty()) (*sink_)(pending_);
  }
  [[nodiscard]] bool scored() const noexcept {
    return has_scores_ == false || (from_.kind == FileKind::kRun && options_.rescore);
  }

 private:
  struct Topic {
    std::uint64_t lines = 0;
    std::vector<FileLine> kept{};  // if they are scored or sorted
  };

  void write(const FileLine& line) {
    constexpr std::size_t kPiece = std::size_t{1} << 16U;
    append_line(pending_, line, {from_.kind, options_.to});
    if (pending_.size() < kPiece) return;
    (*sink_)(pending_);
    pending_.clear();
  }

  LineLayout from_;
  ConvertOptions options_;
  const Sink* sink_;
  std::string pending_;  // not yet handed over
  std::optional<bool> has_scores_;
  std::unordered_map<std::string, std::size_t> topic_numbers_;
  std::vector<Topic> topics_;  // in the order of their first lines
};

}  // namespace

bool convert(const std::filesystem::path& path, const ConvertOptions& options, const Sink& sink) {
  constexpr std::uint64_t kListed = 5;
  std::optional<Conversion> conversion;
  LineLayout layout;
  std::vector<std::string> problems;  // of the first malformed lines
  std::uint64_t malformed = 0;
  JudgementLines judgements;
  TextFile file(path, TextFile::Bytes::kAnyButNul);
  for (std::string_view line; file.next(line);) {
    if (trimmed(line).empty() || line.starts_with('#')) continue;
    try {
      if (!conversion) {
        layout = layout_of(line, options, file);
        conversion.emplace(layout, options, sink);
      }
      FileLine parsed = parse_line(line, layout, judgements, file);
      refuse_other_bytes(parsed, options.to, file);
      if (malformed == 0) conversion->add(std::move(parsed), file);
    } catch (const Error& error) {
      if (!conversion || error.code() != ErrorCode::kBadInput) throw;
      if (++malformed <= kListed) problems.emplace_back(error.what());
    }
  }
  if (malformed > kListed) {
    const std::uint64_t rest = malformed - kListed;
    problems.push_back(fmt::format("and {} more malformed line{}", rest, rest == 1 ? "" : "s"));
  }
  if (malformed > 0) throw bad_input_error("{}", fmt::join(problems, "\n"));
  if (!conversion) throw bad_input_error("{}: empty; expected a run or judgements", path.string());
  conversion->finish();
  return conversion->scored();
}

}  // namespace prescope
