#include "fleet/receipt.h"

#include <fmt/format.h>
#include <algorithm>
#include <numeric>

#include "base/errors.h"
#include "base/sip_hash.h"
#include "base/text_file.h"
#include "fleet/row_binary.h"

namespace prescope {

namespace {

/// A column of a table: how SQL and this program write its value as the same text.
struct Column {
  std::string name{}, type{};
  bool is_hashed = true;
};

std::vector<Column> columns_of(const FleetTable& table) {
  const std::vector<std::string> differing = split(table.may_differ, ' ');
  std::vector<Column> columns;
  for (const std::string& column : split(table.columns, ',')) {
    const std::vector<std::string> words = split(trimmed(column), ' ');
    const bool may_differ = std::ranges::find(differing, words[0]) != differing.end();
    columns.push_back({.name = words[0], .type = words[1], .is_hashed = !may_differ});
  }
  return columns;
}

std::string text_in_sql(const Column& column) {
  const std::string& name = column.name;
  if (column.type == "String") return fmt::format("toString(length({0})), ':', {0}", name);
  if (column.type == "Array(String)") return fmt::format("arrayStringConcat({}, ',')", name);
  if (column.type == "Date") return fmt::format("toString(toUInt16({}))", name);
  if (column.type == "Float64") {
    return fmt::format("toString(reinterpretAsUInt64(reinterpretAsString({})))", name);
  }
  return fmt::format("toString({})", name);
}

template <class Number>
void append_number(std::string& text, RowBinaryReader& row) {
  text += fmt::format_int(row.number<Number>()).str();
}

void append_scalar(std::string& text, std::string_view type, RowBinaryReader& row) {
  if (type == "UInt8") return append_number<std::uint8_t>(text, row);
  if (type == "UInt16" || type == "Date") return append_number<std::uint16_t>(text, row);
  if (type == "UInt32") return append_number<std::uint32_t>(text, row);
  if (type == "Int32") return append_number<std::int32_t>(text, row);
  if (type == "Int64") return append_number<std::int64_t>(text, row);
  if (type == "UInt64" || type == "Float64") return append_number<std::uint64_t>(text, row);
  refuse_answer();
}

void append_text(std::string& text, const Column& column, RowBinaryReader& row) {
  constexpr std::string_view kArray = "Array(";
  std::string_view type = column.type;
  if (type == "String") {
    const std::string_view value = row.text();
    text += fmt::format("{}:{}", value.size(), value);
  } else if (type.starts_with(kArray)) {
    type = type.substr(kArray.size(), type.size() - kArray.size() - 1);
    const bool has_texts = type == "String";
    if (!has_texts) text += '[';
    const std::uint64_t length = row.length();
    for (std::uint64_t i = 0; i < length; ++i) {
      if (i > 0) text += ',';
      has_texts ? void(text += row.text()) : append_scalar(text, type, row);
    }
    if (!has_texts) text += ']';
  } else {
    append_scalar(text, type, row);
  }
}

}  // namespace

Receipt expected_receipt(const FleetTable& table, std::string_view rows) {
  const std::vector<Column> columns = columns_of(table);
  std::vector<std::uint64_t> hashes;
  std::string text, unhashed;
  for (RowBinaryReader row(rows); !row.at_end();) {
    text.clear();
    unhashed.clear();
    for (const Column& column : columns) {
      append_text(column.is_hashed ? text : unhashed, column, row);
      if (column.is_hashed) text += ' ';
    }
    hashes.push_back(SipHash::of(text));
  }
  std::ranges::sort(hashes);
  hashes.erase(std::unique(hashes.begin(), hashes.end()), hashes.end());
  return {.rows = hashes.size(),
          .hash = std::accumulate(hashes.begin(), hashes.end(), std::uint64_t{0})};
}

Receipt read_receipt(ClickHouse& fleet, const FleetTable& table, std::string_view condition) {
  std::string text;
  for (const Column& column : columns_of(table)) {
    if (column.is_hashed)
      text += fmt::format("{}{}, ' '", text.empty() ? "" : ", ", text_in_sql(column));
  }
  const std::string answer =
      fleet.ask(fmt::format("SELECT toUInt64(count()), toUInt64(sum(hash)) FROM (SELECT DISTINCT "
                            "sipHash64(concat({})) AS hash FROM {}.{} WHERE {}) FORMAT RowBinary",
                            text, fleet.address().database, table.name, condition));
  Receipt receipt;
  if (answer.size() != sizeof receipt.rows + sizeof receipt.hash) {
    throw FleetUnavailable(fmt::format("{}: what answers is no ClickHouse: it gives no receipt",
                                       fleet.address().text));
  }
  RowBinaryReader row(answer);
  read_row(row, receipt.rows, receipt.hash);
  return receipt;
}

void verify_rows(ClickHouse& fleet, const FleetTable& table, const Receipt& expected,
                 std::string_view condition) {
  Receipt receipt;
  BackOff back_off;
  for (int look = 0; look < 6; ++look) {
    receipt = read_receipt(fleet, table, condition);
    if (receipt == expected) return;
    if (receipt.rows >= expected.rows) {
      throw FleetConflict(
          fmt::format("{}: table {} has other rows in the place of {} that were sent",
                      fleet.address().text, table.name, expected.rows));
    }
    std::this_thread::sleep_for(back_off.next());
  }
  throw FleetUnavailable(fmt::format("{}: {} of {} rows that table {} has acknowledged are there",
                                     fleet.address().text, receipt.rows, expected.rows,
                                     table.name));
}

void insert_rows(ClickHouse& fleet, const FleetTable& table, std::string_view rows,
                 std::string_view condition) {
  send_rows(fleet, table, rows);
  verify_rows(fleet, table, expected_receipt(table, rows), condition);
}

}  // namespace prescope
