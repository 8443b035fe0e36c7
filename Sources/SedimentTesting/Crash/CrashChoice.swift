/// Which version of each pending unit a crash leaves on the medium.
public struct CrashChoice: Hashable, Sendable {
  /// One version for each of the crash state's units, in their order; zero is the settled one.
  public var versions: [Int]
  /// The sectors that were being written when the power failed, by the position of their unit.
  public var tears: [Int: SectorTear]

  /// Creates a choice of its parts.
  public init(versions: [Int], tears: [Int: SectorTear] = [:]) {
    self.versions = versions
    self.tears = tears
  }
}

extension CrashChoice: CustomStringConvertible {
  /// The versions in order, and the tears; enough to build the same image again.
  public var description: String {
    let list = versions.map(String.init).joined(separator: " ")
    guard !tears.isEmpty else { return "versions \(list)" }
    let torn = tears.sorted { $0.key < $1.key }.map { unit, tear in
      "unit \(unit) after \(tear.newByteCount) bytes over version \(tear.over)"
    }
    return "versions \(list); torn: \(torn.joined(separator: ", "))"
  }
}

/// How far the medium came in writing a sector.
public struct SectorTear: Hashable, Sendable {
  /// How many of the sector's first bytes are those of the chosen version.
  public var newByteCount: Int
  /// The version that the other bytes are of, zero for the settled one.
  public var over: Int

  /// Creates a tear of its parts.
  public init(newByteCount: Int, over: Int = 0) {
    precondition((0...Geometry.sectorByteCount).contains(newByteCount), "a tear lies within its sector")
    self.newByteCount = newByteCount
    self.over = over
  }
}

/// A way to say what of the pending units a crash keeps.
public enum CrashPlan: Hashable, Sendable {
  /// Only what was synced.
  case nothing
  /// All that was written.
  case everything
  /// Some version of each unit, by the seed.
  case random(seed: UInt64)
  /// The version named for each unit.
  case choice(CrashChoice)
}
