#include <fmt/format.h>

#include <cmath>

#include "support/simulated_settings.h"

namespace prescope::simulation {
namespace {

using Outcome = Answer::Outcome;

constexpr double kTypicalMs = 10.0;

Setting latency(std::string name, std::string simulates, Claims wrong, PlayVisit play) {
  return {.name = "latency: " + std::move(name),
          .simulates = std::move(simulates),
          .wrong = wrong,
          .world = {.is_timed = true},
          .visits = 1600,
          .play = std::move(play)};
}

/// Both arms are equally fast but for what `ms` returns for a search, in units of a typical one.
PlayVisit with_caches(double (*units)(ArmIndex arm, const Before& before)) {
  return [units](World& world, const Topic& topic) {
    const Answer a = world.answer(topic, kArmA), b = world.answer(topic, kArmB);
    const std::array ms = {a.ms, b.ms};
    world.compare(topic,
                  {.served = a, .searched = {a, b}, .ms = [=](ArmIndex arm, const Before& before) {
                     return ms[arm.value()] * units(arm, before);
                   }});
  };
}

/// Noise of one arm that changes slowly from visit to visit.
class SlowNoise {
 public:
  explicit SlowNoise(double autocorrelation) : autocorrelation_(autocorrelation) {}
  [[nodiscard]] double next(World& world) {
    const double innovation = std::sqrt(1.0 - autocorrelation_ * autocorrelation_);
    now_ = has_begun_ ? autocorrelation_ * now_ + innovation * world.normal() : world.normal();
    has_begun_ = true;
    return now_;
  }

 private:
  double autocorrelation_, now_ = 0.0;
  bool has_begun_ = false;
};

Setting slow_noise(double autocorrelation, bool is_of_both) {
  return latency(fmt::format("slow noise of {}, autocorrelation {}", is_of_both ? "each arm" : "B",
                             autocorrelation),
                 "Both arms are equally fast in the long run.", Claims::kAnyFaster,
                 [=, of_a = SlowNoise(autocorrelation), of_b = SlowNoise(autocorrelation)](
                     World& world, const Topic& topic) mutable {
                   Answer a = world.answer(topic, kArmA), b = world.answer(topic, kArmB);
                   if (is_of_both) a.ms *= std::exp(0.3 * of_a.next(world));
                   b.ms *= std::exp(0.3 * of_b.next(world));
                   world.compare(topic, {.served = a, .searched = {a, b}});
                 });
}

/// What becomes of B's slowest searches.
struct Fault {
  std::string_view what;
  Claims wrong;
  void (*befall)(Answer&);
  bool is_common = false;  ///< tried with shares of 5 and 10 %, and in other states of caches, too
};
constexpr Fault kFaults[] = {
    {"are untimed", Claims::kAnyFaster, [](Answer& b) { b.flags = RankingFlags::kUntimed; }, true},
    {"are retried", Claims::kAnyFaster, [](Answer& b) { b.flags = RankingFlags::kRetried; }, true},
    {"are sorted", Claims::kAnyFaster, [](Answer& b) { b.flags = RankingFlags::kSorted; }},
    {"are answered by a cache", Claims::kAnyFaster,
     [](Answer& b) { b.outcome = Outcome::kUnseen; }},
    {"time out", Claims::kBFaster, [](Answer& b) { b.outcome = Outcome::kTimedOut; }, true},
    {"throw", Claims::kBFaster, [](Answer& b) { b.outcome = Outcome::kThrown; }},
};

Setting slowest(const Fault& fault, double share, double quantile) {
  return latency(fmt::format("B's slowest {:.0f} % {}", 100.0 * share, fault.what),
                 "Both arms are equally fast.", fault.wrong, [=](World& world, const Topic& topic) {
                   const Answer a = world.answer(topic, kArmA);
                   Answer b = world.answer(topic, kArmB);
                   if (b.ms > kTypicalMs * std::exp(0.3 * quantile)) fault.befall(b);
                   world.compare(topic, {.served = a, .searched = {a, b}});
                 });
}

Setting no_cache() {
  return latency("arms alike", "A/A on ordinary traffic.", Claims::kAnyFaster,
                 with_caches([](ArmIndex, const Before&) { return 1.0; }));
}

Setting shared_cache() {
  return latency(
      "the second search of a visit is 10 % faster", "Both arms are equally fast in equal states.",
      Claims::kAnyFaster,
      with_caches([](ArmIndex, const Before& before) { return before.of_all > 1 ? 0.9 : 1.0; }));
}

Setting own_caches() {
  return latency(
      "each arm has a cache", "Both arms are equally fast in equal states.", Claims::kAnyFaster,
      with_caches([](ArmIndex, const Before& before) { return before.of_arm > 0 ? 0.3 : 1.0; }));
}

Setting cache_of_a() {
  return latency("only A has a cache", "Users do not repeat their queries; the comparison does.",
                 Claims::kAnyFaster, with_caches([](ArmIndex arm, const Before& before) {
                   return arm == kArmA && before.of_arm > 0 ? 0.3 : 1.0;
                 }));
}

/// A is searched once, and may be warm: B alone can be said to be faster.
std::vector<Setting> searched_once() {
  std::vector<Setting> settings = {no_cache(), shared_cache(), own_caches(), cache_of_a()};
  for (const double autocorrelation : {0.95, 0.99, 0.999}) {
    settings.push_back(slow_noise(autocorrelation, false));
  }
  settings.push_back(slow_noise(0.99, true));
  for (const Fault& fault : kFaults) {
    settings.push_back(slowest(fault, 0.2, 0.842));
    if (!fault.is_common) continue;
    settings.push_back(slowest(fault, 0.05, 1.645));
    settings.push_back(slowest(fault, 0.1, 1.282));
  }
  return settings;
}

/// Adds the common faults, and searches both arms in another way.
std::vector<Setting> searched(ShadowOptions::Latency how, std::string_view words,
                              std::vector<Setting> settings) {
  for (const Fault& fault : kFaults) {
    if (fault.is_common) settings.push_back(slowest(fault, 0.2, 0.842));
  }
  for (Setting& setting : settings) {
    setting.name += words;
    setting.world.latency = how;
  }
  return settings;
}

std::vector<Setting> searched_twice() {
  return searched(ShadowOptions::Latency::kBothArmsTwice, ", searched twice",
                  {no_cache(), own_caches(), slow_noise(0.99, false)});
}

/// The host confirms that no cache of one arm is warm.
std::vector<Setting> searched_alike() {
  return searched(ShadowOptions::Latency::kBothArmsAlike, ", in like state",
                  {no_cache(), shared_cache(), slow_noise(0.95, false), slow_noise(0.99, false),
                   slow_noise(0.999, false)});
}

}  // namespace

std::vector<Setting> latency_settings() {
  std::vector<Setting> settings;
  for (const auto more : {searched_once, searched_twice, searched_alike}) {
    for (Setting& setting : more()) settings.push_back(std::move(setting));
  }
  return settings;
}

}  // namespace prescope::simulation
