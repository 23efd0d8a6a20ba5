#include <limits>

#include "report/live/live_report.h"
#include "studies/cutoff_study.h"

namespace prescope {

namespace {

/// PRES first.
constexpr auto kMeasures = std::views::reverse(kSweepMeasures);

/// Names grouped by the sentence about them, in order of first use.
using Said = std::vector<std::pair<std::string, std::vector<std::string>>>;

void add(Said& said, const std::string& words, std::string_view name) {
  const auto at = std::ranges::find(said, words, [](const auto& each) { return each.first; });
  if (at == said.end()) {
    said.push_back({words, {std::string(name)}});
  } else {
    at->second.emplace_back(name);
  }
}

/// The last rankings of an arm for topics whose every rank is known, and their means.
struct SweptArm {
  std::string name;
  std::vector<SweepTopic> topics{};
  std::optional<std::uint32_t> depth{};  ///< the shallowest ranking that was cut off
  std::uint32_t longest = 0;
  std::vector<SweepPoint> points{};

  /// The last rank to which every ranking is known.
  [[nodiscard]] std::uint32_t known() const { return depth.value_or(longest); }
  [[nodiscard]] std::optional<double> value(const SweepMeasure& measure, std::size_t cutoff) const {
    const SweepPoint& point = points[cutoff];
    const std::uint32_t last = depth.value_or(std::numeric_limits<std::uint32_t>::max());
    return point.cutoff.value() <= last ? (point.*measure.mean).mean : std::nullopt;
  }
};

SweptArm rankings_of(const Summary& summary, std::size_t arm) {
  SweptArm rankings{.name = summary.arms[arm].id.text()};
  for (const TopicRow& row : summary.rows) {
    const TopicRow::Arm& served = row.arms[arm];
    if (!served.seen || served.awaiting || row.num_rel == 0) continue;
    rankings.topics.push_back({.num_rel = row.num_rel, .relevant_ranks = served.relevant_ranks});
    rankings.longest = std::max(rankings.longest, served.num_ret);
    if (served.exhausted) continue;
    rankings.depth = std::min(rankings.depth.value_or(served.num_ret), served.num_ret);
  }
  return rankings;
}

struct Sweep {
  std::vector<Cutoff> cutoffs{};
  std::vector<SweptArm> arms{};
};

Sweep sweep_of(const Summary& every_topic, std::size_t count) {
  Sweep sweep;
  std::uint32_t deepest = 0;
  for (std::size_t a = 0; a < every_topic.arms.size(); ++a) {
    sweep.arms.push_back(rankings_of(every_topic, a));
    deepest = std::max(deepest, sweep.arms.back().known());
  }
  sweep.cutoffs = cutoffs_up_to(deepest, count);
  for (SweptArm& arm : sweep.arms) arm.points = cutoff_sweep(arm.topics, sweep.cutoffs);
  return sweep;
}

struct SweptPair {
  const std::vector<Cutoff>& cutoffs;
  const SweptArm& a;
  const SweptArm& b;

  /// Returns the arm with the higher mean; empty if they look the same with three digits;
  /// std::nullopt if one has no value.
  [[nodiscard]] std::optional<std::string> ahead(const SweepMeasure& measure,
                                                 std::size_t cutoff) const {
    constexpr double kLevel = 0.0005;
    const auto from = a.value(measure, cutoff), to = b.value(measure, cutoff);
    if (!from || !to) return std::nullopt;
    if (std::abs(*to - *from) < kLevel) return std::string();
    return *to > *from ? b.name : a.name;
  }
};

/// A range of cutoffs, both ends included, with the same result.
struct Stretch {
  std::string words;
  std::size_t begin = 0, end = 0;  ///< positions of its first and last cutoff
};

/// Extends the last range if its result is the same, else begins another one.
void extend(std::vector<Stretch>& stretches, const std::string& words, std::size_t cutoff) {
  if (stretches.empty() || stretches.back().words != words) stretches.push_back({words, cutoff});
  stretches.back().end = cutoff;
}

std::string range_words(const SweptPair& pair, const Stretch& stretch) {
  const auto first = pair.cutoffs[stretch.begin].value(), last = pair.cutoffs[stretch.end].value();
  return first == last ? fmt::format("at N = {}", first)
                       : fmt::format("from N = {} to {}", first, last);
}

/// "early is ahead up to N = 20, late is ahead from N = 30 on".
std::string course_words(const SweptPair& pair, const SweepMeasure& measure) {
  std::vector<Stretch> parts;
  for (std::size_t c = 0; c < pair.cutoffs.size(); ++c) {
    const auto ahead = pair.ahead(measure, c);
    if (ahead) extend(parts, ahead->empty() ? "level" : *ahead + " is ahead", c);
  }
  if (parts.empty()) return "no cutoff at which both have a value";
  if (parts.size() == 1) return parts.front().words + " at every cutoff";
  std::vector<std::string> clauses;
  for (const Stretch& part : parts) {
    const bool is_long = part.begin != part.end;
    const auto first = pair.cutoffs[part.begin].value(), last = pair.cutoffs[part.end].value();
    const std::string where = is_long && &part == &parts.front() ? fmt::format("up to N = {}", last)
                              : is_long && &part == &parts.back()
                                  ? fmt::format("from N = {} on", first)
                                  : range_words(pair, part);
    clauses.push_back(part.words + ' ' + where);
  }
  return fmt::format("{}", fmt::join(clauses, ", "));
}

/// "PRES and Recall say bm25, MAP says tfidf"; empty if the measures agree.
std::string disagreement_at(const SweptPair& pair, std::size_t cutoff) {
  Said says;
  for (const SweepMeasure& measure : kMeasures) {
    const auto ahead = pair.ahead(measure, cutoff);
    if (!ahead || ahead->empty()) continue;
    add(says, *ahead, measure.title);
  }
  if (says.size() < 2) return {};
  std::vector<std::string> words;
  for (const auto& [arm, names] : says) {
    words.push_back(fmt::format("{} {} {}", fmt::join(names, " and "),
                                names.size() == 1 ? "says" : "say", arm));
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

/// The cutoffs at which measures favour different arms; empty if there are none.
std::string disagreement_words(const SweptPair& pair) {
  constexpr std::size_t kTold = 3;
  std::vector<Stretch> stretches;
  for (std::size_t c = 0; c < pair.cutoffs.size(); ++c) {
    extend(stretches, disagreement_at(pair, c), c);
  }
  std::erase_if(stretches, [](const Stretch& each) { return each.words.empty(); });
  if (stretches.empty()) return {};
  const auto told = list_of(stretches | std::views::take(kTold), [&](const Stretch& each) {
    return range_words(pair, each) + ' ' + each.words;
  });
  return fmt::format("The measures disagree: {}{}.", fmt::join(told, "; "),
                     stretches.size() > kTold ? "; and elsewhere" : "");
}

/// Says which arm is ahead at which cutoffs; measures that agree share a sentence.
std::vector<std::string> pair_sentences(const SweptPair& pair) {
  Said said;
  for (const SweepMeasure& measure : kMeasures) {
    add(said, course_words(pair, measure), measure.title);
  }
  std::vector<std::string> sentences;
  for (const auto& [course, names] : said) {
    sentences.push_back(fmt::format("{}: {}.", listed(names), course));
  }
  const std::string disagreement = disagreement_words(pair);
  if (!disagreement.empty()) sentences.push_back(disagreement);
  return sentences;
}

/// The first arm against each other one.
std::vector<std::string> sweep_sentences(const Sweep& sweep, const Summary& summary) {
  if (!summary.rows.empty() && sweep.cutoffs.empty()) return {"No topic has a value yet."};
  if (sweep.arms.empty() || sweep.cutoffs.empty()) {
    return {summary.mode == Mode::kPaired ? "No topic has been ranked for comparison yet."
                                          : "No topic has been served yet."};
  }
  const SweptArm& first = sweep.arms.front();
  if (sweep.arms.size() == 1) return {first.name + " alone: nothing to compare it with."};
  std::vector<std::string> all;
  for (std::size_t b = 1; b < sweep.arms.size(); ++b) {
    const SweptPair pair{sweep.cutoffs, first, sweep.arms[b]};
    const std::string about =
        sweep.arms.size() > 2 ? fmt::format("{} against {}. ", pair.b.name, first.name) : "";
    for (const std::string& sentence : pair_sentences(pair)) all.push_back(about + sentence);
  }
  return all;
}

std::string depth_sentence(const Sweep& sweep) {
  std::vector<std::string> limits;
  for (const SweptArm& arm : sweep.arms) {
    if (!arm.depth || sweep.cutoffs.empty() || *arm.depth >= sweep.cutoffs.back().value()) continue;
    limits.push_back(fmt::format("{} was served {} deep at the least", arm.name, *arm.depth));
  }
  const std::string ends =
      limits.empty() ? "" : fmt::format("{}: there its means end. ", fmt::join(limits, ", "));
  return ends +
         "Means closer than 0.0005 count as level; whether a lead is more than chance is what the "
         "verdicts say.";
}

Json swept_arm_json(const SweptArm& arm) {
  Json json = {{"name", arm.name}, {"topics", arm.topics.size()}, {"depth", arm.depth}};
  for (const SweepMeasure& measure : kMeasures) {
    json[std::string(measure.family)] =
        list_of(positions(arm.points.size()), [&](std::size_t c) { return arm.value(measure, c); });
  }
  return json;
}

}  // namespace

std::string sweep_json(const Summary& every_topic, std::size_t count) {
  const Sweep sweep = sweep_of(every_topic, count);
  return json_line(
      {{"cutoffs", list_of(sweep.cutoffs, &Cutoff::value)},
       {"arms", list_of(sweep.arms, swept_arm_json)},
       {"words",
        {{"sentences", sweep_sentences(sweep, every_topic)}, {"depth", depth_sentence(sweep)}}}});
}

}  // namespace prescope
