import BenchmarkHarness
import Testing

@Suite struct MachineTests {
  @Test func `the processor's name is the first in the list`() {
    let text = "processor\t: 0\nmodel name\t: Fast One: 3 GHz\nprocessor\t: 1\nmodel name\t: Other"
    #expect(Machine.processorName(inCPUInformation: text) == "Fast One: 3 GHz")
    #expect(Machine.processorName(inCPUInformation: "") == nil)
  }

  @Test func `the kernel is its name and number`() {
    #expect(Machine.kernelName(inVersion: "Linux version 6.1.0-9 (someone) #1 SMP") == "Linux 6.1.0-9")
    #expect(Machine.kernelName(inVersion: "") == nil)
  }

  @Test func `a path lies in the file system with the longest mount point that leads to it`() {
    let mounts = """
      /dev/a / ext4 rw,relatime 0 0
      none /data tmpfs rw 0 0
      /dev/b /data/deep xfs ro 0 0
      """
    #expect(Machine.fileSystem(ofPath: "/home", inMounts: mounts) == "ext4 (rw,relatime)")
    #expect(Machine.fileSystem(ofPath: "/database", inMounts: mounts) == "ext4 (rw,relatime)")
    #expect(Machine.fileSystem(ofPath: "/data", inMounts: mounts) == "tmpfs (rw)")
    #expect(Machine.fileSystem(ofPath: "/data/deep/er", inMounts: mounts) == "xfs (ro)")
    #expect(Machine.fileSystem(ofPath: "/home", inMounts: "") == nil)
  }
}
