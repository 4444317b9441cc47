#if DEBUG || KVO_AUDIT
  import KeyValueObserving
  import KeyValueTestSupport
  import Testing

  /// Getters that read objects of classes without the macro.
  @Suite("L3. The dependency audit: objects that do not notify")
  struct UnheardReadTests {
    @Test("L3 A stored property of an object without the macro is reported once per key and path")
    func stored() throws {
      try ViolationLog.record { violations in
        let yard = Yard()
        let tokens = [
          yard.observe(\.summary) { _, _ in }, yard.observe(\.load, options: .initial) { _, _ in },
          try Depot(yard).observe("yard.sizes") { _, _ in },
        ]
        #expect(
          violations.take() == [
            "tolerated: Yard.load reads 'crane.load' of an object of Crane, " + unheard("Crane"),
            "tolerated: Yard.sizes reads 'ships.size' of an object of Ship, " + unheard("Ship"),
          ])
        for token in tokens { token.invalidate() }
      }
    }

    @Test("L3 A property that is being modified in place is not read")
    func modifiedInPlace() {
      func register(while yard: inout Yard, _ depot: Depot) -> KeyValueObservation {
        depot.observe(\.yard) { _, _ in }
      }
      ViolationLog.record { violations in
        let depot = Depot(Yard())
        let token = register(while: &depot.yard, depot)
        #expect(violations.take() == [])
        token.invalidate()
      }
    }

    @Test("L3 Computed properties, members of collections and @DependsOn() are not reported")
    func silent() {
      ViolationLog.record { violations in
        let yard = Yard()
        let tokens = [
          yard.observe(\.double) { _, _ in }, yard.observe(\.count) { _, _ in },
          yard.observe(\.known) { _, _ in }, yard.observe(\.spareLoad) { _, _ in },
        ]
        #expect(violations.take() == [])
        for token in tokens { token.invalidate() }
      }
    }
  }

  #if os(Linux)
    @Suite("L3. The dependency audit: classes without the macro among those with it")
    struct UnheardClassTests {
      @Test("L3 A variable of such a class is reported once for each key that reads it")
      func variables() {
        ViolationLog.record { violations in
          let book = Book()
          for _ in 0..<2 {
            let tokens = [
              book.observe(\.net) { _, _ in }, book.observe(\.summary) { _, _ in },
              book.observe(\.computed) { _, _ in }, book.observe(\.shelving) { _, _ in },
              Shop(book).observe(\.taxes) { _, _ in },
            ]
            for token in tokens { token.invalidate() }
          }
          #expect(
            violations.take() == [
              report("Book.net reads 'tax'", "Taxed", "tax"),
              report("Book.computed reads 'doubled'", "Taxed", "doubled"),
              report("Book.shelving reads 'shelf'", "Bookcase", "shelf"),
              "tolerated: Shop.taxes reads 'book.tax' of an object of Taxed, " + unheard("Taxed"),
            ])
        }
      }

      @Test("L3 Constants, what @DependsOn states, and members of extensions are not reported")
      func others() {
        ViolationLog.record { violations in
          let book = Book()
          let tokens = [
            book.observe(\.named) { _, _ in }, book.observe(\.stated) { _, _ in },
            book.observe(\.marked) { _, _ in }, book.observe(\.ignoring) { _, _ in },
          ]
          // The audit of reads reports the extension's.
          #expect(
            violations.take() == [
              "tolerated: Book.marked read Book.price, which it is not known to depend on, so it is not "
                + "notified when that changes. Write @DependsOn(\"price\")."
            ])
          for token in tokens { token.invalidate() }
        }
      }
    }

    private func report(_ read: String, _ type: String, _ name: String) -> String {
      "tolerated: \(read), which \(type) declares, and \(type) is not @KeyValueObservable, so it is not "
        + "notified when that changes. Annotate \(type) with @KeyValueObservable, or write @DependsOn with "
        + "the rest of what it depends on if '\(name)' does not change."
    }

    private class Bookcase { var shelf = 1 }

    @KeyValueObservable
    private class Item: Bookcase {
      var price = 1
      @KeyValueIgnored var cache = 1
    }

    private class Taxed: Item {
      var tax = 2
      let kind = "a"
      var doubled: Int { tax * 2 }
    }

    extension Item {
      fileprivate var mark: Int { price }
    }

    @KeyValueObservable
    private final class Book: Taxed {
      var net: Int { price + tax }
      var summary: Int { net }
      var computed: Int { doubled }
      var shelving: Int { shelf + price }
      var named: String { kind }
      @DependsOn("price") var stated: Int { price + tax }
      var marked: Int { mark }
      var ignoring: Int { price + cache }
    }

    @KeyValueObservable
    private final class Shop {
      var book: Taxed
      var taxes: Int { book.tax }
      init(_ book: Taxed) { self.book = book }
    }
  #endif

  private func unheard(_ type: String) -> String {
    "which is not @KeyValueObservable, so it is not notified when that object changes. Annotate \(type) "
      + "with @KeyValueObservable, or write @DependsOn() if what is read does not change."
  }

  private class Hoist { var load = 1 }

  private final class Crane: Hoist {
    var double: Int { load * 2 }
  }

  private final class Ship { var size = 1 }

  @KeyValueObservable
  private final class Yard {
    let crane = Crane()
    var spare: Crane?
    var ships = [Ship()]
    var load: Int { crane.load }
    var summary: String { "\(load)" }
    var sizes: [Int] { ships.map { $0.size } }
    var double: Int { crane.double }
    var count: Int { ships.count }
    @DependsOn() var known: Int { crane.load }
    var spareLoad: Int { spare?.load ?? 0 }
  }

  @KeyValueObservable
  private final class Depot {
    var yard: Yard
    init(_ yard: Yard) { self.yard = yard }
  }
#endif
