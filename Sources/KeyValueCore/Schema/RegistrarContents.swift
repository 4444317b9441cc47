/// What a registrar's word leads to while there is anything to hold.
class RegistrarContents {
  /// Ends what is held; the object is out of reach.
  func objectDied() {}
}
