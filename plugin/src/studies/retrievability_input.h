#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runs/docno_hint.h"
#include "prescope/docno.h"
#include "prescope/run.h"
#include "studies/retrievability.h"

namespace prescope {

/// Whose retrievability, and of how many documents.
struct RetrievabilityRequest {
  std::vector<std::string> sources;  ///< runs and stores
  std::uint32_t cutoff = 100;
  std::string documents;
  std::optional<std::uint64_t> collection;
  DocnoPolicy docno = DocnoPolicy::kRaw;
  std::string family_map;
  RunOrder order = RunOrder::kTrec;
  std::optional<std::string> experiment, arm;
  std::optional<std::int64_t> session;
  std::uint32_t threads = 1;
};

/// Reads everything that is asked for. Throws Error(kUsage), and Error(kBadInput) for a store that
/// holds no captured rankings, and as reading runs, lists and stores does.
[[nodiscard]] RetrievabilityStudy read_retrievability(const RetrievabilityRequest& request);

}  // namespace prescope
