internal import Foundation

/// Calls a closure with an array of C strings that ends with a null pointer.
package func withCStrings<Result>(
  _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
  var pointers: [UnsafeMutablePointer<CChar>?] = unsafe strings.map { unsafe strdup($0) }
  unsafe pointers.append(nil)
  defer { unsafe pointers.forEach { unsafe free($0) } }
  return unsafe pointers.withUnsafeBufferPointer { unsafe body($0.baseAddress!) }
}
