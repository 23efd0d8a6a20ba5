#pragma once

namespace prescope::lucenepp {

/// Makes what Lucene++ keeps for the whole process and every search reads. 3.0.8 makes each when it
/// is first used, and not safely: two threads that search at once at the beginning could score with
/// a table of norms that the other is still filling. Thread-safe; nothing but the first time.
void make_engine_statics();

}  // namespace prescope::lucenepp
