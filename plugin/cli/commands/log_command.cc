#include <fmt/ranges.h>
#include <iterator>
#include <map>
#include <thread>

#include "base/file_identity.h"
#include "base/toml_file.h"
#include "cli/commands/commands.h"
#include "cli/options/evaluation_flags.h"
#include "cli/options/session_source.h"
#include "cli/options/terminal.h"
#include "fleet/clickhouse.h"
#include "nightly/record/evaluation_record.h"
#include "report/text/json.h"
#include "report/text/tables.h"
#include "report/text/visible_text.h"
#include "store/sessions/observation_line.h"
#include "store/sessions/observation_reader.h"

namespace prescope::cli {

namespace {

std::string_view topic_of(const StoredObservation& one) {
  return one.topic != nullptr ? std::string_view(one.topic->id().text()) : "";
}

std::span<const std::optional<double>> values_of(const ObservationScores* scores) {
  return scores != nullptr ? scores->values() : std::span<const std::optional<double>>();
}

/// Cells of a line of CSV.
class Cells {
 public:
  explicit Cells(std::string& out) : out_(&out) {}

  template <class Value>
  void operator()(std::string_view /*column*/, const Value& value) const {
    if constexpr (std::is_convertible_v<Value, std::string_view>) {
      *out_ += csv_cell(value);
    } else if constexpr (requires { value.has_value(); }) {
      if (value) *out_ += fmt::format("{}", *value);
    } else if constexpr (requires { value.begin(); }) {
      *out_ += csv_cell(fmt::format("{}", fmt::join(value, " ")));
    } else if constexpr (!std::is_same_v<Value, NoValue>) {
      *out_ += fmt::format("{}", value);
    }
    *out_ += ',';
  }

 private:
  std::string* out_;
};

void end_csv_line(std::string& out) { out.back() = '\n'; }

std::string csv_head(const std::vector<Measure>& measures) {
  std::string names;
  for_each_log_column({}, nullptr, measures, [&](std::string_view column, const auto& /*value*/) {
    names += fmt::format("{},", column);
  });
  end_csv_line(names);
  return names;
}

void append_csv_line(std::string& out, const StoredObservation& stored,
                     const ObservationScores* scores, const std::vector<Measure>& measures) {
  for_each_log_column(stored, scores, measures, Cells(out));
  end_csv_line(out);
}

void append_json(std::string& out, const StoredObservation& stored, const ObservationScores* scores,
                 const std::vector<Measure>& /*measures*/) {
  append_json_line(out, stored, scores);
}

/// Columns have fixed widths, so that lines can follow for ever.
std::size_t column_width(const std::string& measure) {
  constexpr std::size_t kScore = 6;  // 0.1234
  return std::max(kScore, measure.size());
}

std::string table_head(const std::vector<Measure>& measures) {
  std::string titles = fmt::format("{:<24}  {:<12}  {:<20}", "time", "arm", "topic");
  for (const Measure& measure : measures) {
    const std::string name = measure.name();
    fmt::format_to(std::back_inserter(titles), "  {:>{}}", name, column_width(name));
  }
  titles += "  num_ret        ms  flags";
  const TextLook look = stdout_look();
  const std::size_t rule = std::min(titles.size(), look.columns.value_or(titles.size()));
  return fitted(titles, look, {}, 4) + std::string(rule, '-') + '\n';
}

void append_table_line(std::string& out, const StoredObservation& stored,
                       const ObservationScores* scores, const std::vector<Measure>& /*measures*/) {
  std::string row = fmt::format("{:<24}  {:<12}  {:<20}", utc_text(stored.observation.time),
                                one_line(stored.arm), one_line(topic_of(stored)));
  for (std::size_t m = 0; m < values_of(scores).size(); ++m) {
    fmt::format_to(std::back_inserter(row), "  {:>{}}", score_text(scores->values()[m]),
                   column_width(scores->measures()[m].name()));
  }
  fmt::format_to(std::back_inserter(row), "  {:>7}  {:>8}  {}", stored.observation.num_ret,
                 milliseconds_text(latency_ms(stored.observation)),
                 fmt::join(flag_names(stored.observation.flags), " "));
  row.erase(row.find_last_not_of(' ') + 1);
  out += fitted(row, stdout_look(), {}, 4);
}

/// How `prescope log` prints observations.
struct LogFormat {
  std::string (*head)(const std::vector<Measure>& measures);  ///< null: none
  void (*append)(std::string& out, const StoredObservation& stored, const ObservationScores* scores,
                 const std::vector<Measure>& measures);
};
constexpr LogFormat kJsonLines{nullptr, append_json}, kCsv{csv_head, append_csv_line},
    kTable{table_head, append_table_line};

struct LogRequest {
  std::string store;
  ObservationFilter filter;
  std::vector<std::string> measures;
  std::optional<LogFormat> format;  ///< nothing: as stdout is a terminal or not
  bool follow = false, unjudged = false, summary = false;
};

/// Turns rows of the store into lines.
class LogLines {
 public:
  LogLines(const LogRequest& request, LogFormat format, ObservationReader& reader)
      : format_(format) {
    if (!request.measures.empty()) measures_ = cli::measures_of(request.measures);
    if (format.head == nullptr) return;
    const auto newest = reader.newest_session(request.filter.experiment);
    if (measures_.empty() && newest) measures_ = reader.measures_of(*newest);
    out_ = format.head(measures_);
  }

  void add(const StoredObservation& one) {
    ObservationScores* scores = nullptr;
    if (one.topic != nullptr) {
      scores = &scores_of(one);
      scores->of(one.observation, *one.topic, one.scored_flags);
    }
    format_.append(out_, one, scores, measures_);
    constexpr std::size_t kEnough = std::size_t{1} << 16U;
    if (out_.size() > kEnough) print();
  }

  void print() {
    if (!out_.empty()) print_result(out_);
    out_.clear();
  }

  /// Prepares for another store, whose sessions have the same numbers.
  void forget_sessions() { scores_.clear(); }

 private:
  /// Scores of the measures asked for, or else of the experiment's measures.
  ObservationScores& scores_of(const StoredObservation& one) {
    auto& scores = scores_[measures_.empty() ? one.session : 0];
    if (!scores) {
      scores.emplace(measures_.empty()
                         ? std::vector<Measure>(one.measures.begin(), one.measures.end())
                         : measures_);
    }
    return *scores;
  }

  LogFormat format_;
  std::vector<Measure> measures_;
  std::map<std::int64_t, std::optional<ObservationScores>>
      scores_;  // by session; 0 if all have the same
  std::string out_;
};

/// Returns the identity of the store at the path; std::nullopt if there is none, or none yet.
std::optional<FileIdentity> identity_of(const std::filesystem::path& store) {
  std::error_code missing;
  const auto size = std::filesystem::file_size(store, missing);
  return missing || size == 0 ? std::nullopt : FileIdentity::of(store);
}

void print_observations(const LogRequest& request) {
  ObservationFilter filter = request.filter;
  if (request.unjudged) filter.unjudged = ObservationFilter::Unjudged::kRead;
  const LogFormat format = request.format.value_or(is_terminal(stdout) ? kTable : kJsonLines);
  std::optional<FileIdentity> identity = identity_of(request.store);
  std::optional<ObservationReader> reader(request.store);
  reader->require_known(filter);
  LogLines lines(request, format, *reader);
  const auto add = [&](const StoredObservation& one) { lines.add(one); };
  std::int64_t after = reader->read(filter, 0, add);
  lines.print();
  filter.last.reset();
  while (request.follow) {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    const std::optional<FileIdentity> now = identity_of(request.store);
    const bool is_replaced = now && now != identity;
    if (now && !is_replaced && reader->database().is_outdated()) reader.emplace(request.store);
    after = reader->read(filter, after, add);
    if (is_replaced) {
      identity = now;
      reader.emplace(request.store);
      lines.forget_sessions();
      after = reader->read(filter, 0, add);
    }
    lines.print();
    // A log writes an observation within a moment, so that no other will come before `until`.
    if (filter.until &&
        std::chrono::system_clock::now() > *filter.until + std::chrono::seconds(1)) {
      break;
    }
  }
}

void print_table(const Summary& summary) {
  const TextLook look = stdout_look();
  print_result(to_table(summary, {.color = look.color, .columns = look.columns}));
}

/// Throws Error(kUsage) for flags that choose or format observations.
void check_summary_request(const LogRequest& request) {
  const ObservationFilter& filter = request.filter;
  OptionProblems problems;
  const auto refuse = [&](std::string_view flag, bool is_given) {
    if (is_given) problems.add(flag, "has no meaning with --summary");
  };
  refuse("--arm", filter.arm.has_value());
  refuse("--topic", filter.topic.has_value());
  refuse("--since", filter.since.has_value());
  refuse("--until", filter.until.has_value());
  refuse("--last", filter.last.has_value());
  refuse("--follow", request.follow);
  refuse("--unjudged", request.unjudged);
  refuse("--measures", !request.measures.empty());
  refuse("--format", request.format.has_value());
  problems.throw_if_any();
}

void print_summary(const LogRequest& request) {
  print_table(session_summary({.store = request.store,
                               .experiment = request.filter.experiment,
                               .session = request.filter.session}));
}

void run_log(const LogRequest& request) {
  if (request.summary) {
    check_summary_request(request);
    return print_summary(request);
  }
  if (is_fleet_url(request.store)) {
    throw usage_error(
        "of a fleet only the --summary is printed; docs/fleet.md has the queries for its "
        "observations");
  }
  print_observations(request);
}

}  // namespace

void add_log_command(Command& program) {
  const auto [command, request] = program.add_command(
      "log", "Print the observations of experiments in a store, also while they run.", run_log);
  command
      .add("STORE", request.store, "FILE",
           "Store that observations are written to; with --summary also a fleet: clickhouse://...")
      ->required();
  command.add("--experiment", request.filter.experiment, "NAME", "Print only this experiment");
  command.add("--arm", request.filter.arm, "NAME", "Print only this arm");
  command.add("--topic", request.filter.topic, "ID", "Print only this topic");
  command.add("--session", request.filter.session, "N", "Print only one session of an experiment",
              Limits{});
  command.add("--since", request.filter.since, "TIME",
              "Print from this time on, UTC: 2026-11-22 or 2026-11-22T08:30");
  command.add("--until", request.filter.until, "TIME", "Print before this time, UTC");
  command.add("--last", request.filter.last, "N", "Print only the newest N");
  command.add_flag("--follow", request.follow, "Go on with observations written from now on");
  command.add_flag("--unjudged", request.unjudged,
                   "Print unjudged queries too, if each was stored");
  command.add("-m,--measures", request.measures, "LIST",
              "Scores to print, of any measure; may be repeated (those of the experiment)");
  command.add_choice(
      "--format", request.format,
      {{"jsonl", kJsonLines}, {"csv", kCsv}, {"table", kTable}, {"auto", std::nullopt}}, "FORMAT",
      "jsonl, csv, table, or auto: a table on a terminal, else JSON lines (auto)");
  command.add_flag("--summary", request.summary,
                   "Print the experiment's summary instead, made anew from the observations");
  command.footer(
      "Examples:\n"
      "  prescope log night.db --last 20 --arm bm25\n"
      "  prescope log night.db --follow --format jsonl | jq -r 'select(.\"PRES@100\" < 0.1)'\n"
      "  prescope log night.db --since 2026-11-22 -m PRES@50,nDCG@10 --format csv");
}

}  // namespace prescope::cli
