#pragma once

#include <unordered_set>

#include "prescope/engine.h"

namespace prescope {

/// Reads patents from JSON lines, plain or gzip, and passes each to `use` in file order. Known
/// fields: id (required), title, abstract, claims, description (strings; claims may be an array of
/// strings), ipc, family (arrays of strings, or one string). Unknown fields and nulls are ignored.
/// Returns the number of documents. Throws Error(kIo), Error(kBadInput) with `file:line: ...`;
/// exceptions of `use` pass through.
std::uint64_t for_each_patent(const std::filesystem::path& path,
                              const std::function<void(const PatentDocument&)>& use);

/// Looks at all documents of an index for what a user would want to know about them. For one
/// thread; about 40 bytes a document.
class PatentFeed {
 public:
  void add(const PatentDocument& document);
  [[nodiscard]] std::uint64_t documents() const noexcept { return documents_; }
  /// Returns a sentence for each oddity: fields that no document has, documents without any text,
  /// ids that several documents have.
  [[nodiscard]] std::vector<std::string> oddities() const;

 private:
  /// How many documents are odd in one way, and the first of them.
  struct Odd {
    std::uint64_t documents = 0;
    std::string first{};

    void count(const PatentDocument& document);
  };

  std::uint64_t documents_ = 0;
  std::unordered_set<std::size_t> ids_;  // their hashes
  Odd without_title_, without_abstract_, without_text_, repeated_;
};

}  // namespace prescope
