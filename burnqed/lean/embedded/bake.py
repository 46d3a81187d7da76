"""Rewrites the npm build of Lean so that it boots in a fraction of a second.

The package's `lean.js` (89 MB) and `lean.wasm` (137 MB) name each of 200,000 compiled Lean functions three times, because Lean
looks functions up by name at run time (`dlsym`). Parsing these names takes seconds at every start. Here

- every exported function gets a fixed place in WebAssembly's function table,
- a hash table `symbols.bin` maps names to these places (and names of data to addresses), and `dlsym` reads it,
- the exports and the JavaScript glue that only served the old `dlsym` are dropped (56 exports and 0.7 MB remain),
- the two functions that add a declaration *without* checking it call the ones that do check it, so that
  `set_option debug.skipKernelTC true` cannot bypass the kernel,
- and Lean's tasks run at once in the thread that starts them: an instance is one thread, and cannot wait for another.

    bake(Path("package"), Path("out"))      # reads package/lean.{js,wasm}, writes out/lean.{js,wasm}, out/symbols.bin

A build that is not the one pinned in `pin.py` fails an assertion here rather than giving something half-rewritten.
"""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path


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

CHECKED_INSTEAD = {
    "lean_elab_add_decl_without_checking": "lean_elab_add_decl",
    "lean_add_decl_without_checking": "lean_add_decl",
}
"""(environment, declaration) functions that skip the kernel → (environment, max heartbeats, declaration, cancel token) ones that do not."""

RUN_AT_ONCE = ("lean_task_map_core", "lean_task_bind_core")
"""(…, …, priority, sync, keep alive) functions whose task runs at once, as soon as the one it waits for is done, when `sync` is true."""

KEPT_EXPORTS = {
    "__wasm_call_ctors",
    "_emscripten_tls_init",
    "__stack_pointer",
    "__indirect_function_table",
    "memory",
    "__THREW__",
    "__threwValue",
    "_mi_heap_default",
    "in6addr_loopback",
    "__wasm_apply_data_relocs",
}
KEPT_EXPORT_PREFIXES = ("__em_js__", "__tls", "__start_em", "__stop_em")


def bake(package: Path, out: Path) -> None:
    """Writes the rewritten build to the folder `out`, which must exist."""
    wasm = Module((package / "lean.wasm").read_bytes())
    slots = wasm.table_slots()
    script, kept = rewrite_script((package / "lean.js").read_text(encoding="utf-8"), wasm, slots)
    (out / "lean.js").write_text(script, encoding="utf-8")
    (out / "lean.wasm").write_bytes(wasm.rewritten(slots, kept))
    (out / "symbols.bin").write_bytes(symbol_table(wasm, slots))


@dataclass(frozen=True)
class Export:
    name: str
    kind: int
    index: int

    def encoded(self) -> bytes:
        name = self.name.encode()
        return to_unsigned(len(name)) + name + bytes([self.kind]) + to_unsigned(self.index)


class Module:
    """The parts of a WebAssembly module that the rewriting needs (https://webassembly.github.io/spec/core/binary/)."""

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
        self.imported_functions = 0
        self.wanted_addresses: set[str] = set()
        """Exports whose address the dynamic linker asks for (imports `GOT.func.NAME`, `GOT.mem.NAME`)."""
        imported_globals = self._read_imports()
        self.global_values: list[int | None] = [None] * imported_globals
        self.global_values += self._read_globals()
        self.first_slot, self.elements = self._read_elements()
        self.exports = list(self._read_exports())
        self.functions = {export.name: export.index for export in self.exports if export.kind == FUNCTION}

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
                self.imported_functions += 1
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
                assert opcode == 0x44, "a global is initialised by something else than a constant"  # f64.const
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
        count, at = unsigned(data, at + 1)
        elements = []
        for _ in range(count):
            function, at = unsigned(data, at)
            elements.append(function)
        return first, elements

    def _read_exports(self) -> Iterator[Export]:
        data = self.data
        count, at = unsigned(data, self.start[Section.EXPORT])
        for _ in range(count):
            label, at = name(data, at)
            kind = data[at]
            index, at = unsigned(data, at + 1)
            yield Export(label, kind, index)

    def table_slots(self) -> dict[int, int]:
        """Function index → slot of the table; appends every exported function that has no slot yet to the table."""
        slots: dict[int, int] = {}
        for offset, function in enumerate(self.elements):
            slots.setdefault(function, self.first_slot + offset)
        for export in self.exports:
            if export.kind == FUNCTION and export.index not in slots:
                slots[export.index] = self.first_slot + len(self.elements)
                self.elements.append(export.index)
        return slots

    def rewritten(self, slots: dict[int, int], kept: set[str]) -> bytes:
        """The module with the larger table, the kept exports only, and the kernel bypass closed."""
        exports = [export for export in self.exports if export.name in kept]
        size = to_unsigned(self.first_slot + len(self.elements))
        offset = b"\x41" + to_signed(self.first_slot) + b"\x0b"
        contents: dict[int, bytes] = {
            Section.TABLE: b"\x01\x70\x00" + size,  # one funcref table, no maximum
            Section.ELEMENT: b"\x01\x00" + offset + vector(map(to_unsigned, self.elements)),
            Section.EXPORT: vector(map(Export.encoded, exports)),
            Section.FUNCTION: self._types_of_functions(),
            Section.CODE: self._patched_code(),
        }
        out = bytearray(self.data[:8])
        for kind, start, end in self.sections:
            content = contents.get(kind, self.data[start:end])
            out.append(kind)
            out += to_unsigned(len(content))
            out += content
        return bytes(out)

    def _types_of_functions(self) -> bytes:
        """The function section, with the originals of RUN_AT_ONCE once more at the end."""
        start, end = next((start, end) for kind, start, end in self.sections if kind == Section.FUNCTION)
        count, at = unsigned(self.data, start)
        types, first = [], at
        for _ in range(count):
            function_type, at = unsigned(self.data, at)
            types.append(function_type)
        again = [types[self.functions[name] - self.imported_functions] for name in RUN_AT_ONCE]
        return to_unsigned(count + len(again)) + self.data[first:end] + b"".join(map(to_unsigned, again))

    def _patched_code(self) -> bytes:
        data, functions = self.data, self.functions
        count, first = unsigned(data, self.start[Section.CODE])
        bodies, at = [], first
        for _ in range(count):
            size, start = unsigned(data, at)
            at = start + size
            bodies.append((start, at))

        def call(name: str) -> bytes:
            return b"\x10" + to_unsigned(functions[name])

        # Bodies without locals: 0x20 N is local.get, 0x41 N i32.const, 0x0b end.
        patched = {}
        # checked(environment, 0 heartbeats = no limit, declaration, box(0) = no token)
        for unchecked, checked in CHECKED_INSTEAD.items():
            patched[unchecked] = b"\x00\x20\x00\x41\x00\x20\x01\x41\x01" + call(checked) + b"\x0b"
        # pure(closure(box(0)))
        spawn = b"\x00\x20\x00\x41\x01" + call("lean_apply_1") + call("lean_task_pure") + b"\x0b"
        patched["lean_task_spawn_core"] = spawn
        originals = []
        for index, name in enumerate(RUN_AT_ONCE):
            start, end = bodies[functions[name] - self.imported_functions]
            originals.append(data[start:end])
            original = b"\x10" + to_unsigned(self.imported_functions + count + index)
            patched[name] = b"\x00\x20\x00\x20\x01\x20\x02\x41\x01\x20\x04" + original + b"\x0b"  # sync = 1

        out, copied = bytearray(to_unsigned(count + len(originals))), first
        for function, body in sorted((functions[name], body) for name, body in patched.items()):
            start, end = bodies[function - self.imported_functions]
            size_at = start - len(to_unsigned(end - start))
            assert unsigned(data, size_at) == (end - start, start), "a size is not encoded the short way"
            out += data[copied:size_at] + to_unsigned(len(body)) + body
            copied = end
        out += data[copied:at]
        for body in originals:
            out += to_unsigned(len(body)) + body
        return bytes(out)


def rewrite_script(script: str, wasm: Module, slots: dict[int, int]) -> tuple[str, set[str]]:
    """The JavaScript glue without the 200,000 variables, and the names of the exports it still needs."""
    assignment = r"(?<=[;{}])(\w+)=Module\[\"\w+\"\]=wasmExports\[\"(\w+)\"\](\.value)?"
    exported_as = {variable: (export, value) for variable, export, value in re.findall(assignment + ";", script)}
    script = re.sub(assignment + r"(?:;|(?=\}))", "", script)

    # `var _main,_lean_main,…;` declares them all: keep those that are still used
    start = script.index("var _main,_lean_main,")
    end = script.index(";", start)
    declared = script[start + len("var ") : end].split(",")
    script = script[:start] + "/*VARIABLES*/" + script[end + 1 :]
    used = set(re.findall(r"[A-Za-z_$][\w$]*", script))
    variables = [variable for variable in declared if variable in used]
    script = replace(script, "/*VARIABLES*/", "var " + ",".join(variables) + ";")
    assigned = [variable for variable in variables if variable in exported_as]
    assignments = "".join('{0}=Module["{0}"]=wasmExports["{1}"]{2};'.format(v, *exported_as[v]) for v in assigned)
    head = "function assignWasmExports(wasmExports){"
    script = replace(script, head, head + assignments)

    kept = {exported_as[variable][0] for variable in assigned} | wasm.wanted_addresses | KEPT_EXPORTS
    kept |= {export.name for export in wasm.exports if export.name.startswith(KEPT_EXPORT_PREFIXES)}
    kept_slots = {name: slots[wasm.functions[name]] for name in sorted(kept) if name in wasm.functions}

    # The options of a run come from whoever loads the script, and nothing is printed that is not asked for.
    script = replace(script, 'var Module=typeof Module!="undefined"?Module:{};', "var Module=globalThis.__leanModule;")
    script = replace(script, 'console.log("[DEBUG:', 'void("[DEBUG:', every=True)
    script = replace(script, "var pthreadPoolSize=4;", "var pthreadPoolSize=0;")

    # Addresses of the kept functions are known; no scan of the table at start.
    lookup = "var getFunctionAddress=func=>{if(!functionsInTableMap){functionsInTableMap=new WeakMap;"
    script = replace(
        script,
        lookup + "updateTableMap(0,wasmTable.length)}",
        f"var keptSlots={json.dumps(kept_slots, separators=(',', ':'))};"
        + lookup
        + "for(var k in keptSlots)functionsInTableMap.set(wasmExports[k],keptSlots[k])}",
    )

    # dlsym by hash table; Module.internals is what runtime.cjs works with.
    start = script.index("var __dlsym_js=(handle")
    end = script.index("__dlsym_js.sig=", start)
    script = script[:start] + DLSYM + script[end:]
    mark = "var wasmExports;if(!ENVIRONMENT_IS_PTHREAD)"
    script = replace(script, mark, INTERNALS + mark)
    return script, kept


DLSYM = """var symbolHashTable=null;
var lookUpSymbol=address=>{
  if(!symbolHashTable){var b=require("fs").readFileSync(__dirname+"/symbols.bin");symbolHashTable=new Uint32Array(b.buffer.slice(b.byteOffset,b.byteOffset+b.length))}
  growMemViews();
  var heap=HEAPU8,first=2166136261,second=5381,c;
  while(c=heap[address++]){first=Math.imul(first^c,16777619)>>>0;second=(Math.imul(second,33)+c)>>>0}
  var mask=symbolHashTable[0],i=first&mask;
  for(;;){
    var entry=1+i*3;
    if(symbolHashTable[entry+2]==0)return 0;
    if(symbolHashTable[entry]==first&&symbolHashTable[entry+1]==second)return symbolHashTable[entry+2];
    i=(i+1)&mask}
};
var __dlsym_js=(handle,symbol,symbolIndex)=>{var found=lookUpSymbol(symbol);if(!found)dlSetError("unknown symbol");return found};
"""

INTERNALS = (
    'Module["internals"]={FS,NODEFS,ENV,growMemViews,lookUpSymbol,tableEntry:getWasmTableEntry,'
    "get memory(){return wasmMemory},get table(){return wasmTable},stackSave,stackRestore};"
)


def symbol_table(wasm: Module, slots: dict[int, int]) -> bytes:
    """Open-addressing hash table of 32-bit words: mask, then (hash, second hash, slot or address) by position; 0 marks an empty place."""
    values = {e.name: slots[e.index] for e in wasm.exports if e.kind == FUNCTION}
    values |= {e.name: wasm.global_values[e.index] or 0 for e in wasm.exports if e.kind == GLOBAL}
    size = 1
    while size < 2 * len(values):
        size *= 2
    table: list[tuple[int, int, int] | None] = [None] * size
    seen: set[tuple[int, int]] = set()
    for symbol, value in values.items():
        if not value:
            continue
        first, second = 2166136261, 5381  # FNV-1a and djb2, as in DLSYM
        for byte in symbol.encode():
            first = ((first ^ byte) * 16777619) & 0xFFFFFFFF
            second = (second * 33 + byte) & 0xFFFFFFFF
        assert (first, second) not in seen, f"{symbol} collides with another name in both hashes"
        seen.add((first, second))
        place = first & (size - 1)
        while table[place] is not None:
            place = (place + 1) & (size - 1)
        table[place] = (first, second, value)
    return struct.pack("<I", size - 1) + b"".join(struct.pack("<III", *(entry or (0, 0, 0))) for entry in table)


def replace(text: str, old: str, new: str, *, every: bool = False) -> str:
    count = text.count(old)
    assert count == 1 or (every and count), f"expected once in lean.js, found {count} times: {old[:60]}"
    return text.replace(old, new)


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


def vector(items: Iterator[bytes]) -> bytes:
    encoded = list(items)
    return to_unsigned(len(encoded)) + b"".join(encoded)
