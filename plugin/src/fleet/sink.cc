#include "fleet/sink.h"

#include <algorithm>

#include "base/errors.h"
#include "fleet/clickhouse.h"

namespace prescope {

FleetSink::FleetSink(Database& database, std::string url)
    : database_(database), url_(std::move(url)), name_(url_) {
  Statement known(database_, "SELECT name FROM sinks WHERE url = ?");
  if (known.bind(url_).next()) {
    name_ = known.text(0);
    return;
  }
  Statement(database_, "INSERT INTO sinks (name, url) VALUES (?, ?)").bind(name_, url_).run();
}

FleetSink::State FleetSink::state() const {
  Statement row(database_,
                "SELECT acknowledged, in_flight, latest_ms, order_ms, told, published, dropped,"
                " ahead_rows, made_ms FROM sinks WHERE name = ?");
  State state;
  if (row.bind(name_).next()) {
    row.read(state.acknowledged, state.in_flight, state.latest_ms, state.order_ms, state.told,
             state.published, state.dropped, state.ahead_rows, state.made_ms);
    return state;
  }
  throw usage_error("{}: '{}' was forgotten while it was shipped to", database_.path().string(),
                    url_);
}

bool FleetSink::identify(std::uint64_t id) {
  const std::string name = fmt::format("{:016x}", id);
  if (name == name_) return false;
  Transaction transaction(database_);
  const bool was_another = name_ != url_;
  Statement known(database_, "SELECT count(*) FROM sinks WHERE name = ?");
  known.bind(name).next();
  const bool is_known = known.integer(0) > 0;
  known.rewind();
  // A row that has only the URL is of a fleet that has not answered yet.
  if (is_known || was_another) {
    remove(name_);
  }
  if (is_known) {
    Statement(database_, "UPDATE sinks SET url = ? WHERE name = ?").bind(url_, name).run();
  } else if (was_another) {
    Statement(database_, "INSERT INTO sinks (name, url) VALUES (?, ?)").bind(name, url_).run();
  } else {
    rename(name);
  }
  transaction.commit();
  name_ = name;
  return was_another;
}

std::optional<std::int64_t> FleetSink::compare(std::int64_t known) {
  const State now = state();
  if (now.published && known > *now.published) {
    throw FleetConflict(fmt::format(
        "{}: the fleet at {} has {} observations of it, but this file has sent no more than {}: it "
        "was restored from an older state, or it is a copy of a store that is shipped; begin with "
        "a new store",
        database_.path().string(), url_, known, *now.published));
  }
  const std::int64_t published = std::max(now.acknowledged, known);
  if (!now.published) {
    Statement(database_, "UPDATE sinks SET published = ? WHERE name = ?")
        .bind(published, name_)
        .run();
  }
  return known < now.told ? std::optional(known) : std::nullopt;
}

void FleetSink::note_told() {
  Statement(database_,
            "UPDATE sinks SET told = acknowledged, published = max(ifnull(published, 0),"
            " acknowledged) WHERE name = ?")
      .bind(name_)
      .run();
}

std::uint64_t FleetSink::next_version() {
  Statement(database_, "UPDATE sinks SET made_ms = max(made_ms + 1, ?) WHERE name = ?")
      .bind(utc_now_ms(), name_)
      .run();
  return state().made_ms;
}

std::uint64_t FleetSink::waiting() const {
  // SQLite looks an end up in its tree only if it is asked for alone.
  Statement row(database_,
                "SELECT ifnull((SELECT min(seq) FROM observations), 0),"
                " ifnull((SELECT max(seq) FROM observations), 0)");
  row.next();
  const std::int64_t before = std::max(row.integer(0) - 1, state().acknowledged);
  return static_cast<std::uint64_t>(std::max(row.integer(1) - before, std::int64_t{0}));
}

std::uint64_t FleetSink::drop(const Limits& limits, UtcTime now) {
  const State before = state();
  std::int64_t up_to = before.acknowledged;
  if (limits.bytes) {
    const auto most = static_cast<std::int64_t>(*limits.bytes / kBytesOfRow);
    up_to =
        std::max(up_to, database_.number("SELECT ifnull(max(seq), 0) FROM observations") - most);
  }
  if (limits.age) {
    // Rows are stored about in the order of their times, so that the oldest stand first.
    constexpr int kMost = 100'000;
    Statement old(database_,
                  "SELECT max(seq) FROM (SELECT seq, time_ms FROM observations WHERE seq > ?"
                  " ORDER BY seq LIMIT ?) WHERE time_ms < ?");
    old.bind(before.acknowledged, kMost, now - *limits.age).next();
    up_to = std::max(up_to, old.as<std::optional<std::int64_t>>(0).value_or(0));
  }
  if (up_to <= before.acknowledged) return 0;
  Transaction transaction(database_);
  Statement count(database_, "SELECT count(*) FROM observations WHERE seq > ? AND seq <= ?");
  count.bind(before.acknowledged, up_to).next();
  const auto dropped = count.as<std::uint64_t>(0);
  count.rewind();
  Statement(database_,
            "UPDATE sinks SET acknowledged = ?1, in_flight = NULL, dropped = dropped + ?2,"
            " published = max(published, ?1) WHERE name = ?3")
      .bind(up_to, dropped, name_)
      .run();
  transaction.commit();
  return dropped;
}

void FleetSink::promise(UtcTime time) {
  Transaction transaction(database_);
  const State now = state();
  if (now.in_flight || waiting() > 0) return;
  Statement(database_, "UPDATE sinks SET order_ms = max(order_ms + 1, ?) WHERE name = ?")
      .bind(time, name_)
      .run();
  transaction.commit();
}

void FleetSink::rename(const std::string& name) {
  Statement(database_, "UPDATE sinks SET name = ? WHERE name = ?").bind(name, name_).run();
  Statement(database_, "UPDATE sink_epochs SET sink = ? WHERE sink = ?").bind(name, name_).run();
}

void FleetSink::remove(const std::string& name) {
  Statement(database_, "DELETE FROM sinks WHERE name = ?").bind(name).run();
  Statement(database_, "DELETE FROM sink_epochs WHERE sink = ?").bind(name).run();
}

void FleetSink::forget(Database& database, std::string_view url) {
  Transaction transaction(database);
  Statement(database,
            "DELETE FROM sink_epochs WHERE sink IN (SELECT name FROM sinks WHERE url = ?)")
      .bind(url)
      .run();
  Statement(database, "DELETE FROM sinks WHERE url = ?").bind(url).run();
  const bool is_known = database.getChanges() > 0;
  transaction.commit();
  if (is_known) return;
  const std::vector<std::string> urls = texts_of(database, "SELECT url FROM sinks ORDER BY url");
  const std::vector<std::string_view> known(urls.begin(), urls.end());
  throw usage_error("{}: {}", database.path().string(), unknown_name_message("fleet", url, known));
}

}  // namespace prescope
