"""The parts of a WebAssembly module that baking reads and rewrites (https://webassembly.github.io/spec/core/binary/)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import IntEnum


class Section(IntEnum):
    """Numbers of the sections that are read or rewritten."""

    IMPORT = 2
    FUNCTION = 3
    TABLE = 4
    GLOBAL = 6
    EXPORT = 7
    ELEMENT = 9
    CODE = 10


FUNCTION, TABLE, MEMORY, GLOBAL, TAG = range(5)  # kinds of imports and exports


@dataclass(frozen=True)
class Export:
    name: str
    kind: int
    index: int

    def encoded(self) -> bytes:
        name = self.name.encode()
        return to_unsigned(len(name)) + name + bytes([self.kind]) + to_unsigned(self.index)


class Module:
    """A module whose table can grow, and whose functions can be given other bodies."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.sections: list[tuple[int, int, int]] = []  # (id, start, end) in file order
        at = 8  # after magic number and version
        while at < len(data):
            kind = data[at]
            size, start = unsigned(data, at + 1)
            at = start + size
            self.sections.append((kind, start, at))
        self.start = {kind: start for kind, start, _ in self.sections if kind}
        self.imported_functions: list[str] = []
        self.wanted_addresses: set[str] = set()
        """Exports whose address the dynamic linker asks for (imports `GOT.func.NAME`, `GOT.mem.NAME`)."""
        imported_globals = self._read_imports()
        self.global_values: list[int | None] = [None] * imported_globals
        self.global_values += self._read_globals()
        self.first_slot, self.elements = self._read_elements()
        self.exports = list(self._read_exports())
        self.functions = {export.name: export.index for export in self.exports if export.kind == FUNCTION}
        self.types = numbers(data, self.start[Section.FUNCTION])
        """The type of each function that is not imported."""
        self._bodies = self._read_bodies()
        self._patched: dict[int, bytes] = {}
        self._appended: list[tuple[int, bytes]] = []  # (type, body)

    # ---- reading

    def _read_imports(self) -> int:
        data, imported_globals = self.data, 0
        count, at = unsigned(data, self.start[Section.IMPORT])
        for _ in range(count):
            module, at = name(data, at)
            field, at = name(data, at)
            kind = data[at]
            at += 1
            if kind == FUNCTION:
                _, at = unsigned(data, at)
                self.imported_functions.append(field)
            elif kind == MEMORY:
                flags = data[at]
                _, at = unsigned(data, at + 1)
                if flags & 1:  # has a maximum
                    _, at = unsigned(data, at)
            elif kind == GLOBAL:
                at += 2  # type, mutability
                imported_globals += 1
                if module in ("GOT.func", "GOT.mem"):
                    self.wanted_addresses.add(field)
            else:
                raise AssertionError(f"unexpected import of kind {kind}")
        return imported_globals

    def _read_globals(self) -> list[int | None]:
        data = self.data
        values: list[int | None] = []
        count, at = unsigned(data, self.start[Section.GLOBAL])
        for _ in range(count):
            opcode = data[at + 2]  # after type and mutability
            at += 3
            value: int | None = None
            if opcode in (0x41, 0x42):  # i32.const, i64.const
                value, at = signed(data, at)
            else:
                assert opcode == 0x44, "a global is initialised by something other than a constant"  # f64.const
                at += 8
            assert data[at] == 0x0B  # end
            at += 1
            values.append(value)
        return values

    def _read_elements(self) -> tuple[int, list[int]]:
        """The only element segment: the first slot of the table it fills, and the functions put there."""
        data = self.data
        count, at = unsigned(data, self.start[Section.ELEMENT])
        flags, at = unsigned(data, at)
        assert (count, flags, data[at]) == (1, 0, 0x41)  # one segment, of table 0, at i32.const
        first, at = signed(data, at + 1)
        return first, numbers(data, at + 1)

    def _read_exports(self) -> Iterator[Export]:
        data = self.data
        count, at = unsigned(data, self.start[Section.EXPORT])
        for _ in range(count):
            label, at = name(data, at)
            kind = data[at]
            index, at = unsigned(data, at + 1)
            yield Export(label, kind, index)

    def _read_bodies(self) -> list[tuple[int, int]]:
        """(start, end) of the body of each function that is not imported."""
        count, at = unsigned(self.data, self.start[Section.CODE])
        bodies = []
        for _ in range(count):
            size, start = unsigned(self.data, at)
            at = start + size
            bodies.append((start, at))
        return bodies

    # ---- changing

    def type_of(self, symbol: str) -> int:
        return self.types[self._own(symbol)]

    def replace(self, symbol: str, body: bytes) -> None:
        """Gives the exported function `symbol` another body: its locals, its code, `end`."""
        self._patched[self._own(symbol)] = body

    def append(self, function_type: int, body: bytes) -> int:
        """Index of a new function."""
        self._appended.append((function_type, body))
        return len(self.imported_functions) + len(self.types) + len(self._appended) - 1

    def append_original(self, symbol: str) -> int:
        """Index of a new function that does what `symbol` did before it was replaced."""
        start, end = self._bodies[self._own(symbol)]
        return self.append(self.type_of(symbol), self.data[start:end])

    def slot(self, function: int) -> int:
        """A new slot of the table, which holds the function."""
        self.elements.append(function)
        return self.first_slot + len(self.elements) - 1

    def slots(self) -> dict[int, int]:
        """Function index → slot of the table; every exported function that has no slot yet gets one."""
        slots: dict[int, int] = {}
        for offset, function in enumerate(self.elements):
            slots.setdefault(function, self.first_slot + offset)
        for export in self.exports:
            if export.kind == FUNCTION and export.index not in slots:
                slots[export.index] = self.slot(export.index)
        return slots

    def _own(self, symbol: str) -> int:
        return self.functions[symbol] - len(self.imported_functions)

    # ---- writing

    def rewritten(self, kept: set[str]) -> bytes:
        """The module with all that was changed, and with the exports named in `kept` only."""
        exports = [export for export in self.exports if export.name in kept]
        size = to_unsigned(self.first_slot + len(self.elements))
        offset = b"\x41" + to_signed(self.first_slot) + b"\x0b"
        appended = [function_type for function_type, _ in self._appended]
        contents: dict[int, bytes] = {
            Section.TABLE: b"\x01\x70\x00" + size,  # one funcref table, no maximum
            Section.ELEMENT: b"\x01\x00" + offset + vector(map(to_unsigned, self.elements)),
            Section.EXPORT: vector(map(Export.encoded, exports)),
            Section.FUNCTION: vector(map(to_unsigned, [*self.types, *appended])),
            Section.CODE: self._code(),
        }
        out = bytearray(self.data[:8])
        for kind, start, end in self.sections:
            content = contents.get(kind, self.data[start:end])
            out.append(kind)
            out += to_unsigned(len(content))
            out += content
        return bytes(out)

    def _code(self) -> bytes:
        data, out = self.data, bytearray(to_unsigned(len(self._bodies) + len(self._appended)))
        _, copied = unsigned(data, self.start[Section.CODE])
        for index, body in sorted(self._patched.items()):
            start, end = self._bodies[index]
            size_at = start - len(to_unsigned(end - start))
            assert unsigned(data, size_at) == (end - start, start), "a size is not encoded the short way"
            out += data[copied:size_at] + to_unsigned(len(body)) + body
            copied = end
        out += data[copied : self._bodies[-1][1]]
        for _, body in self._appended:
            out += to_unsigned(len(body)) + body
        return bytes(out)


def unsigned(data: bytes, at: int) -> tuple[int, int]:
    """Decodes an unsigned LEB128 number; (value, position after it)."""
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if not byte & 0x80:
            return value, at


def signed(data: bytes, at: int) -> tuple[int, int]:
    value, end = unsigned(data, at)
    bits = 7 * (end - at)
    return (value - (1 << bits) if value >> (bits - 1) else value), end


def to_unsigned(value: int) -> bytes:
    out = bytearray()
    while True:
        byte, value = value & 0x7F, value >> 7
        out.append(byte | 0x80 if value else byte)
        if not value:
            return bytes(out)


def to_signed(value: int) -> bytes:
    """For values ≥ 0: as unsigned, with one more byte where the sign bit would be set."""
    out = bytearray(to_unsigned(value))
    if out[-1] & 0x40:
        out[-1] |= 0x80
        out.append(0)
    return bytes(out)


def name(data: bytes, at: int) -> tuple[str, int]:
    length, at = unsigned(data, at)
    return data[at : at + length].decode(), at + length


def numbers(data: bytes, at: int) -> list[int]:
    """Decodes a vector of unsigned numbers."""
    count, at = unsigned(data, at)
    decoded = []
    for _ in range(count):
        number, at = unsigned(data, at)
        decoded.append(number)
    return decoded


def vector(items: Iterable[bytes]) -> bytes:
    encoded = list(items)
    return to_unsigned(len(encoded)) + b"".join(encoded)
