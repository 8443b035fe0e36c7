package import SedimentDisk
package import SedimentTesting

/// What a call to the disk does instead of what it should.
package struct CallFault: CustomStringConvertible, Sendable {
  package var effect: FaultEffect
  package var isForGood: Bool

  package var description: String { "\(effect)\(isForGood ? " for good" : "")" }

  /// Whether a call of that kind can go wrong in this way.
  package func applies(to operation: DiskOperation) -> Bool {
    effect.operation.map { $0 == operation } ?? true
  }

  /// Whether it looks as if the file were damaged, rather than as if a call had failed.
  var isLikeDamage: Bool {
    if case .shortRead = effect { return true }
    return false
  }

  /// Whether the disk may lack what was not synced, which then is gone when the file is opened again.
  var losesUnsynced: Bool {
    if case .droppedSync = effect { return true }
    return false
  }

  func inject(into disk: SimulatedDisk, atCall call: Int) {
    if isForGood {
      disk.injectForGood(effect, fromCall: call)
    } else {
      disk.inject(effect, atCall: call)
    }
  }

  /// All ways, each once and for good.
  package static let all: [CallFault] = {
    let codes = [
      SystemErrorCode.inputOutput, .noSpace, .quotaExceeded, .interrupted, .tooManyOpenFiles, .noMemory,
    ]
    var effects: [FaultEffect] = codes.map { .error($0) }
    effects += [.errorAfterwards(.inputOutput), .droppedSync(.inputOutput), .droppedSync(.noSpace)]
    effects += [1, 40, 512].map { .shortWrite(byteCount: $0, .noSpace) }
    effects += [.shortWrite(byteCount: 100, .inputOutput)]
    effects += [0, 1, 200, 5000].map { .shortRead(byteCount: $0) }
    return effects.flatMap { effect in
      [false, true].map { CallFault(effect: effect, isForGood: $0) }
    }
  }()
}
