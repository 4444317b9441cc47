import KeyValueObserving
import KeyValueTestSupport

// Awkward shapes for key paths and dependent keys.

/// A link of a chain, which can form a cycle.
@KeyValueObservable
final class ChainLink {
  var name: String
  var next: ChainLink?
  weak var back: ChainLink?

  /// Depends on a key of this object and on one of the next.
  var label: String { "\(name)>\(next?.name ?? "-")" }
  /// Depends on an object that is held weakly.
  var origin: String { "from \(back?.name ?? "nowhere")" }

  init(_ name: String, next: ChainLink? = nil) {
    self.name = name
    self.next = next
  }
}

/// Two objects that refer to each other, one with a key that depends on a path through both.
@KeyValueObservable
final class House {
  var street = "Elm"
  var tenant: Tenant?
}

@KeyValueObservable
final class Tenant {
  var name: String
  weak var house: House?

  /// Depends, through the house, on a key of the tenant itself.
  var doorPlate: String { house?.tenant?.name ?? "nobody" }

  init(_ name: String) {
    self.name = name
  }
}

/// A class with a property that can change without notifying observers.
@KeyValueObservable
final class Purse {
  @NotifiesManually var account: Account?
}

/// A class with a computed property in the middle of a path.
@KeyValueObservable
final class Switchboard {
  var first: Account?
  var second: Account?
  var usesSecond = false

  var current: Account? { usesSecond ? second : first }
  var currentBalance: Double { current?.balance ?? 0 }
}

/// Dependencies over two relationships.
@KeyValueObservable
final class Company {
  var department: Department?
  var slogan: String { "led by \(department?.headline ?? "nobody")" }
}

@KeyValueObservable
final class Department {
  var head: Person?
  var headline: String { head?.fullName ?? "a vacancy" }
}

/// A class with several paths to the same key.
@KeyValueObservable
final class Treasury {
  var account: Account?
  var rate = 1.0

  var funds: Double { account?.balance ?? 0 }
  var doubled: Double { funds * 2 }
  /// Reaches the balance directly, by `funds` and by `doubled`.
  var report: String { "\(account?.balance ?? 0) \(funds) \(doubled) \(rate)" }
}

/// A class with properties whose types do not restrict the values they hold.
@KeyValueObservable
final class Drawer {
  var content: Any?
  var thing: AnyObject?
  var number = 0
}

/// Whether no observer is attached to any of the objects.
func isIdle(_ objects: any KeyValueObservable...) -> Bool {
  objects.allSatisfy { $0._$kvoWithRegistrar { $0.isIdle } }
}
