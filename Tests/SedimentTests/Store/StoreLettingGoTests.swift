import Foundation
import Sediment
import SedimentSupport
import Testing

#if os(Linux)
  /// What a closed store keeps of its file, though somebody still has it.
  struct StoreLettingGoTests {
    /// Whether the process has a file open, or anything of it mapped.
    private func hasFile(_ path: String) throws -> Bool {
      let mapped = try String(contentsOfFile: "/proc/self/maps", encoding: .utf8)
      if mapped.contains(path) { return true }
      let numbers = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
      return numbers.contains { number in
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)"))
          .map { $0.hasPrefix(path) } ?? false
      }
    }

    @Test(arguments: accesses, [false, true])
    func `A closed store keeps nothing of its file`(access: SedimentOptions.Access, isRead: Bool) throws {
      let directory = try StoreDirectory()
      let path = directory["store"]
      var options = SedimentOptions(durability: .unsynced, access: access)
      // Large enough for a window.
      let written = try SedimentStore(path: path, options: options)
      for key in 0..<3_000 { try written.set(pattern(1_000, key), forKey: "\(key)") }
      #expect(try hasFile(path))
      if isRead { try written.close() }
      options.readOnly = isRead
      let store = isRead ? try SedimentStore(path: path, options: options) : written
      #expect(try store.retrieve(forKey: "7") == pattern(1_000, 7))
      #expect(try hasFile(path))
      try store.close()
      #expect(try !hasFile(path))
      // Its figures are those of the close.
      _ = (store.statistics, store.segments, store.collectionNames)
      #expect(code { _ = try store.retrieve(forKey: "7") } == .closed)
      try SedimentStore.destroy(path: path)
      withExtendedLifetime((store, written)) {}
      try FileManager.default.removeItem(atPath: directory.path)
    }

    @Test(arguments: accesses)
    func `A store that is closed in a closure keeps its file until that returns`(
      access: SedimentOptions.Access
    ) throws {
      let directory = try StoreDirectory()
      let path = directory["store"]
      let store = try SedimentStore(path: path, options: SedimentOptions(access: access))
      for key in 0..<3_000 { try store.set(pattern(1_000, key), forKey: "\(key)") }
      _ = try store.withValue(forKey: "7") { value in
        try store.close()
        #expect(try hasFile(path))
        #expect(same([UInt8](sedimentBytes: value), pattern(1_000, 7)))
      }
      #expect(try !hasFile(path))
      withExtendedLifetime(store) {}
      try FileManager.default.removeItem(atPath: directory.path)
    }
  }
#endif
