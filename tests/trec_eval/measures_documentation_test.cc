// The pages on measures keep up with the measures.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "prescope/measure.h"
#include "trec_eval/families.h"

namespace prescope::testing {
namespace {

using ::testing::HasSubstr;

std::string page(const std::string& name) {
  const std::filesystem::path path = std::filesystem::path(PRESCOPE_SOURCE_DIR) / "docs" / name;
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in) << path;
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

TEST(MeasuresDocumentation, NamesEveryMeasure) {
  const std::string measures = page("measures.md");
  for (const MeasureDefinition* definition : measure_table()) {
    EXPECT_THAT(measures, HasSubstr(fmt::format("\n| `{}", definition->name)));
  }
}

TEST(MeasuresDocumentation, NamesEveryMeasureOfTrecEval) {
  const std::string drop_in = page("trec-eval.md");
  for (const trec_eval::Family& family : trec_eval::family_table()) {
    EXPECT_THAT(drop_in, HasSubstr(fmt::format("`{}`", family.name)));
  }
}

}  // namespace
}  // namespace prescope::testing
