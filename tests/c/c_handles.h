#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "prescope.h"

/// Handles of the C interface that free themselves, and columns of C++ lists.
namespace prescope {

template <auto kFree>
struct FreeWith {
  template <class Handle>
  void operator()(Handle* handle) const {
    kFree(handle);
  }
};
using CQrels = std::unique_ptr<prescope_qrels, FreeWith<prescope_qrels_free>>;
using CRun = std::unique_ptr<prescope_run, FreeWith<prescope_run_free>>;
using CScores = std::unique_ptr<prescope_scores, FreeWith<prescope_scores_free>>;
using CExperiment = std::unique_ptr<prescope_experiment, FreeWith<prescope_experiment_close>>;
using CIndex = std::unique_ptr<prescope_index, FreeWith<prescope_index_free>>;
using CText = std::unique_ptr<char, FreeWith<prescope_text_free>>;

[[nodiscard]] inline prescope_text c_text(std::string_view text) {
  return {text.data(), text.size()};
}

[[nodiscard]] inline prescope_column pointers(const std::vector<const char*>& names) {
  return {names.size(), names.data(), 0, nullptr, 0, PRESCOPE_POINTERS};
}

/// The judgements of T: D1 and D3; of U: D9.
[[nodiscard]] inline CQrels c_citations(const prescope_qrels_options* options = nullptr) {
  const std::vector<const char*> topics = {"T", "T", "U"}, docnos = {"D1", "D3", "D9"};
  const std::vector<std::int32_t> grades = {1, 1, 1};
  const prescope_column topic = pointers(topics), docno = pointers(docnos);
  prescope_qrels* qrels = nullptr;
  prescope_error error;
  EXPECT_EQ(prescope_qrels_from_columns(&topic, &docno, grades.data(), options, &qrels, &error),
            PRESCOPE_OK)
      << error.message;
  return CQrels(qrels);
}

/// The code and the sentence of a refused call.
struct CRefusal {
  prescope_code code = PRESCOPE_OK;
  std::string message;
};

/// Calls `call` with an error to fill.
template <class Call>
[[nodiscard]] CRefusal c_refusal_of(const Call& call) {
  prescope_error error;
  const prescope_code code = call(&error);
  return {code, error.message};
}

}  // namespace prescope
