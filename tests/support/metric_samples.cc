#include "support/metric_samples.h"

#include <gtest/gtest.h>

#include <sstream>

namespace prescope {

MetricSamples metric_samples(std::string_view text) {
  MetricSamples samples;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('#')) continue;
    const std::size_t space = line.rfind(' ');
    EXPECT_NE(space, std::string::npos) << line;
    const std::string name = line.substr(0, space);
    EXPECT_TRUE(samples.emplace(name, std::stod(line.substr(space + 1))).second) << line;
  }
  return samples;
}

std::map<std::string, std::string> metric_types(std::string_view text) {
  std::map<std::string, std::string> types;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string hash, what, name, type;
    words >> hash >> what >> name >> type;
    if (hash == "#" && what == "TYPE") {
      EXPECT_TRUE(types.emplace(name, type).second) << line;
    }
  }
  return types;
}

}  // namespace prescope
