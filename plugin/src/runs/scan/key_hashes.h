#pragma once

#include <cstdint>
#include <string_view>

#include "prescope/docno.h"
#include "runs/scan/docno_hash.h"

namespace prescope {

/// Hashes of docnos under a policy: of one document one hash, however it is spelled. Fastest where
/// most docnos are as long as the one before. Single-threaded.
class KeyHashes {
 public:
  /// `docnos` must outlive this.
  explicit KeyHashes(const DocnoNormalizer& docnos)
      : docnos_(&docnos), raw_(docnos.policy() == DocnoPolicy::kRaw) {}

  /// kPadding bytes behind the docno can be read.
  [[nodiscard]] std::uint64_t of(std::string_view docno) noexcept {
    if (!raw_) return hash_copied(docnos_->key(docno, buffer_));
    if (docno.size() != size_) {
      size_ = docno.size();
      hash_ = HashOfSize(size_);
    }
    return hash_(docno.data());
  }

 private:
  const DocnoNormalizer* docnos_;
  bool raw_;
  DocnoBuffer buffer_;
  std::size_t size_ = 0;
  HashOfSize hash_{0};
};

}  // namespace prescope
