extension Progress {
  /// Unavailable: other processes aren't notified.
  @available(*, unavailable, message: "A progress is not told to other processes here")
  public func publish() {
    fatalError("unavailable")
  }

  /// Unavailable: other processes aren't notified.
  @available(*, unavailable, message: "A progress is not told to other processes here")
  public func unpublish() {
    fatalError("unavailable")
  }
}
