#pragma once

#include <filesystem>
#include <vector>

#include "prescope/types.h"

#pragma GCC visibility push(default)
namespace prescope {

/// The rankings of all topics by one system.
struct Run {
  struct Topic {
    TopicId id;
    std::vector<Docno> docnos;  ///< rank 1 first
  };
  std::string tag;
  std::vector<Topic> topics;  ///< ascending by id, bytewise
};

/// How the lines of a TREC run file are ranked. The rank column is never used.
enum class RunOrder {
  kFile,  ///< the order of the lines, as PRESeval reads it
  kTrec,  ///< score descending, then docno descending bytewise, as trec_eval does
};

/// Reads `topic Q0 docno rank score tag` lines, plain or gzip, LF or CRLF, topics in any order or
/// interleaved; further columns, blank lines and lines starting with '#' are skipped. Scores are
/// compared as doubles, as in trec_eval 10. Throws Error: kIo, kBadInput with `file:line: found,
/// expected, remedy`, also for a file without any ranking.
[[nodiscard]] Run load_run(const std::filesystem::path& path, RunOrder order);

}  // namespace prescope
#pragma GCC visibility pop
