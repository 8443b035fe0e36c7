import Foundation

/// What a round of a soak left this process and its files with.
struct SoakFigures {
  /// The memory that the process has in fact; nil where the system does not tell.
  var residentByteCount: Int?
  var descriptorCount: Int
  /// The bytes of the blocks of each file, by what it is for.
  var fileByteCounts: [String: Int]

  init(files: [String: String]) {
    let memory = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ")
    residentByteCount = memory.flatMap { Int($0[1]) }.map { $0 * Int(getpagesize()) }
    descriptorCount = (0..<4096 as Range<Int32>).count { fcntl($0, F_GETFD) != -1 }
    fileByteCounts = files.mapValues { path in
      var status = stat()
      return unsafe stat(path, &status) == 0 ? Int(status.st_blocks) * 512 : 0
    }
  }

  /// What has grown over the second half of the rounds.
  static func growth(in rounds: [SoakFigures]) -> [String] {
    guard rounds.count >= 8 else { return [] }
    let third = rounds[(rounds.count / 2)..<(rounds.count * 3 / 4)]
    let fourth = rounds[(rounds.count * 3 / 4)...]
    var complaints: [String] = []
    func compare(_ what: String, slack: (Int) -> Int, _ figure: (SoakFigures) -> Int) {
      let (before, after) = (third.map(figure).max() ?? 0, fourth.map(figure).max() ?? 0)
      if after > before + slack(before) { complaints.append("\(what) grew from \(before) to \(after)") }
    }
    compare("open descriptors", slack: { _ in 0 }) { $0.descriptorCount }
    compare("memory", slack: { $0 / 10 + (4 << 20) }) { $0.residentByteCount ?? 0 }
    for name in rounds[0].fileByteCounts.keys.sorted() {
      compare("the file of \(name)", slack: { $0 / 4 + (256 << 10) }) { $0.fileByteCounts[name] ?? 0 }
    }
    return complaints
  }
}
