#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "cli/commands/commands.h"
#include "cli/options/dashboard_flags.h"
#include "cli/options/terminal.h"
#include "serve/http/http_server.h"
#include "serve/site/site.h"

namespace prescope::cli {

namespace {

struct ServeRequest {
  std::string store;
  std::optional<std::int64_t> session;
  DashboardFlags flags;
};

void run_serve(const ServeRequest& request) {
  const DashboardOptions options = request.flags.options();
  Interrupt interrupt;
  const serve::HttpServer server(serve::store_site(request.store, request.session), options);
  print_result(server.url() + "\n");
  interrupt.wait();
}

}  // namespace

void add_serve_command(Command& program) {
  const auto request = std::make_shared<ServeRequest>();
  Command& command = program.add_command(
      "serve", "Show a store in a browser: its nights, its verdicts, what an experiment observed.");
  command.add("STORE", request->store, "FILE", "What pin, gate or a running experiment stored")
      ->required();
  request->flags.add_to(command);
  command.add("--session", request->session, "N",
              "Life of an experiment to show (the newest of the store)", Limits{});
  command.footer(
      "Prints the address to open, and serves until Ctrl-C. With a token, open\n"
      "ADDRESS#token=TOKEN.\n\n"
      "Examples:\n"
      "  prescope serve nights.store\n"
      "  prescope serve nights.store --port 8080 --host search.example.org\n"
      "  openssl rand -hex 32 > token && chmod 600 token\n"
      "  prescope serve nights.store --address 0.0.0.0 --token-file token");
  command.set_body([request] { run_serve(*request); });
}

}  // namespace prescope::cli
