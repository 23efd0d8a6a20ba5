// Answers in ClickHouse's format RowBinary.
#include "fleet/row_binary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace prescope {
namespace {

using ::testing::ElementsAre;

struct Row {
  std::uint32_t number;
  std::string text;
  std::vector<std::uint32_t> ranks;
  friend bool operator==(const Row&, const Row&) = default;
};

/// Returns rows of columns `n UInt32`, `t String`, `r Array(UInt32)`.
std::string answer_of(const std::vector<Row>& rows) {
  std::string answer;
  for (const Row& row : rows) {
    append_row(answer, row.number, row.text);
    append_array(answer, row.ranks, std::identity());
  }
  return answer;
}

std::vector<Row> read(const std::string& answer) {
  std::vector<Row> rows;
  Row row;
  for (RowBinaryReader reader(answer); !reader.at_end();) {
    read_row(reader, row.number, row.text, row.ranks);
    rows.push_back(row);
  }
  return rows;
}

const Row kA{1, "", {}}, kB{4'000'000'000, std::string(200, 'x'), {5, 7}}, kC{3, "c\n", {9}};

TEST(RowBinary, RowsAreReadInOrder) {
  EXPECT_THAT(read(""), ElementsAre());
  EXPECT_THAT(read(answer_of({kA, kB, kC, kA})), ElementsAre(kA, kB, kC, kA));
  const std::string bytes("\x03\0\0\0\2c\n\1\x09\0\0\0", 12);
  EXPECT_EQ(answer_of({kC}), bytes) << "as ClickHouse's documentation says";
}

TEST(RowBinary, AnAnswerOfAnotherFormIsRefused) {
  const std::string answer = answer_of({kC, kB});
  for (std::size_t size = 1; size < answer.size(); ++size) {
    if (size == answer_of({kC}).size()) continue;  // which is a whole row
    EXPECT_THROW(read(answer.substr(0, size)), Error) << size;
  }
  EXPECT_THROW(read(answer + "Code: 241. DB::Exception: Memory limit exceeded"), Error);
  // More values, or a longer text, than memory could hold.
  const std::string endless(9, '\xff');
  EXPECT_THROW(read(std::string(4, '\0') + endless + "\1"), Error);
  EXPECT_THROW(read(std::string(5, '\0') + endless + "\1"), Error);
}

}  // namespace
}  // namespace prescope
