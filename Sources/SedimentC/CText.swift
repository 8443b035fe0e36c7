/// A text as C wants it, in memory of its own.
@safe
struct CText: ~Copyable, @unchecked Sendable {
  // Sendable: nobody changes the memory.
  let start: UnsafePointer<CChar>

  init(_ text: String) {
    let utf8 = text.utf8CString
    let memory = UnsafeMutableBufferPointer<CChar>.allocate(capacity: utf8.count)
    _ = unsafe memory.initialize(fromContentsOf: utf8)
    // It has one element at least, the zero.
    unsafe start = UnsafePointer(memory.baseAddress!)
  }

  deinit {
    unsafe start.deallocate()
  }
}

extension String {
  /// The text at an argument; throws, by the argument's name, if there is none or it is not UTF-8.
  init(argument text: UnsafePointer<CChar>?, _ name: StaticString) throws(Refusal) {
    guard let text = unsafe text else { throw .misuse("\(name) is null. Pass a text.") }
    guard let valid = unsafe String(validatingCString: text) else {
      throw .misuse("\(name) is not UTF-8. Pass a text in UTF-8.")
    }
    self = valid
  }
}
