#include "index_check.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "patent_terms.h"
#include "prescope/arm_settings.h"

namespace prescope::xapian {
namespace {

bool has_terms(const Xapian::Database& database, const std::string& prefix) {
  return database.allterms_begin(prefix) != database.allterms_end(prefix);
}

/// Returns distinct words of a field's terms, spread over some documents: of at least 5 letters and
/// nothing else, because stemmers leave the others as they are.
std::set<std::string> words_of(const Xapian::Database& database, const std::string& prefix) {
  constexpr Xapian::docid kDocuments = 50;
  constexpr std::size_t kShortest = 5;
  const auto is_letter = [](unsigned char c) { return std::islower(c) != 0 || c >= 0x80; };
  const Xapian::docid step = std::max(1U, database.get_lastdocid() / kDocuments);
  std::set<std::string> words;
  for (auto document = database.postlist_begin(""); document != database.postlist_end("");) {
    const auto end = database.termlist_end(*document);
    auto term = database.termlist_begin(*document);
    for (term.skip_to(prefix); term != end && (*term).starts_with(prefix); ++term) {
      const std::string word = (*term).substr(prefix.size());
      if (word.size() >= kShortest && std::ranges::all_of(word, is_letter)) words.insert(word);
    }
    document.skip_to(*document + step);
  }
  return words;
}

/// Counts the words that the stemmer leaves as they are: nearly all if it made them.
std::size_t stems_among(const std::set<std::string>& words, const std::string& language) {
  const Xapian::Stem stem(language);
  return static_cast<std::size_t>(
      std::ranges::count_if(words, [&](const std::string& word) { return stem(word) == word; }));
}

class Check {
 public:
  Check(const Xapian::Database& database, const ArmConfig& arm, const RankerOptions& options)
      : database_(database),
        arm_(arm),
        options_(options),
        passport_(passport_of(database)),
        settings_(arm, ranker_keys()) {}

  std::vector<std::string> run() {
    if (database_.get_doccount() == 0) return {};
    check_fields();
    check_frequencies();
    check_stemmer();
    settings_.throw_if_any();
    return std::move(notes_);
  }

 private:
  void note(const std::string& what) { notes_.push_back("arm '" + arm_.id.text() + "': " + what); }

  [[nodiscard]] std::string there() const {
    std::string names;
    for (const IndexPassport::Field& field : *passport_.fields) {
      names += (names.empty() ? "" : ", ") + field.name;
    }
    return names.empty() ? "it has none of the fields of 'prescope index'" : "it has " + names;
  }

  void check_fields() {
    bool finds_any = false, names_any = false;
    for (const TextField& field : kTextFields) {
      const std::string name(field.setting);
      const ArmSetting* const weight = settings_.find("fields." + name);
      const ArmSetting* const prefix = settings_.find("prefixes." + name);
      names_any = names_any || weight != nullptr || prefix != nullptr;
      const bool is_there = has_terms(database_, prefix == nullptr ? field.prefix : prefix->value);
      finds_any = finds_any || is_there;
      if (is_there) {
        if (weight != nullptr && prefix == nullptr) check_share(name);
        continue;
      }
      const std::string remedy =
          "; remove the setting, or name the field's prefix: prefixes." + name;
      if (prefix != nullptr) {
        settings_.complain(*prefix, prefix->key + " = '" + prefix->value +
                                        "', but no term of the database begins so; expected the "
                                        "prefix of a field that it has");
      } else if (weight != nullptr) {
        settings_.complain(*weight, weight->key + " = " + weight->value +
                                        ", but no document of the database has a text in '" + name +
                                        "' (no term begins with " + field.prefix + "): " + there() +
                                        remedy);
      }
    }
    if (finds_any || names_any) return;
    settings_.complain({.key = "prefixes", .value = {}, .place = {}},
                       "the database has no terms of any field of 'prescope index' (prefixes S, "
                       "XA, XC, XD); name the prefixes of its own fields: prefixes.title = ...");
  }

  void check_share(const std::string& name) {
    const auto field = std::ranges::find(*passport_.fields, name, &IndexPassport::Field::name);
    if (field == passport_.fields->end()) return;
    const std::string rare = rare_field_note(*field, database_.get_doccount());
    if (!rare.empty()) note(rare);
  }

  /// Every weighting scheme reads how often a term occurs and how long documents are; terms that
  /// were added as boolean terms have neither.
  void check_frequencies() {
    if (database_.get_total_length() > 0) return;
    const std::string why =
        "the database does not keep how often a term occurs in a document, nor how long documents "
        "are: its terms are boolean";
    bool is_said = false;
    for (const ArmSetting& setting : arm_.settings) {
      const bool is_weight = setting.key.find('.') == std::string::npos && setting.key != "stemmer";
      const bool reads = setting.value != "bool" && setting.value != "coord";
      if (!is_weight || !reads) continue;
      is_said = true;
      settings_.complain(setting, setting.key + " = " + setting.value + " reads it, but " + why +
                                      "; remove the setting, or index the texts with frequencies");
    }
    if (!is_said) note(why + ".");
  }

  void check_stemmer() {
    const ArmSetting* const setting = settings_.find("stemmer");
    const std::string wanted = analyzer_name(options_.stemmer);
    if (passport_.analyzer == wanted) return;
    if (!passport_.analyzer) return try_stemmer();
    const std::string found = "the database holds terms made as " + *passport_.analyzer +
                              ", but queries of this arm are made as " + wanted +
                              ": words that become other terms are not found";
    if (setting == nullptr) return note(found + "; set stemmer, or index the documents again.");
    settings_.complain(*setting, "stemmer = '" + setting->value + "': " + found +
                                     "; remove the setting, or index the documents again");
  }

  /// Looks whether the words of a database of unknown origin are stems.
  void try_stemmer() {
    constexpr std::size_t kFewest = 20;
    constexpr double kOfStems = 0.95, kOfWords = 0.85;
    std::set<std::string> words;
    for (const RankerOptions::Field& field : options_.fields) {
      words.merge(words_of(database_, field.prefix));
    }
    const bool wants_stems = options_.stemmer != "none";
    const std::string language = wants_stems ? options_.stemmer : "english";
    const std::size_t stems = stems_among(words, language);
    const double share = static_cast<double>(stems) / static_cast<double>(words.size());
    const std::string found =
        share_words(stems, words.size()) + " words of its texts are stems of " + language;
    if (words.size() < kFewest) {
      note(
          "the database does not say how its terms were made, and has too few words to tell; "
          "queries of this arm are made with stemmer = " +
          options_.stemmer + ".");
    } else if (wants_stems && share < kOfWords) {
      note("the database does not hold stems of " + language + " (" + found +
           "), but queries of this arm do: words that the stemmer changes are not found; set "
           "stemmer as the database was made.");
    } else if (!wants_stems && share >= kOfStems) {
      note("the database seems to hold stems (" + found +
           "), but queries of this arm are not stemmed: other forms of a word are not found; set "
           "stemmer as the database was made.");
    }
  }

  const Xapian::Database& database_;
  const ArmConfig& arm_;
  const RankerOptions& options_;
  const IndexPassport passport_;
  ArmSettings settings_;
  std::vector<std::string> notes_;
};

}  // namespace

std::string analyzer_name(const std::string& stemmer) {
  return "words in lower case without English stop words, " +
         (stemmer == "none" ? std::string("not stemmed") : "stemmer " + stemmer);
}

IndexPassport passport_of(const Xapian::Database& database) {
  IndexPassport passport =
      read_passport([&](const std::string& name) { return database.get_metadata(name); },
                    database.get_doccount());
  if (passport.fields) return passport;
  passport.fields.emplace();
  for (const TextField& field : kTextFields) {
    if (has_terms(database, field.prefix)) {
      passport.fields->push_back({std::string(field.setting), {}});
    }
  }
  return passport;
}

std::uint64_t digest_of_terms(const Xapian::Document& document) {
  std::uint64_t digest = 0;
  const auto end = document.termlist_end();
  for (auto term = document.termlist_begin(); term != end; ++term) {
    if ((*term).starts_with(kDocnoPrefix)) continue;
    digest = text_hash(std::to_string(term.get_wdf()), text_hash(*term, digest));
  }
  return digest;
}

std::vector<std::string> check_settings(const Xapian::Database& database, const ArmConfig& arm,
                                        const RankerOptions& options) {
  return Check(database, arm, options).run();
}

}  // namespace prescope::xapian
