import Testing

@testable import KeyValuePorting

@Suite("The porting tool: classes, their members and their superclasses")
struct PortingClassTests {
  @Test("members in branches of #if are members")
  func conditionalMembers() {
    let porting = Porting([
      (
        "A.swift",
        """
        class A: NSObject {
          #if DEBUG
          @objc dynamic var x = 0
          #endif
        }
        class B: A {
          override var x: Int { get { 1 } set {} }
        }
        extension B {
          #if DEBUG
          @objc dynamic var y: Int { 1 }
          #endif
        }

        """
      )
    ])
    #expect(porting.files[0].ported.contains("  override dynamic var x"))
    #expect(
      porting.remarks.map(\.description) == [
        "A.swift:11: a key in an extension: move it into the class"
      ])
  }

  @Test("a class's root may be in another file, and so may the property that an override overrides")
  func severalFiles() {
    let porting = Porting([
      ("Sub.swift", "class Sub: Middle {\n  override var x: Int { get { 1 } set {} }\n}\n"),
      ("Middle.swift", "class Middle: Base {}\n"),
      ("Base.swift", "class Base: NSObject {\n  @objc dynamic var x = 0\n}\n"),
    ])
    #expect(
      porting.files.map(\.ported) == [
        "import FoundationKVO\n\n@KeyValueObservable\nclass Sub: Middle {\n"
          + "  override dynamic var x: Int { get { 1 } set {} }\n}\n",
        "import FoundationKVO\n\n@KeyValueObservable\nclass Middle: Base {}\n",
        "import FoundationKVO\n\n@KeyValueObservable\nclass Base: NSObject {\n  dynamic var x = 0\n}\n",
      ])
    #expect(
      porting.counts == [
        "3 imports of FoundationKVO", "3 @KeyValueObservable", "1 @objc and @IB… removed",
        "1 overrides made dynamic",
      ])
    #expect(porting.editCount == 8)
    #expect(porting.remarks == [])
  }

  @Test("a class may have its superclass's name, and subclasses in other files")
  func sameName() {
    let porting = Porting([
      ("Group.swift", "final class Group: Operation {}\n"),
      ("Operation.swift", "open class Operation: Foundation.Operation {}\n"),
      ("Money.swift", "class Money: Foundation.NumberFormatter {\n  dynamic var x = 0\n}\n"),
    ])
    #expect(
      porting.files.map(\.ported) == [
        "import FoundationKVO\n\n@KeyValueObservable\nfinal class Group: Operation, @unchecked Sendable {}\n",
        "import FoundationKVO\n\n@KeyValueObservable\n"
          + "open class Operation: FoundationKVO.Operation, @unchecked Sendable {}\n",
        "class Money: Foundation.NumberFormatter {\n  dynamic var x = 0\n}\n",
      ])
    #expect(
      porting.remarks.map(\.description) == [
        "Money.swift:1: 'NumberFormatter' doesn't have FoundationKVO's root, so 'Money' can't be observed: "
          + "keep the keys in an NSObject that it owns"
      ])
  }

  @Test("a class whose superclass isn't there is listed if it has keys, and not changed")
  func unknownSuperclass() {
    let porting = Porting([
      ("A.swift", "class A: Elsewhere {\n  dynamic var x = 0\n}\nclass B: Elsewhere {}\n"),
      (
        "C.swift",
        "class C: NumberFormatter {\n  dynamic var x = 0\n}\nclass D {\n  dynamic var x = 0\n}\n"
      ),
    ])
    #expect(porting.files.allSatisfy { !$0.isChanged })
    #expect(
      porting.remarks.map(\.description) == [
        "A.swift:1: 'Elsewhere' isn't among these files: if it inherits from NSObject, put "
          + "@KeyValueObservable in front of 'A'; otherwise let it inherit from NSObject",
        "C.swift:1: 'NumberFormatter' doesn't have FoundationKVO's root, so 'C' can't be observed: keep the "
          + "keys in an NSObject that it owns",
        "C.swift:4: 'D' has dynamic members and no superclass: let it inherit from NSObject",
      ])
  }
}
