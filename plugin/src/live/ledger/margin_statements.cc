#include "live/ledger/margin_statements.h"

#include <algorithm>
#include <cmath>

#include "base/errors.h"
#include "base/text_file.h"

namespace prescope {

Guardrail read_guardrail(std::string_view text) {
  const std::size_t at = text.rfind('=');
  const auto margin =
      at == std::string_view::npos ? std::nullopt : whole_number<double>(text.substr(at + 1));
  if (!margin || at == 0) {
    throw usage_error(
        "guardrail '{}'; expected a measure and its margin, such as R@100=0.02, or "
        "latency=1.1",
        text);
  }
  return {.measure = std::string(text.substr(0, at)), .margin = *margin};
}

std::vector<LossMargin> loss_margins(const TestOptions& test, std::span<const Measure> measures,
                                     std::size_t primary) {
  std::vector<LossMargin> margins;
  for (const Guardrail& guardrail : test.guardrails) {
    if (guardrail.measure == kLatencyGuardrail) continue;
    const auto measure = std::ranges::find(measures, Measure::parse(guardrail.measure));
    if (measure == measures.end()) {
      throw usage_error("guardrail '{}' is none of the measures", guardrail.measure);
    }
    margins.push_back({static_cast<std::size_t>(measure - measures.begin()), guardrail.margin});
  }
  if (test.same_within > 0.0) margins.push_back({primary, test.same_within});
  return margins;
}

std::vector<double> looks_of(const PlanOptions& plan) {
  return plan.looks.empty() ? std::vector<double>{0.5, 0.75, 1.0} : plan.looks;
}

std::string why_not_planned(const PlanOptions& plan) {
  if (plan.topics == 0) return {};
  constexpr std::uint32_t kFewest = 10;
  constexpr std::size_t kMostLooks = 20;
  // Looks that are nearer than this have boundaries that cannot be computed.
  constexpr double kLeastStep = 0.01;
  if (plan.topics < kFewest) {
    return fmt::format("plan.topics is {}; expected at least {}, or 0 for no plan", plan.topics,
                       kFewest);
  }
  constexpr double kRounding = 1e-9;
  const std::vector<double> looks = looks_of(plan);
  bool are_ascending = looks.size() <= kMostLooks;
  double before = 0.0;
  for (const double look : looks) {
    are_ascending = are_ascending && look >= before + kLeastStep - kRounding && look <= 1.0;
    before = look;
  }
  if (!are_ascending || looks.back() != 1.0) {
    return fmt::format(
        "plan.looks are [{}]; expected 1 to {} shares, ascending by {} or more, of which the last "
        "is 1",
        fmt::join(looks, ", "), kMostLooks, kLeastStep);
  }
  if (topics_at_looks(plan).back() == plan.topics) return {};
  return fmt::format("plan.looks are {} within {} topics; expected fewer looks, or more topics",
                     looks.size(), plan.topics);
}

std::vector<std::uint32_t> topics_at_looks(const PlanOptions& plan) {
  std::vector<std::uint32_t> topics;
  if (plan.topics == 0) return topics;
  for (const double share : looks_of(plan)) {
    // Not above the number that a share stands for: 0.07 of 100 is 7.
    const auto at = static_cast<std::uint32_t>(std::ceil(share * plan.topics - 1e-9));
    topics.push_back(std::max(at, topics.empty() ? 1 : topics.back() + 1));
  }
  return topics;
}

}  // namespace prescope
