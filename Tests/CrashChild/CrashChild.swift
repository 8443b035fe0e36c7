import CrashModel
import Dispatch
import Sediment
import SedimentDisk

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A process that changes a store until it is killed, and says on its standard output what it has done.
///
/// Arguments: the store's path, and what `KillSetup` says; or those of a `DeviceJob`.
/// Each report is the number of a thread and that of the operation that has returned, 4 bytes each, written in one
/// go; that the store is open, and that the process kills itself, is said in the name of threads that do not exist.
@main
enum CrashChild {
  static func main() {
    let arguments = CommandLine.arguments
    if let job = DeviceJob(arguments.dropFirst()) { DeviceUser.run(job) }
    guard arguments.count > 2, let setup = KillSetup(arguments[2...]) else { fail("wrong arguments") }
    do {
      let disk: any Disk = setup.stop.map { StoppingDisk($0) } ?? SystemDisk()
      let store = try SedimentStore(path: arguments[1], options: setup.options, disk: disk)
      report(thread: CrashProcess.Report.opening, 0)
      DispatchQueue.concurrentPerform(iterations: setup.firstNumbers.count) { thread in
        do {
          try change(store, setup, thread)
        } catch {
          fail("thread \(thread): \(error)")
        }
      }
    } catch {
      fail("opening: \(error)")
    }
  }

  private static func change(_ store: SedimentStore, _ setup: KillSetup, _ thread: Int) throws {
    let mix = setup.mix(ofThread: thread)
    var number = setup.firstNumbers[thread]
    while true {
      let operation = mix.operation(number: number, seed: setup.seed &+ UInt64(thread))
      try operation.carryOut(on: store, number: number)
      report(thread: UInt32(thread), UInt32(number))
      number += 1
    }
  }

  static func report(thread: UInt32, _ number: UInt32) {
    var bytes = UInt64(number) << 32 | UInt64(thread)
    // So few bytes go into a pipe whole.
    let count = unsafe write(STDOUT_FILENO, &bytes, 8)
    // Nobody listens any more.
    if count != 8 { exit(0) }
  }

  private static func fail(_ message: String) -> Never {
    let line = Array("CrashChild: \(message)\n".utf8)
    _ = unsafe write(STDERR_FILENO, line, line.count)
    exit(1)
  }
}
