#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>

#include "prescope/qrels.h"

namespace prescope {

/// Who cited a document, as far as judgements ask.
enum class CitedBy {
  kOffice,     ///< search report, examination, opposition
  kApplicant,  ///< the applicant or inventor
  kThirdParty,
  kOther,    ///< "other" of USPTO grants: before 2013 rather not the examiner
  kUnknown,  ///< the file does not say
};

/// A word for who cited, or in which procedure, that no rule knows.
struct UnknownWord {
  std::uint64_t citations = 0;
  std::string example{};  ///< the first word
};

/// A named rule by which citations become judgements. Its text names it in every output and is part
/// of the judgements' version: "examiner", "clef-ip,direct", "examiner,interfering".
struct CitationRule {
  enum class Name {
    /// Keeps citations by an office, with grades by category. Citations by applicants and by third
    /// parties are left out.
    kExaminer,
    /// Keeps citations by an office against any member of the family, with grade 1, as CLEF-IP
    /// does.
    kClefIp,
  };
  /// Whose citations count, and which documents they judge.
  enum class Level {
    kDirect,       ///< the topic cites the document itself
    kCitedFamily,  ///< the topic cites a member of the document's family
    kFamily,       ///< a member of the topic's family cites a member of the document's family
  };

  Name name = Name::kExaminer;
  Level level = Level::kCitedFamily;
  bool keeps_applicant = false;    ///< as judged documents of grade 0
  bool keeps_interfering = false;  ///< categories E and P, which were published later by definition
  bool keeps_later = false;        ///< art that was published after the topic's priority
  CitationCategories categories = default_categories();

  /// Parses a name and words behind commas: direct, cited-family, family, applicant, interfering,
  /// later. An empty text is the rule examiner. Throws Error(kUsage) with the nearest word.
  [[nodiscard]] static CitationRule parse(std::string_view text);
  /// Returns the shortest text that `parse` reads as this rule, without the categories' grades.
  [[nodiscard]] std::string text() const;
  /// Returns what the rule does, a sentence for outputs.
  [[nodiscard]] std::string words() const;

  /// Takes the grades that a user gave to categories. Throws Error(kUsage) if there are any and the
  /// rule has no grades by category.
  void set_categories(const CitationCategories& given);
  /// Returns X, N, I and E 3, Y 2, and 1 for letters that are no grade alone.
  [[nodiscard]] static CitationCategories default_categories();
};

/// Returns who cited by the words of a file, see Citation::source and Citation::phase. A word that
/// is in no list is counted in `unknown`, if that is not null, and its citation is kept.
[[nodiscard]] CitedBy cited_by(std::string_view source, std::string_view phase,
                               UnknownWord* unknown);

/// Returns whether one of the categories, with commas between them, is E or P: the document was
/// published after the priority date.
[[nodiscard]] bool is_interfering(std::string_view categories) noexcept;

}  // namespace prescope
