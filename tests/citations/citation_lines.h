#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "citations/formats/read_citations.h"
#include "support/scratch_file.h"

namespace prescope {

[[nodiscard]] inline std::string written_date(PartialDate date) {
  if (!date.is_known()) return {};
  return fmt::format("{:04}{:02}{:02}", date.year, date.month, date.day);
}

/// Returns a line for each citation as tests/citations/independent_citations.py prints them, and
/// one with "none" for a document without any.
inline void append_citation_lines(const CitingDocument& document, std::string_view file,
                                  std::vector<std::string>& lines) {
  const std::string citing = document.publication.docno();
  if (document.citations.empty()) lines.push_back(fmt::format("{}\t{}\tnone", file, citing));
  for (const Citation& each : document.citations) {
    lines.push_back(fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}", file, citing,
                                each.is_patent() ? "patent" : "other", each.cited.country,
                                each.cited.number, each.cited.kind, written_date(each.date),
                                each.categories, each.source, each.phase, each.text));
  }
}

/// A file that was read: its documents, and a short line for each citation:
/// "US7654321B2 > US|7844851|B2 20101100 X,Y examiner search", or "... > 'text' ...".
struct ReadFile {
  FileFacts facts{};
  std::vector<CitingDocument> documents{};
  std::vector<std::string> lines{};
};

[[nodiscard]] inline ReadFile read_file(const std::filesystem::path& path,
                                        const ReadCitationsOptions& options = {}) {
  ReadFile file;
  file.facts = read_citations(
      path,
      [&](CitingDocument& document) {
        file.documents.push_back(document);
        for (const Citation& each : document.citations) {
          std::string line = document.publication.docno() + " > ";
          line += each.is_patent() ? fmt::format("{}|{}|{}", each.cited.country, each.cited.number,
                                                 each.cited.kind)
                                   : fmt::format("'{}'", each.text);
          for (const std::string& fact :
               {written_date(each.date), each.categories, each.source, each.phase}) {
            if (!fact.empty()) line += " " + fact;
          }
          file.lines.push_back(std::move(line));
        }
      },
      options);
  return file;
}

[[nodiscard]] inline ReadFile read_content(std::string_view content,
                                           const ReadCitationsOptions& options = {}) {
  const ScratchFolder folder;
  return read_file(folder.write("file", content), options);
}

/// Returns the reasons with their counts: "date not understood: 2".
[[nodiscard]] inline std::vector<std::string> problem_counts(const FileFacts& facts) {
  std::vector<std::string> counts;
  for (const auto& [name, reason] : facts.problems.reasons()) {
    counts.push_back(fmt::format("{}: {}", name, reason.count));
  }
  return counts;
}

}  // namespace prescope
