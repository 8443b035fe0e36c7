#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Whether it was compiled with the thread sanitizer, under which a child of a fork can start no threads.
package let hasThreadSanitizer = unsafe dlsym(dlopen(nil, RTLD_NOW), "__tsan_init") != nil

/// Whether it was compiled with a sanitizer that has memory of its own and keeps what was freed.
package let hasSanitizer = unsafe hasThreadSanitizer || dlsym(dlopen(nil, RTLD_NOW), "__asan_init") != nil

/// How much the tests try whose cases are chosen at random or by number.
package enum TestEffort {
  package static let isLong = unsafe getenv("SEDIMENT_TESTS_LONG") != nil

  /// The first number, or in a long run the second; a third of the first under a sanitizer, which sees what there is
  /// to see in a few.
  package static func of(_ short: Int, long: Int) -> Int {
    isLong ? long : hasSanitizer ? max(short / 3, 1) : short
  }

  /// Says in a long run how much was tried.
  package static func note(_ message: String) {
    if isLong { print(message) }
  }
}
