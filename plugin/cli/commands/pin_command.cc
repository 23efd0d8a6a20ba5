#include <fmt/format.h>
#include <memory>
#include <optional>
#include <string>

#include "base/utc_time.h"
#include "cli/commands/commands.h"
#include "cli/options/evaluation_source.h"
#include "cli/options/terminal.h"
#include "nightly/gate/gate_rules.h"
#include "prescope/error.h"
#include "report/nightly/gate_report.h"
#include "store/nights/store.h"

namespace prescope::cli {

namespace {

struct PinRequest {
  std::string store;
  EvaluationSource source;
  std::string name = "main";
  std::string why;
  std::string must_find;
  bool list = false;
};

void check_pin_request(const PinRequest& request) {
  if (request.why.find_first_not_of(" \t\n") == std::string::npos) {
    throw Error(ErrorCode::kUsage,
                "--why is missing: a sentence for those who later ask why the baseline changed");
  }
  if (request.name.empty()) {
    throw Error(ErrorCode::kUsage, "--name is empty; expected a name such as main");
  }
  request.source.check();
}

Pin pin_of(const PinRequest& request, const EvaluationRecord& evaluation) {
  Pin pin{.name = request.name, .by = user_name(), .why = request.why, .time = utc_now()};
  if (!request.must_find.empty()) {
    pin.must_find = load_must_find(request.must_find, request.source.family_map(), evaluation);
  }
  return pin;
}

/// Everything that can be refused is refused before the store is written to.
Pin pin_stored(const PinRequest& request, std::int64_t number) {
  const EvaluationRecord evaluation =
      Store::open(request.store, Store::Access::kRead).evaluation(number);
  Pin pin = pin_of(request, evaluation);
  pin.evaluation = number;
  return Store::open(request.store, Store::Access::kWrite).pin(pin);
}

Pin pin_new(const PinRequest& request) {
  const EvaluationRecord evaluation = request.source.evaluate();
  const Pin pin = pin_of(request, evaluation);
  return Store::open(request.store, Store::Access::kWrite).pin(evaluation, pin);
}

void run_pin(const PinRequest& request) {
  if (request.list) {
    return print_result(
        pin_table(Store::open(request.store, Store::Access::kRead).pins(), stdout_color()));
  }
  check_pin_request(request);
  const auto number = request.source.stored_number();
  print_result(pin_sentence(number ? pin_stored(request, *number) : pin_new(request)));
}

}  // namespace

void add_pin_command(Command& program) {
  const auto request = std::make_shared<PinRequest>();
  Command& command = program.add_command(
      "pin", "Make an evaluation the baseline that later ones are gated against.");
  command.add("STORE", request->store, "FILE", "Store (SQLite), made where it is missing")
      ->required();
  request->source.add_to(command);
  command.add("--name", request->name, "NAME", "Of the baseline (main)");
  command.add("--why", request->why, "TEXT", "The reason, kept for good");
  command.add("--must-find", request->must_find, "FILE",
              "Qrels file of citations that must never be lost");
  command.add_flag("--list", request->list,
                   "Show who pinned what, when and why, and do nothing else");
  command.footer(
      "Who pins is taken from USER or LOGNAME. Nothing is ever pinned but by this command.\n\n"
      "Examples:\n"
      "  prescope pin nights.db --from nightly.toml --arm bm25 --why 'first release'\n"
      "  prescope pin nights.db --from bm25.run --qrels qrels.txt --name bm25 --why 'new weights' "
      "--must-find pinned.txt\n"
      "  prescope pin nights.db --from 12 --why 'accepted: smaller index'\n"
      "  prescope pin nights.db --list");
  command.set_body([request] { run_pin(*request); });
}

}  // namespace prescope::cli
