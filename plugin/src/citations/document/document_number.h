#pragma once

#include "citations/document/citing_document.h"
#include "prescope/docno.h"

namespace prescope {

/// A document number in the one form that the citation store keeps: `key` names the patent, `kind`
/// the publication. EP-0971326-B1 is EP971326 and B1. A text that is no patent number is its own
/// key.
struct DocumentNumber {
  std::string key{};   ///< under DocnoPolicy::kPatent
  std::string kind{};  ///< the kind code as it was written, upper case; empty if there is none
  /// Another than the usual reading was taken, because of the year of publication.
  bool is_reread = false;
};

/// Reads a number in any spelling. The year of publication, if it is known (not 0), decides between
/// readings, see judgements/number_readings.h. An empty number has an empty key.
[[nodiscard]] DocumentNumber document_number(std::string_view docno, unsigned published_in = 0);
/// The same, in place: reuses the memory of `number`.
void read_document_number(std::string_view docno, unsigned published_in, DocumentNumber& number);

/// Returns the docno of a publication: "US7654321" and "B2" give US7654321B2, and "DE1812345U" and
/// "U1" DE1812345U1. Without a kind code it is the key.
[[nodiscard]] std::string publication_docno(std::string_view key, std::string_view kind);

/// Returns "1993-01-14", "1993-01" or "1993"; empty if it is unknown.
[[nodiscard]] std::string date_text(const PartialDate& date);

/// Returns the country of a key, "EP"; empty if it is no patent number.
[[nodiscard]] std::string_view country_of(std::string_view key) noexcept;

}  // namespace prescope
