// JUnit XML by the schema of Ant's JUnit task, within the limits of Jenkins' schema.
#include <fmt/format.h>

#include "base/utc_time.h"
#include "report/nightly/gate_report.h"
#include "report/text/clean_text.h"

namespace prescope {

namespace {

using Status = GateVerdict::Status;

/// A failure is a regression; an error means that nothing could be decided.
struct Suite {
  std::string_view name;
  std::string cases{}, words_of_passed{};
  std::size_t tests = 0, failures = 0, errors = 0, skipped = 0;

  /// `outcome` is markup; empty for a case that passed.
  void add(std::string_view case_name, const std::string& outcome) {
    ++tests;
    cases += fmt::format("    <testcase name=\"{}\" classname=\"{}\" time=\"0\"{}\n",
                         escaped_markup(case_name), name,
                         outcome.empty() ? "/>" : fmt::format(">{}</testcase>", outcome));
  }
};

std::string outcome_markup(std::string_view element, const std::string& message,
                           std::string_view type, std::string_view detail = {}) {
  return fmt::format("<{0} message=\"{1}\" type=\"{2}\">{3}</{0}>", element,
                     escaped_markup(message), type, escaped_markup(detail));
}

void add_rule(Suite& suite, const GateVerdict::Rule& rule) {
  const std::string_view status = to_string(rule.status);
  if (rule.status == Status::kPass || rule.status == Status::kWarning) {
    // JUnit has no place for their sentences in a case.
    suite.words_of_passed += fmt::format("{} {}: {}\n", status, rule.id, rule.reason);
    suite.add(rule.id, {});
  } else if (rule.status == Status::kSkipped) {
    ++suite.skipped;
    suite.add(rule.id, fmt::format("<skipped message=\"{}\"/>", escaped_markup(rule.reason)));
  } else {
    const bool has_failed = rule.status == Status::kFail;
    ++(has_failed ? suite.failures : suite.errors);
    suite.add(rule.id, outcome_markup(has_failed ? "failure" : "error", rule.reason, status));
  }
}

Suite rules_suite(const GateVerdict& verdict) {
  Suite suite{.name = "prescope.gate.rules"};
  for (const GateVerdict::Rule& rule : verdict.rules) add_rule(suite, rule);
  return suite;
}

/// The topics that fail a rule by themselves.
Suite topics_suite(const GateVerdict& verdict) {
  Suite suite{.name = "prescope.gate.topics"};
  for (const GateVerdict::Topic& topic : verdict.topics) {
    if (topic.fails.empty()) continue;
    ++suite.failures;
    suite.add(topic.topic.text(),
              outcome_markup("failure", gate_topic_title(topic), "topic",
                             rows_text(gate_topic_table(verdict, topic, SIZE_MAX),
                                       TableOptions::Color::kNever)));
  }
  return suite;
}

std::string properties_markup(const GateReport& report) {
  std::string out = "    <properties>\n";
  for (const auto& [label, words] : gate_subject(report)) {
    out += fmt::format("      <property name=\"{}\" value=\"{}\"/>\n", escaped_markup(label),
                       escaped_markup(words));
  }
  return out + "    </properties>\n";
}

/// UTC without the zone, as the schema has it.
std::string timestamp(UtcTime time) {
  constexpr std::size_t kSeconds = 19;
  return utc_text(time).substr(0, kSeconds);
}

std::string suite_markup(const GateReport& report, const Suite& suite, std::size_t position) {
  const std::string out = fmt::format(
      "  <testsuite name=\"{}\" package=\"prescope\" id=\"{}\" timestamp=\"{}\" "
      "hostname=\"localhost\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" "
      "time=\"0\">\n",
      suite.name, position, timestamp(report.verdict.tonight.time), suite.tests, suite.failures,
      suite.errors, suite.skipped);
  return out + properties_markup(report) + suite.cases +
         fmt::format(
             "    <system-out>{}\n{}</system-out>\n    <system-err/>\n"
             "  </testsuite>\n",
             escaped_markup(gate_headline(report)), escaped_markup(suite.words_of_passed));
}

}  // namespace

std::string gate_junit(const GateReport& report) {
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n" +
                    suite_markup(report, rules_suite(report.verdict), 0);
  const Suite topics = topics_suite(report.verdict);
  if (topics.tests > 0) out += suite_markup(report, topics, 1);
  return out + "</testsuites>\n";
}

}  // namespace prescope
