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

  /// The ones that this version knows.
  package static let known = Features()

  /// Whether this version may read a file that has them.
  package var mayRead: Bool {
    neededToRead & ~Self.known.neededToRead == 0
  }

  /// Whether this version may write a file that has them.
  package var mayWrite: Bool {
    mayRead && neededToWrite & ~Self.known.neededToWrite == 0
  }
}
