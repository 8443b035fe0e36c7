// What Apple's own Swift part of the module `Darwin` adds to the headers, as far as the sources use it: macros that the
// importer of C declarations cannot read.
@_exported import Darwin

/// The number of the last call's error.
public var errno: Int32 {
  get { unsafe __error().pointee }
  set { unsafe __error().pointee = newValue }
}

/// What `mmap` returns where it fails.
public var MAP_FAILED: UnsafeMutableRawPointer? { unsafe UnsafeMutableRawPointer(bitPattern: -1) }

/// The clock of the wall.
public var CLOCK_REALTIME: clockid_t { _CLOCK_REALTIME }

/// The clock that only goes forward.
public var CLOCK_MONOTONIC: clockid_t { _CLOCK_MONOTONIC }

/// The bits of a mode that say what kind of file it is.
public var S_IFMT: mode_t { 0o170000 }

/// The kind of a regular file.
public var S_IFREG: mode_t { 0o100000 }

/// The kind of a directory.
public var S_IFDIR: mode_t { 0o040000 }

/// What is set for a signal that is ignored.
public var SIG_IGN: sig_t { unsafe unsafeBitCast(1, to: sig_t.self) }

/// The variadic call, for commands that take a number; nothing of this is linked or called.
public func fcntl(_ descriptor: Int32, _ command: Int32, _ value: Int32) -> Int32 { -1 }

/// The variadic call without a mode; nothing of this is linked or called.
public func open(_ path: UnsafePointer<CChar>, _ flags: Int32) -> Int32 { -1 }

/// The variadic call with a mode; nothing of this is linked or called.
public func open(_ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: mode_t) -> Int32 { -1 }

/// Asks for the size of a terminal.
public var TIOCGWINSZ: UInt { 0x4008_7468 }

/// The variadic call with an address; nothing of this is linked or called.
public func ioctl(_ descriptor: Int32, _ request: UInt, _ memory: UnsafeMutableRawPointer) -> Int32 { -1 }
