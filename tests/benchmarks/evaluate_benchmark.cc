// Times the evaluation of run files beside trec_eval and beside reading the bytes. Whole processes
// run in turn (A B A B), after their answers were compared. Exits with 1 if an answer differs.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "benchmarks/matching.h"
#include "benchmarks/process.h"
#include "benchmarks/run_data.h"
#include "support/built_files.h"

namespace prescope::benchmarks {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kUsage =
    "usage: prescope_evaluate_benchmarks [--data DIR] [--trec-eval PATH] [--repeat N] [ROW...]\n"
    "  --data       folder of the made-up runs, made where they are missing (2.5 GB; a temporary\n"
    "               folder that is removed at the end)\n"
    "  --trec-eval  the peer (trec_eval on PATH)\n"
    "  --repeat     times that each pair is run (5)\n"
    "  ROW          only the rows whose title contains this\n";

struct Arguments {
  fs::path data;
  std::string peer = "trec_eval";
  int repeat = 5;
  std::vector<std::string> rows;
};

using Command = std::vector<std::string>;

/// One comparison: ours beside a peer's, a floor's, or our own on other data.
struct Row {
  enum class Bar { kAtLeast, kAtMost };

  std::string title;
  std::vector<Command> ours{}, other{};  ///< one after the other
  Bar bar = Bar::kAtLeast;  ///< of (other time / our time), or of (our time / other time)
  double limit = 0.0;
  bool same_output = false;
  double most_megabytes = 0.0;  ///< of ours; 0: not asked
  bool no_more_memory = false;  ///< than the other
};

struct Sum {
  double seconds = 0.0;
  double megabytes = 0.0;
};

class Benchmark {
 public:
  explicit Benchmark(Arguments arguments) : arguments_(std::move(arguments)) {
    program_ = testing::prescope_program();
  }

  /// The exit code.
  int run_all() {
    make_data();
    const bool has_peer = !output_of(arguments_.peer + " -v 2>&1").empty();
    fmt::print("median of {} in turn; time of the whole process, output to /dev/null\n",
               arguments_.repeat);
    if (has_peer) {
      fmt::print("peer: {}, {}\n", output_of(arguments_.peer + " -v 2>&1"), peer_flags());
    } else {
      fmt::print("trec_eval is not installed (--trec-eval PATH): ratios to the floor only\n");
    }
    fmt::print("\n{:<52}{:>10}{:>10}{:>9}{:>9}  {}\n", "", "other ms", "ours ms", "ratio", "MB",
               "bar");
    for (const Row& row : rows(has_peer)) {
      if (is_wanted(row.title)) measure(row);
    }
    if (is_wanted(kInMemory)) measure_in_memory();
    return wrong_ ? 1 : 0;
  }

 private:
  static constexpr std::string_view kInMemory = "in memory: match, PRES, R, AP; ns a hit";

  [[nodiscard]] std::string data(std::string_view name) const {
    return (arguments_.data / name).string();
  }
  [[nodiscard]] bool is_wanted(std::string_view title) const {
    return arguments_.rows.empty() ||
           std::ranges::any_of(arguments_.rows, [&](const std::string& wanted) {
             return title.find(wanted) != std::string_view::npos;
           });
  }
  [[nodiscard]] std::string peer_flags() const {
    const std::string found =
        output_of("readelf --debug-dump=info \"$(command -v " + arguments_.peer +
                  ")\" 2>/dev/null | grep -m1 -o 'GNU C[^$]*' || true");
    return found.empty() ? "flags unknown: built without debug information" : "built with " + found;
  }

  void make_data() const {
    fs::create_directories(arguments_.data);
    const auto make = [&](const char* name, const char* topics, const char* order,
                          const char* scores) {
      if (fs::exists(data(name))) return;
      // Runs in a process of its own, because this one's memory would count as its children's.
      const Taken taken =
          run({testing::own_program(), "--make", topics, order, scores, data(name)}, "/dev/null");
      if (taken.exit_code != 0) throw std::runtime_error("cannot make " + data(name));
    };
    make("S.run", "400", "sorted", "4");
    make("M.run", "4000", "sorted", "4");
    make("L.run", "10000", "sorted", "4");
    make("M-topics-shuffled.run", "4000", "topics", "4");
    make("M-all-shuffled.run", "4000", "all", "4");
    make("M-17-digits.run", "4000", "sorted", "17");
    for (int i = 1; i <= 48; ++i) {
      make(fmt::format("S-{}.run", i).c_str(), "400", "sorted", "4");
    }
    if (!fs::exists(data("M.run.gz"))) {
      (void)run({"gzip", "-1", "-k", data("M.run")}, "/dev/null");
    }
  }

  [[nodiscard]] std::vector<Row> rows(bool has_peer) const {
    using Bar = Row::Bar;
    std::vector<Row> rows;
    const std::string qrels_s = data("S.qrels"), qrels_m = data("M.qrels"),
                      qrels_l = data("L.qrels");
    const auto drop_in = [&](const Command& arguments) {
      Command command = {program_, "trec_eval"};
      command.insert(command.end(), arguments.begin(), arguments.end());
      return command;
    };
    const auto peer = [&](const Command& arguments) {
      Command command = {arguments_.peer};
      command.insert(command.end(), arguments.begin(), arguments.end());
      return command;
    };
    const auto pair = [&](std::string title, const Command& arguments, double limit,
                          const Command& only_ours = {}, double megabytes = 0.0) {
      Command ours = only_ours;
      ours.insert(ours.end(), arguments.begin(), arguments.end());
      rows.push_back({.title = std::move(title),
                      .ours = {drop_in(ours)},
                      .other = {peer(arguments)},
                      .limit = limit,
                      .same_output = true,
                      .most_megabytes = megabytes});
    };
    constexpr double kMegabytes = 30.0;
    if (has_peer) {
      pair("S, per topic, 1 thread", {"-q", qrels_s, data("S.run")}, 30, {}, kMegabytes);
      pair("M, per topic, 1 thread", {"-q", qrels_m, data("M.run")}, 45, {}, kMegabytes);
      pair("L, per topic, 1 thread", {"-q", qrels_l, data("L.run")}, 50, {}, kMegabytes);
      for (const char* size : {"S", "M", "L"}) {
        const std::string qrels = data(fmt::format("{}.qrels", size));
        const std::string run = data(fmt::format("{}.run", size));
        rows.push_back(
            {.title = fmt::format("{}, evaluate's own measures, per topic", size),
             .ours = {{program_, "evaluate", "--per-topic", "--format", "tsv", qrels, run}},
             .other = {peer({"-q", qrels, run})},
             .limit = *size == 'S' ? 40.0 : 50.0,
             .most_megabytes = kMegabytes});
      }
      pair("M, summary, 2 threads", {qrels_m, data("M.run")}, 70, {"--threads", "2"}, kMegabytes);
      pair("L, summary, 2 threads", {qrels_l, data("L.run")}, 100, {"--threads", "2"}, kMegabytes);
      pair("M, topics shuffled", {"-q", qrels_m, data("M-topics-shuffled.run")}, 30);
      pair("M, all lines shuffled", {"-q", qrels_m, data("M-all-shuffled.run")}, 12);
      rows.back().no_more_memory = true;
      rows.push_back(many_runs(qrels_s));
    }
    rows.push_back({.title = "L, per topic / reading 256 KB blocks",
                    .ours = {drop_in({"-q", qrels_l, data("L.run")})},
                    .other = {{testing::own_program(), "--read", data("L.run")}},
                    .bar = Bar::kAtMost,
                    .limit = 4});
    rows.push_back({.title = "M, 17-digit scores / 4 decimals",
                    .ours = {drop_in({qrels_m, data("M-17-digits.run")})},
                    .other = {drop_in({qrels_m, data("M.run")})},
                    .bar = Bar::kAtMost,
                    .limit = 1.5});
    rows.push_back({.title = "L, all_trec / default measures",
                    .ours = {drop_in({"-m", "all_trec", qrels_l, data("L.run")})},
                    .other = {drop_in({qrels_l, data("L.run")})},
                    .bar = Bar::kAtMost,
                    .limit = 1.5});
    rows.push_back({.title = "M gzip / gzip -dc",
                    .ours = {drop_in({qrels_m, data("M.run.gz")})},
                    .other = {{"gzip", "-dc", data("M.run.gz")}},
                    .bar = Bar::kAtMost,
                    .limit = 1.0});
    return rows;
  }

  [[nodiscard]] Row many_runs(const std::string& qrels) const {
    Row row{.title = "48 runs of S size, one process, 2 threads", .limit = 100};
    Command ours = {program_, "evaluate", "--threads", "2", "--format", "tsv", qrels};
    for (int i = 1; i <= 48; ++i) {
      ours.push_back(data(fmt::format("S-{}.run", i)));
      row.other.push_back({arguments_.peer, qrels, ours.back()});
    }
    row.ours = {ours};
    return row;
  }

  static Sum run_each(const std::vector<Command>& commands) {
    Sum sum;
    for (const Command& command : commands) {
      const Taken taken = run(command, "/dev/null");
      if (taken.exit_code != 0) throw std::runtime_error(command[0] + " failed");
      sum.seconds += taken.seconds;
      sum.megabytes = std::max(sum.megabytes, static_cast<double>(taken.peak_kilobytes) / 1024.0);
    }
    return sum;
  }

  bool same_output(const Row& row) {
    if (!row.same_output) return true;
    const fs::path ours = arguments_.data / "ours.out", other = arguments_.data / "other.out";
    (void)run(row.ours.front(), ours);
    (void)run(row.other.front(), other);
    // Not read here, because this process's memory would count as its children's.
    const Taken compared = run({"cmp", "-s", ours.string(), other.string()}, "/dev/null");
    if (compared.exit_code == 0 && fs::file_size(ours) != 0) return true;
    wrong_ = true;
    fmt::print("{:<52}ANSWERS DIFFER, see {} and {}\n", row.title, ours.string(), other.string());
    return false;
  }

  void measure(const Row& row) {
    if (!same_output(row)) return;
    std::vector<double> ours, others, ratios;
    double megabytes = 0.0, other_megabytes = 0.0;
    // Commands that take less than a second are measured more often.
    constexpr double kShort = 1.0;
    constexpr int kTimesOfShort = 5;
    for (int i = 0, count = arguments_.repeat; i < count; ++i) {
      const Sum other = run_each(row.other), own = run_each(row.ours);
      if (i == 0 && other.seconds < kShort && own.seconds < kShort) count *= kTimesOfShort;
      others.push_back(other.seconds * 1e3);
      ours.push_back(own.seconds * 1e3);
      const bool speed = row.bar == Row::Bar::kAtLeast;
      ratios.push_back(speed ? other.seconds / own.seconds : own.seconds / other.seconds);
      megabytes = std::max(megabytes, own.megabytes);
      other_megabytes = std::max(other_megabytes, other.megabytes);
    }
    const double ratio = median(ratios);
    const bool fast = row.bar == Row::Bar::kAtLeast ? ratio >= row.limit : ratio <= row.limit;
    std::string memory;
    if (row.most_megabytes > 0.0) {
      memory = fmt::format("; {} MB: {}", row.most_megabytes,
                           megabytes <= row.most_megabytes ? "within" : "OVER");
    }
    if (row.no_more_memory) {
      memory = fmt::format("; {:.0f} MB of the other's: {}", other_megabytes,
                           megabytes <= other_megabytes ? "within" : "OVER");
    }
    fmt::print("{:<52}{:>10.1f}{:>10.1f}{:>8.2f}x{:>9.1f}  {} {}x: {}{}\n", row.title,
               median(others), median(ours), ratio, megabytes,
               row.bar == Row::Bar::kAtLeast ? "at least" : "at most", row.limit,
               fast ? "within" : "OVER", memory);
    std::fflush(stdout);
  }

  void measure_in_memory() {
    constexpr double kMostNanoseconds = 0.3;
    const std::optional<double> nanoseconds = nanoseconds_a_hit();
    if (!nanoseconds) {
      wrong_ = true;
      fmt::print("{:<52}ANSWERS DIFFER\n", kInMemory);
      return;
    }
    fmt::print("{:<52}{:>10}{:>10.3f}{:>9}{:>9}  at most {} ns: {}\n", kInMemory, "", *nanoseconds,
               "", "", kMostNanoseconds, *nanoseconds <= kMostNanoseconds ? "within" : "OVER");
  }

  Arguments arguments_;
  std::string program_;
  bool wrong_ = false;
};

/// The floor: reads all bytes, in blocks of 256 KB, and does nothing else.
int read_only(const char* path) {
  std::vector<char> block(std::size_t{1} << 18U);
  const int file = ::open(path, O_RDONLY | O_CLOEXEC);
  ssize_t got = 1;
  while (got > 0) got = ::read(file, block.data(), block.size());
  return got == 0 ? 0 : 1;
}

/// A run, and beside it its qrels.
int make(char** arguments) {
  RunData data;
  data.topics = static_cast<std::uint32_t>(std::stoul(arguments[0]));
  const std::string order = arguments[1], scores = arguments[2];
  data.order = order == "all"      ? RunData::Order::kAllShuffled
               : order == "topics" ? RunData::Order::kTopicShuffled
                                   : RunData::Order::kByScore;
  data.scores = scores == "17" ? RunData::Scores::kSeventeenDigits : RunData::Scores::kFourDecimals;
  const fs::path run = arguments[3];
  write_qrels(data, fs::path(run).replace_extension(".qrels"));
  write_run(data, run.string() + ".partial");
  fs::rename(run.string() + ".partial", run);
  return 0;
}

int main_of(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() == 2 && words[0] == "--read") return read_only(argv[2]);
  if (words.size() == 5 && words[0] == "--make") return make(argv + 2);
  Arguments arguments;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool has_value = i + 1 < words.size();
    if (words[i] == "--data" && has_value) {
      arguments.data = words[++i];
    } else if (words[i] == "--trec-eval" && has_value) {
      arguments.peer = words[++i];
    } else if (words[i] == "--repeat" && has_value) {
      arguments.repeat = std::stoi(words[++i]);
    } else if (!words[i].starts_with('-')) {
      arguments.rows.push_back(words[i]);
    } else {
      fmt::print(stderr, "{}", kUsage);
      return words[i] == "--help" ? 0 : 2;
    }
  }
  const bool temporary = arguments.data.empty();
  if (temporary) {
    arguments.data = fs::temp_directory_path() / fmt::format("prescope-runs-{}", ::getpid());
  }
  const int code = Benchmark(arguments).run_all();
  if (temporary) fs::remove_all(arguments.data);
  return code;
}

}  // namespace
}  // namespace prescope::benchmarks

int main(int argc, char** argv) { return prescope::benchmarks::main_of(argc, argv); }
