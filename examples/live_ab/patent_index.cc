#include "patent_index.h"

#include <cstdlib>
#include <stdexcept>
#include <string>

#include "prescope/lucenepp/patent_analyzer.h"

#include <lucene++/MMapDirectory.h>
#include <lucene++/SerialMergeScheduler.h>

namespace live_ab {
namespace {

using Lucene::Field;

std::wstring wide(const std::string& text) { return Lucene::StringUtils::toUnicode(text); }

std::filesystem::path scratch_folder() {
  std::string name = (std::filesystem::temp_directory_path() / "live_ab.XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) {
    throw std::runtime_error(name + ": cannot make a folder for the index");
  }
  return name;
}

Lucene::TermPtr docno_term(const Patent& patent) {
  return Lucene::newLucene<Lucene::Term>(kDocnoField, wide(patent.docno));
}

Lucene::DocumentPtr document_of(const Patent& patent) {
  const auto document = Lucene::newLucene<Lucene::Document>();
  document->add(Lucene::newLucene<Field>(kDocnoField, wide(patent.docno), Field::STORE_YES,
                                         Field::INDEX_NOT_ANALYZED_NO_NORMS));
  document->add(Lucene::newLucene<Field>(kTitleField, wide(patent.title), Field::STORE_NO,
                                         Field::INDEX_ANALYZED));
  document->add(Lucene::newLucene<Field>(kTextField, wide(patent.text), Field::STORE_NO,
                                         Field::INDEX_ANALYZED));
  return document;
}

constexpr std::uint32_t kChanged = 40;          // patents of one commit
constexpr std::uint32_t kCommitsPerMerge = 12;  // after so many, down to a few segments

}  // namespace

PatentIndex::PatentIndex(const std::vector<Patent>& patents, std::uint64_t seed)
    : patents_(patents),
      random_(seed),
      folder_(scratch_folder()),
      directory_(Lucene::newLucene<Lucene::MMapDirectory>(wide(folder_.string()))),
      writer_(Lucene::newLucene<Lucene::IndexWriter>(directory_,
                                                     prescope::lucenepp::patent_analyzer(), true,
                                                     Lucene::IndexWriter::MaxFieldLengthUNLIMITED)),
      indexed_(patents.size()) {
  // Merges run on the thread of the writer, concurrently with searches.
  writer_->setMergeScheduler(Lucene::newLucene<Lucene::SerialMergeScheduler>());
  for (std::size_t i = 0; i < patents_.size(); ++i) {
    if (i % 10 != 9) add(i);
  }
  writer_->commit();
}

PatentIndex::~PatentIndex() {
  try {
    writer_->close();
  } catch (...) {  // the folder goes anyway
  }
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

Lucene::IndexReaderPtr PatentIndex::open() const {
  return Lucene::IndexReader::open(directory_, true);
}

void PatentIndex::add(std::size_t patent) {
  writer_->addDocument(document_of(patents_[patent]));
  indexed_[patent] = true;
}

void PatentIndex::remove(std::size_t patent) {
  writer_->deleteDocuments(docno_term(patents_[patent]));
  indexed_[patent] = false;
}

void PatentIndex::change() {
  for (std::uint32_t i = 0; i < kChanged; ++i) {
    const std::size_t patent = random_.below(patents_.size());
    if (!indexed_[patent]) {
      add(patent);
    } else if (random_.chance(100)) {  // about as many as come back
      remove(patent);
    } else {
      writer_->updateDocument(docno_term(patents_[patent]), document_of(patents_[patent]));
    }
  }
  if (++changes_ % kCommitsPerMerge == 0) writer_->optimize(3);
  writer_->commit();
}

}  // namespace live_ab
