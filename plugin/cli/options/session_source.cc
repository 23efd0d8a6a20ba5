#include "cli/options/session_source.h"

#include "base/errors.h"
#include "fleet/fleet_session.h"
#include "store/sessions/rebuilt_session.h"

namespace prescope::cli {

Summary session_summary(const SessionSource& source) {
  if (is_fleet_url(source.store)) {
    if (source.session) throw usage_error("--session has no meaning for a fleet");
    return FleetSession(parse_fleet_url(source.store), source.experiment).summary();
  }
  std::optional<std::int64_t> session = source.session;
  {
    const ObservationReader reader(source.store);
    reader.require_known({.experiment = source.experiment, .session = session});
    if (!session) session = reader.newest_session(source.experiment);
  }
  if (!session) throw usage_error("{}: no experiment was observed yet", source.store);
  return RebuiltSession(source.store, *session).summary();
}

}  // namespace prescope::cli
