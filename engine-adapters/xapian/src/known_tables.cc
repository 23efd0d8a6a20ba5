#include "known_tables.h"

#include <algorithm>

namespace prescope::xapian {
namespace {

ShardState state_of(const Xapian::Database& shard) {
  ShardState state{.uuid = shard.get_uuid(),
                   .revision = std::nullopt,
                   .documents = shard.get_doccount(),
                   .last_docid = shard.get_lastdocid(),
                   .total_length = shard.get_total_length()};
  try {
    state.revision = shard.get_revision();
  } catch (const Xapian::LogicError&) {  // remote, or several databases in one handle
  }
  return state;
}

bool is_in(const Xapian::Database& shard, const ShardState& state) {
  return (!state.revision || shard.get_revision() == *state.revision) &&
         shard.get_doccount() == state.documents && shard.get_lastdocid() == state.last_docid &&
         shard.get_total_length() == state.total_length;
}

}  // namespace

DatabaseState state_of(const std::vector<Xapian::Database>& shards) {
  DatabaseState states;
  for (const Xapian::Database& shard : shards) states.push_back(state_of(shard));
  return states;
}

bool is_exact(const DatabaseState& state) noexcept {
  return std::all_of(state.begin(), state.end(), [](const ShardState& shard) {
    return shard.revision.has_value() && !shard.uuid.empty();
  });
}

bool same_uuids(const DatabaseState& a, const DatabaseState& b) noexcept {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const ShardState& x, const ShardState& y) { return x.uuid == y.uuid; });
}

bool is_in(const std::vector<Xapian::Database>& shards, const DatabaseState& state) {
  return std::equal(
      shards.begin(), shards.end(), state.begin(), state.end(),
      [](const Xapian::Database& shard, const ShardState& one) { return is_in(shard, one); });
}

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

Generation::NamesPtr Generation::names_made_by(const std::function<NamesPtr()>& make) {
  const std::lock_guard making(making_);
  if (names_ == nullptr) names_ = make();
  return names_;
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
