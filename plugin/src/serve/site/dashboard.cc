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

struct DashboardService final : ExperimentService, Dashboard {
  using Dashboard::Dashboard;
};

}  // namespace

AttachService dashboard(DashboardOptions options) {
  return [options = std::move(options)](Experiment& experiment) {
    return std::make_unique<DashboardService>(experiment, options);
  };
}

}  // namespace prescope
