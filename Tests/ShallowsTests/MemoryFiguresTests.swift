import Foundation
import MemoryPressure
import Shallows
import Synchronization
import Testing

/// Figures of systems that a directory stands for.
@Suite struct MemoryFiguresTests {
  private let root = FakeSystem()

  private var figures: MemoryFigures? { root.reader.read() }

  private func group(_ used: UInt64, of bound: UInt64) -> MemoryFigures.Group {
    MemoryFigures.Group(used: used, bound: bound)
  }

  @Test func `Version 2 tells of the group and of those around it that have a bound`() {
    root.write("0::/user/app\n", to: "proc/self/cgroup")
    root.mount("/ /sys/fs/cgroup", "cgroup2 cgroup2 rw")
    root.writeGroup("sys/fs/cgroup/user/app", ["current": "800", "max": "1000", "high": "max"], idle: 50)
    root.writeGroup("sys/fs/cgroup/user", ["current": "5000", "max": "9000", "high": "6000"], idle: 6_000)
    root.write("1", to: "sys/fs/cgroup/memory.stat")
    #expect(figures == MemoryFigures(groups: [group(750, of: 1000), group(0, of: 6000)], stall: nil))
  }

  @Test func `Version 1 tells the same in its own words, and a huge bound is none`() {
    root.write("9:name=systemd:/x\n4:cpu,memory:/user/app\n0::/\n", to: "proc/self/cgroup")
    root.mount(
      "/ /sys/fs/cgroup/cpu", "cgroup cgroup rw,cpu", "/ /sys/fs/cgroup/memory", "cgroup c rw,memory")
    let app = "sys/fs/cgroup/memory/user/app/memory."
    root.write("700\n", to: app + "usage_in_bytes")
    root.write("1000\n", to: app + "limit_in_bytes")
    root.write("cache 1\ninactive_file 3\ntotal_inactive_file 100\n", to: app + "stat")
    root.write("9223372036854771712\n", to: "sys/fs/cgroup/memory/memory.limit_in_bytes")
    root.write("12345\n", to: "sys/fs/cgroup/memory/memory.usage_in_bytes")
    #expect(figures == MemoryFigures(groups: [group(600, of: 1000)], stall: nil))
  }

  @Test func `Within a container the mounted group stands for the one that cannot be seen`() {
    root.write("0::/docker/abc\n", to: "proc/self/cgroup")
    root.mount("/docker/abc /sys/fs/cgroup", "cgroup2 cgroup2 rw")
    root.writeGroup("sys/fs/cgroup", ["current": "90", "max": "100"], idle: 0)
    root.writeGroup("sys/fs/cgroup/docker/abc", ["current": "1", "max": "2"], idle: 0)
    #expect(figures?.groups == [group(90, of: 100)])
    for name in ["/elsewhere", "/../..", "/docker/abcd", "/"] {
      root.write("0::\(name)\n", to: "proc/self/cgroup")
      #expect(figures?.groups == [group(90, of: 100)], "\(name)")
    }
    root.write("0::/docker/abc/in: side\n", to: "proc/self/cgroup")
    root.writeGroup("sys/fs/cgroup/in: side", ["current": "5", "max": "10"], idle: 1)
    #expect(figures?.groups == [group(4, of: 10), group(90, of: 100)])
  }

  @Test func `Blanks in the place of a mount are understood`() {
    root.write("0::/\n", to: "proc/self/cgroup")
    root.mount("/ /sys/a\\040b\\134c\\9", "cgroup2 cgroup2 rw")
    root.writeGroup("sys/a b\\c\\9", ["current": "5", "max": "10"], idle: 0)
    #expect(figures?.groups == [group(5, of: 10)])
  }

  @Test func `The waiting of the group is preferred to that of the whole system`() {
    root.write(
      "some avg10=1.50 avg60=0.00 avg300=0.00 total=1\nfull avg10=0.25 avg60=9.00 avg300=0.00 total=0\n",
      to: "proc/pressure/memory")
    #expect(figures == MemoryFigures(groups: [], stall: MemoryFigures.Stall(some: 1.5, full: 0.25)))
    root.write("0::/a\n", to: "proc/self/cgroup")
    root.mount("/ /cg", "cgroup2 cgroup2 rw")
    #expect(figures?.stall == MemoryFigures.Stall(some: 1.5, full: 0.25))
    root.write("some avg10=77.00 avg60=0.00 avg300=0.00 total=1\n", to: "cg/a/memory.pressure")
    #expect(figures?.stall == MemoryFigures.Stall(some: 77, full: 0))
  }

  @Test func `A system that tells nothing has no figures, and the reason says what is missing`() throws {
    #expect(figures == nil)
    root.write("0::/\n", to: "proc/self/cgroup")
    root.mount("/ /sys/fs/cgroup", "cgroup2 cgroup2 rw")
    #expect(figures == nil)
    let source = PollingPressureSource(reader: root.reader, intervalMilliseconds: nil)
    let monitor = MemoryPressureMonitor(source: source)
    #expect(!monitor.isSupported)
    #expect(try #require(monitor.unsupportedReason).contains("/proc/pressure/memory"))
    root.writeGroup("sys/fs/cgroup", ["current": "5", "max": "10"], idle: 0)
    #expect(monitor.isSupported && monitor.unsupportedReason == nil)
  }

  @Test func `Whatever the files hold, nothing traps`() {
    let texts = [
      "", "\n", ":", "0", "0:", "0::", "0::/", "x:memory:/a", "some", "some avg10=", "some avg10=nan total=1",
      "some avg10=inf", "-5", "99999999999999999999999", "max", "1 2 3 4 5 - cgroup2",
      "1 2 3 / /cg rw - cgroup2 x y",
      "1 2 3 / /cg\\ rw - cgroup2 x y", "1 2 3 /\\777 /cg\\04 rw - cgroup x memory", "\u{0}\u{ff}",
    ]
    for first in texts {
      for second in texts {
        root.write(first, to: "proc/self/cgroup")
        root.write(second, to: "proc/self/mountinfo")
        for file in ["current", "max", "high", "stat", "pressure"] {
          root.write(first, to: "cg/memory.\(file)")
        }
        root.write(second, to: "proc/pressure/memory")
        _ = figures.map(MemoryPressurePolicy.level)
      }
    }
    root.write("0::/", to: "proc/self/cgroup")
    root.mount("/ /cg", "cgroup2 cgroup2 rw")
    root.writeGroup("cg", ["current": "-5", "max": "10"], idle: 0)
    #expect(figures?.groups == nil || figures?.groups == [])
  }

  @Test func `Each file is read once, so that none can go between a look and the next`() throws {
    let reads = Mutex<[String: Int]>([:])
    let stall =
      "some avg10=1.50 avg60=0.00 avg300=0.00 total=1\nfull avg10=0.25 avg60=0.00 avg300=0.00 total=0\n"
    let reader = MemoryFiguresReader { path in
      guard
        reads.withLock({ reads in
          reads[path, default: 0] += 1
          return reads[path] == 1
        })
      else { return nil }
      return switch path {
      case "/proc/self/cgroup": "0::/a\n"
      case "/proc/self/mountinfo": "30 31 0:32 / /cg rw - cgroup2 cgroup2 rw\n"
      case "/cg/a/memory.current": "800"
      case "/cg/a/memory.max": "1000"
      case "/cg/a/memory.pressure": stall
      default: nil
      }
    }
    #expect(
      reader.read()
        == MemoryFigures(groups: [group(800, of: 1000)], stall: MemoryFigures.Stall(some: 1.5, full: 0.25)))
    #expect(reads.withLock { $0.values.max() } == 1)
    #expect(reads.withLock { $0["/cg/a/memory.pressure"] } == 1)
  }

  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/pressure/memory")))
  func `The system that this runs on is understood`() throws {
    let stall = try #require(MemoryFiguresReader().read()?.stall)
    #expect((0...100).contains(stall.some) && (0...100).contains(stall.full))
    #expect(MemoryPressureMonitor.shared.isSupported)
  }
}

/// A directory that looks like the root of a Linux system.
final class FakeSystem: Sendable {
  let path = FileManager.default.temporaryDirectory.appendingPathComponent("shallows-\(UUID())").path

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  var reader: MemoryFiguresReader { MemoryFiguresReader(root: path) }

  func write(_ text: String, to name: String) {
    let file = URL(fileURLWithPath: path).appendingPathComponent(name)
    do {
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
    } catch {
      Issue.record(error)
    }
  }

  /// Writes lines of mounts, each given as its group with its place, and as what is behind the dash.
  func mount(_ parts: String...) {
    let lines = stride(from: 0, to: parts.count, by: 2).map { number in
      "3\(number) 31 0:32 \(parts[number]) rw,relatime shared:1 - \(parts[number + 1])\n"
    }
    write("22 1 8:1 / / rw - ext4 /dev/x rw\n" + lines.joined(), to: "proc/self/mountinfo")
  }

  func writeGroup(_ directory: String, _ files: [String: String], idle: UInt64) {
    for (name, text) in files { write(text + "\n", to: "\(directory)/memory.\(name)") }
    write("anon 5\ninactive_file \(idle)\nactive_file 7\n", to: "\(directory)/memory.stat")
  }
}
