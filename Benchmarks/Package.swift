// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
  .strictMemorySafety(),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

// A package of its own, so that what the benchmarks need is never a dependency of the engine's users.
let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "Sediment", path: "..")],
  targets: [
    .target(name: "CBench"),
    .target(name: "CBareZstd", linkerSettings: [.linkedLibrary("zstd")]),
    .target(name: "BenchmarkHarness", dependencies: ["CBench"], swiftSettings: settings),
    .target(name: "MachineLimits", dependencies: ["BenchmarkHarness", "CBench"], swiftSettings: settings),
    .target(
      name: "EngineBenchmarks",
      dependencies: [
        "BenchmarkHarness", "MachineLimits", "CBench", "CBareZstd",
        .product(name: "Sediment", package: "Sediment"),
      ],
      swiftSettings: settings),
    .target(
      name: "ShallowsBenchmarks",
      dependencies: [
        "BenchmarkHarness", "MachineLimits", .product(name: "Sediment", package: "Sediment"),
        .product(name: "Shallows", package: "Sediment"),
      ],
      swiftSettings: settings),
    .target(
      name: "VellumBenchmarks",
      dependencies: [
        "BenchmarkHarness", "MachineLimits", .product(name: "Sediment", package: "Sediment"),
        .product(name: "Vellum", package: "Sediment"),
      ],
      swiftSettings: settings),
    .executableTarget(
      name: "BenchmarkTool",
      dependencies: [
        "BenchmarkHarness", "MachineLimits", "EngineBenchmarks", "ShallowsBenchmarks", "VellumBenchmarks",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "BenchmarkHarnessTests", dependencies: ["BenchmarkHarness"], swiftSettings: settings),
    .testTarget(
      name: "MachineLimitsTests", dependencies: ["MachineLimits", "BenchmarkHarness"],
      swiftSettings: settings),
    .testTarget(
      name: "EngineBenchmarksTests",
      dependencies: [
        "EngineBenchmarks", "BenchmarkHarness", "MachineLimits", "BenchmarkTool",
        .product(name: "Sediment", package: "Sediment"),
      ],
      swiftSettings: settings),
    .testTarget(
      name: "ShallowsBenchmarksTests", dependencies: ["ShallowsBenchmarks", "BenchmarkHarness"],
      swiftSettings: settings),
    .testTarget(
      name: "VellumBenchmarksTests", dependencies: ["VellumBenchmarks", "BenchmarkHarness"],
      swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
