#include "live/ledger/judged_anew.h"

#include <algorithm>

#include "base/hash.h"

namespace prescope {

Renumbering::Renumbering(const TopicQrels& before, const TopicQrels& after)
    : now(before.judgements().size()) {
  const std::span<const Judgement> old = before.judgements(), current = after.judgements();
  std::uint32_t i = 0, j = 0;
  while (i < old.size() || j < current.size()) {
    if (j == current.size() || (i < old.size() && old[i].key < current[j].key)) {
      ++i;
      has_changes = true;
    } else if (i == old.size() || current[j].key < old[i].key) {
      added.emplace_back(j++);
      has_changes = true;
    } else {
      has_changes = has_changes || old[i].grade != current[j].grade ||
                    before.is_relevant(JudgementIndex(i)) != after.is_relevant(JudgementIndex(j));
      now[i++] = JudgementIndex(j++);
    }
  }
}

KnownRanks judged_anew(const ServedRanking& ranking, const Renumbering& renumbering,
                       const TopicQrels& topic) {
  KnownRanks known{.hits = {}, .unlocated = renumbering.added};
  for (const JudgedHit& hit : ranking.hits) {
    const auto judgement = renumbering.now[hit.judgement.value()];
    if (judgement) known.hits.push_back({hit.rank, *judgement});
  }
  for (const JudgementIndex before : ranking.unlocated) {
    if (const auto now = renumbering.now[before.value()]) known.unlocated.push_back(*now);
  }
  const bool is_whole = ranking.keys.size() >= ranking.num_ret;
  std::erase_if(known.unlocated, [&](JudgementIndex judgement) {
    const auto found =
        std::ranges::find(ranking.keys, key_hash(topic.judgements()[judgement.value()].key));
    if (found == ranking.keys.end()) return is_whole;
    const auto rank = ranking.first_rank + static_cast<Rank>(found - ranking.keys.begin());
    known.hits.push_back({rank, judgement});
    return true;
  });
  std::ranges::sort(known.hits, {}, &JudgedHit::rank);
  return known;
}

}  // namespace prescope
