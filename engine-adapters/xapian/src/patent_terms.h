#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <xapian.h>

namespace prescope::xapian {

/// The terms and values of a database made by `prescope index`. Bytes of a term that Xapian's own
/// formats can hold.
inline constexpr std::size_t kLongestTerm = 245;
inline constexpr const char* kDocnoPrefix = "Q";
inline constexpr Xapian::valueno kDocnoSlot = 0;
inline constexpr const char* kIpcPrefix = "XIPC";

/// The searched fields, by their names in settings.
struct TextField {
  std::string_view setting;
  const char* prefix;  // of its terms; "S" is Xapian's convention for titles, X.. for one's own
  double weight;       // if an arm names no fields
};
// Half for the title, which mostly repeats the abstract: of 0.25, 0.5, 1 and 2 it and 0.25 found
// most cited patents early, for bm25 and pl2, on 583 real topics (title and abstract as the query);
// later in the ranking 0.5 found more.
inline constexpr std::array<TextField, 4> kTextFields{{{"title", "S", 0.5},
                                                       {"abstract", "XA", 1.0},
                                                       {"claims", "XC", 1.0},
                                                       {"description", "XD", 1.0}}};

/// The keys of an arm's settings.
[[nodiscard]] std::span<const std::string_view> ranker_keys() noexcept;

/// The stemmer of `prescope index`, and of an arm that names none.
inline constexpr const char* kStemmer = "english";

/// Makes terms of a text: words in lower case, without English stop words, all stemmed by `stemmer`
/// ("none": no stemming). For one thread. Throws Xapian::InvalidArgumentError for an unknown one.
[[nodiscard]] Xapian::TermGenerator term_generator(const std::string& stemmer);

struct TermCount {
  std::string term;
  std::uint32_t count = 0;
};
/// The distinct terms of a text, ascending.
[[nodiscard]] std::vector<TermCount> terms_of(std::string_view text, const std::string& stemmer);

}  // namespace prescope::xapian
