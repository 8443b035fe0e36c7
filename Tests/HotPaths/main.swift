// Calls one thing so many times and ends: whoever runs it twice, with different counts, knows from the difference what one
// call takes; see Tests/Repository/gates.

let arguments = CommandLine.arguments
if arguments.count == 4, let path = HotPath(rawValue: arguments[1]), let count = Int(arguments[2]) {
  try path.run(count: count, folder: arguments[3])
} else {
  print(HotPath.allCases.map(\.rawValue).joined(separator: "\n"))
}
