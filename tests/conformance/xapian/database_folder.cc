#include "conformance/xapian/database_folder.h"

#include <sstream>

namespace prescope::conformance {
namespace {

namespace fs = std::filesystem;

Xapian::WritableDatabase writer(const fs::path& path) {
  return Xapian::WritableDatabase(path.string(), Xapian::DB_CREATE_OR_OPEN);
}

template <class Work>
void for_each_document(const Xapian::Database& database, Work work) {
  const auto end = database.postlist_end("");
  for (auto docid = database.postlist_begin(""); docid != end; ++docid) {
    work(*docid, database.get_document(*docid));
  }
}

}  // namespace

Xapian::Document to_xapian(const Doc& doc, DocnoIn place) {
  Xapian::Document document;
  std::istringstream words(doc.text);
  for (std::string word; words >> word;) document.add_term(word);
  if (place == DocnoIn::kTermAndSlot || place == DocnoIn::kTerm) {
    std::string term = "Q";
    term += doc.docno;
    document.add_boolean_term(term);
  }
  if (place == DocnoIn::kTermAndSlot || place == DocnoIn::kSlot) document.add_value(0, doc.docno);
  document.set_data(doc.docno);
  return document;
}

DatabaseFolder::DatabaseFolder(std::size_t shards) : shards_(shards) {
  for (std::size_t i = 0; i < shards_; ++i) writer(shard(i)).commit();
}

fs::path DatabaseFolder::shard(std::size_t number) const {
  return folder_.path() / std::to_string(number);
}

void DatabaseFolder::add(const std::vector<Doc>& docs) {
  std::vector<Xapian::WritableDatabase> writers;
  for (std::size_t i = 0; i < shards_; ++i) writers.push_back(writer(shard(i)));
  for (const Doc& doc : docs) writers[next_++ % shards_].add_document(to_xapian(doc, docno_in_));
  for (Xapian::WritableDatabase& one : writers) one.commit();
}

void DatabaseFolder::remove(const std::string& docno) {
  for (std::size_t i = 0; i < shards_; ++i) {
    Xapian::WritableDatabase database = writer(shard(i));
    std::vector<Xapian::docid> doomed;
    for_each_document(database, [&](Xapian::docid docid, const Xapian::Document& document) {
      if (document.get_data() == docno) doomed.push_back(docid);
    });
    for (const Xapian::docid docid : doomed) database.delete_document(docid);
    database.commit();
  }
}

void compact_renumbered(const fs::path& database) {
  const auto neighbour = [&](const char* role) {
    fs::path path = database;
    return path += role;
  };
  const fs::path copy = neighbour(".copy");
  const fs::path compacted = neighbour(".compacted");
  const fs::path old = neighbour(".old");
  {
    Xapian::WritableDatabase to = writer(copy);
    for_each_document(Xapian::Database(database.string()),
                      [&](Xapian::docid, const Xapian::Document& one) { to.add_document(one); });
    to.commit();
  }
  Xapian::Database(copy.string()).compact(compacted.string());
  fs::rename(database, old);
  fs::rename(compacted, database);
  fs::remove_all(old);
  fs::remove_all(copy);
}

void DatabaseFolder::compact() {
  for (std::size_t i = 0; i < shards_; ++i) compact_renumbered(shard(i));
}

void DatabaseFolder::move_docnos(DocnoIn in) {
  docno_in_ = in;
  for (std::size_t i = 0; i < shards_; ++i) {
    Xapian::WritableDatabase database = writer(shard(i));
    for_each_document(Xapian::Database(shard(i).string()),
                      [&](Xapian::docid docid, Xapian::Document document) {
                        std::string term = "Q";
                        term += document.get_data();
                        if (database.term_exists(term)) document.remove_term(term);
                        document.remove_value(0);
                        const Xapian::Document name = to_xapian({document.get_data(), ""}, in);
                        if (in != DocnoIn::kSlot && in != DocnoIn::kNowhere) {
                          document.add_boolean_term(term);
                        }
                        document.add_value(0, name.get_value(0));
                        database.replace_document(docid, document);
                      });
    database.commit();
  }
}

std::vector<Xapian::Database> DatabaseFolder::open() const {
  std::vector<Xapian::Database> databases;
  for (std::size_t i = 0; i < shards_; ++i) databases.emplace_back(shard(i).string());
  return databases;
}

}  // namespace prescope::conformance
