import Sediment
import SedimentCommands
import Testing

@Suite struct UsageTests {
  typealias Run = ToolFolder.Run
  private let folder: ToolFolder

  init() throws {
    folder = try ToolFolder()
  }

  @Test func `Wrong calls are told from others, with what to do`() throws {
    #expect(
      try folder.sediment()
        == Run(2, errors: "sediment: a command is missing; 'sediment help' lists all commands\n"))
    #expect(
      try folder.sediment("gte")
        == Run(
          2,
          errors:
            "sediment: there is no command 'gte'; did you mean 'get'?\n'sediment help' lists all commands\n"))
    let usage = "usage: sediment get [OPTIONS] FILE KEY\n'sediment help get' tells more\n"
    #expect(
      try folder.sediment("get", "s", "k", "--jsno")
        == Run(2, errors: "sediment: there is no option '--jsno'; did you mean --json?\n" + usage))
    #expect(
      try folder.sediment("get", "s", "-k")
        == Run(
          2,
          errors:
            "sediment: there is no option '-k'; what begins with a dash and is no option goes behind '--'\n"
            + usage))
    #expect(
      try folder.sediment("get", "s")
        == Run(
          2,
          errors: "sediment: KEY is missing: the key: text, or hexadecimal digits with --hex-key\n" + usage))
    #expect(
      try folder.sediment("get", "s", "k", "l")
        == Run(2, errors: "sediment: 'l' is one argument too many\n" + usage))
    #expect(
      try folder.sediment("get", "s", "k", "--json", "-j")
        == Run(2, errors: "sediment: --json is given twice\n" + usage))
    #expect(
      try folder.sediment("get", "s", "k", "--json=1")
        == Run(2, errors: "sediment: --json takes no value\n" + usage))
    #expect(
      try folder.sediment("get", "s", "k", "-c")
        == Run(2, errors: "sediment: -c needs a value: NAME\n" + usage))
    #expect(
      try folder.shell(#"sediment get s $'\xff'"#)
        == Run(
          2,
          errors: "sediment: argument 3 is not UTF-8; give such keys in hexadecimal, with --hex-key\n"))
    #expect(try folder.names == [])
  }

  @Test func `A path without letters is wrong usage, and makes nothing`() throws {
    let usage = "usage: sediment set [OPTIONS] FILE KEY [VALUE]\n'sediment help set' tells more\n"
    #expect(
      try folder.sediment("set", "", "k", "v")
        == Run(2, errors: "sediment: FILE is empty: the store's file\n" + usage))
    try folder.makeSmallStore()
    for command in [
      ["get", "", "k"], ["backup", "s", ""], ["export", "s", ""], ["compact", ""], ["bench", ""],
    ] {
      #expect(try folder.sediment(command, input: []).code == 2, "\(command)")
    }
    // A key may be empty.
    #expect(try folder.sediment("set", "s", "", "v") == Run())
    #expect(try folder.sediment("get", "s", "") == Run(0, "v"))
    #expect(try folder.names == ["s"])
  }

  @Test func `What is asked for in another way is told`() throws {
    #expect(
      try folder.sediment("version").errors
        == "sediment: there is no command 'version'; did you mean '--version'?\n'sediment help' lists all commands\n"
    )
    let shell = try folder.sediment("shell", "s")
    #expect(shell.code == 1)
    #expect(shell.errors.hasSuffix("\n--create makes the store\n"))
  }

  @Test func `Nothing waits for the other end of a named pipe that is no store`() throws {
    try folder.makeSmallStore()
    for (command, code) in [
      ("get pipe k", 3), ("set pipe k v", 3), ("compact pipe", 3), ("verify pipe", 3), ("salvage pipe t", 3),
      ("backup s pipe", 2), ("export s pipe", 2), ("watch pipe", 3), ("inspect pipe", 3), ("stats pipe", 3),
      ("bench pipe -n 5 --syncs 1", 0),
    ] {
      let line = "rm -f pipe; mkfifo pipe; timeout 60 '\(try ToolFolder.tool)' \(command)"
      #expect(try folder.shell(line).code == Int32(code), "\(command)")
    }
    #expect(try folder.names == ["pipe", "s"])
  }

  @Test func `A file that cannot be made is told by the name that it should have`() throws {
    try folder.makeSmallStore()
    #expect(
      try folder.sediment("backup", "s", "nowhere/t").errors.hasPrefix(
        "sediment: nowhere/t: The directory in which it should be made is not there. Check the path, or make it. ("
      ))
    for command in ["backup s t", "salvage s t", "export s t", "set t k v"] {
      let run = try folder.shell(
        "(ulimit -f 0; trap '' XFSZ; sediment \(command)) 2>&1 | cat; exit ${PIPESTATUS[0]}")
      #expect(run.code == 5, "\(command)")
      #expect(run.output.hasPrefix("sediment: t"), "\(command): \(run.output)")
    }
    #expect(try folder.names == ["s"])
  }

  @Test func `Help and versions go to standard output`() throws {
    #expect(try folder.sediment("--version").output.hasPrefix("sediment \(SedimentVersion.package), format "))
    let overview = try folder.sediment("help")
    #expect(overview.code == 0)
    #expect(try folder.sediment("--help") == overview)
    #expect(overview.output.contains("\n  get         prints the value of a key\n"))
    let help = try folder.sediment("get", "--help")
    #expect(help.code == 0)
    #expect(try folder.sediment("help", "get") == help)
    #expect(help.output.contains("\nUsage: sediment get [OPTIONS] FILE KEY\n"))
    #expect(help.output.contains("\nExamples:\n  sediment get cities.sediment kharkiv\n"))
    #expect(try folder.sediment("help", "gte").code == 2)
  }

  @Test func `What is no store is damaged or foreign, and stays as it is`() throws {
    try folder.makeSmallStore()
    let whole = try folder.bytes("s")
    try folder.write("root:x:0:0\n", to: "foreign")
    try folder.write(Array(whole.prefix(32_800)), to: "cut")
    try folder.write(Array(repeating: 0, count: whole.count), to: "zeros")
    for name in ["foreign", "cut", "zeros", ".", "/dev/null"] {
      for command in [["get", name, "k"], ["set", name, "k", "v"], ["rm", name, "k"], ["ls", name]] {
        let run = try folder.sediment(command, input: [])
        #expect(run.code == 3, "\(command)")
        #expect(run.output == "", "\(command)")
        #expect(run.errors.hasPrefix("sediment: \(name)"), "\(command) \(run.errors)")
      }
    }
    #expect(try folder.bytes("cut") == Array(whole.prefix(32_800)))
    #expect(try folder.names == ["cut", "foreign", "s", "zeros"])
  }

  @Test func `An empty file is made into a store by what stores, and by nothing else`() throws {
    try folder.write("", to: "empty")
    for command in [["get", "empty", "k"], ["ls", "empty"]] {
      let run = try folder.sediment(command, input: [])
      #expect(run.code == 3, "\(command)")
      #expect(run.errors.hasPrefix("sediment: empty"), "\(command) \(run.errors)")
      #expect(try folder.bytes("empty") == [])
    }
    #expect(try folder.sediment("set", "empty", "k", "v").code == 0)
    #expect(try folder.sediment("get", "empty", "k").output == "v")
  }

  @Test func `A store that another process has open is locked`() throws {
    let store = try folder.open("s")
    try store.set("v", forKey: "k")
    for command in [["get", "s", "k"], ["set", "s", "k", "w"], ["rm", "s", "k"], ["ls", "s"]] {
      let run = try folder.sediment(command, input: [])
      #expect(run.code == 4, "\(command)")
      #expect(run.errors.hasPrefix("sediment: s: Another process has the store open."), "\(command)")
    }
    #expect(try store.retrieve(forKey: "k", as: String.self) == "v")
    try store.close()
  }

  @Test func `Output that cannot be written is told, and a reader that went away is not`() throws {
    try folder.fill("s") { store in
      for number in 0..<20_000 { try store.set("v", forKey: "key \(number)") }
    }
    #expect(
      try folder.shell("sediment ls s > /dev/full")
        == Run(5, errors: "sediment: standard output: No space left on device (28)\n"))
    #expect(
      try folder.shell("sediment ls s >&-")
        == Run(5, errors: "sediment: standard output: Bad file descriptor (9)\n"))
    #expect(
      try folder.shell("sediment ls s --keys | head -n 1; exit ${PIPESTATUS[0]}") == Run(141, "key 0\n"))
    #expect(try folder.shell("sediment get s 'key 7' <&- 2>&-") == Run(0, "v"))
  }
}
