import FileCoordinationLedger
import XCTest

final class ExhaustiveTests: XCTestCase {
    func testProbe() {
        var configurations = [
            ModelConfiguration(name: "claims", tasks: [[.claim(0), .claim(1)], [.claim(0)]]),
            ModelConfiguration(name: "claims, death", tasks: [[.claim(0), .claim(1)], [.claim(0)]], deaths: 1),
            ModelConfiguration(name: "claims, stop", tasks: [[.claim(0)], [.claim(0)]], stops: 1),
        ]
        configurations += []
        for c in configurations {
            let clock = ContinuousClock()
            let start = clock.now
            let r = Explorer(c, stateLimit: 400000).explore()
            print(c.name, r.states, r.transitions, r.rests, r.isCutShort, r.violation as Any, clock.now - start)
            for line in r.schedule { print("   ", line) }
        }
    }
}
