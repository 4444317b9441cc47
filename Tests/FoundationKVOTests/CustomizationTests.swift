import FoundationKVO
import Testing

@KeyValueObservable
private class Shape: NSObject, NSKeyValueObservingCustomization {
  dynamic var width = 1
  dynamic var note = "a"
  var title: String { "a shape" }

  class func keyPathsAffectingValue(for key: AnyKeyPath) -> Set<AnyKeyPath> {
    if key == \Shape.title { return [\Shape.width] }
    return []
  }

  class func automaticallyNotifiesObservers(for key: AnyKeyPath) -> Bool { key != \Shape.note }
}

@KeyValueObservable
private final class Box: Shape {
  dynamic var depth = 1

  override class func keyPathsAffectingValue(for key: AnyKeyPath) -> Set<AnyKeyPath> {
    if key == \Shape.title { return [\Box.width, \Box.depth] }
    return super.keyPathsAffectingValue(for: key)
  }
}

@KeyValueObservable
private final class Account: NSObject {
  dynamic var balance = 0
}

@KeyValueObservable
private final class Owner: NSObject, NSKeyValueObservingCustomization {
  dynamic var account = Account()
  var title: String { "an owner" }

  static func keyPathsAffectingValue(for key: AnyKeyPath) -> Set<AnyKeyPath> {
    if key == \Owner.title { return [\Owner.account.balance] }
    return []
  }

  static func automaticallyNotifiesObservers(for key: AnyKeyPath) -> Bool { true }
}

@Suite("FoundationKVO: NSKeyValueObservingCustomization")
struct CustomizationTests {
  private let witness = Witness()

  @Test("a class customises its keys, and those that it inherits, by key path")
  func customised() {
    #expect(Shape.keyPathsForValuesAffectingValue(forKey: "title") == ["width"])
    #expect(Box.keyPathsForValuesAffectingValue(forKey: "title") == ["width", "depth"])
    let box = Box()
    box.watch(["title", "note", "depth"], witness)
    box.width = 2
    box.depth = 3
    box.note = "b"
    box.unwatch(["title", "note", "depth"], witness)
    #expect(
      witness.take() == [
        "title: setting, old a shape, new a shape", "title: setting, old a shape, new a shape",
        "depth: setting, old 1, new 3",
      ])
  }

  @Test("a key path of several components raises, and says where its string belongs")
  func severalComponents() async {
    await #expect(processExitsWith: .success) {
      KeyValueViolation.handler = { violation in
        let text = violation.description
        let isNamed = text.hasPrefix(
          "NSInvalidArgumentException: Owner has no key that is named by ")
        let isAdvised = text.hasSuffix(
          "Write a key path to one property, or the path as a string in "
            + "keyPathsForValuesAffectingValue(forKey:).")
        exit(isNamed && isAdvised ? 0 : 1)
      }
      _ = Owner.keyPathsForValuesAffectingValue(forKey: "title")
      exit(2)
    }
  }
}
