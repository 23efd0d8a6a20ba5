#include "store/sessions/observation_line.h"

#include <iterator>

#include "base/json_lines.h"

namespace prescope {

namespace {

/// Members of an object in one line.
class Members {
 public:
  explicit Members(std::string& out) : out_(&out) {}

  template <class Value>
  void operator()(std::string_view name, const Value& value) const {
    if constexpr (!std::is_same_v<Value, NoValue>) {
      *out_ += out_->back() == '{' ? "" : ",";
      append_json_text(*out_, name);
      *out_ += ':';
      append(value);
    }
  }

 private:
  template <class Value>
  void append(const Value& value) const {
    if constexpr (std::is_convertible_v<Value, std::string_view>) {
      append_json_text(*out_, value);
    } else if constexpr (requires { value.has_value(); }) {
      value ? append(*value) : void(*out_ += "null");
    } else if constexpr (requires { value.begin(); }) {
      *out_ += '[';
      for (const auto& one : value) {
        *out_ += out_->back() == '[' ? "" : ",";
        append(one);
      }
      *out_ += ']';
    } else {
      fmt::format_to(std::back_inserter(*out_), "{}", value);
    }
  }

  std::string* out_;
};

}  // namespace

std::vector<std::string_view> relevant_docnos(const StoredObservation& one) {
  std::vector<std::string_view> docnos;
  if (one.topic == nullptr) return docnos;
  for (const JudgedHit& hit : one.observation.hits) {
    if (!one.topic->is_relevant(hit.judgement)) continue;
    docnos.emplace_back(one.topic->judgements()[hit.judgement.value()].docno.text());
  }
  return docnos;
}

std::optional<double> latency_ms(const Observation& observation) noexcept {
  if (!has_latency(observation)) return std::nullopt;
  return std::chrono::duration<double, std::milli>(observation.latency).count();
}

void append_json_line(std::string& out, const StoredObservation& one,
                      const ObservationScores* scores) {
  out += '{';
  const auto measures = scores != nullptr ? scores->measures() : std::span<const Measure>();
  for_each_log_column(one, scores, measures, Members(out));
  out += "}\n";
}

}  // namespace prescope
