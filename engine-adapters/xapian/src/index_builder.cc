#include <filesystem>
#include <optional>
#include <string>

#include "index_check.h"
#include "patent_terms.h"
#include "prescope/pending_folder.h"
#include "stored_patent.h"
#include "text.h"

namespace prescope::xapian {
namespace {

namespace fs = std::filesystem;

/// The database metadata by which prescope knows its own.
constexpr const char* kMadeBy = "made by";
constexpr const char* kPrescope = "prescope";

bool is_database_file(const fs::path& file) {
  return file.extension() == ".glass" || file.filename() == "iamglass" ||
         file.filename() == "flintlock";
}

/// Returns why a folder must not be replaced by a new database (see PendingFolder); empty if it may
/// be. It may contain only a database that prescope made, and no writer may be at work there.
std::string objection_to_replacing(const fs::path& folder) {
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (is_database_file(entry.path())) continue;
    std::string message = "holds '";
    message += entry.path().filename().string();
    message += "', which is no part of a database; choose an empty or new folder";
    return message;
  }
  try {
    const Xapian::Database database(folder.string());
    if (database.locked()) return "locked by an index writer; wait until it has finished";
    if (database.get_metadata(kMadeBy) == kPrescope) return {};
  } catch (const Xapian::Error&) {  // said below
  }
  return "holds a database that prescope did not make, or a damaged one; choose another folder, or "
         "remove it first";
}

// Xapian keeps uncommitted documents in memory, several times the size of the text.
constexpr std::size_t kCommitBytes = 32U << 20U;

void require_docno(const Docno& docno) {
  if (docno.empty()) {
    throw Error(ErrorCode::kBadInput,
                "a document without a docno; each needs a publication number");
  }
  constexpr std::size_t kLongest = kLongestTerm - std::string_view(kDocnoPrefix).size();
  if (docno.text().size() > kLongest) {
    throw Error(ErrorCode::kBadInput, "a docno of " + std::to_string(docno.text().size()) +
                                          " bytes; expected at most " + std::to_string(kLongest));
  }
}

/// Symbols too long for a term are kept in the data only; no symbol of a classification is so long.
void add_ipc(Xapian::Document& document, const PatentDocument& patent) {
  for (const std::string& symbol : patent.ipc) {
    std::string term = kIpcPrefix;
    term += symbol;
    if (term.size() <= kLongestTerm) document.add_boolean_term(term);
  }
}

std::array<std::string_view, 4> texts_of(const PatentDocument& patent) {
  return {patent.title, patent.abstract, patent.claims, patent.description};
}

void add_texts(Xapian::TermGenerator& generator, const PatentDocument& patent) {
  const auto texts = texts_of(patent);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    require_utf8(texts[i]);
    generator.index_text_without_positions(Xapian::Utf8Iterator(texts[i].data(), texts[i].size()),
                                           1, kTextFields[i].prefix);
  }
}

Xapian::Document to_xapian(Xapian::TermGenerator& generator, const PatentDocument& patent) {
  Xapian::Document document;
  document.set_data(to_data(patent));
  std::string term = kDocnoPrefix;
  term += patent.docno.text();
  document.add_boolean_term(term);
  document.add_value(kDocnoSlot, patent.docno.text());
  add_ipc(document, patent);
  generator.set_document(document);
  add_texts(generator, patent);
  return generator.get_document();
}

std::size_t bytes_of(const PatentDocument& patent) {
  std::size_t bytes = 0;
  for (const std::string_view text : texts_of(patent)) bytes += text.size();
  return bytes;
}

class XapianIndexBuilder : public IndexBuilder {
 public:
  explicit XapianIndexBuilder(const fs::path& folder)
      : pending_(folder, objection_to_replacing), generator_(term_generator(kStemmer)) {
    in_engine(pending_.folder().string(), [&] {
      writer_.emplace(pending_.workplace().string(), Xapian::DB_CREATE);
      writer_->set_metadata(kMadeBy, kPrescope);
    });
  }

  void add(const PatentDocument& document) override {
    require_docno(document.docno);
    in_engine(document.docno.text(), [&] {
      writer().add_document(to_xapian(generator_, document));
      passport_.add(document);
      uncommitted_bytes_ += bytes_of(document);
      if (uncommitted_bytes_ < kCommitBytes) return;
      writer().commit();
      uncommitted_bytes_ = 0;
    });
  }

  std::uint64_t finish() override {
    const std::uint64_t documents = in_engine(pending_.folder().string(), [&] {
      for (const auto& [name, value] : passport_.entries(analyzer_name(kStemmer))) {
        writer().set_metadata(name, value);
      }
      writer().commit();
      const std::uint64_t written = writer().get_doccount();
      writer().close();
      return written;
    });
    writer_.reset();
    pending_.publish();
    return documents;
  }

 private:
  [[nodiscard]] Xapian::WritableDatabase& writer() {
    if (writer_) return *writer_;
    throw Error(ErrorCode::kEngine, pending_.folder().string() + ": already finished");
  }

  PendingFolder pending_;
  std::optional<Xapian::WritableDatabase> writer_;  // std::nullopt once finished
  Xapian::TermGenerator generator_;
  PassportRecorder passport_;
  std::size_t uncommitted_bytes_ = 0;
};

}  // namespace

std::unique_ptr<IndexBuilder> create_index(const std::filesystem::path& folder) {
  return std::make_unique<XapianIndexBuilder>(folder);
}

}  // namespace prescope::xapian
