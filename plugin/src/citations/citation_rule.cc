#include "citations/citation_rule.h"

#include <algorithm>
#include <vector>

#include "base/errors.h"
#include "base/text_file.h"

namespace prescope {

namespace {

using Name = CitationRule::Name;
using Level = CitationRule::Level;

constexpr std::array<std::string_view, 2> kNames{"examiner", "clef-ip"};
constexpr std::array<std::string_view, 3> kLevels{"direct", "cited-family", "family"};
constexpr std::string_view kApplicant = "applicant", kInterfering = "interfering", kLater = "later";

constexpr Level usual_level(Name name) noexcept {
  return name == Name::kClefIp ? Level::kFamily : Level::kCitedFamily;
}

template <class Words>
std::optional<std::size_t> position(const Words& words, std::string_view word) noexcept {
  const auto found = std::ranges::find(words, word);
  if (found == std::end(words)) return std::nullopt;
  return static_cast<std::size_t>(found - std::begin(words));
}

/// The words that readers of files give, see Citation::source and Citation::phase.
constexpr std::pair<std::string_view, CitedBy> kMeanings[] = {
    {"examiner", CitedBy::kOffice},
    {"search", CitedBy::kOffice},
    {"international search", CitedBy::kOffice},
    {"examination", CitedBy::kOffice},
    {"opposition", CitedBy::kOffice},
    {"appeal", CitedBy::kOffice},
    {"applicant", CitedBy::kApplicant},
    {"filing", CitedBy::kApplicant},
    {"third party", CitedBy::kThirdParty},
    {"other", CitedBy::kOther}};

std::optional<CitedBy> meaning(std::string_view word) noexcept {
  const auto* const found =
      std::ranges::find(kMeanings, word, &std::pair<std::string_view, CitedBy>::first);
  return found == std::end(kMeanings) ? std::nullopt : std::optional(found->second);
}

}  // namespace

CitationCategories CitationRule::default_categories() {
  CitationCategories categories;
  categories.set("N", 3);
  return categories;
}

CitationRule CitationRule::parse(std::string_view text) {
  CitationRule rule;
  if (text.empty()) return rule;
  const std::vector<std::string> words = split(text, ',');
  const auto name = position(kNames, trimmed(words.front()));
  if (!name) {
    throw usage_error("{}", unknown_name_message("citation rule", trimmed(words.front()), kNames));
  }
  rule.name = static_cast<Name>(*name);
  rule.level = usual_level(rule.name);
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string_view word = trimmed(words[i]);
    if (const auto level = position(kLevels, word)) {
      rule.level = static_cast<Level>(*level);
    } else if (word == kApplicant) {
      rule.keeps_applicant = true;
    } else if (word == kInterfering) {
      rule.keeps_interfering = true;
    } else if (word == kLater) {
      rule.keeps_later = true;
    } else {
      constexpr std::string_view kAll[] = {"direct",   "cited-family", "family",
                                           kApplicant, kInterfering,   kLater};
      throw usage_error("citation rule '{}': {}", text, unknown_name_message("word", word, kAll));
    }
  }
  return rule;
}

void CitationRule::set_categories(const CitationCategories& given) {
  if (!given.given().empty() && name == Name::kClefIp) {
    throw usage_error("--category: has no meaning for the rule {}, which gives grade 1", text());
  }
  for (const auto& [letter, grade] : given.given()) categories.set(letter, grade);
}

std::string CitationRule::text() const {
  std::string text(kNames[static_cast<std::size_t>(name)]);
  const auto add = [&](bool is_set, std::string_view word) {
    if (is_set) text.append(",").append(word);
  };
  add(level != usual_level(name), kLevels[static_cast<std::size_t>(level)]);
  add(keeps_applicant, kApplicant);
  add(keeps_interfering, kInterfering);
  add(keeps_later, kLater);
  return text;
}

std::string CitationRule::words() const {
  constexpr std::string_view kWho[] = {
      "the topic cites the document", "the topic cites a member of the document's family",
      "a member of the topic's family cites a member of the document's family"};
  std::string words = fmt::format("{}; cited by the office", kWho[static_cast<std::size_t>(level)]);
  words += keeps_applicant ? ", by the applicant with grade 0" : ", not by the applicant";
  words += name == Name::kClefIp ? "; grade 1" : "; grades by category";
  if (keeps_interfering) words += "; also E and P";
  words += keeps_later ? "; whenever it was published" : "; published before the earliest priority";
  return words;
}

CitedBy cited_by(std::string_view source, std::string_view phase, UnknownWord* unknown) {
  bool has_unknown = false;
  for (const std::string_view word : {source, phase}) {
    if (word.empty()) continue;
    if (const auto found = meaning(word)) return *found;
    has_unknown = true;
    if (unknown != nullptr && unknown->citations == 0) unknown->example = word;
  }
  if (has_unknown && unknown != nullptr) ++unknown->citations;
  return CitedBy::kUnknown;
}

bool is_interfering(std::string_view categories) noexcept {
  for (std::size_t begin = 0; begin <= categories.size();) {
    const std::size_t end = std::min(categories.find(',', begin), categories.size());
    const std::string_view one = categories.substr(begin, end - begin);
    if (one == "E" || one == "P") return true;
    begin = end + 1;
  }
  return false;
}

}  // namespace prescope
