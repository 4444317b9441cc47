import CGtk4
import KeyValueObserving

extension KeyValueBoundPath {
  /// A list model that follows an array of observable objects, whose items are the objects' mirrors.
  ///
  /// ```swift
  /// let people = company.kvo.people.listModel(rearrangedBy: \.name, \.age)
  /// let sorted = gtk_sort_list_model_new(people, sorter)
  /// ```
  ///
  /// Elements that are inserted, removed or replaced are one `items-changed` at their place, or one for each
  /// place if there are several. A newly assigned array is one `items-changed`, from the first element that
  /// differs to the last one, and so is a change at more than 32 places.
  ///
  /// GtkSortListModel and GtkFilterListModel don't watch the items' properties. So name the keys by which they
  /// sort and filter: when one of these changes, the model emits `items-changed` for the row, and they place it
  /// anew. The row's mirror stays the same, and so does the selection.
  ///
  /// The list model retains the elements, not the object that has the array. If that dies, the list stays as
  /// it was.
  ///
  /// Threading: a change on another thread than the main one stops the program.
  ///
  /// - Parameter keys: The keys of an element, or paths from it, by which GTK's models sort and filter.
  /// - Returns: A `GListModel`, with a reference that the caller owns; GTK's functions that make a model of
  ///   another take it over.
  ///
  /// - Complexity: O(*n*) for a change: a comparison of two words for each element, and a move of the elements
  ///   behind each place. O(1) for a row's key, unless the row has moved since.
  @MainActor
  public func listModel<Element: KeyValueObservable, each Key>(
    rearrangedBy keys: repeat ElementPath<Element, each Key>
  ) -> OpaquePointer where Value == [Element] {
    var rowKeys: [RowKey<Element>] = []
    repeat rowKeys.append(RowKey(KeyValuePath<Element, each Key>(each keys)))
    return listModel(rowKeys) { $0 }
  }

  /// A list model that follows an array which may be nil, or is behind an optional object.
  ///
  /// ```swift
  /// let friends = register.kvo.selected.friends.listModel()
  /// ```
  ///
  /// While there's no array, the list is empty. Otherwise like `listModel` of an array.
  @MainActor
  public func listModel<Element: KeyValueObservable, each Key>(
    rearrangedBy keys: repeat ElementPath<Element, each Key>
  ) -> OpaquePointer where Value == [Element]? {
    var rowKeys: [RowKey<Element>] = []
    repeat rowKeys.append(RowKey(KeyValuePath<Element, each Key>(each keys)))
    return listModel(rowKeys) { $0 ?? [] }
  }

  @MainActor
  private func listModel<Element: KeyValueObservable>(
    _ keys: [RowKey<Element>], _ elements: @escaping (Value) -> [Element]
  ) -> OpaquePointer {
    let name = debugDescription
    MainThread.require("The list model of \(name) was made")
    let content = ArrayContent<Element>(keys)
    let path = KeyValuePath(self)
    content.follow(elements(self.value))
    content.begin(
      observe { [unowned content] root, change in
        MainThread.require("\(name) changed, which a list in a window has,")
        let array = elements(root.kvo[path].value)
        onMainActor((content, array, change.indexes)) { content, array, indexes in
          content.follow(array, indexes.map { (change.kind, $0) })
        }
      })
    return OpaquePointer(content.instance)
  }
}
