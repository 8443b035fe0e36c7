internal import Foundation

/// An archive in memory, of whatever type.
///
/// It tells nothing of the type, so that what looks after memory is compiled once and not for each.
class KeptArchive {
  /// What it counts.
  let byteCount: Int

  init(byteCount: Int) {
    self.byteCount = byteCount
  }
}

/// An archive as it is: a value, an instance that all share, or an object that copies itself for each who accesses it.
final class KeptValue<Archive>: KeptArchive {
  let archive: Archive

  init(_ archive: Archive, byteCount: Int) {
    self.archive = archive
    super.init(byteCount: byteCount)
  }
}

/// The data of an object that cannot copy itself: each access decodes an object of its own.
final class KeptData: KeptArchive {
  let data: Data

  init(_ data: Data, byteCount: Int) {
    self.data = data
    super.init(byteCount: byteCount)
  }
}
