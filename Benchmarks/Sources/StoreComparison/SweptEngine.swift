/// An engine in all the variants in which it could take part.
public struct SweptEngine: Sendable {
  /// What it is called where it is compared.
  public let name: String

  /// The name of the variant with which it takes part.
  public let chosen: String

  /// All variants, each with a name of its own.
  public let variants: [Contender]

  /// An engine of which one variant was chosen.
  public init(name: String, chosen: String, variants: [Contender]) {
    self.name = name
    self.chosen = chosen
    self.variants = variants
  }
}
