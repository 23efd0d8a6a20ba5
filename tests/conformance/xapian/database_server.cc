#include "conformance/xapian/database_server.h"

#include <chrono>
#include <csignal>
#include <stdexcept>
#include <string>
#include <thread>

#include "support/http_client.h"

namespace prescope::conformance {
namespace {

constexpr const char* kLoopback = "127.0.0.1";
// In milliseconds; a stopped server must not block the tests.
constexpr unsigned kTimeout = 20'000;

}  // namespace

DatabaseServer::DatabaseServer(const std::filesystem::path& database) {
  // Another process may take the port between our finding it and the server's using it.
  for (int attempt = 0; attempt < 5; ++attempt) {
    port_ = free_port();
    process_.start({"xapian-tcpsrv", "--interface", kLoopback, "--port", std::to_string(port_),
                    database.string()});
    for (int i = 0; i < 500 && !process_.has_ended(); ++i) {
      try {
        static_cast<void>(open());
        return;
      } catch (const Xapian::NetworkError&) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
      }
    }
    stop();
  }
  throw std::runtime_error("xapian-tcpsrv (package xapian-tools) does not answer");
}

Xapian::Database DatabaseServer::open() const {
  return Xapian::Remote::open(kLoopback, port_, kTimeout, kTimeout);
}

void DatabaseServer::stop() { process_.kill(); }
void DatabaseServer::pause() const { process_.signal(SIGSTOP); }
void DatabaseServer::resume() const { process_.signal(SIGCONT); }

}  // namespace prescope::conformance
