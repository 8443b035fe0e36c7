import CrashModel
import Dispatch
import Sediment

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A process that changes a store until it is killed, and says on its standard output what it has done.
///
/// Arguments: the store's path; how it is reached; a seed; for each thread, the number of its first operation.
/// Each report is the number of a thread and that of the operation that has returned, 4 bytes each, written in one
/// go; the first report, that the store is open, has a thread that does not exist.
@main
enum CrashChild {
  static func main() {
    let arguments = CommandLine.arguments
    guard arguments.count > 4, let seed = UInt64(arguments[3]) else { fail("wrong arguments") }
    let firstNumbers = arguments[4...].compactMap { Int($0) }
    do {
      let store = try SedimentStore(
        path: arguments[1], options: SedimentOptions(access: access(named: arguments[2])))
      report(thread: .max, 0)
      DispatchQueue.concurrentPerform(iterations: firstNumbers.count) { thread in
        let mix = CrashMix(ofThread: firstNumbers.count > 1 ? thread : nil)
        do {
          try change(store, from: firstNumbers[thread], mix, seed: seed &+ UInt64(thread), thread)
        } catch {
          fail("thread \(thread): \(error)")
        }
      }
    } catch {
      fail("opening: \(error)")
    }
  }

  private static func change(
    _ store: SedimentStore, from first: Int, _ mix: CrashMix, seed: UInt64, _ thread: Int
  ) throws {
    var number = first
    while true {
      try mix.operation(number: number, seed: seed).carryOut(on: store, number: number)
      report(thread: UInt32(thread), UInt32(number))
      number += 1
    }
  }

  private static func report(thread: UInt32, _ number: UInt32) {
    var bytes = UInt64(number) << 32 | UInt64(thread)
    // So few bytes go into a pipe whole.
    let count = unsafe write(STDOUT_FILENO, &bytes, 8)
    // Nobody listens any more.
    if count != 8 { exit(0) }
  }

  private static func access(named name: String) -> SedimentOptions.Access {
    switch name {
    case "mappedForReading": .mappedForReading
    case "unmapped": .unmapped
    default: .automatic
    }
  }

  private static func fail(_ message: String) -> Never {
    let line = Array("CrashChild: \(message)\n".utf8)
    _ = unsafe write(STDERR_FILENO, line, line.count)
    exit(1)
  }
}
