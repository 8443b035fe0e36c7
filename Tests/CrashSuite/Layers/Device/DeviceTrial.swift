import CrashModel
import Foundation
import Sediment
import SedimentTesting

/// A case of the layer `device`: a store is used, the power fails at several moments of that, and what each leaves is
/// mounted, opened, compared, used, and crashed again.
struct DeviceTrial {
  private(set) var imageCount = 0
  private(set) var findings: [CrashFinding] = []

  private let setup: DeviceSetup
  private let fileSystem: DeviceFileSystem
  /// How much room the file system has, if it is nearly full.
  private let freeByteCount: Int?
  private var generator: SeededGenerator

  /// How many moments of each history are tried, by how many crashes lie before it.
  private static let crashCounts = [8, 1, 1]

  init(seed: UInt64) {
    setup = DeviceSetup(seed: seed)
    generator = SeededGenerator(seed: seed)
    fileSystem = DeviceFileSystem(seed: seed)
    let isFull = Int.random(in: 0..<5, using: &generator) == 0
    freeByteCount = isFull ? [1, 2, 4].randomElement(using: &generator).map { $0 << 20 } : nil
  }

  /// Whether even an opening may find no room: the file system is nearly full, and copies on write.
  private var mayBeRefused: Bool { freeByteCount != nil && fileSystem == .btrfs }

  mutating func run() {
    let room = freeByteCount.map { ", \($0 >> 20) MiB free" } ?? ""
    tryImage(Data(), DevicePast(), false, depth: 0, "\(fileSystem.rawValue)\(room), \(setup.description)")
  }

  /// Mounts what a crash left, uses it, and lets the power fail again.
  ///
  /// Once reads have given old bytes (`mayBeOld`), they may have been written again, and so be on the device.
  private mutating func tryImage(
    _ history: Data, _ past: DevicePast, _ mayBeOld: Bool, depth: Int, _ place: String
  ) {
    if depth > 0 { imageCount += 1 }
    var place = place
    do {
      let base = try fileSystem.base(leaving: freeByteCount)
      let machine = try DeviceMachine(fileSystem, base: base, history: history)
      // What a crash has left is looked at on a sound device first.
      let fault = depth % 2 == 1 ? nil : DeviceFault.random(fileSystem.byteCount, using: &generator)
      if let fault { place += "; \(fault.description)" }
      if let reason = try use(machine, past, mayBeOld, fault, depth) { return note(place, reason) }
      let log = try machine.log()
      guard depth < Self.crashCounts.count else { return }
      for _ in 0..<Self.crashCounts[depth] where findings.isEmpty {
        let crash = DeviceCrash(log, using: &generator)
        let left =
          history + crash.history(log, isWhole: { [fileSystem] in fileSystem.isSuperblock($0.offset) })
        let past = log.past(before: crash.moment, after: past)
        let mayBeOld = mayBeOld || log.hasOldReads(before: crash.moment)
        tryImage(left, past, mayBeOld, depth: depth + 1, "\(place); \(crash.description)")
      }
    } catch {
      note(place, "\(error)")
    }
  }

  private mutating func note(_ place: String, _ reason: String) {
    findings.append(CrashFinding(place: place, reason: reason))
  }

  /// Lets some processes use the store, one after the other; what is wrong, or nil.
  private mutating func use(
    _ machine: DeviceMachine, _ past: DevicePast, _ mayBeOld: Bool, _ fault: DeviceFault?, _ depth: Int
  ) throws -> String? {
    let count = depth == Self.crashCounts.count ? 0 : setup.operationCount / (depth == 0 ? 1 : 5)
    let processCount = fault == nil ? Int.random(in: 1...3, using: &generator) : 2
    var (now, least) = (past, 0)
    for process in 0..<processCount {
      var job = DeviceJob(
        folder: machine.path, control: machine.control, setup: setup, past: now, count: count / processCount,
        end: DeviceJob.End.allCases.randomElement(using: &generator) ?? .die)
      job.least = least
      job.mayBeOld = mayBeOld || fault?.givesOldBytes == true
      if process == 0, let fault {
        job.command = (now.next + Int.random(in: 0..<max(job.count, 1), using: &generator), fault.command)
      }
      if process == 1, let end = fault?.end { try machine.command(end) }
      switch try machine.run(job) {
      case .done: break
      case .failed(let reason):
        let isRefused = mayBeRefused && reason.hasPrefix("failed: \(SedimentError.Code.outOfSpace):")
        if fault == nil, !isRefused, !mayBeOld { return reason }
      // A page cannot be read, or the file system has given up and lets none be changed.
      case .died(SIGBUS, _) where fault != nil && setup.access != .unmapped: break
      case .died(let signal, let reason): return "a process died of signal \(signal): \(reason)"
      case .wrong(let reason): return reason
      }
      (now, least) = try machine.past(after: past)
      // What the page cache has lost of a device that fails, nobody can promise.
      if fault != nil { least = 0 }
    }
    return nil
  }
}
