// swift-tools-version: 6.2
import PackageDescription

// Built against a checkout of a released version, which `run` names.
let released = Context.environment["SEDIMENT_RELEASED"] ?? "../.."

let package = Package(
  name: "ReleasedFiles",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "Sediment", path: released)],
  targets: [
    .executableTarget(
      name: "ReleasedFiles",
      dependencies: [
        .product(name: "Sediment", package: "Sediment"),
        .product(name: "SedimentTesting", package: "Sediment"),
      ],
      swiftSettings: [
        .strictMemorySafety(),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
      ])
  ],
  swiftLanguageModes: [.v6]
)
