// PostgreSQL under the conformance suite, on a server of the test's own.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "conformance/suite.h"
#include "patent_database.h"

namespace prescope::conformance {
namespace {

namespace fs = std::filesystem;

/// A server in a folder of its own, which listens at a socket in that folder. It runs until the
/// program ends.
class Server {
 public:
  static const std::string& place() {
    static const Server server;
    return server.place_;
  }

 private:
  Server() {
    std::string folder = "/tmp/prescope-pg-XXXXXX";
    if (::mkdtemp(folder.data()) == nullptr) throw std::runtime_error("no scratch folder");
    folder_ = folder;
    // PostgreSQL refuses to run as root.
    const bool is_root = ::geteuid() == 0;
    as_user_ = is_root ? "runuser -u postgres -- " : "";
    if (is_root) run("chown postgres " + folder);
    run(as_user_ + "sh -c 'cd / && " + POSTGRES_BIN "/initdb -D " + folder +
        "/data -A trust -U postgres --no-sync'");
    run(as_user_ + "sh -c 'cd / && " + POSTGRES_BIN "/pg_ctl -w -D " + folder + "/data -l " +
        folder + "/log -o \"-k " + folder +
        " -c listen_addresses= -c fsync=off -c max_connections=200\" start'");
    place_ = "host=" + folder + " user=postgres dbname=postgres";
  }
  ~Server() {
    static_cast<void>(std::system((as_user_ + "sh -c 'cd / && " + POSTGRES_BIN "/pg_ctl -D " +
                                   folder_.string() + "/data -m immediate stop' > /dev/null 2>&1")
                                      .c_str()));
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  static void run(const std::string& command) {
    if (std::system((command + " > /dev/null 2>&1").c_str()) != 0) {
      throw std::runtime_error("failed: " + command);
    }
  }

  fs::path folder_;
  std::string as_user_, place_;
};

class DatabaseSearcher : public SubjectSearcher {
 public:
  DatabaseSearcher(postgresql::ObservedSearcher searcher, const bool& broken)
      : searcher_(std::move(searcher)), broken_(broken) {}

  std::vector<ServedHit> search(const Request& request) override {
    return named(searcher_.search(query_of(request)));
  }
  std::vector<ServedHit> search_unobserved(const Request& request) override {
    return named(searcher_.database().search(query_of(request)));
  }

 private:
  [[nodiscard]] postgresql::Query query_of(const Request& request) const {
    using Order = postgresql::Query::Order;
    return {.text = request.word,
            .depth = broken_ ? 0 : request.depth,  // which the engine refuses
            .first_rank = request.first_rank,
            .order = request.order == Request::Order::kScore ? Order::kScore : Order::kDocno};
  }
  static std::vector<ServedHit> named(const std::vector<postgresql::Hit>& hits) {
    std::vector<ServedHit> served;
    for (const postgresql::Hit& hit : hits) served.push_back({hit.docno, hit.score});
    return served;
  }

  postgresql::ObservedSearcher searcher_;
  const bool& broken_;
};

/// A table in a schema of its own.
class DatabaseSubject : public Subject {
 public:
  DatabaseSubject() {
    static int last = 0;
    const std::string schema = "subject" + std::to_string(++last);
    writer_ = PQconnectdb(Server::place().c_str());
    run("CREATE SCHEMA " + schema);
    run("SET search_path = " + schema);
    run("CREATE TABLE patents (docno text COLLATE \"C\", words tsvector)");
    place_ = Server::place() + " options='-c search_path=" + schema + "'";
  }
  ~DatabaseSubject() override {
    observed_.reset();
    PQfinish(writer_);
  }

  [[nodiscard]] Traits traits() const override {
    // Each statement reads the newest commit. A docno is a value like any other.
    return {.docids = false, .keeps_generations = false, .docnos_can_fail = false};
  }
  void add(const std::vector<Doc>& docs) override {
    run("BEGIN");
    for (const Doc& doc : docs) {
      run("INSERT INTO patents VALUES (" + quoted(doc.docno) + ", to_tsvector('simple', " +
          quoted(doc.text) + "))");
    }
    run("COMMIT");
  }
  void remove(const std::string& docno) override {
    run("DELETE FROM patents WHERE docno = " + quoted(docno));
  }
  void compact() override { run("VACUUM FULL patents"); }
  void break_engine() override { broken_ = true; }

  void watch(Experiment& experiment) override {
    observed_ = std::make_unique<postgresql::ObservedDatabase>(place_, experiment);
  }
  bool reopen() override { return observed_->reopen(); }
  [[nodiscard]] std::unique_ptr<SubjectSearcher> searcher(std::string_view arm) override {
    return std::make_unique<DatabaseSearcher>(observed_->searcher(arm), broken_);
  }

 private:
  static std::string quoted(const std::string& text) {
    std::string quoted = "'";
    for (const char c : text) quoted += c == '\'' ? "''" : std::string(1, c);
    return quoted + "'";
  }
  void run(const std::string& sql) {
    PGresult* const result = PQexec(writer_, sql.c_str());
    const bool is_good = PQresultStatus(result) == PGRES_COMMAND_OK;
    PQclear(result);
    if (!is_good) throw std::runtime_error(sql + ": " + PQerrorMessage(writer_));
  }

  PGconn* writer_ = nullptr;
  std::string place_;
  std::unique_ptr<postgresql::ObservedDatabase> observed_;
  bool broken_ = false;
};

std::unique_ptr<Subject> database_subject() { return std::make_unique<DatabaseSubject>(); }

INSTANTIATE_TEST_SUITE_P(Postgresql, Conformance,
                         testing::Values(NamedSubject{"Database", database_subject}), name_of);

}  // namespace
}  // namespace prescope::conformance
