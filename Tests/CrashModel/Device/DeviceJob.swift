/// What a process of the layer `device` does with a store: it opens it, compares what it holds, changes it, and ends.
package struct DeviceJob: Sendable {
  /// The folder that the store lies in.
  package var folder: String
  /// The file that takes marks for the log of the device.
  package var control: String
  package var setup: DeviceSetup
  package var past: DevicePast
  /// How many of the uncertain changes must be there, as only processes have died since they were made.
  package var least = 0
  /// Whether reads may give, or have given, what sectors of the file had before.
  package var mayBeOld = false
  /// A command for the device, and the number of the operation that it comes before.
  package var command: (number: Int, text: String)?
  /// How many operations it carries out.
  package var count: Int
  package var end: End

  package enum End: String, CaseIterable, Sendable {
    /// It ends without closing the store.
    case die
    case close
  }

  package init(
    folder: String, control: String, setup: DeviceSetup, past: DevicePast, count: Int, end: End
  ) {
    (self.folder, self.control, self.setup) = (folder, control, setup)
    (self.past, self.count, self.end) = (past, count, end)
  }

  package var path: String { "\(folder)/store.sediment" }
  /// The path of its backup.
  package var copyPath: String { "\(folder)/copy.sediment" }

  package static let word = "device"
  /// How the command begins by which reads of the file give old bytes.
  package static let oldReads = "old "

  package var arguments: [String] {
    [
      Self.word, folder, control, "\(setup.seed)", past.argument, "\(least)", "\(mayBeOld)", "\(count)",
      end.rawValue,
      "\(command?.number ?? 0)", command?.text ?? "",
    ]
  }

  /// Nil for arguments that say something else.
  package init?(_ arguments: ArraySlice<String>) {
    let words = Array(arguments)
    guard words.count == 11, words[0] == Self.word, let seed = UInt64(words[3]),
      let past = DevicePast(words[4]),
      let least = Int(words[5]), let mayBeOld = Bool(words[6]), let count = Int(words[7]),
      let end = End(rawValue: words[8]), let number = Int(words[9])
    else { return nil }
    self.init(
      folder: words[1], control: words[2], setup: DeviceSetup(seed: seed), past: past, count: count, end: end)
    (self.least, self.mayBeOld) = (least, mayBeOld)
    if number > 0 { command = (number, words[10]) }
  }
}

/// What a process says of itself, between the writes of a device.
package enum DeviceMark: Equatable, Sendable {
  /// The store is open, and was found with so many of the uncertain changes.
  case opened(Int)
  /// An operation begins.
  case begins(Int)
  /// It has returned; whether everything up to it must outlive a power failure.
  case ended(Int, isSynced: Bool)
  /// It has thrown, and says that it changed nothing.
  case refused(Int)
  /// It has thrown, and does not say what it did. It is the process's last.
  case failed(Int)
  /// The last backup goes, and a new one is made.
  case copying
  case copied
  case closed

  package var text: String {
    switch self {
    case .opened(let count): "opened \(count)"
    case .begins(let number): "begins \(number)"
    case .ended(let number, let isSynced): "\(isSynced ? "synced" : "ended") \(number)"
    case .refused(let number): "refused \(number)"
    case .failed(let number): "failed \(number)"
    case .copying: "copying 0"
    case .copied: "copied 0"
    case .closed: "closed 0"
    }
  }

  /// Nil for text that says something else.
  package init?(_ text: String) {
    let words = text.split(separator: " ")
    guard words.count == 2, let number = Int(words[1]) else { return nil }
    switch words[0] {
    case "opened": self = .opened(number)
    case "begins": self = .begins(number)
    case "ended": self = .ended(number, isSynced: false)
    case "synced": self = .ended(number, isSynced: true)
    case "refused": self = .refused(number)
    case "failed": self = .failed(number)
    case "copying": self = .copying
    case "copied": self = .copied
    case "closed": self = .closed
    default: return nil
    }
  }
}

extension DevicePast {
  /// Takes note of a mark.
  package mutating func note(_ mark: DeviceMark) {
    switch mark {
    case .opened(let count): find(count)
    case .begins(let number): begin(number)
    case .ended(_, let isSynced): if isSynced { fix() }
    case .refused(let number): refuse(number)
    case .failed: break
    case .copying: copy(false)
    case .copied: copy(true)
    case .closed: fix()
    }
  }
}
