#include "support/gate_verdict.h"

#include "base/utc_time.h"

namespace prescope::testing {
namespace {

using Status = GateVerdict::Status;

EvaluationRecord record(const char* time) {
  EvaluationRecord record;
  record.arm = "bm25";
  record.source = "replay nightly.toml";
  record.config = "engine = 'toy'\n";
  record.time = parse_utc_time(time);
  record.qrels = {.hash = "0123456789abcdef",
                  .topics = 2,
                  .judgements = 3,
                  .relevant = 3,
                  .docno = DocnoPolicy::kPatent};
  record.index = {.engine = "toy",
                  .engine_version = "1",
                  .path = "indexes/one",
                  .documents = 1234,
                  .judged_found = 3};
  record.depth = 10;
  record.measures = parse_measures("PRES@10,R@10");
  return record;
}

Baseline baseline() {
  Baseline baseline{.name = "main", .evaluation = record("2026-11-20 03:10")};
  baseline.evaluation.topics = {{.id = TopicId("T1"),
                                 .num_rel = 2,
                                 .num_ret = 10,
                                 .found = {{Docno("A"), 1}, {Docno("B"), 5}}},
                                {.id = TopicId("T2"), .num_rel = 1, .num_ret = 10}};
  baseline.must_find = {{TopicId("T1"), Docno("B")}};
  baseline.pinned_by = "ada";
  baseline.why = "first release";
  baseline.pinned = parse_utc_time("2026-11-20 09:00");
  return baseline;
}

GateVerdict::MeasureResult pres_result(const Measure& measure) {
  return {.measure = measure,
          .margin = 0.01,
          .topics = 2,
          .baseline = 0.425,
          .tonight = 0.65,
          .difference = 0.225,
          .low = -4.0364,
          .high = 4.4864,
          .p_non_inferior = 0.4053,
          .p_equivalent = 0.5945,
          .p_different = 0.7952,
          .wins = 1,
          .losses = 1,
          .status = Status::kInconclusive};
}

GateVerdict verdict() {
  const Measure pres = Measure::parse("PRES@10");
  GateVerdict verdict;
  verdict.outcome = GateOutcome::kRegression;
  verdict.rules = {
      {"input.qrels", Status::kPass, "the same judgements: 2 topics, 3 relevant documents"},
      {"margin.PRES@10", Status::kInconclusive,
       "PRES@10 may have fallen by as much as 4.0364; at most 0.01 is accepted"},
      {"catastrophe.must_find", Status::kFail, "1 of 1 pinned citations was lost: T1 B"},
      {"catastrophe.emptied", Status::kWarning, "no topic was emptied, few could have been"},
      {"latency.ratio", Status::kSkipped, "2 queries are too few for a 95 % quantile"}};
  verdict.measures = {pres_result(pres)};
  verdict.moving = pres;
  verdict.topics = {{{TopicId("T1"), 0.85, 0.4, -0.45},
                     2,
                     {"catastrophe.must_find"},
                     {{{Docno("B"), 0, Rank{5}, std::nullopt, -0.35}, true},
                      {{Docno("A"), 0, Rank{1}, Rank{3}, -0.1}, false}}},
                    {{TopicId("T2"), 0.0, 0.9, 0.9},
                     1,
                     {},
                     {{{Docno("C"), 0, std::nullopt, Rank{2}, 0.9}, false}}}};
  verdict.emptied =
      GateVerdict::Emptied{.emptied = 0, .filled = 1, .p_value = 1.0, .rate_high = 0.7764};
  verdict.latency = {.baseline_p95_ms = 10.0, .tonight_p95_ms = 12.0, .ratio = 1.2};
  verdict.applied.decisions = {{pres, 0.01}};
  verdict.baseline = baseline();
  verdict.tonight = record("2026-11-22 03:10");
  return verdict;
}

}  // namespace

GateReport regression_report() {
  return {.store = "nights.db", .evaluation = 13, .verdict = verdict()};
}

GateReport sliced_report() {
  GateReport report = regression_report();
  GateVerdict& verdict = report.verdict;
  const auto add = [&](const char* name, std::uint32_t topics, Status status) {
    GateVerdict::SliceResult slice{pres_result(*verdict.moving)};
    slice.dimension = "section";
    slice.name = name;
    slice.topics = topics;
    slice.may_speak = topics >= 50;
    slice.status = status;
    if (slice.may_speak) {
      slice.p_beyond = status == Status::kFail ? 0.0123 : 0.75;
      slice.p_worse = status == Status::kFail ? 0.0012 : 0.5;
    }
    verdict.slices.push_back(slice);
  };
  add("A", 60, Status::kFail);
  add("B", 9, Status::kSkipped);
  add("(none)", 50, Status::kPass);
  verdict.rules.push_back({"slices", Status::kPass, "Of 3 slices by section, 2 have a rule."});
  verdict.rules.push_back({"slice.section.A", Status::kFail, "A lost more than the margin"});
  verdict.rules.push_back({"slice.section.(none)", Status::kPass, "the others did not"});
  verdict.applied.slices = {.path = "patents.jsonl", .by = {"section"}, .margin = 0.01};
  return report;
}

GateReport bad_input_report() {
  GateReport report = regression_report();
  report.evaluation.reset();
  GateVerdict& verdict = report.verdict;
  verdict.outcome = GateOutcome::kBadInput;
  verdict.rules = {{"input.judged_found", Status::kBadInput,
                    "judged docnos found in the index fell from 100 % to 0 %: an id problem, not a "
                    "ranking regression"},
                   {"margin.PRES@10", Status::kSkipped, "the input is not comparable"}};
  verdict.measures.clear();
  verdict.topics.clear();
  verdict.moving.reset();
  verdict.emptied.reset();
  verdict.latency = {};
  verdict.tonight.index.judged_found = 0;
  verdict.tonight.docno_hint =
      DocnoHint{.policy = DocnoPolicy::kPatent, .judged = 3, .matched = 0, .would_match = 3};
  return report;
}

GateReport hostile_report() {
  GateReport report = regression_report();
  report.store = "my\n<store>.db";
  GateVerdict& verdict = report.verdict;
  verdict.baseline.name = kHostileTopic;
  verdict.baseline.why = "line one\nline two | <b>";
  verdict.baseline.must_find = {{TopicId(kHostileTopic), Docno(kHostileDocno)}};
  verdict.tonight.arm = kHostileArm;
  verdict.rules[2].reason = std::string("lost ") + kHostileDocno;
  verdict.topics[0].topic = TopicId(kHostileTopic);
  verdict.topics[0].citations[0].docno = Docno(kHostileDocno);
  GateVerdict::SliceResult slice{pres_result(*verdict.moving)};
  slice.dimension = kHostileTopic;
  slice.name = kHostileDocno;
  slice.topics = 60;
  slice.may_speak = true;
  verdict.slices = {slice};
  verdict.rules.push_back(
      {fmt::format("slice.{}.{}", kHostileTopic, kHostileDocno), Status::kFail, kHostileArm});
  return report;
}

}  // namespace prescope::testing
