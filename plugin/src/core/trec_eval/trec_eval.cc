#include "core/trec_eval/trec_eval.h"

namespace prescope::trec_eval {

void write(const Qrels& /*qrels*/, const RunFacts& /*facts*/, const Options& /*options*/,
           const Sink& /*sink*/) {}

}  // namespace prescope::trec_eval
