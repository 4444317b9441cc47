import KeyValueObserving
import KeyValueTestSupport

// Dependencies from every source.

@KeyValueObservable
class Recipe {
  var flour = 1
  var water = 1
  var salt = 1
  var yeast = 1
  var sugar = 1

  var inferred: Int { flour + spice }
  @DependsOn("water") var attributed: Int { amount("water") }
  @DependsOn(\Recipe.salt) var byKeyPath: Int { amount("salt") }
  @DependsOn() var byName: Int { amount("yeast") }
  @DependsOn() var byHook: Int { amount("sugar") }
  @DependsOn("water") @DependsOn(\Recipe.salt)
  var everything: Int {
    flour + ["water", "salt", "yeast", "sugar"].map { amount($0) }.reduce(0, +)
  }

  @KeyValueIgnored var spice: Int { 1 }

  class func keyPathsForValuesAffectingByName() -> Set<String> { ["yeast"] }
  class func keyPathsForValuesAffectingEverything() -> Set<String> { ["yeast"] }

  class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
    ["byHook", "everything"].contains(key) ? ["sugar"] : []
  }
}

extension Recipe {
  /// Reads a key by its name, which the macro cannot see.
  func amount(_ ingredient: String) -> Int {
    (try? value(forKey: ingredient) as? Int) ?? 0
  }
}

@KeyValueObservable
class SpicedRecipe: Recipe {
  var pepper = 1
  override var inferred: Int { flour + pepper }
  /// Reads nothing that its superclass's property reads.
  override var attributed: Int { pepper }

  override class func keyPathsForValuesAffectingByName() -> Set<String> {
    super.keyPathsForValuesAffectingByName().union(["pepper"])
  }

  override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
    super.keyPathsForValuesAffectingValue(forKey: key).union(key == "byHook" ? ["pepper"] : [])
  }
}

/// Not annotated.
class PlainRecipe: Recipe {
  override var inferred: Int { flour + salt }

  override class func keyPathsForValuesAffectingByName() -> Set<String> {
    super.keyPathsForValuesAffectingByName().union(["water"])
  }

  override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
    super.keyPathsForValuesAffectingValue(forKey: key).union(key == "inferred" ? ["salt"] : [])
  }
}

@KeyValueObservable
final class Portfolio {
  var person: Person?
  var frame = Frame()

  @DependsOn(\Portfolio.person?.account?.balance, \Portfolio.person?.age)
  var typed: Double { 0 }

  var width: Double { frame.origin.x }
  @DependsOn(\Portfolio.frame.origin.x) var checkedWidth: Double { frame.origin.x }
}

/// Dependencies on keys that do not exist, which the compiler cannot check.
@KeyValueObservable
final class BrokenPortfolio {
  var person: Person?

  @DependsOn("person.agee") var attributed: Int { 1 }
  @DependsOn() var byHook: Int { 1 }

  class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
    key == "byHook" ? ["persn.age"] : []
  }
}

/// The message of the error that the body throws; empty if it throws none.
func message(_ body: () throws -> Void) -> String {
  do {
    try body()
    return ""
  } catch {
    return "\(error)"
  }
}

/// The output of a process as a string.
func text(_ bytes: [UInt8]?) -> String {
  String(decoding: bytes ?? [], as: UTF8.self)
}
