import KeyValueObserving
import KeyValueTestSupport
import Testing

@Suite("R6. String paths and the declared classes")
struct DeclaredPathTests {
  private let log = ChangeLog()

  @Test("R6 A key that a final class doesn't have is refused while the object is nil")
  func finalClass() throws {
    let garage = Garage()
    func observing(_ keyPath: String) -> String {
      message { _ = try garage.observe(keyPath) { _, _ in } }
    }
    #expect(
      observing("account.balanse")
        == "Account has no key 'balanse' (component 2 of 'account.balanse'). Did you mean 'balance'?"
    )
    #expect(
      message { _ = try garage.kvo("account.balanse") }
        == "Account has no key 'balanse' (component 2 of 'account.balanse'). Did you mean 'balance'?"
    )
    #expect(
      message { _ = try garage.kvo("account.balanse", as: Double?.self) }
        == "Account has no key 'balanse' (component 2 of 'account.balanse'). Did you mean 'balance'?"
    )
    #expect(
      observing("accounts.@sum.balanse")
        == "Account has no key 'balanse' (component 3 of 'accounts.@sum.balanse'). "
        + "Did you mean 'balance'?")
    #expect(
      observing("accounts.balanse")
        == "Account has no key 'balanse' (component 2 of 'accounts.balanse'). Did you mean 'balance'?"
    )
    #expect(
      observing("byName.ada.balanse")
        == "Account has no key 'balanse' (component 3 of 'byName.ada.balanse'). "
        + "Did you mean 'balance'?")
    #expect(
      observing("self.account.balanse")
        == "Account has no key 'balanse' (component 3 of 'self.account.balanse'). "
        + "Did you mean 'balance'?")
    #expect(
      observing("account.balance.cents")
        == "Account.balance (component 2 of 'account.balance.cents') cannot be observed: its value is "
        + "of type Double, which is not @KeyValueObservable.")
    for valid in [
      "account.balance", "accounts.@sum.balance", "accounts.@count", "byName.ada.balance",
      "byName.ada", "accounts.@max.self", "account.self", "account.owner.firstName",
    ] {
      #expect(observing(valid) == "", "\(valid)")
    }
    #expect(isIdle(garage))
  }

  @Test("D5 A dependency's key that a final class doesn't have is refused while the object is nil")
  func finalClassOfADependency() {
    let garage = Garage()
    #expect(
      message { _ = try garage.observe("misspelt") { _, _ in } }
        == "Account has no key 'balanse' (component 2 of 'account.balanse'). Did you mean 'balance'?"
    )
    #expect(isIdle(garage))
  }

  @Test("R6 D5 K5 An operator that is spelt like a key is suggested with its @")
  func operatorLikeKey() throws {
    let garage = Garage()
    garage.accounts = [Account()]
    for (component, meant) in [
      ("cout", "'@count'"), ("count", "'@count'"), ("sum.balance", "'@sum'"), ("avrg", "'@avg'"),
    ] {
      let keyPath = "accounts.\(component)"
      let key = component.prefix { $0 != "." }
      let expected =
        "Account has no key '\(key)' (component 2 of '\(keyPath)'). Did you mean \(meant)?"
      #expect(message { _ = try garage.observe(keyPath) { _, _ in } } == expected)
      #expect(message { _ = try garage.value(forKeyPath: keyPath) } == expected)
    }
    #expect(
      message { _ = try garage.observe("miscounted") { _, _ in } }
        == "Account has no key 'cout' (component 2 of 'accounts.cout'). Did you mean '@count'?")
    // The object's own keys come first, and the first component follows no collection.
    #expect(
      message { _ = try garage.value(forKey: "cout") } == "Garage has no key 'cout'.")
    #expect(isIdle(garage))
  }

  @Test("R6 A key that only a subclass may have is accepted, and debug builds report it once")
  func classWithSubclasses() throws {
    try ViolationLog.record { violations in
      let log = ChangeLog()
      let garage = Garage()
      let token = try garage.kvo("vehicle.speed").observe(
        options: .new, fileID: "App/Garage.swift", line: 7, changeHandler: log.handler("speed"))
      let again = try garage.observe("vehicle.speed") { _, _ in }
      #if DEBUG
        #expect(
          violations.take() == [
            "tolerated: Vehicle has no key 'speed' (component 2 of 'vehicle.speed'). It is accepted, "
              + "because an object of a subclass of Vehicle may have the key. It was registered at "
              + "Garage.swift:7."
          ])
      #endif
      again.invalidate()
      let car = Car()
      garage.vehicle = car
      car.speed = 2
      #expect(log.take() == ["speed: setting, new: 1", "speed: setting, new: 2"])
      #expect(violations.take() == [])
      garage.vehicle = Truck()
      #expect(log.take() == ["speed: setting, new: nil"])
      #expect(
        violations.take() == [
          "unobservableValue: Truck has no key 'speed' (component 2 of 'vehicle.speed'). "
            + "'vehicle.speed' of Garage reads as nil from there until the value is replaced. It was "
            + "registered at Garage.swift:7."
        ])
      token.invalidate()
    }
  }

  @Test("R6 A later object's own class is checked as far as it is declared")
  func laterClass() throws {
    try ViolationLog.record { violations in
      let garage = Garage()
      let token = try garage.observe(
        "vehicle.account.balanse", fileID: "App/Garage.swift", line: 7
      ) { _, _ in }
      _ = violations.take()
      garage.vehicle = Car()
      #expect(
        violations.take() == [
          "unobservableValue: Account has no key 'balanse' (component 3 of 'vehicle.account.balanse'). "
            + "Did you mean 'balance'? 'vehicle.account.balanse' of Garage reads as nil from there until "
            + "the value is replaced. It was registered at Garage.swift:7."
        ])
      token.invalidate()
    }
  }

  @Test("R6 P2 A later object whose own object lacks the key is followed, new or moved to")
  func laterOwner() throws {
    try ViolationLog.record { violations in
      let log = ChangeLog()
      let street = Street()
      let token = try street.observe(
        "garage.vehicle.speed", options: [.old, .new], fileID: "App/Street.swift", line: 7,
        changeHandler: log.handler("speed"))
      _ = violations.take()
      let garages = [Garage(), Garage()]
      for garage in garages {
        garage.vehicle = Truck()
        street.garage = garage
        #expect(
          violations.take() == [
            "unobservableValue: Truck has no key 'speed' (component 3 of 'garage.vehicle.speed'). "
              + "'garage.vehicle.speed' of Street reads as nil from there until the value is replaced. It "
              + "was registered at Street.swift:7."
          ])
        let car = Car()
        garage.vehicle = car
        car.speed = 2
      }
      #expect(
        log.take() == [
          "speed: setting, old: nil, new: nil", "speed: setting, old: nil, new: 1",
          "speed: setting, old: 1, new: 2", "speed: setting, old: 2, new: nil",
          "speed: setting, old: nil, new: 1", "speed: setting, old: 1, new: 2",
        ])
      #expect(violations.take() == [])
      token.invalidate()
      #expect(isIdle(street, garages[0], garages[1]))
    }
  }

  @Test("R6 D2 A dependency that one object can't resolve is reported once, and the others stay")
  func dependencyOfASubclass() {
    ViolationLog.record { violations in
      let log = ChangeLog()
      let garage = Garage()
      garage.vehicle = Truck()
      let token = garage.kvo.topSpeed.observe(
        options: .new, fileID: "App/Garage.swift", line: 7, changeHandler: log.handler("top"))
      #expect(token.isValid)
      let report =
        "unobservableValue: Truck has no key 'speed' (component 2 of 'vehicle.speed'). Garage.topSpeed, "
        + "which depends on 'vehicle.speed', does not change with that object. It was registered at "
        + "Garage.swift:7."
      #expect(violations.take() == [report])
      let car = Car()
      garage.vehicle = car
      car.speed = 2
      garage.vehicle = Truck()
      garage.bonus = 3
      #expect(
        log.take() == [
          "top: setting, new: 1", "top: setting, new: 2", "top: setting, new: 0",
          "top: setting, new: 3",
        ])
      #expect(violations.take() == [])
      token.invalidate()
      #expect(isIdle(garage))
    }
  }

  @Test("R6 D2 By default the report about a dependency is printed, and the program continues")
  func dependencyByDefault() async throws {
    let result = await #expect(
      processExitsWith: .success,
      observing: [\.standardOutputContent, \.standardErrorContent]
    ) {
      let garage = Garage()
      let token = garage.kvo.topSpeed.observe(
        options: .new, fileID: "App/Garage.swift", line: 7
      ) { print($1) }
      garage.vehicle = Truck()
      token.invalidate()
    }
    #expect(text(result?.standardOutputContent) == "setting, new: 0\n")
    let report = text(result?.standardErrorContent).split(separator: "\n").first.map(String.init)
    #expect(
      report
        == "KeyValueObserving: Truck has no key 'speed' (component 2 of 'vehicle.speed'). "
        + "Garage.topSpeed, which depends on 'vehicle.speed', does not change with that object. It was "
        + "registered at Garage.swift:7.")
  }
}

@KeyValueObservable
private class Vehicle {
  var wheels = 4
}

@KeyValueObservable
private final class Car: Vehicle {
  var speed = 1
  var account: Account?
}

@KeyValueObservable
private final class Truck: Vehicle {
  var load = 1
}

@KeyValueObservable
private final class Street {
  var garage: Garage?
}

@KeyValueObservable
private final class Garage {
  var vehicle: Vehicle?
  var bonus = 0
  var account: Account?
  var accounts: [Account] = []
  var byName: [String: Account] = [:]
  @DependsOn("vehicle.speed", "bonus") var topSpeed: Int {
    ((vehicle as? Car)?.speed ?? 0) + bonus
  }
  @DependsOn("account.balanse") var misspelt: Double { account?.balance ?? 0 }
  @DependsOn("accounts.cout") var miscounted: Int { accounts.count }
}
