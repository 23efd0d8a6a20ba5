#pragma once

#include <map>
#include <string>
#include <string_view>

namespace prescope {

/// Samples of the text exposition format: from "name{labels}", as it is written, to the value. A
/// sample that is there twice fails the test.
using MetricSamples = std::map<std::string, double>;
[[nodiscard]] MetricSamples metric_samples(std::string_view text);

/// Returns the type of each family, such as "counter", by its name.
[[nodiscard]] std::map<std::string, std::string> metric_types(std::string_view text);

}  // namespace prescope
