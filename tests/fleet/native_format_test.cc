// Answers in ClickHouse's format Native, written byte by byte as its documentation says.
#include "fleet/native_format.h"

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

/// Returns a block of columns `n UInt32`, `t String`, `r Array(UInt32)`.
std::string block_of(const std::vector<Row>& rows) {
  std::string block;
  append_varint(block, 3);
  append_varint(block, rows.size());
  append_text(block, "n");
  append_text(block, "UInt32");
  for (const Row& row : rows) append_number(block, row.number);
  append_text(block, "t");
  append_text(block, "String");
  for (const Row& row : rows) append_text(block, row.text);
  append_text(block, "r");
  append_text(block, "Array(UInt32)");
  std::uint64_t end = 0;
  for (const Row& row : rows) append_number(block, end += row.ranks.size());
  for (const Row& row : rows) {
    for (const std::uint32_t rank : row.ranks) append_number(block, rank);
  }
  return block;
}

template <class Number = std::uint32_t>
std::vector<Row> read(const std::string& answer) {
  std::vector<Row> rows;
  for (NativeReader reader(answer); reader.next();) {
    Row row{.number = static_cast<std::uint32_t>(reader.number<Number>()),
            .text = std::string(reader.text()),
            .ranks = {}};
    reader.array<std::uint32_t>([&](std::uint32_t rank) { row.ranks.push_back(rank); });
    rows.push_back(std::move(row));
  }
  return rows;
}

const Row kA{1, "", {}}, kB{4'000'000'000, std::string(200, 'x'), {5, 7}}, kC{3, "c\n", {9}};

TEST(NativeFormat, RowsOfSeveralBlocksAreReadInOrder) {
  EXPECT_THAT(read(""), ElementsAre());
  EXPECT_THAT(read(block_of({kA, kB}) + block_of({}) + block_of({kC, kA})),
              ElementsAre(kA, kB, kC, kA));
}

TEST(NativeFormat, AnAnswerOfAnotherFormIsRefused) {
  const std::string answer = block_of({kA, kB, kC});
  for (std::size_t size = 1; size < answer.size(); ++size) {
    EXPECT_THROW(read(answer.substr(0, size)), Error) << size;
  }
  EXPECT_THROW(read(answer + "Code: 241. DB::Exception: Memory limit exceeded"), Error);
  EXPECT_THROW(read<std::uint64_t>(answer), Error);
  std::string other = answer;
  EXPECT_THROW(read(other.replace(other.find("UInt32"), 6, "Float3")), Error);
  // More values than memory could hold.
  std::string huge = answer;
  const std::size_t ends = huge.find("Array(UInt32)") + 13;
  for (std::size_t i = 0; i < 24; ++i) huge[ends + i] = '\xff';
  EXPECT_THROW(read(huge), Error);
}

}  // namespace
}  // namespace prescope
