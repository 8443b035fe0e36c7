internal import Sediment
internal import SedimentTesting

/// A forged file, with which every call is made: it ends, by itself and when it is told to stop, and works and keeps
/// no more than the bytes that the file has on the disk allow.
package struct ForgedTrial {
  private let forged: ForgedStore
  private let access: SedimentOptions.Access
  private let dice: Dice
  /// What was not as it should be.
  package private(set) var reasons: [String] = []

  package init(_ dice: Dice) {
    self.dice = dice
    forged = ForgedStore(dice)
    access = dice.element(of: [.automatic, .windowless, .unmapped])
  }

  /// The file, for messages.
  package var place: String {
    "forged from \(forged.seed.name), \(forged.bytes.count) of \(forged.byteCount) bytes, \(access)"
  }

  // What a call may read and write for each byte that the file has on the disk, and besides. A survey searches damage;
  // it may feed 32 times the bytes to checksums in vain (DESIGN.md 9).
  private static let workFactor: UInt64 = 8
  private static let workByteCount: UInt64 = 2 << 20
  private static let surveyWorkFactor: UInt64 = 40
  private static let surveyWorkByteCount: UInt64 = 16 << 20
  /// It calls the disk once for so many bytes, and besides.
  private static let callByteCount: UInt64 = 64
  private static let callCount = 1_500
  /// What it has memory for in one read, and what it may add to what is on the disk.
  private static let readByteCountMax = 1 << 20
  private static let keptByteCountMax: UInt64 = 1 << 20
  /// What it may read between two questions whether to stop, and how often it calls the disk after it is told to.
  private static let byteCountBetweenAsks: UInt64 = 3 << 20
  private static let stoppedCallCountMax = 40

  private static let codes: Set<SedimentError.Code> = [
    .foreign, .newer, .damaged, .exhausted, .tooLarge, .undecodable, .outOfSpace,
  ]

  /// Makes all calls.
  package mutating func run() {
    for call in ForgedCall.allCases { run(call) }
  }

  /// Makes one call, which the dice choose.
  package mutating func runOne() {
    run(dice.element(of: ForgedCall.allCases))
  }

  private mutating func run(_ call: ForgedCall) {
    do {
      let askCount = try measure(call)
      if askCount > 0 { try stop(call, at: dice.number(below: askCount)) }
    } catch {
      reasons.append("\(call): \(error)")
    }
  }

  /// Makes a call to its end; how often it asked whether to stop before all was done.
  private mutating func measure(_ call: ForgedCall) throws -> Int {
    let disk = try forged.disk()
    let byteCount = disk.usedByteCount
    let callCount = disk.callCount
    var askCount = 0
    var (last, between) = (UInt64(0), UInt64(0))
    do {
      try call.run(disk, access) { progress in
        if progress.completedByteCount < progress.totalByteCount { askCount += 1 }
        if askCount > 1 { between = max(between, disk.readByteCount - last) }
        last = disk.readByteCount
        return .continue
      }
    } catch let error as SedimentError where Self.codes.contains(error.code) {
    }
    func expect(_ holds: Bool, _ otherwise: String) {
      if !holds { reasons.append("\(call): \(otherwise) of a file of \(byteCount)") }
    }
    let work = disk.readByteCount + disk.writtenByteCount
    let workMax =
      call.isSurvey
      ? Self.surveyWorkFactor * byteCount + Self.surveyWorkByteCount
      : Self.workFactor * byteCount + Self.workByteCount
    expect(work <= workMax, "\(work) bytes read and written")
    let calls = disk.callCount - callCount
    expect(calls <= Int(byteCount / Self.callByteCount) + Self.callCount, "\(calls) calls of the disk")
    expect(disk.readByteCountAsked <= Self.readByteCountMax, "\(disk.readByteCountAsked) bytes in one read")
    let kept = disk.usedByteCount - min(byteCount, disk.usedByteCount)
    expect(kept <= byteCount + Self.keptByteCountMax, "\(kept) bytes more on the disk")
    expect(between <= Self.byteCountBetweenAsks, "\(between) bytes read without a question")
    expect(disk.violations.isEmpty, "\(disk.violations)")
    return askCount
  }

  /// Makes a call again and tells it to stop when it asks for the n-th time.
  private mutating func stop(_ call: ForgedCall, at number: Int) throws {
    let disk = try forged.disk()
    var (askCount, callCount) = (0, 0)
    do {
      try call.run(disk, access) { _ in
        askCount += 1
        if askCount <= number { return .continue }
        callCount = disk.callCount
        return .stop
      }
      reasons.append("\(call): goes on to its end after a stop")
    } catch let error as SedimentError where error.code == .cancelled {
    } catch is ForgedCall.Stopped {
    }
    if askCount != number + 1 { reasons.append("\(call): asks again after a stop") }
    let calls = disk.callCount - callCount
    if calls > Self.stoppedCallCountMax { reasons.append("\(call): \(calls) calls of the disk after a stop") }
    if disk.paths != [SeedStore.path] { reasons.append("\(call): leaves \(disk.paths) after a stop") }
  }
}
