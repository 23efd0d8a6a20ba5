#include "conformance/xapian/overtaken_database.h"

#include <stdexcept>

namespace prescope::conformance {
namespace {

constexpr int kMostCommits = 20;

std::string name(const char* prefix, std::uint32_t number) {
  std::string name = prefix;
  return name += std::to_string(number);
}

template <class Work>
std::string thrown_by(Work work) {
  try {
    work();
  } catch (const Xapian::DatabaseError& failure) {
    return failure.get_description();
  }
  return {};
}

}  // namespace

Xapian::MSet search_valve(const Xapian::Database& database) {
  Xapian::Enquire enquire(database);
  enquire.set_query(Xapian::Query("valve"));
  return enquire.get_mset(0, OvertakenDatabase::kDocuments);
}

OvertakenDatabase::OvertakenDatabase() {
  Xapian::WritableDatabase writer(path().string(), Xapian::DB_CREATE);
  for (std::uint32_t number = 0; number < kDocuments; ++number) {
    Xapian::Document document = to_xapian({name("D", number), "valve"});
    for (std::uint32_t i = 0; i < 60; ++i) {
      document.add_term(name("w", (number * 61 + i * 17) % 3000));
    }
    writer.add_document(document);
  }
  writer.commit();
}

void OvertakenDatabase::commit_other_documents() {
  Xapian::WritableDatabase writer(path().string(), Xapian::DB_OPEN);
  writer.delete_document("QD0");
  for (std::uint32_t number = 0; number < kDocuments; ++number) {
    Xapian::Document document = to_xapian({name("X", number), "pump"});
    for (std::uint32_t i = 0; i < 60; ++i) document.add_term(name("w", i * 50));
    writer.add_document(document);
  }
  // Moves the blocks of the documents that are there.
  for (Xapian::docid docid = 2; docid < kDocuments; docid += 3) {
    Xapian::Document document = writer.get_document(docid);
    document.add_boolean_term(name("v", docid));
    writer.replace_document(docid, document);
  }
  writer.commit();
}

std::string OvertakenDatabase::overtake() {
  // Xapian remembers the blocks that it read last, so each try has readers of its own.
  struct Readers {
    Xapian::Database searching;
    Xapian::MSet reading;
  };
  std::vector<Readers> readers;
  for (int i = 0; i < kMostCommits; ++i) readers.push_back({open(), search_valve(open())});
  for (const Readers& reader : readers) {
    commit_other_documents();
    const std::string while_reading = thrown_by([&] {
      for (auto hit = reader.reading.begin(); hit != reader.reading.end(); ++hit) {
        static_cast<void>(hit.get_document().termlist_count());
      }
    });
    const std::string while_searching =
        thrown_by([&] { static_cast<void>(search_valve(reader.searching)); });
    if (!while_reading.empty() && !while_searching.empty()) return while_searching;
  }
  throw std::runtime_error("a reader did not fall behind");
}

}  // namespace prescope::conformance
