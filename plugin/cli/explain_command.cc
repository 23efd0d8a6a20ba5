#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/terminal.h"
#include "prescope/error.h"
#include "prescope/measure.h"
#include "report/mean_name.h"

namespace prescope::cli {
namespace {

constexpr std::size_t kTextWidth = 96;

/// `text` in lines of at most kTextWidth bytes, broken at spaces, behind a label.
std::string paragraph(std::string_view label, std::string_view text) {
  constexpr std::size_t kLabelWidth = 10;
  std::string out;
  std::string line = fmt::format("{:<{}}", label, kLabelWidth);
  bool first_word = true;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find_first_of(" \n"));
    if (!first_word && line.size() + 1 + word.size() > kTextWidth) {
      out += line + '\n';
      line.assign(kLabelWidth, ' ');
      first_word = true;
    }
    if (!first_word) line += ' ';
    line += word;
    first_word = false;
    text.remove_prefix(std::min(text.size(), word.size() + 1));
  }
  return out + line + '\n';
}

std::string spelling(const MeasureDefinition& measure) {
  const std::string name = std::string(measure.name) + (measure.has_beta ? "<beta>" : "");
  switch (measure.cutoff) {
    case MeasureDefinition::CutoffRule::kNone:
      return name;
    case MeasureDefinition::CutoffRule::kOptional:
      return name + " or " + name + "@<cutoff>";
    case MeasureDefinition::CutoffRule::kRequired:
      return name + "@<cutoff>";
  }
  return name;
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

/// `PRES`, `PRES@100`, or what the mean is called: `MAP`.
const MeasureDefinition& find_definition(const std::string& wanted) {
  std::vector<std::string_view> names;
  for (const auto& [name, name_of_mean] : mean_names()) {
    if (wanted.substr(0, wanted.find('@')) != name_of_mean) continue;
    return find_definition(std::string(name));
  }
  for (const MeasureDefinition* measure : measure_table()) {
    if (measure->name == wanted) return *measure;
    names.push_back(measure->name);
  }
  if (wanted.find('@') != std::string::npos) return Measure::parse(wanted).definition();
  throw Error(ErrorCode::kUsage, unknown_name_message("measure", wanted, names));
}

}  // namespace

Command add_explain_command(CLI::App& program) {
  const auto measure = std::make_shared<std::string>();
  CLI::App* parser =
      program.add_subcommand("explain", "Say what a measure is: formula, source, worked example.");
  parser->add_option("MEASURE", *measure, "Name of a measure; all are listed without it")
      ->type_name("NAME");
  parser->footer("Example:\n  prescope explain PRES");
  return {parser, [measure] {
            print_result(measure->empty() ? list_of_measures()
                                          : explanation(find_definition(*measure)));
          }};
}

}  // namespace prescope::cli
