#if DEBUG || KVO_AUDIT
  import KeyValueObserving
  import KeyValueTestSupport
  import Testing

  /// The audit of values that are read once for several observances, and of typed paths.
  @Suite("L3. The dependency audit, shared values and members of values")
  struct AuditedPathTests {
    @Test("L3 A getter that runs once for several observances is audited", arguments: 1...3)
    func shared(observers: Int) async {
      await #expect(processExitsWith: .success) { [observers] in
        let violations = ViolationLog.install()
        let ticket = Ticket()
        let tokens = (0..<observers).map { _ in
          ticket.observe(\.label, options: [.old, .new]) { _, _ in }
        }
        ticket.isLong = true
        ticket.title = "B"
        #expect(
          violations.take() == [
            "tolerated: Ticket.label read Ticket.seat, which it is not known to depend on, so it is "
              + "not notified when that changes. Write @DependsOn(\"seat\")."
          ])
        withExtendedLifetime(tokens) {}
      }
    }

    @Test("L3 The old value is audited if several observances request only .old")
    func sharedBefore() {
      ViolationLog.record { violations in
        let ticket = Ticket()
        let tokens = (0..<2).map { _ in ticket.observe(\.label, options: .old) { _, _ in } }
        ticket.isLong = true
        ticket.title = "B"
        #expect(violations.take().count == 1)
        withExtendedLifetime(tokens) {}
      }
    }

    @Test("L3 A member of a value is not mistaken for a key of the same name")
    func members() {
      ViolationLog.record { violations in
        let desk = TicketDesk()
        let token = desk.observe(\.tickets["a"]?.title, options: .new) { _, _ in }
        let other = desk.observe(\.tickets["a"]?.label, options: .new) { _, _ in }
        desk.tickets["a"]?.title = "B"
        #expect(violations.take() == [])
        withExtendedLifetime((token, other)) {}
      }
    }

    @Test("L3 A key behind a member of a value is audited")
    func behindMembers() {
      ViolationLog.record { violations in
        let desk = TicketDesk()
        desk.sold.ticket.isLong = true
        let token = desk.observe(\.sold.ticket.label, options: .new) { _, _ in }
        #expect(
          violations.take() == [
            "tolerated: Ticket.label read Ticket.seat, which it is not known to depend on, so it is "
              + "not notified when that changes. Write @DependsOn(\"seat\")."
          ])
        withExtendedLifetime(token) {}
      }
    }
  }

  @KeyValueObservable
  private class Ticket {
    @KeyValueIgnored var isLong = false
    var title = "A"
    var seat = 1

    @DependsOn("title") var label: String { isLong ? TicketPrinter.print(self) : title }
  }

  /// A ticket that the observed paths do not lead to.
  @KeyValueObservable
  private final class HiddenTicket: Ticket {
    @DependsOn("title") override var label: String { TicketPrinter.print(self) }
  }

  @KeyValueObservable
  private final class TicketDesk {
    /// A typed path prints a subscript of the dictionary as `_`, which is also one of its keys.
    var tickets = ["a": Ticket(), "_": HiddenTicket()]
    var sold = SoldTicket()
  }

  private struct SoldTicket {
    var ticket = Ticket()
  }

  private enum TicketPrinter {
    static func print(_ ticket: Ticket) -> String { "\(ticket.title) \(ticket.seat)" }
  }
#endif
