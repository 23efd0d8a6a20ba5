#include "cli/commands/commands.h"
#include "cli/commands/study_command.h"
#include "cli/options/session_source.h"
#include "live/summary/checks.h"
#include "report/live/live_report.h"
#include "report/study/plan_report.h"
#include "runs/topic_units.h"

namespace prescope::cli {

namespace {

struct PlanRequest {
  EvaluationFlags flags;
  TestPlanOptions options;
  std::optional<double> sd;
  std::optional<std::uint32_t> topics;
  std::vector<std::string> differences, looks;
  SessionSource session;
  std::optional<std::string> arm;  ///< of the session, compared with the first
  StudyOutput output;
};

/// Returns the differences that were asked for; otherwise the difference of the pilot.
std::vector<double> differences_of(const PlanRequest& request, const PilotFacts& pilot) {
  std::vector<double> asked = share_list("--difference", request.differences);
  if (!asked.empty()) return asked;
  const double seen = std::abs(pilot.difference.value_or(0.0));
  if (seen == 0.0) {
    throw usage_error(
        "no difference to plan for: the pilot's two means are the same; name one by --difference, "
        "such as 0.01");
  }
  return {seen};
}

/// "PRES@100: mean difference +0.0297 over 583 topics, 70 without one; standard deviation 0.1404"
std::string pilot_words(const std::string& measure, const PilotFacts& pilot) {
  std::string words = fmt::format("{}: mean difference {:+.4f} over {}", measure, *pilot.difference,
                                  units_text(pilot.compared, pilot.are_families));
  if (pilot.split_sd) {
    return words + fmt::format(
                       ", each served by one arm; standard deviation of twice their "
                       "distance from what was expected {:.4f}",
                       *pilot.split_sd);
  }
  if (!pilot.are_families) words += fmt::format(", {} without one", grouped_text(pilot.zeros));
  return words + fmt::format("; standard deviation {:.4f}", *pilot.sd);
}

PlanSubject pilot_subject(const EvaluationReport& report, const PilotFacts& pilot) {
  const std::string measure = report.measures[0].name();
  return {.lines = {{"qrels", qrels_words(report)},
                    {"A", report.runs[0].name},
                    {"B", report.runs[1].name},
                    {"pilot", pilot_words(measure, pilot)}},
          .measure = measure};
}

/// Returns whether a flag was given that has a meaning for a pilot only.
bool is_about_runs(const EvaluationFlags& flags) {
  const QrelsOptions& qrels = flags.qrels_options;
  const RankOptions &ranks = flags.evaluate.ranks, usual;
  return !flags.measures.empty() || qrels.docno != DocnoPolicy::kRaw || !qrels.rule.empty() ||
         !qrels.family_map.empty() || qrels.min_grade != 1 || qrels.collapses ||
         !qrels.categories.given().empty() || ranks.depth != usual.depth ||
         ranks.order != usual.order || ranks.judged_only ||
         flags.evaluate.topics != EvaluateOptions::Topics::kAll;
}

/// The measures of a session are its own, and one of them may be chosen.
bool is_about_files(const EvaluationFlags& flags) {
  EvaluationFlags without_measure = flags;
  without_measure.measures.clear();
  return !flags.qrels.empty() || !flags.runs.empty() || is_about_runs(without_measure);
}

void check_session_request(const PlanRequest& request) {
  if (is_about_files(request.flags)) {
    throw usage_error(
        "--store: a session has its own judgements and rankings; give either a store, or QRELS and "
        "two runs");
  }
  if (request.sd || request.topics) {
    throw usage_error("--sd, --topics-at-hand: have no meaning beside a pilot, which has them");
  }
}

void check_request(const PlanRequest& request) {
  if (!request.session.store.empty()) return check_session_request(request);
  if (request.session.session || request.session.experiment || request.arm) {
    throw usage_error("--session, --experiment, --arm: have no meaning without --store");
  }
  const bool has_pilot = !request.flags.qrels.empty();
  if (has_pilot && request.flags.runs.size() != 2) {
    throw usage_error("a pilot is QRELS and two runs; found {}", request.flags.runs.size());
  }
  if (has_pilot && (request.sd || request.topics)) {
    throw usage_error("--sd, --topics-at-hand: have no meaning beside a pilot, which has them");
  }
  if (!has_pilot && is_about_runs(request.flags)) {
    throw usage_error("flags about runs and judgements have no meaning without a pilot");
  }
  if (!has_pilot && (!request.sd || request.differences.empty())) {
    throw usage_error(
        "expected a pilot (QRELS and two runs, or --store), or --sd and --difference; see "
        "'prescope plan --help'");
  }
}

/// Plans from two runs, by the first measure.
ReportDocument plan_of_pilot(PlanRequest& request) {
  std::vector<Measure> measures =
      comparable_measures(measures_of(request.flags.measures, "PRES@100"));
  measures.resize(1, measures.front());
  const StudyInput input(request.flags, 2, measures);
  const auto& runs = input.evaluation.runs;
  for (const EvaluatedRun& run : runs) {
    const auto end = end_before(measures[0], run.facts());
    if (!end) continue;
    throw usage_error("{} ends at rank {}, before {}; name a measure that both runs reach",
                      run.name, *end, measures[0].name());
  }
  PilotFacts pilot = pilot_facts(runs[0].evaluation, runs[1].evaluation, 0);
  pilot.are_families = input.judged.qrels.has_family_map();
  request.options.differences = differences_of(request, pilot);
  ReportDocument report =
      plan_report(plan_test(pilot, request.options), pilot_subject(input.evaluation, pilot));
  report.notes = evaluation_notes(input.evaluation);
  return report;
}

/// Returns the pair of the arm that was asked for; the first without one.
const ArmPair& pair_of(const Summary& session, const std::optional<std::string>& arm) {
  if (session.pairs.empty()) {
    throw bad_input_error("the session has one arm; a pilot compares two");
  }
  if (!arm) return session.pairs.front();
  std::vector<std::string_view> names;
  for (const ArmPair& pair : session.pairs) {
    names.push_back(names_of(session, pair).b);
    if (names.back() == *arm) return pair;
  }
  throw usage_error("--arm '{}': not compared with the first arm; did you mean '{}'?", *arm,
                    nearest_name(*arm, names));
}

/// Returns the place of the measure that was asked for; that of the primary one without one.
std::size_t measure_in(const Summary& session, const std::vector<std::string>& asked) {
  if (asked.empty()) return session.primary;
  const Measure measure = measures_of(asked).front();
  const auto found = std::ranges::find(session.measures, measure);
  if (found != session.measures.end()) {
    return static_cast<std::size_t>(found - session.measures.begin());
  }
  std::vector<std::string> names;
  for (const Measure& one : session.measures) names.push_back(one.name());
  const std::vector<std::string_view> known(names.begin(), names.end());
  throw usage_error("--measures '{}': the session does not have it; did you mean '{}'?",
                    measure.name(), nearest_name(measure.name(), known));
}

/// Plans from a session of an experiment.
ReportDocument plan_of_session(PlanRequest& request) {
  const Summary session = session_summary(request.session);
  const ArmPair& pair = pair_of(session, request.arm);
  const std::size_t m = measure_in(session, request.flags.measures);
  const PilotFacts pilot = pilot_facts(session, pair.b, m);
  request.options.differences = differences_of(request, pilot);
  const ArmNames names = names_of(session, pair);
  PlanSubject subject{.lines = {{"store", request.session.store},
                                {"experiment", session.experiment},
                                {"A", names.a},
                                {"B", names.b},
                                {"pilot", pilot_words(session.measures[m].name(), pilot)}},
                      .measure = session.measures[m].name()};
  constexpr double kHours = 24.0;
  const double per_hour = pair.outlook ? pair.outlook->per_hour.value_or(0.0) : 0.0;
  if (!request.options.per_day && per_hour > 0.0) {
    request.options.per_day = kHours * per_hour;
    subject.lines.emplace_back(
        "a day", fmt::format("{:.3g} new {}, as in the last quarter of the session",
                             *request.options.per_day, units_word(pilot.are_families)));
  }
  ReportDocument report = plan_report(plan_test(pilot, request.options), subject);
  if (is_vetoed(pair.checks)) report.notes.push_back(veto_sentence(session, pair));
  report.notes.insert(report.notes.end(), session.missing.begin(), session.missing.end());
  return report;
}

ReportDocument plan_of_assumptions(PlanRequest& request) {
  const PilotFacts assumed{.topics = request.topics.value_or(0), .sd = *request.sd};
  request.options.differences = differences_of(request, assumed);
  return plan_report(plan_test(assumed, request.options),
                     {.lines = {{"assumed", fmt::format("standard deviation of the differences {}",
                                                        *request.sd)}}});
}

void run_plan(PlanRequest& request) {
  check_request(request);
  request.options.looks = share_list("--looks", request.looks, "0.5,0.75,1");
  if (!request.session.store.empty()) {
    request.output.open(std::vector{request.session.store});
    return request.output.write(plan_of_session(request));
  }
  request.output.open(inputs_of(request.flags));
  request.output.write(request.flags.qrels.empty() ? plan_of_assumptions(request)
                                                   : plan_of_pilot(request));
}

}  // namespace

void add_plan_command(Command& program) {
  const auto [command, request] = program.add_command(
      "plan", "How many topics, or days, a verdict needs: from a pilot or from assumptions.",
      run_plan);
  command.add("QRELS", request.flags.qrels, "FILE", "Judgements of a pilot");
  command.add("RUN", request.flags.runs, "FILE", "Its two runs, A and B");
  add_evaluation_flags(command, request.flags, "PRES@100; the first counts");
  command.add(
      "--store", request.session.store, "FILE",
      "Instead, a session of an experiment or a replay as the pilot: its store, or a fleet: "
      "clickhouse://...");
  command.add("--experiment", request.session.experiment, "NAME",
              "Of the newest session in the store (any)");
  command.add("--session", request.session.session, "N",
              "Session in the store, as 'prescope log' numbers them (the newest)", Limits{});
  command.add("--arm", request.arm, "NAME",
              "Arm of the session, compared with its first one (the second)");
  command.add("--sd", request.sd, "SD",
              "Without a pilot: standard deviation of the topics' differences");
  command.add("--topics-at-hand", request.topics, "N", "Without a pilot: topics that there are",
              Limits{2, 2'000'000'000});
  command.add("--difference", request.differences, "D,D",
              "Differences that are to be found (the pilot's)");
  command.add("--margin", request.options.margin, "D",
              "Also the topics that show \"not worse by more than D\" and \"the same within D\"");
  command.add("--alpha", request.options.alpha, "SHARE",
              "Chance to state a difference that is not there (0.05)");
  command.add("--power", request.options.power, "SHARE",
              "Chance to find a difference that is there (0.8)");
  command.add("--looks", request.looks, "SHARE,SHARE",
              "Looks of the planned test, shares of its topics (0.5,0.75,1)");
  command.add_choice("--spending", request.options.spending,
                     {{key_of(Spending::kObrienFleming), Spending::kObrienFleming},
                      {key_of(Spending::kPocock), Spending::kPocock}},
                     "SPENDING",
                     "Alpha that the looks spend: obrien-fleming, little at early ones, or pocock, "
                     "alike at all (obrien-fleming)");
  command.add("--per-day", request.options.per_day, "N",
              "New topics a day: days are given beside topics (those of the session)");
  request.output.add_to(command);
  command.footer(
      "Examples:\n"
      "  prescope plan qrels.txt tfidf.run bm25.run -m PRES@100 --html plan.html\n"
      "  prescope plan qrels.txt old.run new.run --difference 0.01 --per-day 120\n"
      "  prescope plan --store live.store --arm bm25 --difference 0.01\n"
      "  prescope plan --sd 0.12 --difference 0.01,0.02 --margin 0.005");
}

}  // namespace prescope::cli
