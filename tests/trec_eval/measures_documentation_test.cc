// The pages on measures keep up with the measures.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "prescope/measure.h"
#include "support/scratch_file.h"
#include "trec_eval/families.h"

namespace prescope::testing {
namespace {

using ::testing::HasSubstr;

TEST(MeasuresDocumentation, NamesEveryMeasure) {
  const std::string measures = content_of(PRESCOPE_SOURCE_DIR "/docs/measures.md");
  for (const MeasureDefinition* definition : measure_table()) {
    EXPECT_THAT(measures, HasSubstr(fmt::format("\n| `{}", definition->name)));
  }
}

TEST(MeasuresDocumentation, NamesEveryMeasureOfTrecEval) {
  const std::string drop_in = content_of(PRESCOPE_SOURCE_DIR "/docs/trec-eval.md");
  for (const trec_eval::Family& family : trec_eval::family_table()) {
    EXPECT_THAT(drop_in, HasSubstr(fmt::format("`{}`", family.name)));
  }
}

}  // namespace
}  // namespace prescope::testing
