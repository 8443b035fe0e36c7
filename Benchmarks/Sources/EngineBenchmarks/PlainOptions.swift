internal import Sediment

extension SedimentOptions {
  /// Options of the stores that are held against bare loops and other engines.
  ///
  /// As these do, they store values as they are. What compression costs and saves is measured by ``CompressionRows``.
  static func plain(
    durability: SedimentDurability = .interval(.seconds(1)), capacity: SedimentCapacity = .unlimited
  ) -> SedimentOptions {
    SedimentOptions(durability: durability, capacity: capacity, compression: .off)
  }
}
