import Foundation
import Sediment

// Writes a file of each kind, and what it holds, into the folder that the argument names.

guard CommandLine.arguments.count == 2 else {
  FileHandle.standardError.write(Data("usage: ReleasedFiles FOLDER\n".utf8))
  exit(2)
}
let folder = URL(filePath: CommandLine.arguments[1], directoryHint: .isDirectory)
for (name, make) in kinds {
  let file = try make()
  try Data(file.bytes).write(to: folder.appending(path: "\(name).store"))
  try Data(file.contents.text(clock: file.clock).utf8).write(to: folder.appending(path: "\(name).contents"))
  let count = file.contents.collections.values.map(\.count).reduce(0, +)
  print("\(name): \(file.bytes.count) bytes, \(count) keys, by version \(SedimentVersion.package)")
}
