// swift-tools-version:5.9
import PackageDescription

// The sources are in swift/; SwiftPM takes a package only from the root of a repository.
let package = Package(
    name: "turnwire",
    platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .watchOS(.v9)],
    products: [.library(name: "Turnwire", targets: ["Turnwire"])],
    targets: [
        .target(name: "Turnwire", path: "swift/Sources/Turnwire", exclude: ["Generated/manifest.json"]),
        .executableTarget(name: "roundtrip", dependencies: ["Turnwire"], path: "swift/Sources/roundtrip"),
        .executableTarget(name: "chat", dependencies: ["Turnwire"], path: "examples/swift"),
        .testTarget(name: "TurnwireTests", dependencies: ["Turnwire"], path: "swift/Tests/TurnwireTests"),
    ],
    swiftLanguageVersions: [.v5, .version("6")]
)
