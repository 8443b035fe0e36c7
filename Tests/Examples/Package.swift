// swift-tools-version: 6.2
import PackageDescription

let sediment = Target.Dependency.product(name: "Sediment", package: "Sediment")
let shallows = Target.Dependency.product(name: "Shallows", package: "Sediment")
let testing = Target.Dependency.product(name: "SedimentTesting", package: "Sediment")

let settings: [SwiftSetting] = [
  .strictMemorySafety(),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

func module(_ name: String, _ dependencies: Target.Dependency...) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

func tests(_ name: String, _ dependencies: Target.Dependency...) -> Target {
  .testTarget(
    name: "\(name)Tests", dependencies: [.byName(name: name)] + dependencies, swiftSettings: settings)
}

// A package of its own, that has of the engine what every user has: its products.
let package = Package(
  name: "Examples",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "Sediment", path: "../..")],
  targets: [
    module("Cache", sediment),
    tests("Cache", sediment, testing),
    module("Offline", sediment, shallows),
    tests("Offline", sediment, shallows, testing),
    module("Jobs", sediment),
    // Works on the jobs of a queue until it is killed.
    .executableTarget(name: "JobWorker", dependencies: ["Jobs"], swiftSettings: settings),
    tests("Jobs", "JobWorker", sediment, testing),
    module("Importing", sediment),
    tests("Importing", sediment, testing),
    module("Events", sediment),
    tests("Events", sediment, testing),
  ],
  swiftLanguageModes: [.v6]
)
