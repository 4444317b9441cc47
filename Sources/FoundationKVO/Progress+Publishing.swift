extension Progress {
  /// Not here: other processes aren't told.
  @available(*, unavailable, message: "A progress is not told to other processes here")
  public func publish() {
    fatalError("unavailable")
  }

  /// Not here: other processes aren't told.
  @available(*, unavailable, message: "A progress is not told to other processes here")
  public func unpublish() {
    fatalError("unavailable")
  }
}
