/// What an observance hears of the changes in a transaction.
enum TransactionParticipation {
  /// All of them in one, at the end.
  case deferred
  /// Each when it happens, as outside of a transaction.
  case immediate
  /// None: it is there only so that changes are announced at all.
  case witness
}
