#include "conformance/xapian/churn.h"

#include <chrono>
#include <utility>

namespace prescope::conformance {
namespace {

namespace fs = std::filesystem;

constexpr int kDocuments = 400;
// Makes tables of many blocks: Xapian keeps a single one in memory and would never notice changes.
constexpr int kOtherWords = 50;

std::string docno(std::mt19937& random) {
  std::string docno = "EP";
  docno += std::to_string(random() % Churn::kNumbers);
  docno += random() % 2 == 0 ? "A1" : "B1";
  return docno;
}

Xapian::Document document(std::mt19937& random) {
  Xapian::Document document = to_xapian({docno(random), ""});
  const auto count = static_cast<Xapian::termcount>(1 + random() % 40);
  document.add_term("valve", count);
  document.add_term("XAvalv", count);
  document.add_term("XApump", 40 - count);
  for (int i = 0; i < kOtherWords; ++i) {
    const std::string word = Churn::word(random());
    document.add_term(word);
    document.add_term(std::string("XA") += word);
  }
  return document;
}

void add(Xapian::WritableDatabase& database, int documents, std::mt19937& random) {
  for (int i = 0; i < documents; ++i) database.add_document(document(random));
}

}  // namespace

std::string Churn::word(std::uint64_t number) {
  std::string word = "w";
  return word += std::to_string(number % 2000);
}

Churn::Churn(fs::path database) : database_(std::move(database)), thread_([this] { run(); }) {}

Churn::~Churn() {
  stop_ = true;
  thread_.join();
}

void Churn::make(const fs::path& database) {
  std::mt19937 random(77);
  Xapian::WritableDatabase writer(database.string(), Xapian::DB_CREATE);
  add(writer, kDocuments, random);
  writer.commit();
}

void Churn::run() {
  while (!stop_) {
    commit_something();
    std::this_thread::sleep_for(std::chrono::microseconds(random_() % 4000));
    if (random_() % 8 == 0) swap();
  }
}

void Churn::commit_something() {
  Xapian::WritableDatabase writer(database_.string(), Xapian::DB_OPEN | Xapian::DB_NO_SYNC);
  for (auto commits = 1 + random_() % 4; commits > 0; --commits) {
    for (auto changes = 1 + random_() % 20; changes > 0; --changes) change(writer);
    const auto documents = static_cast<int>(writer.get_doccount());
    if (documents < kDocuments) add(writer, kDocuments - documents, random_);
    writer.commit();
  }
}

void Churn::change(Xapian::WritableDatabase& database) {
  const auto docid = static_cast<Xapian::docid>(1 + random_() % database.get_lastdocid());
  switch (random_() % 4) {
    case 0:
      return add(database, 1, random_);
    case 1:
      return database.replace_document(docid, document(random_));
    case 2: {
      std::string term = "Q";
      term += docno(random_);
      return database.delete_document(term);
    }
    default:
      try {
        database.delete_document(docid);
      } catch (const Xapian::DocNotFoundError&) {  // was deleted before
      }
  }
}

void Churn::swap() {
  compact_renumbered(database_);
  ++swaps_;
}

}  // namespace prescope::conformance
