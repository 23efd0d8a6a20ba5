#include "patent_terms.h"

#include <algorithm>

namespace prescope::xapian {
namespace {

/// The words of Lucene's StopAnalyzer, ascending.
constexpr std::array<std::string_view, 33> kStopWords{
    "a",   "an",    "and",  "are",   "as",    "at",   "be",   "but", "by",  "for",  "if",
    "in",  "into",  "is",   "it",    "no",    "not",  "of",   "on",  "or",  "such", "that",
    "the", "their", "then", "there", "these", "they", "this", "to",  "was", "will", "with"};

/// Plain data, so that threads can share one.
class StopWords : public Xapian::Stopper {
 public:
  bool operator()(const std::string& term) const override {
    return std::find(kStopWords.begin(), kStopWords.end(), term) != kStopWords.end();
  }
};

const Xapian::Stopper& stop_words() {
  static const StopWords kWords;
  return kWords;
}

}  // namespace

Xapian::TermGenerator term_generator(const std::string& stemmer) {
  Xapian::TermGenerator generator;
  generator.set_stemmer(Xapian::Stem(stemmer));
  generator.set_stemming_strategy(stemmer == "none" ? Xapian::TermGenerator::STEM_NONE
                                                    : Xapian::TermGenerator::STEM_ALL);
  generator.set_stopper(&stop_words());
  generator.set_stopper_strategy(Xapian::TermGenerator::STOP_ALL);
  return generator;
}

std::vector<TermCount> terms_of(std::string_view text, const std::string& stemmer) {
  Xapian::TermGenerator generator = term_generator(stemmer);
  generator.index_text_without_positions(Xapian::Utf8Iterator(text.data(), text.size()));
  const Xapian::Document& scratch = generator.get_document();
  std::vector<TermCount> terms;
  const auto end = scratch.termlist_end();
  for (auto term = scratch.termlist_begin(); term != end; ++term) {
    terms.push_back({*term, term.get_wdf()});
  }
  return terms;
}

}  // namespace prescope::xapian
