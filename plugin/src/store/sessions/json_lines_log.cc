// Observations as JSON lines in a file, for log pipelines.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>

#include "base/errors.h"
#include "base/file_identity.h"
#include "facts/stage_names.h"
#include "nightly/record/evaluation_record.h"
#include "prescope/experiment.h"
#include "store/sessions/log_queue.h"
#include "store/sessions/observation_line.h"

namespace prescope {

namespace {

Error cannot_append(const std::filesystem::path& path, int error) {
  return io_error(
      "{}: cannot be appended to: {}; expected a file, or a name in a folder, that may be written",
      path.string(), std::strerror(error));
}

/// Returns whether the file was written to its end.
bool ends_with_line_feed(const std::filesystem::path& path, off_t size) {
  const int reader = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (reader < 0) return true;  // not ours to read: taken to be whole
  char last = '\n';
  const bool was_read = ::pread(reader, &last, 1, size - 1) == 1;
  ::close(reader);
  return !was_read || last == '\n';
}

/// A file that lines are appended to, and that may be moved or removed by others, as log rotation
/// does. Not thread-safe.
class AppendedFile {
 public:
  /// Made if it is missing. Throws Error(kIo).
  explicit AppendedFile(std::filesystem::path path) : path_(std::move(path)) { open(); }
  ~AppendedFile() { close(); }
  AppendedFile(const AppendedFile&) = delete;
  AppendedFile& operator=(const AppendedFile&) = delete;

  /// Makes one system call; returns the number of bytes written, at least one. Throws Error(kIo).
  std::size_t append(std::string_view text) {
    ssize_t written = -1;
    do {
      written = ::write(descriptor_, text.data(), text.size());
    } while (written < 0 && errno == EINTR);
    if (written > 0) return static_cast<std::size_t>(written);
    throw cannot_append(path_, written < 0 ? errno : ENOSPC);
  }

  /// Reopens the path if another file, or none, is there; returns true if it did. Throws Error(kIo)
  /// if it cannot be opened; tried again at the next call.
  bool follow_path() {
    if (FileIdentity::of(path_) == identity_) return false;
    open();
    return true;
  }

 private:
  void open() {
    constexpr mode_t kMode = 0644;
    const int opened = ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, kMode);
    if (opened < 0) throw cannot_append(path_, errno);
    close();
    descriptor_ = opened;
    struct stat status {};
    if (::fstat(descriptor_, &status) != 0) throw cannot_append(path_, errno);
    identity_ = FileIdentity::of(descriptor_);
    const bool may_end_in_the_middle = S_ISREG(status.st_mode) && status.st_size > 0;
    if (may_end_in_the_middle && !ends_with_line_feed(path_, status.st_size)) append("\n");
  }
  void close() noexcept {
    if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
  }

  std::filesystem::path path_;
  int descriptor_ = -1;
  std::optional<FileIdentity> identity_;
};

class JsonLinesSink : public LogSink {
 public:
  JsonLinesSink(const Experiment& experiment, const std::filesystem::path& path)
      : experiment_(experiment),
        scores_({experiment.measures().begin(), experiment.measures().end()}),
        file_(path) {
    const ExperimentOptions& options = experiment.options();
    for (const std::string& arm : options.arms) {
      const auto described = options.descriptions.find(arm);
      configs_.push_back(described != options.descriptions.end() ? described->second.config : "");
    }
  }

  void write(const LogBatch& batch) override {
    if (position_ == text_.size()) {  // else the rest of this batch could not be written before
      text_ = lines_of(batch);
      position_ = 0;
    }
    const std::string_view text = text_;
    while (position_ < text.size()) {
      // The rest of a line is of no use in another file.
      if (file_.follow_path()) position_ = text.substr(0, position_).rfind('\n') + 1;
      position_ += file_.append(text.substr(position_));
    }
  }

  void upkeep() override { file_.follow_path(); }

 private:
  std::string lines_of(const LogBatch& batch) {
    std::string lines;
    const auto add_judged = [&](const LoggedObservation& logged) {
      if (logged.observation.topic != kUnjudgedTopic) add(lines, logged.observation);
    };
    batch.for_each(add_judged, [&](const LogBatch::Change& change) { apply(change); });
    return lines;
  }

  void apply(const LogBatch::Change& noted) {
    if (!noted.description) return;
    const std::size_t arm = noted.change.arm.value();
    if (configs_.size() <= arm) configs_.resize(arm + 1);
    configs_[arm] = noted.description->config;
  }

  const std::string& hash_of(std::uint32_t version) {
    if (versions_.empty()) versions_.push_back(qrels_version(experiment_.qrels(0)));
    while (versions_.size() <= version) {
      const auto next = static_cast<std::uint32_t>(versions_.size());
      versions_.push_back(changed_qrels_version(experiment_.qrels(next),
                                                experiment_.qrels(next - 1), versions_.back()));
    }
    return versions_[version].hash;
  }

  void add(std::string& lines, const Observation& observation) {
    const TopicQrels& topic =
        experiment_.qrels(observation.judgements_version).topic(observation.topic);
    const StoredObservation one{
        .seq = ++seq_,
        .session = began_.time_since_epoch().count(),
        .experiment = experiment_.options().name,
        .arm = experiment_.arms()[observation.arm.value()].text(),
        .config = configs_[observation.arm.value()],
        .qrels = hash_of(observation.judgements_version),
        .stage = stage_name(observation.stage, experiment_.options().stages),
        .topic = &topic,
        .scored_flags = experiment_.options().recording.scored_flags,
        .observation = observation};
    scores_.of(observation, topic, one.scored_flags);
    append_json_line(lines, one, &scores_);
  }

  const Experiment& experiment_;
  ObservationScores scores_;
  AppendedFile file_;
  const UtcTime began_ = utc_now();
  std::int64_t seq_ = 0;                // of the last line
  std::vector<std::string> configs_;    // of the arms
  std::vector<QrelsVersion> versions_;  // of the judgements, as far as they were asked for
  std::string text_;                    // of the batch, a line for each judged query
  std::size_t position_ = 0;            // how much of it is in the file
};

}  // namespace

std::shared_ptr<ObservationLog> log_to_json_lines(std::filesystem::path path,
                                                  JsonLinesLogOptions options) {
  auto open = [path](const Experiment& experiment, const ObservationLog&) {
    return std::make_unique<JsonLinesSink>(experiment, path);
  };
  return std::make_shared<LogQueue>(path.string(), options.queue, std::move(open),
                                    options.on_warning, options.on_settled);
}

}  // namespace prescope
