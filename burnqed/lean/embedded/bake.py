"""Rewrites the npm build of Lean so that it boots in a fraction of a second, and runs nobody's code but its own.

The package's `lean.js` (89 MB) and `lean.wasm` (137 MB) name each of 200,000 compiled Lean functions three times, because Lean
looks functions up by name at run time (`dlsym`). Parsing these names takes seconds at every start. Here

- every exported function gets a fixed place in WebAssembly's function table,
- a hash table `symbols.bin` maps names to these places (and names of data to addresses), and `dlsym` reads it,
- the exports and the JavaScript glue that only served the old `dlsym` are dropped (56 exports and 0.7 MB remain),

and some functions are given other bodies (`rewrite_functions`):

- the two that add a declaration *without* checking it call the ones that do check it, so that `set_option debug.skipKernelTC true`
  cannot bypass the kernel; only whoever runs the instance can switch the check off (frontend.cjs, `unchecked`),
- the kernel does not evaluate `Lean.reduceBool` and `Lean.reduceNat` natively,
- the interpreter asks a guard before it uses any declaration (guard.cjs),
- whoever runs an instance can watch while Lean looks for class instances and adds parameters (local_instances.cjs),
- and Lean's tasks run at once in the thread that starts them: an instance is one thread, and cannot wait for another.

    bake(Path("package"), Path("out"))      # reads package/lean.{js,wasm}, writes out/lean.{js,wasm}, out/symbols.bin

A build that is not the one pinned in `pin.py` fails an assertion here rather than giving something half-rewritten.
"""

from __future__ import annotations

import json
import re
import struct
from pathlib import Path

from burnqed.lean.embedded.wasm import FUNCTION, GLOBAL, Module, to_signed, to_unsigned

ELABORATOR_ADDS, ELABORATOR_ADDS_UNCHECKED = "lean_elab_add_decl", "lean_elab_add_decl_without_checking"
CHECKED_INSTEAD = {
    ELABORATOR_ADDS_UNCHECKED: ELABORATOR_ADDS,
    "lean_add_decl_without_checking": "lean_add_decl",
}
"""(environment, declaration) functions that skip the kernel → (environment, max heartbeats, declaration, cancel token) ones that do not."""
ADD = "burnqed_add"
ADD_UNCHECKED = "burnqed_add_unchecked"
"""Symbols of slots with what the elaborator calls to add a declaration, and with what adds one without the kernel's check."""

REDUCE_NATIVE = "_ZN4lean13reduce_nativeERKNS_11environmentERKNS_4exprE"
"""The kernel's (result, environment, expression): evaluates `reduceBool c`; the result is an `optional<expr>`, whose first byte is 0 when there is no expression."""

LOOKUP = "_ZN4lean2ir11interpreter13lookup_symbolERKNS_4nameE"
"""The interpreter's (result, itself, name): the way from the name of a declaration to its code. Whatever evaluates, be it `evalConst`,
an `[init]` declaration, a call or a closure within interpreted code, comes through here; but for RUN_MAIN, what `lean --run` calls."""
RUN_MAIN = "lean_run_main"
INTERPRETED_ENVIRONMENT = 36
"""Where an interpreter has the pointer to its environment."""
GUARD = "burnqed_guard"
"""Symbol of a slot with the function (environment, reference to a name) → reference to the name that the interpreter shall look up."""
NATIVE = "burnqed_reduce_native"
NATIVE_ORIGINAL = "burnqed_reduce_native_original"
"""Symbols of slots with what the kernel calls for REDUCE_NATIVE, which returns no expression, and with what it called before, for tests."""

GET_INSTANCES = "l_Lean_Meta_SynthInstance_getInstances"
"""(type, Meta.Context, Meta.State reference, Core.Context, Core.State reference) → the instances that may solve a goal, local ones among them."""
IMPLICIT_LAMBDA = "l___private_Lean_Elab_Term_TermElabM_0__Lean_Elab_Term_useImplicitLambda"
"""(expected type, syntax, and contexts and states of Term, Meta and Core) → whether Lean puts a `fun` before what is written, and of which type."""
INSTANCES, IMPLICIT = "burnqed_instances", "burnqed_implicit_lambda"
"""Symbols of slots with these."""

RUN_AT_ONCE = ("lean_task_map_core", "lean_task_bind_core")
"""(…, …, priority, sync, keep alive) functions whose task runs at once, as soon as the one it waits for is done, when `sync` is true."""

KEPT_EXPORTS = {
    *("__wasm_call_ctors", "_emscripten_tls_init", "__stack_pointer", "__indirect_function_table", "memory"),
    *("__THREW__", "__threwValue", "_mi_heap_default", "in6addr_loopback", "__wasm_apply_data_relocs"),
}
KEPT_EXPORT_PREFIXES = ("__em_js__", "__tls", "__start_em", "__stop_em")


def bake(package: Path, out: Path) -> None:
    """Writes the rewritten build to the folder `out`, which must exist."""
    wasm = Module((package / "lean.wasm").read_bytes())
    slots = wasm.slots()
    own = rewrite_functions(wasm)
    script, kept = rewrite_script((package / "lean.js").read_text(encoding="utf-8"), wasm, slots)
    (out / "lean.js").write_text(script, encoding="utf-8")
    (out / "lean.wasm").write_bytes(wasm.rewritten(kept))
    (out / "symbols.bin").write_bytes(symbol_table(wasm, slots, own))


def rewrite_functions(wasm: Module) -> dict[str, int]:
    """Gives some functions other bodies; the symbols of the slots that these use."""

    def local(number: int) -> bytes:
        return b"\x20" + to_unsigned(number)

    def const(value: int) -> bytes:
        return b"\x41" + to_signed(value)

    def load(offset: int) -> bytes:
        return b"\x28\x02" + to_unsigned(offset)

    def call(function: int | str) -> bytes:
        return b"\x10" + to_unsigned(wasm.functions[function] if isinstance(function, str) else function)

    def call_slot(slot: int, function_type: int) -> bytes:
        return const(slot) + b"\x11" + to_unsigned(function_type) + b"\x00"

    def body(*code: bytes) -> bytes:
        return b"\x00" + b"".join(code) + b"\x0b"  # no locals besides the parameters … end

    four_to_one = wasm.type_of(ELABORATOR_ADDS)
    add = wasm.slot(wasm.append_original(ELABORATOR_ADDS))
    without_check = call(wasm.append_original(ELABORATOR_ADDS_UNCHECKED))
    add_unchecked = wasm.slot(wasm.append(four_to_one, body(local(0), local(2), without_check)))
    wasm.replace(ELABORATOR_ADDS, body(local(0), local(1), local(2), local(3), call_slot(add, four_to_one)))
    for unchecked, checked in CHECKED_INSTEAD.items():  # 0 heartbeats are no limit, box(0) means no token
        wasm.replace(unchecked, body(local(0), const(0), local(1), const(1), call(checked)))

    three_to_none = wasm.type_of(REDUCE_NATIVE)  # (i32, i32, i32) → nothing
    none = body(local(0), const(0), b"\x3a\x00\x00")  # i32.store8
    native = wasm.slot(wasm.append(three_to_none, none))
    native_original = wasm.slot(wasm.append_original(REDUCE_NATIVE))
    wasm.replace(REDUCE_NATIVE, body(local(0), local(1), local(2), call_slot(native, three_to_none)))

    two_to_one = wasm.type_of("lean_apply_1")  # (i32, i32) → i32
    allow = wasm.append(two_to_one, body(local(1)))  # everything, as the import of the library needs it
    guard = wasm.slot(allow)
    environment = local(1) + load(INTERPRETED_ENVIRONMENT) + load(0)
    look_up = call(wasm.append_original(LOOKUP))
    wasm.replace(LOOKUP, body(local(0), local(1), environment, local(2), call_slot(guard, two_to_one), look_up))
    wasm.replace(RUN_MAIN, body(b"\x00"))  # unreachable

    watched = {}
    for symbol, function, parameters in ((INSTANCES, GET_INSTANCES, 5), (IMPLICIT, IMPLICIT_LAMBDA, 8)):
        watched[symbol] = wasm.slot(wasm.append_original(function))
        call_watched = call_slot(watched[symbol], wasm.type_of(function))
        wasm.replace(function, body(*map(local, range(parameters)), call_watched))

    # pure(closure(box(0)))
    wasm.replace("lean_task_spawn_core", body(local(0), const(1), call("lean_apply_1"), call("lean_task_pure")))
    for run in RUN_AT_ONCE:
        original = call(wasm.append_original(run))
        wasm.replace(run, body(local(0), local(1), local(2), const(1), local(4), original))  # sync = 1
    return {
        ADD: add,
        ADD_UNCHECKED: add_unchecked,
        GUARD: guard,
        **watched,
        NATIVE: native,
        NATIVE_ORIGINAL: native_original,
    }


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
var lookUpSymbol=(bytes,at)=>{
  if(!symbolHashTable){var b=require("fs").readFileSync(__dirname+"/symbols.bin");symbolHashTable=new Uint32Array(b.buffer.slice(b.byteOffset,b.byteOffset+b.length))}
  var first=2166136261,second=5381,c;
  while(c=bytes[at++]){first=Math.imul(first^c,16777619)>>>0;second=(Math.imul(second,33)+c)>>>0}
  var mask=symbolHashTable[0],i=first&mask;
  for(;;){
    var entry=1+i*3;
    if(symbolHashTable[entry+2]==0)return 0;
    if(symbolHashTable[entry]==first&&symbolHashTable[entry+1]==second)return symbolHashTable[entry+2];
    i=(i+1)&mask}
};
var __dlsym_js=(handle,symbol,symbolIndex)=>{growMemViews();var found=lookUpSymbol(HEAPU8,symbol);if(!found)dlSetError("unknown symbol");return found};
"""

INTERNALS = (
    'Module["internals"]={FS,NODEFS,ENV,growMemViews,lookUpSymbol,tableEntry:getWasmTableEntry,'
    "get memory(){return wasmMemory},get table(){return wasmTable},stackRestore};"
)


def symbol_table(wasm: Module, slots: dict[int, int], own: dict[str, int]) -> bytes:
    """Open-addressing hash table of 32-bit words: mask, then (hash, second hash, slot or address) by position; 0 marks an empty place."""
    values = {e.name: slots[e.index] for e in wasm.exports if e.kind == FUNCTION}
    values |= {e.name: wasm.global_values[e.index] or 0 for e in wasm.exports if e.kind == GLOBAL}
    values |= own
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
