import FileCoordinationLedger
import XCTest

final class ExhaustiveTests: XCTestCase {
    func run(_ c: ModelConfiguration, _ limit: Int = 3_000_000) {
            let clock = ContinuousClock()
            let start = clock.now
            let r = Explorer(c, stateLimit: limit).explore()
            print(c.name, c.fault as Any, r.states, r.transitions, r.rests, r.isCutShort, r.violation as Any, clock.now - start)
            for line in r.schedule { print("   ", line) }
    }
    func testProbe() {
        let configurations = [
            ModelConfiguration(name: "claims, death+stop", tasks: [[.claim(0), .claim(1)], [.claim(0)]], deaths: 1, stops: 1),
            ModelConfiguration(name: "two places", tasks: [[.claim(0), .claim(1)], [.claim(1), .claim(0)]], stops: 1),
            ModelConfiguration(name: "birth", tasks: [[.claim(0)], [.claim(0)]], startsFromNothing: true, stops: 1),
            ModelConfiguration(name: "cancel", tasks: [[.claimWithDeadline(0), .claim(1)], [.claim(0)]], stops: 1, cancelsLate: true),
            ModelConfiguration(name: "delegation", tasks: [[.claimLocally(0), .claimLocally(0)], [.claim(0)]], stops: 1, delegations: 1),
            ModelConfiguration(name: "fork", tasks: [[.claim(0)], [.claim(0)]], deaths: 1, forks: 1),
            ModelConfiguration(name: "three hosts", tasks: [[.claimLocally(0)], [.claim(0)]], hosts: 3, stops: 1, delegations: 1),
        ]
        for c in configurations { run(c) }
    }
    func testMutants() {
        let base = ModelConfiguration(name: "claims, stop", tasks: [[.claim(0)], [.claim(0)]], stops: 1)
        let death = ModelConfiguration(name: "claims, death", tasks: [[.claim(0)], [.claim(0)]], deaths: 1)
        let fork = ModelConfiguration(name: "fork", tasks: [[.claim(0)], [.claim(0)]], deaths: 1, forks: 1)
        let birth = ModelConfiguration(name: "birth", tasks: [[.claim(0)], [.claim(0)]], startsFromNothing: true, stops: 1)
        let cancel = ModelConfiguration(name: "cancel", tasks: [[.claimWithDeadline(0), .claim(1)], [.claim(0)]], stops: 0, cancelsLate: true)
        let del = ModelConfiguration(name: "delegation", tasks: [[.claimLocally(0)], [.claim(0)]], stops: 0, delegations: 1)
        let three = ModelConfiguration(name: "three hosts", tasks: [[.claimLocally(0)], [.claim(0)]], hosts: 3, stops: 1, delegations: 1)
        run(base.with(.grantBeforeWord)); run(death.with(.grantBeforeWord)); run(base.with(.wordBeforeBody)); run(fork.with(.descriptorKeptAcrossFork))
        run(base.with(.recordStoreReleasing)); run(del.with(.recordStoreReleasing)); run(base.with(.noEpochRaise)); run(base.with(.noSecondLook)); run(base.with(.askedBeforeLook))
        run(three.with(.localBeforeLook)); run(cancel.with(.generationIgnored)); run(birth.with(.birthStoresEpoch)); run(death.with(.recoveryDoesNotWake)); run(base.with(.markAfterRecord)); run(del.with(.scanBeforeRevoke))
    }
}
