internal import CSediment

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif
extension SystemFile {
  func reserveMapping(byteCount: UInt64) throws(DiskError) -> FileMapping {
    _ = try borrow(for: .map)
    defer { descriptor.giveBack() }
    let page = UInt64(SystemDisk.pageByteCount)
    guard byteCount <= UInt64(Int64.max) - page else { throw failure(.map, .invalidArgument) }
    let rounded = max((byteCount + page - 1) / page * page, page)
    let base = unsafe mmap(nil, Int(rounded), PROT_NONE, SystemMapping.reservation, -1, 0)
    guard let base = unsafe base, unsafe base != MAP_FAILED else { throw failure(.map, .latest) }
    let backing = unsafe SystemMapping(path: path, descriptor: descriptor, base, byteCount: rounded)
    return unsafe FileMapping(
      base: base, byteCount: rounded, pageByteCount: SystemDisk.pageByteCount, backing: backing)
  }
}

/// The page tables behind a mapping.
///
/// What is exposed stays readable after the file was closed, since the system keeps the file open for it. More
/// can be exposed only before that; afterwards it fails with "bad file descriptor". Concealing always works.
/// Changing how a range is exposed replaces its pages in one step: a reader in it never meets a gap.
///
/// In a child after a fork nothing of it may be touched, or the child would keep the file and its locks; see
/// `CSedimentForkedFiles.h`.
@safe
final class SystemMapping: MappingBacking, @unchecked Sendable {
  // Unchecked: constants; `entry` is the list's, which has a lock, until it is taken out once.

  /// How addresses are reserved that nothing may touch and for which no memory is set aside.
  static let reservation = MAP_PRIVATE | MAP_ANON | MAP_NORESERVE

  private let path: String
  private let descriptor: Descriptor

  private let entry: UnsafeMutablePointer<sediment_forked_file>

  /// Takes over reserved addresses.
  init(path: String, descriptor: Descriptor, _ base: UnsafeMutableRawPointer, byteCount: UInt64) {
    self.path = path
    self.descriptor = descriptor
    unsafe entry = .allocate(capacity: 1)
    unsafe entry.initialize(to: sediment_forked_file())
    unsafe entry.pointee.descriptor = -1
    unsafe entry.pointee.base = unsafe base
    unsafe entry.pointee.byte_count = Int(byteCount)
    unsafe sediment_forked_file_enter(entry)
  }

  deinit {
    unsafe entry.deallocate()
  }

  func expose(
    _ base: UnsafeMutableRawPointer, _ range: Range<UInt64>, writable: Bool
  ) throws(DiskError) {
    guard let number = descriptor.borrow() else { throw failure(range, .badDescriptor) }
    defer { descriptor.giveBack() }
    let protection = writable ? PROT_READ | PROT_WRITE : PROT_READ
    unsafe try map(base, range, protection, MAP_SHARED, number, off_t(range.lowerBound))
  }

  func conceal(_ base: UnsafeMutableRawPointer, _ range: Range<UInt64>) throws(DiskError) {
    unsafe try map(base, range, PROT_NONE, Self.reservation, -1, 0)
  }

  func release(_ base: UnsafeMutableRawPointer, byteCount: UInt64) {
    unsafe sediment_forked_file_remove(entry)
    // Unmapping whole what was reserved whole can fail only by a bug, and there is nobody to tell.
    let code = attempt { unsafe munmap(base, Int(byteCount)) }
    assert(code == nil, "a mapping could not be released")
  }

  /// Replaces the pages of a range.
  private func map(
    _ base: UnsafeMutableRawPointer, _ range: Range<UInt64>, _ protection: Int32, _ flags: Int32,
    _ number: Int32, _ offset: off_t
  ) throws(DiskError) {
    if range.isEmpty { return }
    let start = unsafe base + Int(range.lowerBound)
    let result = unsafe mmap(start, range.count, protection, flags | MAP_FIXED, number, offset)
    guard unsafe result == start else { throw failure(range, .latest) }
  }

  private func failure(_ range: Range<UInt64>, _ code: SystemErrorCode) -> DiskError {
    DiskError(.map, path: path, offset: range.lowerBound, code: code)
  }
}
