/// One thing that a plan does: a burst of all threads, or a call by one.
struct Step: Equatable, Sendable {
  var kind: Kind
  /// How long values and keys are.
  var sizes = Sizes(100...100)
  var keySizes = Sizes(8...16)
  var content = Content.random
  /// How many keys of each thread are used again and again.
  var keyCount = 1000
  /// How many operations each thread makes, or how many bytes it fills; 0 for as many as there is time or room for.
  var amount = 0
  /// How long it takes at most.
  var seconds = 2.0
  var mix = Mix.everything
  var beside = Beside.nothing
  /// How many changes a batch has at most, and how many of a hundred are of a key that it has already.
  var members = 8
  var again = 20
  /// How many of a hundred values expire.
  var expiring = 0
  /// How many collections each thread uses beside the store's own keys.
  var spaces = 0
  var which = Which.all
  var how = Clearing.everything
  /// How the store is opened again; nil as it was.
  var settings: Settings?

  enum Kind: String, Sendable {
    /// New keys, until it is full or the bytes are there.
    case fill
    /// Operations by chance on the same keys.
    case churn
    /// The same in a process that is killed.
    case kill
    /// Keys are removed one by one, without pauses.
    case remove
    case clear, compact, backup, sync, reopen, idle, check
  }

  /// What a burst is made of.
  enum Mix: String, Sendable, CaseIterable {
    case everything, overwrites, batches, reads
  }

  /// What is done once while the threads are at work.
  enum Beside: String, Sendable, CaseIterable {
    case nothing, compact, backup, close, iterate
  }

  /// Which keys are removed.
  enum Which: String, Sendable, CaseIterable {
    case all, other, small, large
  }

  enum Clearing: String, Sendable, CaseIterable {
    case everything, each, drop
  }

  init(_ kind: Kind) { self.kind = kind }
}

extension Step: CustomStringConvertible {
  var description: String {
    let plain = Step(kind)
    var words = [kind.rawValue]
    func add<Field: Equatable>(_ name: String, _ path: KeyPath<Step, Field>, _ text: String) {
      if self[keyPath: path] != plain[keyPath: path] { words.append("\(name)=\(text)") }
    }
    add("sizes", \.sizes, "\(sizes)")
    add("keys", \.keySizes, "\(keySizes)")
    add("content", \.content, content.rawValue)
    add("count", \.keyCount, "\(keyCount)")
    add("amount", \.amount, "\(amount)")
    add("seconds", \.seconds, "\(seconds)")
    add("mix", \.mix, mix.rawValue)
    add("beside", \.beside, beside.rawValue)
    add("members", \.members, "\(members)")
    add("again", \.again, "\(again)")
    add("expiring", \.expiring, "\(expiring)")
    add("spaces", \.spaces, "\(spaces)")
    add("which", \.which, which.rawValue)
    add("how", \.how, how.rawValue)
    return (words + (settings?.words ?? [])).joined(separator: " ")
  }

  /// Nil for a text that says something else.
  init?(_ text: Substring, _ before: Settings) {
    var words = text.split(separator: " ").map(String.init)
    guard !words.isEmpty, let kind = Kind(rawValue: words.removeFirst()) else { return nil }
    self.init(kind)
    for word in words {
      let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
      guard parts.count == 2, take(parts[0], parts[1], before) else { return nil }
    }
  }

  private mutating func take(_ name: String, _ text: String, _ before: Settings) -> Bool {
    func put<Field>(_ path: WritableKeyPath<Step, Field>, _ value: Field?) -> Bool {
      guard let value else { return false }
      self[keyPath: path] = value
      return true
    }
    return switch name {
    case "sizes": put(\.sizes, Sizes(text))
    case "keys": put(\.keySizes, Sizes(text))
    case "content": put(\.content, Content(rawValue: text))
    case "count": put(\.keyCount, Int(text))
    case "amount": put(\.amount, byteCount(text))
    case "seconds": put(\.seconds, Double(text))
    case "mix": put(\.mix, Mix(rawValue: text))
    case "beside": put(\.beside, Beside(rawValue: text))
    case "members": put(\.members, Int(text))
    case "again": put(\.again, Int(text))
    case "expiring": put(\.expiring, Int(text))
    case "spaces": put(\.spaces, Int(text))
    case "which": put(\.which, Which(rawValue: text))
    case "how": put(\.how, Clearing(rawValue: text))
    default:
      takeSetting(name, text, before)
    }
  }

  private mutating func takeSetting(_ name: String, _ text: String, _ before: Settings) -> Bool {
    var changed = settings ?? before
    guard kind == .reopen, changed.take(name, text) else { return false }
    settings = changed
    return true
  }
}
