#include "cli/options/dashboard_flags.h"

#include <fmt/format.h>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "cli/options/terminal.h"
#include "prescope/error.h"
#include "serve/http/http_server.h"

namespace prescope::cli {

void DashboardFlags::add_to(Command& command) {
  command.add("--port", port_, "N", "Port to listen at (any that is free)");
  command.add("--address", address_, "IP",
              "Address to listen at; others than this machine's users need a token (127.0.0.1)");
  command.add("--token-file", token_file_, "FILE",
              "Its first line must come with each request, as a bearer token; or set "
              "PRESCOPE_TOKEN");
  command.add("--host", hosts_, "NAME",
              "Answer to this name too, such as a proxy's; may be repeated");
}

DashboardOptions DashboardFlags::options() const {
  DashboardOptions options{.port = port_.value_or(0),
                           .token = dashboard_token(token_file_),
                           .hosts = hosts_,
                           .on_warning = print_note};
  if (address_) options.address = *address_;
  serve::check(options);
  return options;
}

std::string dashboard_token(const std::string& file) {
  if (file.empty()) {
    const char* const set = std::getenv("PRESCOPE_TOKEN");
    return set == nullptr ? "" : set;
  }
  std::ifstream in(file);
  std::string line;
  if (!in || (!std::getline(in, line) && in.bad())) {
    throw Error(ErrorCode::kIo,
                fmt::format("--token-file: {}: cannot be read: {}", file, std::strerror(errno)));
  }
  if (line.ends_with('\r')) line.pop_back();
  if (line.empty()) {
    throw Error(ErrorCode::kBadInput,
                fmt::format("--token-file: {}: the first line is empty; expected a token of 16 "
                            "characters or more, such as 'openssl rand -hex 32' prints",
                            file));
  }
  return line;
}

}  // namespace prescope::cli
