// JUnit XML as the schema of Ant's JUnit task has it, within what Jenkins' schema takes too.
#include <fmt/format.h>
#include <algorithm>
#include <string>
#include <vector>

#include "base/utc_time.h"
#include "report/nightly/gate_report.h"
#include "report/study/page.h"

namespace prescope {

namespace {

using page::escaped;
using Status = GateVerdict::Status;

/// How a case came out: a failure is a regression, an error that nothing could be decided.
enum class CaseResult { kPassed, kSkipped, kFailure, kError };

struct Case {
  std::string name;
  CaseResult result = CaseResult::kPassed;
  std::string type{}, message{}, detail{};
};

struct Suite {
  std::string name;
  std::vector<Case> cases{};
};

CaseResult result_of(Status status) {
  switch (status) {
    case Status::kPass:
    case Status::kWarning:
      return CaseResult::kPassed;
    case Status::kSkipped:
      return CaseResult::kSkipped;
    case Status::kFail:
      return CaseResult::kFailure;
    case Status::kInconclusive:
    case Status::kBadInput:
      break;
  }
  return CaseResult::kError;
}

Suite rules_suite(const GateVerdict& verdict) {
  Suite suite{.name = "prescope.gate.rules"};
  for (const GateVerdict::Rule& rule : verdict.rules) {
    suite.cases.push_back({.name = rule.id,
                           .result = result_of(rule.status),
                           .type = std::string(to_string(rule.status)),
                           .message = rule.reason});
  }
  return suite;
}

/// The topics that fail a rule by themselves.
Suite topics_suite(const GateVerdict& verdict) {
  Suite suite{.name = "prescope.gate.topics"};
  for (const GateVerdict::Topic& topic : verdict.topics) {
    if (topic.fails.empty()) continue;
    suite.cases.push_back({.name = topic.topic.text(),
                           .result = CaseResult::kFailure,
                           .type = "topic",
                           .message = gate_topic_title(topic),
                           .detail = rows_text(gate_topic_table(verdict, topic, SIZE_MAX),
                                               TableOptions::Color::kNever)});
  }
  return suite;
}

std::string outcome_markup(const Case& one) {
  const std::string message = escaped(one.message);
  switch (one.result) {
    case CaseResult::kPassed:
      return {};
    case CaseResult::kSkipped:
      return fmt::format("<skipped message=\"{}\"/>", message);
    case CaseResult::kFailure:
    case CaseResult::kError:
      break;
  }
  return fmt::format("<{0} message=\"{1}\" type=\"{2}\">{3}</{0}>",
                     one.result == CaseResult::kFailure ? "failure" : "error", message, one.type,
                     escaped(one.detail));
}

std::string case_markup(const Suite& suite, const Case& one) {
  const std::string begin = fmt::format("    <testcase name=\"{}\" classname=\"{}\" time=\"0\"",
                                        escaped(one.name), suite.name);
  const std::string outcome = outcome_markup(one);
  return outcome.empty() ? begin + "/>\n" : fmt::format("{}>{}</testcase>\n", begin, outcome);
}

std::size_t cases_with(const Suite& suite, CaseResult result) {
  return static_cast<std::size_t>(std::ranges::count(suite.cases, result, &Case::result));
}

std::string properties_markup(const GateReport& report) {
  std::string out = "    <properties>\n";
  for (const auto& [label, words] : gate_subject(report)) {
    out +=
        fmt::format("      <property name=\"{}\" value=\"{}\"/>\n", escaped(label), escaped(words));
  }
  return out + "    </properties>\n";
}

/// The sentences of the rules that hold or warn, which JUnit has no place for in a case.
std::string words_of_passed(const Suite& suite) {
  std::string out;
  for (const Case& one : suite.cases) {
    if (one.result == CaseResult::kPassed) {
      out += fmt::format("{} {}: {}\n", one.type, one.name, one.message);
    }
  }
  return out;
}

/// Without a zone, as the schema has it; it is UTC.
std::string timestamp(UtcTime time) {
  constexpr std::size_t kSeconds = 19;
  return utc_text(time).substr(0, kSeconds);
}

std::string suite_markup(const GateReport& report, const Suite& suite, std::size_t position) {
  std::string out = fmt::format(
      "  <testsuite name=\"{}\" package=\"prescope\" id=\"{}\" timestamp=\"{}\" "
      "hostname=\"localhost\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" "
      "time=\"0\">\n",
      suite.name, position, timestamp(report.verdict.tonight.time), suite.cases.size(),
      cases_with(suite, CaseResult::kFailure), cases_with(suite, CaseResult::kError),
      cases_with(suite, CaseResult::kSkipped));
  out += properties_markup(report);
  for (const Case& one : suite.cases) out += case_markup(suite, one);
  return out + fmt::format(
                   "    <system-out>{}\n{}</system-out>\n    <system-err/>\n"
                   "  </testsuite>\n",
                   escaped(gate_headline(report)), escaped(words_of_passed(suite)));
}

}  // namespace

std::string gate_junit(const GateReport& report) {
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n" +
                    suite_markup(report, rules_suite(report.verdict), 0);
  const Suite topics = topics_suite(report.verdict);
  if (!topics.cases.empty()) out += suite_markup(report, topics, 1);
  return out + "</testsuites>\n";
}

}  // namespace prescope
