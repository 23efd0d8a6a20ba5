// A library that is no engine module.

extern "C" __attribute__((visibility("default"))) int answer() { return 42; }
