#pragma once

#include <cstring>
#include <memory>

#include "base/byte_source.h"
#include "runs/scan/run_facts.h"

namespace prescope {

/// The topics and docnos of a run that was in memory, in the order of its lines. Checks that read a
/// file again read these.
class KeptLines {
 public:
  /// The next lines are of this topic, which may have come before.
  void begin_topic(std::string_view topic) { topics_.push_back({std::string(topic)}); }
  void add(std::string_view docno) {
    if (blocks_.empty() || blocks_.back().size - blocks_.back().used <= docno.size()) {
      begin_block(docno.size() + 1);
    }
    Block& block = blocks_.back();
    std::memcpy(block.bytes.get() + block.used, docno.data(), docno.size());
    block.used += docno.size();
    block.bytes[block.used++] = '\n';
    ++topics_.back().lines;
  }
  /// Returns them as the lines of a run file, all with the same score.
  [[nodiscard]] std::string text() const;

 private:
  struct Topic {
    std::string name;
    std::uint64_t lines = 0;
  };
  /// Docnos with a line feed behind each. Blocks are not moved when more lines come.
  struct Block {
    std::unique_ptr<char[]> bytes;
    std::size_t size = 0, used = 0;
  };

  void begin_block(std::size_t least);

  std::vector<Topic> topics_;
  std::vector<Block> blocks_;
};

/// Returns whether `reopened` returns a source.
[[nodiscard]] bool can_be_reopened(const RunFacts& facts) noexcept;
/// Opens a run again; returns null if its source, such as a pipe, cannot be read again. Throws
/// Error(kIo).
[[nodiscard]] std::unique_ptr<ByteSource> reopened(const RunFacts& facts);

}  // namespace prescope
