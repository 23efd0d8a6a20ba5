#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cli/problems.h"
#include "cli/raw_options.h"
#include "prescope/engine.h"
#include "prescope/measure.h"
#include "prescope/qrels.h"

namespace prescope::cli {

enum class TopicSource {
  kFile,       ///< id and text
  kDocuments,  ///< each topic of the qrels is the indexed document of this id
};
[[nodiscard]] std::string_view to_string(TopicSource source) noexcept;

/// Documents that a topic's own ranking leaves out.
enum class Exclusion {
  kNone,
  kSelf,
  kFamily,  ///< itself and the family stored with it
};
[[nodiscard]] std::string_view to_string(Exclusion exclusion) noexcept;

/// A ranking configuration and what it searches.
struct ReplayArm {
  ArmConfig config;
  std::string engine;  ///< its name, or the path of its module
  std::filesystem::path index;
};

/// Everything a replay needs, checked as far as it can be without opening files.
struct ReplayOptions {
  std::string name;
  std::string note;  ///< empty: none
  std::vector<Measure> measures;
  std::uint32_t depth = 0;
  std::uint32_t threads = 1;
  std::uint64_t seed = 1;
  std::filesystem::path qrels;
  QrelsOptions qrels_options;
  std::map<std::string, Grade> categories;  ///< those that the user set
  TopicSource topic_source = TopicSource::kDocuments;
  std::filesystem::path topics;  ///< of TopicSource::kFile
  Exclusion exclude = Exclusion::kNone;
  std::filesystem::path exclude_pairs;  ///< empty: none
  std::vector<ReplayArm> arms;          ///< the first is the one compared with
};

/// Adds to `problems` what is missing, out of range or contradictory; the result may be used only
/// where there are none.
[[nodiscard]] ReplayOptions resolve_options(const RawOptions& raw, Problems& problems);

}  // namespace prescope::cli
