// Suppresses a false alarm of ThreadSanitizer about Lucene++, which is not compiled for it. The
// library counts references to the results of its thread pool with atomics that the sanitizer
// cannot see, so the end of such an object looks like a race. A race is still reported if neither
// side was called by the library.
#if defined(__SANITIZE_THREAD__)
extern "C" const char* __tsan_default_suppressions();
extern "C" const char* __tsan_default_suppressions() { return "race:liblucene++.so\n"; }
#endif
