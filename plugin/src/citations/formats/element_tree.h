#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace prescope {

class XmlElement;

/// The elements of one document in the order of the file. It is filled anew for each document and
/// keeps its memory. Names have no namespace prefix.
class ElementTree {
 public:
  static constexpr std::uint32_t kNone = 0xFFFFFFFFU;

  void clear() noexcept;
  /// Returns the bytes that the document takes.
  [[nodiscard]] std::size_t bytes() const noexcept {
    return text_.size() + names_.size() + nodes_.size() * sizeof(Node) +
           attributes_.size() * sizeof(Attribute);
  }

  /// Opens an element within the one that is open.
  void open(std::string_view name);
  /// Adds to the element that was opened last. Before its text and its children.
  void add_attribute(std::string_view name, std::string_view value);
  void add_text(std::string_view text) { text_ += text; }
  /// Closes the element that is open.
  void close() noexcept;
  /// Returns the name of the open element; empty if there is none.
  [[nodiscard]] std::string_view open_name() const noexcept;
  /// Returns the number of elements that are open.
  [[nodiscard]] std::size_t depth() const noexcept { return open_.size(); }
  /// Returns whether an element of this name is open.
  [[nodiscard]] bool has_open(std::string_view name) const noexcept;

  /// Returns the first element. There must be one.
  [[nodiscard]] XmlElement root() const noexcept;

 private:
  friend class XmlElement;

  struct Span {
    std::size_t begin = 0, end = 0;
  };
  struct Node {
    Span name, text;
    std::uint32_t end = 0;  // the first node behind this one's descendants
    std::uint32_t attributes_begin = 0, attributes_end = 0;
  };
  struct Attribute {
    Span name, value;
  };
  [[nodiscard]] Span append_name(std::string_view name);
  [[nodiscard]] std::string_view name_at(Span span) const noexcept {
    return std::string_view(names_).substr(span.begin, span.end - span.begin);
  }

  std::vector<Node> nodes_;
  std::vector<Attribute> attributes_;
  std::vector<std::uint32_t> open_;
  std::string names_;  // of elements and attributes, and the values of these
  std::string text_;   // of all elements, in the order of the file
};

/// One element of a tree, or none. Valid until the tree is changed. Functions of no element return
/// what is empty.
class XmlElement {
 public:
  XmlElement() = default;
  XmlElement(const ElementTree& tree, std::uint32_t index) noexcept : tree_(&tree), index_(index) {}

  [[nodiscard]] bool exists() const noexcept { return tree_ != nullptr; }
  [[nodiscard]] std::string_view name() const noexcept;
  /// Returns all text of the element and its descendants.
  [[nodiscard]] std::string_view text() const noexcept;
  /// Returns the text with one blank for each run of white space, and none at its ends.
  [[nodiscard]] std::string words() const;
  [[nodiscard]] std::string_view attribute(std::string_view name) const noexcept;
  /// Returns the first child of this name.
  [[nodiscard]] XmlElement child(std::string_view name) const noexcept;
  /// Returns the first descendant of this name.
  [[nodiscard]] XmlElement find(std::string_view name) const noexcept;

  /// Calls `use` for each child, in order.
  template <class Use>
  void for_each_child(const Use& use) const {
    if (!exists()) return;
    for (std::uint32_t i = index_ + 1; i < node().end; i = tree_->nodes_[i].end) {
      use(XmlElement(*tree_, i));
    }
  }
  /// Calls `use` for each child of this name, in order.
  template <class Use>
  void for_each_child(std::string_view name, const Use& use) const {
    for_each_child([&](XmlElement each) {
      if (each.name() == name) use(each);
    });
  }
  /// Calls `use` for each descendant of this name, in order.
  template <class Use>
  void for_each(std::string_view name, const Use& use) const {
    if (!exists()) return;
    for (std::uint32_t i = index_ + 1; i < node().end; ++i) {
      const XmlElement each(*tree_, i);
      if (each.name() == name) use(each);
    }
  }

 private:
  [[nodiscard]] const ElementTree::Node& node() const noexcept { return tree_->nodes_[index_]; }

  const ElementTree* tree_ = nullptr;
  std::uint32_t index_ = 0;
};

}  // namespace prescope
