internal import CSediment

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// How much memory a process may have: that of the machine, or less where a control group bounds it.
///
/// The page cache of a process counts towards the bound of its group, so a file that is larger cannot stay in memory.
package struct SystemMemory {
  /// The contents of a small file of the system; nil if it cannot be read.
  private let text: (_ path: String) -> String?
  /// The bytes of the machine's memory; nil if they are not known.
  private let machineByteCount: UInt64?

  /// The memory of a system with these files.
  package init(machineByteCount: UInt64?, text: @escaping (_ path: String) -> String?) {
    self.machineByteCount = machineByteCount
    self.text = text
  }

  /// The memory of this machine.
  package init() {
    let (pageCount, pageByteCount) = (sysconf(Int32(_SC_PHYS_PAGES)), sysconf(Int32(_SC_PAGESIZE)))
    let isKnown = pageCount > 0 && pageByteCount > 0
    self.init(machineByteCount: isKnown ? UInt64(pageCount) &* UInt64(pageByteCount) : nil, text: Self.text)
  }

  /// The least of all bounds; nil if none is known.
  package var byteCount: UInt64? {
    (groupBounds + [machineByteCount].compactMap(\.self)).min()
  }

  /// The bounds of the groups that the process is in, and of the groups around them.
  ///
  /// The lines of the file are such as "4:memory:/user/1" for version 1 and "0::/user/1" for version 2. In a container
  /// the directory of its own group may be mounted as the root, so the root is always asked.
  private var groupBounds: [UInt64] {
    guard let memberships = text("/proc/self/cgroup") else { return [] }
    return memberships.split(separator: "\n").flatMap { line -> [UInt64] in
      let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard fields.count == 3 else { return [] }
      if fields[1].split(separator: ",").contains("memory") {
        return bounds(["memory.limit_in_bytes"], of: fields[2], in: "/sys/fs/cgroup/memory")
      }
      guard fields[0] == "0", fields[1].isEmpty else { return [] }
      return bounds(["memory.high", "memory.max"], of: fields[2], in: "/sys/fs/cgroup")
    }
  }

  /// What the files of these names say in a group's directory and in all directories above it.
  private func bounds(_ names: [String], of group: Substring, in root: String) -> [UInt64] {
    let parts = group.split(separator: "/")
    guard !parts.contains("..") else { return [] }
    return (0...parts.count).flatMap { count in
      let directory = ([root[...]] + parts[..<count]).joined(separator: "/")
      // "max" is no number.
      return names.compactMap { name in
        text("\(directory)/\(name)").flatMap { UInt64($0.prefix { $0 != "\n" }) }
      }
    }
  }

  /// The beginning of a file; the files that are read here are short.
  private static func text(_ path: String) -> String? {
    let number = unsafe sediment_system_open(path, O_RDONLY | O_CLOEXEC, 0)
    guard number >= 0 else { return nil }
    defer { _ = close(number) }
    return unsafe withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer in
      let count = unsafe read(number, buffer.baseAddress, buffer.count)
      guard count > 0 else { return nil }
      return unsafe String(decoding: UnsafeRawBufferPointer(rebasing: buffer[..<count]), as: UTF8.self)
    }
  }
}
