#pragma once

namespace prescope {

class QueryScope;

/// The innermost scope of this thread, or null. initial-exec: reading it never allocates, not even
/// in a library that was loaded at run time.
[[gnu::tls_model("initial-exec")]] extern constinit thread_local QueryScope* current_scope;

}  // namespace prescope
