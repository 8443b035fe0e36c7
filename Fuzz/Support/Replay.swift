#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// Tries the inputs in the files and folders that the program was given on a target, as it does without a fuzzer.
///
/// A folder stands for all the files below it. Prints how many inputs there were, and ends the program with
/// code 1 where one of them cannot be read or none was found.
package func replay(_ check: ([UInt8]) -> Void) {
  var count = 0
  for path in CommandLine.arguments.dropFirst().flatMap(files(at:)) {
    guard let input = contents(of: path) else {
      print("cannot read \(path)")
      exit(1)
    }
    check(input)
    count += 1
  }
  guard count > 0 else {
    print("no inputs; give files or folders of them")
    exit(1)
  }
  print("\(count) inputs replayed")
}

/// The path itself, or all files below it where it is a folder, in the order of their names.
private func files(at path: String) -> [String] {
  guard let folder = unsafe opendir(path) else { return [path] }
  defer { unsafe closedir(folder) }
  var names: [String] = []
  while let entry = unsafe readdir(folder) {
    // The system ends the name with a zero byte within its field.
    let name = unsafe withUnsafeBytes(of: entry.pointee.d_name) { bytes in
      unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
    if !name.hasPrefix(".") { names.append(name) }
  }
  return names.sorted().flatMap { files(at: "\(path)/\($0)") }
}

private func contents(of path: String) -> [UInt8]? {
  guard let file = unsafe fopen(path, "rb") else { return nil }
  defer { unsafe fclose(file) }
  var input: [UInt8] = []
  var part = [UInt8](repeating: 0, count: 65_536)
  while true {
    let count = unsafe fread(&part, 1, part.count, file)
    input += part[..<count]
    if count < part.count { return unsafe ferror(file) == 0 ? input : nil }
  }
}
