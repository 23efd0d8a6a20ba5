// PostgreSQL under the conformance suite, on a server of the test's own.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "postgresql_table.h"
#include "table_subject.h"

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

/// A table in a schema of its own.
class PostgresqlSubject : public TableSubject<databases::PostgresqlTable> {
 public:
  PostgresqlSubject() : writer_(PQconnectdb(Server::place().c_str()), PQfinish) {
    static int last = 0;
    schema_ = "subject" + std::to_string(++last);
    run("CREATE SCHEMA " + schema_);
    run("SET search_path = " + schema_);
    run("CREATE TABLE patents (docno text COLLATE \"C\", words tsvector)");
  }
  void compact() override { run("VACUUM FULL patents"); }

 protected:
  void run(const std::string& sql) override {
    const std::unique_ptr<PGresult, void (*)(PGresult*)> result(PQexec(writer_.get(), sql.c_str()),
                                                                PQclear);
    if (PQresultStatus(result.get()) == PGRES_COMMAND_OK) return;
    throw std::runtime_error(sql + ": " + PQerrorMessage(writer_.get()));
  }
  [[nodiscard]] std::string values(const std::string& docno,
                                   const std::string& text) const override {
    return docno + ", to_tsvector('simple', " + text + ")";
  }
  [[nodiscard]] std::string database() const override {
    return Server::place() + " options='-c search_path=" + schema_ + "'";
  }

 private:
  std::unique_ptr<PGconn, void (*)(PGconn*)> writer_;
  std::string schema_;
};

std::unique_ptr<Subject> postgresql_subject() { return std::make_unique<PostgresqlSubject>(); }

INSTANTIATE_TEST_SUITE_P(Postgresql, Conformance,
                         testing::Values(NamedSubject{"Database", postgresql_subject}), name_of);

}  // namespace
}  // namespace prescope::conformance
