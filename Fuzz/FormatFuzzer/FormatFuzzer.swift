internal import FuzzSupport

// The beginning of the program: in a fuzzer's build libFuzzer's, in a plain one a replay of the inputs given.

#if FUZZING
  /// What the program begins with; the package manager gives it this name.
  @c(FormatFuzzer_main)
  public func begin(
    _ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
  ) -> CInt {
    unsafe fuzz(count, arguments, check)
  }
#else
  @main struct FormatFuzzer {
    static func main() { replay(check) }
  }
#endif
