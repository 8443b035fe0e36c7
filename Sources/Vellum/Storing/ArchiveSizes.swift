/// The sizes with which the archives of a type are opened.
struct ArchiveSizes {
  var memoryByteCountMax: Int
  var disk: DiskPartSize
  /// Whether they are only those of a use, such as of a property, before the program has asked for the archives.
  var areProvisional = false

  /// Sizes that a program asks for; the defaults take the place of nil, and count as asked for if the program set them.
  init(memory: DataSize?, disk: DataSize?, defaults: DefaultSizes) {
    memoryByteCountMax = Swift.max((memory ?? defaults.memory ?? DefaultSizes.ofMemory).bytes, 0)
    self.disk =
      if let asked = disk ?? defaults.disk { .asked(Swift.max(asked.bytes, 0)) } else {
        .byDefault(DefaultSizes.ofDisk.bytes)
      }
  }

  /// Sizes for a use of archives that nobody has asked for.
  init(provisionalBy defaults: DefaultSizes) {
    self.init(memory: nil, disk: nil, defaults: defaults)
    disk = .byDefault((defaults.disk ?? DefaultSizes.ofDisk).bytes)
    areProvisional = true
  }
}

/// How large the disk part of a type's archives may become, in bytes.
enum DiskPartSize {
  /// A size that the program asked for: archives that exceed it are deleted.
  case asked(Int)
  /// A size for archives that nobody named a size for, or one that was asked for before if that is larger. What is there
  /// stays.
  case byDefault(Int)
  /// No bound.
  case unbounded
}

/// The sizes of archives that are asked for without a size, where a program has set them.
struct DefaultSizes {
  static var ofMemory: DataSize { 1.megaBytes }
  static var ofDisk: DataSize { 2.megaBytes }

  var memory: DataSize?
  var disk: DataSize?
}
