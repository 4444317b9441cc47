import KeyValueObserving

// Dependent keys with sources that the macro cannot see.

@KeyValueObservable
class Reader {
  var first = "Ada"
  var middle = "K."
  var last = "Lovelace"
  var account: ReadAccount? = ReadAccount()
  var accounts = [ReadAccount(), ReadAccount()]
  var table = ["a": ReadAccount()]
  var wrapped = WrappedAccount()
  @KeyValueIgnored var isLong = false
  @KeyValueIgnored let constantTheme = "plain"

  // Unseen reads: in a helper, of a singleton, in extensions, and of objects that values hold.
  @DependsOn("first") var helped: String { first + ReaderHelper.join(self) }
  @DependsOn("first") var themed: String { first + ReadSettings.shared.theme }
  @DependsOn("first") var extended: String { first + extensionMember }
  @DependsOn("first") var protocolExtended: String { first + protocolMember }
  @DependsOn("table") var tabled: Int { table.values.reduce(0) { $0 + ReaderHelper.balance($1) } }
  @DependsOn("wrapped") var unwrapped: Int { ReaderHelper.balance(wrapped.account) }

  // Other paths to keys of other objects.
  @DependsOn("account") var distant: Int { account.map { ReaderHelper.balance($0) } ?? 0 }
  @DependsOn("accounts") var summed: Int {
    accounts.reduce(0) { $0 + ReaderHelper.balance($1) }
  }
  @DependsOn("account.helped") var viaOther: Int { account?.helped ?? 0 }

  // Keys that the audit does not report.
  var fullName: String { "\(first) \(last)" }
  var greeting: String { "Hello, \(fullName)" }
  @DependsOn() var complete: String { first + ReaderHelper.join(self) }
  class func automaticallyNotifiesObserversOfManual() -> Bool { false }
  @DependsOn("first") var manual: String { first + ReaderHelper.join(self) }
  @DependsOn("manual") var onManual: String { manual }
  @DependsOn("complete") var onComplete: String { complete }
  @DependsOn("accounts.balance") var sumOfAll: Int {
    accounts.reduce(0) { $0 + ReaderHelper.balance($1) }
  }
  @DependsOn("accounts.@sum.balance") var operated: Int {
    accounts.reduce(0) { $0 + ReaderHelper.balance($1) }
  }
  @DependsOn("first") var temporary: Int { ReaderHelper.balance(ReadAccount()) }
  @DependsOn("first") var ignoring: String { first + constantTheme }

  // Mutual dependencies, and a branch.
  @DependsOn("first", "even") var odd: String { first + (first.count > 9 ? even : "") }
  @DependsOn("last", "odd") var even: String { last + (last.count > 9 ? odd : "") }
  @DependsOn("first") var branching: String { isLong ? ReaderHelper.join(self) : first }
}

@KeyValueObservable
final class ReadAccount {
  var balance = 1
  var rate = 2
  @DependsOn("balance") var helped: Int { balance * ReaderHelper.rate(self) }
}

struct WrappedAccount {
  let account = ReadAccount()
}

// `Sendable` unchecked, because the tests never change it.
@KeyValueObservable
final class ReadSettings: @unchecked Sendable {
  static let shared = ReadSettings()
  var theme = "dark"
}

enum ReaderHelper {
  static func join(_ reader: Reader) -> String { reader.middle + reader.last }
  static func balance(_ account: ReadAccount) -> Int { account.balance }
  static func rate(_ account: ReadAccount) -> Int { account.rate }
}

extension Reader {
  var extensionMember: String { middle }
}

protocol MiddleNamed: AnyObject {
  var middle: String { get }
}

extension MiddleNamed {
  var protocolMember: String { middle }
}

extension Reader: MiddleNamed {}

/// Overrides a key in a class that the macro does not see.
class HiddenReader: Reader {
  override var fullName: String { hidden }
  final var hidden: String { first + middle }
}

/// Reads an inherited member that is not a key.
@KeyValueObservable
final class HeirReader: HiddenReader {
  @DependsOn("last") var inherited: String { last + hidden }
}
