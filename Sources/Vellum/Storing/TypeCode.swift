/// Text that tells a type from others of its name, the same in each run of a program: 16 digits.
///
/// It changes with the type's name and module, and of a private type with the name of its file.
func typeCode(_ type: Any.Type) -> String {
  // FNV-1a: it must stay as it is, and only has to tell types of one name from each other.
  var hash: UInt64 = 0xcbf2_9ce4_8422_2325
  for byte in (_mangledTypeName(type) ?? String(reflecting: type)).utf8 {
    hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3
  }
  let digits = String(hash, radix: 16)
  return String(repeating: "0", count: 16 - digits.count) + digits
}
