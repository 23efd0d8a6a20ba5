#include "citations/document/document_number.h"

#include <fmt/format.h>

#include "base/text_file.h"
#include "judgements/number_readings.h"
#include "judgements/patent_number.h"

namespace prescope {

namespace {

bool is_capital_letter(char c) noexcept { return c >= 'A' && c <= 'Z'; }

}  // namespace

void read_document_number(std::string_view docno, unsigned published_in, DocumentNumber& number) {
  number.is_reread = false;
  number.kind.clear();
  PatentNumber parts;
  DocnoBuffer compacted, key;
  if (read_patent_number(docno, parts, compacted)) number.kind = parts.kind;
  number.key = patent_key(docno, DocnoPolicy::kPatent, key);
  if (published_in == 0 || !has_several_years(docno)) return;
  const NumberReadings readings = read_number(docno, published_in);
  if (readings.taken == 0) return;
  number.key = readings.chosen().patent;
  number.is_reread = true;
}

DocumentNumber document_number(std::string_view docno, unsigned published_in) {
  DocumentNumber number;
  read_document_number(docno, published_in, number);
  return number;
}

std::string publication_docno(std::string_view key, std::string_view kind) {
  std::string docno(key);
  if (kind.empty() || country_of(key).empty()) return docno;
  // The letter at the end of a key, which tells the series, is the first one of the kind code.
  if (!is_digit(docno.back())) docno.pop_back();
  return docno += kind;
}

std::string date_text(const PartialDate& date) {
  if (!date.is_known()) return {};
  if (date.month == 0) return fmt::format("{:04}", date.year);
  if (date.day == 0) return fmt::format("{:04}-{:02}", date.year, date.month);
  return fmt::format("{:04}-{:02}-{:02}", date.year, date.month, date.day);
}

std::string_view country_of(std::string_view key) noexcept {
  const bool is_patent = key.size() > 2 && is_capital_letter(key[0]) && is_capital_letter(key[1]) &&
                         (is_digit(key.back()) || is_digit(key[key.size() - 2]));
  return is_patent ? key.substr(0, 2) : std::string_view();
}

}  // namespace prescope
