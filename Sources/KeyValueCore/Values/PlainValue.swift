/// Whether a type is a structure, an enumeration or a tuple, optional or not.
///
/// A value of such a type is never an observable object, a collection of them or a dictionary.
func isPlainValue(_ type: Any.Type) -> Bool {
  let type = unwrapped(type)
  if let collection = type as? any ToMany.Type { return isPlainValue(collection.elementType) }
  if type is any StringKeyed.Type { return false }
  // The first word of a type's metadata is its kind; Swift's ABI fixes it for these three. Classes,
  // existentials and all other types have other kinds.
  let kind = unsafeBitCast(type, to: UnsafePointer<UInt>.self).pointee
  return kind == 0x200 || kind == 0x201 || kind == 0x301
}
