#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace prescope {

/// A date with a day and month that an office may leave out: 0 stands for "not known". The whole
/// date is unknown if the year is 0.
struct PartialDate {
  std::uint16_t year = 0;
  std::uint8_t month = 0, day = 0;

  [[nodiscard]] bool is_known() const noexcept { return year != 0; }
  friend auto operator<=>(const PartialDate&, const PartialDate&) = default;
};

/// The name of a document as a file writes it. A file that has the number in one piece leaves
/// `country` and `kind` empty: number "EP-0971326-B1".
struct WrittenNumber {
  std::string country{};  ///< "EP", "JP"
  std::string number{};   ///< "0971326", "5-3059", "2003/0169838"
  std::string kind{};     ///< "B1", "A"

  [[nodiscard]] bool empty() const noexcept { return number.empty(); }
  void clear() noexcept {
    country.clear();
    number.clear();
    kind.clear();
  }
  /// Returns the parts in one piece, "JP5-3059A". A number that has country or kind itself, as
  /// "EP1000000B1" beside "EP" and "B1", does not get them again.
  [[nodiscard]] std::string docno() const;
  /// The same, into memory that is used again.
  void join(std::string& docno) const;
};

/// One document that another one cites, as the file says it.
struct Citation {
  WrittenNumber cited{};  ///< empty if `text` is cited, which is no patent
  std::string text{};     ///< of a citation that is no patent: "Smith, Optics, 1999"
  PartialDate date{};     ///< of publication of the cited document
  /// Categories of the search report, upper case, in the order of the file, with commas between:
  /// "X,Y", "A". A file of judgements has its grade here: "3".
  std::string categories{};
  /// Who cited: "examiner", "applicant", "third party", "other", or the file's own word in lower
  /// case; empty if the file does not say.
  std::string source{};
  /// In which procedure: "search", "international search", "examination", "opposition", "filing",
  /// or the file's own word in lower case; empty if the file does not say.
  std::string phase{};

  [[nodiscard]] bool is_patent() const noexcept { return !cited.empty(); }
};

/// The facts of one publication that judgements need. Every list may be empty.
struct CitingDocument {
  WrittenNumber publication{};
  PartialDate published{};
  PartialDate priority{};                ///< the earliest one; the filing date if there is none
  std::string language{};                ///< "en", lower case
  std::vector<std::string> classes{};    ///< IPC or CPC symbols, "B08B5/00"
  std::string family{};                  ///< id of the simple family; empty if there is none
  std::vector<WrittenNumber> members{};  ///< of its family, if the file lists them
  std::vector<Citation> citations{};
  std::vector<WrittenNumber> cited_by{};  ///< documents that cite it

  /// Empties every field and keeps memory, for the next document of a file.
  void clear() noexcept {
    publication.clear();
    published = priority = {};
    language.clear();
    classes.clear();
    family.clear();
    members.clear();
    citations.clear();
    cited_by.clear();
  }
};

}  // namespace prescope
