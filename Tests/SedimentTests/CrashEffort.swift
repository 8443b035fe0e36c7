import CrashModel
import Sediment
import SedimentTesting
import Testing

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// How much the crash tests try.
enum CrashEffort {
  static let isLong = unsafe getenv("SEDIMENT_TESTS_LONG") != nil
  static let isSanitized =
    unsafe dlsym(dlopen(nil, RTLD_NOW), "__asan_init") != nil || hasThreadSanitizer

  /// The first number, or in a long run the second; a third of the first under a sanitizer, which sees what there is
  /// to see in a few.
  static func of(_ short: Int, long: Int) -> Int {
    isLong ? long : isSanitized ? max(short / 3, 1) : short
  }

  /// Says in a long run how much was tried.
  static func note(_ message: String) {
    if isLong { print(message) }
  }
}

extension CrashExplorer {
  /// Tries every crash point of a recorder's history, and records what is found as issues.
  mutating func check(_ recorder: CrashRecorder<Scenario>, _ kind: CrashKind, _ place: String) {
    explore(recorder, kind, place)
    for finding in findings { Issue.record("\(finding)") }
  }
}
