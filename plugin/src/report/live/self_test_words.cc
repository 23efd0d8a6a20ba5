// What a self test has seen, in sentences.
#include "report/live/live_report.h"
#include "report/live/self_test_report.h"
#include "runs/topic_units.h"

namespace prescope {

std::string ratio_text(const std::optional<double>& ratio) { return fixed_text(ratio, 3); }

std::string ratio_interval_text(const LatencyEffect& effect) {
  if (!effect.ratio) return "-";
  return fmt::format("[{}, {}]", ratio_text(effect.low), ratio_text(effect.high));
}

std::string share_of_cases(double share) { return fmt::format("{:.2f} %", 100.0 * share); }

std::string_view claim_words(SelfTestClaims::Kind kind) {
  return word_of(
      kind, {"an arm is better", "an arm is better (planned test)", "an arm is better in a slice",
             "a guardrail is broken", "an arm is faster"});
}

namespace {

using Question = SelfTestQuestion;
using QuestionAnswer = SelfTestAnswer;

/// "[0.590, 0.634] in 1,000 visits"
std::string effect_grounds(const LatencyEffect& effect) {
  return fmt::format("{} in {}", ratio_interval_text(effect), count_text(effect.pairs, "visit"));
}

/// "0.612 [0.590, 0.634] in 1,000 visits"
std::string effect_text(const LatencyEffect& effect) {
  return fmt::format("{} {}", ratio_text(effect.ratio), effect_grounds(effect));
}

std::string too_few_text(const LatencyEffect& effect) {
  if (effect.ratio) {
    return fmt::format(
        "That is not settled: the interval of {} reaches beyond the tolerance. More "
        "visits make it narrower; a ratio on the edge of the tolerance stays open.",
        effect_text(effect));
  }
  return fmt::format("Only {} timed in both searches; it takes {}.",
                     count_text(effect.pairs, "visit was", "visits were"), kFewestSelfTestPairs);
}

bool is_every_arm_searched_twice(const SelfTest& test) {
  return test.shadow_latency == ShadowOptions::Latency::kBothArmsTwice;
}

/// The remedy if a search is faster because another one came before it.
std::string warm_cache_remedy(const SelfTest& test) {
  return is_every_arm_searched_twice(test)
             ? "Every arm is searched twice already: clear the caches between searches (latency = "
               "\"both arms alike\"), or accept a difference of this size by a larger --tolerance."
             : "Use latency = \"both arms twice\": each arm's second search is the one that "
               "counts.";
}

/// The finding of a question in a sentence, and the remedy in another.
struct FindingWords {
  std::string finding, remedy;
};

// Rankings.

std::string not_compared_text(const RankingAgreement& rankings) {
  const std::pair<std::uint64_t, std::string_view> kReasons[] = {
      {rankings.incomplete, "an arm did not rank it"},
      {rankings.failed, "a search failed"},
      {rankings.other_state, "the index changed between the searches"},
      {rankings.shaped, "the user sorted, filtered or collapsed"},
      {rankings.other_depth, "the arms were asked for different numbers of hits"}};
  std::vector<std::string> parts;
  for (const auto& [count, why] : kReasons) {
    if (count > 0) parts.push_back(fmt::format("{} ({})", grouped_text(count), why));
  }
  if (parts.empty()) return {};
  return fmt::format(" Visits that are not compared: {}.", listed(parts));
}

std::string compared_facts_text(const RankingAgreement& rankings) {
  if (rankings.captured == 0) return "the number of hits and the ranks of the judged documents";
  return fmt::format("the number of hits, the ranks of the judged documents and the first {}",
                     count_text(rankings.captured, "hit"));
}

ProportionInterval differing_share(const RankingAgreement& rankings) {
  return clopper_pearson_interval(rankings.differing, rankings.visits, 0.95);
}

FindingWords failures_words(const SelfTest& test) {
  const auto& [a, b] = test.arms;
  return {
      fmt::format("{} failed in {} of {} searches for comparison, {} in {} of {}; a fair coin "
                  "would hardly give numbers as unequal (p {}).",
                  a.name, grouped_text(a.failed), grouped_text(a.compared), b.name,
                  grouped_text(b.failed), grouped_text(b.compared), p_value_text(test.failures_p)),
      "Mend the side that fails first: a search that fails counts as an empty ranking."};
}

FindingWords differing_words(const SelfTest& test) {
  const RankingAgreement& rankings = test.rankings;
  const ProportionInterval share = differing_share(rankings);
  const double part =
      static_cast<double>(rankings.differing) / static_cast<double>(rankings.visits);
  std::string words = fmt::format(
      "The engine does not answer the same query alike: the two rankings differ in {} of {} "
      "({}, 95 % interval {} to {})",
      grouped_text(rankings.differing), count_text(rankings.visits, "visit"), share_of_cases(part),
      share_of_cases(share.low), share_of_cases(share.high));
  if (rankings.largest) {
    words += fmt::format(", {} score in {}, by at most {} {} (topic '{}')",
                         rankings.rescored == rankings.differing ? "and their" : "and a",
                         grouped_text(rankings.rescored), score_text(rankings.largest->difference),
                         rankings.largest->measure.name(), rankings.largest->topic.text());
  } else {
    words += ", and no score does";
  }
  const auto quoted = [](const TopicId& id) { return fmt::format("'{}'", id.text()); };
  words += fmt::format("; topics: {}.", listed(list_of(rankings.examples, quoted)));
  return {std::move(words),
          "Search one snapshot of the index with both arms, and break ties by document number; "
          "until then, differences as large as these are the engine's own."};
}

std::string rankings_words(const SelfTest& test) {
  const RankingAgreement& rankings = test.rankings;
  const std::string left_out = not_compared_text(rankings);
  std::string words;
  const auto add = [&](const FindingWords& found) {
    words += fmt::format("{}{} {}", words.empty() ? "" : " ", found.finding, found.remedy);
  };
  if (test.failures_p < kFailuresAlpha) add(failures_words(test));
  if (rankings.differing > 0) add(differing_words(test));
  if (!words.empty()) return words + left_out;
  switch (test.answer(Question::kRankings)) {
    case QuestionAnswer::kNotAsked:
      return "In mode split no visit is ranked by both arms, so rankings cannot be compared.";
    case QuestionAnswer::kTooFew:
      return fmt::format("{} compared; it takes {}.{}",
                         count_text(rankings.visits, "visit was", "visits were"),
                         kFewestSelfTestPairs, left_out);
    default:
      return fmt::format(
          "Both rankings are the same in all {}, in {}: with 95 % confidence, "
          "they differ in at most {} of visits.{}",
          count_text(rankings.visits, "visit"), compared_facts_text(rankings),
          share_of_cases(differing_share(rankings).high), left_out);
  }
}

// False verdicts.

std::vector<std::string> claims_said(const SelfTest& test) {
  std::vector<std::string> said;
  for (std::size_t k = 0; k < SelfTestClaims::kKinds; ++k) {
    const SelfTestClaims::Claim& claim = test.claims.claims[k];
    if (claim.looks == 0) continue;
    said.push_back(fmt::format("\"{}\" at {} of {}{}",
                               claim_words(static_cast<SelfTestClaims::Kind>(k)),
                               grouped_text(claim.looks), count_text(test.claims.looks, "look"),
                               claim.stands ? ", and at the last" : ""));
  }
  return said;
}

std::string resampled_text(const ResampledVerdicts& resampled, std::string_view how) {
  const double share =
      static_cast<double>(resampled.with_verdict) / static_cast<double>(resampled.resamples);
  return fmt::format(
      "{} give a verdict in {} of {} ({}, 95 % interval {} to {}; promised is at "
      "most {})",
      how, grouped_text(resampled.with_verdict), count_text(resampled.resamples, "case"),
      share_of_cases(share), share_of_cases(resampled.interval->low),
      share_of_cases(resampled.interval->high), plain_percent_text(resampled.alpha));
}

std::string resampled_sentences(const SelfTest& test, bool by_family) {
  std::vector<std::string> parts;
  if (test.signs.resamples > 0) {
    parts.push_back(
        test.signs.differing == 0
            ? fmt::format("In paired mode no coin can give a verdict, because the arms have the "
                          "same score in each of {}",
                          units_text(test.signs.units, by_family))
            : resampled_text(test.signs, fmt::format("Random signs of the {} of mode paired",
                                                     count_text(test.signs.units, "difference"))));
  }
  if (test.salts.resamples > 0) {
    parts.push_back(resampled_text(
        test.salts, fmt::format("Random salts that divide {} between two arms, as mode split does,",
                                units_text(test.salts.units, by_family))));
  }
  return parts.empty() ? std::string() : fmt::format("{}.", fmt::join(parts, ". "));
}

std::string vetoes_text(const SelfTest& test) {
  const bool is_vetoed = std::ranges::any_of(
      test.pair().checks, [](const Check& check) { return check.state == CheckState::kVeto; });
  return is_vetoed ? veto_sentence(test.summary, test.pair()) : std::string();
}

FindingWords false_verdicts_words(const SelfTest& test) {
  if (const std::string veto = vetoes_text(test); !veto.empty()) {
    return {veto, "Mend this first: with it a comparison of any arms has no verdict."};
  }
  if (test.claims.any()) {
    return {
        fmt::format("The session said {}, and there is no difference.", listed(claims_said(test))),
        fmt::format("One session in {:.0f} may say so by chance. Run the self test again; if it "
                    "is said again, look for what tells the arms apart, and for topics that are "
                    "near-duplicates (a family map).",
                    1.0 / std::max(test.salts.alpha, 1e-9))};
  }
  if (test.signs.exceeds_alpha() || test.salts.exceeds_alpha()) {
    return {"These scores give a verdict more often than was promised.",
            "Plan a test with a fixed number of topics instead ('prescope plan')."};
  }
  return {};
}

std::string verdicts_words(const SelfTest& test) {
  const bool by_family = test.summary.families.has_value();
  const FindingWords found = false_verdicts_words(test);
  std::string words =
      found.finding.empty() ? std::string() : fmt::format("{} {} ", found.finding, found.remedy);
  if (!test.claims.any()) {
    words += fmt::format("The session gave no verdict at any of {}. ",
                         count_text(test.claims.looks, "look"));
  }
  if (test.claims.was_equivalent) {
    words += "It said that the arms are the same within the margin, which is true. ";
  }
  const std::string resampled = resampled_sentences(test, by_family);
  if (!resampled.empty()) return words + resampled;
  return words + fmt::format("Too few {} have a score for resampling: {}, and it takes {}.",
                             units_word(by_family), std::max(test.signs.units, test.salts.units),
                             kFewestTopics);
}

// Latency.

std::string not_timed_words(const SelfTest& test) {
  if (test.mode == Mode::kSplit) {
    return "In mode split no visit is searched by both arms; a session of mode paired can tell.";
  }
  return "With latency = \"not compared\" only one arm is searched for comparison; a session with "
         "\"both arms\" can tell.";
}

FindingWords caches_finding(const SelfTest& test) {
  const bool is_faster = *test.own_cache.ratio < 1.0;
  return {fmt::format("An arm that has just served the query takes {} of the other arm's time when "
                      "both are searched for comparison ({}).",
                      ratio_text(test.own_cache.ratio), effect_grounds(test.own_cache)),
          is_faster ? warm_cache_remedy(test)
                    : "Let the arm that served rest before it is searched again: give the searches "
                      "for comparison fewer threads (ShadowOptions::threads)."};
}

std::string repeat_sentence(const SelfTest& test) {
  if (!test.repeat.ratio) return {};
  return fmt::format(
      " The first search for comparison takes {} of the user's time {}; these two are "
      "never compared with each other.",
      ratio_text(test.repeat.ratio), ratio_interval_text(test.repeat));
}

std::string revisit_sentence(const SelfTest& test) {
  if (!test.revisit.ratio) return {};
  return fmt::format(" A topic's later visits take {} of the time of its first one {} ({}).",
                     ratio_text(test.revisit.ratio), ratio_interval_text(test.revisit),
                     count_text(test.revisit.pairs, "topic"));
}

std::string caches_words(const SelfTest& test) {
  const std::string more = repeat_sentence(test) + revisit_sentence(test);
  switch (test.answer(Question::kCaches)) {
    case QuestionAnswer::kNotAsked:
      return not_timed_words(test) + more;
    case QuestionAnswer::kTooFew:
      return too_few_text(test.own_cache) + more;
    case QuestionAnswer::kFound: {
      const FindingWords found = caches_finding(test);
      return fmt::format("{} {}{}", found.finding, found.remedy, more);
    }
    case QuestionAnswer::kNothing:
      break;
  }
  return fmt::format(
      "The arm that has just served the query is as fast as the other one: the ratio is {}.{}",
      effect_text(test.own_cache), more);
}

std::string coin_sentence(const SelfTest& test) {
  if (test.ordered == 0) return {};
  const std::string counts =
      fmt::format("{} began {} of {}", test.arms[0].name, grouped_text(test.first_a),
                  count_text(test.ordered, "comparison"));
  const std::string reported =
      test.is_reported ? " The order is that in which the host reports its searches." : "";
  if (test.coin_p >= kCoinAlpha)
    return fmt::format(" {}, as a fair coin does, so that the order favours no arm.{}", counts,
                       reported);
  return fmt::format(
      " {}, and no fair coin gives that: if order matters, one arm has the "
      "advantage. Toss a coin for each visit.{}",
      counts, reported);
}

bool do_scores_depend_on_order(const SelfTest& test) {
  return direction_of(test.scores_by_order.verdict) != 0;
}

FindingWords scores_by_order_finding(const SelfTest& test) {
  const JudgedDifference& judged = test.scores_by_order;
  return {
      fmt::format("The second ranking of a comparison scores {} than the first by {} {} over {} "
                  "(p {}).",
                  judged.t->mean > 0.0 ? "higher" : "lower", score_text(std::abs(judged.t->mean)),
                  test.summary.measures[test.summary.primary].name(),
                  count_text(judged.t->n, "topic"), p_value_text(judged.p_value)),
      "Let both searches start from the same state: one snapshot, and nothing learned from the "
      "first."};
}

FindingWords order_finding(const SelfTest& test) {
  if (do_scores_depend_on_order(test)) return scores_by_order_finding(test);
  const bool is_faster = *test.order.ratio < 1.0;
  return {fmt::format("The second search of a query takes {} of the first one's time ({}).",
                      ratio_text(test.order.ratio), effect_grounds(test.order)),
          is_faster ? warm_cache_remedy(test)
                    : "Give the searches for comparison fewer threads (ShadowOptions::threads), so "
                      "that the second does not wait for the first."};
}

std::string order_words(const SelfTest& test) {
  const std::string coin = coin_sentence(test);
  switch (test.answer(Question::kOrder)) {
    case QuestionAnswer::kNotAsked:
      return not_timed_words(test);
    case QuestionAnswer::kTooFew:
      return too_few_text(test.order) + coin;
    case QuestionAnswer::kFound: {
      const FindingWords found = order_finding(test);
      return fmt::format("{} {}{}", found.finding, found.remedy, coin);
    }
    case QuestionAnswer::kNothing:
      break;
  }
  return fmt::format(
      "The second search of a query takes as long as the first: the ratio is {}.{} {}",
      effect_text(test.order), coin,
      test.rankings.rescored == 0 ? "No score depends on the order."
                                  : "Scores differ, and not by the order.");
}

FindingWords latency_finding(const SelfTest& test) {
  if (test.claims.of(SelfTestClaims::Kind::kFaster).looks > 0) {
    return {
        "The session called an arm faster, and there is no difference.",
        "Run the self test again on a machine that does nothing else; if it is said again, look "
        "for what tells the arms apart, such as their connections."};
  }
  return {fmt::format("{} takes {} of the time of {} ({}).", test.arms[1].name,
                      ratio_text(test.arms_ratio.ratio), test.arms[0].name,
                      effect_grounds(test.arms_ratio)),
          "Something tells the arms apart: compare their indexes, connections and caches, and the "
          "order of their searches."};
}

std::string latency_words(const SelfTest& test) {
  const std::string live = live_latency_words(test.summary, test.pair());
  const std::string said = live.empty() ? "" : fmt::format(" {}.", live);
  switch (test.answer(Question::kLatency)) {
    case QuestionAnswer::kNotAsked:
      return not_timed_words(test);
    case QuestionAnswer::kTooFew:
      return too_few_text(test.arms_ratio) + said;
    case QuestionAnswer::kFound: {
      const FindingWords found = latency_finding(test);
      return fmt::format("{} {}{}", found.finding, found.remedy, said);
    }
    case QuestionAnswer::kNothing:
      break;
  }
  return fmt::format("The second arm's latency over the first one's is {}.{}",
                     effect_text(test.arms_ratio), said);
}

FindingWords finding_of(const SelfTest& test, Question question) {
  switch (question) {
    case Question::kRankings:
      return test.rankings.differing > 0 ? differing_words(test) : failures_words(test);
    case Question::kVerdicts:
      return false_verdicts_words(test);
    case Question::kCaches:
      return caches_finding(test);
    case Question::kOrder:
      return order_finding(test);
    case Question::kLatency:
      break;
  }
  return latency_finding(test);
}

/// "caches, order and latency"
std::string questions_with(const SelfTest& test, QuestionAnswer answer) {
  std::vector<std::string> names;
  for (const Question question : kSelfTestQuestions) {
    if (test.answer(question) == answer) names.emplace_back(to_string(question));
  }
  return listed(names);
}

}  // namespace

std::string self_test_words(const SelfTest& test, SelfTestQuestion question) {
  switch (question) {
    case Question::kRankings:
      return rankings_words(test);
    case Question::kVerdicts:
      return verdicts_words(test);
    case Question::kCaches:
      return caches_words(test);
    case Question::kOrder:
      return order_words(test);
    case Question::kLatency:
      break;
  }
  return latency_words(test);
}

std::string self_test_headline(const SelfTest& test) {
  const std::string not_same =
      test.difference.empty() ? "" : fmt::format(" These are not the same arm.");
  const auto found = std::ranges::count(test.answers, QuestionAnswer::kFound);
  if (found > 0) {
    const auto first =
        std::ranges::find(test.answers, QuestionAnswer::kFound) - test.answers.begin();
    const FindingWords words = finding_of(test, static_cast<Question>(first));
    const std::string more = found == 1 ? "" : fmt::format(" {} more below.", found - 1);
    return fmt::format("Found: {} {}{}{}", words.finding, words.remedy, more, not_same);
  }
  if (test.has(QuestionAnswer::kTooFew)) {
    return fmt::format("Nothing found so far, and too few visits to tell about {}.{}",
                       questions_with(test, QuestionAnswer::kTooFew), not_same);
  }
  const std::string not_asked = test.has(QuestionAnswer::kNotAsked)
                                    ? fmt::format(" This session cannot tell about {}.",
                                                  questions_with(test, QuestionAnswer::kNotAsked))
                                    : "";
  return fmt::format("Nothing found: {} against itself, in {}.{}{}", test.arms[0].name,
                     count_text(test.visits, "visit"), not_asked, not_same);
}

}  // namespace prescope
