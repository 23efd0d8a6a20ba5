// Simulates live experiments through the public interface, looks at their summaries again and
// again, and counts experiments in which a summary ever makes a statement that is wrong or has no
// ground, or in which it finds a true difference. Exits with 1 if a setting is over its bar.
#include <fmt/format.h>

#include <charconv>
#include <cstring>
#include <ctime>
#include <optional>
#include <string_view>

#include "support/simulated_settings.h"

namespace prescope::simulation {
namespace {

constexpr std::string_view kHelp =
    R"(Usage: prescope_live_simulations [--experiments N] [--setting PATTERN] [--seed S]

Simulates experiments with two arms, many times in each setting, and looks at each experiment's
summary 20 times. Prints for each setting the share of experiments in which a statement
("leading", "confirmed", "faster") was shown at any look that is wrong or has no ground. The bar is
5 %. Settings that begin with "power:" have a true difference; the share of experiments that show it
may fall by at most 5 points from what was found before missing values were bounded.

  --experiments N    experiments of each setting, at least 1; default: 400
  --setting PATTERN  only settings whose name contains PATTERN
  --seed S           the first experiment's seed, at least 1; the others follow; default: 1
  --help             print this text

Exits with 0 if every setting holds its bar, with 1 if one does not, and with 2 for a wrong option.

Example:
  prescope_live_simulations --experiments 100 --setting 'split: B fails'
)";

struct Options {
  std::uint32_t experiments = 400;
  std::uint64_t seed = 1;
  std::string_view pattern{};
};

template <class Number>
bool parse(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && number >= 1;
}

/// Returns nothing, after an error message, for a wrong option.
std::optional<Options> parse_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; i += 2) {
    const std::string_view name = argv[i];
    const std::string_view value = i + 1 < argc ? argv[i + 1] : "";
    const bool is_valid = (name == "--experiments" && parse(value, options.experiments)) ||
                          (name == "--seed" && parse(value, options.seed)) ||
                          (name == "--setting" && !value.empty());
    if (name == "--setting") options.pattern = value;
    if (is_valid) continue;
    fmt::print(stderr, "unexpected option '{} {}'; --help lists the options\n", name, value);
    return std::nullopt;
  }
  return options;
}

/// Prints the setting's row; returns true if it holds.
bool report(const Setting& setting, const Options& options) {
  const std::clock_t began = std::clock();
  const std::uint32_t shown = count_shown(setting, options.experiments, options.seed);
  const double cpu_seconds = static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC;
  const double share = static_cast<double>(shown) / options.experiments;
  const bool holds = setting.is_power() ? share >= setting.bar : share <= setting.bar;
  fmt::print("{:<68} {:>6} {:>6.1f} % {:>4} {:>4.1f} % {:>6.1f} s  {}\n", setting.name,
             options.experiments, 100.0 * share,
             setting.is_power() ? ">=" : "<=", 100.0 * setting.bar, cpu_seconds,
             holds                ? "held"
             : setting.is_power() ? "UNDER"
                                  : "OVER");
  std::fflush(stdout);
  return holds;
}

int run(const Options& options) {
  fmt::print("{:<68} {:>6} {:>8} {:>11} {:>8}\n", "setting", "exps", "shown", "bar", "CPU");
  std::uint32_t settings = 0, held = 0;
  for (const Setting& setting : all_settings()) {
    if (setting.name.find(options.pattern) == std::string::npos) continue;
    ++settings;
    held += report(setting, options) ? 1 : 0;
  }
  if (settings == 0) {
    fmt::print(stderr, "no setting's name contains '{}'\n", options.pattern);
    return 2;
  }
  fmt::print("{} of {} settings held; seeds {} to {}\n", held, settings, options.seed,
             options.seed + options.experiments - 1);
  return held == settings ? 0 : 1;
}

}  // namespace
}  // namespace prescope::simulation

int main(int argc, char** argv) {
  using namespace prescope::simulation;
  if (argc > 1 && std::strcmp(argv[1], "--help") == 0) {
    fmt::print("{}", kHelp);
    return 0;
  }
  const std::optional<Options> options = parse_options(argc, argv);
  return options ? run(*options) : 2;
}
