#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "prescope/types.h"

namespace prescope::trec_eval {

/// A line of a qrels file whose docno was judged before in the same topic.
struct RepeatedJudgement {
  TopicId topic{};
  Docno docno{};
  std::uint64_t line = 0;
};

/// The first one of a file that Qrels::load has read; nothing where there is none. Reads the file
/// again.
[[nodiscard]] std::optional<RepeatedJudgement> find_repeated_judgement(
    const std::filesystem::path& qrels);

}  // namespace prescope::trec_eval
