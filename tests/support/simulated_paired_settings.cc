#include <fmt/format.h>

#include "support/simulated_settings.h"

namespace prescope::simulation {
namespace {

using Outcome = Answer::Outcome;

constexpr std::uint32_t kPage = 10;

Setting paired(std::string name, std::string simulates, Claims wrong, PlayVisit play) {
  return {.name = "paired: " + std::move(name),
          .simulates = std::move(simulates),
          .wrong = wrong,
          .play = std::move(play)};
}

void compare(World& world, const Topic& topic) {
  const Answer a = world.answer(topic, kArmA);
  world.compare(topic, {.served = a, .searched = {a, world.answer(topic, kArmB)}});
}

Setting families(std::uint32_t topics_in_family) {
  Setting setting = paired(fmt::format("families of {} equal topics", topics_in_family),
                           "Both arms rank alike; topics of a family have equal rankings.",
                           Claims::kAnyBetter, compare);
  setting.world.topics = setting.visits = 600;
  setting.world.topics_in_family = topics_in_family;
  return setting;
}

Setting stopping_users() {
  Setting setting = paired("searches end where the user stopped after success",
                           "Both arms rank alike, and search as deep as the user of A has read.",
                           Claims::kAnyBetter, [](World& world, const Topic& topic) {
                             Answer a = world.answer(topic, kArmA), b = world.answer(topic, kArmB);
                             a.requested = a.relevant.front() <= kPage ? kPage : 2 * kPage;
                             b.requested = a.requested;
                             world.compare(topic, {.served = a, .searched = {a, b}});
                           });
  setting.world.measure = "PRES@20";
  return setting;
}

Setting every_search(std::string_view what, ArmIndex broken, Outcome outcome) {
  return paired(fmt::format("every search of {} {}", broken == kArmA ? "A" : "B", what),
                "A broken arm is no ranker that lost.", Claims::kAnyBetter,
                [=](World& world, const Topic& topic) {
                  const Answer a = world.answer(topic, kArmA);
                  Compared compared{.served = a, .searched = {a, world.answer(topic, kArmB)}};
                  compared.searched[broken.value()].outcome = outcome;
                  world.compare(topic, std::move(compared));
                });
}

Setting failing_a() {
  return paired("A fails in its hardest 20 %", "Both arms rank alike.", Claims::kABetter,
                [](World& world, const Topic& topic) {
                  Answer a = world.answer(topic, kArmA);
                  if (topic.is_hardest(0.2)) a.outcome = Outcome::kFailed;
                  world.compare(topic, {.served = a, .searched = {a, world.answer(topic, kArmB)}});
                });
}

/// A visit without an answer is not offered to the pool, as in a host that throws.
Setting unanswered_users(std::string_view what, Outcome outcome, double share) {
  return paired(fmt::format("A {} its users in the hardest {:.0f} %, which are not compared", what,
                            100.0 * share),
                "Both arms rank alike.", Claims::kABetter, [=](World& world, const Topic& topic) {
                  const Answer a = world.answer(topic, kArmA);
                  Compared compared{.served = a, .searched = {a, world.answer(topic, kArmB, 0.2)}};
                  compared.is_offered = !topic.is_hardest(share);
                  if (!compared.is_offered) compared.served.outcome = outcome;
                  world.compare(topic, std::move(compared));
                });
}

/// A's ranking is what users were served, and its cache answers some of them.
Setting cached_users(std::string_view where, bool (*is_cached)(const Topic&)) {
  Setting setting =
      paired(fmt::format("A's cache answers the {} 20 %, A is not searched again", where),
             "Both arms rank alike; cached answers are not seen.", Claims::kAnyBetter,
             [is_cached](World& world, const Topic& topic) {
               Answer a = world.answer(topic, kArmA);
               if (is_cached(topic)) a.outcome = Outcome::kUnseen;
               world.compare(topic, {.served = a, .searched = {a, world.answer(topic, kArmB)}});
             });
  setting.world.latency = ShadowOptions::Latency::kNotCompared;
  return setting;
}

Setting reranked() {
  return paired("B serves less than its candidates promise",
                "B fetches 1,000 candidates in a better order than it serves.", Claims::kBBetter,
                [](World& world, const Topic& topic) {
                  const Answer a = world.answer(topic, kArmA);
                  Answer b = world.answer(topic, kArmB, -0.5);
                  b.reranked = world.answer(topic, kArmB, 0.5).relevant;
                  world.compare(topic, {.served = a, .searched = {a, b}});
                });
}

}  // namespace

std::vector<Setting> paired_settings() {
  std::vector<Setting> settings;
  settings.push_back(
      paired("arms that rank alike", "A/A on ordinary traffic.", Claims::kAnyBetter, compare));
  for (const std::uint32_t topics : {2U, 5U, 20U}) settings.push_back(families(topics));
  settings.push_back(stopping_users());
  settings.push_back(failing_a());
  for (const double share : {0.05, 0.2}) {
    settings.push_back(unanswered_users("fails", Outcome::kFailed, share));
    settings.push_back(unanswered_users("does not answer", Outcome::kUnseen, share));
  }
  settings.push_back(every_search("throws", kArmA, Outcome::kThrown));
  settings.push_back(every_search("throws", kArmB, Outcome::kThrown));
  settings.push_back(every_search("times out", kArmB, Outcome::kTimedOut));
  settings.push_back(every_search("is answered by a cache", kArmB, Outcome::kUnseen));
  settings.push_back(cached_users("hardest", [](const Topic& t) { return t.is_hardest(0.2); }));
  settings.push_back(cached_users("easiest", [](const Topic& t) { return t.is_easiest(0.2); }));
  settings.push_back(reranked());
  return settings;
}

}  // namespace prescope::simulation
