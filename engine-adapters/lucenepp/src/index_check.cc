#include "index_check.h"

#include <algorithm>
#include <set>

#include "patent_fields.h"
#include "prescope/arm_settings.h"
#include "prescope/lucenepp/patent_analyzer.h"
#include "text.h"

#include <lucene++/LuceneHeaders.h>

#include <lucene++/TermAttribute.h>

namespace prescope::lucenepp {
namespace {

/// A setting that reads something of the index: with it, the ranking differs from one without.
struct Reads {
  std::string_view setting;
  std::string_view what;  // in words
  bool (*has)(const Lucene::IndexReaderPtr& reader, const std::wstring& field);
};

bool has_frequencies(const Lucene::IndexReaderPtr& reader, const std::wstring& field) {
  return !reader->getFieldNames(Lucene::IndexReader::FIELD_OPTION_OMIT_TERM_FREQ_AND_POSITIONS)
              .contains(field);
}

bool has_lengths(const Lucene::IndexReaderPtr& reader, const std::wstring& field) {
  return reader->hasNorms(field);
}

constexpr Reads kReads[] = {{"ranker", "how often a term occurs in a document", has_frequencies},
                            {"k1", "how often a term occurs in a document", has_frequencies},
                            {"b", "how long documents are", has_lengths}};

/// Counts the terms of stored texts that the index has in the same document and field.
struct Tried {
  std::uint64_t terms = 0, found = 0;

  void add(const Lucene::IndexReaderPtr& reader, const Lucene::AnalyzerPtr& analyzer,
           const std::wstring& field, std::int32_t docid, const std::wstring& text) {
    constexpr std::size_t kMostTerms = 20;
    const auto stream = analyzer->tokenStream(field, Lucene::newLucene<Lucene::StringReader>(text));
    const auto token = stream->addAttribute<Lucene::TermAttribute>();
    std::set<std::wstring> distinct;
    while (distinct.size() < kMostTerms && stream->incrementToken()) distinct.insert(token->term());
    for (const std::wstring& term : distinct) {
      const auto postings = reader->termDocs(Lucene::newLucene<Lucene::Term>(field, term));
      ++terms;
      if (postings->skipTo(docid) && postings->doc() == docid) ++found;
    }
  }
};

/// Analyses the stored texts of some documents again. An index that was made with this analyzer has
/// every term.
Tried try_analyzer(const Lucene::IndexReaderPtr& reader, const RankerOptions& options) {
  constexpr std::int32_t kDocuments = 20;
  const auto analyzer = options.analyzer ? options.analyzer : patent_analyzer();
  const std::int32_t all = reader->maxDoc();
  const std::int32_t step = std::max(1, all / kDocuments);
  Tried tried;
  for (std::int32_t docid = 0; docid < all; docid += step) {
    if (reader->isDeleted(docid)) continue;
    const Lucene::DocumentPtr document = reader->document(docid);
    for (const RankerOptions::Field& field : options.fields) {
      const std::wstring text = document->get(field.name);
      if (!text.empty()) tried.add(reader, analyzer, field.name, docid, text);
    }
  }
  return tried;
}

class Check {
 public:
  Check(const Lucene::IndexReaderPtr& reader, const ArmConfig& arm, const RankerOptions& options)
      : reader_(reader),
        arm_(arm),
        options_(options),
        passport_(passport_of(reader)),
        settings_(arm, ranker_keys()) {}

  std::vector<std::string> run() {
    if (reader_->numDocs() == 0) return {};
    check_fields();
    for (const Reads& one : kReads) check_read(one);
    settings_.throw_if_any();
    check_analyzer();
    return std::move(notes_);
  }

 private:
  [[nodiscard]] const IndexPassport::Field* find(std::string_view name) const {
    const auto found = std::ranges::find(*passport_.fields, name, &IndexPassport::Field::name);
    return found == passport_.fields->end() ? nullptr : &*found;
  }

  [[nodiscard]] std::uint64_t documents() const {
    return static_cast<std::uint64_t>(reader_->numDocs());
  }

  [[nodiscard]] std::string there() const {
    std::string names;
    for (const IndexPassport::Field& field : *passport_.fields) {
      names += (names.empty() ? "" : ", ") + field.name;
    }
    return names.empty() ? "it has none of those that prescope searches" : "it has " + names;
  }

  void note(const std::string& what) {
    std::string sentence = "arm '" + arm_.id.text() + "': " + what;
    if (std::ranges::count(notes_, sentence) == 0) notes_.push_back(std::move(sentence));
  }

  void check_fields() {
    bool names_any = false;
    for (const TextField& field : kTextFields) {
      const std::string name(field.setting);
      const ArmSetting* const setting = settings_.find("fields." + name);
      if (setting == nullptr) continue;
      names_any = true;
      const IndexPassport::Field* const found = find(name);
      if (found == nullptr) {
        settings_.complain(*setting, setting->key + " = " + setting->value +
                                         ", but no document of the index has a text in '" + name +
                                         "': " + there() +
                                         "; remove the setting, or index documents with this text");
      } else if (std::string rare = rare_field_note(*found, documents()); !rare.empty()) {
        note(rare);
      }
    }
    if (!names_any && passport_.fields->empty()) {
      settings_.complain({.key = "fields", .value = {}, .place = {}},
                         "the index has none of the fields that prescope searches (title, "
                         "abstract, claims, description); index the documents with 'prescope "
                         "index'");
    }
  }

  void check_read(const Reads& reads) {
    std::string without;
    std::size_t missing = 0, searched = 0;
    const auto indexed = reader_->getFieldNames(Lucene::IndexReader::FIELD_OPTION_INDEXED);
    for (const RankerOptions::Field& field : options_.fields) {
      if (!indexed.contains(field.name)) continue;
      ++searched;
      if (reads.has(reader_, field.name)) continue;
      ++missing;
      without += (without.empty() ? "" : ", ") + to_utf8(field.name);
    }
    if (missing == 0) return;
    const std::string why = "the index does not keep " + std::string(reads.what) + " in " + without;
    const ArmSetting* const setting = settings_.find(reads.setting);
    if (setting != nullptr && missing == searched) {
      settings_.complain(*setting, setting->key + " = " + setting->value + " reads it, but " + why +
                                       "; remove the setting, or index again and keep it");
    } else {
      note(why + ", which the ranker reads.");
    }
  }

  void check_analyzer() {
    constexpr double kNearlyAll = 0.95;
    if (passport_.analyzer == kAnalyzerName) return;
    const std::string queries = "queries of this arm are analysed as " + std::string(kAnalyzerName);
    if (passport_.analyzer) {
      return note("the index holds terms made as " + *passport_.analyzer + ", but " + queries +
                  ": words that become other terms are not found; index the documents again.");
    }
    const Tried tried = try_analyzer(reader_, options_);
    if (tried.terms == 0) {
      return note(
          "the index does not say how its texts were analysed, and stores none to try it; " +
          queries + ".");
    }
    if (static_cast<double>(tried.found) >= kNearlyAll * static_cast<double>(tried.terms)) return;
    note("the index was made with another analyzer: it has " +
         share_words(tried.found, tried.terms) + " terms of its own stored texts when " + queries +
         "; words that become other terms are not found.");
  }

  const Lucene::IndexReaderPtr& reader_;
  const ArmConfig& arm_;
  const RankerOptions& options_;
  const IndexPassport passport_;
  ArmSettings settings_;
  std::vector<std::string> notes_;
};

}  // namespace

IndexPassport passport_of(const Lucene::IndexReaderPtr& reader) {
  auto marks = reader->getCommitUserData();
  IndexPassport passport = read_passport(
      [&](const std::string& name) { return marks ? to_utf8(marks.get(to_wide(name))) : ""; },
      static_cast<std::uint64_t>(reader->numDocs()));
  if (passport.fields) return passport;
  const auto indexed = reader->getFieldNames(Lucene::IndexReader::FIELD_OPTION_INDEXED);
  passport.fields.emplace();
  for (const TextField& field : kTextFields) {
    if (indexed.contains(field.name)) passport.fields->push_back({std::string(field.setting), {}});
  }
  return passport;
}

std::vector<std::string> check_settings(const Lucene::IndexReaderPtr& reader, const ArmConfig& arm,
                                        const RankerOptions& options) {
  return Check(reader, arm, options).run();
}

}  // namespace prescope::lucenepp
