#pragma once

#include <algorithm>
#include <cstdint>

namespace prescope {

/// bpref, judged document by judged document. Unjudged documents are passed over.
class BinaryPreference {
 public:
  /// R relevant documents and N judged not relevant.
  BinaryPreference(std::uint32_t num_rel, std::uint32_t num_not_relevant) noexcept
      : num_rel_(num_rel), most_above_(std::min(num_rel, num_not_relevant)) {}

  void add_relevant() noexcept {
    sum_ += above_ == 0 ? 1.0
                        : 1.0 - static_cast<double>(std::min(above_, num_rel_)) /
                                    static_cast<double>(most_above_);
  }
  void add_not_relevant() noexcept { ++above_; }
  /// In [0, recall]; 0 where R is 0.
  [[nodiscard]] double value() const noexcept {
    return num_rel_ == 0 ? 0.0 : sum_ / static_cast<double>(num_rel_);
  }

 private:
  std::uint32_t num_rel_, most_above_;
  std::uint32_t above_ = 0;  // judged not relevant, so far
  double sum_ = 0.0;
};

}  // namespace prescope
