#pragma once

#include <memory>
#include <type_traits>
#include <utility>
#include <variant>

#include "prescope/experiment.h"

#pragma GCC visibility push(default)
namespace prescope {

/// Answers one request of a user, in the same way in every mode: chooses the arm, opens the scope,
/// lets `search` search, and offers the visit for comparison when the object goes out of scope.
///
///     {
///       const ServedRequest served(experiment, {.topic = topic, .session = session},
///                           [index, query](ArmIndex arm) { return index->search(arm, query); });
///       send(*served);
///     }  // here the other arms may search, in Mode::kPaired
///
/// `search(arm)` searches as the arm and returns the answer; what an observed searcher serves in
/// it, or what it passes to `Experiment::observe`, belongs to the request. In Mode::kPaired it is
/// kept and called again on another thread, see `Experiment::shadow`: so it must own what it uses,
/// and must search the same snapshot each time. If it throws, that passes through, and is
/// recorded as a failed search: an empty ranking of its arm. If its ranking was observed before,
/// that stays recorded, and in Mode::kPaired the visit counts as one that should have been
/// compared.
///
/// For hosts that answer a request on one thread. Others use `Experiment::visit`, `arm_for`,
/// `observe` and `shadow`, which this calls. The experiment must outlive the object.
template <class Search>
class ServedRequest {
 public:
  using Answer = std::invoke_result_t<Search&, ArmIndex>;

  ServedRequest(Experiment& experiment, const SearchRequest& request, Search search)
      : experiment_(experiment),
        search_(std::move(search)),
        is_compared_(request.is_first_page),
        query_(request.text.empty() ? request.topic : request.text),
        visit_(experiment.visit(request)),
        arm_(experiment.arm_for(request)),
        answer_(searched()) {}
  ~ServedRequest() {
    if (!is_compared_ || !experiment_.wants_shadow(visit_)) return;
    try {
      experiment_.shadow(
          visit_, arm_,
          [search = std::make_shared<Search>(std::move(search_))](ArmIndex arm) {
            static_cast<void>((*search)(arm));
          },
          query_.view());
    } catch (...) {  // no memory
      experiment_.count_adapter_failure();
    }
  }
  ServedRequest(const ServedRequest&) = delete;
  ServedRequest& operator=(const ServedRequest&) = delete;

  /// Returns the answer of the search. Of no use if the search returns void.
  [[nodiscard]] const auto& operator*() const noexcept { return answer_; }
  [[nodiscard]] auto& operator*() noexcept { return answer_; }
  [[nodiscard]] ArmIndex arm() const noexcept { return arm_; }  ///< that served
  [[nodiscard]] const Visit& visit() const noexcept { return visit_; }

 private:
  struct Nothing {};
  using Kept = std::conditional_t<std::is_void_v<Answer>, Nothing, Answer>;

  Kept searched() {
    QueryScope scope(experiment_, visit_);
    try {
      if constexpr (std::is_void_v<Answer>) {
        search_(arm_);
        return {};
      } else {
        return search_(arm_);
      }
    } catch (...) {
      scope.search_failed(arm_);
      throw;
    }
  }

  Experiment& experiment_;
  Search search_;
  bool is_compared_;
  QueryText query_;
  Visit visit_;
  ArmIndex arm_;
  Kept answer_;
};

}  // namespace prescope
#pragma GCC visibility pop
