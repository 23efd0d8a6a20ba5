#include "store/log_batch.h"

#include <algorithm>
#include <span>

namespace prescope {
namespace {

/// Room for more, without which `insert` would throw between two of them.
template <class T>
void make_room_for(std::vector<T>& all, std::size_t more) {
  if (all.capacity() - all.size() < more) all.reserve(std::max(2 * all.size(), all.size() + more));
}

template <class T>
std::uint32_t append(std::vector<T>& all, std::span<const T> more) noexcept {
  all.insert(all.end(), more.begin(), more.end());
  return static_cast<std::uint32_t>(more.size());
}

}  // namespace

std::size_t LogBatch::bytes_of(const Observation& observation) noexcept {
  return sizeof(Entry) + observation.hits.size_bytes() + observation.captured_docids.size_bytes() +
         observation.captured_keys.size_bytes();
}

void LogBatch::add(const Observation& observation, UtcTime time) {
  make_room_for(entries_, 1);
  make_room_for(hits_, observation.hits.size());
  make_room_for(docids_, observation.captured_docids.size());
  make_room_for(keys_, observation.captured_keys.size());
  Entry entry{.observation = observation,
              .time = time,
              .hits = hits_.size(),
              .docids = docids_.size(),
              .keys = keys_.size(),
              .num_hits = append(hits_, observation.hits),
              .num_docids = append(docids_, observation.captured_docids),
              .num_keys = append(keys_, observation.captured_keys)};
  entry.observation.hits = {};
  entry.observation.captured_docids = {};
  entry.observation.captured_keys = {};
  entries_.push_back(entry);
  bytes_ += bytes_of(observation);
}

void LogBatch::add(const ExperimentChange& change) {
  Change copy{.before = entries_.size(),
              .kind = change.kind,
              .arm = change.arm,
              .judgements_version = change.judgements_version};
  if (change.description != nullptr) copy.description = *change.description;
  changes_.push_back(std::move(copy));
}

void LogBatch::clear() noexcept {
  entries_.clear();
  changes_.clear();
  hits_.clear();
  docids_.clear();
  keys_.clear();
  bytes_ = 0;
}

Observation LogBatch::observation(std::size_t i) const noexcept {
  const Entry& entry = entries_[i];
  Observation observation = entry.observation;
  observation.hits = std::span(hits_).subspan(entry.hits, entry.num_hits);
  observation.captured_docids = std::span(docids_).subspan(entry.docids, entry.num_docids);
  observation.captured_keys = std::span(keys_).subspan(entry.keys, entry.num_keys);
  return observation;
}

}  // namespace prescope
