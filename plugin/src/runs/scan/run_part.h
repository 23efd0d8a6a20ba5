#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "prescope/qrels.h"
#include "runs/run_facts.h"
#include "runs/scan/bad_lines.h"
#include "runs/scan/line_scan.h"
#include "runs/scan/run_input.h"

namespace prescope {

/// Topics of a run that the qrels have not: how many, and the first few by name.
class UnjudgedTopics {
 public:
  void add(std::string_view topic);
  void add(const UnjudgedTopics& others);
  void list_in(RunFacts& facts) const;

 private:
  void keep_name(std::string topic);

  std::unordered_set<std::uint64_t> hashes_;
  std::set<std::string, std::less<>> first_;
};

/// What consecutive lines of a run hold. Topics are in the order of the lines.
struct RunPart {
  RunFacts facts;  ///< without the unjudged topics
  UnjudgedTopics unjudged;
  BadLines bad_lines;
  std::uint64_t lines = 0;  ///< of any kind
  /// A topic came again after another one; reading ended there.
  bool interleaved = false;
};

/// One behind the other: `retrieved` stays in the order of the lines. There must be one.
[[nodiscard]] RunPart joined(std::vector<RunPart> parts);

/// How lines are read.
struct LineReading {
  const Qrels& qrels;
  ScorePrecision precision;
  const LineScan& scan;
  std::size_t docnos_at_once;  ///< see ReadingDetails
};

/// Reads lines from the beginning of one to the end of the bytes, a topic at a time: what is kept
/// in memory is a block of 256 KB, or the text of the longest topic. Malformed lines are gathered.
[[nodiscard]] RunPart read_topic_by_topic(const LineReading& reading, ByteReader& bytes);

/// A whole run, for topics whose lines are anywhere: 16 bytes a line are kept in memory, and the
/// input is read once more for the docnos that make a difference. Topics ascend.
[[nodiscard]] RunPart read_interleaved(const LineReading& reading, const RunInput& input,
                                       unsigned threads);

/// Without the byte-order mark that a text may begin with.
[[nodiscard]] const char* behind_byte_order_mark(const char* text, const char* end) noexcept;

}  // namespace prescope
