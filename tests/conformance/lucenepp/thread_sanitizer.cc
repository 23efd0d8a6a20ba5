// What ThreadSanitizer is told about Lucene++, which is not compiled for it: what the threads of
// its pool hand back is counted by atomics inside the library, which the sanitizer cannot see, so
// that it takes the end of such an object for a race. A race of which neither side was called by
// the library is still reported.
#if defined(__SANITIZE_THREAD__)
extern "C" const char* __tsan_default_suppressions();
extern "C" const char* __tsan_default_suppressions() { return "race:liblucene++.so\n"; }
#endif
