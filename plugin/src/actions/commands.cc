#include "actions/commands.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/errors.h"
#include "report/text/tables.h"

namespace prescope {

namespace {

/// The arguments are the event's folder, the time limit in seconds and the command. The shell that
/// is started ends at once, so that this process has no child to wait for. `mkdir` decides which of
/// several shells runs the command, and what it made is on the disk before the command begins.
constexpr const char* kRunner = R"(
run() {
  mkdir "$1/command.begun" || return
  sync "$1/command.begun" "$1" || sync
  {
    timeout -k 5 "$2" /bin/sh -c "$3" <"$1/event.json"
    echo "$?" >"$1/command.code"
  } 2>&1 | {
    head -c 4096 >"$1/command.output"
    cat >/dev/null
  }
  mv "$1/command.code" "$1/command.ended"
}
run "$@" 2>/dev/null &
)";

/// What the runner needs to know of an event.
struct RecordedEvent {
  std::string kind, experiment, arm;
};

RecordedEvent read_event(const std::filesystem::path& folder) {
  std::ifstream in(folder / "event.json");
  const nlohmann::json event = nlohmann::json::parse(in, nullptr, false);
  RecordedEvent read;
  const auto take = [&](const char* key, std::string& to) {
    if (event.is_object() && event.contains(key) && event[key].is_string()) to = event[key];
  };
  take("kind", read.kind);
  take("experiment", read.experiment);
  take("arm", read.arm);
  return read;
}

/// The attributes of a new process that has nothing of this one: its session, signals and files.
class FreshProcess {
 public:
  FreshProcess() {
    posix_spawnattr_init(&attributes_);
    posix_spawn_file_actions_init(&files_);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    posix_spawnattr_setflags(&attributes_,
                             POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawn_file_actions_addopen(&files_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    for (const int out : {STDOUT_FILENO, STDERR_FILENO}) {
      posix_spawn_file_actions_addopen(&files_, out, "/dev/null", O_WRONLY, 0);
    }
    // A socket that it kept open would keep the host from starting again.
    posix_spawn_file_actions_addclosefrom_np(&files_, STDERR_FILENO + 1);
  }
  ~FreshProcess() {
    posix_spawn_file_actions_destroy(&files_);
    posix_spawnattr_destroy(&attributes_);
  }
  FreshProcess(const FreshProcess&) = delete;
  FreshProcess& operator=(const FreshProcess&) = delete;

  /// Starts a shell and waits for its end. Returns 0, or why it cannot be started. This process is
  /// not copied, whatever its size, and only the calling thread waits.
  [[nodiscard]] int run_shell(std::vector<std::string> arguments,
                              std::vector<std::string> environment) const {
    const auto pointers = [](std::vector<std::string>& texts) {
      std::vector<char*> all;
      for (std::string& text : texts) all.push_back(text.data());
      all.push_back(nullptr);
      return all;
    };
    pid_t child = -1;
    const int failed = ::posix_spawn(&child, "/bin/sh", &files_, &attributes_,
                                     pointers(arguments).data(), pointers(environment).data());
    if (failed != 0) return failed;
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return 0;
  }

 private:
  posix_spawnattr_t attributes_{};
  posix_spawn_file_actions_t files_{};
};

/// Returns this process's environment with the variables of an event.
std::vector<std::string> environment_with(const RecordedEvent& event, const std::string& id) {
  std::vector<std::string> all = {"PRESCOPE_EVENT=" + event.kind, "PRESCOPE_EVENT_ID=" + id,
                                  "PRESCOPE_EXPERIMENT=" + event.experiment,
                                  "PRESCOPE_ARM=" + event.arm};
  const auto is_ours = [&](std::string_view variable) {
    const std::string_view name = variable.substr(0, variable.find('=') + 1);
    return std::ranges::any_of(std::span(all).first(4),
                               [&](const std::string& own) { return own.starts_with(name); });
  };
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    if (!is_ours(*variable)) all.emplace_back(*variable);
  }
  return all;
}

/// Returns the first line that a command printed; empty if it printed none.
std::string printed_line(const std::filesystem::path& folder) {
  constexpr std::size_t kLongest = 300;
  std::ifstream in(folder / "command.output");
  std::string line;
  while (line.empty() && std::getline(in, line)) {
  }
  line.resize(std::min(line.size(), kLongest));
  return line;
}

constexpr std::string_view kUnknownEnd = "unknown";

}  // namespace

void Commands::look() {
  const std::vector<std::string> open = journal_.open(Journal::Work::kCommand);
  for (auto it = starts_.begin(); it != starts_.end();) {
    const auto result = journal_.ended(it->first, Journal::Work::kCommand);
    if (result && *result != "0") tell_failure(it->first, *result);
    it = result ? starts_.erase(it) : std::next(it);
  }
  for (const std::string& event : open) {
    constexpr std::chrono::seconds kGrace{30};
    const auto begun = journal_.begun(event);
    starts_.try_emplace(event);
    if (!begun) {
      start(event);
    } else if (*begun > journal_.limit(event, Journal::Work::kCommand) + kGrace) {
      journal_.end(event, Journal::Work::kCommand, kUnknownEnd);
    }
  }
}

void Commands::start(const std::string& event) {
  Retry& retry = starts_[event];
  if (!retry.is_time()) return;
  constexpr std::uint64_t kTold = 4;  // a shell may take some seconds to begin
  if (retry.tries() == kTold) {
    warn_(fmt::format(
        "action {}: its command was started {} times, and did not begin; {} must allow writing, "
        "and mkdir, timeout and sync must be there",
        event, kTold, journal_.place(event).string()));
  }
  retry.again_later();
  const std::filesystem::path folder = journal_.place(event);
  const auto limit = journal_.limit(event, Journal::Work::kCommand);
  const int failed =
      FreshProcess().run_shell({"sh", "-c", kRunner, "prescope-action", folder.string(),
                                fmt::format("{}", limit.count()), command_},
                               environment_with(read_event(folder), event));
  if (failed != 0 && retry.tries() == 1) {
    warn_(fmt::format("action {}: /bin/sh cannot be started: {}; it is tried again", event,
                      std::strerror(failed)));
  }
}

void Commands::tell_failure(const std::string& event, const std::string& result) const {
  const auto limit = journal_.limit(event, Journal::Work::kCommand);
  std::string what = fmt::format("its command ended with exit code {}", result);
  if (result == kUnknownEnd) {
    what = "its command began, and how it ended is not known; it is not run again";
  } else if (result == "124" || result == "137") {
    what = fmt::format("its command was ended after {} s", limit.count());
  }
  const std::string line = printed_line(journal_.place(event));
  warn_(fmt::format("action {}: {}{}{}", event, what, line.empty() ? "" : ": ", line));
}

}  // namespace prescope
