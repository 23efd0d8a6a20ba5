#pragma once

#include "base/byte_source.h"
#include "runs/scan/run_facts.h"

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
