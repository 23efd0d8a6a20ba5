#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "http_client.h"
#include "prescope/engine.h"
#include "prescope/engine_answer.h"
#include "request_template.h"

namespace prescope::http {

/// The requests by which an engine gives more hits than fit into one answer.
struct Cursor {
  std::optional<RequestTemplate> open{};  ///< keeps a state of the index for the pages
  std::string snapshot_at{};              ///< place of its id in the answer
  RequestTemplate first{};                ///< the first page
  RequestTemplate next{};                 ///< each later page
  std::string last_hit_at{};  ///< place of the cursor within the last hit; empty: see `cursor_at`
  std::string cursor_at{};    ///< place of the cursor in the answer
  std::optional<RequestTemplate> close{};
  std::string ties{};  ///< the field that orders documents with equal scores
};

/// How one arm of an index is searched.
struct ArmOptions {
  std::string server{};  ///< opensearch, elasticsearch, solr, vespa or json
  Connection connection{};
  RequestTemplate request{};
  AnswerShape shape{};
  std::uint32_t window = 0;  ///< most hits that one request gives; 0: any number
  std::optional<Cursor> cursor{};
  /// True if a partial answer is asked for again and then refused; false if it is served.
  bool refuses_partial = true;
  std::optional<RequestTemplate> count{};  ///< asks for the number of documents
  std::string count_at{};
  std::optional<RequestTemplate> about{};  ///< asks for the server's name and version
  std::string shards_at{};  ///< place that an answer has if it says which shards answered
  /// Fields that the query names, and the request that asks which fields there are.
  std::vector<std::string> fields{};
  std::optional<RequestTemplate> ask_fields{};
};

/// Reads an arm's settings; `docs/http-engines.md` describes them. Throws Error(kUsage) with all
/// complaints, also about secrets that cannot be read.
[[nodiscard]] ArmOptions read_arm_options(const ArmConfig& arm);

/// Returns a line for each setting.
[[nodiscard]] std::span<const std::string_view> setting_lines() noexcept;

}  // namespace prescope::http
