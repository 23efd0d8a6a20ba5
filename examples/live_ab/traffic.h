#pragma once

#include <cstdint>
#include <string_view>

#include "corpus.h"
#include "quickstart/random.h"

namespace live_ab {

/// One user's query.
struct Query {
  std::string_view text;
  const prescope::TopicId* topic = nullptr;  ///< null: unjudged
  std::uint64_t coin = 0;                    ///< for random decisions
};

/// Queries of the users: half of them judged, a few asked most of the time (Zipf's law). The n-th
/// query depends on the seed alone, whichever thread serves it. Thread-safe.
class Traffic {
 public:
  /// `corpus` must outlive this object.
  Traffic(const Corpus& corpus, std::uint64_t seed);

  [[nodiscard]] Query query(std::uint64_t number) const;

 private:
  const Corpus& corpus_;
  std::uint64_t seed_;
  quickstart::Zipf judged_, unjudged_;
};

}  // namespace live_ab
