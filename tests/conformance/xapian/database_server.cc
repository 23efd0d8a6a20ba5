#include "conformance/xapian/database_server.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>

namespace prescope::conformance {
namespace {

constexpr const char* kLoopback = "127.0.0.1";
// In milliseconds; a stopped server must not block the tests.
constexpr unsigned kTimeout = 20'000;

unsigned free_port() {
  const int descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  const bool bound =
      ::bind(descriptor, any, size) == 0 && ::getsockname(descriptor, any, &size) == 0;
  ::close(descriptor);
  if (!bound) throw std::runtime_error("no free port on the loopback interface");
  return ntohs(address.sin_port);
}

/// Its own process group, because it has a child for each connection.
pid_t start(const std::string& database, const std::string& port) {
  const pid_t parent = ::getpid();
  const pid_t process = ::fork();
  if (process != 0) {
    ::setpgid(process, process);
    return process;
  }
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  const int nothing = ::open("/dev/null", O_RDWR);
  ::dup2(nothing, STDOUT_FILENO);
  ::dup2(nothing, STDERR_FILENO);
  ::execlp("xapian-tcpsrv", "xapian-tcpsrv", "--interface", kLoopback, "--port", port.c_str(),
           database.c_str(), nullptr);
  ::_exit(127);
}

}  // namespace

DatabaseServer::DatabaseServer(const std::filesystem::path& database) {
  // Another process may take the port between our finding it and the server's using it.
  for (int attempt = 0; attempt < 5; ++attempt) {
    port_ = free_port();
    process_ = start(database.string(), std::to_string(port_));
    for (int i = 0; i < 500 && ::waitpid(process_, nullptr, WNOHANG) == 0; ++i) {
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

DatabaseServer::~DatabaseServer() { stop(); }

Xapian::Database DatabaseServer::open() const {
  return Xapian::Remote::open(kLoopback, port_, kTimeout, kTimeout);
}

void DatabaseServer::pause() const { ::kill(-process_, SIGSTOP); }
void DatabaseServer::resume() const { ::kill(-process_, SIGCONT); }

void DatabaseServer::stop() {
  if (process_ < 0) return;
  ::kill(-process_, SIGKILL);
  ::waitpid(process_, nullptr, 0);
  process_ = -1;
}

}  // namespace prescope::conformance
