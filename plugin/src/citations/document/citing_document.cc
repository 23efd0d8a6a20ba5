#include "citations/document/citing_document.h"

#include <algorithm>
#include <utility>

#include "base/text_file.h"
#include "judgements/patent_number.h"

namespace prescope {

namespace {

/// Words before numbers of the USPTO, and the letters that stand for them.
constexpr std::pair<std::string_view, std::string_view> kSeriesWords[] = {
    {"DES", "D"}, {"PLANT", "PP"}, {"PLT", "PP"}, {"REISSUE", "RE"}, {"RE.", "RE"}, {"SIR", "H"}};

/// Returns whether the text begins with the word, in any case.
bool begins_with(std::string_view text, std::string_view word) noexcept {
  const auto same = [](char a, char b) { return ascii_upper(a) == b; };
  return text.size() >= word.size() && std::ranges::equal(text.substr(0, word.size()), word, same);
}

/// Appends "Des. 427,169" as "D427,169".
void append_us_number(std::string_view number, std::string& docno) {
  for (const auto& [word, letters] : kSeriesWords) {
    if (!begins_with(number, word)) continue;
    number.remove_prefix(word.size());
    docno += letters;
    number.remove_prefix(std::min(number.find_first_not_of(" ."), number.size()));
    break;
  }
  docno += number;
}

}  // namespace

std::string WrittenNumber::docno() const {
  std::string text;
  join(text);
  return text;
}

void WrittenNumber::join(std::string& docno) const {
  docno.clear();
  PatentNumber parts;
  DocnoBuffer buffer;
  const bool is_whole = country.empty() || (read_patent_number(number, parts, buffer) &&
                                            begins_with(country, parts.country));
  if (is_whole) {
    docno = number;
  } else if (country == "US") {
    docno = country;
    append_us_number(number, docno);
  } else {
    docno.append(country).append(number);
  }
  if (kind.empty() || number.empty()) return;
  if (!read_patent_number(docno, parts, buffer) || parts.kind.empty()) docno += kind;
}

}  // namespace prescope
