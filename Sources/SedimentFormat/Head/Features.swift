/// What a file uses beyond the first version, in three words by what an older program may still do with it.
package struct Features: Hashable, Sendable {
  /// Must be known by who reads the file.
  package var neededToRead: UInt64 = 0
  /// Must be known by who writes the file.
  package var neededToWrite: UInt64 = 0
  /// May be ignored.
  package var ignorable: UInt64 = 0

  package init(neededToRead: UInt64 = 0, neededToWrite: UInt64 = 0, ignorable: UInt64 = 0) {
    self.neededToRead = neededToRead
    self.neededToWrite = neededToWrite
    self.ignorable = ignorable
  }

  /// The bit of `neededToRead` that says that there may be a window, and entries of segments with what expires of them.
  package static let window: UInt64 = 1

  /// The ones that this version knows.
  package static let known = Features(neededToRead: window)

  /// Whether this version may read a file that has them.
  package var mayRead: Bool {
    neededToRead & ~Self.known.neededToRead == 0
  }

  /// Whether this version may write a file that has them.
  package var mayWrite: Bool {
    mayRead && neededToWrite & ~Self.known.neededToWrite == 0
  }
}
