internal import SedimentDisk
internal import SedimentFormat

/// The two superblocks of a file, each as it is, whether the file can be opened or not.
struct HeadSurvey {
  let copies: [(copy: Superblock.Copy, state: State)]

  enum State {
    case sound(Superblock)
    case unsound(FormatError)
    case unreadable(SedimentError)
  }

  init(_ file: StoreFile) {
    copies = Superblock.Copy.allCases.map { ($0, Self.read($0, file)) }
  }

  private static func read(_ copy: Superblock.Copy, _ file: StoreFile) -> State {
    let bytes: [UInt8]
    do throws(SedimentError) {
      bytes = try file.bytes(at: copy.byteOffset, count: Superblock.byteCount)
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
