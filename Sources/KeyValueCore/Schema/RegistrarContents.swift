/// What a registrar's word points to while the registrar has anything to hold.
class RegistrarContents {
  /// Ends everything that is held; no code can reach the object any more.
  func objectDied() {}
}
