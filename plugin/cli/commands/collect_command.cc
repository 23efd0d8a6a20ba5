#include <fcntl.h>
#include <poll.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>
#include <future>

#include "cli/commands/commands.h"
#include "cli/options/evaluation_flags.h"
#include "cli/options/interrupt.h"
#include "cli/options/output_file.h"
#include "cli/options/terminal.h"
#include "collect/line_buffer.h"
#include "collect/log_tail.h"
#include "prescope/report.h"
#include "report/document/document.h"
#include "serve/http/http_server.h"
#include "serve/site/collect_site.h"
#include "statistics/group_sequential.h"

namespace prescope::cli {

namespace {

struct CollectRequest {
  std::string experiment, input, tail, store;
  ReplayFlags flags;
  ResultFiles files;
  std::optional<std::uint16_t> port;
  DashboardOptions options;
  std::string token_file;
};

/// A file or standard input, read as it comes: as many complete lines as there are.
class LineInput {
 public:
  explicit LineInput(const std::string& path)
      : path_(path == "-" ? "standard input" : path),
        descriptor_(path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (descriptor_ < 0) throw cannot_read();
  }
  ~LineInput() {
    if (descriptor_ != STDIN_FILENO) ::close(descriptor_);
  }
  LineInput(const LineInput&) = delete;
  LineInput& operator=(const LineInput&) = delete;

  /// Waits for input, or for the interrupt. Returns complete lines, or the rest at the end; then,
  /// and after the interrupt, nothing.
  std::string read(Interrupt& interrupt) {
    constexpr int kLookMs = 200;
    while (!interrupt.wait_for(std::chrono::milliseconds(0))) {
      pollfd input{.fd = descriptor_, .events = POLLIN, .revents = 0};
      if (::poll(&input, 1, kLookMs) <= 0) continue;
      const std::string piece = read_piece();
      if (piece.empty()) return lines_.rest();
      std::string lines = lines_.add(piece);
      if (!lines.empty()) return lines;
    }
    return {};
  }

 private:
  [[nodiscard]] Error cannot_read() const {
    return io_error("{}: cannot be read: {}", path_, std::strerror(errno));
  }
  /// Returns nothing at the end.
  std::string read_piece() {
    constexpr std::size_t kPiece = std::size_t{1} << 20U;
    std::string piece(kPiece, '\0');
    ssize_t bytes = -1;
    do {
      bytes = ::read(descriptor_, piece.data(), kPiece);
    } while (bytes < 0 && errno == EINTR);
    if (bytes < 0) throw cannot_read();
    piece.resize(static_cast<std::size_t>(bytes));
    return piece;
  }

  std::string path_;
  int descriptor_;
  LineBuffer lines_;
};

/// Prints which lines were refused, and why, up to a number of them.
class Refusals {
 public:
  /// `first_line` is the number of the line before the answered ones.
  void print(const CollectAnswer& answer, std::uint64_t first_line) {
    constexpr std::uint64_t kPrinted = 20;
    for (const auto& [line, why] : answer.refused) {
      if (++refused_ <= kPrinted) print_error(fmt::format("line {}: {}", first_line + line, why));
      if (refused_ == kPrinted + 1) print_error("further lines are refused, and only counted");
    }
  }

 private:
  std::uint64_t refused_ = 0;
};

/// Posts lines until each one is answered, those that could not be stored again and again: their
/// ids count once. `first_line` is the number before theirs. Returns false if it was interrupted.
bool post(Collector& collector, Interrupt& interrupt, Refusals& refusals, const std::string& lines,
          std::uint64_t first_line) {
  constexpr std::chrono::milliseconds kPause{200};
  while (true) {
    const auto answered = std::make_shared<std::promise<CollectAnswer>>();
    std::future<CollectAnswer> coming = answered->get_future();
    const bool is_taken = collector.post(
        lines, [answered](const CollectAnswer& answer) { answered->set_value(answer); });
    while (is_taken && coming.wait_for(kPause) != std::future_status::ready) {
      if (interrupt.wait_for(std::chrono::milliseconds(0))) return false;
    }
    if (is_taken) {
      const CollectAnswer answer = coming.get();
      if (answer.not_stored.empty()) {
        refusals.print(answer, first_line);
        return true;
      }
    }
    if (interrupt.wait_for(kPause)) return false;
  }
}

/// Returns false if it was interrupted.
bool read_all(Collector& collector, Interrupt& interrupt, const std::string& path) {
  LineInput input(path);
  Refusals refusals;
  std::uint64_t first_line = 0;
  for (std::string lines = input.read(interrupt); !lines.empty(); lines = input.read(interrupt)) {
    if (!post(collector, interrupt, refusals, lines, first_line)) return false;
    first_line += static_cast<std::uint64_t>(std::ranges::count(lines, '\n'));
  }
  return !interrupt.wait_for(std::chrono::milliseconds(0));
}

/// Reads a log until the program is interrupted. The position is stored behind lines that are
/// stored; lines that are read again after a kill are known by their ids.
void follow(Collector& collector, Interrupt& interrupt, const std::string& path) {
  constexpr std::chrono::milliseconds kLook{200};
  constexpr std::chrono::seconds kKeep{1};
  const std::filesystem::path& store = collector.options().store;
  const std::string name = std::filesystem::absolute(path).string();
  LogTail tail(path, stored_position(store, name), {.warn = print_note});
  Refusals refusals;
  LogPosition kept = tail.position(), stored = kept;
  const auto keep = [&] {
    if (stored != kept) store_position(store, name, stored);
    kept = stored;
  };
  auto next = std::chrono::steady_clock::now() + kKeep;
  for (bool ends = false; !ends;) {
    const std::string lines = tail.read();
    const auto count = static_cast<std::uint64_t>(std::ranges::count(lines, '\n'));
    const std::uint64_t first_line = tail.position().line - count;
    ends = !lines.empty() && !post(collector, interrupt, refusals, lines, first_line);
    if (!ends) stored = tail.position();
    if (lines.empty() || std::chrono::steady_clock::now() >= next) {
      keep();
      next = std::chrono::steady_clock::now() + kKeep;
    }
    ends = ends || interrupt.wait_for(lines.empty() ? kLook : std::chrono::milliseconds(0));
  }
  keep();
}

std::string collected_text(Collector& collector) {
  const TextLook look = stdout_look();
  const auto summary = collector.experiment().summary();
  const ReportDocument lines{.sections = {{.heading = "What the lines said",
                                           .about = collect_sentences(collector.counts()),
                                           .layout = ReportSection::Layout::kList}}};
  return to_table(*summary, {.color = look.color, .columns = look.columns}) + '\n' +
         document_as_text(lines, look);
}

std::filesystem::path store_of(const CollectRequest& request) {
  if (!request.store.empty()) return request.store;
  return std::filesystem::path(request.experiment).replace_extension(".store");
}

int run_collect(CollectRequest& request) {
  if (request.experiment.empty()) {
    throw usage_error("no experiment file; see 'prescope collect --help'");
  }
  if (request.input.empty() && request.tail.empty() && !request.port) {
    throw usage_error(
        "nothing to collect; add --port N to take rankings over HTTP, a file of lines, - or "
        "--tail FILE");
  }
  if (!request.input.empty() && !request.tail.empty()) {
    throw usage_error(
        "--tail and a file that is read to its end exclude each other; leave one out");
  }
  const LiveOptions live = read_live_options(request.experiment, request.flags);
  std::vector<std::string> inputs = {request.experiment, live.experiment.qrels.string(),
                                     live.experiment.topics.string(),
                                     live.experiment.slices.file.string()};
  if (request.input != "-") inputs.push_back(request.input);
  inputs.push_back(request.tail);
  const std::filesystem::path store = store_of(request);
  refuse_overwriting(store, inputs);
  inputs.push_back(store.string());
  request.files.open(inputs);

  request.options.token = dashboard_token(request.token_file);
  request.options.on_warning = print_note;
  request.options.port = request.port.value_or(0);
  serve::check(request.options);
  Interrupt interrupt;
  Collector collector({.live = live, .store = store, .on_warning = print_note});
  std::optional<serve::HttpServer> server;
  if (request.port) {
    server.emplace(serve::collect_site(collector), request.options);
    print_note("collecting at " + server->url() + "v1/rankings, shown at " + server->url());
  }
  bool is_complete = true;
  if (!request.input.empty()) is_complete = read_all(collector, interrupt, request.input);
  if (!request.tail.empty()) follow(collector, interrupt, request.tail);
  if (request.port && request.tail.empty()) interrupt.wait();
  server.reset();
  collector.end();
  const auto text =
      request.files.write({{"--json", [&] { return to_json(*collector.experiment().summary()); }}});
  print_result(text ? *text : collected_text(collector));
  const CollectCounts counts = collector.counts();
  if (!is_complete) print_note("interrupted: the rest of the input was not read");
  const bool is_clean = counts.refused == 0 && is_complete;
  return is_clean || request.input.empty() ? 0 : 2;
}

/// Adds the options of an experiment file that do not concern engines and replays.
void add_live_flags(Command& command, ReplayFlags& flags) {
  constexpr std::array<std::string_view, 8> kOfReplays = {
      "engine", "index",         "depth",          "threads",
      "seed",   "topics.source", "topics.exclude", "topics.exclude_pairs"};
  const auto add = [&](const OptionKey& key) { add_flag(command, key, flags); };
  for (const OptionKey& key : kOptionKeys) {
    if (std::ranges::count(kOfReplays, key.key) == 0) add(key);
  }
  for (const OptionKey& key : kLiveKeys) add(key);
  for (const OptionKey& key : kTestKeys) add(key);
  add_action_flags(command, flags);
  offer_docno_policies(command);
  command.offer("--mode", {"observe", "paired", "split"});
  command.offer("--spending", {kSpendingNames.begin(), kSpendingNames.end()});
  add_category_flag(command, flags.categories);
  command.add("--arms", flags.arms, "A,B",
              "Arms to take, in this order; the others are compared with the first");
  command.add("--arm", flags.arm_settings, "NAME", "Adds an arm; may be repeated");
}

}  // namespace

void add_flag(Command& command, const OptionKey& key, ReplayFlags& flags) {
  command.add(std::string(key.flag), flags.values[std::string(key.key)],
              std::string(key.value_name), std::string(key.help));
}

void add_action_flags(Command& command, ReplayFlags& flags) {
  for (const OptionKey& key : kActionKeys) add_flag(command, key, flags);
}

void add_collect_command(Command& program) {
  const auto [command, request] = program.add_command(
      "collect", "Score what any engine has served: rankings over HTTP, or lines of a log.",
      run_collect);
  command.add("EXPERIMENT", request.experiment, "FILE", "Experiment file (TOML)");
  command.add("INPUT", request.input, "FILE",
              "Lines to read to their end; - for standard input, such as a pipe");
  command.add("--tail", request.tail, "FILE",
              "Log to read as it grows, until Ctrl-C, also when it is rotated");
  command.add("--port", request.port, "N", "Take rankings over HTTP at this port (0: any free)");
  command.add("--store", request.store, "FILE",
              "Store of what was taken (the experiment file's name, ending in .store)");
  request.files.add(command, "--json",
                    "Write the results as JSON at the end; - for stdout, no table then");
  add_access_flags(command, request.options, request.token_file);
  add_live_flags(command, request.flags);
  command.footer(
      "Each line is one ranking: {\"id\": \"r1\", \"topic\": \"EP1\", \"arm\": \"bm25\", "
      "\"depth\": 100,\n"
      "\"docnos\": [\"EP2\", \"US3\"]}. With a port, serves the experiment's page there until "
      "Ctrl-C;\n"
      "prints the results at the end. Each id counts once.\n\n"
      "Examples:\n"
      "  prescope collect experiment.toml --port 8080\n"
      "  curl --data-binary @served.jsonl http://127.0.0.1:8080/v1/rankings\n"
      "  prescope collect experiment.toml served.jsonl --json results.json\n"
      "  prescope collect experiment.toml --tail /var/log/search/served.jsonl --port 8080\n"
      "  kcat -C -t rankings -b broker | prescope collect experiment.toml -\n"
      "  prescope collect experiment.toml --mode split --port 8080");
}

}  // namespace prescope::cli
