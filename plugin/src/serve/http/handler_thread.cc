#include "serve/http/handler_thread.h"

#include <boost/asio/post.hpp>
#include <stdexcept>
#include <utility>

#include "base/json_lines.h"
#include "base/threads.h"
#include "prescope/error.h"
#include "report/text/clean_text.h"

namespace prescope::serve {

using Clock = std::chrono::steady_clock;

Response error_response(unsigned status, std::string_view sentence) {
  std::string body = "{\"error\":";
  append_json_text(body, clean_text(sentence));
  body += "}\n";
  return {.status = status, .body = std::make_shared<const std::string>(std::move(body))};
}

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
  questions_.stop();
  if (thread_.joinable()) thread_.join();
}

void HandlerThread::ask(std::weak_ptr<Question> question) {
  boost::asio::post(questions_, [this, question = std::move(question)] {
    if (const auto asked = question.lock()) answer(*asked);
  });
}

void HandlerThread::run(const std::stop_token& stop) {
  Clock::time_point next_event = Clock::now();
  while (!stop.stop_requested()) {
    if (Clock::now() >= next_event) {
      look_for_event();
      next_event = Clock::now() + interval_;
    }
    questions_.run_one_until(next_event);
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
