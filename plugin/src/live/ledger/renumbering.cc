#include "live/ledger/renumbering.h"

#include <algorithm>

#include "base/hash.h"

namespace prescope {

void Renumbering::between(const TopicQrels& before, const TopicQrels& now) {
  const std::span<const Judgement> old = before.judgements(), current = now.judgements();
  now_.assign(old.size(), kWithdrawn);
  added_.clear();
  changed_ = false;
  std::uint32_t i = 0, j = 0;
  while (i < old.size() || j < current.size()) {
    const bool only_old = j == current.size() || (i < old.size() && old[i].key < current[j].key);
    if (only_old) {
      ++i;
      changed_ = true;
    } else if (i == old.size() || current[j].key < old[i].key) {
      added_.push_back(JudgementIndex(j++));
      changed_ = true;
    } else {
      changed_ = changed_ || old[i].grade != current[j].grade ||
                 before.is_relevant(JudgementIndex(i)) != now.is_relevant(JudgementIndex(j));
      now_[i++] = j++;
    }
  }
}

std::optional<JudgementIndex> Renumbering::now(JudgementIndex before) const noexcept {
  const std::uint32_t found = now_[before.value()];
  if (found == kWithdrawn) return std::nullopt;
  return JudgementIndex(found);
}

void Renumbering::renumber(std::span<const JudgedHit> hits, std::vector<JudgedHit>& out) const {
  out.clear();
  for (const JudgedHit& hit : hits) {
    if (const std::optional<JudgementIndex> judgement = now(hit.judgement)) {
      out.push_back({hit.rank, *judgement});
    }
  }
}

void locate_by_key(const TopicQrels& topic, std::span<const std::uint64_t> keys, Rank first_rank,
                   std::vector<JudgementIndex>& unlocated, std::vector<JudgedHit>& hits) {
  std::erase_if(unlocated, [&](JudgementIndex judgement) {
    const auto found = std::ranges::find(keys, key_hash(topic.judgements()[judgement.value()].key));
    if (found == keys.end()) return false;
    hits.push_back({first_rank + static_cast<Rank>(found - keys.begin()), judgement});
    return true;
  });
  std::ranges::sort(hits, {}, &JudgedHit::rank);
}

}  // namespace prescope
