// SQLite's FTS5 under the conformance suite.
#include <filesystem>
#include <stdexcept>

#include "conformance/suite.h"
#include "patent_table.h"

namespace prescope::conformance {
namespace {

namespace fs = std::filesystem;

class TableSearcher : public SubjectSearcher {
 public:
  TableSearcher(fts5::ObservedSearcher searcher, const bool& broken)
      : searcher_(std::move(searcher)), broken_(broken) {}

  std::vector<ServedHit> search(const Request& request) override {
    return named(searcher_.search(query_of(request)));
  }
  std::vector<ServedHit> search_unobserved(const Request& request) override {
    return named(searcher_.table().search(query_of(request)));
  }

 private:
  [[nodiscard]] fts5::Query query_of(const Request& request) const {
    const bool by_score = request.order == Request::Order::kScore;
    return {.text = request.word,
            .depth = broken_ ? 0 : request.depth,  // which the engine refuses
            .first_rank = request.first_rank,
            .order = by_score ? fts5::Query::Order::kScore : fts5::Query::Order::kDocno};
  }
  static std::vector<ServedHit> named(const std::vector<fts5::Hit>& hits) {
    std::vector<ServedHit> served;
    for (const fts5::Hit& hit : hits) served.push_back({hit.docno, hit.score});
    return served;
  }

  fts5::ObservedSearcher searcher_;
  const bool& broken_;
};

/// Writes through a connection of its own, as an indexer beside the search service does.
class TableSubject : public Subject {
 public:
  TableSubject() {
    std::string folder = (fs::temp_directory_path() / "prescope-fts5-XXXXXX").string();
    if (::mkdtemp(folder.data()) == nullptr) throw std::runtime_error("no scratch folder");
    folder_ = folder;
    if (sqlite3_open(file().c_str(), &writer_) != SQLITE_OK) throw std::runtime_error(file());
    run("PRAGMA journal_mode = WAL");
    run("CREATE VIRTUAL TABLE patents USING fts5(docno UNINDEXED, title, abstract)");
  }
  ~TableSubject() override {
    observed_.reset();
    sqlite3_close(writer_);
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }

  [[nodiscard]] Traits traits() const override {
    // Each statement reads the newest commit. A docno is a value like any other.
    return {.docids = false, .keeps_generations = false, .docnos_can_fail = false};
  }
  void add(const std::vector<Doc>& docs) override {
    run("BEGIN");
    for (const Doc& doc : docs) {
      run("INSERT INTO patents (docno, title, abstract) VALUES (" + quoted(doc.docno) + ", '', " +
          quoted(doc.text) + ")");
    }
    run("COMMIT");
  }
  void remove(const std::string& docno) override {
    run("DELETE FROM patents WHERE docno = " + quoted(docno));
  }
  void compact() override { run("INSERT INTO patents (patents) VALUES ('optimize')"); }
  void break_engine() override { broken_ = true; }

  void watch(Experiment& experiment) override {
    observed_ = std::make_unique<fts5::ObservedTable>(file(), experiment);
  }
  bool reopen() override { return observed_->reopen(); }
  [[nodiscard]] std::unique_ptr<SubjectSearcher> searcher(std::string_view arm) override {
    return std::make_unique<TableSearcher>(observed_->searcher(arm), broken_);
  }

 private:
  [[nodiscard]] std::string file() const { return (folder_ / "patents.db").string(); }
  static std::string quoted(const std::string& text) {
    std::string quoted = "'";
    for (const char c : text) quoted += c == '\'' ? "''" : std::string(1, c);
    return quoted + "'";
  }
  void run(const std::string& sql) {
    char* why = nullptr;
    if (sqlite3_exec(writer_, sql.c_str(), nullptr, nullptr, &why) == SQLITE_OK) return;
    const std::string message = sql + ": " + why;
    sqlite3_free(why);
    throw std::runtime_error(message);
  }

  fs::path folder_;
  sqlite3* writer_ = nullptr;
  std::unique_ptr<fts5::ObservedTable> observed_;
  bool broken_ = false;
};

std::unique_ptr<Subject> table_subject() { return std::make_unique<TableSubject>(); }

INSTANTIATE_TEST_SUITE_P(SqliteFts5, Conformance,
                         testing::Values(NamedSubject{"Fts5", table_subject}), name_of);

}  // namespace
}  // namespace prescope::conformance
