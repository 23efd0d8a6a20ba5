#include "report/citations/citation_reports.h"

namespace prescope {

PRESCOPE_JSON_MEMBERS(AddedCounts, documents, citations, families, without_number, reread)

inline void to_json(Json& json, const ReadingProblems& problems) {
  json = Json::object();
  for (const auto& [reason, found] : problems.reasons()) {
    json[reason] = {{"count", found.count}, {"examples", found.examples}};
  }
}
inline void to_json(Json& json, const FileFacts& facts) {
  json = {{"format", facts.format},
          {"documents", facts.documents},
          {"patent_citations", facts.patents},
          {"other_citations", facts.others},
          {"documents_without_citations", facts.documents_without_citations},
          {"problems", facts.problems}};
}

namespace {

using State = FileImport::State;

/// Files that are named one by one.
constexpr std::size_t kMostNamed = 20;

std::string_view state_name(State state) {
  return word_of(state, {"imported", "known", "refused"});
}

/// The sum of the files of a format, or without one of all files.
FileFacts sum_of(const std::vector<FileImport>& files,
                 const std::optional<std::string>& format = {}) {
  FileFacts sum{.format = format.value_or("")};
  for (const FileImport& file : files) {
    if (format && file.facts.format != *format) continue;
    sum.documents += file.facts.documents;
    sum.patents += file.facts.patents;
    sum.others += file.facts.others;
    sum.documents_without_citations += file.facts.documents_without_citations;
    sum.problems.merge(file.facts.problems);
  }
  return sum;
}

ReportTable format_table(const CitationImport& import) {
  ReportTable table;
  std::map<std::string, std::uint64_t> formats;
  for (const FileImport& file : import.files) {
    if (file.state == State::kImported) ++formats[file.facts.format];
  }
  for (const auto& [format, files] : formats) {
    const FileFacts sum = sum_of(import.files, format);
    table.add_row()
        .left("format", format.empty() ? "(none known)" : format)
        .right("files", grouped_text(files))
        .right("documents", grouped_text(sum.documents))
        .right("patent citations", grouped_text(sum.patents))
        .right("other literature", grouped_text(sum.others))
        .right("without citations", grouped_text(sum.documents_without_citations));
  }
  return table;
}

ReportTable problem_table(const ReadingProblems& problems) {
  ReportTable table{.title = "Not read"};
  for (const auto& [reason, found] : problems.reasons()) {
    table.add_row()
        .left("reason", reason)
        .right("count", grouped_text(found.count))
        .left("first", found.examples.empty() ? std::string() : found.examples.front());
  }
  return table;
}

/// "a.xml, b.xml and 12 more".
std::string named_files(const std::vector<std::string>& names) {
  std::vector<std::string> parts(
      names.begin(),
      names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), kMostNamed)));
  if (names.size() > kMostNamed) parts.push_back(fmt::format("{} more", names.size() - kMostNamed));
  return listed(parts);
}

void add_import_notes(const CitationImport& import, const AddedCounts& added,
                      std::vector<std::string>& notes) {
  std::vector<std::string> without;
  for (const FileImport& file : import.files) {
    if (file.state == State::kRefused) notes.push_back(fmt::format("refused: {}", file.refusal));
    if (file.state == State::kImported && !file.facts.has_citations()) without.push_back(file.path);
  }
  if (!without.empty()) {
    notes.push_back(fmt::format("no citation in {}: {}", count_text(without.size(), "file"),
                                named_files(without)));
  }
  if (const auto known = import.count(State::kKnown); known > 0) {
    notes.push_back(fmt::format("{} left out, because the store has the same content already",
                                count_text(known, "file")));
  }
  if (added.without_number > 0) {
    notes.push_back(fmt::format(
        "documents and citations without a number that judgements can have, not in the store: {}, "
        "the first is '{}'",
        grouped_text(added.without_number), added.without_number_example));
  }
  if (added.reread > 0) {
    notes.push_back(fmt::format(
        "numbers read otherwise than usual, because of their year of publication: {}, the first is "
        "{} (prescope citations explain)",
        grouped_text(added.reread), added.reread_example));
  }
}

}  // namespace

ReportDocument import_report(const CitationImport& import, const std::string& store,
                             const StoreCounts& holds) {
  const FileFacts sum = sum_of(import.files);
  AddedCounts added;
  for (const FileImport& file : import.files) added += file.added;
  ReportDocument report{.title = "Import of citations"};
  report.headline = fmt::format("{} imported: {}, {} of patents and {} of other literature",
                                count_text(import.count(State::kImported), "file"),
                                count_text(sum.documents, "document"),
                                count_text(sum.patents, "citation"), grouped_text(sum.others));
  report.subject = {
      {"store", fmt::format("{}: {} with {} and {}", store, count_text(holds.documents, "document"),
                            count_text(holds.links_of(LinkRole::kCites), "citation"),
                            count_text(holds.publications, "publication"))}};
  ReportSection section;
  if (ReportTable formats = format_table(import); !formats.rows.empty()) {
    section.tables.push_back(std::move(formats));
  }
  if (sum.problems.count() > 0) section.tables.push_back(problem_table(sum.problems));
  report.sections.push_back(std::move(section));
  add_import_notes(import, added, report.notes);
  Json files = Json::array();
  for (const FileImport& file : import.files) {
    Json one = {{"file", file.path}, {"state", state_name(file.state)}};
    if (file.state != State::kKnown) one.update(Json(file.facts));
    if (!file.refusal.empty()) one["refusal"] = file.refusal;
    files.push_back(std::move(one));
  }
  report.result = {{"store", store},
                   {"documents", holds.documents},
                   {"publications", holds.publications},
                   {"citations", holds.links_of(LinkRole::kCites)},
                   {"added", added},
                   {"files", files}};
  return report;
}

}  // namespace prescope
