import Foundation
import Sediment
import Testing

#if os(Linux)
  /// What every command takes of memory for files that were made to take much, by the bytes that they have on the disk.
  @Suite struct HostileMemoryTests {
    private let folder: ToolFolder

    init() throws {
      folder = try ToolFolder()
    }

    /// What a command may take: a constant, and so many times the bytes of its file on the disk.
    static let constantByteCount = 24 << 20
    static let factor = 16

    /// Files that claim much more than they have, by their names.
    enum HostileFile: CaseIterable {
      /// A key with 48 MiB of zeros.
      case zeros
      /// A store that was not closed, lengthened to 2 TiB.
      case lengthened
      /// A closed store, lengthened to 2 TiB.
      case lengthenedAfterClose
    }

    /// The commands that open or survey a file.
    static let commands: [[String]] = [
      ["inspect", "s"], ["stats", "s"], ["verify", "s"], ["ls", "s"], ["count", "s"], ["get", "s", "key 0"],
      ["export", "s"],
      ["export", "s", "--format", "csv"], ["export", "s", "exported.jsonl"], ["salvage", "s", "saved"],
      ["backup", "s", "copy"], ["backup", "--live", "s", "live"], ["compact", "s"],
      ["set", "s", "key 9", "value"],
      ["compact", "--erase", "s"],
    ]

    private func make(_ file: HostileFile) throws {
      let store = try folder.open("s")
      switch file {
      case .zeros:
        try store.set([UInt8](repeating: 0, count: 48 << 20), forKey: "key 0")
        try store.close()
      case .lengthened:
        for number in 0..<40 { try store.set("value", forKey: "key \(number)") }
        try store.sync()
        try FileManager.default.copyItem(atPath: folder.path("s"), toPath: folder.path("copied"))
        try store.close()
        try FileManager.default.removeItem(atPath: folder.path("s"))
        try FileManager.default.moveItem(atPath: folder.path("copied"), toPath: folder.path("s"))
      case .lengthenedAfterClose:
        for number in 0..<40 { try store.set("value", forKey: "key \(number)") }
        try store.close()
      }
      if file != .zeros {
        let handle = try #require(FileHandle(forWritingAtPath: folder.path("s")))
        try handle.truncate(atOffset: 2 << 40)
        try handle.close()
      }
    }

    /// The bytes of the blocks of a file.
    private func allocatedByteCount(_ name: String) throws -> Int {
      let text = try folder.shell("stat -c %b \(name)").output
      return try #require(Int(text.dropLast())) * 512
    }

    @Test(arguments: HostileFile.allCases)
    func `No command takes more memory, or leaves more on the disk, than the file has there allows`(
      file: HostileFile
    ) throws {
      try make(file)
      let before = try allocatedByteCount("s")
      #expect(before < 2 << 20)
      for command in Self.commands {
        let (run, byteCount) = try folder.sedimentMetered(command)
        #expect(run.code == 0, "\(command): \(run)")
        #expect(byteCount <= Self.constantByteCount + Self.factor * before, "\(command)")
        let after = try allocatedByteCount("s")
        #expect(after <= before + 4 << 20, "\(command)")
      }
      for name in ["saved", "copy", "live"] {
        #expect(try allocatedByteCount(name) <= before + 4 << 20, "\(name)")
      }
    }

    /// Texts to be imported that claim much more than they hold.
    @Test(arguments: ["csv", "jsonl"])
    func `A text that is refused takes memory in proportion to a row of it`(format: String) throws {
      let count = 30 << 20
      let row =
        format == "csv"
        ? Array("key,value\na,b\n".utf8) + [UInt8](repeating: UInt8(ascii: ","), count: count)
        : Array("{".utf8) + Array(repeating: Array("\"a\":1,".utf8), count: count / 6).joined()
          + Array("}\n".utf8)
      try folder.write(row, to: "x.\(format)")
      let (run, byteCount) = try folder.sedimentMetered(["import", "t", "x.\(format)"])
      #expect(run.code == 2)
      #expect(
        run.errors.contains(format == "csv" ? "more values than there are columns" : "'a' is not known"))
      #expect(byteCount <= Self.constantByteCount + 3 * row.count)
    }
  }
#endif
