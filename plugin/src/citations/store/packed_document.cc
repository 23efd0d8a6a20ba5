#include "citations/store/packed_document.h"

#include <algorithm>
#include <numeric>

namespace prescope {
namespace {

void append_date(std::uint32_t date, std::string& record) {
  const bool is_short = date >= kFirstShortDate && date - kFirstShortDate < kLongDate;
  append_raw(record, static_cast<std::uint16_t>(is_short ? date - kFirstShortDate : kLongDate));
  if (!is_short) append_raw(record, date);
}

}  // namespace

std::uint32_t HeadTable::number_of(const PublicationHead& head) {
  const auto [at, is_new] = numbers_.try_emplace(head, static_cast<std::uint32_t>(heads_.size()));
  if (is_new) heads_.push_back(head);
  return at->second;
}

RecordEncoder::RecordEncoder(HeadTable& heads, std::span<const std::uint64_t> uses)
    : heads_(&heads), codes_(uses.size(), kShortCodes) {
  std::vector<std::uint32_t> commonest(uses.size());
  std::iota(commonest.begin(), commonest.end(), 0U);
  const std::size_t count = std::min(kShortCodes, commonest.size());
  const auto end = commonest.begin() + static_cast<std::ptrdiff_t>(count);
  std::partial_sort(commonest.begin(), end, commonest.end(), [&](std::uint32_t a, std::uint32_t b) {
    return uses[a] != uses[b] ? uses[a] > uses[b] : a < b;
  });
  short_codes_.fill(kNoShortCode);
  for (std::size_t i = 0; i < count; ++i) {
    short_codes_[i] = commonest[i];
    codes_[commonest[i]] = static_cast<std::uint8_t>(i);
  }
}

void RecordEncoder::append_facts(const FactIds& facts, bool has_links, std::string& record) {
  PublicationHead head{.kind = facts.kind, .language = facts.language, .classes = facts.classes};
  if (facts.published != 0) head.flags |= PublicationHead::kPublished;
  if (facts.priority != 0) head.flags |= PublicationHead::kPriority;
  if (has_links) head.flags |= PublicationHead::kLinks;
  append_varint(record, heads_->number_of(head));
  if (facts.published != 0) append_date(facts.published, record);
  if (facts.priority != 0) append_date(facts.priority, record);
}

void RecordEncoder::append_group(std::span<const LinkIds> links, bool more_follow,
                                 std::string& record) {
  append_varint(record, links.front().series);
  append_varint(record, 2 * links.size() + (more_follow ? 1 : 0));
  std::uint64_t before = 0;
  for (const LinkIds& link : links) {
    const std::uint64_t difference = link.number - before;
    before = link.number;
    const auto bits = static_cast<unsigned>(std::bit_width(difference | 1U));
    const unsigned size = (bits + 7) / 8;
    const std::uint32_t attributes = 2 * link.attributes + (link.date != 0 ? 1 : 0);
    const unsigned code = codes_[attributes];
    controls_ += static_cast<char>(code << 3U | (size - 1));
    record.append(reinterpret_cast<const char*>(&difference), size);
    if (code == kShortCodes) append_varint(record, attributes);
    if (link.date != 0) append_date(link.date, record);
  }
}

void RecordEncoder::append(const PackedDocument& document, std::string& record) {
  controls_.clear();
  for (std::size_t i = 0; i < document.publications.size(); ++i) {
    std::span<const LinkIds> links = document.links_of(i);
    append_facts(document.publications[i].facts, !links.empty(), record);
    while (!links.empty()) {
      const auto end = std::ranges::find_if(
          links, [series = links.front().series](auto& link) { return link.series != series; });
      const auto count = static_cast<std::size_t>(end - links.begin());
      append_group(links.first(count), count < links.size(), record);
      links = links.subspan(count);
    }
  }
  record.append(controls_.rbegin(), controls_.rend());
}

}  // namespace prescope
