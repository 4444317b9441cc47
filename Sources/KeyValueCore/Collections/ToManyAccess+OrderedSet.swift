#if OrderedCollections
  extension ToManyAccess {
    /// The first element that an edit would insert into an ordered set a second time.
    func firstRepeated(in edit: Edit) -> Any? {
      guard let type = unwrapped(property.valueType) as? any DistinctToMany.Type else { return nil }
      let value = property.anyValue(of: object) as? any DistinctToMany ?? type.empty
      return switch edit {
      case .insertion(_, let elements): value.firstRepeated(of: elements, inPlaceOf: nil)
      case .replacement(let indexes, let elements):
        value.firstRepeated(of: elements, inPlaceOf: indexes)
      case .setting, .removal, .exchange, .algebra: nil
      }
    }

    /// Traps if an edit would insert an element that's present: observers would be notified of an
    /// insertion that didn't happen.
    func checkForRepeated(in edit: Edit) {
      guard let element = firstRepeated(in: edit) else { return }
      KeyValueViolation.fatal(
        .wrongElement,
        "\(plainDescription(element)) was to enter \(object.schema.name).\(property.key), an ordered "
          + "set that has it already or was given it twice. mutableOrderedSetValue leaves out what is "
          + "there.")
    }
  }
#endif
