#include "base/text_table.h"

#include <bit>
#include <cstring>

#include "base/split_mix.h"

namespace prescope {

namespace {

/// Hashes words of 8 bytes; the last is filled up with zeros, which the length tells from others.
class HashingSink final : public NormalizedSink {
 public:
  explicit HashingSink(std::size_t longest) noexcept : longest_(longest) {}

  bool take(std::string_view piece) noexcept override {
    size_ += piece.size();
    for (; !piece.empty(); piece.remove_prefix(std::min<std::size_t>(piece.size(), 8))) {
      std::uint64_t word = 0;
      std::memcpy(&word, piece.data(), std::min<std::size_t>(piece.size(), 8));
      hash_ = (std::rotl(hash_, 5) ^ word) * 0x9E3779B97F4A7C15U;
    }
    return size_ <= longest_;
  }

  [[nodiscard]] std::uint64_t hash() const noexcept { return hash_ ^ size_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

 private:
  std::size_t longest_;
  std::size_t size_ = 0;
  std::uint64_t hash_ = 0;
};

class ComparingSink final : public NormalizedSink {
 public:
  explicit ComparingSink(std::string_view expected) noexcept : expected_(expected) {}

  bool take(std::string_view piece) noexcept override {
    same_ = expected_.starts_with(piece);
    if (same_) expected_.remove_prefix(piece.size());
    return same_;
  }

  [[nodiscard]] bool same() const noexcept { return same_ && expected_.empty(); }

 private:
  std::string_view expected_;
  bool same_ = true;
};

class CollectingSink final : public NormalizedSink {
 public:
  bool take(std::string_view piece) override {
    text.append(piece);
    return true;
  }
  std::string text;
};

bool has_text(std::string_view text, std::string_view normalized) noexcept {
  ComparingSink sink(normalized);
  return normalize(text, sink) == TextFault::kNone && sink.same();
}

}  // namespace

std::uint64_t TextTable::well_mixed(std::uint64_t hash) noexcept { return SplitMix(hash).next(); }

TextTable::Added TextTable::add(TopicIndex topic, std::string_view text) {
  CollectingSink collected;
  const TextFault fault = normalize(text, collected);
  if (fault != TextFault::kNone) return {.fault = fault};
  if (collected.text.empty()) return {.empty = true};
  const TopicIndex before = find(text);
  if (before != kUnjudgedTopic) return {.same_as = before};

  HashingSink hashed(collected.text.size());
  hashed.take(collected.text);
  longest_ = std::max(longest_, collected.text.size());
  entries_.push_back({finish_(hashed.hash()), topic, std::move(collected.text)});
  if (entries_.size() * 2 > slots_.size()) {
    grow();
  } else {
    place(static_cast<std::uint32_t>(entries_.size() - 1));
  }
  return {};
}

TopicIndex TextTable::find(std::string_view text) const noexcept {
  HashingSink hashed(longest_);
  if (normalize(text, hashed) != TextFault::kNone) return kUnjudgedTopic;
  if (hashed.size() == 0 || hashed.size() > longest_) return kUnjudgedTopic;
  const std::uint64_t hash = finish_(hashed.hash());
  for (std::size_t i = hash & (slots_.size() - 1); slots_[i].entry != kFree;
       i = (i + 1) & (slots_.size() - 1)) {
    if (slots_[i].hash != hash) continue;
    const Entry& entry = entries_[slots_[i].entry];
    if (entry.normalized.size() == hashed.size() && has_text(text, entry.normalized)) {
      return entry.topic;
    }
  }
  return kUnjudgedTopic;
}

void TextTable::place(std::uint32_t entry) noexcept {
  std::size_t i = entries_[entry].hash & (slots_.size() - 1);
  while (slots_[i].entry != kFree) i = (i + 1) & (slots_.size() - 1);
  slots_[i] = {entries_[entry].hash, entry};
}

void TextTable::grow() {
  slots_.assign(std::bit_ceil(entries_.size() * 4), {});
  for (std::uint32_t entry = 0; entry < entries_.size(); ++entry) place(entry);
}

}  // namespace prescope
