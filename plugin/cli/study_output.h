#pragma once

#include <optional>
#include <string>

#include "cli/command_parser.h"
#include "cli/output_file.h"
#include "report/study/study_report.h"

namespace prescope::cli {

/// Where a study goes beside the table on stdout.
struct StudyOutputFlags {
  std::string json, csv, html;  ///< files; "-": stdout, nothing else then
  std::string svg;              ///< a folder, with a file for each figure
};

void add_study_output_flags(CommandParser& parser, StudyOutputFlags& flags);

/// The outputs, opened before the study is made, so that what cannot be written is said at once.
class StudyOutput {
 public:
  /// Throws Error(kUsage) where stdout is named twice, Error(kIo).
  explicit StudyOutput(const StudyOutputFlags& flags);

  /// Throws Error(kIo).
  void write(const StudyReport& report);

 private:
  StudyOutputFlags flags_;
  std::optional<OutputFile> json_, csv_, html_;
};

}  // namespace prescope::cli
