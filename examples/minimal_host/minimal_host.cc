// The smallest host: a Lucene++ engine with two ranking configurations, and all that it adds to
// have them compared. What is between the marks is prescope's; the rest is any Lucene++ program.

#include <cstdio>
#include <exception>
#include <string>

#include "prescope/lucenepp/observed_index.h"
#include "prescope/report.h"

#include <lucene++/LuceneHeaders.h>

namespace {

// A made-up citation: the patent application T was given D1 and D3 as prior art by its examiner.
prescope::Qrels citations() {
  using prescope::Docno, prescope::TopicId;
  const prescope::Qrels::Line lines[] = {{TopicId{"T"}, Docno{"D1"}, 1},
                                         {TopicId{"T"}, Docno{"D3"}, 1}};
  return prescope::Qrels::from_lines(lines);
}

void add(const Lucene::IndexWriterPtr& writer, const wchar_t* docno, const wchar_t* text) {
  using Lucene::Field;
  const auto document = Lucene::newLucene<Lucene::Document>();
  document->add(Lucene::newLucene<Field>(L"docno", docno, Field::STORE_YES,
                                         Field::INDEX_NOT_ANALYZED_NO_NORMS));
  document->add(Lucene::newLucene<Field>(L"text", text, Field::STORE_NO, Field::INDEX_ANALYZED));
  writer->addDocument(document);
}

Lucene::IndexReaderPtr make_index() {
  const auto folder = Lucene::newLucene<Lucene::RAMDirectory>();
  const auto writer = Lucene::newLucene<Lucene::IndexWriter>(
      folder, Lucene::newLucene<Lucene::WhitespaceAnalyzer>(), true,
      Lucene::IndexWriter::MaxFieldLengthUNLIMITED);
  add(writer, L"D1", L"brake");
  add(writer, L"D2", L"brake disc");
  add(writer, L"D3", L"brake disc caliper");
  add(writer, L"D4", L"lens");
  writer->close();
  return Lucene::IndexReader::open(folder, true);
}

Lucene::QueryPtr term(const wchar_t* word) {
  return Lucene::newLucene<Lucene::TermQuery>(Lucene::newLucene<Lucene::Term>(L"text", word));
}

void run() {
  const Lucene::IndexReaderPtr reader = make_index();

  // ---- prescope: once
  prescope::Experiment experiment(citations(), {.arms = {"short", "disc"}, .cutoffs = {4}});
  prescope::lucenepp::ObservedIndex index(reader, experiment, {.docno_field = L"docno"});
  // ----

  // Two ranking configurations: "short" prefers short patents, "disc" those with a disc.
  const auto disc_too = Lucene::newLucene<Lucene::BooleanQuery>();
  disc_too->add(term(L"brake"), Lucene::BooleanClause::SHOULD);
  disc_too->add(term(L"disc"), Lucene::BooleanClause::SHOULD);

  for (const char* arm : {"short", "disc"}) {
    const Lucene::IndexSearcherPtr searcher =
        index.searcher(arm);  // prescope: instead of newLucene

    prescope::QueryScope scope(experiment, prescope::TopicId{"T"});  // prescope: one line a query
    const bool is_short = std::string(arm) == "short";
    const Lucene::QueryPtr query = is_short ? term(L"brake") : Lucene::QueryPtr(disc_too);
    const Lucene::TopDocsPtr hits = searcher->search(query, 4);
    std::printf("%s: %d hits\n", arm, hits->totalHits);
  }

  // ---- prescope: whenever somebody asks
  std::fputs(prescope::to_table(*experiment.summary()).c_str(), stdout);
  // ----
}

}  // namespace

int main() {
  try {
    run();
    return 0;
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "minimal_host: %s\n", failure.what());
    return 1;
  }
}
