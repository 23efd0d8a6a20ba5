#include "runs/input_checks.h"

#include "runs/run_matches.h"
#include "runs/unmet_ids.h"

namespace prescope {

namespace {

using Result = InputCheck::Result;

constexpr InputCheck kChecks[] = {
    {"container",
     "The file is an archive, compressed by another program than gzip, a document, a page, binary "
     "or a pointer to a file.",
     "any", Result::kRefused},
    {"format", "The lines are those of another program, which `prescope convert` may read.",
     "run, qrels", Result::kRefused},
    {"columns", "Lines have different numbers of columns, as a blank in a docno makes them.",
     "run, qrels", Result::kRefused},
    {"ids",
     "Ids of the run and of the qrels look the same and differ in characters that are not "
     "seen, or in quotation marks.",
     "run and qrels", Result::kFault},
    {kTiedCheck, "All scores of a topic are the same, so that docnos decide its ranking.", "run",
     Result::kRemark},
    {kRisingCheck, "Scores rise from line to line, so that the last line ranks first.", "run",
     Result::kRemark},
    {"tags", "Lines have different tags, as those of two runs in one file.", "run",
     Result::kRemark},
    {kSeriesCheck,
     "Judged documents of an authority and series are not found, perhaps because their numbers are "
     "written in another form.",
     "run and qrels", Result::kRemark}};

using MessagesOf = std::vector<std::string> (*)(const Qrels& qrels, const RunFacts& facts);

std::vector<std::string> unmet_ids(const Qrels& qrels, const RunFacts& facts) {
  if (cannot_compare_ids(qrels, facts)) {
    return {
        "ids of the run or of the qrels may have quotation marks or characters that are not seen, "
        "and a pipe cannot be read again to compare them: give the path of a file"};
  }
  const std::optional<UnmetIds> ids = find_unmet_ids(qrels, facts);
  if (!ids) return {};
  return {unmet_ids_words(*ids)};
}

/// Returns the number of topics whose scores have this order, and the number of topics with several
/// lines.
std::pair<std::size_t, std::size_t> topics_with(const RunFacts& facts, ScoreOrder order,
                                                std::uint32_t least_lines) {
  std::pair<std::size_t, std::size_t> count;
  for (const RunFacts::Topic& topic : facts.topics) {
    if (topic.num_ret < least_lines) continue;
    ++count.second;
    if (topic.scores == order) ++count.first;
  }
  return count;
}

std::string topics_of(std::size_t count, std::size_t all) {
  return fmt::format("{} of {} topic{}", count, all, all == 1 ? "" : "s");
}

std::vector<std::string> tied_topics(const Qrels&, const RunFacts& facts) {
  const auto [tied, all] = topics_with(facts, ScoreOrder::kTied, 2);
  if (tied == 0) return {};
  return {fmt::format("all scores tied in {}: docnos decide the ranking", topics_of(tied, all))};
}

/// Two lines may rise by chance; so may some of many topics if the lines have no order.
std::vector<std::string> rising_topics(const Qrels&, const RunFacts& facts) {
  const auto [rising, all] = topics_with(facts, ScoreOrder::kRising, 3);
  if (rising * 2 <= all) return {};
  return {fmt::format(
      "scores rise from line to line in {}, so that the last line ranks first: if they are "
      "distances or have the wrong sign, negate them, or rank by the lines with --order file",
      topics_of(rising, all))};
}

std::vector<std::string> other_tags(const Qrels&, const RunFacts& facts) {
  const RunTags& tags = facts.tags;
  if (tags.other_lines == 0) return {};
  return {fmt::format(
      "{} of {} lines have another tag than the first, '{}': the first of them is line {}, '{}'; "
      "are these two runs in one file?",
      tags.other_lines, facts.lines, tags.first, tags.first_other, tags.other)};
}

struct RunCheck {
  std::string_view name;
  bool is_about_scores;
  MessagesOf words;
};

constexpr RunCheck kRunChecks[] = {{"ids", false, unmet_ids},
                                   {kTiedCheck, true, tied_topics},
                                   {kRisingCheck, true, rising_topics},
                                   {"tags", false, other_tags},
                                   {kSeriesCheck, false, run_match_report}};

}  // namespace

std::span<const InputCheck> input_checks() noexcept { return kChecks; }

std::vector<InputFinding> series_findings(std::vector<std::string> sentences) {
  std::vector<InputFinding> findings;
  for (std::string& words : sentences) {
    findings.push_back(
        {std::ranges::find(kChecks, kSeriesCheck, &InputCheck::name), std::move(words)});
  }
  return findings;
}

std::vector<InputFinding> check_run_input(const Qrels& qrels, const RunFacts& facts,
                                          RunOrder order) {
  std::vector<InputFinding> findings;
  for (const auto& [name, is_about_scores, words_of] : kRunChecks) {
    if (is_about_scores && order == RunOrder::kFile) continue;
    for (std::string& words : words_of(qrels, facts)) {
      findings.push_back({std::ranges::find(kChecks, name, &InputCheck::name), std::move(words)});
    }
  }
  return findings;
}

}  // namespace prescope
