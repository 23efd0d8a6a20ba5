#include "serve/http/handler_thread.h"

#include <stdexcept>
#include <utility>

#include "base/threads.h"
#include "prescope/error.h"
#include "serve/http/answers.h"

namespace prescope::serve {

using Clock = std::chrono::steady_clock;

HandlerThread::HandlerThread(std::unique_ptr<Handler> handler, std::chrono::milliseconds interval,
                             Tell tell, std::shared_ptr<ServerCounters> counters)
    : handler_(std::move(handler)),
      interval_(interval),
      tell_(std::move(tell)),
      counters_(std::move(counters)) {
  handler_->count_with(counters_);
  thread_ = start_thread("prescope-answer", [this](const std::stop_token& stop) { run(stop); });
}

void HandlerThread::stop() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
}

void HandlerThread::ask(std::shared_ptr<Question> question) {
  {
    const std::lock_guard lock(mutex_);
    questions_.push_back(std::move(question));
  }
  wake_.notify_one();
}

void HandlerThread::give_up(const Question& question) {
  const std::lock_guard lock(mutex_);
  std::erase_if(questions_, [&](const auto& waiting) { return waiting.get() == &question; });
}

void HandlerThread::run(const std::stop_token& stop) {
  Clock::time_point next_event = Clock::now();
  while (!stop.stop_requested()) {
    if (Clock::now() >= next_event) {
      look_for_event();
      next_event = Clock::now() + interval_;
    }
    std::shared_ptr<Question> question;
    {
      std::unique_lock lock(mutex_);
      wake_.wait_until(lock, stop, next_event, [this] { return !questions_.empty(); });
      if (stop.stop_requested()) return;
      if (questions_.empty()) continue;
      question = std::move(questions_.front());
      questions_.pop_front();
    }
    answer(*question);
  }
}

void HandlerThread::look_for_event() noexcept {
  try {
    std::shared_ptr<const std::string> event = handler_->event();
    if (event == nullptr || event == last_event_) return;
    last_event_ = event;
    tell_(std::move(event));
  } catch (...) {
    ++counters_->failed;
  }
}

void HandlerThread::answer(Question& question) noexcept {
  try {
    Response response = response_to(question.request);
    ++counters_->answered;
    question.answer(std::move(response));
  } catch (...) {
    ++counters_->failed;
  }
}

Response HandlerThread::response_to(const Request& request) noexcept {
  constexpr unsigned kFailed = 500;
  try {
    Response response = handler_->get(request);
    if (response.body == nullptr) throw std::logic_error("an answer without a body");
    return response;
  } catch (const Error& error) {
    ++counters_->failed;
    return error_response(kFailed, error.what());
  } catch (...) {
    ++counters_->failed;
    return error_response(kFailed, "this could not be answered");
  }
}

}  // namespace prescope::serve
