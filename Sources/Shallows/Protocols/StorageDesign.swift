/// What every storage has: a name to tell it by.
public protocol StorageDesign {
  /// The storage's name, for messages; the name of its type unless it says otherwise.
  var storageName: String { get }
}

extension StorageDesign {
  /// The name of the type.
  public var storageName: String { String(describing: Self.self) }
}
