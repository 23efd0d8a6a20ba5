#pragma once

#include <fmt/format.h>

#include <set>

#include "citations/formats/input.h"
#include "citations/formats/read_citations.h"

namespace prescope {

/// Takes the documents and problems of one file: counts them and passes documents on.
class DocumentSink {
 public:
  DocumentSink(const std::function<void(CitingDocument&)>& use, const ReadCitationsOptions& options)
      : use_(use), options_(options) {}

  [[nodiscard]] const ReadCitationsOptions& options() const noexcept { return options_; }
  /// Returns the document to fill in, emptied. There is one, which is used again.
  [[nodiscard]] CitingDocument& emptied() noexcept {
    document_.clear();
    return document_;
  }
  [[nodiscard]] CitingDocument& document() noexcept { return document_; }

  /// A large document comes in parts. Only the first part is counted as a document.
  enum class Part : std::uint8_t { kFirst, kLater };
  /// Passes the document on. It is left out and counted if it has no number.
  void pass(CitationFormat format, InputPlace place, Part part = Part::kFirst);
  /// Adds a citation to the document unless it names nothing, which is counted.
  void add(Citation&& citation, InputPlace place);
  /// Returns the date that the text writes, unknown if there is none. Counts a text that is no
  /// date.
  [[nodiscard]] PartialDate date(std::string_view text, InputPlace place);

  void problem(std::string_view reason, InputPlace place, std::string_view detail);
  /// Notes that a member of this format was met, even if it has no document.
  void note(CitationFormat format) { formats_.insert(format); }
  [[nodiscard]] std::uint64_t documents() const noexcept { return facts_.documents; }
  [[nodiscard]] const ReadingProblems& problems() const noexcept { return facts_.problems; }

  /// Returns the counts. The sink must not be used further.
  [[nodiscard]] FileFacts take_facts();

 private:
  const std::function<void(CitingDocument&)>& use_;
  const ReadCitationsOptions& options_;
  CitingDocument document_;
  FileFacts facts_;
  std::set<CitationFormat> formats_;
};

}  // namespace prescope
