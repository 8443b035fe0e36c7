// What each function promises is said in sediment.h.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif
internal import CSedimentInterface

@c @implementation
public func sediment_free(_ memory: UnsafeMutableRawPointer?) {
  unsafe free(memory)
}
