public import SedimentDisk

/// What goes wrong with a call.
public enum FaultEffect: Hashable, Sendable {
  /// The call fails and has done nothing; a sync that fails so keeps its data for another try.
  case error(SystemErrorCode)
  /// The call does all it was asked to, and fails nevertheless.
  case errorAfterwards(SystemErrorCode)
  /// A read succeeds with no more than so many of the bytes that there are, as if the file ended there.
  case shortRead(byteCount: Int)
  /// A write stops after so many bytes and fails.
  case shortWrite(byteCount: Int, SystemErrorCode)
  /// A write succeeds and can be read back, but never reaches the medium.
  case lostWrite
  /// A write succeeds and can be read back, but only so many of its first bytes ever reach the medium.
  case tornWrite(byteCount: Int)
  /// A write succeeds and can be read back, but on the medium it lands at another offset of the file.
  case misdirectedWrite(to: UInt64)
  /// A write succeeds, but the medium refuses it later and the cache forgets it: what was there before is read, and
  /// the next sync fails, once.
  case forgottenWrite(SystemErrorCode)
  /// A sync fails, and what it was to write counts as clean: it can be read back, and a later sync succeeds
  /// without writing it. Only bytes written anew reach the medium. Where the disk reserves blocks, those that hold nothing
  /// on the medium get not even such bytes until `DiskFile.forgetUnwritten`, as on ext4.
  case droppedSync(SystemErrorCode)

  /// The operation that the effect makes sense for; nil for all.
  public var operation: DiskOperation? {
    switch self {
    case .error, .errorAfterwards: nil
    case .shortRead: .read
    case .shortWrite, .lostWrite, .tornWrite, .misdirectedWrite, .forgottenWrite: .write
    case .droppedSync: .sync
    }
  }
}

/// The effects that wait for their calls.
struct FaultTable: Sendable {
  private struct Fault: Sendable {
    var effect: FaultEffect
    var firstCall: Int
    var isPermanent: Bool
    var operations: Set<DiskOperation>
  }

  private var faults: [Fault] = []

  mutating func insert(
    _ effect: FaultEffect, firstCall: Int, isPermanent: Bool, operations: Set<DiskOperation>
  ) {
    let operations = effect.operation.map { operations.intersection([$0]) } ?? operations
    faults.append(
      Fault(effect: effect, firstCall: firstCall, isPermanent: isPermanent, operations: operations))
  }

  mutating func removeAll() {
    faults = []
  }

  /// The effect on a call, which is used up unless it is permanent; the one injected first wins.
  mutating func effect(on operation: DiskOperation, call: Int) -> FaultEffect? {
    let index = faults.firstIndex { $0.firstCall <= call && $0.operations.contains(operation) }
    guard let index else { return nil }
    let fault = faults[index]
    if !fault.isPermanent { faults.remove(at: index) }
    return fault.effect
  }
}
