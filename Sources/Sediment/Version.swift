internal import CZstd
internal import SedimentFormat

/// The versions of the package, of its files, and of zstd.
public enum SedimentVersion {
  /// The version of the package.
  public static let package = "0.1.0"

  /// The version of the format in which the package writes files.
  public static let format = "\(Superblock.major).\(Superblock.minor)"

  /// The version of libzstd that the process loaded.
  public static var zstd: String {
    // The library returns a constant of its own.
    unsafe String(cString: ZSTD_versionString())
  }
}
