#pragma once

#include <chrono>
#include <memory>
#include <string_view>
#include <vector>

#include "conformance/subject.h"

namespace prescope::conformance {

/// One state of an index in memory. A docid is a document's position.
struct MemoryIndex {
  std::vector<Doc> docs;
  std::uint32_t removed = 0;  ///< documents removed since the last compaction
};

struct MemoryHit {
  std::uint32_t docid = 0;
  double score = 0.0;
};

/// An engine as small as the suite needs, which can be slowed down and broken. A MemoryView serves
/// one state until it is moved to another one.
struct MemoryEngine {
  std::shared_ptr<const MemoryIndex> newest = std::make_shared<MemoryIndex>();
  std::chrono::milliseconds delay{0};          ///< of a search
  std::chrono::milliseconds reading_delay{0};  ///< of reading all hits of an answer
  bool fails = false;
  bool answers_all = false;         ///< documents without the word are served last
  bool has_unreadable_hit = false;  ///< EP1 cannot be read

  /// Throws std::runtime_error if it `fails`.
  [[nodiscard]] std::vector<MemoryHit> search(const MemoryIndex& index,
                                              const Request& request) const;
  /// Returns the docno, as an adapter reads it. Throws std::runtime_error if it cannot be read.
  [[nodiscard]] std::string_view read(const MemoryIndex& index, std::uint32_t docid) const;
};

/// An open view of the index.
struct MemoryView {
  std::shared_ptr<const MemoryIndex> index;
};

}  // namespace prescope::conformance
