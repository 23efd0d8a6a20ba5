// Observations as JSON lines in a file, for log pipelines.
#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>

#include "prescope/error.h"
#include "prescope/experiment.h"
#include "prescope/observation_log.h"
#include "store/appended_file.h"
#include "store/log_queue.h"
#include "store/observation_line.h"
#include "store/observation_scores.h"
#include "store/queued_log.h"

namespace prescope {
namespace {

class JsonLinesSink : public LogSink {
 public:
  JsonLinesSink(const Experiment& experiment, const std::filesystem::path& path)
      : experiment_(experiment),
        scores_({experiment.measures().begin(), experiment.measures().end()}),
        file_(path) {}

  void take(const LogBatch& batch) override {
    text_.clear();
    line_ = position_ = 0;
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const Observation observation = batch.observation(i);
      if (observation.topic != kUnjudgedTopic) add(observation, batch.time(i));
    }
  }

  void write() override {
    while (line_ < text_.size()) {
      if (file_.follow_path()) position_ = line_;  // the rest of a line is of no use elsewhere
      const std::size_t end = text_.find('\n', line_) + 1;
      while (position_ < end) {
        position_ += file_.append(std::string_view(text_).substr(position_, end - position_));
      }
      line_ = end;
    }
  }

  void upkeep() override { file_.follow_path(); }
  void close() override {}

 private:
  void add(const Observation& observation, UtcTime time) {
    const Qrels& qrels = experiment_.qrels(observation.judgements_version);
    const TopicQrels& topic = qrels.topic(observation.topic);
    const auto scores = scores_.of(observation, topic, qrels.min_grade());
    append_json_line(text_, {.time = time,
                             .experiment = experiment_.options().name,
                             .arm = experiment_.arms()[observation.arm.value()].text(),
                             .topic = &topic,
                             .observation = &observation,
                             .relevant = scores_.relevant(),
                             .measures = scores_.measures(),
                             .scores = scores});
  }

  const Experiment& experiment_;
  ObservationScores scores_;
  AppendedFile file_;
  std::string text_;          // of the batch, a line for each judged query
  std::size_t line_ = 0;      // where the line begins that is written next
  std::size_t position_ = 0;  // what of it is in the file already
};

}  // namespace

std::shared_ptr<ObservationLog> log_to_json_lines(std::filesystem::path path,
                                                  JsonLinesLogOptions options) {
  auto sink = [path, options](const Experiment& experiment) {
    check_log_queue(options.queue, path.string());
    return std::make_unique<JsonLinesSink>(experiment, path);
  };
  return std::make_shared<QueuedLog>(path.string(), options.queue, std::move(sink));
}

}  // namespace prescope
