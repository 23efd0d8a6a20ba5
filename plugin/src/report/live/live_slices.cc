// Words about the slices of a live comparison.
#include "report/live/live_report.h"
#include "runs/slice_words.h"
#include "runs/topic_units.h"

namespace prescope {

namespace {

bool is_by_family(const SliceSummary& slice) {
  return slice.difference.live && slice.difference.live->by_family;
}

/// "section D (60 topics)"
std::string named_units(const SliceSummary& slice) {
  return fmt::format("{} ({})", live_slice_name(slice),
                     units_text(shown_topics(slice.difference), is_by_family(slice)));
}

template <class Matches>
std::string named_slices(const ArmPair& pair, const Matches& matches) {
  std::vector<std::string> names;
  for (const SliceSummary& slice : pair.slices) {
    if (matches(slice)) names.push_back(named_units(slice));
  }
  return names.empty() ? std::string() : listed(names);
}

/// "bm25 is better in section A (90 topics) and leads in section B (70 topics)"; empty if it is in
/// none.
std::string where_ahead(const ArmPair& pair, const std::string& arm, int direction) {
  const auto in = [&](LiveState state) {
    return named_slices(pair, [&](const SliceSummary& slice) {
      return live_direction(slice.difference) == direction && slice.difference.live->state == state;
    });
  };
  const std::string better = in(LiveState::kConfirmed), leads = in(LiveState::kLeading);
  std::vector<std::string> parts;
  if (!better.empty()) parts.push_back("is better in " + better);
  if (!leads.empty()) parts.push_back("leads in " + leads);
  return parts.empty() ? std::string() : fmt::format("{} {}", arm, listed(parts));
}

/// Returns whether the interval of a slice that may not speak excludes 0 on the other side.
bool is_opposed(const SliceSummary& slice, int overall) {
  if (slice.may_speak || !slice.difference.live) return false;
  const LiveVerdict& live = *slice.difference.live;
  return overall > 0 ? live.high < 0.0 : overall < 0 && live.low > 0.0;
}

}  // namespace

int live_direction(const MeasureDifference& difference) {
  if (!difference.live) return 0;
  const LiveState state = difference.live->state;
  if (state != LiveState::kLeading && state != LiveState::kConfirmed) return 0;
  return shown_mean(difference).value_or(0.0) > 0.0 ? 1 : -1;
}

std::string live_slice_name(const SliceSummary& slice) {
  return slice_words(slice.dimension, slice.name, slice.slices);
}

std::string live_slice_state_text(const SliceSummary& slice, const ArmNames& names) {
  if (!slice.difference.live) return live_state_text(slice.difference, names);
  if (!slice.may_speak) return slice.slices > 1 ? "several" : "too few";
  const LiveVerdict& live = *slice.difference.live;
  if (live.state != LiveState::kCollecting) return live_state_text(slice.difference, names);
  if (live.topics < kUnitsThatSpeak) {
    return fmt::format("collecting ({} of {})", live.topics,
                       units_text(kUnitsThatSpeak, live.by_family));
  }
  return fmt::format("collecting ({} of {} that differ)", slice.differing, kDifferentThatSpeak);
}

std::string live_slices_sentence(const Summary& summary, const ArmPair& pair) {
  if (pair.slices.empty()) return {};
  const auto is_vetoed = [](const SliceSummary& slice) {
    return slice.difference.live && slice.difference.live->state == LiveState::kVetoed;
  };
  if (summary.mode == Mode::kObserve || std::ranges::any_of(pair.slices, is_vetoed)) return {};
  const ArmNames names = names_of(summary, pair);
  const int overall = verdict_direction(summary, pair);
  const std::string of_b = where_ahead(pair, names.b, 1), of_a = where_ahead(pair, names.a, -1);
  const auto& [same, other] = overall < 0 ? std::tie(of_a, of_b) : std::tie(of_b, of_a);
  std::string sentence;
  if (same.empty() && other.empty()) {
    sentence = "No slice is shown to differ";
  } else if (same.empty() || other.empty()) {
    sentence = overall != 0 && same.empty() ? "But " + other : same + other;
  } else {
    sentence = fmt::format("{}, but {}", same, other);
  }
  sentence += '.';
  const std::string opposed =
      named_slices(pair, [&](const SliceSummary& slice) { return is_opposed(slice, overall); });
  if (opposed.empty()) return sentence;
  return fmt::format("{} The other way round, but too few to say: {}.", sentence, opposed);
}

std::vector<std::string> about_live_slices(const Summary& summary, const ArmPair& pair) {
  std::vector<std::string> sentences;
  if (pair.slices.empty()) return sentences;
  const auto speaks = [](const SliceSummary& slice) { return slice.may_speak; };
  const auto speaking = std::ranges::count_if(pair.slices, speaks);
  const std::string_view units = units_word(summary.families.has_value());
  if (summary.mode != Mode::kObserve) {
    sentences.push_back(fmt::format(
        "{} of {} may speak: those with {} judged {} or more. They share an alpha of their own, "
        "and their intervals hold together, whenever you look. A slice speaks when {} {} are "
        "compared and {} differ.",
        speaking, count_text(pair.slices.size(), "slice"), kUnitsThatSpeak, units, kUnitsThatSpeak,
        units, kDifferentThatSpeak));
  }
  if (summary.slice_topics_unjudged > 0) {
    sentences.push_back(
        unjudged_words(summary.slice_topics_unjudged, summary.slice_topic_unjudged));
  }
  return sentences;
}

}  // namespace prescope
