/// How an observance is notified of the changes in a transaction.
enum TransactionParticipation {
  /// Once at the end, of all changes together.
  case deferred
  /// Of each change as it happens, as outside a transaction.
  case immediate
  /// Of no change: the observance exists only so that changes are announced at all.
  case witness
}
