#include "cli/replay_indexes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "cli/engine_module.h"
#include "prescope/error.h"

namespace prescope::cli {

std::vector<Engine*> load_engines(std::span<const ReplayArm> arms) {
  std::map<std::string, Engine*> loaded;
  std::vector<Engine*> engines;
  for (const ReplayArm& arm : arms) {
    const auto [known, is_new] = loaded.try_emplace(arm.engine, nullptr);
    if (is_new) known->second = &load_engine(arm.engine);
    engines.push_back(known->second);
  }
  return engines;
}

ReplayIndexes::ReplayIndexes(std::span<const ReplayArm> arms, std::span<Engine* const> engines,
                             Experiment& experiment)
    : arms_(arms) {
  for (std::size_t a = 0; a < arms.size(); ++a) {
    of_arm_.push_back(position(arms[a], engines[a], experiment));
  }
}

std::size_t ReplayIndexes::position(const ReplayArm& arm, Engine* engine, Experiment& experiment) {
  const auto known = std::find_if(opened_.begin(), opened_.end(), [&](const Opened& one) {
    return one.engine == engine && one.path == arm.index;
  });
  const auto found = static_cast<std::size_t>(known - opened_.begin());
  if (known == opened_.end()) {
    opened_.push_back({arm.index, engine, engine->open(arm.index, experiment)});
  }
  return found;
}

std::vector<std::unique_ptr<ArmSearcher>> ReplayIndexes::searchers() const {
  std::vector<std::unique_ptr<ArmSearcher>> searchers;
  std::vector<std::string> refused;
  // Every arm is tried, so that the user hears of all wrong settings at once.
  for (std::size_t a = 0; a < arms_.size(); ++a) {
    try {
      searchers.push_back(opened_[of_arm_[a]].index->searcher(arms_[a].config));
    } catch (const Error& error) {
      refused.emplace_back(error.what());
    }
  }
  if (!refused.empty()) {
    throw Error(ErrorCode::kUsage, fmt::format("{}", fmt::join(refused, "\n")));
  }
  return searchers;
}

std::optional<PatentDocument> ReplayIndexes::document(const Docno& docno) const {
  for (const Opened& one : opened_) {
    if (auto document = one.index->document(docno)) return document;
  }
  return std::nullopt;
}

std::vector<IndexDescription> ReplayIndexes::describe() const {
  std::vector<IndexDescription> described;
  for (const Opened& one : opened_) {
    described.push_back({.engine = std::string(one.engine->name()),
                         .engine_version = std::string(one.engine->version()),
                         .path = one.path,
                         .documents = one.index->num_documents()});
  }
  return described;
}

}  // namespace prescope::cli
