#pragma once

#include <set>

#include "runs/run_source.h"
#include "runs/scan/topic_facts.h"

namespace prescope {

struct ReadRunOptions {
  ScorePrecision score = ScorePrecision::kDouble;
  // The answer does not depend on these.
  unsigned threads = 1;  ///< at least 1
  /// Bytes that a thread takes at least.
  std::uint64_t smallest_part = std::uint64_t{1} << 20U;
  /// First reads the run as if the lines of each topic were together.
  bool expects_topics_together = true;
};

/// Reads `topic Q0 docno rank score tag` lines, plain or gzip, LF or CRLF, topics in any order or
/// interleaved; `-` is standard input. Blank lines, lines starting with '#', and further columns,
/// of which each line has as many as the first, are skipped. Documents are matched under the qrels'
/// docno policy. The answer is the same for any number of threads. Throws Error(kIo), and
/// Error(kBadInput) that lists the first five malformed lines as `file:line: found, expected` and
/// counts the rest.
[[nodiscard]] RunFacts read_run_facts(const Qrels& qrels, const std::filesystem::path& path,
                                      const ReadRunOptions& options = {});
/// Reads a file that is open; the facts have no path.
[[nodiscard]] RunFacts read_run(const Qrels& qrels, ByteSource& file,
                                const ReadRunOptions& options = {});

/// Throws Error if the judgements have no list of topics. `run` begins the message.
void refuse_without_topics(const Qrels& qrels, std::string_view run);

/// Makes the facts of a run that is in memory, line by line; as those of the file with the same
/// lines. Single-threaded.
class RunBuilder {
 public:
  /// kScattered lets a topic come again after another one; all lines are then sorted out at the
  /// end.
  enum class Lines { kTogether, kScattered };

  /// `qrels` must outlive this. `name`: of the run, for messages.
  RunBuilder(const Qrels& qrels, std::string name, Lines order);
  RunBuilder(const RunBuilder&) = delete;
  RunBuilder& operator=(const RunBuilder&) = delete;

  /// Returns false if the topic came before and Lines::kTogether does not allow that: begin again.
  /// Throws Error(kBadInput), naming the line, for a topic or docno that is empty or has white
  /// space in it, a topic that begins with '#', and a score that is NaN.
  [[nodiscard]] bool add(std::string_view topic, std::string_view docno, double score);
  /// Call this once. Throws as check_common_topics, and Error(kBadInput) without lines.
  [[nodiscard]] RunFacts finish();

 private:
  void begin_topic(std::string_view topic);
  void check_name(std::string_view name, std::string_view column);

  const Qrels& qrels_;
  TopicFacts topic_facts_;
  RunFacts facts_;
  std::shared_ptr<KeptLines> kept_ = std::make_shared<KeptLines>();
  std::set<std::string, std::less<>> unjudged_;
  TopicReading reading_;
  TopicsOfRun topics_;
  std::string topic_;          // of the last line
  TopicLines* own_ = nullptr;  // its lines; null if the qrels do not have it
};

/// Makes the facts of a run in memory. `add_lines(builder)` adds its lines with RunBuilder::add,
/// from the first one on, and stops when that returns false.
template <class AddLines>
[[nodiscard]] RunFacts build_run(const Qrels& qrels, const std::string& name,
                                 const AddLines& add_lines) {
  RunBuilder together(qrels, name, RunBuilder::Lines::kTogether);
  if (add_lines(together)) return together.finish();
  RunBuilder scattered(qrels, name, RunBuilder::Lines::kScattered);
  (void)add_lines(scattered);
  return scattered.finish();
}

/// Throws Error(kBadInput) for a run that has no topic of the qrels: a mistake, not a run that
/// finds nothing. `qrels_name`: for the message.
void check_common_topics(const Qrels& qrels, const std::string& qrels_name, const RunFacts& run);

/// Judgements, and runs read under them.
struct JudgedRuns {
  Qrels qrels;
  std::vector<RunFacts> facts;
};

/// Reads the runs, in the given order; `-` is standard input. Several files are read at the same
/// time with a thread each, one file by all threads. Throws as read_run_facts for the first bad.
[[nodiscard]] std::vector<RunFacts> read_runs(const Qrels& qrels,
                                              std::span<const std::string> paths,
                                              const ReadRunOptions& options);

/// Reads judgements and runs. Throws what Qrels::load, read_runs and check_common_topics throw.
[[nodiscard]] JudgedRuns load_runs(const std::string& qrels, const QrelsOptions& qrels_options,
                                   std::span<const std::string> paths,
                                   const ReadRunOptions& options);

/// Returns the runs' names in results: the file's name without folder and endings such as `.run` or
/// `.res.gz`, "stdin" for `-`, or the path as given if two would have the same name.
[[nodiscard]] std::vector<std::string> run_names(std::span<const std::string> paths);

}  // namespace prescope
