import CrashModel
import Foundation
import SedimentTesting

/// A power failure: a moment, and which of the writes that no flush came after are on the medium then.
struct DeviceCrash {
  /// The number of the first record that did not happen.
  let moment: Int
  private let plan: Plan
  private var generator: SeededGenerator

  private enum Plan: Equatable {
    /// All of them.
    case all
    case none
    /// Each with this chance.
    case some(Double)
    case allButOne
    case onlyOne
    /// Pieces of this many bytes, each with a chance of one half.
    case pieces(Int)
  }

  var description: String { "crashed at record \(moment), \(plan)" }

  /// One at random, more often where something has just been promised or is under way.
  init(_ log: DeviceLog, using generator: inout SeededGenerator) {
    let records = log.records
    let place = Int.random(in: 0...records.count, using: &generator)
    switch Int.random(in: 0..<5, using: &generator) {
    // Just after a mark.
    case 0: moment = records[place...].firstIndex { $0.kind == .mark }.map { $0 + 1 } ?? records.count
    // Just before a flush, when most is uncertain.
    case 1: moment = records[place...].firstIndex { $0.kind == .flush } ?? records.count
    // When the last process has just opened the store.
    case 2:
      let opened = records.lastIndex { if case .opened = log.mark($0) { true } else { false } }
      moment = opened.map { $0 + 1 } ?? place
    default: moment = place
    }
    plan =
      switch Int.random(in: 0..<10, using: &generator) {
      case 0..<2: .all
      case 2: .none
      case 3..<5: .some([0.1, 0.5, 0.9][Int.random(in: 0..<3, using: &generator)])
      case 5: .allButOne
      case 6: .onlyOne
      case 7: .pieces(4096)
      default: .pieces(512)
      }
    self.generator = SeededGenerator(seed: generator.next())
  }

  /// The writes that are on the medium then, as a history.
  ///
  /// Of records that `isWhole` names no pieces are lost.
  func history(_ log: DeviceLog, isWhole: (DeviceLog.Record) -> Bool) -> Data {
    var generator = generator
    var history = Data()
    let flushed = flushed(log)
    let chosen = flushed.indices.filter { !flushed[$0] && log.records[$0].kind.isChange }
      .randomElement(using: &generator)
    for (number, record) in log.records[..<moment].enumerated() where record.kind.isChange {
      let whole = 0..<record.byteCount
      if flushed[number] {
        history += log.history(of: record, whole)
        continue
      }
      let isThere =
        switch plan {
        case .all: true
        case .none: false
        case .some(let chance): Double.random(in: 0..<1, using: &generator) < chance
        case .allButOne: number != chosen
        case .onlyOne: number == chosen
        case .pieces: isWhole(record) ? Bool.random(using: &generator) : true
        }
      if !isThere { continue }
      guard case .pieces(let size) = plan, !isWhole(record) else {
        history += log.history(of: record, whole)
        continue
      }
      for begin in stride(from: 0, to: record.byteCount, by: size) where Bool.random(using: &generator) {
        history += log.history(of: record, begin..<min(begin + size, record.byteCount))
      }
    }
    return history
  }

  /// Which records up to the moment are on the medium for certain: those whose next flush succeeded.
  private func flushed(_ log: DeviceLog) -> [Bool] {
    var flushed = [Bool](repeating: false, count: moment)
    var isFlushed = false
    for number in (0..<moment).reversed() {
      switch log.records[number].kind {
      case .flush: isFlushed = true
      case .lostFlush: isFlushed = false
      default: break
      }
      flushed[number] = isFlushed
    }
    return flushed
  }
}
