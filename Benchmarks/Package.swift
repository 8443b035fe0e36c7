// swift-tools-version: 6.2
import PackageDescription

/// Other engines to compare with, which `Benchmarks/run --peers` installs and asks for.
let hasPeers = Context.environment["BENCHMARK_PEERS"] == "1"

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
  // To put stores of one's own to the same test.
  products: [
    .library(name: "StoreComparison", targets: ["StoreComparison", "BenchmarkHarness", "EngineBenchmarks"])
  ],
  dependencies: [.package(name: "Sediment", path: "..")],
  targets: [
    .target(name: "CBench"),
    .target(name: "CInterfaceLoops", dependencies: [.product(name: "SedimentC", package: "Sediment")]),
    .target(name: "CBareZstd", linkerSettings: [.linkedLibrary("zstd")]),
    .target(name: "BenchmarkHarness", dependencies: ["CBench"], swiftSettings: settings),
    .target(name: "MachineLimits", dependencies: ["BenchmarkHarness", "CBench"], swiftSettings: settings),
    .target(
      name: "StoreComparison", dependencies: ["BenchmarkHarness", "MachineLimits", "CBench"],
      swiftSettings: settings),
    .target(
      name: "EngineBenchmarks",
      dependencies: [
        "BenchmarkHarness", "MachineLimits", "StoreComparison", "CBench", "CBareZstd", "CInterfaceLoops",
        .product(name: "Sediment", package: "Sediment"), .product(name: "SedimentC", package: "Sediment"),
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
        "BenchmarkHarness", "MachineLimits", "StoreComparison", "EngineBenchmarks", "ShallowsBenchmarks",
        "VellumBenchmarks",
      ] + (hasPeers ? ["PeerStores"] : []),
      swiftSettings: settings + (hasPeers ? [.define("PEERS")] : [])),
    .testTarget(
      name: "BenchmarkHarnessTests", dependencies: ["BenchmarkHarness"], swiftSettings: settings),
    .testTarget(
      name: "MachineLimitsTests", dependencies: ["MachineLimits", "BenchmarkHarness"],
      swiftSettings: settings),
    .testTarget(
      name: "StoreComparisonTests",
      dependencies: [
        "StoreComparison", "BenchmarkHarness", "EngineBenchmarks",
        .product(name: "Shallows", package: "Sediment"),
      ],
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

if hasPeers {
  package.targets += [
    .target(
      name: "CPeers",
      linkerSettings: ["rocksdb", "leveldb", "lmdb", "sqlite3", "tkrzw", "kyotocabinet"].map {
        .linkedLibrary($0)
      }),
    .target(
      name: "PeerStores", dependencies: ["CPeers", "StoreComparison", "BenchmarkHarness"],
      swiftSettings: settings),
    .testTarget(
      name: "PeerStoresTests", dependencies: ["PeerStores", "StoreComparison", "BenchmarkHarness"],
      swiftSettings: settings),
  ]
}
