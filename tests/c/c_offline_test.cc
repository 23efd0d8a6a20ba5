#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include <cmath>
#include <cstring>

#include "c/c_handles.h"
#include "prescope/gate.h"
#include "support/program.h"
#include "support/random_runs.h"
#include "support/scratch_file.h"

namespace prescope {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::run_program;

CQrels loaded_qrels(const std::filesystem::path& path) {
  prescope_qrels* qrels = nullptr;
  prescope_error error;
  EXPECT_EQ(prescope_qrels_load(path.c_str(), nullptr, &qrels, &error), PRESCOPE_OK)
      << error.message;
  return CQrels(qrels);
}

CRun loaded_run(const CQrels& qrels, const std::filesystem::path& path) {
  prescope_run* run = nullptr;
  prescope_error error;
  EXPECT_EQ(prescope_run_load(qrels.get(), path.c_str(), nullptr, 1, &run, &error), PRESCOPE_OK)
      << error.message;
  return CRun(run);
}

CScores scores_of(const CRun& run, const char* measures) {
  prescope_scores* scores = nullptr;
  prescope_error error;
  EXPECT_EQ(prescope_evaluate(run.get(), measures, nullptr, &scores, &error), PRESCOPE_OK)
      << error.message;
  return CScores(scores);
}

constexpr const char* kMeasures = "PRES@100,R@10,AP,nDCG@10,AP(rel=2)@100";

// The C++ library and the program are the oracles: the same bits, the same bytes.
TEST(COffline, ScoresEqualTheLibrarysToTheLastBit) {
  const ScratchFolder folder;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const RandomRuns files({.seed = seed, .runs = 2}, folder.path());
    const CQrels qrels = loaded_qrels(files.qrels);
    const Qrels judged = Qrels::load(files.qrels);
    for (const auto& path : files.runs) {
      const CScores found = scores_of(loaded_run(qrels, path), kMeasures);
      const JudgedRun run = JudgedRun::load(judged, path);
      const RunScores wanted = evaluate(run, parse_measures(kMeasures));
      ASSERT_EQ(found->num_topics, wanted.topics.size());
      ASSERT_EQ(found->num_measures, wanted.measures.size());
      for (std::size_t t = 0; t < wanted.topics.size(); ++t) {
        EXPECT_EQ(found->topics[t], wanted.topics[t].topic.value());
        EXPECT_EQ(found->num_ret[t], wanted.topics[t].num_ret);
        EXPECT_EQ(found->num_rel_ret[t], wanted.topics[t].num_rel_ret);
        EXPECT_EQ(found->is_in_run[t], wanted.topics[t].num_ret == 0 ? 0 : 1);
        for (std::size_t m = 0; m < wanted.measures.size(); ++m) {
          const double value = found->scores[t * wanted.measures.size() + m];
          const auto& expected = wanted.topics[t].scores[m];
          ASSERT_EQ(expected.has_value(), !std::isnan(value));
          if (expected) {
            ASSERT_EQ(value, *expected);
          }
        }
      }
      for (std::size_t m = 0; m < wanted.measures.size(); ++m) {
        EXPECT_EQ(found->measures[m], wanted.measures[m].name());
        EXPECT_EQ(found->means[m], wanted.means[m].mean);
        EXPECT_EQ(found->topics_in_mean[m], wanted.means[m].topics);
      }
    }
  }
}

TEST(COffline, DocumentsAreTheProgramsByteForByte) {
  const ScratchFolder folder;
  const RandomRuns files({.seed = 7, .runs = 3}, folder.path());
  const CQrels qrels = loaded_qrels(files.qrels);
  std::vector<CRun> runs;
  std::vector<const prescope_run*> handles;
  std::vector<std::string> names;
  for (const auto& path : files.runs) {
    handles.push_back(runs.emplace_back(loaded_run(qrels, path)).get());
    names.push_back(path.string());
  }
  const auto program = [&](std::vector<std::string> arguments) {
    arguments.push_back(files.qrels.string());
    arguments.insert(arguments.end(), names.begin(), names.end());
    arguments.insert(arguments.end(), {"-m", "PRES@100,R@100,AP", "--format", "json"});
    const auto outcome = run_program({.arguments = std::move(arguments), .environment = {}});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome.out;
  };
  char* json = nullptr;
  prescope_error error;
  ASSERT_EQ(
      prescope_evaluate_json(handles.data(), 3, "PRES@100,R@100,AP", nullptr, 1, &json, &error),
      PRESCOPE_OK)
      << error.message;
  EXPECT_EQ(CText(json).get(), program({"evaluate", "--per-topic"}));
  ASSERT_EQ(prescope_compare_json(handles.data(), 3, "PRES@100,R@100,AP", nullptr, nullptr, &json,
                                  &error),
            PRESCOPE_OK)
      << error.message;
  EXPECT_EQ(CText(json).get(), program({"compare"}));
}

// One run in every layout has the scores of its file.
TEST(COffline, EveryLayoutIsTheSameRun) {
  const CQrels qrels = c_citations();
  // T: D1 at 1 and D3 at 3; U: nothing found. PRES@4 of T: ((4+1-1) + (4+2-3)) / (2*4) = 7/8.
  const std::vector<const char*> topics = {"T", "T", "T", "U"},
                                 docnos = {"D1", "D2", "D3", "D\xC3\xA9"};
  const std::vector<double> scores = {3, 2, 1, 1};
  const std::vector<prescope_text> texts = {c_text("D1"), c_text("D2"), c_text("D3"),
                                            c_text("D\xC3\xA9")};
  const std::string terminated("D1\0D2\0D3\0D\xC3\xA9\0", 13), joined = "D1D2D3D\xC3\xA9";
  const std::vector<std::int32_t> offsets32 = {0, 2, 4, 6, 9};
  const std::vector<std::int64_t> offsets64 = {0, 2, 4, 6, 9};
  const std::string fixed("D1\0D2\0D3\0D\xC3\xA9", 12);
  const std::u32string fixed_codes = U"D1D2D3D\u00E9";
  const prescope_column layouts[] = {
      pointers(docnos),
      {4, texts.data(), 0, nullptr, 0, PRESCOPE_TEXTS},
      {4, terminated.data(), terminated.size(), nullptr, 0, PRESCOPE_TERMINATED},
      {4, joined.data(), joined.size(), offsets32.data(), 0, PRESCOPE_OFFSETS_32},
      {4, joined.data(), joined.size(), offsets64.data(), 0, PRESCOPE_OFFSETS_64},
      {4, fixed.data(), 0, nullptr, 3, PRESCOPE_FIXED_UTF8},
      {4, fixed_codes.data(), 0, nullptr, 2, PRESCOPE_FIXED_UCS4}};
  const std::vector<const char*> once = {"T", "U"};
  const std::vector<std::uint64_t> ends = {3, 4};
  for (const prescope_column& docno : layouts) {
    for (const bool is_by_topic : {false, true}) {
      for (const double* const score : {scores.data(), static_cast<const double*>(nullptr)}) {
        SCOPED_TRACE(docno.layout);
        prescope_run_columns columns = PRESCOPE_RUN_COLUMNS_INIT;
        columns.topics = pointers(is_by_topic ? once : topics);
        columns.topic_ends = is_by_topic ? ends.data() : nullptr;
        columns.docnos = docno;
        columns.scores = score;
        prescope_run* run = nullptr;
        prescope_error error;
        ASSERT_EQ(prescope_run_from_columns(qrels.get(), &columns, &run, &error), PRESCOPE_OK)
            << error.message;
        const CScores found = scores_of(CRun(run), "PRES@4");
        EXPECT_EQ(found->scores[0], 7.0 / 8.0);
        EXPECT_EQ(found->scores[1], 0.0);
        EXPECT_EQ(found->num_ret[1], 1U);
        EXPECT_EQ(found->means[0], 7.0 / 16.0);
      }
    }
  }
}

struct BadColumns {
  const char* what;
  prescope_column topics, docnos;
  prescope_code code;
  const char* said;  ///< part of the message
};

TEST(COffline, ColumnsThatCannotBeReadAreRefused) {
  const CQrels qrels = c_citations();
  const std::vector<const char*> one = {"T"}, two = {"T", "T"}, null = {nullptr}, blank = {"D 1"},
                                 empty = {""}, other = {"X"};
  const std::string unended = "D1", two_in_one("D1\0D2\0", 6);
  const std::vector<std::int32_t> falling = {2, 0}, behind = {0, 9};
  const std::u32string surrogate(1, char32_t{0xD800});
  const prescope_text with_nul = {
      "D\0"
      "1",
      3};
  const double score = 1.0;
  const BadColumns cases[] = {
      {"lengths", pointers(two), pointers(one), PRESCOPE_USAGE, "2 topics and 1 docnos"},
      {"a null string", pointers(one), pointers(null), PRESCOPE_BAD_INPUT, "entry 1 of 1: NULL"},
      {"null data",
       pointers(one),
       {1, nullptr, 0, nullptr, 0, 0},
       PRESCOPE_USAGE,
       "`data` is NULL"},
      {"a layout", pointers(one), {1, "D1", 2, nullptr, 0, 7}, PRESCOPE_USAGE, "layout 7"},
      {"no end",
       pointers(one),
       {1, unended.data(), 2, nullptr, 0, PRESCOPE_TERMINATED},
       PRESCOPE_USAGE,
       "ends before it"},
      {"too many",
       pointers(one),
       {1, two_in_one.data(), 6, nullptr, 0, PRESCOPE_TERMINATED},
       PRESCOPE_BAD_INPUT,
       "more strings than 1"},
      {"falling offsets",
       pointers(one),
       {1, unended.data(), 2, falling.data(), 0, PRESCOPE_OFFSETS_32},
       PRESCOPE_USAGE,
       "from byte 2"},
      {"offsets behind the data",
       pointers(one),
       {1, unended.data(), 2, behind.data(), 0, PRESCOPE_OFFSETS_32},
       PRESCOPE_USAGE,
       "to 9 of 2"},
      {"no offsets",
       pointers(one),
       {1, unended.data(), 2, nullptr, 0, PRESCOPE_OFFSETS_64},
       PRESCOPE_USAGE,
       "`offsets` is NULL"},
      {"a surrogate",
       pointers(one),
       {1, surrogate.data(), 0, nullptr, 1, PRESCOPE_FIXED_UCS4},
       PRESCOPE_BAD_INPUT,
       "U+D800"},
      {"a NUL",
       pointers(one),
       {1, &with_nul, 0, nullptr, 0, PRESCOPE_TEXTS},
       PRESCOPE_BAD_INPUT,
       "'D' has a NUL in it"},
      {"a blank", pointers(one), pointers(blank), PRESCOPE_BAD_INPUT, "'D 1' has white space"},
      {"an empty docno", pointers(one), pointers(empty), PRESCOPE_BAD_INPUT, "docno is empty"},
      {"no common topic", pointers(other), pointers(one), PRESCOPE_BAD_INPUT, "'X'"}};
  for (const BadColumns& bad : cases) {
    SCOPED_TRACE(bad.what);
    prescope_run_columns columns = PRESCOPE_RUN_COLUMNS_INIT;
    columns.topics = bad.topics;
    columns.docnos = bad.docnos;
    columns.scores = &score;
    prescope_run* run = reinterpret_cast<prescope_run*>(&columns);
    const CRefusal refusal = c_refusal_of([&](prescope_error* error) {
      return prescope_run_from_columns(qrels.get(), &columns, &run, error);
    });
    EXPECT_EQ(refusal.code, bad.code) << refusal.message;
    EXPECT_THAT(refusal.message, HasSubstr(bad.said));
    EXPECT_EQ(run, nullptr);
  }
}

TEST(COffline, AScoreThatIsNaNIsNamed) {
  const CQrels qrels = c_citations();
  const std::vector<const char*> topics = {"T", "T"}, docnos = {"D1", "D2"};
  const double scores[] = {1.0, std::nan("")};
  prescope_run_columns columns = PRESCOPE_RUN_COLUMNS_INIT;
  columns.topics = pointers(topics);
  columns.docnos = pointers(docnos);
  columns.scores = scores;
  prescope_run* run = nullptr;
  EXPECT_EQ(c_refusal_of([&](prescope_error* error) {
              return prescope_run_from_columns(qrels.get(), &columns, &run, error);
            }).message,
            "the columns: line 2: the score of docno 'D2' for topic 'T' is NaN; expected a number");
}

TEST(COffline, ArgumentsThatAreMissingAreNamed) {
  prescope_run* run = nullptr;
  prescope_qrels* qrels = nullptr;
  prescope_scores* scores = nullptr;
  char* json = nullptr;
  const CQrels judged = c_citations();
  prescope_qrels_options no_policy = PRESCOPE_QRELS_OPTIONS_INIT;
  no_policy.docno = "patents";
  const auto said = [&](auto call) { return c_refusal_of(call).message; };
  using Error = prescope_error*;
  EXPECT_EQ(said([&](Error e) { return prescope_qrels_load(nullptr, nullptr, &qrels, e); }),
            "path is NULL");
  EXPECT_EQ(said([&](Error e) { return prescope_qrels_load("x", nullptr, nullptr, e); }),
            "qrels is NULL");
  EXPECT_THAT(said([&](Error e) { return prescope_qrels_load("x", &no_policy, &qrels, e); }),
              AllOf(HasSubstr("'patents'"), HasSubstr("'patent'")));
  EXPECT_EQ(said([&](Error e) { return prescope_run_load(nullptr, "x", nullptr, 1, &run, e); }),
            "qrels is NULL");
  EXPECT_EQ(said([&](Error e) { return prescope_evaluate(nullptr, "AP", nullptr, &scores, e); }),
            "run is NULL");
  EXPECT_EQ(said([&](Error e) {
              return prescope_compare_json(nullptr, 1, "AP", nullptr, nullptr, &json, e);
            }),
            "1 runs; expected at least 2");
  EXPECT_EQ(c_refusal_of([&](Error e) {
              return prescope_qrels_load("/nowhere/qrels", nullptr, &qrels, e);
            }).code,
            PRESCOPE_IO);
  // Without a place for the message, the code is all.
  EXPECT_EQ(prescope_run_load(nullptr, "x", nullptr, 1, &run, nullptr), PRESCOPE_USAGE);
  prescope_qrels_free(nullptr);
  prescope_run_free(nullptr);
  prescope_scores_free(nullptr);
  prescope_text_free(nullptr);
}

// A host that was compiled for an older version has a shorter struct, one for a later version a
// longer one.
TEST(COffline, StructsOfOtherVersions) {
  const CQrels qrels = c_citations();
  const std::vector<const char*> topics = {"T"}, docnos = {"D1"};
  prescope_run_columns columns = PRESCOPE_RUN_COLUMNS_INIT;
  columns.topics = pointers(topics);
  columns.docnos = pointers(docnos);
  prescope_run* made = nullptr;
  ASSERT_EQ(prescope_run_from_columns(qrels.get(), &columns, &made, nullptr), PRESCOPE_OK);
  const CRun run(made);
  struct Later {
    prescope_scoring known PRESCOPE_SCORING_INIT;
    std::uint64_t added = 0;
  } later;
  later.known.size = sizeof(later);
  prescope_scoring older PRESCOPE_SCORING_INIT;
  older.size = offsetof(prescope_scoring, depth);
  older.judged_only = 1;  // behind the struct of that time
  prescope_scores* scores = nullptr;
  const auto code = [&](const prescope_scoring& scoring) {
    const CRefusal refusal = c_refusal_of([&](prescope_error* error) {
      return prescope_evaluate(run.get(), "R@4", &scoring, &scores, error);
    });
    const CScores freed(scores);
    return refusal;
  };
  EXPECT_EQ(code(later.known).code, PRESCOPE_OK);
  later.added = 1;
  EXPECT_THAT(code(later.known).message, HasSubstr("prescope_scoring of size"));
  EXPECT_EQ(code(older).code, PRESCOPE_OK);
  for (const std::size_t size : {0, 12}) {  // 12: in the middle of a pointer
    older.size = size;
    EXPECT_EQ(code(older).code, PRESCOPE_USAGE);
  }
}

TEST(COffline, LongMessagesAreCutBetweenCharacters) {
  const CQrels qrels = c_citations();
  std::string name;
  while (name.size() < sizeof(prescope_error)) name += "\xC3\xA9";
  name += " ";
  const std::vector<const char*> topics = {"T"}, docnos = {name.c_str()};
  prescope_run_columns columns = PRESCOPE_RUN_COLUMNS_INIT;
  columns.topics = pointers(topics);
  columns.docnos = pointers(docnos);
  prescope_run* run = nullptr;
  const std::string message =
      c_refusal_of([&](prescope_error* error) {
        return prescope_run_from_columns(qrels.get(), &columns, &run, error);
      }).message;
  EXPECT_GT(message.size(), sizeof(prescope_error) - 6);
  EXPECT_TRUE(message.ends_with("\xC3\xA9...")) << message.substr(message.size() - 8);
}

/// Judgements of 40 topics, one document each, and two runs of 100 documents a topic. The document
/// stands at rank 5, in the second run at rank 30.
struct GateFiles {
  explicit GateFiles(const ScratchFolder& folder) {
    std::string judgements, lines[2];
    for (int topic = 0; topic < 40; ++topic) {
      judgements += fmt::format("t{} 0 d{} 1\n", topic, topic);
      for (int rank = 1; rank <= 100; ++rank) {
        for (const int run : {0, 1}) {
          const bool is_judged = rank == (run == 0 ? 5 : 30);
          lines[run] += fmt::format("t{} Q0 {}{} {} {} x\n", topic, is_judged ? "d" : "e",
                                    is_judged ? topic : rank, rank, 200 - rank);
        }
      }
    }
    qrels = folder.write("qrels", judgements);
    for (const int run : {0, 1}) runs[run] = folder.write(fmt::format("run{}", run), lines[run]);
  }

  std::filesystem::path qrels, runs[2];
};

// The library's gate is the oracle. PRES@100 falls from .96 to .71 in each topic.
TEST(COffline, GateSaysWhatTheLibrarySays) {
  const ScratchFolder folder;
  const GateFiles files(folder);
  const CQrels qrels = loaded_qrels(files.qrels);
  const CRun a = loaded_run(qrels, files.runs[0]), b = loaded_run(qrels, files.runs[1]);
  const Qrels judged = Qrels::load(files.qrels);
  const GateResult wanted =
      gate(JudgedRun::load(judged, files.runs[0]), JudgedRun::load(judged, files.runs[1]));
  char* json = nullptr;
  prescope_error error;
  ASSERT_EQ(prescope_gate_json(a.get(), b.get(), nullptr, nullptr, &json, &error), PRESCOPE_OK)
      << error.message;
  const auto found = nlohmann::json::parse(CText(json).get());
  EXPECT_EQ(wanted.outcome, GateOutcome::kRegression);
  EXPECT_EQ(found.at("outcome"), to_string(wanted.outcome));
  ASSERT_EQ(found.at("rules").size(), wanted.rules.size());
  for (std::size_t i = 0; i < wanted.rules.size(); ++i) {
    EXPECT_EQ(found["rules"][i].at("id"), wanted.rules[i].id);
    EXPECT_EQ(found["rules"][i].at("reason"), wanted.rules[i].reason);
  }
  ASSERT_EQ(found.at("measures").size(), wanted.measures.size());
  ASSERT_FALSE(wanted.measures.empty());
  EXPECT_EQ(found["measures"][0].at("difference"), wanted.measures[0].difference.value());
  EXPECT_EQ(prescope_gate_json(a.get(), b.get(), "nonsense = [", nullptr, &json, &error),
            PRESCOPE_BAD_INPUT);
}

}  // namespace
}  // namespace prescope
