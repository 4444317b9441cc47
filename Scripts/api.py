"""Creates and compares digests of the public API from symbol graphs, for Scripts/api."""

import collections
import json
import os
import re
import sys

# Public for the macros, and not public API.
EXCLUDED = {
    "KeyValueModification", "KeyValueRegistrar", "KeyValueSchema", "KeyValueSchemaBuilder"}
# Conformances that every type has.
MARKERS = {"Copyable", "Escapable", "SendableMetatype"}


def is_public_api(path):
    """Whether no name, argument label or enclosing type begins with an underscore."""
    return path[0] not in EXCLUDED and not any(
        part.startswith("_") or re.search(r"[(:]_[^:]", part) for part in path)


def constraints(items):
    signs = {"conformance": ":", "superclass": ":", "sameType": "=="}
    return ", ".join(
        f"{item['lhs']} {signs[item['kind']]} {item['rhs']}".replace(" :", ":")
        for item in items if item["rhs"] not in MARKERS)


def declaration(symbol):
    """A symbol's declaration in one line."""
    text = "".join(part["spelling"] for part in symbol["declarationFragments"])
    text = re.sub(r"\s+", " ", text).strip()
    # What a macro writes into a class is no declaration of a user's.
    text = re.sub(r"@(attached|freestanding)\((?:[^()]|\([^()]*\))*\) ", "", text)
    if symbol["accessLevel"] == "open":
        text = "open " + text
    extension = constraints(symbol.get("swiftExtension", {}).get("constraints", []))
    if extension and extension not in text:
        text += f" [where {extension}]"
    return text


def digest(folder):
    lines = set()
    for file in sorted(os.listdir(folder)):
        with open(os.path.join(folder, file), encoding="utf-8") as text:
            graph = json.load(text)
        module = graph["module"]["name"]
        # `Module@Other.symbols.json` has the module's extensions of another one's types.
        module = file.split("@")[0].split(".")[0] if "@" in file else module
        names = {}
        requirements = {
            edge["source"] for edge in graph["relationships"] if edge["kind"] == "requirementOf"}
        for symbol in graph["symbols"]:
            path = symbol["pathComponents"]
            if not is_public_api(path):
                continue
            names[symbol["identifier"]["precise"]] = ".".join(path)
            mark = "requirement " if symbol["identifier"]["precise"] in requirements else ""
            lines.add(f"{module} {'.'.join(path)} | {mark}{declaration(symbol)}")
        for edge in graph["relationships"]:
            target = edge.get("targetFallback", edge["target"]).split(".", 1)[-1]
            target = names.get(edge["target"], target)
            if edge["kind"] in ("conformsTo", "inheritsFrom") and edge["source"] in names:
                if target in MARKERS or target.startswith("_") or "s:" in target:
                    continue
                condition = constraints(edge.get("swiftConstraints", []))
                line = f"{module} {names[edge['source']]} : {target}"
                lines.add(line + (f" where {condition}" if condition else ""))
    return sorted(lines)


def declared(line):
    """The name of what a line declares: `module path`, and what is said of it."""
    name, _, said = line.partition(" | ")
    if said:
        return name, said
    name, _, said = line.partition(" : ")
    return name, f"conforms to {said}"


def compare(old, new):
    """What breaks a client of the old digest, and what is new, each as lines of text."""
    gone = collections.defaultdict(list)
    for line in sorted(set(old) - set(new)):
        name, said = declared(line)
        gone[name].append(said)
    types = {declared(line)[0] for line in old}
    breaks, additions = [], []
    for line in sorted(set(new) - set(old)):
        name, said = declared(line)
        is_conformance = said.startswith("conforms to ")
        if gone.get(name) and not is_conformance and not gone[name][0].startswith("conforms to "):
            breaks.append(f"changed  {name}\n  was    {gone[name].pop(0)}\n  is     {said}")
        elif said.startswith("requirement ") and name.rsplit(".", 1)[0] in types:
            breaks.append(f"required {name}: conforming types lack it\n  is     {said}")
        elif said.startswith("case ") and name.rsplit(".", 1)[0] in types:
            breaks.append(f"case     {name}: a switch without default lacks it\n  is     {said}")
        else:
            additions.append(f"added    {name}\n  is     {said}")
    for name, rest in gone.items():
        breaks += [f"removed  {name}\n  was    {said}" for said in rest]
    return sorted(breaks), additions


def read(file):
    with open(file, encoding="utf-8") as text:
        return text.read().splitlines()


def report(old, new):
    breaks, additions = compare(old, new)
    for title, lines in (("Breaks", breaks), ("Additions", additions)):
        print(f"{title}: {len(lines)}")
        for line in lines:
            print(line)
    return 1 if breaks else 0


def attempt(file):
    """Compares the digest with made-up changes of itself, and expects each to be named."""
    lines = read(file)
    assert compare(lines, lines) == ([], []), "a digest differs from itself"
    assert len(lines) == len(set(lines)) and lines == sorted(lines), "the digest is not sorted"

    def only(part):
        found = [line for line in lines if part in line]
        assert found, f"no line has '{part}'"
        return found[0]

    method = only("KeyValueObservation.invalidate() | ")
    conformance = only("KeyValueObservation : Hashable" if any(
        "KeyValueObservation : Hashable" in line for line in lines) else " : Sendable")
    without = lambda gone: [line for line in lines if line != gone]
    cases = [
        ("a removed method", without(method), "removed ", 1, 0),
        ("a method that throws now", without(method) + [method + " throws"], "changed ", 1, 0),
        ("a removed conformance", without(conformance), "removed ", 1, 0),
        ("a new case", lines + ["KeyValueCore KeyValueViolation.Kind.new | case new"], "case ", 1, 0),
        ("a new requirement",
         lines + ["KeyValueCore KeyValueObserver.new() | requirement func new()"], "required ", 1, 0),
        ("a new function", lines + ["KeyValueCore new() | func new()"], None, 0, 1),
        ("a new type with a case", lines + [
            "KeyValueCore New | enum New", "KeyValueCore New.one | case one"], None, 0, 2),
    ]
    for title, changed, kind, broken, added in cases:
        breaks, additions = compare(lines, changed)
        assert (len(breaks), len(additions)) == (broken, added), f"{title}: {breaks} {additions}"
        assert kind is None or breaks[0].startswith(kind), f"{title}: {breaks}"
        print(f"{title}: named")
    return 0


def main(arguments):
    if arguments[0] == "digest":
        print("\n".join(digest(arguments[1])))
        return 0
    if arguments[0] == "compare":
        return report(read(arguments[1]), read(arguments[2]))
    return attempt(arguments[1])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
