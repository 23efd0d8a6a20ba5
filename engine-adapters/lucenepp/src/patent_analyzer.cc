#include "prescope/lucenepp/patent_analyzer.h"

#include <lucene++/LuceneHeaders.h>

#include <lucene++/CharArraySet.h>
#include <lucene++/CharFolder.h>
#include <lucene++/CharTokenizer.h>
#include <lucene++/UnicodeUtils.h>

namespace prescope::lucenepp {
namespace {

using Lucene::String;  // for LUCENE_CLASS

/// Runs of letters and digits, lower case.
class WordTokenizer : public Lucene::CharTokenizer {
 public:
  explicit WordTokenizer(const Lucene::ReaderPtr& text) : Lucene::CharTokenizer(text) {}
  LUCENE_CLASS(WordTokenizer)

 protected:
  bool isTokenChar(wchar_t c) override { return Lucene::UnicodeUtil::isAlnum(c); }
  wchar_t normalize(wchar_t c) override { return Lucene::CharFolder::toLower(c); }
};

class PatentAnalyzer : public Lucene::Analyzer {
 public:
  PatentAnalyzer()
      : stop_words_(Lucene::newLucene<Lucene::CharArraySet>(
            Lucene::StopAnalyzer::ENGLISH_STOP_WORDS_SET(), false)) {}
  LUCENE_CLASS(PatentAnalyzer)

  Lucene::TokenStreamPtr tokenStream(const String&, const Lucene::ReaderPtr& reader) override {
    const auto words = Lucene::newLucene<WordTokenizer>(reader);
    const auto telling = Lucene::newLucene<Lucene::StopFilter>(true, words, stop_words_);
    return Lucene::newLucene<Lucene::PorterStemFilter>(telling);
  }

 private:
  Lucene::CharArraySetPtr stop_words_;
};

}  // namespace

Lucene::AnalyzerPtr patent_analyzer() { return Lucene::newLucene<PatentAnalyzer>(); }

}  // namespace prescope::lucenepp
