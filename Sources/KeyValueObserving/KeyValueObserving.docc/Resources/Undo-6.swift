import KeyValueObserving

@KeyValueObservable
final class Entry: CustomStringConvertible {
  var title: String
  var amount: Int

  init(_ title: String, _ amount: Int) {
    self.title = title
    self.amount = amount
  }

  var description: String { "\(title) \(amount)" }
}

@KeyValueObservable
final class Account {
  var entries: [Entry] = []
}

let account = Account()
let rent = Entry("Rent", -900)
account.entries = [rent]

let recorder = KeyValueChangeRecorder()
try recorder.record(account.kvo.entries, account.kvo.entries[each: \.amount])

struct TooExpensive: Error {}

do {
  try KeyValueTransaction.perform(rollingBack: true) {
    rent.amount = -5_000
    account.entries.append(Entry("Deposit", -2_000))
    throw TooExpensive()
  }
} catch {
  print(error, account.entries, recorder.canUndo)
}
// TooExpensive() [Rent -900] false
