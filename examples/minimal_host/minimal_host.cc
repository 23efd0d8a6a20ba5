// The smallest host: a Lucene++ engine with two ranking configurations, and all that it adds to
// have them compared. What is between the marks is prescope's; the rest is any Lucene++ program.
//
//   minimal_host [observe | paired | split]

#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "prescope/lucenepp/observed_index.h"
#include "prescope/report.h"
#include "prescope/served_request.h"

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

void run(prescope::Mode mode) {
  const Lucene::IndexReaderPtr reader = make_index();

  // Two ranking configurations: "short" prefers short patents, "disc" those with a disc.
  const auto disc_too = Lucene::newLucene<Lucene::BooleanQuery>();
  disc_too->add(term(L"brake"), Lucene::BooleanClause::SHOULD);
  disc_too->add(term(L"disc"), Lucene::BooleanClause::SHOULD);
  const std::vector<Lucene::QueryPtr> queries = {term(L"brake"), disc_too};

  // ---- prescope: once
  prescope::Experiment experiment(citations(),
                                  {.arms = {"short", "disc"}, .cutoffs = {4}, .mode = mode});
  prescope::lucenepp::ObservedIndex index(reader, experiment, {.docno_field = L"docno"});
  const std::vector searchers = {index.searcher("short"), index.searcher("disc")};
  // ----

  // The host's answer to a user. The arm is the host's choice, unless the mode is to split topics.
  const auto answer = [&](const std::string& topic, prescope::ArmIndex arm) {
    const prescope::ServedRequest served(  // prescope: one call a query, the same in every mode
        experiment, {.topic = topic, .arm = arm}, [searchers, queries](prescope::ArmIndex serves) {
          return searchers[serves.value()]->search(queries[serves.value()], 4);
        });
    std::printf("%s: %d hits\n", experiment.arms()[served.arm().value()].text().c_str(),
                (*served)->totalHits);
  };
  answer("T", prescope::ArmIndex{0});
  answer("T", prescope::ArmIndex{1});

  // ---- prescope: whenever somebody asks
  experiment.drain_shadow();
  std::fputs(prescope::to_table(*experiment.summary()).c_str(), stdout);
  // ----
}

prescope::Mode mode_of(std::string_view name) {
  if (name == "paired") return prescope::Mode::kPaired;
  if (name == "split") return prescope::Mode::kSplit;
  if (name == "observe") return prescope::Mode::kObserve;
  throw std::invalid_argument(std::string(name) + ": the modes are observe, paired and split");
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(mode_of(argc > 1 ? argv[1] : "observe"));
    return 0;
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "minimal_host: %s\n", failure.what());
    return 1;
  }
}
