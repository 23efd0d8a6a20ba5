#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "citations/document/citing_document.h"

namespace prescope {

// How offices write dates, classes, and who cited a document.

/// Returns the text with one blank for each run of white space, and none at its ends.
[[nodiscard]] std::string collapsed(std::string_view text);
[[nodiscard]] std::string in_lower_case(std::string_view text);
/// Returns the text as UTF-8. Text that is not UTF-8 is read as Latin-1, as old tapes have it.
[[nodiscard]] std::string utf8_or_latin1(std::string_view text);

/// Reads "19951200", "199512", "1995", "1995-12-01", "1995/12" and "12/01/1995" (month first);
/// zeros stand for parts that are not known. The empty text and "0" are a date that is not known;
/// std::nullopt if the text is none of all these.
[[nodiscard]] std::optional<PartialDate> parse_date(std::string_view text) noexcept;
/// Sets `date` to the earlier of both; a date that is not known is no date.
void keep_earlier(PartialDate& date, PartialDate other) noexcept;

/// Returns a symbol of IPC or CPC, "B08B5/00", from any of "B08B  5/00  20060101C", "B08B005/00",
/// "B08B   5/    00 A I" and "B08B  500", which has three columns for the main group; what stands
/// there without blanks if it is none of those, as a class of designs.
[[nodiscard]] std::string class_symbol(std::string_view text);
/// Appends the symbol unless it is empty or there. Of a document, the first thousand are kept.
void add_class(std::vector<std::string>& classes, std::string symbol);

/// Appends the letters of a search report's category, "XI" and "X,Y" alike, unless they are there:
/// "X,I". Words of other letters are appended whole in upper case. What would make the text longer
/// than 100 bytes is left out.
void add_categories(std::string& categories, std::string_view text);
/// Sets who cited, from "cited by examiner", "third-party", "APPLICANT", "undefined", ...
void set_source(Citation& citation, std::string_view text);
/// Sets the procedure, from "national-search-report", "search", ..., or a code of the EPO as SEA.
void set_phase(Citation& citation, std::string_view text);
/// Sets procedure and source from a code of the EPO: SEA, ISR, EXA, OPP, APP, ...; returns false
/// and changes nothing if it is none.
bool set_office_code(Citation& citation, std::string_view code);
/// Sets the source of a search, examination or opposition, if the file does not name it: examiner.
void infer_source(Citation& citation);
/// Adds what a column or field of categories holds: a code of the EPO, who cited ("cited by
/// applicant"), a grade, or categories.
void add_remark(Citation& citation, std::string_view text);

}  // namespace prescope
