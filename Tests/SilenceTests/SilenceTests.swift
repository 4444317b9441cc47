#if DEBUG || KVO_AUDIT
  import KeyValueObserving
  import KeyValueTestSupport
  import Testing

  /// Each row registers and makes a change; observers are notified, or a report explains why not.
  @Suite("L3. Nothing is silent: the table of constructs", .serialized)
  struct SilenceTests {
    @Test(
      "L3 each construct notifies observers, or is reported in the words of the page",
      arguments: tables.map(\.name))
    func answered(table: String) async {
      await #expect(processExitsWith: .success) { [table] in
        let violations = ViolationLog.install()
        var rows: [String] = []
        for row in tables.first(where: { $0.name == table })!.rows() {
          let outcome = await row.outcome(violations)
          #expect(!outcome.isEmpty, "\(row.title) is not answered")
          #expect(try SilenceSources.shows(row), "\(row.code) is not the code that runs")
          rows.append(SilencePage.row(row.title, row.code, outcome))
        }
        var page = try SilencePage()
        try page.check(table, rows)
      }
    }

    @Test("L3 the page has exactly these tables")
    func page() throws {
      let page = try SilencePage()
      #expect(Set(page.tables) == Set(tables.map(\.name) + RefusedRows.tables))
      #expect(page.tables.count == tables.count + RefusedRows.tables.count)
      #expect(try page.tables.reduce(0) { try $0 + page.rows($1).count } >= 245)
    }

    @Test("L3 the tables contain everything that the pages quote")
    func quotes() throws {
      let page = try SilencePage()
      let fromCocoa = try SilencePage.quotedFromCocoa()
      #expect(page.causes.count == 12)
      #expect(fromCocoa.count == 3)
      for words in page.causes + fromCocoa {
        #expect(try page.answers(words), "No table has: \(words)")
      }
    }
  }

  private let tables: [(name: String, rows: @Sendable () -> [SilenceRow])] = [
    ("getters", SilenceRow.getters),
    ("paths", SilenceRow.paths),
    ("string-paths", SilenceRow.stringPaths),
    ("deaths", SilenceRow.deaths),
    ("lives", SilenceRow.lives),
    ("ports", SilenceRow.ports),
    ("bindings", SilenceRow.bindings),
    ("sequences", SilenceRow.sequences),
    ("recorder", SilenceRow.recorder),
    ("keys", SilenceRow.keys),
  ]
#endif
