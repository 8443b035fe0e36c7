/// A storage and what is done to it, as the crash checks have to know it.
///
/// The checks carry operations out on a simulated disk, crash it at every moment of that history, open what is left,
/// and compare what it holds with what the scenario says it must. A storage that is built on others, such as one on
/// the engine, is opened with a disk that is handed down to them.
///
/// Everything must follow from the disk, the operations and their numbers alone, or a finding cannot be repeated:
/// no threads of its own, no clock but the disk's.
public protocol CrashScenario {
  /// The storage while it is open.
  associatedtype Storage
  /// Something that is done with it.
  associatedtype Operation
  /// Everything that it holds.
  associatedtype Contents: Equatable

  /// What a storage holds that was never written to.
  var empty: Contents { get }

  /// Opens the storage on a disk, where a crash may have left anything that one can.
  func open(on disk: SimulatedDisk) throws -> Storage

  /// Closes the storage in order; the result is what that promises of all operations before.
  func close(_ storage: Storage) throws -> CrashPromise

  /// Everything that a storage holds, read in every way that it can be.
  ///
  /// The disk's wall clock stands at its beginning meanwhile, so that what has expired is not taken for lost.
  func contents(of storage: Storage) throws -> Contents

  /// An operation of a random history.
  func operation(using generator: inout SeededGenerator) -> Operation

  /// Carries an operation out; the result is what is promised of it, and of those before it, once this returns.
  ///
  /// No two operations have the same number: what is written should tell it, so that no value passes for another.
  func perform(_ operation: Operation, number: Int, on storage: Storage) throws -> CrashPromise

  /// Does to contents what the operation does to a storage with the disk's clocks as they are.
  func apply(_ operation: Operation, number: Int, to contents: inout Contents, on disk: SimulatedDisk)

  // MARK: With a default

  /// What has to be carried out before an operation can be; nothing unless this is implemented.
  func operations(before operation: Operation, in contents: Contents) -> [Operation]

  /// What is done with a storage that a crash left, to see that it can be used; two random operations unless this is
  /// implemented.
  ///
  /// That all of them are refused is a finding.
  func probes(using generator: inout SeededGenerator) -> [Operation]

  /// Whether contents may be found where others are expected; if they are equal unless this is implemented.
  ///
  /// A cache that leaves out what it likes accepts parts.
  func accepts(_ found: Contents, as expected: Contents) -> Bool

  /// What an error says of the operation that threw it; that it is unknown unless this is implemented.
  func outcome(of error: any Error) -> CrashOutcome

  /// The scenario that what a crash left is opened by, such as one that reads it in another way; the same unless this
  /// is implemented.
  func successor(using generator: inout SeededGenerator) -> Self

  /// Contents in a few words, for findings.
  func describe(_ contents: Contents) -> String
}

extension CrashScenario {
  /// Nothing is needed.
  public func operations(before operation: Operation, in contents: Contents) -> [Operation] { [] }

  /// Two random operations.
  public func probes(using generator: inout SeededGenerator) -> [Operation] {
    [operation(using: &generator), operation(using: &generator)]
  }

  /// Only what is expected.
  public func accepts(_ found: Contents, as expected: Contents) -> Bool { found == expected }

  /// That it is not known.
  public func outcome(of error: any Error) -> CrashOutcome { .unknown }

  /// The same scenario.
  public func successor(using generator: inout SeededGenerator) -> Self { self }

  /// What the contents say of themselves.
  public func describe(_ contents: Contents) -> String { "\(contents)" }
}

/// What a storage promises once an operation has returned.
public struct CrashPromise: Hashable, Sendable {
  /// Whether the operation and all before it are found after the death of the process.
  public var outlivesProcess: Bool
  /// The last operation that is found after a power failure, with all before it; nil for nothing new.
  public var outlivesPower: Last?

  /// An operation of the history.
  public enum Last: Hashable, Sendable {
    /// The one that has returned.
    case this
    /// The one of that number.
    case number(Int)
  }

  /// Creates a promise of its parts.
  public init(outlivesProcess: Bool, outlivesPower: Last? = nil) {
    self.outlivesProcess = outlivesProcess
    self.outlivesPower = outlivesPower
  }

  /// Nothing new: a crash may lose the operation.
  public static let nothing = CrashPromise(outlivesProcess: false)
  /// The death of the process does not lose it, a power failure may.
  public static let untilPowerFails = CrashPromise(outlivesProcess: true)
  /// It is found whatever happens.
  public static let forEver = CrashPromise(outlivesProcess: true, outlivesPower: .this)
}

/// What an error says of the operation that threw it.
public enum CrashOutcome: Hashable, Sendable {
  /// It was refused, and changed nothing.
  case refused
  /// It may have been carried out or not; the storage must not change any more until it was opened anew.
  case unknown
}
