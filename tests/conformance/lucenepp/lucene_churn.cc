#include "conformance/lucenepp/lucene_churn.h"

#include <lucene++/SerialMergeScheduler.h>

namespace prescope::conformance {
namespace {

constexpr int kDocuments = 300;

std::wstring some_docno(std::mt19937& random) {
  return L"EP" + std::to_wstring(random() % LuceneChurn::kNumbers) +
         (random() % 2 == 0 ? L"A1" : L"B1");
}

Lucene::DocumentPtr some_document(std::mt19937& random) {
  using Lucene::Field;
  std::wstring text;
  for (auto count = 1 + random() % 20; count > 0; --count) text += L"valve ";
  for (auto count = random() % 20; count > 0; --count) text += L"pump ";
  const auto document = Lucene::newLucene<Lucene::Document>();
  document->add(Lucene::newLucene<Field>(L"docno", some_docno(random), Field::STORE_YES,
                                         Field::INDEX_NOT_ANALYZED_NO_NORMS));
  document->add(Lucene::newLucene<Field>(L"text", text, Field::STORE_NO, Field::INDEX_ANALYZED));
  return document;
}

}  // namespace

LuceneChurn::LuceneChurn(const Lucene::DirectoryPtr& directory)
    : writer_(Lucene::newLucene<Lucene::IndexWriter>(
          directory, Lucene::newLucene<Lucene::WhitespaceAnalyzer>(), true,
          Lucene::IndexWriter::MaxFieldLengthUNLIMITED)) {
  // Merges run in the writer's thread, concurrently with searches.
  writer_->setMergeScheduler(Lucene::newLucene<Lucene::SerialMergeScheduler>());
  writer_->setMergeFactor(3);
  add_documents(kDocuments);
  writer_->commit();
  thread_ = std::thread([this] { run(); });
}

LuceneChurn::~LuceneChurn() {
  stop_ = true;
  if (thread_.joinable()) thread_.join();
}

void LuceneChurn::finish() {
  stop_ = true;
  if (thread_.joinable()) thread_.join();
  if (failure_) std::rethrow_exception(failure_);
}

void LuceneChurn::run() {
  try {
    while (!stop_) change();
    writer_->close();
  } catch (...) {
    failure_ = std::current_exception();
  }
}

void LuceneChurn::change() {
  add_documents(20);
  delete_documents(3);
  // Keeps the number of documents bounded.
  if (writer_->numDocs() > 2 * kDocuments) delete_documents(40);
  writer_->commit();
  if (++commits_ % 7 != 0) return;
  writer_->optimize();
  writer_->commit();
  ++optimized_;
}

void LuceneChurn::add_documents(int count) {
  for (int i = 0; i < count; ++i) writer_->addDocument(some_document(random_));
}

void LuceneChurn::delete_documents(int count) {
  for (int i = 0; i < count; ++i) {
    writer_->deleteDocuments(Lucene::newLucene<Lucene::Term>(L"docno", some_docno(random_)));
  }
}

}  // namespace prescope::conformance
