/// A directory in which Linux tells of the memory of a control group, in the words of version 2 or 1.
struct ControlGroupDirectory: Hashable {
  let path: String
  /// Whether it is of version 1.
  let isOld: Bool

  /// Where to find what.
  struct Names {
    let bounds: [String]
    let usage: String
    /// The field of file contents that were not needed lately.
    let idleFiles: String
  }

  /// The bounds from which on there is none: version 1 has a number of that size.
  static let unboundedMin: UInt64 = 1 << 62

  var names: Names {
    isOld
      ? Names(
        bounds: ["memory.limit_in_bytes"], usage: "memory.usage_in_bytes", idleFiles: "total_inactive_file")
      : Names(bounds: ["memory.high", "memory.max"], usage: "memory.current", idleFiles: "inactive_file")
  }

  /// The directories of all groups that a process is in, for each hierarchy the innermost first.
  ///
  /// `memberships` has lines such as "4:memory:/user/1" and "0::/user/1"; `mounts` tells where hierarchies, or
  /// parts of them, are found: "31 23 0:28 /part /sys/fs/cgroup rw - cgroup2 cgroup2 rw".
  static func all(memberships: String, mounts: String) -> [ControlGroupDirectory] {
    memberships.split(separator: "\n").flatMap { line -> [ControlGroupDirectory] in
      let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard fields.count == 3 else { return [] }
      let isOld = fields[1].split(separator: ",").contains("memory")
      guard isOld || (fields[0] == "0" && fields[1].isEmpty) else { return [] }
      guard let mount = Mount.all(in: mounts).first(where: { $0.holds(old: isOld) }) else { return [] }
      return mount.directories(of: String(fields[2])).map { ControlGroupDirectory(path: $0, isOld: isOld) }
    }
  }
}

/// A hierarchy of control groups in the file system.
private struct Mount {
  /// The group whose directory is the mount's own.
  let group: String
  let path: String
  let type: Substring
  let options: [Substring]

  static func all(in mounts: String) -> [Mount] {
    mounts.split(separator: "\n").compactMap { line in
      let fields = line.split(separator: " ")
      guard fields.count > 5, let dash = fields.firstIndex(of: "-"), fields.count > dash + 3 else {
        return nil
      }
      return Mount(
        group: unescaped(fields[3]), path: unescaped(fields[4]), type: fields[dash + 1],
        options: fields[dash + 3].split(separator: ","))
    }
  }

  func holds(old isOld: Bool) -> Bool {
    isOld ? type == "cgroup" && options.contains("memory") : type == "cgroup2"
  }

  /// The directories of a group and of those around it, as far as the mount shows them.
  func directories(of group: String) -> [String] {
    var names: [Substring] = []
    let prefix = self.group == "/" ? "" : self.group
    // Of a group that lies elsewhere, what is mounted is all that can be seen.
    if group == prefix || group.hasPrefix(prefix + "/") {
      names = group.dropFirst(prefix.count).split(separator: "/")
      if names.contains("..") { names = [] }
    }
    return (0...names.count).reversed().map { count in
      ([path == "/" ? "" : path[...]] + names[..<count]).joined(separator: "/")
    }
  }

  /// A path whose blanks and the like are written as octal numbers behind backslashes.
  private static func unescaped(_ text: Substring) -> String {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "\\"), let digits = String(rest.prefix(3)), let code = UInt8(digits, radix: 8) {
        bytes.append(code)
        rest = rest.dropFirst(3)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
