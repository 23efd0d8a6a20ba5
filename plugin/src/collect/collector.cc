#include "collect/collector.h"

#include <fmt/format.h>

#include "base/errors.h"
#include "base/sip_hash.h"
#include "base/text_file.h"
#include "base/threads.h"
#include "base/utc_time.h"
#include "judgements/topics.h"
#include "report/text/visible_text.h"

namespace prescope {

namespace {

/// Lines that wait for the store at once. The thread that reads waits for room.
constexpr std::size_t kMostOpen = 20'000;
/// Lines are given back to the client if there is no room for so long.
constexpr std::chrono::seconds kPatience{10};
/// The clock of a client may be ahead by this much.
constexpr std::chrono::hours kMostAhead{1};

ExperimentOptions options_of(const LiveOptions& live, const Qrels& qrels,
                             std::shared_ptr<ObservationLog> log) {
  constexpr std::size_t kQueue = std::size_t{8} << 20U;
  ExperimentOptions options{.name = live.experiment.name,
                            .mode = live.mode,
                            .primary = live.primary,
                            .alpha = live.alpha,
                            .slices = read_slices(live.experiment.slices, qrels),
                            .test = live.test,
                            .shadow = {.latency = live.latency, .overlap = live.overlap},
                            .logs = {std::move(log)}};
  for (const ReplayArm& arm : live.experiment.arms) options.arms.push_back(arm.config.id.text());
  for (const Measure& measure : live.experiment.measures) {
    options.measures.push_back(measure.name());
  }
  if (live.mode == Mode::kSplit) options.split.salt = live.salt;
  options.split.shares = live.shares;
  options.recording.queue_bytes = kQueue;
  // Clients wait for the store, and the store for the recorder.
  options.recording.drain_interval = std::chrono::milliseconds(1);
  return options;
}

bool is_number(std::string_view docno) {
  return !docno.empty() && docno.find_first_not_of("0123456789") == std::string_view::npos;
}

bool names_numbers(const TopicQrels& topic) {
  return std::ranges::any_of(topic.judgements(), [](const Judgement& judgement) {
    return is_number(judgement.docno.text());
  });
}

/// Without a topics file, the topics of a citation store are found as they come.
Qrels judgements_of(const ReplayOptions& files) {
  if (files.topics.empty()) return open_judgements(files.qrels, files.qrels_options);
  return load_judgements(files.qrels, files.qrels_options, [&] {
    std::vector<std::string> ids;
    for (const Topic& topic : load_topics(files.topics)) ids.push_back(topic.id.text());
    return ids;
  });
}

/// Returns a number that the store keeps in place of the id; never 0.
std::uint64_t request_id_of(std::string_view id) {
  return std::max<std::uint64_t>(SipHash::of(id), 1);
}

}  // namespace

Collector::Collector(CollectorOptions options)
    : options_(std::move(options)), reader_(options_.live.ubi) {
  const ReplayOptions& files = options_.live.experiment;
  Qrels qrels = judgements_of(files);
  are_docnos_numbers_ = std::ranges::any_of(qrels.topics(), names_numbers);
  if (!files.topics.empty()) topics_.emplace(TopicMatcher::load(qrels, files.topics));
  StoreLogOptions store;
  constexpr std::size_t kQueue = std::size_t{256} << 20U;
  store.queue.queue_bytes = kQueue;
  store.queue.interval = std::chrono::milliseconds(2);
  store.on_warning = options_.on_warning;
  store.on_settled = [this](std::uint64_t id, bool is_stored) { settle(id, is_stored); };
  log_ = log_to_store(options_.store, store);
  ExperimentOptions of_experiment = options_of(options_.live, qrels, log_);
  add_actions(of_experiment);
  experiment_ = std::make_unique<Experiment>(std::move(qrels), std::move(of_experiment));
  stored_.emplace(options_.store);
  visits_.emplace(*experiment_, options_.live.wait);
  thread_ = start_thread("prescope-lines", [this](const std::stop_token& stop) { run(stop); });
}

Collector::~Collector() { end(); }

void Collector::add_actions(ExperimentOptions& of_experiment) const {
  ActionOptions doing = options_.live.actions;
  if (doing.command.empty() && doing.url.empty()) return;
  if (doing.journal.empty()) doing.journal = options_.store.string() + ".actions";
  doing.on_warning = options_.on_warning;
  of_experiment.services.push_back(actions(std::move(doing)));
}

bool Collector::post(std::string body, Answer answer) {
  if (log_->progress().is_failing) return false;
  const std::lock_guard lock(mutex_);
  if (queued_bytes_ > 0 && queued_bytes_ + body.size() > kMostWaiting) return false;
  queued_bytes_ += body.size();
  queue_.push_back({std::move(body), std::move(answer)});
  posted_.notify_one();
  return true;
}

void Collector::run(const std::stop_token& stop) {
  constexpr std::chrono::milliseconds kLook{200};
  std::unique_lock lock(mutex_);
  while (true) {
    posted_.wait_for(lock, stop, kLook, [this] { return !queue_.empty(); });
    if (queue_.empty() && stop.stop_requested()) return;
    if (queue_.empty()) {
      lock.unlock();
      visits_->give_up();
      lock.lock();
      continue;
    }
    const Posted posted = std::move(queue_.front());
    queue_.pop_front();
    is_reading_ = true;
    lock.unlock();
    read(posted);
    lock.lock();
    is_reading_ = false;
    queued_bytes_ -= posted.body.size();
    settled_.notify_all();
  }
}

void Collector::read(const Posted& posted) {
  const auto batch = std::make_shared<Batch>(Batch{.on_answer = posted.answer});
  visits_->give_up();
  try {
    stored_since_ = stored_->since();
  } catch (const Error& error) {
    if (options_.on_warning) options_.on_warning(error.what());
  }
  std::string_view rest = posted.body;
  for (std::uint64_t number = 1; !rest.empty(); ++number) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view text = trimmed(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (!text.empty()) read_line({.batch = batch, .number = number}, text);
  }
  close(batch);
}

void Collector::read_line(Line line, std::string_view text) {
  try {
    if (text.size() > kLongestLine) {
      throw bad_input_error("the line has {} bytes; expected at most {}", text.size(),
                            kLongestLine);
    }
    const PostedRanking* const read = reader_.read(text);
    if (read == nullptr) return;
    const PostedRanking& ranking = *read;
    const PostedVisits::Named named = this->named(ranking);
    if (is_known(named, line)) return;
    if (!has_room()) return answer(line, Became::kNotStored);
    line.is_unjudged = named.topic == kUnjudgedTopic;
    line.has_failed = has(ranking.flags, RankingFlags::kFailed | RankingFlags::kTimedOut);
    line.has_time = ranking.served.has_value();
    line.has_latency = ranking.latency.has_value();
    line.has_depth = ranking.depth.has_value();
    line.has_total = ranking.total.has_value();
    record(named, line);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kBadInput) {  // the store cannot be read
      if (options_.on_warning) options_.on_warning(error.what());
      return answer(line, Became::kNotStored);
    }
    refuse(line, error.what());
  }
}

/// A line that comes again while the first one waits for the store waits with it.
bool Collector::is_known(const PostedVisits::Named& named, const Line& line) {
  {
    const std::lock_guard lock(mutex_);
    const auto first = waiting_.find(named.request_id);
    if (first != waiting_.end()) {
      ++line.batch->open;
      first->second.push_back(line);
      first->second.back().is_duplicate = true;
      return true;
    }
  }
  if (!stored_->contains(named.request_id)) return false;
  visits_->remember(named);
  answer(line, Became::kDuplicate);
  return true;
}

/// Waits until fewer lines wait for the store. Returns false if it takes too long, and from then on
/// without waiting until there is room again.
bool Collector::has_room() {
  std::unique_lock lock(mutex_);
  const auto patience = is_stuck_ ? std::chrono::seconds(0) : kPatience;
  is_stuck_ = !settled_.wait_for(lock, patience, [this] { return waiting_.size() < kMostOpen; });
  return !is_stuck_;
}

/// The line waits before its ranking is recorded, because the store may be quick.
void Collector::record(const PostedVisits::Named& named, const Line& line) {
  const auto forget = [&] {
    const std::lock_guard lock(mutex_);
    waiting_.erase(named.request_id);
    --line.batch->open;
  };
  {
    const std::lock_guard lock(mutex_);
    ++line.batch->open;
    waiting_[named.request_id].push_back(line);
  }
  Outcome outcome = Outcome::kRecorded;
  try {
    outcome = visits_->observe(named);
  } catch (const Error&) {
    forget();
    throw;
  }
  const bool is_on_its_way = outcome == Outcome::kRecorded || outcome == Outcome::kUnjudged ||
                             outcome == Outcome::kUnmatched;
  if (is_on_its_way) return;
  forget();
  if (outcome == Outcome::kNotCompared) return answer(line, Became::kAccepted);
  if (outcome != Outcome::kInactiveArm) return answer(line, Became::kNotStored);
  throw bad_input_error("arm '{}' is paused or removed; expected an active arm",
                        experiment_->arms()[named.arm.value()].text());
}

PostedVisits::Named Collector::named(const PostedRanking& ranking) const {
  check_time(ranking);
  const PostedVisits::Named named{ranking, topic_of(ranking), arm_of(ranking),
                                  request_id_of(ranking.id)};
  check_docnos(named);
  return named;
}

TopicIndex Collector::topic_of(const PostedRanking& ranking) const {
  const Qrels& qrels = experiment_->qrels();
  if (topics_ && ranking.topic.empty()) return topics_->find(ranking.query);
  if (!ranking.topic.empty() || qrels.finds_topics()) {
    const std::string_view named = ranking.topic.empty() ? ranking.query : ranking.topic;
    return qrels.look_up(named).value_or(kUnjudgedTopic);
  }
  throw bad_input_error(
      "query without topic, and the experiment has no topics file to find it in; expected topic, "
      "or topics.path in the experiment file");
}

ArmIndex Collector::arm_of(const PostedRanking& ranking) const {
  const auto arms = experiment_->arms();
  if (const auto arm = experiment_->find_arm(ranking.arm)) return *arm;
  if (ranking.arm.empty() && arms.size() == 1) return ArmIndex(0);
  std::vector<std::string_view> names;
  for (const ArmId& arm : arms) names.push_back(arm.text());
  if (ranking.arm.empty()) {
    throw bad_input_error("no arm; expected one of {}", fmt::join(names, ", "));
  }
  throw Error(ErrorCode::kBadInput, unknown_name_message("arm", ranking.arm, names));
}

void Collector::check_time(const PostedRanking& ranking) const {
  if (!ranking.served) return;
  if (*ranking.served > utc_now() + kMostAhead) {
    throw bad_input_error("time is {}, more than an hour ahead; expected when it was served",
                          utc_text(*ranking.served));
  }
  if (stored_since_ && *ranking.served < *stored_since_) {
    throw bad_input_error(
        "time is {}, and the store was pruned: it is not known whether it has a ranking from "
        "before {}",
        utc_text(*ranking.served), utc_text(*stored_since_));
  }
}

/// An engine's integers have no meaning elsewhere, and none of them would match a judged document.
void Collector::check_docnos(const PostedVisits::Named& named) const {
  const PostedRanking& ranking = named.ranking;
  const Qrels& qrels = experiment_->qrels();
  if (are_docnos_numbers_ || ranking.docnos.empty()) return;
  // If topics are found as they come, only the documents of this topic are known.
  if (qrels.finds_topics() &&
      (!qrels.has(named.topic) || names_numbers(qrels.topic(named.topic)))) {
    return;
  }
  const auto numbers = std::ranges::count_if(ranking.docnos, is_number);
  constexpr std::size_t kTenths = 10;
  if (static_cast<std::size_t>(numbers) * kTenths < ranking.docnos.size() * (kTenths - 1)) return;
  throw bad_input_error(
      "docnos are numbers such as '{}', and no judgement names such a document; expected the names "
      "that the judgements use, not the engine's integers",
      ranking.docnos.front());
}

void Collector::settle(std::uint64_t request_id, bool is_stored) {
  std::vector<Line> lines;
  {
    const std::lock_guard lock(mutex_);
    const auto waiting = waiting_.find(request_id);
    if (waiting == waiting_.end()) return;
    lines = std::move(waiting->second);
    waiting_.erase(waiting);
  }
  settled_.notify_all();
  for (const Line& line : lines) {
    answer(line, !is_stored          ? Became::kNotStored
                 : line.is_duplicate ? Became::kDuplicate
                                     : Became::kAccepted);
    close(line.batch);
  }
}

void Collector::answer(const Line& line, Became became) {
  const std::lock_guard lock(mutex_);
  CollectAnswer& answer = line.batch->answer;
  if (became == Became::kNotStored) {
    ++counts_.not_stored;
    return answer.not_stored.push_back(line.number);
  }
  if (became == Became::kDuplicate) {
    ++counts_.duplicates;
    ++answer.duplicates;
    return;
  }
  ++answer.accepted;
  ++counts_.accepted;
  counts_.without_time += line.has_time ? 0U : 1U;
  counts_.without_latency += line.has_latency || line.has_failed ? 0U : 1U;
  counts_.without_depth += line.has_depth || line.has_failed ? 0U : 1U;
  counts_.without_total += line.has_total || line.has_failed ? 0U : 1U;
  counts_.failed += line.has_failed ? 1U : 0U;
  counts_.unjudged += line.is_unjudged ? 1U : 0U;
}

/// A refused line counts as a lost ranking, because nobody knows what was served.
void Collector::refuse(const Line& line, const char* why) {
  experiment_->count_adapter_failure();
  const std::lock_guard lock(mutex_);
  ++counts_.refused;
  line.batch->answer.refused.push_back({line.number, why});
}

/// Answers the client if this was the last line of its body.
void Collector::close(const std::shared_ptr<Batch>& batch) {
  {
    const std::lock_guard lock(mutex_);
    if (--batch->open > 0) return;
  }
  batch->on_answer(batch->answer);
}

bool Collector::flush() {
  {
    std::unique_lock lock(mutex_);
    settled_.wait(lock, [this] { return queue_.empty() && !is_reading_; });
  }
  experiment_->flush();
  return log_->flush();
}

void Collector::end() {
  if (!thread_.joinable()) return;
  static_cast<void>(flush());
  thread_.request_stop();
  thread_.join();
  visits_->give_up_all();
  experiment_->end_logs();
}

CollectCounts Collector::counts() const {
  const std::lock_guard lock(mutex_);
  CollectCounts counts = counts_;
  counts.crowded_out = visits_->crowded_out();
  return counts;
}

const ArmId& Collector::arm_for(std::string_view unit) const {
  SearchRequest request{.text = unit};
  if (experiment_->qrels().look_up(unit)) {
    request.topic = unit;
  } else if (topics_) {
    request.matched = topics_->find(unit);
  }
  return experiment_->arms()[experiment_->arm_for(request).value()];
}

}  // namespace prescope
