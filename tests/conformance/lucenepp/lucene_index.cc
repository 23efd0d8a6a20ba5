#include "conformance/lucenepp/lucene_index.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include <lucene++/SerialMergeScheduler.h>
#include <lucene++/SimpleFSDirectory.h>

namespace prescope::conformance {
namespace {

std::wstring wide(const std::string& text) { return Lucene::StringUtils::toUnicode(text); }

Lucene::TermPtr docno_term(const std::string& docno) {
  return Lucene::newLucene<Lucene::Term>(L"docno", wide(docno));
}

/// A directory that does not sync files, because waiting for the disk is most of a commit's cost.
class UnsyncedDirectory : public Lucene::SimpleFSDirectory {
  using String = Lucene::String;  // for LUCENE_CLASS

 public:
  explicit UnsyncedDirectory(const std::wstring& path) : Lucene::SimpleFSDirectory(path) {}
  LUCENE_CLASS(UnsyncedDirectory)

  void sync(const std::wstring&) override {}
};

}  // namespace

LuceneIndex::LuceneIndex()
    : folder_(std::make_shared<const ScratchFolder>()),
      directory_(Lucene::newLucene<UnsyncedDirectory>(wide(folder_->path().string()))) {}

Lucene::IndexWriterPtr LuceneIndex::writer() {
  const bool create = !std::exchange(created_, true);
  const auto writer = Lucene::newLucene<Lucene::IndexWriter>(
      directory_, Lucene::newLucene<Lucene::WhitespaceAnalyzer>(), create,
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
    document->add(Lucene::newLucene<Field>(
        L"docno", wide(doc.docno), Field::STORE_YES,
        docno_terms_ ? Field::INDEX_NOT_ANALYZED_NO_NORMS : Field::INDEX_NO));
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

void LuceneIndex::rewrite_without_docno_terms(const std::vector<Doc>& docs) {
  docno_terms_ = false;
  created_ = false;
  add(docs);
}

void LuceneIndex::optimize() {
  const auto writing = writer();
  writing->optimize();
  writing->close();
}

Lucene::IndexReaderPtr LuceneIndex::open() const {
  return Lucene::IndexReader::open(directory_, true);
}

Lucene::QueryPtr term_query(const std::wstring& term) {
  return Lucene::newLucene<Lucene::TermQuery>(Lucene::newLucene<Lucene::Term>(L"text", term));
}

std::vector<ScoredDocid> hits_of(const Lucene::TopDocs& served) {
  std::vector<ScoredDocid> hits;
  for (const Lucene::ScoreDocPtr& hit : served.scoreDocs) {
    hits.push_back({hit->doc, std::isnan(hit->score) ? 0.0 : hit->score});
  }
  return hits;
}

void expect_complete_table(const std::shared_ptr<const ResolvedQrels>& resolved,
                           const std::vector<Lucene::IndexReaderPtr>& readers,
                           const JudgedDocnos& judged) {
  ASSERT_NE(resolved, nullptr);
  std::vector<Resolution> expected;
  std::set<std::uint32_t> missing;
  for (std::uint32_t key = 0; key < judged.num_keys(); ++key) missing.insert(key);
  std::uint32_t base = 0, documents = 0;
  for (const Lucene::IndexReaderPtr& reader : readers) {
    for (std::int32_t docid = 0; docid < reader->maxDoc(); ++docid) {
      if (reader->isDeleted(docid)) continue;
      const Docno docno{Lucene::StringUtils::toUTF8(reader->document(docid)->get(L"docno"))};
      const std::string key = judged.docnos().key(docno);
      for (std::uint32_t i = 0; i < judged.num_keys(); ++i) {
        if (judged.key(i) != key) continue;
        expected.push_back({i, DocId{base + static_cast<std::uint32_t>(docid)}});
        missing.erase(i);
      }
    }
    base += static_cast<std::uint32_t>(reader->maxDoc());
    documents += static_cast<std::uint32_t>(reader->numDocs());
  }
  EXPECT_THAT(resolved->resolutions(), testing::UnorderedElementsAreArray(expected));
  EXPECT_EQ(resolved->collection_size(), documents);
  // A document that is judged no longer is neither.
  std::erase_if(missing, [&](std::uint32_t key) {
    return std::ranges::none_of(judged.qrels().topics(), [&](const TopicQrels& topic) {
      return topic.find(judged.key(key)).has_value();
    });
  });
  EXPECT_THAT(resolved->missing_keys(), testing::ElementsAreArray(missing));
}

}  // namespace prescope::conformance
