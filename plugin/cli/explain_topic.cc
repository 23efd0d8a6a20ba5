#include "cli/explain_topic.h"

#include <fmt/format.h>

#include <vector>

#include "cli/run_names.h"
#include "cli/terminal.h"
#include "prescope/error.h"
#include "report/topic_explanation.h"

namespace prescope::cli {
namespace {

constexpr const char* kExplainedMeasures = "PRES@100,R@100,AP@100";

/// All of the topics would be too many to name.
Error unknown_topic(const Qrels& qrels, const TopicRequest& request) {
  std::vector<std::string_view> ids;
  for (const TopicQrels& topic : qrels.topics()) ids.push_back(topic.id().text());
  return {ErrorCode::kUsage,
          fmt::format("{}: no topic '{}' among {}; did you mean '{}'?", request.flags.qrels,
                      request.topic, ids.size(), nearest_name(request.topic, ids))};
}

}  // namespace

void explain_topic_of_run(const TopicRequest& request) {
  EvaluationFlags flags = request.flags;
  if (flags.measures.empty()) flags.measures = {kExplainedMeasures};
  std::vector<Measure> measures = measures_of(flags);
  const EvaluateOptions options = evaluate_options_of(flags);
  const std::vector<std::string> paths = {request.run};
  check_standard_input(flags, paths);
  const Qrels qrels = load_qrels(flags);
  const auto topic = qrels.find(request.topic);
  if (!topic) throw unknown_topic(qrels, request);
  const std::vector<RunFacts> runs = read_runs(qrels, paths, flags);
  print_result(explain_topic(
      {.qrels = &qrels,
       .facts = &runs.front(),
       .run = run_names(paths).front(),
       .topic = *topic,
       .ranks = options.ranks,
       .measures = std::move(measures),
       .color = wants_color(stdout) ? TableOptions::Color::kAlways : TableOptions::Color::kNever,
       .width = terminal_width(stdout).value_or(kTableWidth)}));
}

}  // namespace prescope::cli
