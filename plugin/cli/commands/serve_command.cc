#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "actions/actor.h"
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
  ReplayFlags actions;  // of kActionKeys only
};

/// Sets `fleet` to what is shown of a fleet; the site owns it.
std::unique_ptr<serve::Handler> site_of(const ServeRequest& request, serve::Source*& fleet) {
  if (!is_fleet_url(request.store)) return serve::store_site(request.store, request.session);
  if (request.session) {
    throw usage_error(
        "--session: a fleet joins the sessions of all servers; its newest epoch is shown");
  }
  std::unique_ptr<serve::Source> source =
      serve::fleet_source(parse_fleet_url(request.store), print_note);
  fleet = source.get();
  return serve::site_of(std::move(source));
}

/// Returns null without an action.
std::unique_ptr<Actor> actor_of(ActionOptions actions, serve::Source* fleet) {
  if (actions.command.empty() && actions.url.empty()) return nullptr;
  actions.on_warning = print_note;
  return std::make_unique<Actor>(
      std::move(actions), ActionSource{.newest = [fleet] { return fleet->newest().summary; }});
}

ActionOptions checked_actions_of(const ServeRequest& request) {
  ActionOptions actions = read_action_options(request.actions);
  const bool has_action = !actions.command.empty() || !actions.url.empty();
  if (has_action && !is_fleet_url(request.store)) {
    throw usage_error(
        "a store is shown as it was when this program began, and nothing acts on it; give the "
        "actions to the program that writes it, or name a fleet");
  }
  if (has_action && actions.journal.empty()) {
    throw usage_error(
        "--action-journal is missing: name the folder that remembers what was done for the fleet");
  }
  return actions;
}

void run_serve(ServeRequest& request) {
  DashboardOptions& options = request.options;
  options.token = dashboard_token(request.token_file);
  options.on_warning = print_note;
  serve::check(options);
  Interrupt interrupt;
  const ActionOptions actions = checked_actions_of(request);
  serve::Source* fleet = nullptr;
  const serve::HttpServer server(site_of(request, fleet), options);
  const std::unique_ptr<Actor> actor = actor_of(actions, fleet);  // ends before what it looks at
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
  add_action_flags(command, request.actions);
  command.footer(
      "Prints the address to open, and serves until Ctrl-C. With a token, open\n"
      "ADDRESS#token=TOKEN.\n\n"
      "Examples:\n"
      "  prescope serve nights.store\n"
      "  prescope serve clickhouse://ch1,ch2/prescope --port 8080\n"
      "  prescope serve clickhouse://ch1/prescope --action-command ./tell.sh --action-journal "
      "acts\n"
      "  prescope serve nights.store --port 8080 --host search.example.org\n"
      "  openssl rand -hex 32 > token && chmod 600 token\n"
      "  prescope serve nights.store --address 0.0.0.0 --token-file token");
}

}  // namespace prescope::cli
