#include "cli/log_format.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/utc_time.h"
#include "report/clean_text.h"
#include "report/delimited.h"
#include "report/number_text.h"

namespace prescope::cli {
namespace {

std::string_view topic_of(const ObservationLine& line) {
  return line.topic != nullptr ? std::string_view(line.topic->id().text()) : "";
}

template <class Number>
std::string text_or_empty(const std::optional<Number>& number) {
  return number ? fmt::format("{}", *number) : "";
}

class JsonLines : public LogPrinter {
 public:
  [[nodiscard]] std::string head() const override { return ""; }
  void append(std::string& out, const ObservationLine& line) const override {
    append_json_line(out, line);
  }
};

class Csv : public LogPrinter {
 public:
  explicit Csv(std::vector<Measure> measures) : measures_(std::move(measures)) {}

  [[nodiscard]] std::string head() const override {
    std::string names =
        "time,experiment,arm,topic,generation,documents,first_rank,depth,num_ret,total_hits,"
        "duplicates,num_rel,ranks,latency_ms,self_us,flags";
    for (const Measure& measure : measures_) names += ',' + measure.name();
    return names + '\n';
  }

  void append(std::string& out, const ObservationLine& line) const override {
    const Observation& one = *line.observation;
    const std::chrono::duration<double, std::micro> self = one.self_time;
    fmt::format_to(std::back_inserter(out), "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}",
                   utc_text(line.time), csv_cell(line.experiment), csv_cell(line.arm),
                   csv_cell(topic_of(line)), one.generation, one.collection_size, one.first_rank,
                   one.requested_depth, one.num_ret, one.total_hits, one.duplicates,
                   line.topic != nullptr ? fmt::to_string(line.topic->num_rel()) : "",
                   fmt::join(line.relevant, " "), text_or_empty(latency_ms(one)), self.count(),
                   fmt::join(flag_names(one.flags), " "));
    for (const std::optional<double>& score : line.scores) out += ',' + text_or_empty(score);
    out += '\n';
  }

 private:
  std::vector<Measure> measures_;
};

/// Columns of fixed widths, so that lines can follow for ever.
class Table : public LogPrinter {
 public:
  explicit Table(std::vector<Measure> measures) : measures_(std::move(measures)) {}

  [[nodiscard]] std::string head() const override {
    std::string titles = fmt::format("{:<24}  {:<12}  {:<20}", "time", "arm", "topic");
    for (const Measure& measure : measures_) {
      const std::string name = measure.name();
      fmt::format_to(std::back_inserter(titles), "  {:>{}}", name, width_of(name));
    }
    titles += "  num_ret        ms  flags";
    return titles + '\n' + std::string(titles.size(), '-') + '\n';
  }

  void append(std::string& out, const ObservationLine& line) const override {
    std::string row = fmt::format("{:<24}  {:<12}  {:<20}", utc_text(line.time), one_line(line.arm),
                                  one_line(topic_of(line)));
    for (std::size_t m = 0; m < line.scores.size(); ++m) {
      fmt::format_to(std::back_inserter(row), "  {:>{}}", score_text(line.scores[m]),
                     width_of(line.measures[m].name()));
    }
    fmt::format_to(std::back_inserter(row), "  {:>7}  {:>8}  {}", line.observation->num_ret,
                   milliseconds_text(latency_ms(*line.observation)),
                   fmt::join(flag_names(line.observation->flags), " "));
    row.erase(row.find_last_not_of(' ') + 1);
    out += row + '\n';
  }

 private:
  static std::size_t width_of(const std::string& name) {
    constexpr std::size_t kScore = 6;  // 0.1234
    return std::max(kScore, name.size());
  }

  std::vector<Measure> measures_;
};

}  // namespace

std::unique_ptr<LogPrinter> log_printer(LogFormat format, std::vector<Measure> measures) {
  switch (format) {
    case LogFormat::kCsv:
      return std::make_unique<Csv>(std::move(measures));
    case LogFormat::kTable:
      return std::make_unique<Table>(std::move(measures));
    case LogFormat::kJsonLines:
      break;
  }
  return std::make_unique<JsonLines>();
}

}  // namespace prescope::cli
