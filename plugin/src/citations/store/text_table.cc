#include "citations/store/text_table.h"

namespace prescope {

void write_series(const KeyParts& key, std::string& entry) {
  entry.clear();
  append_varint(entry, 2 * key.prefix.size() + (key.has_number ? 1 : 0));
  entry += key.prefix;
  entry += key.suffix;
}

KeyParts read_series(Bytes entry, const std::string& name) {
  ByteReader reader(entry, name);
  const std::uint64_t head = reader.varint();
  KeyParts key{.has_number = (head & 1U) != 0};
  key.prefix = reader.text(head / 2);
  key.suffix = reader.rest();
  return key;
}

void write_attributes(const LinkAttributes& attributes, std::string& entry) {
  entry.assign(1, static_cast<char>(attributes.role));
  for (const std::string_view text :
       {attributes.kind, attributes.categories, attributes.source, attributes.phase}) {
    append_varint(entry, text.size());
    entry += text;
  }
}

LinkAttributes read_attributes(Bytes entry, const std::string& name) {
  ByteReader reader(entry, name);
  LinkAttributes attributes;
  const auto role = reader.raw<std::uint8_t>();
  if (role >= kLinkRoles) reader.damaged();
  attributes.role = static_cast<LinkRole>(role);
  for (std::string_view* text :
       {&attributes.kind, &attributes.categories, &attributes.source, &attributes.phase}) {
    *text = reader.text(reader.varint());
  }
  return attributes;
}

std::uint32_t TextTable::number_of(std::string_view text) {
  constexpr std::uint32_t kMost = UINT32_MAX / 4;
  const std::uint32_t next = size();
  const std::uint32_t known = slots_.find_or_add(
      key_hash(text), next, [&](std::uint32_t number) { return this->text(number) == text; });
  if (known != KeySlots::kNone) return known;
  if (next >= kMost) {
    throw bad_input_error("more than {} different beginnings of document numbers", kMost);
  }
  bytes_ += text;
  ends_.push_back(bytes_.size());
  return next;
}

StoredTexts::StoredTexts(ByteReader& directory, const std::string& name) : name_(&name) {
  size_ = directory.raw<std::uint32_t>();
  ends_ = directory.array(size_, sizeof(std::uint64_t));
  const auto bytes = size_ == 0 ? 0 : load<std::uint64_t>(ends_.data() + ends_.size() - 8);
  bytes_ = directory.array(bytes, 1);
}

void StoredTexts::append(const TextTable& table, std::string& directory) {
  append_raw(directory, table.size());
  std::uint64_t end = 0;
  for (std::uint32_t i = 0; i < table.size(); ++i) {
    end += table.text(i).size();
    append_raw(directory, end);
  }
  for (std::uint32_t i = 0; i < table.size(); ++i) directory += table.text(i);
}

Bytes StoredTexts::entry(std::uint32_t number) const {
  const auto end_of = [this](std::uint32_t i) {
    return load<std::uint64_t>(ends_.data() + std::size_t{i} * sizeof(std::uint64_t));
  };
  const std::uint64_t begin = number == 0 ? 0 : end_of(number - 1), end = end_of(number);
  if (begin > end || end > bytes_.size()) ByteReader({}, *name_).damaged();
  return bytes_.subspan(begin, end - begin);
}

}  // namespace prescope
