// Writes the metrics of a summary in which every value is known, and those of a server.
#include <cstdio>

#include "serve/metrics/metrics.h"
#include "support/full_summary.h"

int main() {
  std::fputs(prescope::serve::metrics_text(prescope::full_summary()).c_str(), stdout);
  std::fputs(prescope::serve::server_metrics_text({}).c_str(), stdout);
  return 0;
}
