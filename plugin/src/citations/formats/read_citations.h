#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "citations/document/citing_document.h"

namespace prescope {

/// Counts what could not be read by reason, with the first places of each. Not thread-safe; each
/// file has its own, and they are merged.
class ReadingProblems {
 public:
  /// Examples that are kept of each reason.
  static constexpr std::size_t kExamples = 3;
  /// Bytes that are kept of an example.
  static constexpr std::size_t kLongestExample = 300;

  struct Reason {
    std::uint64_t count = 0;
    std::vector<std::string> examples{};  ///< "ipg130416.zip/a.xml:1234: 'US'"
  };

  /// Counts one more. `example`: the place, and what stands there.
  void add(std::string_view reason, std::string_view example);
  /// Adds the problems of another file. Its examples come last.
  void merge(const ReadingProblems& other);

  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  /// Returns the reasons in alphabetical order: "document without a number".
  [[nodiscard]] const std::map<std::string, Reason, std::less<>>& reasons() const noexcept {
    return reasons_;
  }

 private:
  std::uint64_t count_ = 0;
  std::map<std::string, Reason, std::less<>> reasons_;
};

/// Formats of files with citations.
enum class CitationFormat : std::uint8_t {
  kAuto,            ///< told by the content of the file
  kUsptoXml,        ///< grants and applications, XML 4.x
  kUsptoPap,        ///< applications of 2001 to 2004, XML 1.x ("PAP")
  kUsptoSgml,       ///< grants of 2001 to 2004, SGML 2.4 and its XML (PATDOC)
  kUsptoGreenBook,  ///< grants of 1976 to 2001, APS text
  kUsptoBrs,        ///< BRS text of the office's search system
  kEpoExchange,     ///< exchange documents: DOCDB, and OPS bibliographic data
  kOpsFamily,       ///< families of OPS
  kEpoRegister,
  kMarec,      ///< XML of MAREC and CLEF-IP
  kJsonLines,  ///< Google's patents, PatCit, and {"id", "cites", ...}
  kTable,      ///< TSV or CSV with a header: PatentsView and others
  kQrels,      ///< judgements: "topic 0 docno grade"
};
/// Returns the name that options and messages have: "uspto-xml".
[[nodiscard]] std::string_view name_of(CitationFormat format) noexcept;
/// Returns all names, "auto" first.
[[nodiscard]] std::vector<std::string_view> citation_format_names();
/// Returns the format of this name. Throws Error(kUsage) with the nearest name if there is none.
[[nodiscard]] CitationFormat citation_format_named(std::string_view name);

struct ReadCitationsOptions {
  CitationFormat format = CitationFormat::kAuto;
  /// Most bytes that are kept of one document, or of one line. A larger document is counted as a
  /// problem and left out; a larger line ends the reading.
  std::size_t most_document_bytes = std::size_t{256} << 20U;
  /// Archives in archives: a zip in a zip in a zip is read, one more is counted and left out.
  unsigned deepest_archive = 3;
  /// Most bytes that an archive may unpack to, as a multiple of its size; the first 64 MiB are
  /// free.
  std::uint64_t most_unpacked_ratio = 250;
  /// A table's citations of one document are passed on in parts of at most as many.
  std::size_t most_citations_at_once = 100'000;
};

/// Counts of one file.
struct FileFacts {
  std::string format{};         ///< names of the formats that were met, "uspto-xml, uspto-sgml"
  std::uint64_t documents = 0;  ///< citing documents that were passed on; parts of one count once
  std::uint64_t patents = 0;    ///< citations of patents
  std::uint64_t others = 0;     ///< citations of other literature
  std::uint64_t documents_without_citations = 0;
  ReadingProblems problems{};

  [[nodiscard]] bool has_citations() const noexcept { return patents + others != 0; }
};

/// Reads a file, or all members of a zip archive, plain or gzip, and passes each document to `use`
/// in the order of the file. `use` may change the document, which is used again for the next one.
/// Memory is bounded by the options, whatever the size of the file. What cannot be read of a file
/// is counted in the facts and what stands beside it is passed on. Throws Error(kBadInput) if the
/// format is none of the known, if an archive unpacks to too much, or for a line without an end;
/// Error(kIo) if the file cannot be read or its gzip data is damaged. Documents before the error
/// have been passed on. Exceptions of `use` pass through.
FileFacts read_citations(const std::filesystem::path& path,
                         const std::function<void(CitingDocument&)>& use,
                         const ReadCitationsOptions& options = {});

}  // namespace prescope
