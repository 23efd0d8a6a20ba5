// JUnit XML by the schema of Ant's JUnit task, within the limits of Jenkins' schema.
#include "base/utc_time.h"
#include "report/nightly/gate_report.h"
#include "report/text/visible_text.h"

namespace prescope {

namespace {

using Status = GateVerdict::Status;

/// A failure is a regression; an error means that nothing could be decided.
struct Suite {
  std::string_view name;
  std::string cases{}, words_of_passed{};
  std::string properties = "<properties/>", output = "<system-out/>";
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

/// A verdict that is not in the store is an error: no later night is compared with it. So is a
/// report that could not be written, because the gate ends with 2.
Suite rules_suite(const GateReport& report) {
  Suite suite{.name = "prescope.gate.rules"};
  for (const GateVerdict::Rule& rule : report.verdict.rules) add_rule(suite, rule);
  const auto add_error = [&](std::string_view name, const std::string& why, std::string_view type) {
    ++suite.errors;
    suite.add(name, outcome_markup("error", why, type));
  };
  if (!report.not_stored.empty()) add_error("store", report.not_stored, "not_stored");
  for (const std::string& why : report.not_written) add_error("report", why, "not_written");
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
  std::string out = "<properties>\n";
  for (const auto& [label, words, style] : gate_subject(report)) {
    out += fmt::format("      <property name=\"{}\" value=\"{}\"/>\n", escaped_markup(label),
                       escaped_markup(words));
  }
  return out + "    </properties>";
}

/// UTC without the zone, as the schema has it.
std::string timestamp(UtcTime time) {
  constexpr std::size_t kSeconds = 19;
  return utc_text(time).substr(0, kSeconds);
}

std::string document_of(const std::vector<Suite>& suites, UtcTime time) {
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
  for (std::size_t i = 0; i < suites.size(); ++i) {
    const Suite& suite = suites[i];
    out += fmt::format(
        "  <testsuite name=\"{}\" package=\"prescope\" id=\"{}\" timestamp=\"{}\" "
        "hostname=\"localhost\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" "
        "time=\"0\">\n    {}\n{}    {}\n    <system-err/>\n  </testsuite>\n",
        suite.name, i, timestamp(time), suite.tests, suite.failures, suite.errors, suite.skipped,
        suite.properties, suite.cases, suite.output);
  }
  return out + "</testsuites>\n";
}

}  // namespace

std::string refusal_junit(const GateRefusal& refusal) {
  Suite suite{.name = "prescope.gate.rules", .errors = 1};
  suite.add("gate", outcome_markup("error", refusal.attempt.reason, "not_judged"));
  return document_of({suite}, refusal.attempt.time);
}

std::string gate_junit(const GateReport& report) {
  std::vector<Suite> suites = {rules_suite(report), topics_suite(report.verdict)};
  if (suites.back().tests == 0) suites.pop_back();
  for (Suite& suite : suites) {
    suite.properties = properties_markup(report);
    suite.output =
        fmt::format("<system-out>{}\n{}</system-out>", escaped_markup(gate_headline(report)),
                    escaped_markup(suite.words_of_passed));
  }
  return document_of(suites, report.verdict.tonight.time);
}

}  // namespace prescope
