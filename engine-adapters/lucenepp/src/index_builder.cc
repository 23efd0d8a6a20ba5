#include <filesystem>
#include <string>

#include "patent_fields.h"
#include "prescope/lucenepp/patent_analyzer.h"
#include "prescope/pending_folder.h"
#include "text.h"

#include <lucene++/LuceneHeaders.h>

#include <lucene++/IndexFileNameFilter.h>
#include <lucene++/SerialMergeScheduler.h>

namespace prescope::lucenepp {
namespace {

namespace fs = std::filesystem;

/// The key that marks a commit by prescope in Lucene++'s commit user data.
constexpr const wchar_t* kMadeBy = L"made by";
constexpr const wchar_t* kPrescope = L"prescope";

constexpr const char* kWriteLock = "write.lock";

bool made_by_prescope(const fs::path& folder) {
  try {
    auto marks =
        Lucene::IndexReader::getCommitUserData(Lucene::FSDirectory::open(to_wide(folder.string())));
    return marks && marks.get(kMadeBy) == kPrescope;
  } catch (const Lucene::LuceneException&) {
    return false;
  }
}

/// Returns why a folder must not be replaced by a new index (see PendingFolder); empty if it may
/// be. It may contain only an index that prescope made, and no writer may be at work there.
std::string objection_to_replacing(const fs::path& folder) {
  // Lucene++ 3.0.8 loses the lock on the file as soon as it has it (it closes a second descriptor),
  // so only the file's existence shows that a writer is at work.
  if (fs::exists(folder / kWriteLock)) {
    return "locked by an index writer; wait until it has finished, or, where none is running any "
           "more, remove its file write.lock";
  }
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (!Lucene::IndexFileNameFilter::accept(L"", to_wide(name))) {
      return "holds '" + name +
             "', which is no part of an index; choose an empty or new "
             "folder";
    }
  }
  if (!made_by_prescope(folder)) {
    return "holds an index that prescope did not make, or a damaged one; choose another "
           "folder, or remove it first";
  }
  return {};
}

using Lucene::Field;

constexpr double kBufferMegabytes = 64.0;

Lucene::IndexWriterPtr open_writer(const std::filesystem::path& folder) {
  const auto directory = Lucene::FSDirectory::open(to_wide(folder.string()));
  const auto writer =
      Lucene::newLucene<Lucene::IndexWriter>(Lucene::DirectoryPtr(directory), patent_analyzer(),
                                             true, Lucene::IndexWriter::MaxFieldLengthUNLIMITED);
  // The concurrent one can crash if a writer ends early.
  writer->setMergeScheduler(Lucene::newLucene<Lucene::SerialMergeScheduler>());
  writer->setRAMBufferSizeMB(kBufferMegabytes);
  return writer;
}

void add_field(const Lucene::DocumentPtr& to, const wchar_t* name, std::string_view text,
               Field::Store store, Field::Index index) {
  if (text.empty()) return;
  to->add(Lucene::newLucene<Field>(name, to_wide(text), store, index));
}

Lucene::DocumentPtr to_lucene(const PatentDocument& patent) {
  const auto document = Lucene::newLucene<Lucene::Document>();
  add_field(document, kDocnoField, patent.docno.text(), Field::STORE_YES,
            Field::INDEX_NOT_ANALYZED_NO_NORMS);
  add_field(document, kTitleField, patent.title, Field::STORE_YES, Field::INDEX_ANALYZED);
  add_field(document, kAbstractField, patent.abstract, Field::STORE_YES, Field::INDEX_ANALYZED);
  add_field(document, kClaimsField, patent.claims, Field::STORE_NO, Field::INDEX_ANALYZED);
  add_field(document, kDescriptionField, patent.description, Field::STORE_NO,
            Field::INDEX_ANALYZED);
  for (const std::string& symbol : patent.ipc) {
    add_field(document, kIpcField, symbol, Field::STORE_YES, Field::INDEX_NOT_ANALYZED_NO_NORMS);
  }
  for (const Docno& member : patent.family) {
    add_field(document, kFamilyField, member.text(), Field::STORE_YES, Field::INDEX_NO);
  }
  add_field(document, kDigestField, std::to_string(digest_of(patent)), Field::STORE_YES,
            Field::INDEX_NO);
  return document;
}

void require_docno(const Docno& docno) {
  if (docno.empty()) {
    throw Error(ErrorCode::kBadInput,
                "a document without a docno; each needs a publication number");
  }
  // Lucene++ would leave out a longer term without a word.
  const auto longest = static_cast<std::size_t>(Lucene::IndexWriter::MAX_TERM_LENGTH());
  if (docno.text().size() > longest) {
    throw Error(ErrorCode::kBadInput, "a docno of " + std::to_string(docno.text().size()) +
                                          " bytes; expected at most " + std::to_string(longest));
  }
}

class LuceneIndexBuilder : public IndexBuilder {
 public:
  explicit LuceneIndexBuilder(const fs::path& folder) : pending_(folder, objection_to_replacing) {
    writer_ =
        in_engine(pending_.folder().string(), [&] { return open_writer(pending_.workplace()); });
  }
  ~LuceneIndexBuilder() override {
    if (!writer_) return;
    try {
      writer_->rollback();
    } catch (...) {  // leftovers are removed with the pending index
    }
  }

  void add(const PatentDocument& document) override {
    require_docno(document.docno);
    in_engine(document.docno.text(), [&] { writer().addDocument(to_lucene(document)); });
    passport_.add(document);
  }

  std::uint64_t finish() override {
    const auto documents = in_engine(pending_.folder().string(), [&] {
      auto marks = Lucene::MapStringString::newInstance();
      marks.put(kMadeBy, kPrescope);
      for (const auto& [name, value] : passport_.entries(kAnalyzerName)) {
        marks.put(to_wide(name), to_wide(value));
      }
      writer().commit(marks);
      const int32_t written = writer().numDocs();
      writer().close();
      return static_cast<std::uint64_t>(written);
    });
    writer_.reset();
    pending_.publish();
    return documents;
  }

 private:
  [[nodiscard]] Lucene::IndexWriter& writer() const {
    if (writer_) return *writer_;
    throw Error(ErrorCode::kEngine, pending_.folder().string() + ": already finished");
  }

  PendingFolder pending_;
  PassportRecorder passport_;
  Lucene::IndexWriterPtr writer_;  // null once finished
};

}  // namespace

std::unique_ptr<IndexBuilder> create_index(const std::filesystem::path& folder) {
  return std::make_unique<LuceneIndexBuilder>(folder);
}

}  // namespace prescope::lucenepp
