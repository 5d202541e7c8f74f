// SPDX-License-Identifier: Apache-2.0
// Defaults of the sanitizers for fuzz targets, which the environment may override.

// Debian's LLVM and protobuf are not instrumented. What inlined code of theirs poisons here (unused room of arenas and
// containers) the library itself does not see, so such marks are not obeyed.
extern "C" const char *__asan_default_options() {
  return "allow_user_poisoning=0:detect_container_overflow=0:max_allocation_size_mb=1024:allocator_may_return_null=0";
}
extern "C" const char *__ubsan_default_options() { return "print_stacktrace=1"; }
