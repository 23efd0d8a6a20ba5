#pragma once

#include <filesystem>
#include <vector>

#include "prescope/types.h"

namespace prescope {

/// A query to run.
struct Topic {
  TopicId id;
  std::string text;
};

/// Reads topics, plain or gzip, in file order. A file whose name ends in .jsonl or .jsonl.gz has a
/// JSON object a line with `id` and `text` (or `title` and `abstract`, joined); any other is
/// tab-separated: id, then text (further columns are appended to the text).
/// Throws Error(kIo), Error(kBadInput): a malformed line, empty text, an id twice, no topics.
[[nodiscard]] std::vector<Topic> load_topics(const std::filesystem::path& path);

}  // namespace prescope
