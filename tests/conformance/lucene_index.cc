#include "conformance/lucene_index.h"

#include <utility>

#include <lucene++/SerialMergeScheduler.h>

namespace prescope::conformance {
namespace {

std::wstring wide(const std::string& text) { return Lucene::StringUtils::toUnicode(text); }

Lucene::TermPtr docno_term(const std::string& docno) {
  return Lucene::newLucene<Lucene::Term>(L"docno", wide(docno));
}

}  // namespace

Lucene::IndexWriterPtr LuceneIndex::writer() {
  const bool create = !std::exchange(created_, true);
  const auto writer = Lucene::newLucene<Lucene::IndexWriter>(
      Lucene::DirectoryPtr(directory_), Lucene::newLucene<Lucene::WhitespaceAnalyzer>(), create,
      Lucene::IndexWriter::MaxFieldLengthUNLIMITED);
  writer->setMergeScheduler(Lucene::newLucene<Lucene::SerialMergeScheduler>());
  writer->setMergeFactor(1000);
  return writer;
}

void LuceneIndex::add(const std::vector<Doc>& docs) {
  const auto writing = writer();
  for (const Doc& doc : docs) {
    using Lucene::Field;
    const auto document = Lucene::newLucene<Lucene::Document>();
    document->add(Lucene::newLucene<Field>(L"docno", wide(doc.docno), Field::STORE_YES,
                                           Field::INDEX_NOT_ANALYZED_NO_NORMS));
    document->add(
        Lucene::newLucene<Field>(L"text", wide(doc.text), Field::STORE_NO, Field::INDEX_ANALYZED));
    writing->addDocument(document);
  }
  writing->close();
}

void LuceneIndex::remove(const std::string& docno) {
  const auto writing = writer();
  writing->deleteDocuments(docno_term(docno));
  writing->close();
}

void LuceneIndex::undelete_all() {
  const auto reader = Lucene::IndexReader::open(directory_, false);
  reader->undeleteAll();
  reader->close();
}

void LuceneIndex::optimize() {
  const auto writing = writer();
  writing->optimize();
  writing->close();
}

Lucene::IndexReaderPtr LuceneIndex::open() const {
  return Lucene::IndexReader::open(directory_, true);
}

std::vector<Doc> valves(std::uint32_t n) {
  std::vector<Doc> docs;
  for (std::uint32_t i = 1; i <= n; ++i) {
    std::string text;
    for (std::uint32_t word = 0; word < 8; ++word) text += word < i ? "valve " : "pump ";
    docs.push_back({"EP" + std::to_string(i), text});
  }
  return docs;
}

Lucene::QueryPtr term_query(const std::wstring& term) {
  return Lucene::newLucene<Lucene::TermQuery>(Lucene::newLucene<Lucene::Term>(L"text", term));
}

std::vector<ServedHit> hits_of(const Lucene::TopDocs& served) {
  std::vector<ServedHit> hits;
  for (const Lucene::ScoreDocPtr& hit : served.scoreDocs) hits.push_back({hit->doc, hit->score});
  return hits;
}

}  // namespace prescope::conformance
