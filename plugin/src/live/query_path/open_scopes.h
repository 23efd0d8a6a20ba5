#pragma once

#include <array>
#include <chrono>
#include <cstdint>

#include "prescope/experiment.h"

namespace prescope {

/// The visit that something observed belongs to.
struct ObservedVisit {
  Visit visit{};
  std::uint32_t compared_arms = 0;       ///< see Observation
  bool is_first = true;                  ///< its latency begins with the visit
  std::chrono::nanoseconds own_time{0};  ///< the plugin's own time before it was observed
};

/// A scope that is open on this thread. It holds copies, because the scope itself may be ending on
/// another thread.
struct OpenScope {
  QueryScope* scope = nullptr;
  Experiment* experiment = nullptr;
  std::uint64_t id = 0;
  ObservedVisit of{};  ///< `is_first` until something was observed

  /// Returns the facts for something that is being observed under this scope.
  [[nodiscard]] ObservedVisit take() noexcept {
    const ObservedVisit now = of;
    of.is_first = false;
    of.own_time = {};
    return now;
  }
};

/// The scopes that are open on a thread, innermost last. Only that thread uses it. When a scope
/// ends out of order or on another thread, nobody knows any more which request the thread serves,
/// so all open scopes are forgotten: they match nothing.
class OpenScopes {
 public:
  static constexpr std::size_t kMost = 16;
  enum class End {
    kInnermost,
    kForgotten,  ///< it had been forgotten, and no later scope is open
    kMisplaced,
  };

  /// Returns a number for this thread, from 1.
  [[nodiscard]] std::uint32_t thread() noexcept;
  /// Tells the thread of this number that one of its scopes has ended on this one.
  static void ended_elsewhere(std::uint32_t thread) noexcept;

  /// Sets `scope.id`. If kMost are open, forgets them and the new one, and returns false.
  [[nodiscard]] bool push(OpenScope& scope) noexcept;
  [[nodiscard]] End end(std::uint64_t id) noexcept;
  /// Returns null without a scope that matches.
  [[nodiscard]] OpenScope* innermost() noexcept;

 private:
  void forget() noexcept {
    size_ = 0;
    forgotten_ = last_id_;
  }
  void forget_if_one_ended_elsewhere() noexcept;

  std::array<OpenScope, kMost> scopes_{};
  std::size_t size_ = 0;
  std::uint64_t last_id_ = 0;
  std::uint64_t forgotten_ = 0;  // scopes up to this id are
  std::uint32_t thread_ = 0;
  std::uint32_t known_ends_ = 0;  // of scopes that ended elsewhere
};

/// Returns the innermost scope of this thread if it is one of the experiment, else null.
[[nodiscard]] OpenScope* innermost_scope_of(const Experiment& experiment) noexcept;

}  // namespace prescope
