#include "runs/convert.h"

#include "base/errors.h"
#include "base/json_lines.h"
#include "judgements/judgement_line.h"
#include "runs/foreign_lines.h"
#include "runs/scan/run_lines.h"

namespace prescope {

namespace {

struct LineLayout {
  FileKind kind = FileKind::kRun;
  FileFormat format = FileFormat::kTrec;
};

constexpr std::string_view kRanking = "expected \"topic 0 docno 1\", best first";
constexpr std::size_t kQrelsMin = 3, kQrelsMax = 5;

double parse_exact_score(std::string_view text, const TextFile& file) {
  double score = 0.0;
  if (read_score(text, score) && std::isfinite(score)) return score;
  throw file.bad_line(fmt::format("score '{}' is not a finite number; {}", text, kExpectedRunLine));
}

FileLine trec_run_line(std::string_view line, ColumnCount& count, const TextFile& file) {
  const Columns columns = split_at_blanks(line);
  std::string problem = problem_of_run_line(columns, line);
  if (problem.empty()) problem = count.problem_of(columns.count);
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

/// Returns whether the line is one of JSON lines, and no part of a larger document.
bool is_json_line(std::string_view line) {
  simdjson::dom::parser parser;
  simdjson::dom::object object;
  if (parser.parse(line.data(), line.size()).get(object) != simdjson::SUCCESS) return false;
  for (const auto [key, value] : object) {
    if (meaning_of_column(key) != ColumnMeaning::kNone && !value.is_object()) return true;
  }
  return false;
}

/// The format that the first line tells, if it is not given.
FileFormat format_of(std::string_view line, const ConvertOptions& options) {
  if (options.from) return *options.from;
  switch (foreign_format_of(line)) {
    case ForeignFormat::kTable:
      return FileFormat::kTable;
    case ForeignFormat::kLetor:
      return FileFormat::kLetor;
    case ForeignFormat::kJson:
      return is_json_line(trimmed(line)) ? FileFormat::kJsonLines : FileFormat::kJson;
    case ForeignFormat::kNone:
      break;
  }
  const Columns columns = split_at_blanks(line);
  const bool is_run = options.kind == FileKind::kRun;
  const bool has_q0 = columns.text[1] == "0" || columns.text[1] == "Q0";
  const bool is_ranked = (columns.count == 3 || (columns.count == 4 && !has_q0)) &&
                         whole_number<std::uint64_t>(columns.text[2]);
  return is_run && is_ranked ? FileFormat::kMsMarco : FileFormat::kTrec;
}

/// Returns the layout of the line, if `kind` and `from` do not determine it. Throws
/// Error(kBadInput) if it has none, Error(kUsage) if it could have several.
LineLayout layout_of(std::string_view line, const ConvertOptions& options, const TextFile& file) {
  const FileFormat format = format_of(line, options);
  if (format == FileFormat::kJsonLines) {
    return {options.kind ? *options.kind : kind_of_json_line(line, file), format};
  }
  if (format == FileFormat::kLetor) return {FileKind::kQrels, format};
  if (format == FileFormat::kMsMarco) return {FileKind::kRun, format};
  if (format == FileFormat::kJson) return {options.kind.value_or(FileKind::kRun), format};
  if (format == FileFormat::kTable) {
    const auto kind = options.kind ? options.kind : TableLines(line).kind();
    if (kind) return {*kind, format};
    throw Error(ErrorCode::kUsage,
                file.bad_line("the header names no grade and no rank; say --kind run or --kind "
                              "qrels")
                    .what());
  }
  const Columns columns = split_at_blanks(line);
  const FileKind kind = options.kind ? *options.kind : kind_of_columns(columns, options, file);
  if (options.from) return {kind, *options.from};
  // A ranking without scores is CLEF-IP's, as are judgements of three columns.
  const bool four = columns.count == Columns::kKept - 2;
  return {kind, four == (kind == FileKind::kQrels) ? FileFormat::kTrec : FileFormat::kClefIp};
}

/// Reads the lines of one layout.
class LineReader {
 public:
  /// `line` is the first one.
  LineReader(LineLayout layout, std::string_view line, const CitationCategories& categories)
      : layout_(layout), categories_(categories), judgements_(categories) {
    if (layout.format == FileFormat::kTable) table_.emplace(line);
  }

  FileLine parse(std::string_view line, const TextFile& file) {
    switch (layout_.format) {
      case FileFormat::kJsonLines:
        return parse_json_line(line, layout_.kind, categories_, file);
      case FileFormat::kTable:
        return table_->parse(line, layout_.kind, categories_, file);
      case FileFormat::kLetor:
        return parse_letor_line(line, categories_, file);
      case FileFormat::kMsMarco:
        return parse_msmarco_line(line, file);
      default:
        return parse_columns(line, file);
    }
  }

 private:
  FileLine parse_columns(std::string_view line, const TextFile& file) {
    if (layout_.kind == FileKind::kQrels) {
      const auto [topic, docno, grade] = judgements_.parse(line, file);
      return {.topic = std::string(topic), .docno = std::string(docno), .grade = grade.value};
    }
    return layout_.format == FileFormat::kTrec ? trec_run_line(line, count_, file)
                                               : ranking_line(line, file);
  }

  LineLayout layout_;
  const CitationCategories& categories_;
  JudgementLines judgements_;
  ColumnCount count_;
  std::optional<TableLines> table_;
};

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

/// MS MARCO's lines and tables may stand in any order; their ranks are what they say.
void sort_by_rank(std::vector<FileLine>& lines) {
  std::ranges::stable_sort(lines, {}, [](const FileLine& line) { return line.rank.value_or(0); });
}

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
    const bool has_ranks =
        from_.format == FileFormat::kMsMarco || from_.format == FileFormat::kTable;
    for (Topic& topic : topics_) {
      if (has_ranks && has_scores_ == false) sort_by_rank(topic.kept);
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

namespace {

/// Converts a file line by line, and collects what is malformed.
class Converter {
 public:
  Converter(const ConvertOptions& options, const Sink& sink) : options_(options), sink_(&sink) {}

  void add(std::string_view line, const TextFile& file) {
    try {
      if (!conversion_) {
        const LineLayout layout = layout_of(line, options_, file);
        reader_.emplace(layout, line, options_.categories);
        conversion_.emplace(layout, options_, *sink_);
        is_document_ = layout.format == FileFormat::kJson;
        if (layout.format == FileFormat::kTable) return;  // the header
      }
      if (is_document_) {
        document_.append(line) += '\n';
      } else {
        add(reader_->parse(line, file), file);
      }
    } catch (const Error& error) {
      if (!conversion_ || error.code() != ErrorCode::kBadInput) throw;
      if (++malformed_ <= kListed) problems_.emplace_back(error.what());
    }
  }

  /// Returns whether scores were made.
  bool finish(const TextFile& file, const std::filesystem::path& path) {
    if (is_document_) add_document(file);
    if (malformed_ > kListed) {
      const std::uint64_t rest = malformed_ - kListed;
      problems_.push_back(fmt::format("and {} more malformed line{}", rest, rest == 1 ? "" : "s"));
    }
    if (malformed_ > 0) throw bad_input_error("{}", fmt::join(problems_, "\n"));
    if (!conversion_) {
      throw bad_input_error("{}: empty; expected a run or judgements", path.string());
    }
    conversion_->finish();
    return conversion_->scored();
  }

 private:
  static constexpr std::uint64_t kListed = 5;

  void add(FileLine line, const TextFile& file) {
    refuse_other_bytes(line, options_.to, file);
    if (malformed_ == 0) conversion_->add(std::move(line), file);
  }
  void add_document(const TextFile& file) {
    JsonDocument document =
        parse_json_document(document_, options_.kind, options_.categories, file);
    conversion_.emplace(LineLayout{document.kind, FileFormat::kJson}, options_, *sink_);
    for (FileLine& line : document.lines) add(std::move(line), file);
  }

  const ConvertOptions& options_;
  const Sink* sink_;
  std::optional<Conversion> conversion_;
  std::optional<LineReader> reader_;
  bool is_document_ = false;
  std::string document_;               // the lines of a JSON document
  std::vector<std::string> problems_;  // of the first malformed lines
  std::uint64_t malformed_ = 0;
};

}  // namespace

bool convert(const std::filesystem::path& path, const ConvertOptions& options, const Sink& sink) {
  Converter converter(options, sink);
  TextFile file(path, TextFile::Bytes::kAnyButNul);
  for (std::string_view line; file.next(line);) {
    if (trimmed(line).empty() || line.starts_with('#')) continue;
    converter.add(line, file);
  }
  return converter.finish(file, path);
}

}  // namespace prescope
