// swift-tools-version: 6.2
import PackageDescription

// Warnings become errors in `Tests/run`, not here: a newer compiler's new warning must not break a user's build.
let settings: [SwiftSetting] = [
  .strictMemorySafety(),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

// The products and the modules that their users name; SedimentDisk has the types of disks.
let libraries = [
  (name: "Sediment", modules: ["Sediment", "SedimentDisk"]),
  (name: "Shallows", modules: ["Shallows"]),
  (name: "Vellum", modules: ["Vellum"]),
  (name: "SedimentTesting", modules: ["SedimentTesting", "SedimentDisk"]),
  (name: "SedimentC", modules: ["SedimentC"]),
]

func module(_ name: String, _ dependencies: [Target.Dependency], path: String? = nil) -> Target {
  .target(name: name, dependencies: dependencies, path: path, swiftSettings: settings)
}

func fuzzer(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .executableTarget(
    name: name, dependencies: dependencies + ["FuzzSupport"], path: "Fuzz/\(name)", swiftSettings: settings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency], resources: [Resource] = []) -> Target {
  .testTarget(name: "\(name)Tests", dependencies: dependencies, resources: resources, swiftSettings: settings)
}

/// What the tests of the engine take.
let engineTests: [Target.Dependency] = [
  "SedimentSupport", "CrashModel", "Sediment", "SedimentTesting", "SedimentFormat", "SedimentDisk",
]

/// The targets of tests that are built, all unless `Tests/run` names those that a step runs: the others take as long.
let wantedTests = Context.environment["SEDIMENT_TESTS"]?.split(separator: " ").map(String.init)

let targets: [Target] = [
  .systemLibrary(name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"]), .brew(["zstd"])]),
  .target(name: "CSediment"),
  module("SedimentFormat", ["CSediment"]),
  module("SedimentDisk", ["CSediment"]),
  module("Sediment", ["SedimentFormat", "SedimentDisk", "CSediment", "CZstd"]),
  // When memory is scarce; Shallows passes on all that is public in it.
  module("MemoryPressure", []),
  module("Shallows", ["Sediment", "MemoryPressure", "CSediment"]),
  module("Vellum", ["Shallows", "Sediment"]),
  module("SedimentTesting", ["SedimentDisk"]),
  // The interface for C: its header and the table of its handles, and the functions.
  .target(name: "CSedimentInterface"),
  .target(
    name: "SedimentC", dependencies: ["Sediment", "CSedimentInterface"],
    exclude: ["Examples", "MANUAL.md", "README.md", "install", "manual", "symbols"], swiftSettings: settings),
  // The command `sediment`: all of it is a library, so that its parts can be tested one by one.
  module("SedimentCommands", ["Sediment", "SedimentDisk", "SedimentFormat", "Shallows", "Vellum"]),
  .executableTarget(name: "SedimentTool", dependencies: ["SedimentCommands"], swiftSettings: settings),
  // The fuzz targets: in a plain build they replay inputs, see Fuzz/run.
  module("FuzzSupport", [], path: "Fuzz/Support"),
  fuzzer("FormatFuzzer", ["SedimentFormat"]),
  // Stores that are damaged and forged on purpose.
  module(
    "FuzzStores", ["FuzzSupport", "Sediment", "SedimentTesting", "SedimentFormat", "SedimentDisk"],
    path: "Fuzz/Stores"),
  fuzzer("StoreFuzzer", ["FuzzStores", "Sediment", "SedimentTesting"]),
  fuzzer("IndexFuzzer", ["FuzzStores", "Sediment"]),
  fuzzer("CompressionFuzzer", ["FuzzStores", "Sediment", "SedimentTesting"]),
  fuzzer("OperationFuzzer", ["FuzzStores", "CrashModel", "Sediment", "SedimentTesting", "SedimentDisk"]),
  tests("SedimentFormat", ["SedimentFormat", "CSediment"]),
  tests("SedimentDisk", ["SedimentDisk"]),
  tests("SedimentTesting", ["SedimentTesting", "SedimentDisk"]),
  tests(
    "SedimentTool",
    [
      "SedimentCommands", "SedimentTool", "MeteredTool", "SedimentSupport", "SedimentFormat", "SedimentDisk",
      "Sediment", "Shallows",
    ]),
  // The command, which tells how much memory it took.
  .executableTarget(
    name: "MeteredTool", dependencies: ["SedimentCommands"], path: "Tests/MeteredTool",
    swiftSettings: settings),
  // What the crash tests do to a store, and the process that does it until it is killed.
  module("CrashModel", ["Sediment", "SedimentTesting", "SedimentDisk"], path: "Tests/CrashModel"),
  .executableTarget(
    name: "CrashChild", dependencies: ["CrashModel", "Sediment", "SedimentDisk"], path: "Tests/CrashChild",
    swiftSettings: settings),
  // Threads of the crash suite's schedules, which take turns on one thread of the system.
  .target(name: "ScheduleContexts", dependencies: ["CSediment"], path: "Tests/ScheduleContexts"),
  // All layers of crash tests, with as many cases as are asked for; see Tests/run.
  .executableTarget(
    name: "CrashSuite",
    dependencies: [
      "CrashModel", "FuzzStores", "ScheduleContexts", "Sediment", "SedimentTesting", "SedimentDisk",
    ],
    path: "Tests/CrashSuite", swiftSettings: settings),
  // A program on the public interface alone, with dictionaries as its model; see Tests/run.
  .executableTarget(
    name: "OutsiderModel", dependencies: ["Sediment"], path: "Tests/Outsider", packageAccess: false,
    swiftSettings: settings),
  // Calls that have to stay quick, whose instructions, allocations and system calls are counted; see Tests/run.
  .executableTarget(
    name: "HotPaths",
    dependencies: ["Sediment", "SedimentC", "CSedimentInterface", "Shallows", "SedimentDisk"],
    path: "Tests/HotPaths", swiftSettings: settings),
  // Says which public symbols lack a comment or a page; see Tests/Repository/documents.
  .executableTarget(name: "DocumentCheck", path: "Tests/DocumentCheck", swiftSettings: settings),
  // What the tests of the engine share. Each sanitizer takes some of their targets; see Tests/run.
  module(
    "SedimentSupport", ["Sediment", "SedimentTesting", "SedimentFormat", "SedimentDisk"],
    path: "Tests/SedimentSupport"),
  tests("Sediment", engineTests + ["FuzzStores", "CZstd"], resources: [.copy("Recovery/Released")]),
  // Threads of one store or of one part of it, where the thread sanitizer has something to see.
  tests("SedimentThread", engineTests),
  // One thread that does very much, for which a sanitizer takes too long.
  tests("SedimentSlow", engineTests),
  // Every kind of path for every way in, each in a process of its own.
  tests(
    "SedimentPath",
    ["SedimentSupport", "SedimentTool", "SedimentCommands", "Sediment", "SedimentDisk", "Shallows", "Vellum"]),
  tests("Shallows", ["Shallows", "MemoryPressure", "Sediment", "SedimentTesting", "SedimentDisk"]),
  // What only an optimized build shows.
  tests("ShallowsAllocation", ["Shallows", "Sediment"]),
  // Programs of users as they wrote them, in the language mode that they had.
  .testTarget(
    name: "ShallowsDocumentTests", dependencies: ["Shallows", "ProgramWithLibrary"],
    swiftSettings: [.swiftLanguageMode(.v5)]),
  // A program that imports another library beside Shallows, both with properties of results.
  .target(
    name: "ProgramWithLibrary", dependencies: ["Shallows", "OtherLibrary"], path: "Tests/ProgramWithLibrary",
    packageAccess: false, swiftSettings: [.swiftLanguageMode(.v5)]),
  .target(
    name: "OtherLibrary", path: "Tests/OtherLibrary", packageAccess: false,
    swiftSettings: [.swiftLanguageMode(.v5)]),
  tests("Vellum", ["Vellum", "Shallows", "Sediment", "SedimentTesting", "SedimentDisk"]),
  // What Vellum's documents show, as programs of before Swift 6 write it.
  .testTarget(
    name: "VellumDocumentTests", dependencies: ["Vellum", "Sediment", "SedimentTesting"],
    swiftSettings: [.swiftLanguageMode(.v5)]),
]

let package = Package(
  name: "Sediment",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: libraries.map { .library(name: $0.name, targets: $0.modules) }
    + libraries.map { .library(name: "\($0.name)Dynamic", type: .dynamic, targets: $0.modules) }
    + [.library(name: "SedimentCStatic", type: .static, targets: ["SedimentC"])]
    + [.executable(name: "sediment", targets: ["SedimentTool"])],
  traits: [
    .default(enabledTraits: ["Foundation"]),
    .trait(
      name: "Foundation",
      description: "Data as keys and values, dates of expiry, stores at URLs; Shallows and Vellum need it."),
  ],
  targets: targets.filter { $0.type != .test || wantedTests?.contains($0.name) ?? true },
  swiftLanguageModes: [.v6]
)
