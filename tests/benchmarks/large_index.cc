#include "benchmarks/large_index.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <random>
#include <set>

#include <lucene++/SerialMergeScheduler.h>

namespace prescope::benchmarks {
namespace {

constexpr int kVocabulary = 50'000;
constexpr int kWords = 150;
// Words at the head of the law are stop words, which are not indexed.
constexpr double kHead = 500.0;

/// A document's words, the same whenever they are asked for.
std::array<int, kWords> words(std::uint32_t document) {
  std::mt19937 random(document);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  std::array<int, kWords> words{};
  for (int& word : words) {
    const double spread = (kVocabulary + kHead) / kHead;
    word = static_cast<int>(kHead * (std::pow(spread, uniform(random)) - 1.0));
  }
  return words;
}

std::wstring name(int word) { return L"w" + std::to_wstring(word); }

Lucene::TermPtr docno_term(std::uint32_t document) {
  return Lucene::newLucene<Lucene::Term>(
      L"docno", Lucene::StringUtils::toUnicode(LargeIndex::docno(document)));
}

Lucene::DocumentPtr make_document(std::uint32_t number) {
  using Lucene::Field;
  std::wstring text;
  for (const int word : words(number)) text += name(word) + L" ";
  const auto document = Lucene::newLucene<Lucene::Document>();
  document->add(Lucene::newLucene<Field>(L"docno",
                                         Lucene::StringUtils::toUnicode(LargeIndex::docno(number)),
                                         Field::STORE_YES, Field::INDEX_NOT_ANALYZED_NO_NORMS));
  document->add(Lucene::newLucene<Field>(L"text", text, Field::STORE_NO, Field::INDEX_ANALYZED));
  return document;
}

/// Segments stay as they are written.
Lucene::IndexWriterPtr open_writer(const Lucene::DirectoryPtr& directory, bool create) {
  const auto writer = Lucene::newLucene<Lucene::IndexWriter>(
      directory, Lucene::newLucene<Lucene::WhitespaceAnalyzer>(), create,
      Lucene::IndexWriter::MaxFieldLengthUNLIMITED);
  writer->setMergeScheduler(Lucene::newLucene<Lucene::SerialMergeScheduler>());
  writer->setMergeFactor(1000);
  writer->setRAMBufferSizeMB(512.0);
  return writer;
}

}  // namespace

LargeIndex& LargeIndex::instance() {
  static LargeIndex index;
  return index;
}

LargeIndex::LargeIndex() : directory_(Lucene::newLucene<Lucene::RAMDirectory>()) {
  std::fprintf(stderr, "indexing %u synthetic patents ...\n", kDocuments);
  for (std::uint32_t segment = 0; segment < kSegments; ++segment) {
    add(next_document_, (kDocuments - next_document_) / (kSegments - segment));
  }
  reader_ = Lucene::IndexReader::open(directory_, true);
}

void LargeIndex::add(std::uint32_t first, std::uint32_t count) {
  const auto writer = open_writer(directory_, first == 0);
  for (std::uint32_t number = first; number < first + count; ++number) {
    writer->addDocument(make_document(number));
  }
  writer->close();
  next_document_ = first + count;
}

void LargeIndex::change_overnight() {
  const auto writer = open_writer(directory_, false);
  for (int i = 0; i < 500; ++i) {
    writer->deleteDocuments(docno_term(next_deleted_));
    next_deleted_ = (next_deleted_ + 61) % kDocuments;
  }
  writer->close();
  add(next_document_, 1000);
}

std::string LargeIndex::docno(std::uint32_t document) {
  return "EP" + std::to_string(1'000'000 + document) + "A1";
}

Lucene::QueryPtr LargeIndex::query(std::uint32_t document) {
  const auto query = Lucene::newLucene<Lucene::BooleanQuery>();
  std::set<int> used;
  for (const int word : words(document)) {
    if (used.size() == kQueryTerms || !used.insert(word).second) continue;
    query->add(
        Lucene::newLucene<Lucene::TermQuery>(Lucene::newLucene<Lucene::Term>(L"text", name(word))),
        Lucene::BooleanClause::SHOULD);
  }
  return query;
}

Qrels citations() {
  std::vector<Qrels::Line> lines;
  for (std::uint32_t i = 0; i < 13'000; ++i) {
    // 15 is coprime to the collection's size and spreads over all of it.
    const std::uint32_t document = i * 15 % LargeIndex::kDocuments;
    lines.push_back(
        {TopicId{"T" + std::to_string(i % 500)}, Docno{LargeIndex::docno(document)}, 1});
  }
  return Qrels::from_lines(lines, {.docno = DocnoPolicy::kPatent});
}

}  // namespace prescope::benchmarks
