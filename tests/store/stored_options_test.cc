// The texts that a store and a fleet keep of slices and of how an experiment may end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "prescope/error.h"
#include "prescope/experiment.h"
#include "store/sessions/observation_schema.h"
#include "store/sessions/rebuilt_session.h"
#include "support/scratch_file.h"

namespace prescope {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

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

TEST(StoredTests, AreReadAsTheyWereWritten) {
  const TestOptions was{.plan = {.topics = 400,
                                 .looks = {0.25, 1.0},
                                 .spending = Spending::kPocock,
                                 .live_alpha = 0.01},
                        .guardrails = {{"R@100", 0.02}, {"latency", 1.1}},
                        .same_within = 0.3};
  const TestOptions is = read_test(test_text(was));
  EXPECT_EQ(is.plan.topics, 400U);
  EXPECT_EQ(is.plan.looks, was.plan.looks);
  EXPECT_EQ(is.plan.spending, Spending::kPocock);
  EXPECT_EQ(is.plan.live_alpha, 0.01);
  ASSERT_EQ(is.guardrails.size(), 2U);
  EXPECT_EQ(is.guardrails[1].measure, "latency");
  EXPECT_EQ(is.guardrails[1].margin, 1.1);
  EXPECT_EQ(is.same_within, 0.3);
  EXPECT_EQ(test_text({}), "");
  const std::string whole = test_text(was);
  for (std::size_t end = 1; end < whole.size(); ++end) {
    EXPECT_THROW((void)read_test(whole.substr(0, end)), Error) << end;
  }
}

// A plan that is changed after its first look promises nothing, so the change is said.
TEST(StoredTests, APlanThatIsChangedIsSaid) {
  const ScratchFolder scratch;
  const std::filesystem::path store = scratch.path() / "x.store";
  const Qrels qrels = Qrels::from_lines(std::vector<Qrels::Line>{{TopicId("t"), Docno("d")}});
  const auto warnings_of = [&](std::uint32_t topics) {
    std::vector<std::string> warnings;
    {
      const auto log = log_to_store(
          store, {.on_warning = [&](const std::string& said) { warnings.push_back(said); }});
      const Experiment experiment(qrels, {.name = "x",
                                          .arms = {"a", "b"},
                                          .mode = Mode::kPaired,
                                          .test = {.plan = {.topics = topics}},
                                          .logs = {log}});
    }
    return warnings;
  };
  EXPECT_THAT(warnings_of(400), IsEmpty());
  EXPECT_THAT(warnings_of(400), IsEmpty());
  EXPECT_THAT(warnings_of(300),
              ElementsAre(HasSubstr("session 2 of the experiment had another plan, "
                                    "{\"topics\":400,")));
  EXPECT_THAT(RebuiltSession(store, 3).missing(),
              Contains(HasSubstr("a plan that is changed after its first look promises nothing")));
  EXPECT_THAT(RebuiltSession(store, 2).missing(), IsEmpty());
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
