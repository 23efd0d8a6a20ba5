#pragma once

#include <string>

#include "cli/options/evaluation_flags.h"

namespace prescope::cli {

/// `prescope explain QRELS RUN TOPIC`.
struct TopicRequest {
  EvaluationFlags flags;  ///< its qrels are set
  std::string run, topic;
};

/// Prints how the topic's scores came about. Throws Error.
void explain_topic_of_run(const TopicRequest& request);

}  // namespace prescope::cli
