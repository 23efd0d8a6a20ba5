#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "cli/commands/commands.h"
#include "cli/options/interrupt.h"
#include "cli/options/terminal.h"
#include "serve/http/http_server.h"
#include "serve/site/site.h"

namespace prescope::cli {

namespace {

struct ServeRequest {
  std::string store;
  std::optional<std::int64_t> session;
  DashboardOptions options;
  std::string token_file;
};

std::unique_ptr<serve::Handler> site_of(const ServeRequest& request) {
  if (!is_fleet_url(request.store)) return serve::store_site(request.store, request.session);
  if (request.session) {
    throw usage_error(
        "--session: a fleet joins the sessions of all servers; its newest epoch is shown");
  }
  return serve::fleet_site(parse_fleet_url(request.store), print_note);
}

void run_serve(ServeRequest& request) {
  DashboardOptions& options = request.options;
  options.token = dashboard_token(request.token_file);
  options.on_warning = print_note;
  serve::check(options);
  Interrupt interrupt;
  const serve::HttpServer server(site_of(request), options);
  print_result(server.url() + "\n");
  interrupt.wait();
}

}  // namespace

std::string dashboard_token(const std::string& file) {
  if (file.empty()) {
    const char* const set = std::getenv("PRESCOPE_TOKEN");
    return set == nullptr ? "" : set;
  }
  std::ifstream in(file);
  std::string line;
  if (!in || (!std::getline(in, line) && in.bad())) {
    throw io_error("--token-file: {}: cannot be read: {}", file, std::strerror(errno));
  }
  if (line.ends_with('\r')) line.pop_back();
  if (line.empty()) {
    throw bad_input_error(
        "--token-file: {}: the first line is empty; expected a token of 16 characters or more, "
        "such as 'openssl rand -hex 32' prints",
        file);
  }
  return line;
}

void add_access_flags(Command& command, DashboardOptions& options, std::string& token_file) {
  command.add("--address", options.address, "IP",
              "Address to listen at; if others can reach it, a token is required (127.0.0.1)");
  command.add("--token-file", token_file, "FILE",
              "File whose first line is the bearer token that each request must carry; or set "
              "PRESCOPE_TOKEN");
  command.add("--host", options.hosts, "NAME",
              "Answer to this name too, such as a proxy's; may be repeated");
}

void add_serve_command(Command& program) {
  const auto [command, request] = program.add_command(
      "serve", "Show a store in a browser: its nights, its verdicts, an experiment's observations.",
      run_serve);
  command
      .add("STORE", request.store, "FILE",
           "Store that pin, gate or a running experiment writes; or a fleet: clickhouse://...")
      ->required();
  command.add("--port", request.options.port, "N", "Port to listen at (any that is free)");
  add_access_flags(command, request.options, request.token_file);
  command.add("--session", request.session, "N",
              "Session of an experiment to show, as 'prescope log' numbers them (the newest)",
              Limits{});
  command.footer(
      "Prints the address to open, and serves until Ctrl-C. With a token, open\n"
      "ADDRESS#token=TOKEN.\n\n"
      "Examples:\n"
      "  prescope serve nights.store\n"
      "  prescope serve clickhouse://ch1,ch2/prescope --port 8080\n"
      "  prescope serve nights.store --port 8080 --host search.example.org\n"
      "  openssl rand -hex 32 > token && chmod 600 token\n"
      "  prescope serve nights.store --address 0.0.0.0 --token-file token");
}

}  // namespace prescope::cli
