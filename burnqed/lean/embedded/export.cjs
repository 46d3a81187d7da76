'use strict';
// What an elaboration added to the library, as text that any kernel can read: lean4export's NDJSON, format 3.1.0
// (https://github.com/leanprover/lean4export/blob/master/format_ndjson.md).
//
// The closure of a constant: every constant outside the library that its type and value reach, in order of dependency; names, levels and
// expressions once each, however often and under however many addresses they occur. `mdata` is dropped, as the format's own exporter does.
//
// The instance may have run a stranger's code, so its memory may hold anything: cycles, wild pointers, broken texts. All reads are bounded,
// nothing recurses, and whoever reads the result trusts none of it (judge.cjs).

const { find, kernel } = require('./environment.cjs');

const VERSION = '3.1.0';
const MOST_NODES = 3_000_000, MOST_CHARACTERS = 200_000_000;
const BINDERS = ['default', 'implicit', 'strictImplicit', 'instImplicit'];
const SAFETY = ['unsafe', 'safe', 'partial'];
const THEOREM = 2;
const QUOTIENTS = ['type', 'ctor', 'lift', 'ind'];
const OF_TEXTS = [['Char', 'ofNat'], ['String', 'ofList']]; // what string literals stand for, though no term says so
const KINDS = ['axiom', 'def', 'thm', 'opaque', 'quot', 'inductive', 'constructor', 'recursor']; // tags of Lean.ConstantInfo
const META = JSON.stringify({ meta: { exporter: { name: 'burnqed', version: VERSION }, lean: { githash: '', version: '4.28.0-pre' }, format: { version: VERSION } } });

/** The memory does not hold what Lean would have put there, or more of it than can be judged. */
class Malformed extends Error {}

/** Reads objects of a memory that is not to be trusted; see objects.cjs for their layout. */
class Reader {
  constructor(memory) {
    this.memory = memory;
    this.decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    this.view();
  }
  view() {
    this.bytes = new Uint8Array(this.memory.buffer);
    this.words = new Int32Array(this.memory.buffer);
  }
  /** Throws unless the bytes from `address` to `end` exist. */
  reach(address, end) {
    if (address >= 8 && end > this.bytes.length && end <= this.memory.buffer.byteLength) this.view(); // it has grown
    if (address < 8 || end > this.bytes.length) throw new Malformed('a pointer leads nowhere');
  }
  word(address) {
    this.reach(address, address + 4);
    if (address & 3) throw new Malformed('a pointer leads nowhere');
    return this.words[address >> 2];
  }
  byte(address) {
    this.reach(address, address + 1);
    return this.bytes[address];
  }
  isBoxed(object) { return (object & 1) === 1; }
  tag(object) { return this.isBoxed(object) ? object >>> 1 : this.byte(object + 7); }
  field(object, index) { return this.word(object + 8 + 4 * index); }
  /** Byte `offset` of the scalars that follow `fields` object fields. */
  scalar(object, fields, offset) { return this.byte(object + 8 + 4 * fields + offset); }
  flag(object, fields, offset = 0) { return this.scalar(object, fields, offset) === 1; }
  text(object) {
    const size = this.word(object + 8) - 1, start = object + 20;
    if (size < 0) throw new Malformed('a text leads nowhere');
    this.reach(start, start + size);
    try {
      return this.decoder.decode(this.bytes.slice(start, start + size));
    } catch {
      throw new Malformed('a text is not UTF-8');
    }
  }
  /** A small natural number, as indices and counts are. */
  number(object) {
    if (!this.isBoxed(object)) throw new Malformed('a number is not where one belongs');
    return object >>> 1;
  }
  /** Any natural number, in decimal digits. */
  decimal(object) {
    if (this.isBoxed(object)) return String(object >>> 1);
    const size = this.field(object, 1), digits = this.field(object, 2); // after the sign; 32-bit digits, the lowest first
    if (size < 0 || size > MOST_NODES) throw new Malformed('a number is too large');
    let hex = '';
    for (let i = size - 1; i >= 0; i--) hex += (this.word(digits + 4 * i) >>> 0).toString(16).padStart(8, '0');
    return BigInt('0x' + (hex || '0')).toString();
  }
  *list(object) {
    let length = 0;
    for (let cell = object; !this.isBoxed(cell); cell = this.field(cell, 1)) {
      if (++length > MOST_NODES) throw new Malformed('a list does not end');
      yield this.field(cell, 0);
    }
  }
}

/** Numbers the distinct nodes of one sort, in the order in which they are first written. */
class Table {
  constructor(exported, index, first) {
    Object.assign(this, { exported, index, next: first, byAddress: new Map(), byContent: new Map() });
  }
  /** Number of the node with this content (JSON without its index); writes it if it is new. */
  number(address, content) {
    let number = this.byContent.get(content);
    if (number === undefined) {
      number = this.next++;
      this.byContent.set(content, number);
      this.exported.write(`{${content},"${this.index}":${number}}`);
    }
    if (address) this.byAddress.set(address, number);
    return number;
  }
}

class Export {
  /**
   * @param lookup (address of a name) → address of the ConstantInfo, 0 when the library has it, null when nobody has
   * @param append (address of a name, text) → address of the name with one more part
   * @param assumes (address of a theorem's name) → whether it is written as an axiom
   */
  constructor(reader, lookup, append, assumes) {
    Object.assign(this, { reader, lookup, append, assumes, lines: [META], size: META.length });
    this.names = new Table(this, 'in', 1);
    this.levels = new Table(this, 'il', 1);
    this.expressions = new Table(this, 'ie', 0);
    this.done = new Set();      // numbers of the constants that are written
    this.hasTexts = false;
    this.constants = new Map(); // number of a name → address of its ConstantInfo, 0, null
    this.parts = [];            // number of an expression → numbers of its parts
    this.mentions = [];         // number of an expression → number of the name that it mentions itself
  }

  write(line) {
    this.size += line.length;
    if (this.lines.push(line) > MOST_NODES || this.size > MOST_CHARACTERS) throw new Malformed('it is too large');
  }

  text() { return this.lines.join('\n') + '\n'; }

  // ---- names, levels, expressions

  name(address) {
    const { reader, names } = this, chain = [];
    let at = address;
    for (; !reader.isBoxed(at) && !names.byAddress.has(at); at = reader.field(at, 0)) if (chain.push(at) > 10_000) throw new Malformed('a name does not end');
    let number = reader.isBoxed(at) ? 0 : names.byAddress.get(at);
    for (const part of chain.reverse()) {
      const last = reader.field(part, 1);
      number = names.number(part, reader.tag(part) === 1 ? `"str":{"pre":${number},"str":${JSON.stringify(reader.text(last))}}` : `"num":{"pre":${number},"i":${reader.decimal(last)}}`);
    }
    return number;
  }

  nameList(list) { return Array.from(this.reader.list(list), name => this.name(name)); }

  /** Number of a node whose parts have numbers; parts come first, without recursion. `partsOf` gives the addresses of a node's parts. */
  visit(root, table, partsOf, contentOf) {
    const stack = [root], underway = new Set();
    while (stack.length) {
      const at = stack.at(-1);
      if (table.byAddress.has(at)) { stack.pop(); continue; }
      const missing = partsOf(at).filter(part => !table.byAddress.has(part));
      if (missing.length) {
        if (underway.has(at)) throw new Malformed('a term contains itself');
        underway.add(at);
        stack.push(...missing);
        if (stack.length > MOST_NODES) throw new Malformed('it is too large');
        continue;
      }
      underway.delete(at);
      stack.pop();
      contentOf(at);
    }
    return table.byAddress.get(root);
  }

  level(address) {
    const { reader, levels } = this;
    const parts = at => {
      switch (reader.tag(at)) {
        case 0: levels.byAddress.set(at, 0); return [];
        case 1: return [reader.field(at, 0)];
        case 2: case 3: return [reader.field(at, 0), reader.field(at, 1)];
        case 4: return [];
      }
      throw new Malformed('a universe level is not known');
    };
    return this.visit(address, levels, parts, at => {
      if (levels.byAddress.has(at)) return;
      const [first, second] = parts(at).map(part => levels.byAddress.get(part));
      switch (reader.tag(at)) {
        case 1: return levels.number(at, `"succ":${first}`);
        case 2: return levels.number(at, `"max":[${first},${second}]`);
        case 3: return levels.number(at, `"imax":[${first},${second}]`);
        case 4: return levels.number(at, `"param":${this.name(reader.field(at, 0))}`);
      }
    });
  }

  expression(address) {
    const { reader, expressions } = this;
    const parts = at => {
      switch (reader.tag(at)) {
        case 0: case 3: case 4: case 9: return [];
        case 5: return [reader.field(at, 0), reader.field(at, 1)];
        case 6: case 7: return [reader.field(at, 1), reader.field(at, 2)];
        case 8: return [reader.field(at, 1), reader.field(at, 2), reader.field(at, 3)];
        case 10: return [reader.field(at, 1)];
        case 11: return [reader.field(at, 2)];
      }
      throw new Malformed('a term has a free variable or a hole');
    };
    return this.visit(address, expressions, parts, at => {
      const numbers = parts(at).map(part => expressions.byAddress.get(part)), tag = reader.tag(at);
      if (tag === 10) return expressions.byAddress.set(at, numbers[0]);
      const isMention = tag === 4 || tag === 11, name = isMention ? this.name(reader.field(at, 0)) : 0, known = expressions.next;
      if (expressions.number(at, this.content(at, tag, name, numbers)) < known) return;
      this.parts.push(numbers);
      this.mentions.push(name);
      if (isMention && !this.constants.has(name)) this.constants.set(name, this.lookup(reader.field(at, 0)));
    });
  }

  /** JSON of an expression; `mentioned` is the number of the constant or structure that it names. */
  content(at, tag, mentioned, [first, second, third]) {
    const { reader } = this, binder = kind => `"${kind}":{"name":${this.name(reader.field(at, 0))},"type":${first},"body":${second},"binderInfo":"${this.oneOf(BINDERS, reader.scalar(at, 3, 8))}"}`;
    switch (tag) {
      case 0: return `"bvar":${reader.decimal(reader.field(at, 0))}`;
      case 3: return `"sort":${this.level(reader.field(at, 0))}`;
      case 4: return `"const":{"name":${mentioned},"us":${JSON.stringify(Array.from(reader.list(reader.field(at, 1)), level => this.level(level)))}}`;
      case 5: return `"app":{"fn":${first},"arg":${second}}`;
      case 6: return binder('lam');
      case 7: return binder('forallE');
      case 8: return `"letE":{"name":${this.name(reader.field(at, 0))},"type":${first},"value":${second},"body":${third},"nondep":false}`;
      case 9: {
        const literal = reader.field(at, 0), value = reader.field(literal, 0);
        this.hasTexts ||= reader.tag(literal) !== 0;
        return reader.tag(literal) === 0 ? `"natVal":"${reader.decimal(value)}"` : `"strVal":${JSON.stringify(reader.text(value))}`;
      }
      case 11: return `"proj":{"typeName":${mentioned},"idx":${reader.number(reader.field(at, 1))},"struct":${first}}`;
    }
  }

  oneOf(names, index) {
    if (index >= names.length) throw new Malformed('a constant is of no known kind');
    return names[index];
  }

  /** Numbers of the constants outside the library that expressions mention. */
  mentioned(roots) {
    const seen = new Set(roots), queue = [...roots], found = new Set();
    while (queue.length) {
      const at = queue.pop(), name = this.mentions[at];
      if (name && this.constants.get(name) !== 0) found.add(name);
      for (const part of this.parts[at]) if (!seen.has(part)) { seen.add(part); queue.push(part); }
    }
    return found;
  }

  // ---- declarations

  /** Writes a constant's closure and the constant; of a statement, the closure of its type, and the constant as an axiom. */
  closure(name, isStatement) {
    const root = this.name(name), { done } = this, underway = new Map(), stack = [root];
    this.constants.set(root, this.lookup(name));
    if (isStatement) {
      const content = { ...this.declared(this.reader.field(this.constants.get(root), 0)), isUnsafe: false };
      underway.set(root, { names: [root], needs: [], line: () => JSON.stringify({ axiom: content }) });
      stack.push(...this.mentioned([content.type]));
    }
    while (stack.length) {
      const at = stack.at(-1);
      if (done.has(at)) { stack.pop(); continue; }
      let declaration = underway.get(at);
      if (!declaration) {
        declaration = this.declaration(at);
        underway.set(at, declaration);
        const missing = declaration.needs.filter(other => !done.has(other) && !declaration.names.includes(other));
        if (missing.some(other => underway.has(other))) throw new Malformed('a constant uses itself');
        stack.push(...missing);
        if (missing.length) continue;
      }
      this.write(declaration.line());
      declaration.names.forEach(member => done.add(member));
      stack.pop();
    }
  }

  /** {names: numbers that it declares, needs: numbers that it uses, line()} of the constant with this number. */
  declaration(number) {
    const { reader } = this, info = this.constants.get(number);
    if (!info) throw new Malformed('a constant is not known');
    const value = reader.field(info, 0), isAssumed = reader.tag(info) === THEOREM && this.assumes(reader.field(reader.field(value, 0), 0));
    const kind = isAssumed ? 'axiom' : this.oneOf(KINDS, reader.tag(info));
    if (['inductive', 'constructor', 'recursor'].includes(kind)) return this.group(kind, value);
    const content = this.declared(value), names = [number], needs = [content.type];
    if (content.name !== number) throw new Malformed('a constant has another name');
    if (kind === 'axiom') content.isUnsafe = !isAssumed && reader.flag(value, 1);
    else if (kind === 'quot') content.kind = this.oneOf(QUOTIENTS, reader.scalar(value, 1, 0));
    else {
      content.value = this.expression(reader.field(value, 1));
      needs.push(content.value);
      if (kind === 'def') Object.assign(content, { hints: this.hints(reader.field(value, 2)), safety: this.oneOf(SAFETY, reader.scalar(value, 4, 0)) });
      if (kind === 'opaque') content.isUnsafe = reader.flag(value, 3);
      content.all = this.nameList(reader.field(value, kind === 'def' ? 3 : 2));
    }
    return { names, needs: [...this.mentioned(needs)], line: () => JSON.stringify({ [kind]: content }) };
  }

  /** The ConstantVal in front of every constant. */
  declared(value) {
    const { reader } = this, declared = reader.field(value, 0);
    return { name: this.name(reader.field(declared, 0)), levelParams: this.nameList(reader.field(declared, 1)), type: this.expression(reader.field(declared, 2)) };
  }

  hints(object) {
    const { reader } = this;
    if (reader.isBoxed(object)) return reader.tag(object) === 0 ? 'opaque' : 'abbrev';
    return { regular: reader.word(object + 8) >>> 0 };
  }

  /** Inductive types that are declared together, with their constructors and recursors; found by any of them. */
  group(kind, value) {
    const { reader } = this, types = [], ctors = [], recs = [], needs = [];
    const valueOf = (address, expected) => {
      const number = this.name(address), info = this.constants.get(number) ?? this.lookup(address);
      this.constants.set(number, info);
      if (!info || KINDS[reader.tag(info)] !== expected) throw new Malformed('an inductive type is not whole');
      return reader.field(info, 0);
    };
    const declared = value => {
      const content = this.declared(value);
      needs.push(content.type);
      return content;
    };
    const number = (value, index) => reader.number(reader.field(value, index));
    const first = { inductive: () => value, constructor: () => valueOf(reader.field(value, 1), 'inductive'), recursor: () => valueOf([...reader.list(reader.field(value, 1))][0] ?? 1, 'inductive') }[kind]();
    const members = [...reader.list(reader.field(first, 3))], nested = number(first, 5);
    if (nested > 10_000) throw new Malformed('it is too large');
    for (const member of members) {
      const type = valueOf(member, 'inductive');
      types.push({
        ...declared(type), numParams: number(type, 1), numIndices: number(type, 2), all: this.nameList(reader.field(type, 3)), ctors: this.nameList(reader.field(type, 4)),
        numNested: number(type, 5), isRec: reader.flag(type, 6, 0), isUnsafe: reader.flag(type, 6, 1), isReflexive: reader.flag(type, 6, 2),
      });
      for (const name of reader.list(reader.field(type, 4))) {
        const ctor = valueOf(name, 'constructor');
        ctors.push({ ...declared(ctor), induct: this.name(reader.field(ctor, 1)), cidx: number(ctor, 2), numParams: number(ctor, 3), numFields: number(ctor, 4), isUnsafe: reader.flag(ctor, 5) });
      }
    }
    const names = [...members.map(member => this.append(member, 'rec')), ...Array.from({ length: nested }, (_, index) => this.append(members[0], `rec_${index + 1}`))];
    for (const name of names) {
      const recursor = valueOf(name, 'recursor'), content = declared(recursor);
      const rules = Array.from(reader.list(reader.field(recursor, 6)), rule => ({ ctor: this.name(reader.field(rule, 0)), nfields: number(rule, 1), rhs: this.expression(reader.field(rule, 2)) }));
      needs.push(...rules.map(rule => rule.rhs));
      recs.push({
        ...content, all: this.nameList(reader.field(recursor, 1)), numParams: number(recursor, 2), numIndices: number(recursor, 3), numMotives: number(recursor, 4), numMinors: number(recursor, 5),
        rules, k: reader.flag(recursor, 7, 0), isUnsafe: reader.flag(recursor, 7, 1),
      });
    }
    return { names: [...types, ...ctors, ...recs].map(member => member.name), needs: [...this.mentioned(needs)], line: () => JSON.stringify({ inductive: { types, ctors, recs } }) };
  }
}

/**
 * Text of the closure of a constant: of `name` (a borrowed Name) in a borrowed kernel environment; empty when there is no such constant.
 * With `isStatement`, of its type alone: it comes last, as an axiom. `isInLibrary(name)` says which constants are left out. Throws Malformed.
 */
function exportClosure(lean, environment, isInLibrary, name, options) {
  return exportClosures(lean, environment, isInLibrary, [name], options)[0];
}

/** [text, whether it has texts in it] of the closures of several constants, empty when there is no such constant. */
function exportClosures(lean, environment, isInLibrary, names, { isStatement = false, assumes = () => false } = {}) {
  const made = [], lookup = address => isInLibrary(address) ? 0 : find(lean, environment, address) || null;
  try {
    if (!names.every(lookup)) return ['', false];
    const exported = new Export(new Reader(lean.runtime.memory), lookup, (prefix, last) => {
      made.push(lean.raw('lean_name_mk_string')(lean.retain(prefix), lean.string(last)));
      return made.at(-1);
    }, assumes);
    for (const name of names) exported.closure(name, isStatement);
    return [exported.text(), exported.hasTexts];
  } finally { made.forEach(object => lean.release(object)); }
}

/**
 * Text of a constant and all that it uses, also of the library, whose theorems are written as axioms. What texts stand for comes first if
 * there are any, as in lean4export.
 */
function exportWhole(lean, environment, isInLibrary, name) {
  const [text, hasTexts] = exportClosures(lean, environment, () => false, [name], { assumes: isInLibrary });
  if (!hasTexts) return text;
  const first = OF_TEXTS.map(parts => lean.nameOf(parts));
  try {
    return exportClosures(lean, environment, () => false, [...first, name], { assumes: isInLibrary })[0];
  } finally { first.forEach(object => lean.release(object)); }
}

/** `exportClosure` of the constant with these name parts in a Command.State, without the library. */
function exported(frontend, dependencies, state, nameParts, options) {
  const { lean } = frontend, environment = kernel(lean, frontend.environment(state)), name = lean.nameOf(nameParts);
  try {
    return exportClosure(lean, environment, other => dependencies.isInLibrary(other), name, options);
  } finally {
    lean.release(name);
    lean.release(environment);
  }
}

module.exports = { exportClosure, exportWhole, exported, Malformed };
