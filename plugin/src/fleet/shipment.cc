#include "fleet/shipment.h"

#include <fmt/format.h>
#include <algorithm>

#include "base/random_bits.h"
#include "fleet/receipt.h"
#include "fleet/row_binary.h"

namespace prescope {

namespace {

/// Shows that a ClickHouse answers, and no login page.
constexpr std::string_view kMark = "the identity of a fleet";

/// A replica that follows would know fewer rows than are there. It refuses instead to read, if all
/// that this shipper writes is written to a quorum.
FleetAddress consistent(FleetAddress address) {
  if (address.settings.find("&insert_quorum=") != std::string::npos &&
      address.settings.find("&select_sequential_consistency=") == std::string::npos) {
    address.settings += "&select_sequential_consistency=1";
  }
  return address;
}

}  // namespace

Shipment::Shipment(const std::filesystem::path& store, const FleetAddress& address,
                   const ShipOptions& options)
    : options_(options),
      fleet_(consistent(address)),
      outbox_(store, address.text, options.server),
      words_{.writer = random_bits()},
      at_once_(options.batch),
      most_at_once_(options.batch) {}

/// Asks the fleet for all that a step takes for granted.
void Shipment::look() {
  if (!is_checked_) check_fleet(fleet_);
  is_checked_ = true;
  identify();
  compare();
}

void Shipment::identify() {
  FleetRows row(
      fleet_,
      "SELECT {}, id, toInt64(toUnixTimestamp(now())) FROM {}.{} ORDER BY made_ms, id LIMIT 1",
      sql_text(kMark), fleet_.address().database, kFleetTable.name);
  std::string mark;
  std::uint64_t id = 0;
  std::int64_t seconds = 0;
  const bool is_there = row.next(mark, id, seconds);
  if (is_there && mark != kMark) refuse_answer();
  if (!is_there) {
    throw FleetUnavailable(
        fmt::format("{0}: the database has no identity; 'prescope fleet init {0}' gives it one",
                    fleet_.address().text));
  }
  clock_ = UtcTime(std::chrono::seconds(seconds));
  words_.ahead = utc_now() - clock_;
  if (!outbox_.identify(id)) return;
  announced_.clear();
  sent_judgements_.clear();
  options_.on_warning(
      fmt::format("{}: the database there is another one than before; all that the store has is "
                  "shipped to it",
                  fleet_.address().text));
}

void Shipment::compare() {
  FleetRows row(fleet_,
                "SELECT toUInt64(max(up_to)), argMax(writer, made_ms), argMax(server, made_ms) "
                "FROM {}.spools WHERE spool = {}",
                fleet_.address().database, outbox_.spool());
  std::uint64_t known = 0, writer = 0;
  std::string server;
  row.read(known, writer, server);
  const std::uint64_t again = outbox_.compare(known);
  if (again > 0) {
    announced_.clear();
    sent_judgements_.clear();
    options_.on_warning(
        fmt::format("{}: the fleet has lost rows: it knows {}; {} that the store still has are "
                    "sent again",
                    fleet_.address().text, known, again));
  }
  const bool is_other = writer != 0 && writer != words_.writer;
  if (is_other && other_writer_ && writer != *other_writer_) {
    options_.on_warning(
        fmt::format("another process ships this store, or a copy of it, as server '{}'; one "
                    "process ships a store at a time, and a copy is no store of its own",
                    server));
  }
  if (is_other || !other_writer_) other_writer_ = writer;
}

bool Shipment::send() {
  look();
  while (true) {
    try {
      const bool is_more = send_observations(at_once_);
      at_once_ = std::min(at_once_ * 2, most_at_once_);
      return is_more;
    } catch (const FleetTooLarge&) {
      if (tried_ <= 1) throw;
      most_at_once_ = at_once_ = std::min(at_once_, tried_) / 2;
    } catch (const FleetUnavailable&) {
      // The link may be too slow for so many.
      at_once_ = std::max<std::size_t>(std::min(at_once_, tried_) / 2, 1);
      throw;
    }
  }
}

bool Shipment::send_observations(std::size_t most) {
  const std::optional<Outbox::Batch> batch = outbox_.next(most, clock_);
  if (!batch) return false;
  if (outbox_.sessions_left_out() > std::exchange(left_out_, outbox_.sessions_left_out())) {
    options_.on_warning(
        fmt::format("{} of the store found {} topics as they came, and {} not shipped: a fleet "
                    "compares the topics of a list; name them in a topics file (topics.path)",
                    left_out_ == 1 ? "1 session" : fmt::format("{} sessions", left_out_),
                    left_out_ == 1 ? "its" : "their", left_out_ == 1 ? "is" : "are"));
  }
  tried_ = batch->count;
  for (const auto& [epoch, rows] : batch->epochs) announce(epoch);
  if (batch->count > 0) insert_rows(fleet_, kObservationsTable, batch->rows, batch->condition);
  outbox_.acknowledge(*batch);
  shipped_ += batch->count;
  for (const auto& [epoch, rows] : batch->epochs) grown_.insert(epoch);
  publish();
  return true;
}

void Shipment::beat() {
  constexpr std::chrono::seconds kUnwritten{1};  // what a log may still have in its queue
  outbox_.promise(clock_ - kUnwritten);
  publish();
}

std::uint64_t Shipment::drop() {
  return outbox_.drop({.age = options_.most_age, .bytes = options_.most_bytes}, utc_now());
}

void Shipment::note_failure(const std::string& reason) {
  words_.error = fmt::format("{}: {}", utc_text(utc_now()), reason);
  is_checked_ = false;
  announced_.clear();
  sent_judgements_.clear();
}

/// Sends what an epoch stands for before its observations, unless the fleet has it.
void Shipment::announce(std::int64_t epoch) {
  const std::string row = outbox_.epoch_row(epoch);
  if (announced_[epoch] == row) return;
  send_judgements(outbox_.judgements(epoch));
  const std::uint64_t version = outbox_.next_version();
  std::string versioned = row;
  append_value(versioned, version);
  insert_rows(fleet_, kEpochsTable, versioned, outbox_.epoch_condition(epoch, version));
  announced_[epoch] = row;
}

/// In parts, none of which has more rows than a batch of observations.
void Shipment::send_judgements(const Outbox::Judgements& judgements) {
  if (judgements.rows.empty() || sent_judgements_.contains(judgements.condition)) return;
  std::string all;
  for (std::size_t i = 0; i < judgements.rows.size();) {
    std::string part;
    const std::size_t end = std::min(i + at_once_, judgements.rows.size());
    tried_ = end - i;
    for (; i < end; ++i) part += judgements.rows[i];
    send_rows(fleet_, kJudgementsTable, part);
    all += part;
  }
  verify_rows(fleet_, kJudgementsTable, expected_receipt(kJudgementsTable, all),
              judgements.condition);
  sent_judgements_.insert(judgements.condition);
}

void Shipment::publish() {
  const std::uint64_t version = outbox_.next_version();
  const std::string condition = outbox_.spool_condition(version);
  const std::string shipped = outbox_.shipped_rows(grown_, version);
  if (!shipped.empty()) insert_rows(fleet_, kShippedTable, shipped, condition);
  grown_.clear();
  insert_rows(fleet_, kSpoolsTable, outbox_.spool_row(words_, version), condition);
  outbox_.note_told();
  complete_ = outbox_.complete();
}

}  // namespace prescope
