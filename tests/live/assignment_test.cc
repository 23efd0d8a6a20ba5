#include "live/arms.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "prescope/error.h"

namespace prescope {
namespace {

constexpr int kUnits = 100'000;

/// The name of the winner among `arms`.
std::string drawn(std::string_view salt, const std::vector<std::string>& arms,
                  std::string_view unit) {
  return arms.at(ArmTable(arms).drawn_for(unit, salt).value().value());
}

std::string patent(int i) { return fmt::format("EP{:07}A1", i); }

/// Counts follow the binomial law: within 5 standard deviations except for 1 case in 1.7 million.
void expect_share(int count, int of, double share) {
  const double deviation = std::sqrt(of * share * (1 - share));
  EXPECT_NEAR(count, of * share, 5 * deviation);
}

TEST(ArmDraw, IsTheSameOnEveryMachine) {
  // Written from the definition in arms.h, not from its code:
  //   M = 2**64 - 1
  //   def f(b):
  //     h = 0xCBF29CE484222325
  //     for c in b: h = ((h ^ c) * 0x100000001B3) & M
  //     return h
  //   def m(x):
  //     z = (x + 0x9E3779B97F4A7C15) & M
  //     z = ((z ^ z >> 30) * 0xBF58476D1CE4E5B9) & M
  //     z = ((z ^ z >> 27) * 0x94D049BB133111EB) & M
  //     return z ^ z >> 31
  //   def arm(salt, names, unit):
  //     return max(names, key=lambda n: m(m(m(f(salt)) ^ f(n.encode())) ^ f(unit)))
  //   for salt in (b"prescope", b"autumn", b""):
  //     print("".join(arm(salt, "abc", b"EP%07dA1" % (i * 977)) for i in range(40)))
  const std::map<std::string, std::string> expected = {
      {"prescope", "acaabbcbbcbbaaacabbbbbcbccbabbbbbcccbcaa"},
      {"autumn", "bbabaaaaabbcabacaaacbbccbabbbbacbcaabcac"},
      {"", "ccbbcccabcbcccbcbccbabcaccacbacccaaaccbb"}};
  for (const auto& [salt, arms] : expected) {
    std::string got;
    for (int i = 0; i < 40; ++i) got += drawn(salt, {"a", "b", "c"}, patent(i * 977));
    EXPECT_EQ(got, arms) << "salt " << salt;
  }
  EXPECT_EQ(drawn("prescope", {"tfidf", "bm25"}, "Wärmepumpe"), "tfidf");
  EXPECT_EQ(drawn("prescope", {"tfidf", "bm25"}, ""), "tfidf");
}

TEST(ArmDraw, EachArmGetsItsShare) {
  const std::vector<std::string> all = {"tfidf", "bm25", "a", "b", "bm25f"};
  for (std::size_t arms = 2; arms <= all.size(); ++arms) {
    const std::vector<std::string> some(all.begin(), all.begin() + static_cast<long>(arms));
    const std::vector<std::string> salts = {"prescope", "2026-11", ""};
    for (const std::string& salt : std::span(salts).first(arms == 2 ? 3 : 1)) {
      std::map<std::string, int> patents, numbers;
      for (int i = 0; i < kUnits; ++i) {
        ++patents[drawn(salt, some, patent(i))];
        ++numbers[drawn(salt, some, std::to_string(i))];
      }
      for (const std::string& arm : some) {
        SCOPED_TRACE(fmt::format("{} of {} arms, salt '{}'", arm, arms, salt));
        expect_share(patents[arm], kUnits, 1.0 / static_cast<double>(arms));
        expect_share(numbers[arm], kUnits, 1.0 / static_cast<double>(arms));
      }
    }
  }
}

TEST(ArmDraw, RemovedArmsUnitsAreSpreadEvenlyAndOthersStay) {
  int given_up = 0, to_a = 0;
  for (int i = 0; i < kUnits; ++i) {
    const std::string before = drawn("prescope", {"a", "b", "c"}, patent(i));
    const std::string without = drawn("prescope", {"a", "c"}, patent(i));
    if (before != "b") {
      ASSERT_EQ(without, before) << patent(i);
      continue;
    }
    ++given_up;
    to_a += without == "a" ? 1 : 0;
    // Its place in the table does not matter when it comes back.
    ASSERT_EQ(drawn("prescope", {"b", "c", "a"}, patent(i)), "b");
  }
  expect_share(given_up, kUnits, 1.0 / 3);
  expect_share(to_a, given_up, 0.5);
}

TEST(ArmDraw, OtherSaltIsAnIndependentDraw) {
  std::array<std::array<int, 2>, 2> together{};
  for (int i = 0; i < kUnits; ++i) {
    const std::size_t one = drawn("prescope", {"a", "b"}, patent(i)) == "a" ? 0 : 1;
    const std::size_t other = drawn("prescope2", {"a", "b"}, patent(i)) == "a" ? 0 : 1;
    ++together[one][other];
  }
  for (const auto& row : together) {
    for (const int count : row) expect_share(count, kUnits, 0.25);
  }
}

TEST(ArmDraw, SaltAndUnitAreNotConcatenated) {
  // "xa" + "b" and "x" + "ab": a draw of concatenated names could not tell them apart.
  int same = 0;
  for (int i = 0; i < kUnits; ++i) {
    const bool one = drawn("salt", {"a", "b"}, "x" + patent(i)) == "a";
    const bool other = drawn("saltx", {"a", "b"}, patent(i)) == "a";
    same += one == other ? 1 : 0;
  }
  expect_share(same, kUnits, 0.5);
}

TEST(ArmDraw, WithoutAnActiveArmNoArmIsDrawn) {
  ArmTable arms(std::vector<std::string>{"a"});
  arms.set(ArmIndex(0), ArmStatus::kPaused);
  EXPECT_EQ(arms.drawn_for("unit", "salt"), std::nullopt);
}

TEST(ArmDraw, UnequalSharesGiveEachArmItsOwn) {
  const std::vector<std::string> names{"old", "new", "third"};
  const ArmTable two(std::span<const std::string>(names).first(2), {{"old", 19.0}});
  const ArmTable three(names, {{"old", 0.5}, {"third", 2.0}});
  std::map<std::string, int> of_two, of_three;
  for (int i = 0; i < kUnits; ++i) {
    ++of_two[names[two.drawn_for(patent(i), "autumn")->value()]];
    ++of_three[names[three.drawn_for(patent(i), "autumn")->value()]];
  }
  expect_share(of_two["new"], kUnits, 0.05);
  expect_share(of_three["old"], kUnits, 0.5 / 3.5);
  expect_share(of_three["third"], kUnits, 2.0 / 3.5);
}

TEST(ArmDraw, AnArmThatGrowsKeepsItsUnits) {
  const std::vector<std::string> names{"old", "new"};
  const ArmTable before(names, {{"old", 19.0}}), after(names, {{"old", 3.0}});
  for (int i = 0; i < kUnits; ++i) {
    const bool was_new = before.drawn_for(patent(i), "autumn") == ArmIndex(1);
    if (!was_new) continue;
    ASSERT_EQ(after.drawn_for(patent(i), "autumn"), ArmIndex(1)) << patent(i);
  }
}

/// Of the arm with 95 %, one topic in 19 is compared, so that both arms have as many.
TEST(ArmDraw, TheSecondDrawSaysNothingAboutTheArm) {
  const std::vector<std::string> names{"old", "new"};
  const ArmTable table(names, {{"old", 19.0}});
  std::array<int, 2> of{}, below{};
  for (int i = 0; i < kUnits; ++i) {
    const std::size_t arm = table.drawn_for(patent(i), "autumn")->value();
    ++of[arm];
    const double draw = second_draw(patent(i), "autumn");
    ASSERT_TRUE(draw >= 0.0 && draw < 1.0);
    below[arm] += draw < 1.0 / 19.0 ? 1 : 0;
  }
  for (const std::size_t arm : {0U, 1U}) expect_share(below[arm], of[arm], 1.0 / 19.0);
}

TEST(AddShare, ReadsTheNameUpToTheLastEqualsSign) {
  ArmShares shares;
  add_share(shares, "k1=1.2=0.05");
  EXPECT_EQ(shares, (ArmShares{{"k1=1.2", 0.05}}));
  for (const char* const text : {"old", "=5", "old=", "old=x", "", "k1=1.2=3"}) {
    EXPECT_THROW(add_share(shares, text), Error) << text;
  }
}

}  // namespace
}  // namespace prescope
