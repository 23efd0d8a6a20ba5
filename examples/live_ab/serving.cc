#include "serving.h"

#include <iterator>
#include <string>

#include "prescope/served_request.h"

namespace live_ab {

using prescope::ArmIndex;
using prescope::Mode;

void Serving::answer(const Query& query) {
  prescope::SearchRequest request{.text = query.text};
  if (query.topic != nullptr) request.topic = query.topic->text();
  // If the mode compares nothing, a coin chooses the arm of each query.
  if (mode_ == Mode::kObserve) request.arm = ArmIndex(std::uint32_t(query.coin % std::size(kArms)));
  const auto snapshot = server_.snapshot();
  const prescope::ServedRequest served(
      experiment_, request, [this, snapshot, text = std::string(query.text)](ArmIndex arm) {
        ++searches_;
        return snapshot->search(arm, text);
      });
  // Here the answer goes out to the user.
  if (query.topic != nullptr && check_ != nullptr) check_->served(*snapshot, served.arm(), query);
}

}  // namespace live_ab
