#include "traffic.h"

namespace live_ab {
namespace {

constexpr std::uint32_t kJudgedPerMille = 500;
// Number of queries that share the head of Zipf's law.
constexpr std::uint32_t kFlatness = 10;

}  // namespace

Traffic::Traffic(const Corpus& corpus, std::uint64_t seed)
    : corpus_(corpus),
      seed_(seed),
      judged_(corpus.judged.size(), kFlatness),
      unjudged_(corpus.unjudged.size(), kFlatness) {}

Query Traffic::query(std::uint64_t number) const {
  auto random = quickstart::Random::stream(seed_, number);
  if (random.chance(kJudgedPerMille)) {
    const TopicQuery& judged = corpus_.judged[judged_.draw(random)];
    return {judged.text, &judged.topic, random.next()};
  }
  return {corpus_.unjudged[unjudged_.draw(random)], nullptr, random.next()};
}

}  // namespace live_ab
