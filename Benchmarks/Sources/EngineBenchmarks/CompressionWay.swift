internal import Sediment

/// How a store compresses its values.
enum CompressionWay: String, CaseIterable {
  case off
  case zstd
  case automatic

  var compression: SedimentCompression {
    switch self {
    case .off: .off
    case .zstd: .zstd(level: BareZstd.level)
    case .automatic: .automatic
    }
  }

  /// What it is called.
  var text: String {
    switch self {
    case .off: "uncompressed"
    case .zstd: "zstd alone"
    case .automatic: "automatic"
    }
  }
}
