#include "studies/correlation_study.h"

#include <numeric>
#include <utility>

#include "base/errors.h"
#include "base/text_file.h"

namespace prescope {

namespace {

/// Scores of the systems in the order of their names, for each measure.
std::vector<std::vector<double>> by_name(const ScoreTable& table) {
  std::vector<std::size_t> order(table.systems.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, {},
                    [&](std::size_t i) -> const std::string& { return table.systems[i]; });
  std::vector<std::vector<double>> sorted;
  for (const std::vector<double>& scores : table.scores) {
    sorted.emplace_back();
    for (const std::size_t i : order) sorted.back().push_back(scores[i]);
  }
  return sorted;
}

MeasureCorrelation correlate(const std::vector<std::vector<double>>& scores, std::size_t measure_x,
                             std::size_t measure_y, double persistence) {
  const std::vector<double>&x = scores[measure_x], &y = scores[measure_y];
  MeasureCorrelation result{.x = measure_x, .y = measure_y, .pairs = count_pairs(x, y)};
  result.tau_b = kendall_tau_b(result.pairs);
  result.tau_a = kendall_tau_a(result.pairs);
  result.gamma = goodman_kruskal_gamma(result.pairs);
  result.spearman = spearman_rho(x, y);
  result.tau_ap_of_x = tau_ap(x, y);
  result.tau_ap_of_y = tau_ap(y, x);
  result.overlap = rank_biased_overlap(descending_order(x), descending_order(y), persistence);
  return result;
}

std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> cells = split(line, '\t');
  for (std::string& cell : cells) cell = std::string(trimmed(cell));
  return cells;
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
  const std::vector<std::string> cells = cells_of(line);
  if (cells.size() < 2) {
    throw file.bad_line(fmt::format(
        "found {} column, expected a header of at least two, parted by tabs: \"system TAB MAP "
        "TAB PRES\"",
        cells.size()));
  }
  const bool are_numbers =
      std::ranges::all_of(cells.begin() + 1, cells.end(),
                          [](const auto& cell) { return finite_number(cell).has_value(); });
  if (are_numbers) {
    throw file.bad_line("found numbers, expected a header: \"system TAB MAP TAB PRES\"");
  }
  for (std::size_t i = 1; i < cells.size(); ++i) {
    check_name(file, "measure", cells[i], table.measures);
    table.measures.push_back(cells[i]);
  }
  table.scores.resize(table.measures.size());
}

void read_system(const TextFile& file, std::string_view line, ScoreTable& table) {
  const std::vector<std::string> cells = cells_of(line);
  if (cells.size() != table.measures.size() + 1) {
    throw file.bad_line(fmt::format("found {} columns, expected {} as in the header", cells.size(),
                                    table.measures.size() + 1));
  }
  check_name(file, "system", cells.front(), table.systems);
  table.systems.push_back(cells.front());
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

CorrelationStudy study_correlation(ScoreTable table, double persistence) {
  CorrelationStudy study{.table = std::move(table), .persistence = persistence};
  const std::vector<std::vector<double>> scores = by_name(study.table);
  for (std::size_t x = 0; x < scores.size(); ++x) {
    for (std::size_t y = x + 1; y < scores.size(); ++y) {
      study.correlations.push_back(correlate(scores, x, y, persistence));
    }
  }
  for (const auto& of_measure : study.table.scores) study.places.push_back(mid_ranks(of_measure));
  return study;
}

ScoreTable load_score_table(const std::filesystem::path& path) {
  TextFile file(path);
  std::string_view line;
  ScoreTable table;
  if (!next_line(file, line)) {
    throw bad_input_error("{}: is empty; expected a header and a line for each system",
                          path.string());
  }
  read_header(file, line, table);
  while (next_line(file, line)) read_system(file, line, table);
  if (table.systems.size() < 2) {
    throw bad_input_error("{}: found {} systems, expected at least two", path.string(),
                          table.systems.size());
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
