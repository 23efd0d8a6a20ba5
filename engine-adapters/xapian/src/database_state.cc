#include "database_state.h"

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

}  // namespace prescope::xapian
