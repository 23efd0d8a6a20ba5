// The text that a store and a fleet keep of the slices that an experiment follows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "prescope/error.h"
#include "store/sessions/observation_schema.h"

namespace prescope {
namespace {

using ::testing::HasSubstr;

TEST(StoredSlices, AreReadAsTheyWereWritten) {
  const FollowedSlices slices(
      {{.dimension = "se\"ction",
        .name = "\xff[",
        .slices = 3,
        .judged = 7,
        .may_speak = false,
        .topics = {TopicIndex(0), TopicIndex(4)}},
       {.dimension = "year", .name = "2001", .judged = 60, .may_speak = true}},
      {12, "EP'1\xfe"});
  const FollowedSlices read = read_followed_slices(slices_text(slices), 5);
  ASSERT_EQ(read.all().size(), 2U);
  for (std::size_t s = 0; s < 2; ++s) {
    const FollowedSlice &is = read.all()[s], &was = slices.all()[s];
    EXPECT_EQ(is.dimension, was.dimension);
    EXPECT_EQ(is.name, was.name);
    EXPECT_EQ(is.slices, was.slices);
    EXPECT_EQ(is.judged, was.judged);
    EXPECT_EQ(is.may_speak, was.may_speak);
    EXPECT_EQ(is.topics, was.topics);
  }
  EXPECT_EQ(read.unjudged().topics, 12U);
  EXPECT_EQ(read.unjudged().example, "EP'1\xfe");
  EXPECT_EQ(slices_text(FollowedSlices()), "");
  EXPECT_TRUE(read_followed_slices("", 5).all().empty());
}

TEST(StoredSlices, ThatAreDamagedAreRefused) {
  const auto said = [](std::string_view text) {
    try {
      (void)read_followed_slices(text, 5);
      return std::string();
    } catch (const Error& error) {
      return std::string(error.what());
    }
  };
  const std::string whole = R"({"unjudged":[0,""],"slices":[["a","A",1,60,true,[0,4]]]})";
  EXPECT_EQ(said(whole), "");
  // A topic that is not there; and the text cut off anywhere.
  EXPECT_THAT(said(R"({"unjudged":[0,""],"slices":[["a","A",1,60,true,[0,5]]]})"),
              HasSubstr("expected slices of 5 topics"));
  for (std::size_t end = 1; end < whole.size(); ++end) {
    EXPECT_THAT(said(whole.substr(0, end)), HasSubstr("expected slices of 5 topics")) << end;
  }
}

}  // namespace
}  // namespace prescope
