/// Whether a change is announced before it is made, and who made it; in one word, because each delivery copies
/// it.
@usableFromInline
package struct ChangeMark: Sendable, Hashable {
  /// The lowest bit is set before the change; the others are the author's number.
  @usableFromInline var bits: UInt32

  @inlinable
  package init(isPrior: Bool = false) { bits = isPrior ? 1 : 0 }

  @inlinable
  package var isPrior: Bool { bits & 1 != 0 }

  /// 0 if the change was made in this program.
  var author: UInt32 {
    get { bits >> 1 }
    set { bits = newValue << 1 | bits & 1 }
  }

  var origin: KeyValueChangeOrigin {
    author == 0 ? .local : .remote(ChangeAuthors.name(author))
  }
}

/// The names of other writers, by number, which are never forgotten.
///
/// A replica without a name of its own has its process's number in its name. So a program that reads what many
/// processes have written keeps a name for each of them.
enum ChangeAuthors {
  private static let table = LockedValue<(names: [String], numbers: [String: UInt32])>(([], [:]))

  /// The number of a writer, from 1 on.
  static func number(of name: String) -> UInt32 {
    table.withLock { table in
      if let number = table.numbers[name] { return number }
      table.names.append(name)
      let number = UInt32(table.names.count)
      table.numbers[name] = number
      return number
    }
  }

  static func name(_ number: UInt32) -> String { table.withLock { $0.names[Int(number) - 1] } }
}
