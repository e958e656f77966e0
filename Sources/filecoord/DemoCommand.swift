import ArgumentParser
struct DemoCommand: ParsableCommand { static let configuration = CommandConfiguration(commandName: "demo") }
struct DemoPartCommand: ParsableCommand { static let configuration = CommandConfiguration(commandName: "demo-part", shouldDisplay: false) }
