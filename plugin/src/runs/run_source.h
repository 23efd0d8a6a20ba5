#pragma once

#include <memory>

#include "base/byte_source.h"
#include "runs/scan/run_facts.h"

namespace prescope {

/// The topics and docnos of a run that was in memory, in the order of its lines. Checks that read a
/// file again read these.
class KeptLines {
 public:
  /// The next lines are of this topic, which may have come before.
  void begin_topic(std::string_view topic) { lines_.append(1, kTopic).append(topic) += '\n'; }
  void add(std::string_view docno) { lines_.append(docno) += '\n'; }
  /// Returns them as the lines of a run file, all with the same score.
  [[nodiscard]] std::string text() const;

 private:
  static constexpr char kTopic = ' ';  // begins the line of a topic; no name has it

  std::string lines_;
};

/// Returns whether `reopened` returns a source.
[[nodiscard]] bool can_be_reopened(const RunFacts& facts) noexcept;
/// Opens a run again; returns null if its source, such as a pipe, cannot be read again. Throws
/// Error(kIo).
[[nodiscard]] std::unique_ptr<ByteSource> reopened(const RunFacts& facts);

}  // namespace prescope
