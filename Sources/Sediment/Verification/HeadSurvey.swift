internal import SedimentDisk
internal import SedimentFormat

/// The two superblocks of a file, each as it is, whether the file can be opened or not.
struct HeadSurvey {
  let copies: [(copy: Superblock.Copy, state: State)]

  enum State {
    case sound(Superblock)
    case unsound(FormatError)
    case unreadable(DiskError)
  }

  init(_ file: any DiskFile) {
    copies = Superblock.Copy.allCases.map { ($0, Self.read($0, file)) }
  }

  private static func read(_ copy: Superblock.Copy, _ file: any DiskFile) -> State {
    var bytes = [UInt8](repeating: 0, count: Superblock.byteCount)
    do throws(DiskError) {
      var elements = bytes.mutableSpan
      var span = unsafe elements.mutableBytes
      let count = try file.read(into: &span, at: copy.byteOffset)
      bytes.removeLast(bytes.count - count)
    } catch {
      return .unreadable(error)
    }
    do throws(FormatError) {
      return .sound(try Superblock.decode(unsafe bytes.span.bytes, copy: copy))
    } catch {
      return .unsound(error)
    }
  }

  /// The sound ones, the one that leads first.
  var sound: [Superblock] {
    copies.compactMap { if case .sound(let block) = $0.state { block } else { nil } }
      .sorted { $0.generation > $1.generation }
  }

  /// Whether neither even begins like one.
  var isAbsent: Bool {
    copies.allSatisfy { if case .unsound(let error) = $0.state { error.fault == .absent } else { false } }
  }

  /// The error for a file of a newer version, which is never taken for damaged.
  func failure(path: String) -> SedimentError? {
    for (copy, state) in copies {
      guard case .unsound(let error) = state, case .newer = error.fault else { continue }
      return SedimentError(error, path: path, offset: copy.byteOffset)
    }
    return nil
  }
}
