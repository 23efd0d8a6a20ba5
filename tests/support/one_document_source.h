#pragma once

#include "prescope/qrels.h"

namespace prescope {

/// Judges one document of every topic. All topics are of one family if it is named.
class OneDocumentSource : public JudgementSource {
 public:
  explicit OneDocumentSource(std::string docno, std::string family = {})
      : docno_(std::move(docno)), family_(std::move(family)) {}

  [[nodiscard]] std::string name_of(std::string_view topic) const override {
    return std::string(topic);
  }
  [[nodiscard]] std::optional<Judged> judge(const std::string& topic) override {
    return Judged{.lines = {{TopicId(topic), Docno(docno_), 1}}, .families = {}, .family = family_};
  }
  [[nodiscard]] std::string version() const override { return docno_; }

 private:
  std::string docno_, family_;
};

}  // namespace prescope
