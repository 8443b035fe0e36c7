internal import Foundation

/// Reads the figures of a Linux system from its files.
package struct MemoryFiguresReader: Sendable {
  /// What a file holds; nil if it cannot be read, which may be so now and not a moment later.
  private let text: @Sendable (_ path: String) -> String?

  /// A reader of what these files hold.
  package init(text: @escaping @Sendable (_ path: String) -> String?) {
    self.text = text
  }

  /// A reader of the system, or of a likeness of it in another directory, which holds `proc` and everything else.
  package init(root: String = "/") {
    self.init { path in
      let place = root == "/" ? path : root + path
      return FileManager.default.contents(atPath: place).map { String(decoding: $0, as: UTF8.self) }
    }
  }

  /// The figures of now; nil where the system tells none.
  package func read() -> MemoryFigures? {
    let directories = groupDirectories()
    let groups = directories.compactMap { figures(of: $0) }
    let own = directories.first { !$0.isOld }.map { $0.path + "/memory.pressure" }
    let stall = own.flatMap { self.stall($0) } ?? self.stall("/proc/pressure/memory")
    return groups.isEmpty && stall == nil ? nil : MemoryFigures(groups: groups, stall: stall)
  }

  /// The directories of the groups that the process is in, the innermost first.
  private func groupDirectories() -> [ControlGroupDirectory] {
    guard let memberships = text("/proc/self/cgroup"), let mounts = text("/proc/self/mountinfo") else {
      return []
    }
    return ControlGroupDirectory.all(memberships: memberships, mounts: mounts)
  }

  private func figures(of directory: ControlGroupDirectory) -> MemoryFigures.Group? {
    let names = directory.names
    let bound = names.bounds.compactMap { number("\(directory.path)/\($0)") }.min()
    guard let bound, bound < ControlGroupDirectory.unboundedMin else { return nil }
    guard let usage = number("\(directory.path)/\(names.usage)") else { return nil }
    let idle = field(names.idleFiles, of: "\(directory.path)/memory.stat") ?? 0
    return MemoryFigures.Group(used: usage - min(idle, usage), bound: bound)
  }

  private func stall(_ path: String) -> MemoryFigures.Stall? {
    // Lines such as "some avg10=0.00 avg60=0.00 avg300=0.00 total=0".
    let lines = text(path)?.split(separator: "\n").map { $0.split(separator: " ") }
    func share(_ name: String) -> Double? {
      let average = lines?.first { $0.first == name[...] }?.first { $0.hasPrefix("avg10=") }
      return average.flatMap { Double($0.dropFirst("avg10=".count)) }.flatMap { $0.isFinite ? $0 : nil }
    }
    // Some kernels tell nothing of full stalls.
    return share("some").map { MemoryFigures.Stall(some: $0, full: share("full") ?? 0) }
  }

  /// A file's only number; nil for "max" too.
  private func number(_ path: String) -> UInt64? {
    text(path).flatMap { UInt64($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
  }

  /// The number behind a name in a file of such lines.
  private func field(_ name: String, of path: String) -> UInt64? {
    let lines = text(path)?.split(separator: "\n").map { $0.split(separator: " ") }
    return lines?.first { $0.count == 2 && $0[0] == name[...] }.flatMap { UInt64($0[1]) }
  }
}
