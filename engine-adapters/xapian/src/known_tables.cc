#include "known_tables.h"

#include <algorithm>

namespace prescope::xapian {

Generation::TablePtr Generation::table() const {
  const std::lock_guard lock(mutex_);
  return table_;
}

Generation::TablePtr Generation::table_made_by(std::uint32_t version,
                                               const std::function<TablePtr()>& make) {
  const std::lock_guard making(making_);
  if (TablePtr made = table(); made != nullptr && made->judged().version() >= version) return made;
  TablePtr made = make();
  const std::lock_guard lock(mutex_);
  return table_ = std::move(made);
}

std::shared_ptr<Generation> KnownTables::generation_of(const DatabaseState& state) {
  const std::lock_guard lock(mutex_);
  std::erase_if(generations_, [](const auto& one) { return one.second.expired(); });
  const auto found = std::find_if(generations_.begin(), generations_.end(),
                                  [&](const auto& one) { return one.first == state; });
  if (found != generations_.end()) {
    if (auto generation = found->second.lock()) return generation;
    generations_.erase(found);
  }
  latest_ = experiment_.next_generation(latest_);
  auto generation = std::make_shared<Generation>(latest_);
  generations_.emplace_back(state, generation);
  return generation;
}

void KnownTables::keep(std::shared_ptr<Generation> generation) {
  const std::lock_guard lock(mutex_);
  if (kept_ == nullptr || kept_->number() < generation->number()) kept_ = std::move(generation);
}

}  // namespace prescope::xapian
