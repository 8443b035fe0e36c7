#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// Whether the fuzzer has to prove that it finds its way, which only a fuzzer's build can be made to; a target then
/// calls `crashOnWord` and nothing else.
package let crashIsPlanted: Bool = {
  #if FUZZING
    unsafe getenv("SEDIMENT_FUZZ_PLANTED") != nil
  #else
    false
  #endif
}()

/// Ends the program on an input that begins with a certain word.
///
/// Who sees the branches taken here comes nearer letter by letter, and is there in seconds; blind guesses, a
/// quarter of a million a second, need hours. Each letter has a function of its own, or the compiler would
/// compare them all at once.
package func crashOnWord(_ input: [UInt8]) {
  guard input.count >= 4 else { return }
  compareFirst(input)
}

@inline(never) private func compareFirst(_ input: [UInt8]) {
  if input[0] == UInt8(ascii: "S") { compareSecond(input) }
}

@inline(never) private func compareSecond(_ input: [UInt8]) {
  if input[1] == UInt8(ascii: "e") { compareThird(input) }
}

@inline(never) private func compareThird(_ input: [UInt8]) {
  if input[2] == UInt8(ascii: "d") { compareFourth(input) }
}

@inline(never) private func compareFourth(_ input: [UInt8]) {
  if input[3] == UInt8(ascii: "i") { fail("planted crash") }
}

/// Ends the program as a failed check of a target does.
package func fail(_ reason: String) -> Never {
  fatalError(reason)
}

#if FUZZING
  package typealias Arguments = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>

  /// Lets libFuzzer try inputs on a target, as the arguments of the program say; the result is its exit code.
  ///
  /// Once in the life of a process.
  package func fuzz(_ count: CInt, _ arguments: Arguments?, _ check: @escaping ([UInt8]) -> Void) -> CInt {
    unsafe target = check
    var count = count
    var arguments = unsafe arguments
    return unsafe runDriver(&count, &arguments, testOneInput)
  }

  /// What is done with each input; set before the first one, by the one thread that there is.
  private nonisolated(unsafe) var target: ([UInt8]) -> Void = { _ in fail("there is no target") }

  /// What libFuzzer calls with each input; it is linked in only where it finds it by this name.
  @c(LLVMFuzzerTestOneInput)
  public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    // libFuzzer owns the bytes only until this returns; the array is a copy.
    unsafe target(Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
  }

  // libFuzzer is linked in only where its flag is given, so no header declares this; its plain parameters are
  // passed alike in Swift and C.
  @_silgen_name("LLVMFuzzerRunDriver")
  private func runDriver(
    _ count: UnsafeMutablePointer<CInt>, _ arguments: UnsafeMutablePointer<Arguments?>,
    _ run: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
  ) -> CInt
#endif
