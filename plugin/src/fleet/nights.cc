#include "fleet/nights.h"

#include <algorithm>
#include <thread>

#include "base/errors.h"
#include "base/random_bits.h"
#include "fleet/patience.h"
#include "fleet/row_binary.h"
#include "fleet/schema.h"

namespace prescope {

namespace {

using std::chrono::milliseconds;

/// Stands first in each change.
constexpr std::uint8_t kFormat = 1;

/// A change, and the change that began its attempt; 0: none.
struct Entry {
  StoreChange change{};
  std::uint64_t attempt = 0;
};

[[noreturn]] void refuse_change(std::string_view why) {
  throw bad_input_error(
      "a row of the fleet's table 'nights' {}; use the prescope that wrote it, or remove the row",
      why);
}

/// An enumeration whose last value is known, so that others can be refused.
template <class Enum>
struct UpTo {
  Enum& value;
  Enum last;
};
// Clang 16 does not deduce it from the members.
template <class Enum>
UpTo(Enum&, Enum) -> UpTo<Enum>;

// Encodes the structs, lists and optional values of a change; append_value encodes the others. Each
// struct has a function `members`.
class Encoder {
 public:
  explicit Encoder(std::string& bytes) : bytes_(bytes) {}
  template <class... Values>
  void operator()(Values&&... values) {
    (put(values), ...);
  }

 private:
  template <class Value>
  void put(Value& value) {
    if constexpr (requires { members(*this, value); }) {
      members(*this, value);
    } else {
      append_value(bytes_, value);
    }
  }
  void put(Measure& value) { append_value(bytes_, value.name()); }
  template <class Enum>
  void put(UpTo<Enum>& value) {
    append_value(bytes_, static_cast<std::uint8_t>(value.value));
  }
  template <class Value>
  void put(std::optional<Value>& value) {
    append_value(bytes_, static_cast<std::uint8_t>(value.has_value()));
    if (value) put(*value);
  }
  template <class Value>
  void put(std::vector<Value>& values) {
    append_varint(bytes_, values.size());
    for (Value& value : values) put(value);
  }

  std::string& bytes_;
};

class Decoder {
 public:
  explicit Decoder(RowBinaryReader& bytes) : bytes_(bytes) {}
  template <class... Values>
  void operator()(Values&&... values) {
    (get(values), ...);
  }

 private:
  template <class Value>
  static Value made() {
    if constexpr (std::same_as<Value, Measure>) {
      return Measure::parse("AP");
    } else if constexpr (std::same_as<Value, GateVerdict::MeasureResult>) {
      return {.measure = made<Measure>()};
    } else {
      return Value{};
    }
  }
  template <class Value>
  void get(Value& value) {
    if constexpr (requires { members(*this, value); }) {
      members(*this, value);
    } else {
      read_value(bytes_, value);
    }
  }
  void get(Measure& value) { value = Measure::parse(bytes_.text()); }
  void get(LatencySketch& value) {
    auto sketch = LatencySketch::from_bytes(bytes_.text());
    if (!sketch) refuse_change("has a latency that is none");
    value = *std::move(sketch);
  }
  template <class Enum>
  void get(UpTo<Enum>& value) {
    const auto number = bytes_.number<std::uint8_t>();
    if (number > static_cast<std::uint8_t>(value.last)) refuse_change("has an unknown value");
    value.value = static_cast<Enum>(number);
  }
  template <class Value>
  void get(std::optional<Value>& value) {
    value.reset();
    if (bytes_.number<std::uint8_t>() != 0) get(value.emplace(made<Value>()));
  }
  template <class Value>
  void get(std::vector<Value>& values) {
    for (std::uint64_t left = bytes_.length(); left > 0; --left) {
      get(values.emplace_back(made<Value>()));
    }
  }

  RowBinaryReader& bytes_;
};

void members(auto& io, MustFind& one) { io(one.topic, one.docno); }
void members(auto& io, Pin& pin) { io(pin.name, pin.by, pin.why, pin.time, pin.must_find); }
void members(auto& io, Attempt& attempt) {
  io(attempt.time, attempt.baseline, attempt.source, attempt.reason);
}
void members(auto& io, QrelsVersion& qrels) {
  io(qrels.hash, qrels.topics, qrels.judgements, qrels.relevant,
     UpTo{qrels.docno, DocnoPolicy::kFamily}, qrels.min_grade);
}
void members(auto& io, IndexVersion& index) {
  io(index.engine, index.engine_version, index.path, index.documents, index.judged_found);
}
void members(auto& io, DocnoHint& hint) {
  io(UpTo{hint.policy, DocnoPolicy::kFamily}, hint.judged, hint.matched, hint.would_match);
}
void members(auto& io, EvaluationRecord::Found& found) { io(found.docno, found.rank); }
void members(auto& io, EvaluationRecord::Topic& topic) {
  io(topic.id, topic.num_rel, topic.num_ret, topic.duplicates, topic.served, topic.found,
     topic.latency, topic.text);
}
void members(auto& io, EvaluationRecord& record) {
  io(record.arm, record.source, record.config, record.time, record.qrels, record.index,
     record.depth, record.measures, record.topics, record.latency, record.docno_hint);
}
void members(auto& io, GateVerdict::Rule& rule) {
  io(rule.id, UpTo{rule.status, GateVerdict::Status::kBadInput}, rule.reason);
}
void members(auto& io, GateVerdict::MeasureResult& result) {
  io(result.measure, result.margin, result.topics, result.baseline, result.tonight,
     result.difference, result.low, result.high, result.wins, result.ties, result.losses,
     UpTo{result.status, GateVerdict::Status::kBadInput});
}
/// These members of a verdict are stored.
void members(auto& io, GateVerdict& verdict) {
  io(UpTo{verdict.outcome, GateOutcome::kBadInput}, verdict.rules, verdict.measures,
     verdict.baseline.name, verdict.baseline.number);
}
void members(auto& io, Entry& entry) {
  StoreChange& change = entry.change;
  io(change.record, change.evaluation, change.pin, change.verdict, change.attempt, entry.attempt);
}

std::string encoded(Entry entry) {
  std::string bytes;
  append_value(bytes, kFormat);
  Encoder encode(bytes);
  encode(entry);
  return bytes;
}

Entry decoded(std::string_view bytes) {
  RowBinaryReader reader(bytes);
  if (reader.number<std::uint8_t>() != kFormat) refuse_change("was written by a newer prescope");
  Entry entry;
  Decoder decode(reader);
  decode(entry);
  return entry;
}

/// Another machine has added an evaluation of the same number.
struct NumberTaken {};

}  // namespace

FleetNights::FleetNights(FleetAddress address, Patience patience)
    : Store(open_store_file(address.text, Access::kMemory)),
      fleet_(std::move(address)),
      patience_(patience) {
  patiently(patience_, [this] { catch_up(); });
}

void FleetNights::catch_up() {
  FleetRows row(fleet_,
                "SELECT id, number, place, change FROM {}.nights FINAL WHERE place >= {} "
                "ORDER BY place, id",
                fleet_.address().database, place_);
  std::uint64_t id = 0, place = 0;
  std::int64_t number = 0;
  std::string_view bytes;
  while (row.next(id, number, place, bytes)) {
    place_ = std::max(place_, place);
    if (!ids_.contains(id)) replay(id, number, bytes);
  }
}

void FleetNights::replay(std::uint64_t id, std::int64_t number, std::string_view bytes) {
  Entry entry = decoded(bytes);
  StoreChange& change = entry.change;
  // A machine that was killed may have left two evaluations of one number.
  if (change.record)
    change.evaluation = numbers_.contains(number) ? *numbers_.rbegin() + 1 : number;
  const auto attempt = attempts_.find(entry.attempt);
  if (attempt != attempts_.end()) change.attempt_number = attempt->second;
  Store::apply(change);
  note(id, change);
}

void FleetNights::note(std::uint64_t id, const StoreChange& change) {
  ids_.insert(id);
  if (change.record) numbers_.insert(change.evaluation);
  if (!change.attempt_number) return;
  if (change.attempt) {
    attempts_.emplace(id, *change.attempt_number);
  } else {
    std::erase_if(attempts_, [&](const auto& one) { return one.second == change.attempt_number; });
  }
}

void FleetNights::publish(std::uint64_t id, const StoreChange& change, const std::string& bytes) {
  std::string row;
  append_row(row, id, change.record ? change.evaluation : 0, place_ + 1, bytes);
  patiently(patience_, [&] { insert_rows(fleet_, kNightsTable, row); });
  if (!change.record) return;
  std::uint64_t others = 0;
  patiently(patience_, [&] {
    FleetRows(fleet_,
              "SELECT toUInt64(count()) FROM {}.nights FINAL WHERE number = {} AND id != {}",
              fleet_.address().database, change.evaluation, id)
        .read(others);
  });
  if (others > 0) throw NumberTaken();
}

void FleetNights::apply(StoreChange& given) {
  const std::uint64_t id = random_bits();
  ids_.insert(id);
  while (true) {
    patiently(patience_, [this] { catch_up(); });
    Entry entry{.change = given};
    StoreChange& change = entry.change;
    if (change.record) change.evaluation = numbers_.empty() ? 1 : *numbers_.rbegin() + 1;
    for (const auto& [began, number] : attempts_) {
      if (number == change.attempt_number) entry.attempt = began;
    }
    const std::string bytes = encoded(entry);
    try {
      Store::apply(change, [&] { publish(id, change, bytes); });
      note(id, change);
      given = std::move(change);
      return;
    } catch (const NumberTaken&) {
      // The other's row may have a place that was read before it came.
      numbers_.insert(change.evaluation);
      // Both may have seen the other, and wait differently long.
      std::this_thread::sleep_for(milliseconds(random_bits() % 300));
    }
  }
}

std::unique_ptr<Store> open_nights(const std::string& store, Store::Access access) {
  if (!is_fleet_url(store)) return std::make_unique<Store>(Store::open(store, access));
  if (access != Store::Access::kRead) {
    return std::make_unique<FleetNights>(parse_fleet_url(store));
  }
  return std::make_unique<FleetNights>(parse_fleet_url(store), FleetNights::Patience(0));
}

std::string nights_name(const std::string& store) {
  return is_fleet_url(store) ? parse_fleet_url(store).text : store;
}

}  // namespace prescope
