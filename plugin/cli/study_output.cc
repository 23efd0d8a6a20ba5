#include "cli/study_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "cli/terminal.h"
#include "prescope/error.h"

namespace prescope::cli {
namespace {

namespace fs = std::filesystem;

void open(std::optional<OutputFile>& file, const std::string& path) {
  if (!path.empty() && path != kStandardOutput) file.emplace(path);
}

void check_one_standard_output(const StudyOutputFlags& flags) {
  const std::array<std::string_view, 3> paths = {flags.json, flags.csv, flags.html};
  if (std::ranges::count(paths, kStandardOutput) <= 1) return;
  throw Error(ErrorCode::kUsage,
              "only one of --json, --csv and --html can be standard output ('-')");
}

void make_folder(const std::string& folder) {
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed && !fs::is_directory(folder)) {
    throw Error(ErrorCode::kIo,
                fmt::format("{}: the folder cannot be made: {}", folder, failed.message()));
  }
}

std::string result_text(const StudyOutputFlags& flags, const StudyReport& report) {
  if (flags.json == kStandardOutput) return study_json(report);
  if (flags.csv == kStandardOutput) return study_csv(report);
  if (flags.html == kStandardOutput) return study_page(report);
  return study_text(
      report, wants_color(stdout) ? TableOptions::Color::kAlways : TableOptions::Color::kNever);
}

}  // namespace

void add_study_output_flags(CommandParser& parser, StudyOutputFlags& flags) {
  parser.option("--json", flags.json, "FILE",
                "Write everything as JSON, too; - for stdout, nothing else then");
  parser.option("--csv", flags.csv, "FILE",
                "Write the numbers as CSV, too; - for stdout, nothing else then");
  parser.option("--html", flags.html, "FILE",
                "Write one page with all figures, too; - for stdout, nothing else then");
  parser.option("--svg", flags.svg, "DIR", "Write each figure to a file in this folder, too");
}

StudyOutput::StudyOutput(const StudyOutputFlags& flags) : flags_(flags) {
  check_one_standard_output(flags);
  open(json_, flags.json);
  open(csv_, flags.csv);
  open(html_, flags.html);
  if (!flags.svg.empty()) make_folder(flags.svg);
}

void StudyOutput::write(const StudyReport& report) {
  if (json_) json_->write(study_json(report));
  if (csv_) csv_->write(study_csv(report));
  if (html_) html_->write(study_page(report));
  if (!flags_.svg.empty()) {
    for (const StudySection& section : report.sections) {
      for (const StudyFigure& figure : section.figures) {
        OutputFile(fs::path(flags_.svg) / (figure.name + ".svg"))
            .write(figure.draw(page::FigurePlace::kFile));
      }
    }
  }
  print_result(result_text(flags_, report));
}

}  // namespace prescope::cli
