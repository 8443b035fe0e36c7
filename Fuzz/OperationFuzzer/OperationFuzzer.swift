internal import FuzzSupport

// The beginning of the program: in a fuzzer's build libFuzzer's, in a plain one a replay of the inputs given.

#if FUZZING
  /// What libFuzzer calls with each input.
  @c(LLVMFuzzerTestOneInput)
  public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    // libFuzzer owns the bytes only until this returns; the array is a copy.
    check(unsafe Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
  }

  /// The name that the package manager gives to the beginning of this program.
  @c(OperationFuzzer_main)
  public func begin(
    _ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
  ) -> CInt {
    unsafe runFuzzer(count, arguments, testOneInput)
  }
#else
  @main struct OperationFuzzer {
    static func main() {
      replay(Array(CommandLine.arguments.dropFirst()), check)
    }
  }
#endif
