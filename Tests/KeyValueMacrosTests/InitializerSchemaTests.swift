import Testing

#if KVO_TOOLCHAIN_SYNTAX
  @testable import KeyValueExpansion
#else
  @testable import KeyValueMacros
#endif

@Suite("The statement that lets a log make a class's objects")
struct InitializerSchemaTests {
  private func statements(of source: String, isRoot: Bool = true) throws -> [String] {
    InitializerSchemaGeneration(model: try model(of: source), isRoot: isRoot).statements
  }

  @Test(
    "L3 it's there where init() is certain to exist",
    arguments: [
      "class Box { var a = 1 }", "class Box { var a: Int? }", "class Box { init() {} }",
      "class Box { init(a: Int = 1) {} }", "class Box<T> { init() {} }",
      "class Box { init(a: Int = 1) {}; init() {} }", "class Box { init(a: Int...) {} }",
      "class Box { init(a: Int) {}; init(b: Int = 1) {} }",
      "class Box { init(a: Int = 1, b: Int = 1) {}; init(a: Int = 1) {} }",
      "class Box { init(a: Int...) {}; init(b: Int = 1) {} }",
      "class Box { init(a: Int = 1) {}; @available(*, unavailable) init() {} }",
      "class Box { init(a: Int = 1) {}; init?() {} }",
      "class Box { init(a: Int = 1) {}; init() async {} }",
      "class Box { init(a: Int = 1) {}; init<T>(_ t: T? = nil) {} }",
      "class Box<T> { init(a: Int = 1) {}; init() where T == Int {} }",
      "class Box: Codable, Combine.ObservableObject { var a = 1 }",
      "class Box: Swift.Error, AnyObject, CustomReflectable { var a: Int { 1 } }",
      "class Box: Codable { var a = 1; enum CodingKeys: CodingKey { case a } }",
      "class Box: ObservableObject, Codable { var a = 1; enum CodingKeys: CodingKey { case a } }",
    ])
  func certain(_ source: String) throws {
    #expect(try statements(of: source) == ["schema.initializer(of: Box.self) { Box() }"])
  }

  @Test(
    "L3 it isn't there where init() isn't certain to exist, or not for each of the class's objects",
    arguments: [
      "class Box { var a: Int }", "class Box { let a: Int? }", "class Box { init(a: Int) {} }",
      "class Box: Crate { var a = 1 }", "class Box { init?() {} }",
      "class Box { init() throws {} }", "class Box { init(a: Int = 1) {}; init() throws {} }",
      "class Box { init(a: Int = 1) throws {}; init(a: Int = 1, b: Int = 1) {} }",
      "class Box { init(a: Int = 1) {}; init(b: Int = 1) {} }",
      "class Box { init(a: Int...) {}; init(b: Int...) {} }",
      "class Box { init(a: Int...) {}; init(a: Int = 1, b: Int = 1) {} }",
      "class Box<T> { init() where T == Int {} }", "class Box { init<T>(_ t: T? = nil) {} }",
      "class Box: Codable & Crate { var a = 1 }",
    ])
  func uncertain(_ source: String) throws {
    #expect(try statements(of: source) == [])
  }

  @Test("L3 an object of a subclass is made if init() is required")
  func required() throws {
    #expect(
      try statements(of: "class Box: Crate { required init() {} }", isRoot: false)
        == ["schema.requiredInitializer(of: Box.self) { $0.init() }"])
  }
}
