#include "core/convert_lines.h"

#include <fmt/format.h>

#include <cmath>

#include "core/columns.h"
#include "core/convert_fields.h"
#include "core/convert_json.h"

namespace prescope {
namespace {

constexpr std::string_view kTrecRun = "expected \"topic Q0 docno rank score tag\"";
constexpr std::string_view kRanking = "expected \"topic 0 docno 1\", best first";
constexpr std::string_view kQrels = "expected \"topic iter docno grade\"";
constexpr std::size_t kQrelsMin = 3, kQrelsMax = 5;

double parse_exact_score(std::string_view text, const TextFile& file) {
  const auto score = whole_number<double>(text);
  if (score && std::isfinite(*score)) return *score;
  throw file.bad_line(fmt::format("score '{}' is not a finite number; {}", text, kTrecRun));
}

Error wrong_count(const Columns& columns, std::string_view expected, const TextFile& file) {
  return file.bad_line(
      fmt::format("{} column{}; {}", columns.count, columns.count == 1 ? "" : "s", expected));
}

FileLine trec_run_line(std::string_view line, const TextFile& file) {
  const Columns columns = split_columns(line, Columns::kKept, Columns::kKept);
  if (columns.count < Columns::kKept) throw wrong_count(columns, kTrecRun, file);
  const auto& [topic, q0, docno, rank, score, tag] = columns.text;
  return {.topic = parse_name("topic", topic, file),
          .docno = parse_name("docno", docno, file),
          .grade = std::nullopt,
          .rank = whole_number<std::uint64_t>(rank),
          .score = parse_exact_score(score, file),
          .tag = std::string(tag)};
}

FileLine ranking_line(std::string_view line, const TextFile& file) {
  constexpr std::size_t kColumns = 4;
  const Columns columns = split_columns(line, kColumns, kColumns);
  if (columns.count != kColumns) throw wrong_count(columns, kRanking, file);
  return {.topic = parse_name("topic", columns.text[0], file),
          .docno = parse_name("docno", columns.text[2], file),
          .grade = {},
          .rank = {},
          .score = {},
          .tag = {}};
}

FileLine qrels_line(std::string_view line, const TextFile& file) {
  const Columns columns = split_columns(line, kQrelsMin, kQrelsMax);
  if (columns.count < kQrelsMin || columns.count > kQrelsMax) {
    throw wrong_count(columns, kQrels, file);
  }
  const std::size_t docno = columns.count == kQrelsMin ? 1 : 2;
  return {.topic = parse_name("topic", columns.text[0], file),
          .docno = parse_name("docno", columns.text[docno], file),
          .grade = parse_grade(columns.text[docno + 1], file),
          .rank = {},
          .score = {},
          .tag = {}};
}

bool is_number(std::string_view text) { return whole_number<double>(text).has_value(); }

FileKind kind_of_columns(const Columns& columns, const ConvertOptions& options,
                         const TextFile& file) {
  constexpr std::size_t kTrecQrels = 4;
  if (columns.count >= Columns::kKept) return FileKind::kRun;
  if (columns.count < kQrelsMin) throw wrong_count(columns, kTrecRun, file);
  const bool may_be_ranking = columns.count == kTrecQrels && options.from != FileFormat::kTrec;
  const bool may_lack_tag = columns.count == kQrelsMax && is_number(columns.text[kQrelsMax - 1]);
  if (!may_be_ranking && !may_lack_tag) return FileKind::kQrels;
  throw Error(ErrorCode::kUsage,
              file.bad_line(fmt::format("{} columns can be {}; say --kind qrels or --kind run",
                                        columns.count,
                                        may_lack_tag ? "judgements or a run that lacks one"
                                                     : "judgements or a ranking without scores"))
                  .what());
}

}  // namespace

LineLayout layout_of(std::string_view line, const ConvertOptions& options, const TextFile& file) {
  const bool is_json = trimmed(line).starts_with('{');
  if (options.from.value_or(FileFormat::kJsonLines) == FileFormat::kJsonLines &&
      (is_json || options.from)) {
    return {options.kind ? *options.kind : kind_of_json(line, file), FileFormat::kJsonLines};
  }
  const Columns columns = split_columns(line, kQrelsMin, Columns::kKept);
  const FileKind kind = options.kind ? *options.kind : kind_of_columns(columns, options, file);
  if (options.from) return {kind, *options.from};
  const std::size_t of_trec = kind == FileKind::kRun ? Columns::kKept : Columns::kKept - 2;
  const bool is_ranking = kind == FileKind::kRun && columns.count == Columns::kKept - 2;
  if (kind == FileKind::kRun) return {kind, is_ranking ? FileFormat::kClefIp : FileFormat::kTrec};
  return {kind, columns.count == of_trec ? FileFormat::kTrec : FileFormat::kClefIp};
}

FileLine parse_line(std::string_view line, LineLayout layout, const TextFile& file) {
  if (layout.format == FileFormat::kJsonLines) return parse_json_line(line, layout.kind, file);
  if (layout.kind == FileKind::kQrels) return qrels_line(line, file);
  return layout.format == FileFormat::kTrec ? trec_run_line(line, file) : ranking_line(line, file);
}

void append_line(std::string& out, const FileLine& line, LineLayout layout) {
  const auto end = std::back_inserter(out);
  const bool is_run = layout.kind == FileKind::kRun;
  switch (layout.format) {
    case FileFormat::kTrec:
      if (is_run) {
        fmt::format_to(end, "{} Q0 {} {} {} {}\n", line.topic, line.docno, line.rank.value_or(0),
                       line.score.value_or(0.0), line.tag);
      } else {
        fmt::format_to(end, "{} 0 {} {}\n", line.topic, line.docno, line.grade.value_or(0));
      }
      return;
    case FileFormat::kClefIp:
      if (is_run) {
        fmt::format_to(end, "{} 0 {} 1\n", line.topic, line.docno);
      } else {
        fmt::format_to(end, "{} {} {}\n", line.topic, line.docno, line.grade.value_or(0));
      }
      return;
    case FileFormat::kJsonLines:
      append_json_line(out, line, layout.kind);
  }
}

}  // namespace prescope
