import Testing

@testable import KeyValuePorting

@Suite("The porting tool: optional requirements")
struct PortingOptionalTests {
  @Test("a subclass doesn't implement a requirement that was optional for its superclass")
  func optionalOfSuperclass() {
    let porting = Porting([
      (
        "A.swift",
        """
        @objc protocol Watching {
          @objc optional func changed(_ key: String)
          @objc optional func load(_ key: String, then: () -> Void)
        }
        class Base: NSObject {}
        class Middle: Base { func load(_ key: String, then: () -> Void) {} }
        class Sub: Middle {
          func changed(_ key: String) { delegate?.load?(key) { print(key) } }
          override func load(_ key: String, then: () -> Void) {}
        }
        class Other: NSObject, Watching { func changed(_ key: String) {} }

        """
      ),
      ("B.swift", "extension Middle: Watching {}\n"),
    ])
    #expect(
      porting.files[0].ported.contains(
        "  func changed(_ key: String) { delegate?.load(key) { print(key) } }\n"))
    #expect(
      porting.remarks.map(\.description) == [
        "A.swift:8: 'changed(_:)' isn't called through its protocol: 'Middle' conforms to that, and has the "
          + "default of the requirement; declare the method in the class that conforms, and override it"
      ])
  }

  @Test("what asks whether there is a requirement that was optional is listed")
  func questionsForOptionals() {
    let porting = Porting([
      (
        "A.swift",
        """
        import Foundation
        @objc protocol Closing {
          @objc optional func close()
          @objc optional func load(_ key: String) -> String?
          @objc optional func save() throws
        }
        func ask(_ delegate: Closing?, _ row: Row) throws {
          delegate?.close?()
          _ = delegate?.close?()
          try delegate?.save?()
          row.run { delegate?.close?() }
          print(delegate?.load?("a") ?? "none", row.close, row.load, row.owner.load)
          delegate?.close?() ?? row.end()
          if delegate?.close?() == nil { row.end() }
          if try delegate?.save?() != nil { row.end() }
          if let _ = delegate?.close?() { row.end() }
          if delegate?.close != nil { row.end() }
          if let load = delegate?.load(_:) { print(load("a") ?? "") }
          if row.owner.save == nil { row.end() }
        }
        class Row: NSObject, Closing {
          let load = 1
          let owner = find()
          func close() {}
        }

        """
      )
    ])
    #expect(
      porting.files[0].ported == """
        import FoundationKVO
        protocol Closing: AnyObject {
          func close()
          func load(_ key: String) -> String?
          func save() throws
        }

        extension Closing {
          func close() {}
          func load(_ key: String) -> String? { nil }
          func save() throws {}
        }
        func ask(_ delegate: Closing?, _ row: Row) throws {
          delegate?.close()
          _ = delegate?.close()
          try delegate?.save()
          row.run { delegate?.close() }
          print(delegate?.load("a") ?? "none", row.close, row.load, row.owner.load)
          delegate?.close() ?? row.end()
          if delegate?.close() == nil { row.end() }
          if try delegate?.save() != nil { row.end() }
          if let _ = delegate?.close() { row.end() }
          if delegate?.close != nil { row.end() }
          if let load = delegate?.load(_:) { print(load("a") ?? "") }
          if row.owner.save == nil { row.end() }
        }
        @KeyValueObservable
        class Row: NSObject, Closing {
          let load = 1
          let owner = find()
          func close() {}
        }

        """)
    let end =
      "never missing here, because it has a default: put what's done without it into the default, or declare "
      + "the method in a protocol of its own, and cast to that"
    #expect(
      porting.remarks.map(\.description) == [
        "A.swift:13: the requirement 'close()' is \(end)",
        "A.swift:14: the requirement 'close()' is \(end)",
        "A.swift:15: the requirement 'save()' is \(end)",
        "A.swift:16: the requirement 'close()' is \(end)",
        "A.swift:17: the requirement 'close()' is \(end)",
        "A.swift:18: the requirement 'load(_:)' is \(end)",
        "A.swift:19: if this is the requirement 'save()', it's \(end)",
      ])
  }

  @Test("a call of an optional closure with a requirement's name keeps its question mark")
  func closures() {
    let porting = Porting([
      (
        "A.swift",
        """
        @objc protocol SliderDelegate {
          @objc optional func valueChanged(_ value: Double)
        }
        class Slider: NSObject {
          static var valueChanged: ((Double) -> Void)?
          weak var delegate: SliderDelegate?
          var valueChanged: ((Double) -> Void)?
          func set(_ value: Double) {
            delegate?.valueChanged?(value)
            self.valueChanged?(value)
          }
        }
        func connect(_ slider: Slider) { slider.valueChanged?(1) }
        func relay() { Slider.valueChanged?(2); find().valueChanged?(3) }

        """
      )
    ])
    let text = porting.files[0].ported
    #expect(text.contains("    delegate?.valueChanged(value)\n"), "\(text)")
    #expect(text.contains("    self.valueChanged?(value)\n"), "\(text)")
    #expect(text.contains("{ slider.valueChanged?(1) }\n"), "\(text)")
    #expect(text.contains("{ Slider.valueChanged?(2); find().valueChanged?(3) }\n"), "\(text)")
    #expect(
      porting.remarks.map(\.description) == [
        "A.swift:14: if this calls the requirement 'valueChanged(_:)', and not a closure, remove the '?' "
          + "behind its name"
      ])
  }

  @Test("an optional requirement's default is as visible as the protocol, and static if that is")
  func defaultsOfTypes() {
    let porting = Porting([
      (
        "A.swift",
        """
        @objc package protocol Watching {
          @objc optional static func changed(_ key: String)
          @objc optional func load() -> Int?
        }
        @objc public protocol Marking { @objc optional static func mark() }
        @objc protocol Naming { @objc optional func name() }

        """
      )
    ])
    #expect(
      porting.files[0].ported.contains(
        """

        extension Watching {
          package static func changed(_ key: String) {}
          package func load() -> Int? { nil }
        }

        """))
    #expect(porting.files[0].ported.contains("{\n  public static func mark() {}\n}"))
    #expect(porting.files[0].ported.contains("{\n  func name() {}\n}"))
  }
}
