#pragma once

#include <optional>
#include <span>
#include <vector>

#include "prescope/docno.h"

namespace prescope {

/// The rule under which a judged document that was not found meets one that is there.
enum class OtherForm : std::uint8_t {
  kNone,
  kPublication,  ///< DocnoPolicy::kPublication
  kPatent,       ///< DocnoPolicy::kPatent
  kDigits,       ///< one of the two lacks the country, and their digits are the same
};

/// A judged document, and whether a run or an index has it.
struct JudgedMatch {
  std::string_view docno{};
  bool is_found = false;
  OtherForm form = OtherForm::kNone;
  std::string_view other{};  ///< how it is written there; empty if that is not known
};

/// The judged documents of one authority and series.
struct SeriesMatch {
  std::string series{};  ///< "US applications"
  std::uint64_t judged = 0, found = 0;
  std::uint64_t would_match = 0;      ///< not found, and there in another form
  OtherForm form = OtherForm::kNone;  ///< the coarsest rule that they need
  /// How most documents in another form differ, "with a zero behind the year"; may be empty.
  std::string words{};
  /// An example of this difference. Without one, `in_qrels` is a docno that was not found.
  std::string in_qrels{}, there{};
};

/// Returns the documents by series, ascending by its name.
[[nodiscard]] std::vector<SeriesMatch> series_matches(std::span<const JudgedMatch> judged);

enum class MatchPlace { kRun, kIndex };

/// Returns a sentence for each series that has documents in another form, "US applications: 0 of
/// 312 judged documents found; they would match with a zero behind the year (...): use --docno
/// patent"; and for each series without a found document, if that is no chance. In an index a
/// series is named, too, if markedly fewer of its documents are found than of the other series.
[[nodiscard]] std::vector<std::string> match_report(std::span<const SeriesMatch> series,
                                                    MatchPlace place);

/// Returns the advice to match documents under another policy: "use --docno patent".
[[nodiscard]] std::string docno_advice(DocnoPolicy policy);

/// Says what the first docno lacks to be written as the second, which is the same document: "with a
/// zero behind the year", "without the kind code". Empty if they differ in several ways.
[[nodiscard]] std::string form_difference(std::string_view docno, std::string_view other);

/// Returns the digits of a docno without leading zeros, and without zeros behind a year of four
/// digits; empty if there are less than six.
[[nodiscard]] std::string digits_of(std::string_view docno);
/// Returns whether a docno begins with the country of a patent number.
[[nodiscard]] bool has_country(std::string_view docno) noexcept;

}  // namespace prescope
