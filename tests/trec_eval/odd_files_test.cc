// Damaged and odd files: the drop-in prints what trec_eval 10 printed for them, or refuses them for
// a reason that docs/trec-eval.md lists, and never fails in another way.
//
// `odd_files.recorded` has a line for each case: trec_eval's exit code, and if it is 0 the FNV-1a
// hash of its output. With PRESCOPE_TREC_EVAL=PROGRAM the cases are run by that trec_eval instead,
// which prints both outputs if they differ; PRESCOPE_ODD_FILES=N sets the number of cases, and
// PRESCOPE_RECORD=FILE writes what trec_eval did.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <random>

#include "base/hash.h"
#include "prescope/error.h"
#include "runs/read_runs.h"
#include "support/scratch_file.h"
#include "trec_eval/trec_eval.h"

namespace prescope {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kOddSeed = 20261124;
constexpr int kCases = 2'000;

using Lines = std::vector<std::vector<std::string>>;  // columns of each

/// Draws that are the same with every standard library.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : engine_(seed) {}
  std::size_t below(std::size_t end) { return engine_() % end; }
  bool one_in(std::size_t n) { return below(n) == 0; }
  const std::string& of(const std::vector<std::string>& choices) {
    return choices[below(choices.size())];
  }

 private:
  std::mt19937_64 engine_;
};

/// One case: two files and the options.
struct OddFiles {
  std::string qrels, run;
  std::vector<std::string> measures;
  bool per_topic = false, complete = false;
  int min_grade = 1;
  std::uint32_t depth = 0;  ///< 0: all
  bool has_known_difference = false;

  [[nodiscard]] std::string options() const {
    std::string text = per_topic ? " -q" : "";
    if (complete) text += " -c";
    if (min_grade != 1) text += fmt::format(" -l {}", min_grade);
    if (depth != 0) text += fmt::format(" -M {}", depth);
    for (const std::string& measure : measures) text += " -m " + measure;
    return text;
  }
};

Lines some_qrels(Draw& draw) {
  Lines lines;
  for (const char* topic : {"1", "2", "10"}) {
    for (char docno = 'a'; docno < 'h'; ++docno) {
      if (draw.one_in(3)) continue;
      lines.push_back({topic, "0", {'d', docno}, std::to_string(draw.below(4))});
    }
  }
  if (lines.empty()) lines.push_back({"1", "0", "da", "1"});
  return lines;
}

Lines some_run(Draw& draw) {
  Lines lines;
  for (const char* topic : {"1", "2", "10", "unjudged"}) {
    if (draw.one_in(12)) continue;
    for (char docno = 'a'; docno < 'k'; ++docno) {
      if (draw.one_in(3)) continue;
      const std::string score = fmt::format("{}.{}", draw.below(4), draw.below(3));
      lines.push_back({topic, "Q0", {'d', docno}, "1", score, "tag"});
    }
  }
  if (lines.empty()) lines.push_back({"1", "Q0", "da", "1", "1", "tag"});
  if (draw.one_in(3)) {
    for (std::size_t i = lines.size(); i > 1; --i) std::swap(lines[i - 1], lines[draw.below(i)]);
  }
  return lines;
}

/// Changes one value, so that the columns stay what they are.
void change_value(Draw& draw, Lines& lines, std::size_t value_column, OddFiles& files) {
  static const std::vector<std::string> kScores = {
      "0x1A", "0x1p-3", "1e400",  "-1e400", "inf",  "-inf", "nan",  "abc",  "1.2.3", "+5",
      ".5",   "5.",     "1e-400", "-0",     "1e+2", "--1",  "1,5",  "1e",   "0x",    "-",
      "1_0",  "12abc",  "+-5",    "-0x2",   "1E2",  "0.1",  "0.10", "00.1", "1e-1",  "Infinity"};
  static const std::vector<std::string> kGrades = {"1.0", "+1", "2.0", "01",  "2.7", "X",
                                                   "XY",  "-1", "abc", "1e0", "0x1", "99999999999"};
  static const std::vector<std::string> kNames = {
      "d\xE9", "\xFF",  "caf\xC3\xA9",       "d#", "#d", "d\x01x", "\"d\"", "/a[1]",
      "{d}",   "d\x7F", std::string(70, 'd')};
  std::vector<std::string>& line = lines[draw.below(lines.size())];
  if (draw.one_in(2)) {
    const bool is_grade = value_column == 3;
    line[value_column] = draw.of(is_grade ? kGrades : kScores);
    files.has_known_difference |= is_grade && line[value_column].starts_with('X');
  } else {
    line[draw.below(value_column == 3 ? 3 : line.size())] = draw.of(kNames);
  }
}

void change_line(Draw& draw, Lines& lines) {
  const std::size_t at = draw.below(lines.size());
  switch (draw.below(4)) {
    case 0:
      lines[at].pop_back();
      break;
    case 1:
      lines[at].push_back("more");
      break;
    case 2:
      lines.push_back(lines[at]);  // the document again
      break;
    default:
      for (auto& line : lines) line.push_back("more");
  }
}

std::string text_of(Draw& draw, const Lines& lines, OddFiles& files) {
  static const std::vector<std::string> kSeparators = {" ", "\t", "  ", " \t", "\v", "\f", "\r"};
  static const std::vector<std::string> kBetween = {"\n",          "  \n", "# comment\n",
                                                    "# caf\xE9\n", "\t\n", " # comment\n"};
  const bool mixed = draw.one_in(3), odd_lines = draw.one_in(5), crlf = draw.one_in(8);
  std::string text;
  if (draw.one_in(40)) {
    text = "\xEF\xBB\xBF";
    files.has_known_difference = true;
  }
  for (const auto& line : lines) {
    if (odd_lines && draw.one_in(4)) text += draw.of(kBetween);
    if (mixed && draw.one_in(6)) text += " ";
    for (const std::string& column : line) {
      text += column;
      if (&column != &line.back()) text += mixed ? draw.of(kSeparators) : " ";
    }
    if (mixed && draw.one_in(6)) text += draw.one_in(2) ? " " : "\t";
    text += crlf ? "\r\n" : "\n";
  }
  if (draw.one_in(6)) text.pop_back();
  return text;
}

/// Changes bytes anywhere.
void damage(Draw& draw, std::string& text) {
  for (std::size_t i = 1 + draw.below(3); i > 0 && !text.empty(); --i) {
    const std::size_t at = draw.below(text.size());
    switch (draw.below(4)) {
      case 0:
        text[at] = static_cast<char>(draw.below(256));
        break;
      case 1:
        text.erase(at, 1 + draw.below(4));
        break;
      case 2:
        text.insert(at, 1, text[draw.below(text.size())]);
        break;
      default:
        text.resize(at);
    }
  }
}

OddFiles odd_files(std::uint64_t number) {
  static const std::vector<std::vector<std::string>> kMeasures = {
      {"official"},
      {"map", "P.5,10", "recall.5"},
      {"ndcg", "ndcg_cut.3", "num_ret", "runid"},
      {"set", "map_cut.2"},
      {"success", "infAP", "map.5"}};
  Draw draw(kOddSeed + number);
  OddFiles files;
  files.measures = kMeasures[draw.below(kMeasures.size())];
  files.per_topic = draw.one_in(2);
  files.complete = draw.one_in(2);
  files.min_grade = draw.one_in(4) ? 2 : 1;
  files.depth = draw.one_in(4) ? static_cast<std::uint32_t>(1 + draw.below(5)) : 0;
  Lines qrels = some_qrels(draw), run = some_run(draw);
  for (std::size_t i = draw.below(3); i > 0; --i) {
    const bool in_run = draw.one_in(2);
    if (draw.one_in(3)) {
      change_line(draw, in_run ? run : qrels);
    } else {
      change_value(draw, in_run ? run : qrels, in_run ? 4 : 3, files);
    }
  }
  files.qrels = text_of(draw, qrels, files);
  files.run = text_of(draw, run, files);
  if (draw.one_in(4)) damage(draw, draw.one_in(2) ? files.run : files.qrels);
  return files;
}

struct Outcome {
  int exit_code = 0;
  std::string output;  ///< or the message of the refusal
};

/// Some topic has negative grades only: trec_eval counts for it what it counted for the one before.
bool has_unjudged_topic(const Qrels& qrels) {
  return std::ranges::any_of(qrels.topics(), [](const TopicQrels& topic) {
    return std::ranges::all_of(topic.judgements(),
                               [](const Judgement& judgement) { return judgement.grade < 0; });
  });
}

/// As the command does it.
Outcome drop_in(OddFiles& files, const fs::path& qrels_path, const fs::path& run) {
  try {
    Outcome outcome;
    const Qrels qrels = Qrels::load(qrels_path, {.min_grade = files.min_grade});
    files.has_known_difference |= has_unjudged_topic(qrels);
    trec_eval::refuse_repeated_judgement(qrels, qrels_path.string());
    trec_eval::Options options{
        .measures = files.measures, .per_topic = files.per_topic, .complete = files.complete};
    if (files.depth != 0) options.ranks.depth = files.depth;
    const RunFacts facts = read_run_facts(qrels, run);
    trec_eval::write(qrels, facts, options, [&](std::string_view text) { outcome.output += text; });
    return outcome;
  } catch (const Error& error) {
    return {2, error.what()};
  }
}

Outcome run_trec_eval(const std::string& program, const OddFiles& files, const fs::path& folder) {
  const std::string command = fmt::format("cd {} && {}{} qrels run > out 2> err", folder.string(),
                                          program, files.options());
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, content_of(folder / "out")};
}

/// Reasons of docs/trec-eval.md to refuse what trec_eval accepts.
bool is_listed(std::string_view refusal) {
  constexpr std::string_view kListed[] = {
      "is not a number", "columns, unlike the", "this looks like",
      "a NUL byte",      "is no integer",       "is neither an integer nor",
      "is out of range", "a passage run",       "contains blanks",
      "no rankings",     "is judged twice",     "but grade",
      "line feeds"};
  return std::ranges::any_of(kListed, [&](std::string_view listed) {
    return refusal.find(listed) != std::string_view::npos;
  });
}

std::string hash_of(const std::string& text) { return fmt::format("{:016x}", fnv_1a(text)); }

int number_of_cases() {
  const char* const wanted = std::getenv("PRESCOPE_ODD_FILES");
  return wanted == nullptr ? kCases : std::atoi(wanted);
}

TEST(OddFiles, GiveWhatTrecEvalGaveOrAListedRefusal) {
  const char* const program = std::getenv("PRESCOPE_TREC_EVAL");
  const char* const record = std::getenv("PRESCOPE_RECORD");
  std::ifstream recorded(fs::path(PRESCOPE_SOURCE_DIR) / "tests/trec_eval/odd_files.recorded");
  std::ofstream recording(record == nullptr ? "/dev/null" : record);
  ScratchFolder folder;
  int compared = 0, refused = 0;
  for (int i = 0; i < number_of_cases() && !HasFailure(); ++i) {
    OddFiles files = odd_files(static_cast<std::uint64_t>(i));
    const fs::path qrels = folder.write("qrels", files.qrels), run = folder.write("run", files.run);
    const Outcome own = drop_in(files, qrels, run);
    int exit_code = -1;
    std::string hash, output;
    if (program != nullptr) {
      const Outcome peer = run_trec_eval(program, files, folder.path());
      exit_code = peer.exit_code;
      output = peer.output;
      hash = hash_of(output);
      recording << exit_code << (exit_code == 0 ? " " + hash : "") << "\n";
    } else if (recorded >> exit_code && exit_code == 0) {
      recorded >> hash;
    }
    if (exit_code != 0 || files.has_known_difference) continue;
    SCOPED_TRACE(fmt::format("case {}{}\nqrels:\n{}\nrun:\n{}\ntrec_eval:\n{}\nprescope:\n{}", i,
                             files.options(), files.qrels, files.run, output, own.output));
    if (own.exit_code != 0) {
      EXPECT_TRUE(is_listed(own.output));
      ++refused;
      continue;
    }
    EXPECT_EQ(hash_of(own.output), hash);
    ++compared;
  }
  if (number_of_cases() < kCases) return;
  EXPECT_GT(compared, kCases / 4);
  EXPECT_GT(refused, kCases / 50);
}

}  // namespace
}  // namespace prescope
