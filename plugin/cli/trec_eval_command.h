#pragma once

namespace prescope::cli {

/// `prescope trec_eval ...`, which reads its arguments as trec_eval does; `argv[0]` is "trec_eval".
/// Returns the exit code; throws prescope::Error.
int run_trec_eval(int argc, char** argv);

}  // namespace prescope::cli
