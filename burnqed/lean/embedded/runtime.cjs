'use strict';
// Starts one copy of Lean in this thread: from the library's files (slow, when baking) or from a snapshot of its memory.
//
// A snapshot is the WebAssembly memory right after the library was imported, without its empty pages: two pages of header (words:
// environment, low end of the stack, pages of memory, pages stored; from byte 64 on the stored pages' numbers, 16 bits each), then
// the pages.
//
// What is started from a snapshot asks nothing of the outside but memory, exceptions and clocks (imports.cjs), and evaluates nothing but the
// library's declarations, data, and what `lean.guard.code` says (guard.cjs): none at first, then what the header in use may have evaluated.
// Tests of what lies behind the guard start without it (`isGuarded: false`).

const fs = require('fs'), path = require('path');
const { Guard } = require('./guard.cjs');
const { closeOutside, limitMemory } = require('./imports.cjs');
const { Objects } = require('./objects.cjs');

const PAGE = 65536, HEADER = 2 * PAGE, HEADER_PAGES = 64;
const EMPTY_PAGE = new Uint8Array(PAGE);
const STACK_BYTES = 64 << 20, STACK_MARGIN = PAGE;
const LIBRARY = 'Init';          // what theorems may refer to; metaprograms of `Lean` could bypass the kernel
const IMPORT_EVERYTHING = 2;     // OLeanLevel.private
const NO_OPTIONS = 1;            // box(0)

/**
 * @param baked   folder with lean.js, lean.wasm (given compiled as `module`) and symbols.bin
 * @param source  {snapshot: file} or {library: folder with the .olean files}
 * @returns promise of {lean: Objects, environment, isStackWhole(): false when the stack is, or was, almost used up, saveSnapshot(file), renewed()}
 *   `renewed`, of a copy from a snapshot, gives the same again, with the memory as it was at the start, but for its size: whatever ran before
 *   has left nothing in it. What was given earlier is of no use afterwards. Not for a copy that trapped: that one has to end.
 */
function start({ baked, module, memoryMb, isGuarded = true, source }) {
  return new Promise((resolve, reject) => {
    const emscripten = globalThis.__leanModule = {
      noInitialRun: true,
      print() {}, printErr() {},
      onAbort(why) { throw new WebAssembly.RuntimeError(`Lean aborted: ${why}`); },
      instantiateWasm(imports, receive) {
        if (memoryMb) limitMemory(imports.env, memoryMb);
        if (source.snapshot) closeOutside(imports.env); // also those of WASI
        receive(new WebAssembly.Instance(module, imports), module);
      },
      onRuntimeInitialized() {
        try { resolve(boot(emscripten.internals, baked, isGuarded, source)); } catch (error) { reject(error); }
      },
    };
    require(path.join(baked, 'lean.js'));
  });
}

function boot(internals, baked, isGuarded, source) {
  const runtime = makeRuntime(internals);
  const begin = () => {
    const lean = new Objects(runtime);
    const { environment, stack } = source.snapshot ? restore(internals, runtime, source.snapshot) : importLibrary(internals, lean, baked, source.library);
    if (source.snapshot) lean.guard = new Guard(lean, environment, isGuarded);
    return { lean, environment, isStackWhole: () => isUntouched(lean, stack), saveSnapshot: file => save(lean, environment, stack, file), renewed: begin };
  };
  return begin();
}

function makeRuntime(internals) {
  const found = new Map();
  const find = symbol => {
    const place = found.get(symbol) ?? internals.lookUpSymbol(Buffer.from(symbol + '\0'), 0);
    if (place) found.set(symbol, place);
    return place;
  };
  const address = symbol => {
    const place = find(symbol);
    if (!place) throw new Error(`Lean has no symbol ${symbol}`);
    return place;
  };
  /** Lets calls of the function `symbol` through the table (as closures make them) go to `handler(original, ...args)` during(body). */
  const hook = (symbol, handler) => {
    const original = internals.table.get(address(symbol)), hooked = asWebAssembly((...args) => handler(original, ...args), original.length);
    return { during: body => during(address(symbol), hooked, body) };
  };
  const during = (place, by, body) => {
    const original = internals.table.get(place);
    internals.table.set(place, by);
    try { return body(); } finally { internals.table.set(place, original); }
  };
  /** Has the function of another symbol in the slot of `symbol` during body(). */
  const exchange = (symbol, other, body) => during(address(symbol), internals.table.get(address(other)), body);
  /** Puts `handler(...args)`, or the function of another symbol, in the slot of `symbol`, for good. */
  const replace = (symbol, by) => internals.table.set(address(symbol), typeof by === 'string' ? internals.table.get(address(by)) : asWebAssembly(by, by.length));
  return { get memory() { return internals.memory; }, find, address, function: symbol => internals.tableEntry(address(symbol)), hook, exchange, replace };
}

/** A JavaScript function of `count` 32-bit numbers that returns one, as the table needs it: imported and exported again by a tiny module. */
function asWebAssembly(handler, count) {
  const numbers = Array(count).fill(0x7f), section = (id, bytes) => [id, bytes.length, ...bytes];
  const bytes = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0,
    ...section(1, [1, 0x60, count, ...numbers, 1, 0x7f]),  // type 0: (i32 × count) → i32
    ...section(2, [1, 1, 0x65, 1, 0x66, 0, 0]),            // import "e" "f" as function 0 of type 0
    ...section(7, [1, 1, 0x66, 0, 0])];                    // export "f" = function 0
  return new WebAssembly.Instance(new WebAssembly.Module(new Uint8Array(bytes)), { e: { f: handler } }).exports.f;
}

/** Whether the low end of the stack was never reached: beyond it are other objects. */
function isUntouched(lean, stack) {
  lean.views();
  return lean.bytes.subarray(stack, stack + STACK_MARGIN).every(byte => byte === 0);
}

function useStack(internals, runtime, low) {
  runtime.function('emscripten_stack_set_limits')(low + STACK_BYTES, low);
  internals.stackRestore(low + STACK_BYTES);
}

function importLibrary(internals, lean, baked, library) {
  const { FS, NODEFS, ENV } = internals, runtime = lean.runtime;
  ENV.LEAN_PATH = '/lean';
  FS.mkdir('/lean');
  FS.mount(NODEFS, { root: library }, '/lean');
  FS.mkdirTree(baked);
  FS.writeFile(path.join(baked, 'lean.js'), ''); // Lean asks for the path of its own program
  const stack = (lean.raw('malloc')(STACK_BYTES + 64) + 63) & ~63;
  useStack(internals, runtime, stack);
  lean.raw('_ZN4lean11initializerC1Ev')(lean.raw('malloc')(16));
  lean.raw('_ZN4lean16init_search_pathEv')();
  lean.raw('lean_enable_initializer_execution')();
  lean.raw('lean_io_mark_end_initialization')();
  lean.raw('lean_init_task_manager_using')(1); // promises need one; bake.py has tasks run at once, so no thread is ever started
  const init = lean.constructorObject(0, [lean.name(LIBRARY)], 3); // Import {module, importAll, isExported, isMeta}
  lean.setScalar(init, 1, 1);
  // importModules imports opts trustLevel plugins leakEnv loadExts level arts
  const imported = lean.raw('l_Lean_importModules')(lean.array([init]), NO_OPTIONS, 1024, lean.array([]), 1, 1, IMPORT_EVERYTHING, lean.box(1));
  const environment = lean.value(imported);
  lean.raw('lean_mark_persistent')(environment);
  FS.unmount('/lean');
  return { environment, stack };
}

function save(lean, environment, stack, file) {
  lean.raw('mi_collect')(1);
  lean.views();
  const bytes = lean.bytes, pages = bytes.length / PAGE, longs = new BigInt64Array(bytes.buffer), stored = [];
  for (let page = 0; page < pages; page++) {
    const start = page * PAGE / 8;
    if (longs.subarray(start, start + PAGE / 8).some(long => long)) stored.push(page);
  }
  const header = Buffer.alloc(HEADER);
  [environment, stack, pages, stored.length].forEach((value, index) => header.writeUInt32LE(value, 4 * index));
  stored.forEach((page, index) => header.writeUInt16LE(page, HEADER_PAGES + 2 * index));
  const out = fs.openSync(file, 'w');
  fs.writeSync(out, header);
  for (const page of stored) fs.writeSync(out, Buffer.from(bytes.slice(page * PAGE, (page + 1) * PAGE)));
  fs.closeSync(out);
}

function restore(internals, runtime, file) {
  const input = fs.openSync(file, 'r'), header = Buffer.alloc(HEADER);
  fs.readSync(input, header, 0, HEADER, 0);
  const [environment, stack, pages, count] = [0, 4, 8, 12].map(at => header.readUInt32LE(at));
  const have = internals.memory.buffer.byteLength / PAGE;
  if (have < pages) internals.memory.grow(pages - have);
  internals.growMemViews();
  const bytes = new Uint8Array(internals.memory.buffer), isStored = new Uint8Array(Math.max(pages, have));
  const page = index => header.readUInt16LE(HEADER_PAGES + 2 * index);
  for (let first = 0, at = HEADER; first < count;) { // runs of consecutive pages, read straight into place
    let last = first;
    while (last + 1 < count && page(last + 1) === page(last) + 1) last++;
    const length = (last - first + 1) * PAGE;
    if (fs.readSync(input, bytes, page(first) * PAGE, length, at) !== length) throw new Error(`${file} is cut off`);
    at += length;
    for (; first <= last; first++) isStored[page(first)] = 1;
  }
  fs.closeSync(input);
  for (let p = 0; p < have; p++) if (!isStored[p]) bytes.set(EMPTY_PAGE, p * PAGE); // `fill` takes three times as long
  bytes.fill(0, stack, stack + STACK_MARGIN);
  useStack(internals, runtime, stack);
  return { environment, stack };
}

module.exports = { start };
