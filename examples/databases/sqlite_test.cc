// SQLite's full text search under the conformance suite.
#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "sqlite_table.h"
#include "table_subject.h"

namespace prescope::conformance {
namespace {

namespace fs = std::filesystem;

/// A folder that is removed with the object.
class Folder {
 public:
  Folder() {
    if (::mkdtemp(path_.data()) == nullptr) throw std::runtime_error("no scratch folder");
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_ = (fs::temp_directory_path() / "prescope-fts5-XXXXXX").string();
};

class SqliteSubject : public TableSubject<databases::SqliteTable> {
 public:
  SqliteSubject() : writer_(database(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE) {
    writer_.exec("PRAGMA journal_mode = WAL");
    writer_.exec("CREATE VIRTUAL TABLE patents USING fts5(docno UNINDEXED, title, abstract)");
  }
  void compact() override { run("INSERT INTO patents (patents) VALUES ('optimize')"); }

 protected:
  void run(const std::string& sql) override { writer_.exec(sql); }
  [[nodiscard]] std::string values(const std::string& docno,
                                   const std::string& text) const override {
    return docno + ", '', " + text;
  }
  [[nodiscard]] std::string database() const override { return folder_.file("patents.db"); }

 private:
  Folder folder_;
  SQLite::Database writer_;
};

std::unique_ptr<Subject> sqlite_subject() { return std::make_unique<SqliteSubject>(); }

INSTANTIATE_TEST_SUITE_P(Sqlite, Conformance, testing::Values(NamedSubject{"Fts5", sqlite_subject}),
                         name_of);

}  // namespace
}  // namespace prescope::conformance
