#include "live/experiment_state.h"

namespace prescope {

void Experiment::begin_services() {
  for (const AttachService& attach : state_->options.services) {
    state_->services.push_back(attach(*this));
  }
}

}  // namespace prescope
