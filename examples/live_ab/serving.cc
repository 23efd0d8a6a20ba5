#include "serving.h"

#include <iterator>
#include <string>
#include <utility>

namespace live_ab {

using prescope::ArmIndex;
using prescope::Mode;

ArmIndex Serving::choose_arm(const Query& query) const noexcept {
  // If the mode does not decide, the arm is random for each query.
  if (mode_ == Mode::kObserve) return ArmIndex(std::uint32_t(query.coin % std::size(kArms)));
  return experiment_.arm_for(query.topic != nullptr ? query.topic->text() : query.text);
}

prescope::Visit Serving::begin_visit(const Query& query) noexcept {
  if (query.topic == nullptr) return experiment_.visit(prescope::kUnjudgedTopic);
  return experiment_.visit(*query.topic);
}

void Serving::answer(const Query& query) {
  const prescope::Visit visit = begin_visit(query);
  const auto snapshot = server_.snapshot();
  const ArmIndex arm = choose_arm(query);
  {
    const prescope::QueryScope scope(experiment_, visit);
    snapshot->search(arm, query.text);
  }
  // Here the answer has gone out to the user.
  if (query.topic == nullptr) return;
  if (check_ != nullptr) check_->served(*snapshot, arm, query);
  if (mode_ != Mode::kPaired || !experiment_.wants_shadow(visit)) return;
  const bool taken =
      experiment_.shadow(visit, arm, [snapshot, text = std::string(query.text)](ArmIndex other) {
        snapshot->search(other, text);
      });
  if (taken) ++shadows_taken_;
}

}  // namespace live_ab
