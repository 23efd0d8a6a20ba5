#pragma once

#include "cli/command_parser.h"

/// One function for each study: it adds `prescope study NAME`, with what it does.
/// The bodies throw prescope::Error.
namespace prescope::cli {

void add_agreement_study(CommandGroup& studies);
void add_robustness_study(CommandGroup& studies);
void add_retrievability_study(CommandGroup& studies);
void add_cutoffs_study(CommandGroup& studies);
void add_correlation_study(CommandGroup& studies);
void add_curve_study(CommandGroup& studies);

}  // namespace prescope::cli
