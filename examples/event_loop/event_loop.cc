// A host with one thread, whose requests wait for their searches side by side: coroutines on an
// event loop. It has no use for a QueryScope, which belongs to a thread: each request keeps its
// Visit and passes it to `observe`.

#include <algorithm>
#include <chrono>
#include <coroutine>
#include <cstdio>
#include <deque>
#include <exception>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "prescope/experiment.h"
#include "prescope/report.h"

namespace {

using Clock = std::chrono::steady_clock;

/// A request that runs until it waits for the first time, and goes on when the loop resumes it.
struct Task {
  struct promise_type {
    Task get_return_object() const noexcept { return {}; }
    std::suspend_never initial_suspend() const noexcept { return {}; }
    std::suspend_never final_suspend() const noexcept { return {}; }
    void return_void() const noexcept {}
    void unhandled_exception() const noexcept { std::terminate(); }
  };
};

/// Resumes what waits, on one thread.
class EventLoop {
 public:
  /// `co_await loop.turns(n)` goes on n turns later, as if an engine had taken so long.
  auto turns(int n) {
    struct Wait {
      EventLoop& loop;
      int turns;
      bool await_ready() const noexcept { return turns == 0; }
      void await_suspend(std::coroutine_handle<> request) const {
        loop.waiting_.push_back({request, turns});
      }
      void await_resume() const noexcept {}
    };
    return Wait{*this, n};
  }

  void run() {
    while (!waiting_.empty()) {
      Waiting next = waiting_.front();
      waiting_.pop_front();
      if (--next.turns > 0) {
        waiting_.push_back(next);
      } else {
        next.request.resume();
      }
    }
  }

 private:
  struct Waiting {
    std::coroutine_handle<> request;
    int turns = 0;
  };
  std::deque<Waiting> waiting_;
};

// The engine: four patents, and two rankings of those that answer the query "brake disc".

constexpr prescope::ArmIndex kShortest{0}, kBestMatch{1};
constexpr std::size_t kPage = 2;

/// D2 "brake" is shorter than D1 "brake disc" and D3 "brake disc caliper"; these two match both
/// words. D4 "lens" matches none.
std::span<const std::string_view> ranking_of(prescope::ArmIndex arm) {
  static constexpr std::string_view kByLength[] = {"D2", "D1", "D3"};
  static constexpr std::string_view kByWords[] = {"D1", "D3", "D2"};
  return arm == kShortest ? kByLength : kByWords;
}

struct Request {
  std::string user, session;
  prescope::ArmIndex arm;
  prescope::Rank first_rank;
  int turns;  // that its search takes
};

Task answer(EventLoop& loop, prescope::Experiment& experiment, Request request) {
  const prescope::Visit visit =
      experiment.visit(prescope::TopicId{"T"}, {.key = request.session});  // prescope
  std::printf("%s: asks for ranks from %u on\n", request.user.c_str(), request.first_rank);
  const Clock::time_point started = Clock::now();
  co_await loop.turns(request.turns);  // other requests run meanwhile
  const std::span<const std::string_view> hits = ranking_of(request.arm);
  const std::size_t first = request.first_rank - 1;
  const auto page = hits.subspan(first, std::min(kPage, hits.size() - first));
  std::printf("%s: gets %zu\n", request.user.c_str(), page.size());
  experiment.observe(visit, {.arm = request.arm,  // prescope
                             .kind = prescope::HitKind::kDocnos,
                             .docnos = page,
                             .first_rank = request.first_rank,
                             .requested_depth = kPage,
                             .search_started = started});
}

// A made-up citation: the patent application T was given D1 and D3 as prior art by its examiner.
prescope::Qrels citations() {
  using prescope::Docno, prescope::TopicId;
  const prescope::Qrels::Line lines[] = {{TopicId{"T"}, Docno{"D1"}, 1},
                                         {TopicId{"T"}, Docno{"D3"}, 1}};
  return prescope::Qrels::from_lines(lines);
}

void run() {
  prescope::Experiment experiment(citations(), {.arms = {"shortest", "best"}, .cutoffs = {4}});
  EventLoop loop;
  // Two users read two pages each. On both pages, the user who asked first is answered last.
  for (const prescope::Rank first_rank : {1U, 3U}) {
    answer(loop, experiment, {"Ann", "session 1", kShortest, first_rank, 3});
    answer(loop, experiment, {"Bob", "session 2", kBestMatch, first_rank, 1});
    loop.run();
  }
  std::fputs(prescope::to_table(*experiment.summary()).c_str(), stdout);
}

}  // namespace

int main() {
  try {
    run();
    return 0;
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "event_loop: %s\n", failure.what());
    return 1;
  }
}
