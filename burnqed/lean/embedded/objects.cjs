'use strict';
// Access to Lean's objects in WebAssembly memory, and calls of compiled Lean functions by name.
//
// Layout of an object (lean.h, 32-bit): +0 reference count (> 0 one thread, < 0 many threads, 0 persistent), +4 size (16 bits),
// +6 number of object fields (or, from 245 on, a kind below in +7), +7 tag. Fields of a constructor start at +8, scalars follow.
// An odd value is a "boxed" number or a constructor without fields.
//
// Ownership: `call` consumes its arguments and returns an owned object. Everything read through `field`, `items`, `list` is
// borrowed from its parent; `retain` makes it owned.

const STRING_BYTES = 20; // header 8, then size in bytes, capacity, length in characters; the text follows
const ARRAY_ITEMS = 16;  // header 8, then size, capacity; the items follow
const TAG_ARRAY = 246;
const MOST_ITEMS = 10_000_000, MOST_PARTS = 100_000; // of a list or array, and of a name: a memory that somebody overwrote may have cycles

/** Lean reported an error (an exception of one of its monads), as opposed to a trap of the instance. */
class LeanError extends Error {}

class Objects {
  /** @param runtime what `runtime.cjs` starts: memory, functions and data by symbol */
  constructor(runtime) {
    this.runtime = runtime;
    this.functions = new Map();
    this.strings = new Map();
  }

  // ---- memory

  views() {
    const buffer = this.runtime.memory.buffer;
    if (this.bytes?.buffer !== buffer) { // the memory has grown
      this.bytes = new Uint8Array(buffer);
      this.words = new Int32Array(buffer);
    }
  }
  word(address) { this.views(); return this.words[address >> 2]; }
  setWord(address, value) { this.views(); this.words[address >> 2] = value; }
  byte(address) { this.views(); return this.bytes[address]; }

  // ---- reading

  box(number) { return (number << 1) | 1; }
  isBoxed(object) { return (object & 1) === 1; }
  number(object) { return this.isBoxed(object) ? object >>> 1 : NaN; } // a larger natural number never occurs in what we read
  tag(object) { return this.isBoxed(object) ? object >>> 1 : this.byte(object + 7); }
  fieldCount(object) { return this.isBoxed(object) ? 0 : this.byte(object + 6); }
  field(object, index) { return this.word(object + 8 + 4 * index); }
  /** Byte `offset` of the scalar fields, which follow the object fields. */
  scalar(object, offset) { return this.byte(object + 8 + 4 * this.byte(object + 6) + offset); }
  text(object) {
    const size = this.word(object + 8) - 1; // without the terminating zero
    this.views();
    return Buffer.from(this.bytes.slice(object + STRING_BYTES, object + STRING_BYTES + size)).toString('utf8');
  }
  items(array) {
    const size = this.word(array + 8);
    if (size > MOST_ITEMS) throw new LeanError('an array is too large');
    this.views();
    return Array.from(this.words.subarray((array + ARRAY_ITEMS) >> 2, ((array + ARRAY_ITEMS) >> 2) + size));
  }
  list(object) {
    const out = [];
    for (let cell = object; !this.isBoxed(cell); cell = this.field(cell, 1)) if (out.push(this.field(cell, 0)) > MOST_ITEMS) throw new LeanError('a list is too large');
    return out;
  }
  /** The components of a `Name`, outermost first: strings and numbers. */
  nameParts(name) {
    const parts = [];
    for (let n = name; !this.isBoxed(n); n = this.field(n, 0)) {
      const last = this.field(n, 1);
      if (parts.push(this.tag(n) === 1 ? this.text(last) : this.wholeNumber(last)) > MOST_PARTS) throw new LeanError('a name is too long');
    }
    return parts.reverse();
  }
  /** A name as Lean would have it written; different names give different texts. */
  nameText(name) { return this.partsText(this.nameParts(name)); }
  partsText(parts) {
    return parts.map(part => typeof part === 'number' || /^[\p{L}_][\p{L}\p{N}_'!?₀-₉]*$/u.test(part) ? String(part) : `«${part.replaceAll('»', '»»')}»`).join('.');
  }
  /** A natural number of up to 2⁵³. */
  wholeNumber(object) {
    const number = this.isBoxed(object) ? this.number(object) : Number(this.takeText(this.call('l_Nat_reprFast', this.retain(object))));
    if (!Number.isSafeInteger(number)) throw new LeanError('a number in a name is too large');
    return number;
  }

  // ---- reference counts

  retain(object, times = 1) {
    if (this.isBoxed(object)) return object;
    const count = this.word(object);
    if (count > 0) this.setWord(object, count + times);
    else if (count < 0) Atomics.sub(this.words, object >> 2, times);
    return object;
  }
  release(object) {
    if (this.isBoxed(object)) return;
    const count = this.word(object);
    if (count > 1) this.setWord(object, count - 1);
    else if (count !== 0) this.raw('lean_dec_ref_cold')(object);
  }

  // ---- making

  string(text) {
    const encoded = Buffer.from(text, 'utf8');
    const address = this.raw('malloc')(encoded.length + 1);
    this.views();
    this.bytes.set(encoded, address);
    this.bytes[address + encoded.length] = 0;
    const object = this.raw('lean_mk_string_from_bytes')(address, encoded.length); // of any content, zero characters too
    this.raw('free')(address);
    return object;
  }
  /** A natural number from its decimal digits. */
  natural(digits) {
    if (digits.length < 10) return this.box(Number(digits));
    const address = this.raw('malloc')(digits.length + 1);
    this.views();
    this.bytes.set(Buffer.from(digits + '\0', 'latin1'), address);
    const object = this.raw('lean_cstr_to_nat')(address);
    this.raw('free')(address);
    return object;
  }
  /** A constructor object; `scalars` zero bytes follow the fields. */
  constructorObject(tag, fields, scalars = 0) {
    const size = (8 + 4 * fields.length + scalars + 7) & ~7;
    const object = this.raw('lean_alloc_object')(size);
    this.setWord(object, 1);
    this.setWord(object + 4, size | (fields.length << 16) | (tag << 24));
    fields.forEach((field, index) => this.setWord(object + 8 + 4 * index, field));
    this.bytes.fill(0, object + 8 + 4 * fields.length, object + size);
    return object;
  }
  array(items) {
    const object = this.raw('lean_alloc_object')((ARRAY_ITEMS + 4 * items.length + 7) & ~7);
    this.setWord(object, 1);
    this.setWord(object + 4, TAG_ARRAY << 24);
    this.setWord(object + 8, items.length);
    this.setWord(object + 12, items.length);
    items.forEach((item, index) => this.setWord(object + ARRAY_ITEMS + 4 * index, item));
    return object;
  }
  /** A `Name` of string and number components, outermost first. */
  nameOf(parts) {
    const append = (prefix, part) => typeof part === 'number' ? this.raw('lean_name_mk_numeral')(prefix, this.natural(String(part))) : this.raw('lean_name_mk_string')(prefix, this.string(part));
    return parts.reduce(append, this.box(0));
  }
  /** `a.b.c` as a `Name` of string components. */
  name(dotted) { return this.nameOf(dotted.split('.')); }
  reference(value) { return this.raw('lean_st_mk_ref')(value); }
  /** The value of an `IO.Ref`, owned; the reference is released. */
  takeReference(reference) {
    const value = this.raw('lean_st_ref_get')(reference);
    this.release(reference);
    return value;
  }
  /** Copy of a constructor object with some object fields replaced; consumes the object and the new values. */
  with(object, changes) {
    const count = this.fieldCount(object), size = this.word(object + 4) & 0xffff;
    const fields = [];
    for (let i = 0; i < count; i++) fields.push(i in changes ? changes[i] : this.retain(this.field(object, i)));
    const copy = this.constructorObject(this.tag(object), fields, size - 8 - 4 * count);
    this.bytes.copyWithin(copy + 8 + 4 * count, object + 8 + 4 * count, object + size);
    this.release(object);
    return copy;
  }
  /** Sets byte `offset` of the scalar fields of an object that nobody else holds. */
  setScalar(object, offset, value) {
    this.views();
    this.bytes[object + 8 + 4 * this.bytes[object + 6] + offset] = value;
  }

  // ---- calling

  /** The function as it is compiled: who owns its arguments depends on the function. */
  raw(symbol) {
    let found = this.functions.get(symbol);
    if (!found) this.functions.set(symbol, found = this.runtime.function(symbol));
    return found;
  }
  /** Persistent value of a Lean constant (a definition without arguments); borrowed. */
  constant(symbol) { return this.word(this.runtime.address(symbol)); }

  /**
   * Calls the compiled Lean function `symbol`. Its `___boxed` twin, which exists whenever arguments are borrowed or unboxed, owns all
   * its arguments and takes and gives boxed scalars; without a twin the function itself does. A missing last argument is the token of IO.
   */
  call(symbol, ...args) {
    const key = symbol + '()';
    let found = this.functions.get(key);
    if (!found) {
      found = this.runtime.function(this.runtime.find(symbol + '___boxed') ? symbol + '___boxed' : symbol);
      this.functions.set(key, found);
    }
    if (found.length === args.length + 1) args.push(this.box(0));
    if (found.length !== args.length) throw new Error(`${symbol} takes ${found.length} arguments, not ${args.length}`);
    return found(...args);
  }
  /** Value of an `EIO` result, owned. Throws what `explain(exception)` gives when it is an exception; consumes the result. */
  value(result, explain) {
    const content = this.retain(this.field(result, 0)), failed = this.tag(result) === 1;
    this.release(result);
    if (!failed) return content;
    if (explain) throw explain(content);
    const text = this.raw('lean_io_error_to_string')(content); // consumes
    throw new LeanError(this.takeText(text));
  }
  takeText(object) {
    const text = this.text(object);
    this.release(object);
    return text;
  }
}

module.exports = { Objects, LeanError };
