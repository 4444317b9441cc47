import KeyValueObserving
import KeyValueTestSupport
import Observation
import Testing

@Suite("P L. Classes in extensions, with any access level and any generic parameter")
struct ClassPlaceTests {
  private let log = ChangeLog()

  @Test("P1 a class has the access level of the extension around it")
  func extensions() {
    expectNotified(PlaceOuter.Public(), \.age)
    expectNotified(PlaceOuter.Package(), \.age)
    expectNotified(PlaceOuter.File(), \.age)
    expectNotified(PlaceOuter.Private(), \.age)
  }

  @Test("P1 a generic parameter may have any name")
  func genericParameter() {
    expectNotified(PlaceJob<String>(), \.result)
  }

  @Test("P1 inlinable code may use an internal class")
  func inlinable() {
    expectNotified(PlaceInlinable(), \.age)
  }

  @Test("P1 a tracked class may be nested in its superclass")
  func nestedTracking() {
    let circle = PlaceShape.Circle()
    let changes: [() -> Void] = [{ circle.sides = 2 }, { circle.radius = 2 }]
    for change in changes {
      let isAnnounced = Lock(false)
      withObservationTracking {
        _ = (circle.sides, circle.radius)
      } onChange: {
        isAnnounced.withLock { $0 = true }
      }
      change()
      #expect(isAnnounced.withLock { $0 })
    }
    expectNotified(PlaceShape.Circle(), \.sides)
    expectNotified(PlaceShape.Circle(), \.radius)
  }

  private func expectNotified<Root: KeyValueObservable>(
    _ object: Root, _ keyPath: ReferenceWritableKeyPath<Root, Int>
  ) {
    let token = object.observe(
      keyPath, options: [.old, .new], changeHandler: log.handler("age"))
    object[keyPath: keyPath] = 2
    #expect(log.take() == ["age: setting, old: 1, new: 2"])
    token.invalidate()
    #expect(isIdle(object))
  }
}

/// Public, so that its extensions may be.
public enum PlaceOuter {}

public extension PlaceOuter {
  @KeyValueObservable
  final class Public {
    /// A key.
    public var age = 1
    /// One year old.
    public init() {}
  }
}

package extension PlaceOuter {
  @KeyValueObservable
  class Package {
    package var age = 1
    package init() {}
  }
}

fileprivate extension PlaceOuter {
  @KeyValueObservable
  class File {
    var age = 1
  }
}

private extension PlaceOuter {
  @KeyValueObservable
  class Private {
    var age = 1
  }
}

@KeyValueObservable
private final class PlaceJob<Result> {
  var result = 1
  var value: Result?
}

@KeyValueObservable @usableFromInline
class PlaceInlinable: Codable {
  @usableFromInline var age = 1
  @usableFromInline init() {}
  @usableFromInline enum CodingKeys: CodingKey { case age }
}

@KeyValueObservable(tracking: true)
class PlaceShape {
  var sides = 1
}

extension PlaceShape {
  @KeyValueObservable(tracking: true)
  final class Circle: PlaceShape {
    var radius = 1
  }
}
