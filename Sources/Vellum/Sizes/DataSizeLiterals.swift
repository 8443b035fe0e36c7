extension Int {
  /// So many bits.
  public var bits: DataSize { .bits(self) }
  /// So many half bytes.
  public var nibbles: DataSize { .nibbles(self) }
  /// So many bytes.
  public var bytes: DataSize { .bytes(self) }
  /// So many kilobytes.
  public var kiloBytes: DataSize { .kiloBytes(self) }
  /// So many kilobytes; the same as `kiloBytes`.
  public var kiloByte: DataSize { kiloBytes }
  /// So many megabytes.
  public var megaBytes: DataSize { .megaBytes(self) }
  /// So many megabytes; the same as `megaBytes`.
  public var megaByte: DataSize { megaBytes }
  /// So many gigabytes.
  public var gigaBytes: DataSize { .gigaBytes(self) }
  /// So many gigabytes; the same as `gigaBytes`.
  public var gigaByte: DataSize { gigaBytes }
}

extension Double {
  /// So many bits.
  public var bits: DataSize { .bits(self) }
  /// So many half bytes.
  public var nibbles: DataSize { .nibbles(self) }
  /// So many bytes.
  public var bytes: DataSize { .bytes(self) }
  /// So many kilobytes.
  public var kiloBytes: DataSize { .kiloBytes(self) }
  /// So many kilobytes; the same as `kiloBytes`.
  public var kiloByte: DataSize { kiloBytes }
  /// So many megabytes.
  public var megaBytes: DataSize { .megaBytes(self) }
  /// So many megabytes; the same as `megaBytes`.
  public var megaByte: DataSize { megaBytes }
  /// So many gigabytes.
  public var gigaBytes: DataSize { .gigaBytes(self) }
  /// So many gigabytes; the same as `gigaBytes`.
  public var gigaByte: DataSize { gigaBytes }
}
