/// What an operation on one key was seen to find there, and what it left.
///
/// A key is a register: it has one value at a time or, with nil, none.
public struct RegisterStep<Value: Hashable & Sendable>: Hashable, Sendable {
  /// What the operation found.
  public var found: Found
  /// What it left.
  public var left: Left

  /// Creates a step of its parts.
  public init(found: Found, left: Left) {
    self.found = found
    self.left = left
  }

  /// What is known of the value before.
  public enum Found: Hashable, Sendable {
    /// Nothing: the operation does not look at it.
    case anything
    /// That it was this one, or with nil that there was none.
    case exactly(Value?)
    /// That it was another one than this, or with nil that there was one.
    case anythingBut(Value?)
  }

  /// What happened to the value.
  public enum Left: Hashable, Sendable {
    /// Nothing.
    case unchanged
    /// It was replaced by this one, or with nil removed.
    case value(Value?)
  }

  /// The key was given a value, whatever it had before.
  public static func set(_ value: Value) -> RegisterStep {
    RegisterStep(found: .anything, left: .value(value))
  }

  /// The key was removed, and the operation may have said whether it had a value.
  public static func remove(wasThere: Bool? = nil) -> RegisterStep {
    RegisterStep(found: wasThere.map(Self.presence) ?? .anything, left: .value(nil))
  }

  /// The key's value was read.
  public static func retrieve(_ value: Value?) -> RegisterStep {
    RegisterStep(found: .exactly(value), left: .unchanged)
  }

  /// It was asked whether the key has a value.
  public static func contains(_ isThere: Bool) -> RegisterStep {
    RegisterStep(found: presence(isThere), left: .unchanged)
  }

  /// The key was given a value if it had none, and the operation said whether it did.
  public static func setIfAbsent(_ value: Value, isSet: Bool) -> RegisterStep {
    compareAndSet(expected: nil, new: value, isSet: isSet)
  }

  /// The key was given another value, or none, if it had the expected one, and the operation said whether it did.
  public static func compareAndSet(expected: Value?, new: Value?, isSet: Bool) -> RegisterStep {
    isSet ? update(from: expected, to: new) : RegisterStep(found: .anythingBut(expected), left: .unchanged)
  }

  /// The value was replaced by what was made of it.
  public static func update(from old: Value?, to new: Value?) -> RegisterStep {
    RegisterStep(found: .exactly(old), left: .value(new))
  }

  private static func presence(_ isThere: Bool) -> Found {
    isThere ? .anythingBut(nil) : .exactly(nil)
  }
}

extension RegisterStep: CustomStringConvertible {
  /// What was found and what was left, in a few words.
  public var description: String {
    func word(_ value: Value?) -> String { value.map { "\($0)" } ?? "nothing" }
    let before =
      switch found {
      case .anything: "found anything"
      case .exactly(let value): "found \(word(value))"
      case .anythingBut(let value): "found anything but \(word(value))"
      }
    return if case .value(let value) = left { "\(before), left \(word(value))" } else { before }
  }
}
