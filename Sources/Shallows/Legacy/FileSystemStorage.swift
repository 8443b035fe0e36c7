public import Foundation

/// A storage of the files of one folder, as it was before `DiskStorage`: the same folder with the same files.
@available(*, deprecated, message: "Use DiskStorage.main.folder(_:in:), which finds the same files.")
public final class FileSystemStorage: AnsweringStorage, Sendable {
  private let folder: DiskFolderStorage

  /// The name of the folder's storage.
  public var storageName: String { folder.storageName }

  private init(_ folder: DiskFolderStorage) { self.folder = folder }

  /// A storage of a folder in a directory of the system's.
  public static func inDirectory(
    _ directory: FileManager.SearchPathDirectory, appending pathComponent: String,
    domainMask: FileManager.SearchPathDomainMask = .userDomainMask
  ) -> FileSystemStorage {
    FileSystemStorage(DiskStorage.main.folder(pathComponent, in: directory, domainMask: domainMask))
  }

  /// The bytes of a name's file.
  public func answer(forKey key: Filename) -> StorageAnswer<Data> { folder.answer(forKey: key) }

  /// Gives a name's file its bytes.
  public func answer(setting value: Data, forKey key: Filename, expiry: StorageExpiry) -> StorageAnswer<Void>
  {
    folder.answer(setting: value, forKey: key, expiry: expiry)
  }

  /// Removes a name's file.
  public func answer(removing key: Filename) -> StorageAnswer<Void> { folder.answer(removing: key) }

  /// Removes everything in the folder, which stays.
  public func answerRemovingAll() -> StorageAnswer<Void> { folder.answerRemovingAll() }

  /// All names that have a file, in no order.
  @_disfavoredOverload
  public func keys() -> StorageKeys<Filename> { folder.keys() }
}
