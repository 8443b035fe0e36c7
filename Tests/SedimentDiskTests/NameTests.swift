import Foundation
import SedimentDisk
import Synchronization
import Testing

@Suite struct NameTests {
  let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  @Test(arguments: [RenameRule.keepExisting, .replaceExisting])
  func `a file gets another name`(rule: RenameRule) throws {
    let path = try directory.write([1], to: "old")
    try disk.rename(path, to: directory["new"], rule)
    #expect(try directory.names == ["new"])
    #expect(try disk.open(directory["new"], .read).read(2, at: 0) == [1])
  }

  @Test func `renaming keeps what exists, if told so`() throws {
    let path = try directory.write([1], to: "old")
    let taken = try directory.write([2], to: "taken")
    #expect(throws: DiskError(.rename, path: path, code: .exists)) {
      try disk.rename(path, to: taken, .keepExisting)
    }
    #expect(try disk.open(path, .read).read(2, at: 0) == [1])
    #expect(try disk.open(taken, .read).read(2, at: 0) == [2])
  }

  @Test func `renaming replaces what exists, if told so`() throws {
    let path = try directory.write([1], to: "old")
    let taken = try directory.write([2], to: "taken")
    try disk.rename(path, to: taken, .replaceExisting)
    #expect(try directory.names == ["taken"])
    #expect(try disk.open(taken, .read).read(2, at: 0) == [1])
  }

  @Test(arguments: [RenameRule.keepExisting, .replaceExisting])
  func `renaming what is missing fails`(rule: RenameRule) throws {
    let path = directory["missing"]
    #expect(throws: DiskError(.rename, path: path, code: .notFound)) {
      try disk.rename(path, to: directory["new"], rule)
    }
    #expect(try directory.names == [])
  }

  @Test func `renaming by a second name keeps the same promises`() throws {
    let path = try directory.write([1], to: "old")
    let taken = try directory.write([2], to: "taken")
    #expect(renameByLink(path, taken) == .exists)
    #expect(renameByLink(directory["missing"], directory["new"]) == .notFound)
    #expect(try directory.names == ["old", "taken"])
    #expect(renameByLink(path, directory["new"]) == nil)
    #expect(try directory.names == ["new", "taken"])
    #expect(try disk.open(directory["new"], .read).read(2, at: 0) == [1])
    #expect(try disk.open(taken, .read).read(2, at: 0) == [2])
  }

  @Test func `of renames to one name side by side a single one succeeds`() throws {
    let sources = try (0..<8).map { try directory.write([UInt8($0)], to: "source\($0)") }
    let target = directory["target"]
    // No code that was met by any of them.
    let pending: DiskError? = DiskError(.open, path: "", code: .inputOutput)
    let results = Mutex([DiskError?](repeating: pending, count: 8))
    DispatchQueue.concurrentPerform(iterations: 8) { index in
      do throws(DiskError) {
        try disk.rename(sources[index], to: target, .keepExisting)
        results.withLock { $0[index] = nil }
      } catch {
        results.withLock { $0[index] = error }
      }
    }
    let met = results.withLock { $0 }
    let winners = (0..<8).filter { met[$0] == nil }
    #expect(winners.count == 1)
    #expect(
      (0..<8).filter { met[$0] == DiskError(.rename, path: sources[$0], code: .exists) }.count == 7)
    #expect(try disk.open(target, .read).read(2, at: 0) == winners.map(UInt8.init))
  }

  @Test func `removing takes the name away, and open files stay readable`() throws {
    let path = try directory.write([1], to: "file")
    let file = try disk.open(path, .read)
    try disk.remove(path)
    #expect(try directory.names == [])
    #expect(try file.read(2, at: 0) == [1])
    #expect(throws: DiskError(.remove, path: path, code: .notFound)) { try disk.remove(path) }
  }

  @Test func `a directory is not removed`() throws {
    #expect(throws: DiskError.self) { try disk.remove(directory.path) }
    #expect(try directory.names == [])
  }

  @Test func `the directory of a path is synced, whether the file exists or not`() throws {
    let path = try directory.write([1], to: "file")
    try disk.syncDirectory(of: path)
    try disk.syncDirectory(of: directory["missing"])
    try disk.syncDirectory(of: directory["missing//"])
    try disk.syncDirectory(of: "relative")
    let lost = directory["missing/file"]
    #expect(throws: DiskError(.syncDirectory, path: lost, code: .notFound)) {
      try disk.syncDirectory(of: lost)
    }
    let below = "\(path)/file"
    let notDirectory = SystemErrorCode(rawValue: ENOTDIR)
    #expect(throws: DiskError(.syncDirectory, path: below, code: notDirectory)) {
      try disk.syncDirectory(of: below)
    }
    #if os(Linux)
      #expect(try descriptors(of: directory.path) == [])
    #endif
  }

  @Test(arguments: [
    ("x", "."), ("x/", "."), ("x//", "."), ("./x", "."), ("/x", "/"), ("/x/", "/"), ("//x", "/"),
    ("a/x", "a"), ("a/x/", "a"), ("a//x", "a"), ("/a/b/x", "/a/b"), ("/a//b//x//", "/a//b"), ("../x", ".."),
    ("/", "/"), ("//", "/"), ("", "."), ("a/é/x", "a/é"), ("e\u{301}/x", "e\u{301}"),
  ])
  func `the parent of a path`(path: String, parent: String) {
    #expect(Array(SystemPath.parent(of: path).utf8) == Array(parent.utf8))
  }
}
