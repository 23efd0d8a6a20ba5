// Writes the metrics of a summary in which every value is known, and those of a server, of a fleet
// and of a shipper.
#include <cstdio>

#include "serve/metrics/metrics.h"
#include "support/full_summary.h"

int main() {
  std::fputs(prescope::serve::metrics_text(prescope::full_summary()).c_str(), stdout);
  std::fputs(prescope::serve::server_metrics_text({}).c_str(), stdout);
  const std::vector<prescope::FleetSession::Server> servers{{.name = "search1"}};
  std::fputs(prescope::serve::fleet_metrics_text(servers).c_str(), stdout);
  std::fputs(prescope::serve::ship_metrics_text({.last_error = "away"}).c_str(), stdout);
  return 0;
}
