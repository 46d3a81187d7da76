'use strict';
// What Lean may ask of the JavaScript around it. Theorems and tactics are text from strangers: all but what elaboration needs is closed.
//
// Closed are files, processes, sockets, threads, timers, the environment, random numbers, embedded JavaScript, and every function that calls
// another one by number from a table of its own (`_emscripten_receive_on_main_thread_js`), where the originals still are. An exit is an error
// like any other: it ends the instance, not the process.

const ALLOWED = [
  /^invoke_[vijfd]+$/,            // how C++ calls what may throw
  /^__cxa_|^__resumeException$|^llvm_eh_typeid_for$|^_emscripten_throw_longjmp$/, // exceptions of C++
  /^emscripten_(resize_heap|get_heap_max)$/,                        // memory, up to the cap
  /^(clock_time_get|clock_res_get|emscripten_get_now|emscripten_date_now)$/,      // how long something took
  /^emscripten_check_blocking_allowed$/,                            // does nothing
  /^_dlsym_js$/,                  // the interpreter looks for compiled code, after it asked the guard
  /^_emscripten_init_main_thread_js$/,                              // at the start
  /^(__assert_fail|_abort_js)$/,  // end the instance with an error
];
const ANSWERED = /^(_emscripten_(thread_mailbox_await|get_progname)|emscripten_asm_const_int)$/; // by 0: the first two are asked for at the start
const FAILING = /^(__syscall_|(fd|environ|random)_)/;                  // with an error number, which Lean can report
const EACCES = 2;                 // in WASI's numbering; system calls give it negative
const PAGE = 65536, MB = 1048576, GROWTH = 16 * MB;

const isAllowed = name => ALLOWED.some(pattern => pattern.test(name));

/** Closes what `imports`, one object with all functions that emscripten offers, has no need for. */
function closeOutside(imports) {
  for (const [name, original] of Object.entries(imports)) {
    // The signature is what a function is put in the table with, if its address is asked for.
    if (typeof original === 'function' && !isAllowed(name)) imports[name] = Object.assign(() => closed(name), { sig: original.sig });
  }
}

function closed(name) {
  if (ANSWERED.test(name)) return 0;
  if (FAILING.test(name)) return name.startsWith('__syscall_') ? -EACCES : EACCES;
  throw new WebAssembly.RuntimeError(`Lean asked for \`${name}\`, which is closed`);
}

/**
 * Ends the instance where its memory would grow beyond the cap, or cannot grow. Lean does not look whether it was given what it asked for: its
 * large numbers would be written from address 0 on, over everything. The cap is exact: emscripten grows a memory
 * by up to 96 MB more than it has to, so how much a proof gets would depend on how far the memory had grown when the instance was renewed.
 */
function limitMemory(imports, memoryMb) {
  const { memory } = imports, cap = memoryMb * MB;
  imports.emscripten_resize_heap = bytes => {
    if ((bytes >>> 0) > cap) throw new WebAssembly.RuntimeError('out of memory');
    memory.grow(Math.ceil((Math.min((bytes >>> 0) + GROWTH, cap) - memory.buffer.byteLength) / PAGE)); // throws when it cannot
    return 1;
  };
}

module.exports = { closeOutside, isAllowed, limitMemory };
