#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "serve/http/handler.h"
#include "serve/http/http_server.h"
#include "serve/site/page.h"

namespace prescope {

/// A server's answers, scripted by a test. Any thread.
class Script {
 public:
  std::function<serve::Response(const serve::Request&)> answer = [](const serve::Request& request) {
    return said(request.path);
  };

  static serve::Response said(std::string body) {
    return {.body = std::make_shared<const std::string>(std::move(body))};
  }
  void set_event(std::string text) {
    const std::lock_guard lock(mutex_);
    event_ = std::make_shared<const std::string>(std::move(text));
  }
  [[nodiscard]] std::shared_ptr<const std::string> event() const {
    const std::lock_guard lock(mutex_);
    return event_;
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const std::string> event_;
};

/// Plays the script, which must outlive it; also counts calls that ran beside another or on another
/// thread than the first.
class ScriptedHandler final : public serve::Handler {
 public:
  ScriptedHandler(const Script& script, std::atomic<int>& misused)
      : script_(script), misused_(misused) {}

  [[nodiscard]] serve::Response page() const override { return serve::live_page_response(); }
  [[nodiscard]] bool is_costly(const serve::Request& request) const override {
    return request.path.starts_with("/costly");
  }
  serve::Response get(const serve::Request& request) override {
    if (is_costly(request)) return script_.answer(request);
    const Call call(*this);
    return script_.answer(request);
  }
  std::shared_ptr<const std::string> event() override {
    const Call call(*this);
    return script_.event();
  }

 private:
  class Call {
   public:
    explicit Call(ScriptedHandler& of) : of_(of) {
      if (of_.calls_++ != 0) ++of_.misused_;
      if (of_.thread_ == std::thread::id()) of_.thread_ = std::this_thread::get_id();
      if (of_.thread_ != std::this_thread::get_id()) ++of_.misused_;
    }
    ~Call() { --of_.calls_; }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

   private:
    ScriptedHandler& of_;
  };

  const Script& script_;
  std::atomic<int>& misused_;
  std::atomic<int> calls_{0};
  std::thread::id thread_;
};

/// A server that plays a script, on a free port.
class ScriptedServer {
 public:
  explicit ScriptedServer(DashboardOptions options = {}, const serve::ServerLimits& limits = {}) {
    options.interval = std::chrono::milliseconds(250);
    server.emplace(std::make_unique<ScriptedHandler>(script, misused), options, limits);
  }

  [[nodiscard]] const std::string& url() const { return server->url(); }
  [[nodiscard]] std::uint64_t refused(serve::Refusal why) const {
    return server->counters().refused[static_cast<std::size_t>(why)];
  }

  Script script;
  std::atomic<int> misused{0};
  std::optional<serve::HttpServer> server;
};

/// Waits for another thread; the test's own time limit ends it.
inline void wait_until(const std::function<bool()>& done) {
  while (!done()) std::this_thread::sleep_for(std::chrono::milliseconds(2));
}

}  // namespace prescope
