import Foundation
import Sediment
import Testing

@Suite struct LiveCommandTests {
  typealias Run = ToolFolder.Run
  private let folder: ToolFolder

  init() throws {
    folder = try ToolFolder()
  }

  // MARK: shell

  @Test func `A shell takes its commands from a pipe, too`() throws {
    let script = """
      # what begins so is a comment
      set a 1
      set "b c" 'two words' --expires 2030-01-31T12:00:00Z
      use users
      set 1 Ada
      ls

      use
      ls --keys
      get b\\ c
      count
      sync
      """
    #expect(
      try folder.sediment("shell", "s", "--create", input: script)
        == Run(0, "       3  -                     1\na\nb c\ntwo words\n2\n"))
    #expect(try folder.sediment("get", "s", "1", "-c", "users") == Run(0, "Ada"))
  }

  @Test func `A shell goes on after what failed, and ends with the first code that was no success`() throws {
    try folder.makeSmallStore()
    let run = try folder.sediment("shell", "s", input: "get z\nnonsense\nset a\nget 'a\nget a\nexit\nget b\n")
    #expect(
      run
        == Run(
          1, "one\n",
          errors: """
            sediment: line 1: s: there is no value for the key 'z'
            sediment: line 2: there is no command 'nonsense' in the shell; 'help' lists all
            sediment: line 3: VALUE is missing; in the shell it is an argument, or --from a file
            sediment: line 4: a quotation mark has no end

            """))
  }

  @Test func `A shell makes no store unasked, and one that only reads changes none`() throws {
    #expect(try folder.sediment("shell", "s", input: "set a 1\n").code == 1)
    #expect(try folder.names == [])
    try folder.makeSmallStore()
    let before = try folder.bytes("s")
    #expect(try folder.sediment("shell", "s", "--read-only", input: "set a 2\nget a\n").code == 5)
    #expect(try folder.bytes("s") == before)
  }

  // MARK: watch

  @Test func `A file is watched in lines where there is no terminal`() throws {
    try folder.makeSmallStore()
    let before = try folder.bytes("s")
    let run = try folder.sediment("watch", "s", "--count", "2", "--interval", "1ms")
    #expect(run.code == 0)
    let lines = run.output.split(separator: "\n")
    #expect(lines.count == 2)
    #expect(lines[1].contains("Z  \(before.count) bytes  1 segment  change "))
    #expect(lines[1].hasSuffix("  0 a second  closed"))
    let json = try folder.sediment("watch", "s", "-n", "1", "--json")
    #expect(json.output.contains("\"segments\":1,\"sequence\":"))
    #expect(try folder.bytes("s") == before)
    #expect(try folder.sediment("watch", "nowhere").code == 1)
    #expect(try folder.sediment("watch", "s", "--interval", "fast").code == 2)
    try folder.write("no store", to: "foreign")
    #expect(try folder.sediment("watch", "foreign").code == 3)
  }

  // MARK: bench

  @Test func `A measurement leaves nothing behind, and the path alone`() throws {
    try folder.write("mine", to: "file")
    let run = try folder.sediment("bench", "file", "--keys", "50", "--size", "10", "--syncs", "2")
    #expect(run.code == 0)
    let lines = run.output.split(separator: "\n")
    #expect(lines[0] == "values of 10 bytes, keys of 16, one thread")
    #expect(lines.dropFirst().map { $0.prefix { $0 != " " } } == ["set", "get", "synced"])
    let json = try folder.sediment("bench", ".", "-n", "10", "--syncs", "1", "--json")
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
    #expect(object["keys"] as? Int == 10)
    #expect(try #require(object["setNanoseconds"] as? Double) > 0)
    #expect(try folder.sediment("bench", "nowhere").code == 1)
    #expect(try folder.sediment("bench", ".", "--keys", "0").code == 2)
    #expect(try folder.text("file") == "mine")
    #expect(try folder.names == ["file"])
  }

  // MARK: completions

  @Test func `bash completes commands, options, words and files`() throws {
    try folder.write("", to: "file.jsonl")
    let script = """
      source <(sediment completions bash)
      try() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _sediment 2> /dev/null; echo "${COMPREPLY[*]}"; }
      try sediment ex
      try sediment export --
      try sediment export --format ''
      try sediment help insp
      try sediment import s file
      """
    let run = try folder.shell(script)
    #expect(
      run
        == Run(
          0,
          """
          expire export
          --format --collection --prefix --memory --max-value --hex-key --quiet --help
          jsonl csv
          inspect
          file.jsonl

          """))
  }

  @Test func `Each shell is told every command and option`() throws {
    let commands = try folder.sediment("help").output.matches(of: #/\n  ([a-z]+) +[a-z]/#).map {
      String($0.1)
    }
    #expect(commands.count == 18)
    for shell in ["bash", "zsh", "fish"] {
      let run = try folder.sediment("completions", shell)
      #expect(run.code == 0)
      for command in commands { #expect(run.output.contains(command)) }
      #expect(run.output.contains("keep-uncertain"))
    }
    #expect(
      try folder.sediment("completions", "tcsh")
        == Run(2, errors: "sediment: there are completions for bash, zsh and fish, not for 'tcsh'\n"))
    #expect(try folder.shell("sediment completions bash | bash -n") == Run())
  }
}
