// What can void the verdict about a pair of arms, in words.
#include "report/live/live_report.h"

namespace prescope {

namespace {

using Share = Check::Share;

/// The sentence of a check, and the noun of what it counts. {arm}, {part} "829 of 829 searches",
/// {all} "829 searches" and {measure}, the primary one, are filled in.
struct CheckSentence {
  CheckKind kind;
  std::string_view words, singular, plural{};
};

constexpr CheckSentence kSentences[] = {
    {CheckKind::kFailures, "{arm} failed in {part}", "search", "searches"},
    {CheckKind::kUnseen, "no answer of {arm} was seen in {part}", "visit"},
    {CheckKind::kShallow, "what {arm} served ends before the cutoff of {measure} in {part}",
     "visit"},
    {CheckKind::kUnscored, "{part} of {arm} were sorted, filtered or collapsed, and are not scored",
     "ranking"},
    {CheckKind::kNotInIndex, "the index of {arm} lacks {part}", "relevant judged document"},
    {CheckKind::kNothingFound,
     "{arm} found no judged document in {all}, so its index or its document numbers may not be "
     "those of the judgements",
     "topic"},
    {CheckKind::kIncomplete, "{part} not ranked by every arm", "visit for comparison was",
     "visits for comparison were"},
    {CheckKind::kLostComparisons, "{part} given up, because the shadow searches did not keep up",
     "visit for comparison was", "visits for comparison were"},
    {CheckKind::kAssignment, "in {part} of {arm} the host served another arm than the hash gives",
     "topic"},
    {CheckKind::kDrops, "{part} lost on the way to the ledger, or not matched with a table",
     "ranking was", "rankings were"}};

/// Says something of each arm that it holds for, the arm with the larger share first:
/// "bm25 failed in 829 of 829 searches; tfidf: 3 of 829".
std::string facts_of(const Summary& summary, const ArmPair& pair, const Check& check) {
  if (check.kind == CheckKind::kSampleRatio) return sample_ratio_words(summary, pair);
  const CheckSentence& sentence = *std::ranges::find(kSentences, check.kind, &CheckSentence::kind);
  const ArmNames names = names_of(summary, pair);
  const Share a = check.a, b = check.b.value_or(Share());
  const bool is_b_first = b.value() > a.value();
  const Share &first = is_b_first ? b : a, &second = is_b_first ? a : b;
  const std::string all = count_text(first.of, sentence.singular, sentence.plural);
  const bool has_measure = check.kind == CheckKind::kShallow;
  std::string words =
      fmt::format(fmt::runtime(sentence.words), fmt::arg("arm", is_b_first ? names.b : names.a),
                  fmt::arg("part", fmt::format("{} of {}", grouped_text(first.count), all)),
                  fmt::arg("all", all),
                  fmt::arg("measure", has_measure ? summary.measures[summary.primary].name() : ""));
  if (second.count > 0) {
    words += fmt::format("; {}: {} of {}", is_b_first ? names.a : names.b,
                         grouped_text(second.count), grouped_text(second.of));
  }
  return words;
}

}  // namespace

bool is_worth_saying(const Check& check) noexcept {
  return check.state != CheckState::kFine || (check.kind != CheckKind::kSampleRatio &&
                                              check.a.count + check.b.value_or(Share()).count > 0);
}

std::string check_words(const Summary& summary, const ArmPair& pair, const Check& check) {
  std::string words = facts_of(summary, pair, check);
  if (check.state == CheckState::kFine || check.kind == CheckKind::kSampleRatio) return words;
  return fmt::format("{} (limit {})", words, plain_percent_text(check.limit));
}

std::string veto_sentence(const Summary& summary, const ArmPair& pair) {
  std::string words;
  for (const Check& check : pair.checks) {
    if (check.state != CheckState::kVeto) continue;
    words += fmt::format("{}{}", words.empty() ? "" : "; ", facts_of(summary, pair, check));
  }
  return fmt::format("No verdict: {}.", words);
}

std::string sample_ratio_words(const Summary& summary, const ArmPair& pair) {
  if (!pair.sample_ratio) return {};
  const SampleRatio& ratio = *pair.sample_ratio;
  const ArmNames names = names_of(summary, pair);
  std::string counts =
      fmt::format("{} with a value served by {}, {} by {}", count_text(ratio.topics_a, "topic"),
                  names.a, grouped_text(ratio.topics_b), names.b);
  if (ratio.seen_a != ratio.topics_a || ratio.seen_b != ratio.topics_b) {
    counts += fmt::format(" (of {} and {} topics served)", grouped_text(ratio.seen_a),
                          grouped_text(ratio.seen_b));
  }
  const bool is_fair = ratio.share_b == 0.5;
  const std::string coin =
      is_fair ? "fair coin"
              : fmt::format("coin with {:.3g} % for {}", 100.0 * ratio.share_b, names.b);
  if (ratio.alarm) {
    return fmt::format(
        "{}; no {} gives such numbers, now or earlier in this epoch (p {}), so something else "
        "decides which arm a topic is served by",
        counts, coin, p_value_text(ratio.p));
  }
  if (!is_fair) {
    counts += fmt::format("; {:.3g} % are to be {}'s, and as many of the other arm's are compared",
                          100.0 * std::min(ratio.share_b, 1.0 - ratio.share_b),
                          ratio.share_b < 0.5 ? names.b : names.a);
  }
  constexpr double kUsual = 0.05;
  if (ratio.topics_a == 0 || ratio.topics_b == 0 || ratio.p >= kUsual) return counts;
  return fmt::format("{}: a {} gives numbers as {} in {:.2g} % of experiments", counts, coin,
                     is_fair ? "unequal as these" : "far from its share", 100.0 * ratio.p);
}

}  // namespace prescope
