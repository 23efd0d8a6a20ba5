#include "studies/study_runs.h"

#include <fmt/format.h>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "base/text_file.h"
#include "base/threads.h"

namespace prescope {

StudyRuns::StudyRuns(const Qrels& qrels, std::span<const RunFacts> runs,
                     const EvaluateOptions& options, unsigned threads)
    : runs_(runs.size()) {
  for (std::uint32_t i = 0; i < qrels.topics().size(); ++i) {
    const std::uint32_t num_rel = qrels.topics()[i].num_rel();
    if (num_rel > 0) topics_.push_back({TopicIndex(i), num_rel});
  }
  in_parallel(runs.size(), threads,
              [&](std::size_t i) { runs_[i] = placed(qrels, runs[i], options); });
}

StudyRuns::Run StudyRuns::placed(const Qrels& qrels, const RunFacts& facts,
                                 const EvaluateOptions& options) const {
  Run run;
  run.places.reserve(topics_.size());
  TopicRanking ranking;
  auto in_run = facts.topics.begin();
  for (const StudyTopic& topic : topics_) {
    while (in_run != facts.topics.end() && in_run->topic < topic.topic) ++in_run;
    Place place{.first = run.ranks.size()};
    if (in_run == facts.topics.end() || in_run->topic != topic.topic) {
      place.counts = options.topics == EvaluateOptions::Topics::kAll;
      run.places.push_back(place);
      continue;
    }
    rank_topic(qrels, facts, *in_run, options.ranks, ranking);
    const TopicQrels& judged = qrels.topic(topic.topic);
    for (const RankedJudgement& document : ranking.judged) {
      if (!judged.is_relevant(document.judgement)) continue;
      run.ranks.push_back(document.rank);
      run.judgements.push_back(document.judgement);
    }
    place.found = static_cast<std::uint32_t>(run.ranks.size() - place.first);
    place.num_ret = ranking.num_ret;
    run.depth = std::max(run.depth, ranking.num_ret);
    run.places.push_back(place);
  }
  return run;
}

std::span<const Rank> StudyRuns::ranks(std::size_t run, std::size_t topic) const noexcept {
  const Place& place = runs_[run].places[topic];
  return std::span(runs_[run].ranks).subspan(place.first, place.found);
}

std::span<const JudgementIndex> StudyRuns::judgements(std::size_t run,
                                                      std::size_t topic) const noexcept {
  const Place& place = runs_[run].places[topic];
  return std::span(runs_[run].judgements).subspan(place.first, place.found);
}

std::vector<SweepTopic> StudyRuns::sweep_topics(std::size_t run) const {
  std::vector<SweepTopic> topics;
  topics.reserve(topics_.size());
  for (std::size_t t = 0; t < topics_.size(); ++t) {
    topics.push_back(
        {.num_rel = counts(run, t) ? topics_[t].num_rel : 0, .relevant_ranks = ranks(run, t)});
  }
  return topics;
}

namespace {

std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t end = std::min(line.find('\t', begin), line.size());
    cells.push_back(trimmed(line.substr(begin, end - begin)));
    begin = end + 1;
  }
  return cells;
}

std::optional<double> finite_number(std::string_view text) {
  double value = 0.0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

/// A line that holds anything; false at the end.
bool next_line(TextFile& file, std::string_view& line) {
  while (file.next(line)) {
    if (!trimmed(line).empty()) return true;
  }
  return false;
}

void check_name(const TextFile& file, std::string_view what, std::string_view name,
                const std::vector<std::string>& earlier) {
  if (name.empty()) throw file.bad_line(fmt::format("a {} without a name", what));
  if (std::ranges::find(earlier, name) != earlier.end()) {
    throw file.bad_line(fmt::format("{} '{}' is there twice", what, name));
  }
}

void read_header(const TextFile& file, std::string_view line, ScoreTable& table) {
  const std::vector<std::string_view> cells = cells_of(line);
  if (cells.size() < 2) {
    throw file.bad_line(fmt::format(
        "found {} column, expected a header of at least two, parted by tabs: \"system TAB MAP "
        "TAB PRES\"",
        cells.size()));
  }
  const bool are_numbers = std::ranges::all_of(
      cells.begin() + 1, cells.end(), [](auto cell) { return finite_number(cell).has_value(); });
  if (are_numbers) {
    throw file.bad_line("found numbers, expected a header: \"system TAB MAP TAB PRES\"");
  }
  for (std::size_t i = 1; i < cells.size(); ++i) {
    check_name(file, "measure", cells[i], table.measures);
    table.measures.emplace_back(cells[i]);
  }
  table.scores.resize(table.measures.size());
}

void read_system(const TextFile& file, std::string_view line, ScoreTable& table) {
  const std::vector<std::string_view> cells = cells_of(line);
  if (cells.size() != table.measures.size() + 1) {
    throw file.bad_line(fmt::format("found {} columns, expected {} as in the header", cells.size(),
                                    table.measures.size() + 1));
  }
  check_name(file, "system", cells.front(), table.systems);
  table.systems.emplace_back(cells.front());
  for (std::size_t i = 1; i < cells.size(); ++i) {
    const std::optional<double> value = finite_number(cells[i]);
    if (!value) {
      throw file.bad_line(fmt::format("{} '{}' of system '{}' is not a number",
                                      table.measures[i - 1], cells[i], cells.front()));
    }
    table.scores[i - 1].push_back(*value);
  }
}

}  // namespace

ScoreTable load_score_table(const std::filesystem::path& path) {
  TextFile file(path);
  std::string_view line;
  ScoreTable table;
  if (!next_line(file, line)) {
    throw Error(
        ErrorCode::kBadInput,
        fmt::format("{}: is empty; expected a header and a line for each system", path.string()));
  }
  read_header(file, line, table);
  while (next_line(file, line)) read_system(file, line, table);
  if (table.systems.size() < 2) {
    throw Error(ErrorCode::kBadInput, fmt::format("{}: found {} systems, expected at least two",
                                                  path.string(), table.systems.size()));
  }
  return table;
}

ScoreTable with_measures(const ScoreTable& table, const std::vector<std::string>& names) {
  ScoreTable chosen{.systems = table.systems, .measures = names, .scores = {}};
  const std::vector<std::string_view> valid(table.measures.begin(), table.measures.end());
  for (const std::string& name : names) {
    const auto at = std::ranges::find(table.measures, name);
    if (at == table.measures.end()) {
      throw Error(ErrorCode::kUsage, unknown_name_message("measure of the table", name, valid));
    }
    chosen.scores.push_back(table.scores[static_cast<std::size_t>(at - table.measures.begin())]);
  }
  return chosen;
}

}  // namespace prescope
