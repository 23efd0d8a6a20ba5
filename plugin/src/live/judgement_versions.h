#pragma once

#include <atomic>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "prescope/qrels.h"
#include "prescope/resolved_qrels.h"

namespace prescope {

/// The judgements of an experiment as they were for a time. Immutable.
struct JudgementVersion {
  Qrels qrels;
  JudgedDocnos judged;
  const JudgementVersion* previous;

  JudgementVersion(Qrels of, std::uint32_t number, const JudgementVersion* before)
      : qrels(std::move(of)), judged(qrels, number), previous(before) {}
};

/// Every version of an experiment's judgements. Read on any thread without a lock; changed by one
/// thread at a time.
class JudgementVersions {
 public:
  explicit JudgementVersions(Qrels first) {
    all_.reserve(1);
    publish(std::make_unique<const JudgementVersion>(std::move(first), 0U, nullptr));
  }

  [[nodiscard]] const JudgementVersion& current() const noexcept {
    return *current_.load(std::memory_order_acquire);
  }

  /// Throws std::out_of_range. O(versions since).
  [[nodiscard]] const JudgementVersion& at(std::uint32_t number) const {
    const JudgementVersion* version = &current();
    while (version != nullptr && version->judged.version() != number) version = version->previous;
    if (version == nullptr) throw std::out_of_range("no such version of the judgements");
    return *version;
  }

  /// Whether it is one of these versions. O(versions since).
  [[nodiscard]] bool has(const JudgedDocnos& judged) const noexcept {
    const JudgementVersion* version = &current();
    while (version != nullptr && &version->judged != &judged) version = version->previous;
    return version != nullptr;
  }

  /// The version that follows the current one, and room to keep it. Throws as Qrels::with does.
  [[nodiscard]] std::unique_ptr<const JudgementVersion> next(const JudgementChanges& changes) {
    all_.reserve(all_.size() + 1);
    const JudgementVersion& last = current();
    return std::make_unique<const JudgementVersion>(last.qrels.with(changes),
                                                    last.judged.version() + 1, &last);
  }
  /// Current from now on. One that `next` has made.
  void publish(std::unique_ptr<const JudgementVersion> version) noexcept {
    all_.push_back(std::move(version));
    current_.store(all_.back().get(), std::memory_order_release);
  }

 private:
  std::vector<std::unique_ptr<const JudgementVersion>> all_;
  std::atomic<const JudgementVersion*> current_{nullptr};
};

}  // namespace prescope
