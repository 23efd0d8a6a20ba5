#include <fmt/format.h>

#include "support/simulated_settings.h"

namespace prescope::simulation {
namespace {

constexpr std::uint32_t kTopics = 1000, kPage = 10;

Setting split(std::string name, std::string simulates, Claims wrong, PlayVisit play) {
  return {.name = "split: " + std::move(name),
          .simulates = std::move(simulates),
          .wrong = wrong,
          .world = {.mode = Mode::kSplit, .topics = kTopics},
          .visits = kTopics,
          .play = std::move(play)};
}

void serve(World& world, const Topic& topic, ArmIndex arm) {
  world.serve(topic, arm, world.answer(topic, arm));
}

/// The user reads a second page of ten if the first one has no relevant document.
void read_until_success(World& world, const Topic& topic, ArmIndex arm, Answer answer) {
  const std::string session = fmt::format("session {}", topic.index.value());
  answer.requested = kPage;
  world.serve(topic, arm, answer, session);
  if (answer.relevant.front() <= kPage) return;
  answer.first_rank = kPage + 1;
  world.serve(topic, arm, answer, session);
}

Setting families(std::uint32_t topics_in_family) {
  Setting setting =
      split(fmt::format("families of {} equal topics", topics_in_family),
            "Both arms rank alike; topics of a family have equal rankings.", Claims::kAnyBetter,
            [](World& world, const Topic& topic) { serve(world, topic, world.arm_for(topic)); });
  setting.world.topics_in_family = topics_in_family;
  return setting;
}

std::vector<Setting> alike() {
  std::vector<Setting> settings;
  settings.push_back(
      split("arms that rank alike", "A/A on ordinary traffic.", Claims::kAnyBetter,
            [](World& world, const Topic& topic) { serve(world, topic, world.arm_for(topic)); }));
  settings.push_back(settings.back());
  settings.back().name = "split: arms that rank alike, with a baseline";
  settings.back().world.has_baseline = true;
  settings.push_back(settings.front());
  settings.back().name = "split: arms that rank alike, B has 10 %";
  settings.back().world.share_of_a = 9.0;
  settings.back().world.topics = settings.back().visits = 5 * kTopics;
  for (const std::uint32_t topics : {2U, 5U, 20U}) settings.push_back(families(topics));
  return settings;
}

std::vector<Setting> stopping_users() {
  std::vector<Setting> settings;
  settings.push_back(split(
      "users stop after success, B is better",
      "Pages of ten. B has the documents first or not at all, A on page 2; B is better by 0.2.",
      Claims::kABetter, [](World& world, const Topic& topic) {
        const ArmIndex arm = world.arm_for(topic);
        const Rank first = arm == kArmA ? kPage + 1 : world.happens(0.7) ? 1 : 60;
        read_until_success(world, topic, arm, {.relevant = {first, first + 1, first + 2}});
      }));
  settings.push_back(split("users stop after success, arms alike",
                           "Both arms rank alike, in pages of ten.", Claims::kAnyBetter,
                           [](World& world, const Topic& topic) {
                             const ArmIndex arm = world.arm_for(topic);
                             read_until_success(world, topic, arm, world.answer(topic, arm));
                           }));
  settings.push_back(split("users of B's pages stop after success",
                           "Both arms rank alike; A has one page of 20.", Claims::kAnyBetter,
                           [](World& world, const Topic& topic) {
                             const ArmIndex arm = world.arm_for(topic);
                             Answer answer = world.answer(topic, arm);
                             answer.requested = 2 * kPage;
                             if (arm == kArmA) return world.serve(topic, arm, answer);
                             read_until_success(world, topic, arm, answer);
                           }));
  for (Setting& setting : settings) setting.world.measure = "PRES@20";
  return settings;
}

Setting hard_topics_to_a(double share) {
  return split(fmt::format("the hardest {:.0f} % are served by A", 100.0 * share),
               "Both arms rank alike; the host does not ask for the arm.", Claims::kAnyBetter,
               [share](World& world, const Topic& topic) {
                 serve(world, topic, topic.is_hardest(share) ? kArmA : world.arm_for(topic));
               });
}

std::vector<Setting> wrong_assignments() {
  std::vector<Setting> settings;
  for (const double share : {0.05, 0.1, 0.2}) settings.push_back(hard_topics_to_a(share));
  settings.push_back(split("A serves hard topics, B easy ones", "Both arms rank alike.",
                           Claims::kAnyBetter, [](World& world, const Topic& topic) {
                             serve(world, topic, topic.is_hardest(0.5) ? kArmA : kArmB);
                           }));
  settings.push_back(split("A serves the first week, B the second",
                           "Both arms rank alike; the index loses documents meanwhile.",
                           Claims::kAnyBetter,
                           [visits = 0U](World& world, const Topic& topic) mutable {
                             const ArmIndex arm = ++visits <= kTopics / 2 ? kArmA : kArmB;
                             Answer answer = world.answer(topic, arm, 1.0 * visits / kTopics);
                             world.serve(topic, arm, answer);
                           }));
  settings.push_back(split("A answers where B fails",
                           "Both arms rank alike; B fails in the "
                           "hardest 20 %, and users are then served by A.",
                           Claims::kBBetter, [](World& world, const Topic& topic) {
                             const ArmIndex arm = world.arm_for(topic);
                             if (arm == kArmA || !topic.is_hardest(0.2)) {
                               return serve(world, topic, arm);
                             }
                             world.serve(topic, arm, {.outcome = Answer::Outcome::kFailed});
                             serve(world, topic, kArmA);
                           }));
  return settings;
}

Setting every_search_fails(ArmIndex broken) {
  return split(fmt::format("every search of {} fails", broken == kArmA ? "A" : "B"),
               "A broken arm is no ranker that lost.", Claims::kAnyBetter,
               [broken](World& world, const Topic& topic) {
                 const ArmIndex arm = world.arm_for(topic);
                 Answer answer = world.answer(topic, arm);
                 if (arm == broken) answer.outcome = Answer::Outcome::kFailed;
                 world.serve(topic, arm, answer);
               });
}

Setting reranked() {
  return split("B serves less than its candidates promise",
               "B fetches 1,000 candidates in a better order than it serves.", Claims::kBBetter,
               [](World& world, const Topic& topic) {
                 const ArmIndex arm = world.arm_for(topic);
                 Answer answer = world.answer(topic, arm, arm == kArmA ? 0.0 : -2.0);
                 if (arm == kArmB) answer.reranked = world.answer(topic, arm, 0.5).relevant;
                 world.serve(topic, arm, answer);
               });
}

Setting observed() {
  Setting setting = split("", "Both arms rank alike; nobody has assigned topics by chance.",
                          Claims::kAnyBetter, [](World& world, const Topic& topic) {
                            serve(world, topic, topic.is_hardest(0.5) ? kArmA : kArmB);
                          });
  setting.name = "observe: users choose A for hard topics";
  setting.world.mode = Mode::kObserve;
  return setting;
}

}  // namespace

std::vector<Setting> split_settings() {
  std::vector<Setting> settings = alike();
  for (const auto more : {stopping_users, wrong_assignments}) {
    for (Setting& setting : more()) settings.push_back(std::move(setting));
  }
  settings.push_back(every_search_fails(kArmA));
  settings.push_back(every_search_fails(kArmB));
  settings.push_back(reranked());
  settings.push_back(observed());
  return settings;
}

}  // namespace prescope::simulation
