"""Finds references that run back through the layers of KeyValueCore, for Scripts/layers."""

import collections
import ctypes
import glob
import os
import re
import sys

SOURCES = "Sources/KeyValueCore"
PAGE = "Documentation/Architecture.md"
# Every folder reports to it, and it looks at every folder, in debug builds only.
APART = "Audit"

# A use of a declaration, at a line of a layer's file.
Use = collections.namedtuple("Use", "layer file line to name")


def main(library, store, mode):
    layers = listed_layers()
    files = {
        path: layer for layer in layers for path in sorted(glob.glob(f"{SOURCES}/{layer}/*.swift"))}
    uses = indexed_uses(Index(library, store), files) + conditional_uses(files)
    uses = [use for use in uses if use.to != use.layer]
    if mode == "uses":
        print_uses(layers, uses)
    back = [use for use in uses if layers.index(use.to) > layers.index(use.layer)]
    lines = collections.defaultdict(list)
    for use in sorted(back):
        names = lines[use.layer, use.file, use.line, use.to]
        if use.name not in names:
            names.append(use.name)
    for (layer, file, line, to), names in lines.items():
        print(f"{layer}/{file}:{line} uses {', '.join(names)} of {to}, below it.")
    if lines:
        print("1 line runs back." if len(lines) == 1 else f"{len(lines)} lines run back.")
        sys.exit(1)
    if mode == "check":
        print("Each layer uses only those above it.")


def listed_layers():
    """The folders in the order of the page's table."""
    with open(PAGE, encoding="utf-8") as page:
        table = re.search(r"^## Layers$(.*?)^## ", page.read(), re.M | re.S)[1]
    layers = re.findall(r"^\| `(\w+)` \|", table, re.M)
    folders = [
        name for name in sorted(os.listdir(SOURCES)) if os.path.isdir(f"{SOURCES}/{name}")]
    for folder in folders:
        if folder != APART and folder not in layers:
            sys.exit(f"{folder} is no layer: add it to the table in {PAGE}, *Layers*.")
    for layer in layers:
        if layer not in folders:
            sys.exit(
                f"{PAGE}, *Layers*, names {layer}, and there is no such folder in {SOURCES}.")
    return layers


def print_uses(layers, uses):
    used = collections.defaultdict(set)
    for use in uses:
        used[use.layer, use.to].add(use.name)
    for layer in layers:
        numbers = [f" {to} {len(used[layer, to])}" for to in layers if used[layer, to]]
        print(f"{layer}:{''.join(numbers)}")


# What the compiler found


def indexed_uses(index, files):
    """The uses of everything that the layers declare."""
    records = index.records(files)
    for path in files:
        if path not in records:
            sys.exit(f"The index doesn't have {path}.")
    occurrences = {path: index.occurrences(record) for path, record in records.items()}
    homes = {}
    for path, found in occurrences.items():
        for occurrence in found:
            if occurrence.is_declaration:
                homes[occurrence.usr] = (files[path], occurrence.name)
    uses = []
    for path, found in occurrences.items():
        for occurrence in found:
            if not occurrence.is_declaration and occurrence.usr in homes:
                to, name = homes[occurrence.usr]
                uses.append(
                    Use(files[path], os.path.basename(path), occurrence.line, to, name))
    return uses


# A declaration or a reference. A declaration's name has the type's in front.
Occurrence = collections.namedtuple("Occurrence", "usr name line is_declaration")

# The numbers in the index's header, indexstore.h.
DECLARED, DEFINED, CHILD_OF = 1 << 0, 1 << 1, 1 << 9
RECORD = 2


class String(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("length", ctypes.c_size_t)]

    def __str__(self):
        return ctypes.string_at(self.data, self.length).decode() if self.length else ""


class Index:
    """Reads what the compiler wrote down in a build: each file's declarations and references."""

    # The result and the parameters of each function of the library that is called here.
    POINTER, NUMBER, TEXT = ctypes.c_void_p, ctypes.c_uint64, ctypes.c_char_p
    FUNCTIONS = {
        "store_create": (POINTER, TEXT, POINTER),
        "store_units_apply_f": (ctypes.c_bool, POINTER, ctypes.c_uint, POINTER, POINTER),
        "unit_reader_create": (POINTER, POINTER, TEXT, POINTER),
        "unit_reader_dispose": (None, POINTER),
        "unit_reader_get_main_file": (String, POINTER),
        "unit_reader_get_modification_time": (ctypes.c_int64, POINTER),
        "unit_reader_dependencies_apply_f": (ctypes.c_bool, POINTER, POINTER, POINTER),
        "unit_dependency_get_kind": (ctypes.c_int, POINTER),
        "unit_dependency_get_filepath": (String, POINTER),
        "unit_dependency_get_name": (String, POINTER),
        "record_reader_create": (POINTER, POINTER, TEXT, POINTER),
        "record_reader_dispose": (None, POINTER),
        "record_reader_occurrences_apply_f": (ctypes.c_bool, POINTER, POINTER, POINTER),
        "occurrence_get_symbol": (POINTER, POINTER),
        "occurrence_get_roles": (NUMBER, POINTER),
        "occurrence_get_line_col": (None, POINTER, POINTER, POINTER),
        "occurrence_relations_apply_f": (ctypes.c_bool, POINTER, POINTER, POINTER),
        "symbol_relation_get_symbol": (POINTER, POINTER),
        "symbol_relation_get_roles": (NUMBER, POINTER),
        "symbol_get_usr": (String, POINTER),
        "symbol_get_name": (String, POINTER),
    }

    def __init__(self, library, folder):
        library = ctypes.CDLL(library)
        self.functions = {}
        for name, (result, *parameters) in Index.FUNCTIONS.items():
            function = getattr(library, "indexstore_" + name)
            function.restype, function.argtypes = result, parameters
            self.functions[name] = function
        self.store = self.call("store_create", os.fsencode(folder), None)
        if not self.store:
            sys.exit(f"There is no index in {folder}.")

    def call(self, name, *arguments):
        return self.functions[name](*arguments)

    def items(self, name, item, read, *arguments):
        """What is read from each item of a list; the item is valid only during its call."""
        found = []

        def add(_, value):
            found.append(read(value))
            return True

        callback = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, item)(add)
        self.call(name + "_apply_f", *arguments, None, ctypes.cast(callback, ctypes.c_void_p))
        return found

    def records(self, paths):
        """The names of the files' records, each from the file's latest build."""
        latest = {}
        starts = {os.path.basename(path) + ".o" for path in paths}
        for name in self.items("store_units", String, str, self.store, 0):
            if name.rpartition("-")[0] not in starts:
                continue
            unit = self.call("unit_reader_create", self.store, name.encode(), None)
            if not unit:
                continue
            path = in_package(self.call("unit_reader_get_main_file", unit))
            date = self.call("unit_reader_get_modification_time", unit)
            if path in paths and date >= latest.get(path, (0, ""))[0]:
                for kind, of, record in self.items(
                        "unit_reader_dependencies", Index.POINTER, self.dependency, unit):
                    if kind == RECORD and in_package(of) == path:
                        latest[path] = (date, record)
            self.call("unit_reader_dispose", unit)
        return {path: record for path, (_, record) in latest.items()}

    def dependency(self, dependency):
        return (
            self.call("unit_dependency_get_kind", dependency),
            str(self.call("unit_dependency_get_filepath", dependency)),
            str(self.call("unit_dependency_get_name", dependency)))

    def occurrences(self, record):
        reader = self.call("record_reader_create", self.store, record.encode(), None)
        found = self.items("record_reader_occurrences", Index.POINTER, self.occurrence, reader)
        self.call("record_reader_dispose", reader)
        # A property's accessors, `getter:count`, stand beside the property.
        return [item for item in found if not re.search(r"(^|\.)\w+:", item.name)]

    def occurrence(self, occurrence):
        roles = self.call("occurrence_get_roles", occurrence)
        symbol = self.call("occurrence_get_symbol", occurrence)
        line, column = ctypes.c_uint(), ctypes.c_uint()
        self.call("occurrence_get_line_col", occurrence, ctypes.byref(line), ctypes.byref(column))
        is_declaration = roles & (DECLARED | DEFINED) != 0
        names = [str(self.call("symbol_get_name", symbol))]
        if is_declaration:
            owners = self.items("occurrence_relations", Index.POINTER, self.owner, occurrence)
            names = [owner for owner in owners if owner][:1] + names
        return Occurrence(
            str(self.call("symbol_get_usr", symbol)), ".".join(names), line.value, is_declaration)

    def owner(self, relation):
        """The name of the type that has a declaration, if the relation says so."""
        if not self.call("symbol_relation_get_roles", relation) & CHILD_OF:
            return None
        return str(self.call(
            "symbol_get_name", self.call("symbol_relation_get_symbol", relation)))


def in_package(path):
    return os.path.relpath(os.path.realpath(str(path)), os.path.realpath("."))


# What the build may have left out

TYPE = re.compile(
    r"(?:(?:@[A-Za-z]+(?:\([^)]*\))?|public|package|final|indirect) +)*"
    r"(?:class|struct|enum|protocol|typealias|actor) +([A-Z]\w*)")


def conditional_uses(files):
    """The uses of types between `#if` and `#endif`, by their names alone."""
    homes, lines = {}, []
    for path, layer in files.items():
        with open(path, encoding="utf-8") as text:
            for number, line in enumerate(text, 1):
                code = re.sub(r'"(\\.|[^"\\])*"', '""', line).partition("//")[0]
                lines.append((path, layer, number, code))
                declared = TYPE.match(code)
                if declared:
                    homes[declared[1]] = layer
    uses, depth = [], 0
    for path, layer, number, code in lines:
        depth += code.lstrip().startswith("#if ") - code.lstrip().startswith("#endif")
        for name in re.findall(r"\b[A-Z]\w*", code) if depth > 0 else []:
            if name in homes:
                uses.append(Use(layer, os.path.basename(path), number, homes[name], name))
    return uses


if __name__ == "__main__":
    main(*sys.argv[1:])
