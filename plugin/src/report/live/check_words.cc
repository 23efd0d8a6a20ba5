// What can void the verdict about a pair of arms, in words.
#include "report/live/live_report.h"

namespace prescope {

namespace {

using Share = Check::Share;

/// "829 of 829 searches"
std::string part_text(const Share& share, std::string_view singular, std::string_view plural = {}) {
  return fmt::format("{} of {}", grouped_text(share.count), count_text(share.of, singular, plural));
}

/// Says something of each arm that it holds for, the arm with the larger share first:
/// "bm25 failed in 829 of 829 searches, tfidf in 3 of 829".
template <class Say>
std::string of_both(const Check& check, const ArmNames& names, const Say& say) {
  const Share a = check.a, b = check.b.value_or(Share());
  const bool is_b_first = b.value() > a.value();
  const Share &first = is_b_first ? b : a, &second = is_b_first ? a : b;
  std::string words = say(is_b_first ? names.b : names.a, first);
  if (second.count > 0) {
    words += fmt::format("; {}: {} of {}", is_b_first ? names.a : names.b,
                         grouped_text(second.count), grouped_text(second.of));
  }
  return words;
}

std::string facts_of(const Summary& summary, const ArmPair& pair, const Check& check) {
  const ArmNames names = names_of(summary, pair);
  switch (check.kind) {
    case CheckKind::kFailures:
      return of_both(check, names, [](const std::string& arm, const Share& share) {
        return fmt::format("{} failed in {}", arm, part_text(share, "search", "searches"));
      });
    case CheckKind::kUnseen:
      return of_both(check, names, [](const std::string& arm, const Share& share) {
        return fmt::format("no answer of {} was seen in {}", arm, part_text(share, "visit"));
      });
    case CheckKind::kShallow:
      return of_both(check, names, [&](const std::string& arm, const Share& share) {
        return fmt::format("what {} served ends before the cutoff of {} in {}", arm,
                           summary.measures[summary.primary].name(), part_text(share, "visit"));
      });
    case CheckKind::kUnscored:
      return of_both(check, names, [](const std::string& arm, const Share& share) {
        return fmt::format("{} of {} were sorted, filtered or collapsed, and are not scored",
                           part_text(share, "ranking"), arm);
      });
    case CheckKind::kNotInIndex:
      return of_both(check, names, [](const std::string& arm, const Share& share) {
        return fmt::format("the index of {} lacks {}", arm,
                           part_text(share, "relevant judged document"));
      });
    case CheckKind::kNothingFound:
      return of_both(check, names, [](const std::string& arm, const Share& share) {
        return fmt::format(
            "{} found no judged document in {}, so its index or its document numbers may not be "
            "those of the judgements",
            arm, count_text(share.of, "topic"));
      });
    case CheckKind::kIncomplete:
      return fmt::format(
          "{} not ranked by every arm",
          part_text(check.a, "visit for comparison was", "visits for comparison were"));
    case CheckKind::kLostComparisons:
      return fmt::format(
          "{} given up, because the shadow searches did not keep up",
          part_text(check.a, "visit for comparison was", "visits for comparison were"));
    case CheckKind::kAssignment:
      return of_both(check, names, [](const std::string& arm, const Share& share) {
        return fmt::format("in {} of {} the host served another arm than the hash gives",
                           part_text(share, "topic"), arm);
      });
    case CheckKind::kSampleRatio:
      return sample_ratio_words(summary, pair);
    case CheckKind::kDrops:
      return fmt::format("{} lost on the way to the ledger, or not matched with a table",
                         part_text(check.a, "ranking was", "rankings were"));
  }
  return {};
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
  if (ratio.alarm) {
    return fmt::format(
        "{}; no fair coin gives such numbers, now or earlier in this epoch (p {}), so something "
        "else decides which arm a topic is served by",
        counts, p_value_text(ratio.p));
  }
  constexpr double kUsual = 0.05;
  if (ratio.topics_a == 0 || ratio.topics_b == 0 || ratio.p >= kUsual) return counts;
  return fmt::format("{}: a fair coin gives numbers as unequal as these in {:.2g} % of experiments",
                     counts, 100.0 * ratio.p);
}

}  // namespace prescope
