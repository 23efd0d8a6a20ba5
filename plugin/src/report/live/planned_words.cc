// Words about planned tests, guardrails and arms that are the same.
#include "measures/definitions.h"
#include "report/live/live_report.h"
#include "report/runs/evaluation_report.h"
#include "runs/topic_units.h"

namespace prescope {

namespace {

bool is_by_family(const Summary& summary) { return summary.families.has_value(); }

/// The look that the test is decided by: the last one that was taken. There must be one.
const PlannedLook& last_look(const PlannedTest& test) {
  const auto next = std::ranges::find(test.looks, false, &PlannedLook::is_taken);
  return *std::prev(next);
}

std::size_t looks_taken(const PlannedTest& test) {
  return static_cast<std::size_t>(std::ranges::count(test.looks, true, &PlannedLook::is_taken));
}

std::string look_text(const Summary& summary, const PlannedTest& test) {
  return fmt::format("look {} of {}, {}", looks_taken(test), test.looks.size(),
                     units_text(last_look(test).topics, is_by_family(summary)));
}

std::string primary_mean_name(const Summary& summary) {
  return mean_name(summary.measures[summary.primary]);
}

bool has_veto(const ArmPair& pair) {
  return std::ranges::find(pair.checks, CheckState::kVeto, &Check::state) != pair.checks.end();
}

/// "The test goes on: look 2 of 3 comes with 300 topics; 250 are there."
std::string going_text(const Summary& summary, const PlannedTest& test) {
  const std::size_t taken = looks_taken(test);
  return fmt::format("The planned test goes on: look {} of {} comes with {}; {} {} there.",
                     taken + 1, test.looks.size(),
                     units_text(test.looks[taken].topics, is_by_family(summary)),
                     grouped_text(test.topics), test.topics == 1 ? "is" : "are");
}

/// " Every guardrail holds.", " Not shown to hold yet: R@100. Broken: latency."
std::string guardrails_text(const ArmPair& pair) {
  const auto in = [&](GuardrailState state) {
    std::vector<std::string> names;
    for (const GuardrailSummary& guardrail : pair.guardrails) {
      if (guardrail.state == state) names.push_back(guardrail.name);
    }
    return names;
  };
  if (pair.guardrails.empty()) return {};
  const auto open = in(GuardrailState::kOpen), broken = in(GuardrailState::kBroken);
  if (open.empty() && broken.empty()) {
    return pair.guardrails.size() == 1 ? " The guardrail holds." : " Every guardrail holds.";
  }
  std::string text;
  if (!broken.empty()) text += fmt::format(" Broken: {}.", listed(broken));
  if (!open.empty()) text += fmt::format(" Not shown to hold yet: {}.", listed(open));
  return text;
}

std::string same_text(const Summary& summary, const ArmPair& pair, const ArmNames& names) {
  if (!pair.equivalence || !pair.equivalence->is_shown) return {};
  return fmt::format(" {} and {} are the same within {} {}.", names.a, names.b,
                     pair.equivalence->margin, primary_mean_name(summary));
}

}  // namespace

int verdict_direction(const Summary& summary, const ArmPair& pair) {
  if (!pair.planned) return live_direction(pair.differences[summary.primary]);
  if (pair.planned->state == PlannedState::kBetter) return 1;
  return pair.planned->state == PlannedState::kWorse ? -1 : 0;
}

std::optional<double> verdict_mean(const Summary& summary, const ArmPair& pair) {
  const bool is_vetoed = has_veto(pair);
  const MeasureDifference& primary = pair.differences[summary.primary];
  if (is_vetoed || !primary.live || shown_topics(primary) < kFewestTopics) return std::nullopt;
  const bool has_ended = pair.planned && verdict_direction(summary, pair) != 0;
  return has_ended ? last_look(*pair.planned).mean : shown_mean(primary);
}

std::string planned_state_text(const PlannedTest& test, const ArmNames& names) {
  return std::string(
      word_of(test.state,
              {fmt::format("planned test: {} of {} looks", looks_taken(test), test.looks.size()),
               names.b + " better (planned test)", names.a + " better (planned test)",
               "not shown (planned test)", "vetoed"}));
}

std::string planned_sentence(const Summary& summary, const ArmPair& pair) {
  const ArmNames names = names_of(summary, pair);
  const PlannedTest& test = *pair.planned;
  const std::string measure = primary_mean_name(summary);
  if (test.state == PlannedState::kGoing) return going_text(summary, test);
  if (test.state == PlannedState::kVetoed) return veto_sentence(summary, pair);
  if (test.state == PlannedState::kNotShown) {
    return fmt::format("The planned test has ended with {}, and no difference in {} is shown.",
                       units_text(last_look(test).topics, is_by_family(summary)), measure);
  }
  const bool is_b = test.state == PlannedState::kBetter;
  return fmt::format("{} is better than {} by {} {} (planned test, {}).", is_b ? names.b : names.a,
                     is_b ? names.a : names.b, score_text(std::abs(*last_look(test).mean)), measure,
                     look_text(summary, test));
}

std::string planned_grounds(const Summary& summary, const ArmPair& pair) {
  const PlannedTest& test = *pair.planned;
  if (test.state == PlannedState::kVetoed) return "What voids the verdict voids its interval, too.";
  if (looks_taken(test) == 0) return "Nothing is decided before the first look.";
  const PlannedLook& look = last_look(test);
  if (!look.z) {
    return fmt::format("All {} have the same difference, which a planned test cannot judge.",
                       units_text(look.topics, is_by_family(summary)));
  }
  std::string text =
      fmt::format("{} over {}, interval [{}, {}] at that look. Nothing is decided between looks.",
                  difference_text(look.mean), units_text(look.topics, is_by_family(summary)),
                  difference_text(look.low), difference_text(look.high));
  if (test.topics_to_undo > 0) {
    text += fmt::format(
        " {} of the largest opposite difference would undo it: a planned test is wrong in {:.2g} "
        "% of experiments if differences are symmetric, and more often if rare ones are large.",
        count_text(test.topics_to_undo, "further topic"), test.alpha * 100.0);
  }
  return text;
}

std::string verdict_sentence(const Summary& summary, const ArmPair& pair) {
  const ArmNames names = names_of(summary, pair);
  const std::string verdict = pair.planned
                                  ? planned_sentence(summary, pair)
                                  : live_sentence(summary, pair, pair.differences[summary.primary]);
  if (has_veto(pair)) return verdict;
  return verdict + same_text(summary, pair, names) + guardrails_text(pair);
}

std::string guardrail_words(const Summary& summary, const ArmPair& pair,
                            const GuardrailSummary& guardrail) {
  const ArmNames names = names_of(summary, pair);
  if (guardrail.name == kLatencyGuardrail) {
    const std::string figures = fmt::format(
        "{} over {}: {}", names.b, names.a,
        guardrail.mean ? fmt::format("{:.3f}", *guardrail.mean) : std::string("no ratio yet"));
    return std::string(word_of(
        guardrail.state,
        {fmt::format("latency is not shown to stay within {:.3g} times ({})", guardrail.margin,
                     figures),
         fmt::format("latency stays within {:.3g} times ({})", guardrail.margin, figures),
         fmt::format("latency is above {:.3g} times ({})", guardrail.margin, figures), "vetoed"}));
  }
  const std::string figures = fmt::format("{} over {}", difference_text(guardrail.mean),
                                          units_text(guardrail.topics, is_by_family(summary)));
  return std::string(word_of(
      guardrail.state,
      {fmt::format("{} is not shown to stay within a loss of {:.3g} ({})", guardrail.name,
                   guardrail.margin, figures),
       fmt::format("{} stays within a loss of {:.3g} ({})", guardrail.name, guardrail.margin,
                   figures),
       fmt::format("{} has lost more than {:.3g} ({})", guardrail.name, guardrail.margin, figures),
       "vetoed"}));
}

std::string equivalence_words(const Summary& summary, const ArmPair& pair) {
  if (!pair.equivalence) return {};
  return fmt::format("the same within {} {}: {}", pair.equivalence->margin,
                     primary_mean_name(summary),
                     pair.equivalence->is_shown ? "shown" : "not shown yet");
}

}  // namespace prescope
