#include "serve/site/dashboard.h"

#include <fmt/format.h>
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "prescope/dashboard.h"
#include "prescope/error.h"
#include "report/text/clean_text.h"
#include "serve/http/access.h"
#include "serve/http/http_server.h"
#include "serve/site/site.h"

namespace prescope {

struct Dashboard::State {
  serve::HttpServer server;
};

Dashboard::Dashboard(Experiment& experiment, DashboardOptions options)
    : state_(new State{serve::HttpServer(serve::experiment_site(experiment), options)}) {}

Dashboard::~Dashboard() = default;

const std::string& Dashboard::url() const noexcept { return state_->server.url(); }

namespace {

class DashboardService final : public ExperimentService {
 public:
  DashboardService(Experiment& experiment, const DashboardOptions& options)
      : dashboard_(experiment, options) {}

 private:
  Dashboard dashboard_;
};

}  // namespace

AttachService dashboard(DashboardOptions options) {
  return [options = std::move(options)](Experiment& experiment) {
    return std::make_unique<DashboardService>(experiment, options);
  };
}

}  // namespace prescope

namespace prescope::serve {

namespace {

using Sentences = std::vector<std::string>;

bool is_visible(char c) { return c > ' ' && c < '\x7f'; }

void check_address(const DashboardOptions& options, Sentences& problems) {
  const std::optional<IpAddress> address = parse_ip(options.address);
  if (!address) {
    problems.push_back(
        fmt::format("address is '{}'; expected an IP address, such as 127.0.0.1, ::1 or 0.0.0.0",
                    one_line(options.address)));
  } else if (!is_loopback(*address) && options.token.empty()) {
    problems.push_back(
        fmt::format("address {} can be reached from other machines and there is no token; set one, "
                    "or listen at 127.0.0.1",
                    options.address));
  }
}

/// Never shows the token.
void check_token(const DashboardOptions& options, Sentences& problems) {
  constexpr std::size_t kLeast = 16, kMost = 4096;
  const std::string& token = options.token;
  if (token.empty()) return;
  if (token.size() < kLeast || token.size() > kMost) {
    problems.push_back(fmt::format(
        "the token has {} characters; expected {} to {}, such as 'openssl rand -hex 32' prints",
        token.size(), kLeast, kMost));
  }
  if (!std::ranges::all_of(token, is_visible)) {
    problems.emplace_back(
        "the token has characters that a header cannot carry; expected visible ASCII");
  }
}

void check_host(const std::string& host, Sentences& problems) {
  const bool is_name = !host.empty() && std::ranges::all_of(host, [](char c) {
    return is_visible(c) && c != ':' && c != '/' && c != '@' && c != '[' && c != ']';
  });
  if (is_name) return;
  problems.push_back(fmt::format(
      "host '{}' is no name; expected one without scheme and port, such as search.example.org",
      one_line(host)));
}

void check_range(std::string_view option, std::uint64_t value, std::uint64_t least,
                 std::uint64_t most, Sentences& problems) {
  if (value >= least && value <= most) return;
  problems.push_back(fmt::format("{} is {}; expected {} to {}", option, value, least, most));
}

void check_interval(std::chrono::milliseconds interval, Sentences& problems) {
  constexpr std::chrono::milliseconds kLeast{250}, kMost{60'000};
  if (interval >= kLeast && interval <= kMost) return;
  problems.push_back(fmt::format("interval is {} ms; expected {} to {} ms", interval.count(),
                                 kLeast.count(), kMost.count()));
}

}  // namespace

void check(const DashboardOptions& options) {
  constexpr std::uint64_t kMostConnections = 65536;
  Sentences problems;
  check_address(options, problems);
  check_token(options, problems);
  for (const std::string& host : options.hosts) check_host(host, problems);
  check_range("connections", options.connections, 1, kMostConnections, problems);
  check_range("event_streams", options.event_streams, 1,
              std::clamp<std::uint64_t>(options.connections, 1, kMostConnections), problems);
  check_interval(options.interval, problems);
  if (!problems.empty()) {
    throw Error(ErrorCode::kUsage, fmt::format("dashboard: {}", fmt::join(problems, "; ")));
  }
}

bool is_exposed(const DashboardOptions& options) {
  const std::optional<IpAddress> address = parse_ip(options.address);
  return !address || !is_loopback(*address);
}

}  // namespace prescope::serve
