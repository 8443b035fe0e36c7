import Foundation
import Sediment
import Testing

/// Exports that are interrupted behind 1 MiB, where the part is synced for the first time.
@Suite struct ExportResumingTests {
  typealias Run = ToolFolder.Run
  private let folder: ToolFolder

  init() throws {
    folder = try ToolFolder()
  }

  /// A store with 1.6 MiB in 44 keys of `large`, whose values have line feeds and quotation marks or are Base64, and keys
  /// that come before and behind.
  private func makeStore() throws {
    try folder.fill("s") { store in
      try store.set("one", forKey: "first")
      let large = try store.collection("large")
      for number in 0..<44 {
        let line = number.isMultiple(of: 2) ? "Value \(number) said \"no\",\n" : "\u{1}\u{2}\u{3} \(number) "
        try large.set(
          String(repeating: line, count: 37_000 / line.utf8.count), forKey: "k\(number + 10)")
      }
      _ = try store.collection("empty")
      try store.collection("small").set("last", forKey: "last")
    }
  }

  /// Exports to `t` until there is no more room; the result is the name of the part.
  private func interrupt(format: String) throws -> String {
    let run = try folder.shell(
      "(ulimit -f 1200; trap '' XFSZ; sediment export s t -f \(format)) 2>&1 | cat; exit ${PIPESTATUS[0]}")
    #expect(run.code == 5)
    let part = try #require(try folder.names.first { $0.hasPrefix("t.part-") })
    #expect(
      run.output == """
        sediment: t: File too large (27)
        t: stopped, and what there is of it stays in \(part); the same command goes on from there

        """)
    #expect(try folder.names == ["s", part])
    return part
  }

  /// What an export of everything says, and where its part is synced for the first time: how many entries and bytes.
  private func whole(format: String) throws -> (text: String, entryCount: Int, byteCount: Int) {
    let text = try folder.sediment("export", "s", "-f", format).output
    var entryCount = 0
    var byteCount = 0
    var isQuoted = false
    for byte in text.utf8 {
      byteCount += 1
      if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
      guard byte == 10, format == "jsonl" || !isQuoted else { continue }
      entryCount += 1
      if byteCount >= 1 << 20 { break }
    }
    return (text, entryCount - (format == "csv" ? 1 : 0), byteCount)
  }

  private func expect(_ text: String, in name: String) throws {
    // Texts of this size are not for a report.
    let isSame = try folder.bytes(name) == Array(text.utf8)
    #expect(isSame)
  }

  @Test(arguments: ["jsonl", "csv"])
  func `An export that finds no room goes on where it stopped once there is some`(format: String) throws {
    try makeStore()
    let whole = try whole(format: format)
    #expect(whole.text.utf8.count > 1_200 << 10)
    let part = try interrupt(format: format)
    #expect(
      try folder.sediment("export", "s", "t", "-f", format)
        == Run(
          errors: "sediment: going on behind \(whole.entryCount) entries, at byte \(whole.byteCount)\n"))
    try expect(whole.text, in: "t")
    #expect(try folder.names == ["s", "t"])
    #expect(try folder.sediment("import", "u", "t", "-f", format).code == 0)
    #expect(part.wholeMatch(of: #/t\.part-[0-9a-f]{8}/#) != nil)
  }

  /// As a power failure may leave it: what was not synced is as good as random.
  @Test func `Only what was synced is trusted`() throws {
    try makeStore()
    let whole = try whole(format: "jsonl")
    let part = try interrupt(format: "jsonl")
    let bytes = try folder.bytes(part)
    let goingOn = Run(
      errors: "sediment: going on behind \(whole.entryCount) entries, at byte \(whole.byteCount)\n")
    for (rest, run) in [
      // Nothing that follows, nothing that tells of a sync.
      ([], Run()), ([UInt8](repeating: 0, count: 100_000), goingOn), (Array("x\ny\n{}".utf8), goingOn),
    ] {
      try folder.write(bytes[..<whole.byteCount] + rest, to: part)
      let outcome = unsafe chmod(folder.path(part), 0o600)
      #expect(outcome == 0)
      #expect(try folder.sediment("export", "s", "t", "-f", "jsonl") == run)
      try expect(whole.text, in: "t")
      try FileManager.default.removeItem(atPath: folder.path("t"))
    }
    #expect(try folder.names == ["s"])
  }

  @Test func `What was changed before the place stays unseen, and what was behind it does not`() throws {
    try makeStore()
    let part = try interrupt(format: "jsonl")
    let kept = try Array(folder.bytes(part)[..<whole(format: "jsonl").byteCount])
    try folder.fill("s") { store in
      try store.set("changed", forKey: "first")
      try store.collection("a new one").set("early", forKey: "k")
      try store.dropCollection("small")
      try store.collection("large").removeAll()
      try store.collection("large").set("before", forKey: "k10")
      try store.collection("large").set("behind", forKey: "z\n")
    }
    #expect(try folder.sediment("export", "s", "t", "-f", "jsonl").code == 0)
    let text = try folder.bytes("t")
    #expect(text.starts(with: kept))
    #expect(
      String(decoding: text[kept.count...], as: UTF8.self)
        == #"{"collection":"large","key":"z\n","value":"behind"}"# + "\n")
  }

  @Test func `Another export to the same place does not go on in the part`() throws {
    try makeStore()
    let part = try interrupt(format: "jsonl")
    for options in [["-f", "csv"], ["-c", "small"], ["-p", "k"]] {
      let run = try folder.sediment(["export", "s", "t"] + options, input: [])
      #expect(run == Run())
      #expect(try folder.names == ["s", "t", part])
      try FileManager.default.removeItem(atPath: folder.path("t"))
    }
    // A store that was made anew under the same name is another one.
    try FileManager.default.removeItem(atPath: folder.path("s"))
    try folder.makeSmallStore()
    #expect(try folder.sediment("export", "s", "t", "-f", "jsonl") == Run())
  }

  @Test func `Two exports do not write to the same part`() throws {
    try makeStore()
    let part = try interrupt(format: "jsonl")
    let descriptor = unsafe open(folder.path(part), O_RDWR)
    #expect(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
    let before = try folder.bytes(part).count
    #expect(
      try folder.sediment("export", "s", "t", "-f", "jsonl")
        == Run(4, errors: "sediment: t: another export to it is under way\n"))
    #expect(try folder.bytes(part).count == before)
    close(descriptor)
  }

  /// What somebody who may write to the directory can put in the place of the part.
  enum Stranger: CaseIterable {
    case readableByOthers, ofAnotherUser, ofTwoNames, pipe, link, folder
  }

  @Test(arguments: Stranger.allCases)
  func `An export goes on only in a part that nobody else can have made or read`(stranger: Stranger) throws {
    try makeStore()
    let part = try interrupt(format: "jsonl")
    let path = folder.path(part)
    let outcomes: [Int32]
    switch stranger {
    case .readableByOthers: outcomes = [unsafe chmod(path, 0o640)]
    case .ofAnotherUser:
      guard geteuid() == 0 else { return }
      outcomes = [unsafe chown(path, 12_345, 12_345)]
    case .ofTwoNames: outcomes = [unsafe link(path, folder.path("other"))]
    case .pipe: outcomes = unsafe [unlink(path), mkfifo(path, 0o600)]
    case .link: outcomes = unsafe [rename(path, folder.path("other")), symlink("other", path)]
    case .folder: outcomes = unsafe [unlink(path), mkdir(path, 0o700)]
    }
    #expect(outcomes.allSatisfy { $0 == 0 })
    let names = try folder.names
    let refused = Run(
      2,
      errors:
        "sediment: t: \(part) is there, and is no file of one name that only you can read and write; remove it, or choose another name\n"
    )
    #expect(try folder.sediment("export", "s", "t", "-f", "jsonl") == refused)
    #expect(try folder.names == names)
  }

  @Test func `Nobody else can read what was exported`() throws {
    try folder.makeSmallStore()
    #expect(try folder.shell("umask 000; sediment export s t") == Run())
    let mode = try FileManager.default.attributesOfItem(atPath: folder.path("t"))[.posixPermissions]
    #expect(mode as? Int == 0o600)
  }

  @Test func `A part that is none is told, and stays`() throws {
    try makeStore()
    let part = try interrupt(format: "jsonl")
    try folder.write([UInt8](repeating: 120, count: 1 << 20) + Array("\n\n".utf8), to: part)
    let run = try folder.sediment("export", "s", "t", "-f", "jsonl")
    #expect(
      run == Run(2, errors: "sediment: \(part): it is not what an export has left; remove it\n"))
    #expect(try folder.names == ["s", part])
  }

  @Test func `Keys that take more than the memory for them come in the same order`() throws {
    try folder.fill("s") { store in
      for number in 0..<50_000 { try store.set("\(number)", forKey: "key \(number &* 7_919 % 50_000)") }
    }
    let run = try folder.sediment("export", "s", "--memory", "1")
    #expect(run.code == 0)
    let keys = (0..<50_000).map { "key \($0 &* 7_919 % 50_000)" }
    let lines = keys.enumerated().sorted { $0.element < $1.element }
      .map { "{\"key\":\"\($0.element)\",\"value\":\"\($0.offset)\"}\n" }
    let isSame = run.output == lines.joined()
    #expect(isSame)
    #expect(
      try folder.sediment("export", "s", "--memory", "0")
        == Run(2, errors: "sediment: --memory takes a number from 1 to 1048576, not '0'\n"))
  }
}
