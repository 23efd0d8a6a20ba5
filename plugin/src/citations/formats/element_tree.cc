#include "citations/formats/element_tree.h"

#include <algorithm>

#include "citations/formats/office_words.h"

namespace prescope {

void ElementTree::clear() noexcept {
  nodes_.clear();
  attributes_.clear();
  open_.clear();
  names_.clear();
  text_.clear();
}

ElementTree::Span ElementTree::append_name(std::string_view name) {
  const std::size_t begin = names_.size();
  names_ += name;
  return {.begin = begin, .end = names_.size()};
}

void ElementTree::open(std::string_view name) {
  const auto attributes = static_cast<std::uint32_t>(attributes_.size());
  open_.push_back(static_cast<std::uint32_t>(nodes_.size()));
  nodes_.push_back({.name = append_name(name),
                    .text = {.begin = text_.size(), .end = text_.size()},
                    .attributes_begin = attributes,
                    .attributes_end = attributes});
}

void ElementTree::add_attribute(std::string_view name, std::string_view value) {
  const Span name_span = append_name(name);
  attributes_.push_back({.name = name_span, .value = append_name(value)});
  ++nodes_.back().attributes_end;
}

void ElementTree::close() noexcept {
  Node& node = nodes_[open_.back()];
  open_.pop_back();
  node.text.end = text_.size();
  node.end = static_cast<std::uint32_t>(nodes_.size());
}

std::string_view ElementTree::open_name() const noexcept {
  return open_.empty() ? std::string_view() : name_at(nodes_[open_.back()].name);
}

bool ElementTree::has_open(std::string_view name) const noexcept {
  return std::ranges::any_of(
      open_, [&](std::uint32_t index) { return name_at(nodes_[index].name) == name; });
}

XmlElement ElementTree::root() const noexcept { return {*this, 0}; }

std::string_view XmlElement::name() const noexcept {
  return exists() ? tree_->name_at(node().name) : std::string_view();
}

std::string_view XmlElement::text() const noexcept {
  if (!exists()) return {};
  const ElementTree::Span span = node().text;
  return std::string_view(tree_->text_).substr(span.begin, span.end - span.begin);
}

std::string XmlElement::words() const { return collapsed(text()); }

std::string_view XmlElement::attribute(std::string_view name) const noexcept {
  if (!exists()) return {};
  for (std::uint32_t i = node().attributes_begin; i < node().attributes_end; ++i) {
    const ElementTree::Attribute& each = tree_->attributes_[i];
    if (tree_->name_at(each.name) == name) return tree_->name_at(each.value);
  }
  return {};
}

XmlElement XmlElement::child(std::string_view name) const noexcept {
  if (!exists()) return {};
  for (std::uint32_t i = index_ + 1; i < node().end; i = tree_->nodes_[i].end) {
    const XmlElement each(*tree_, i);
    if (each.name() == name) return each;
  }
  return {};
}

XmlElement XmlElement::find(std::string_view name) const noexcept {
  if (!exists()) return {};
  for (std::uint32_t i = index_ + 1; i < node().end; ++i) {
    const XmlElement each(*tree_, i);
    if (each.name() == name) return each;
  }
  return {};
}

}  // namespace prescope
