/// Whether a type is a structure, an enumeration or a tuple, optional or not, so that no value of it can
/// ever be an observable object, a collection of them, or a dictionary.
func isPlainValue(_ type: Any.Type) -> Bool {
  let type = unwrapped(type)
  if let collection = type as? any ToMany.Type { return isPlainValue(collection.elementType) }
  if type is any StringKeyed.Type { return false }
  // The first word of a type's metadata says what the type is; for these three it is fixed by Swift's
  // ABI. Classes, existentials and all else are different.
  let kind = unsafeBitCast(type, to: UnsafePointer<UInt>.self).pointee
  return kind == 0x200 || kind == 0x201 || kind == 0x301
}
