#include "cli/commands/commands.h"
#include "cli/options/evaluation_flags.h"
#include "cli/options/terminal.h"
#include "measures/definitions.h"
#include "report/runs/topic_explanation.h"

namespace prescope::cli {

namespace {

constexpr const char* kExplainedMeasures = "PRES@100,R@100,AP@100";

struct ExplainRequest {
  EvaluationFlags flags;
  std::vector<std::string> arguments;
};

/// Names the nearest topic only: there are too many to list.
Error unknown_topic(const Qrels& qrels, const std::string& path, const std::string& topic) {
  std::vector<std::string_view> ids;
  for (const TopicQrels& each : qrels.topics()) ids.push_back(each.id().text());
  return usage_error("{}: no topic '{}' among {}; did you mean '{}'?", path, topic, ids.size(),
                     nearest_name(topic, ids));
}

void explain_topic_of_run(const EvaluationFlags& flags, const std::string& topic_name) {
  std::vector<Measure> measures = measures_of(flags.measures, kExplainedMeasures);
  check_standard_input(flags);
  const Qrels qrels =
      load_judgements(flags.qrels, flags.qrels_options, [&] { return std::vector{topic_name}; });
  const auto topic = qrels.find(topic_name);
  if (!topic) throw unknown_topic(qrels, flags.qrels, topic_name);
  const std::vector<RunFacts> runs = read_runs(qrels, flags.runs, flags.read);
  for (const InputFinding& found :
       check_run_input(qrels, runs.front(), flags.evaluate.ranks.order)) {
    print_note(fmt::format("{}: {}", flags.runs.front(), found.words));
  }
  print_result(explain_topic({.qrels = &qrels,
                              .facts = &runs.front(),
                              .run = run_names(flags.runs).front(),
                              .topic = *topic,
                              .slices = slices_of(flags, qrels),
                              .ranks = flags.evaluate.ranks,
                              .measures = std::move(measures),
                              .look = stdout_look()}));
}

/// `text` behind a label, in lines of at most 96 columns.
std::string paragraph(std::string_view label, std::string_view text) {
  constexpr std::size_t kLabelWidth = 10, kWidth = 96;
  return wrapped(text, fmt::format("{:<{}}", label, kLabelWidth), kLabelWidth,
                 std::min(kWidth, stdout_look().paragraph_width()));
}

std::string spelling(const MeasureDefinition& measure) {
  const std::string name = measure.parameter
                               ? fmt::format("{}<{}>", measure.name, measure.parameter->word)
                               : std::string(measure.name);
  const std::string with_cutoff = name + "@<cutoff>";
  return std::string(word_of(measure.cutoff, {name, name + " or " + with_cutoff, with_cutoff}));
}

std::string explanation(const MeasureDefinition& measure) {
  return fmt::format("{}\n\n{}{}{}{}{}{}", measure.name, paragraph("written", spelling(measure)),
                     paragraph("meaning", measure.meaning), paragraph("formula", measure.formula),
                     paragraph("range", measure.range), paragraph("source", measure.source),
                     paragraph("example", measure.example));
}

std::string list_of_measures() {
  std::string out;
  for (const MeasureDefinition* measure : measure_table()) {
    out += paragraph(measure->name, measure->meaning);
  }
  return out;
}

/// Returns the family of `PRES`, of `PRES@100`, or of another name for it: `MAP`.
const MeasureDefinition& definition_of(const std::string& wanted) {
  const MeasureDefinition* const definition = find_definition(wanted);
  return definition != nullptr ? *definition : Measure::parse(wanted).definition();
}

void explain(ExplainRequest& request) {
  constexpr std::size_t kTopicOfRun = 3;
  const std::vector<std::string>& arguments = request.arguments;
  if (arguments.empty()) return print_result(list_of_measures());
  if (arguments.size() == 1) return print_result(explanation(definition_of(arguments.front())));
  if (arguments.size() != kTopicOfRun) {
    throw usage_error(
        "{} arguments; expected one (MEASURE) or three (QRELS RUN TOPIC); see "
        "'prescope explain --help'",
        arguments.size());
  }
  request.flags.qrels = arguments[0];
  request.flags.runs = {arguments[1]};
  explain_topic_of_run(request.flags, arguments[2]);
}

}  // namespace

void add_explain_command(Command& program) {
  const auto [command, request] = program.add_command(
      "explain", "Explain a measure, or the score of a topic in a run.", explain);
  command.add("ARGUMENT", request.arguments, "TEXT",
              "MEASURE, or QRELS RUN TOPIC; without any, all measures are listed");
  add_evaluation_flags(command, request.flags, kExplainedMeasures);
  add_slice_flags(command, request.flags.slices);
  command.footer(
      "Examples:\n"
      "  prescope explain PRES\n"
      "  prescope explain qrels.txt bm25.run PAC-1025 -m PRES@100,AP --docno patent\n"
      "  prescope explain qrels.txt bm25.run PAC-1025 --slices patents.jsonl --slice-by section");
}

}  // namespace prescope::cli
