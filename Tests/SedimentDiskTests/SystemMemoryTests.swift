import SedimentDisk
import Testing

/// How much memory a process may have, by the files of a system.
struct SystemMemoryTests {
  private static func byteCount(machine: UInt64? = 8000, _ files: [String: String]) -> UInt64? {
    SystemMemory(machineByteCount: machine) { files[$0] }.byteCount
  }

  @Test func `Without a group it is that of the machine`() {
    #expect(Self.byteCount([:]) == 8000)
    #expect(Self.byteCount(machine: nil, [:]) == nil)
    #expect(Self.byteCount(["/proc/self/cgroup": "0::/\n"]) == 8000)
  }

  @Test func `The least bound of a group and of those around it counts`() {
    var files = [
      "/proc/self/cgroup": "0::/user/job\n", "/sys/fs/cgroup/user/job/memory.max": "max\n",
      "/sys/fs/cgroup/user/job/memory.high": "max\n",
    ]
    #expect(Self.byteCount(files) == 8000)
    files["/sys/fs/cgroup/user/memory.max"] = "5000\n"
    #expect(Self.byteCount(files) == 5000)
    files["/sys/fs/cgroup/user/job/memory.high"] = "3000\n"
    #expect(Self.byteCount(files) == 3000)
    #expect(Self.byteCount(machine: 2000, files) == 2000)
    #expect(Self.byteCount(machine: nil, files) == 3000)
  }

  @Test func `A group of version 1 is found, also where a container has it as the root`() {
    let bound = "/sys/fs/cgroup/memory/job/memory.limit_in_bytes"
    let membership = ["/proc/self/cgroup": "5:cpu,memory:/job\n1:name=systemd:/job\n0::/job\n"]
    #expect(Self.byteCount(membership.merging([bound: "4000\n"]) { $1 }) == 4000)
    #expect(Self.byteCount(membership.merging([bound: "9223372036854771712\n"]) { $1 }) == 8000)
    let root = "/sys/fs/cgroup/memory/memory.limit_in_bytes"
    #expect(Self.byteCount(membership.merging([root: "1000\n"]) { $1 }) == 1000)
  }

  @Test func `Lines and numbers that make no sense bound nothing`() {
    for text in ["", "\n", "0\n", "0::\n", "0::/../x\n", "::::\n", "memory:memory:memory\n"] {
      #expect(Self.byteCount(["/proc/self/cgroup": text, "/sys/fs/cgroup/memory.max": "x\n"]) == 8000)
    }
  }

  @Test func `The machine has some`() {
    #expect((SystemDisk().memoryByteCount() ?? 0) > 1 << 24)
  }
}
