#include "cli/trec_eval_command.h"

#include "cli/command_line.h"

namespace prescope::cli {

int run_trec_eval(int /*argc*/, char** /*argv*/) { return kExitOk; }

}  // namespace prescope::cli
