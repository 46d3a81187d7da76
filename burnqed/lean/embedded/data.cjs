'use strict';
// Reads lean4export's NDJSON (format 3.1.0) from an untrusted sender, and applies every rule that needs no kernel.
//
// What comes out is plain data whose indices are all in range, whose terms are closed and whose sizes the kernel can bear. The kernel is
// then given declarations only, one by one (judge.cjs). docs/trust.md tells which bugs of the pinned kernel the rules keep out of reach.

const FORMAT = '3.1.0';
const LIMITS = {
  characters: 400_000_000,
  nodes: 3_000_000,
  line: 40_000_000,       // characters: one of Node's arrays must not outgrow its heap, which would end the whole process
  depth: 20_000,          // of an expression: what the kernel's recursion bears (tests/integration/test_judge.py)
  levelDepth: 1_000,
  nameParts: 10_000,
  text: 10_000_000,       // characters of a name's part or a literal
  digits: 100_000,        // of a literal; reading them takes time quadratic in their number
  variable: 1 << 16,      // de Bruijn index: Lean's expressions store 20 bits
};
const RESERVED = new Set(['_nested', '_kernel_fresh', '_ind_fresh', '_nested_fresh']); // parts of names that the kernel makes up; and no constant's is empty
const BINDERS = ['default', 'implicit', 'strictImplicit', 'instImplicit'];

/** The text is not such an export, or breaks a rule: never accepted, whatever the kernel would say. */
class Forbidden extends Error {}

const refuse = why => { throw new Forbidden(why); };
const isIndex = value => Number.isSafeInteger(value) && value >= 0;
const isText = value => typeof value === 'string' && value.length <= LIMITS.text && value.isWellFormed();

/** Whether an object has exactly these keys. */
function hasKeys(object, keys) {
  return object !== null && typeof object === 'object' && !Array.isArray(object) && Object.keys(object).length === keys.length && keys.every(key => Object.hasOwn(object, key));
}

/** The fields of an object, by their checks. */
function fields(object, checks, what) {
  if (!hasKeys(object, Object.keys(checks))) refuse(`${what} has other fields than the format says`);
  for (const [key, check] of Object.entries(checks)) if (!check(object[key])) refuse(`the field ${key} of ${what} is not what the format says`);
  return object;
}

class Data {
  /** Throws Forbidden. */
  constructor(text) {
    this.names = [{ prefix: 0, part: null, size: 0, key: '', isReserved: false }]; // key: different for different names
    this.levels = [{ kind: 'zero', depth: 0, parameters: 0n }];         // parameters: set of names, as bits by `parameterBits`
    this.expressions = [];                                              // {kind, …, loose: de Bruijn indices that point outside, depth, parameters}
    this.declarations = [];
    this.parameterBits = new Map();
    if (text.length > LIMITS.characters) refuse('it is too large');
    if (!text.endsWith('\n')) refuse('its last line does not end');
    for (let start = 0, count = 0; start < text.length; count++) {
      const end = text.indexOf('\n', start);
      if (count === LIMITS.nodes || end - start > LIMITS.line) refuse('it is too large');
      this.line(text.slice(start, end), count === 0);
      start = end + 1;
    }
  }

  line(line, isFirst) {
    let object;
    try { object = JSON.parse(line); } catch { refuse('a line is not JSON'); }
    // No key twice, no spaces, no number or text in another spelling: what one reader takes from it, every reader does.
    if (JSON.stringify(object) !== line) refuse('a line is not in the shortest form of JSON');
    if (object === null || typeof object !== 'object' || Array.isArray(object)) refuse('a line is not an object');
    if (isFirst) return this.meta(object);
    if (Object.hasOwn(object, 'in')) return this.node(this.names, object, 'in', NAMES);
    if (Object.hasOwn(object, 'il')) return this.node(this.levels, object, 'il', LEVELS);
    if (Object.hasOwn(object, 'ie')) return this.node(this.expressions, object, 'ie', EXPRESSIONS);
    const kinds = Object.keys(object);
    if (kinds.length !== 1 || !Object.hasOwn(DECLARATIONS, kinds[0])) refuse('a line is of no known kind');
    this.declarations.push(DECLARATIONS[kinds[0]](this, object[kinds[0]]));
  }

  meta(object) {
    if (!hasKeys(object, ['meta']) || object.meta?.format?.version !== FORMAT) refuse(`it is not in the export format ${FORMAT}`);
  }

  node(table, object, index, kinds) {
    if (object[index] !== table.length) refuse('an index is out of order');
    const kind = Object.keys(object).find(key => key !== index);
    if (Object.keys(object).length !== 2 || !Object.hasOwn(kinds, kind)) refuse('a line is of no known kind');
    table.push(kinds[kind](this, object[kind]));
  }

  // ---- checks of fields

  get isName() { return value => isIndex(value) && value < this.names.length; }
  get isLevel() { return value => isIndex(value) && value < this.levels.length; }
  get isExpression() { return value => isIndex(value) && value < this.expressions.length; }
  get isOwnName() { return value => this.isName(value) && value !== 0 && !this.names[value].isReserved; }
  get isNameList() { return value => Array.isArray(value) && value.every(this.isOwnName); }
  get isClosed() { return value => this.isExpression(value) && this.expressions[value].loose === 0; }

  /** The parts of a name, outermost first. */
  partsOf(name) {
    const parts = [];
    for (let at = name; at; at = this.names[at].prefix) parts.push(this.names[at].part);
    return parts.reverse();
  }

  /** A name for people. */
  shown(name) { return this.partsOf(name).join('.'); }

  bit(name) {
    if (!this.parameterBits.has(name)) this.parameterBits.set(name, 1n << BigInt(this.parameterBits.size));
    return this.parameterBits.get(name);
  }

  // ---- expressions

  /** An expression from its parts [index, how many variables it binds]. */
  expression(kind, content, parts, parameters = 0n) {
    let loose = 0, depth = 0;
    for (const [part, bound] of parts) {
      const { loose: within, depth: below, parameters: more } = this.expressions[part];
      loose = Math.max(loose, within - bound);
      depth = Math.max(depth, below);
      parameters |= more;
    }
    if (depth >= LIMITS.depth) refuse(`a term is nested deeper than ${LIMITS.depth} times`);
    return { kind, ...content, loose, depth: depth + 1, parameters };
  }

  // ---- declarations

  /** Refuses a declaration's name, level parameters and closed terms that do not fit together. */
  declared({ name, levelParams }, terms, what) {
    if (new Set(levelParams.map(parameter => this.names[parameter].key)).size !== levelParams.length) refuse(`${what} has a universe parameter twice`);
    const known = levelParams.reduce((bits, parameter) => bits | this.bit(parameter), 0n);
    if (terms.some(term => (this.expressions[term].parameters & ~known) !== 0n)) refuse(`${what} uses a universe that is not one of its parameters`);
    return { name, levelParams };
  }

  /** An inductive type's sort, `Sort u` after its binders: one that only computing would give has misled kernels (Lean #14807). */
  sortOf(type, binders) {
    let at = this.expressions[type];
    for (let count = 0; count < binders; count++) {
      if (at.kind !== 'forallE') refuse('the sort of an inductive type is not written out');
      at = this.expressions[at.body];
    }
    if (at.kind !== 'sort') refuse('the sort of an inductive type is not written out');
    return at.level;
  }
}

const NAMES = {
  str(data, part) {
    fields(part, { pre: data.isName, str: text => isText(text) && !/\p{Cc}/u.test(text) }, 'a name');
    return nameOf(data, part.pre, part.str, partKey(part.str));
  },
  num(data, part) {
    fields(part, { pre: data.isName, i: isIndex }, 'a name');
    return nameOf(data, part.pre, part.i, `n${part.i};`);
  },
};

const partKey = text => `s${text.length}:${text}`;

function nameOf(data, prefix, part, own) {
  const { size, key, isReserved } = data.names[prefix];
  if (size >= LIMITS.nameParts || key.length > LIMITS.text) refuse('a name is too long');
  return { prefix, part, size: size + 1, key: key + own, isReserved: isReserved || RESERVED.has(part) || part === '' };
}

const LEVELS = {
  succ: (data, of) => levelOf(data, 'succ', [of]),
  max: (data, of) => levelOf(data, 'max', of),
  imax: (data, of) => levelOf(data, 'imax', of),
  param(data, name) {
    if (!data.isOwnName(name)) refuse('a universe parameter has no name');
    return { kind: 'param', name, depth: 1, parameters: data.bit(name) };
  },
};

function levelOf(data, kind, of) {
  if (!Array.isArray(of) || of.length !== (kind === 'succ' ? 1 : 2) || !of.every(data.isLevel)) refuse('a universe level is not what the format says');
  const depth = 1 + Math.max(...of.map(level => data.levels[level].depth));
  if (depth > LIMITS.levelDepth) refuse('a universe level is nested too deep');
  return { kind, of, depth, parameters: of.reduce((bits, level) => bits | data.levels[level].parameters, 0n) };
}

const binder = kind => (data, value) => {
  const { name, type, body, binderInfo } = fields(value, { name: data.isName, type: data.isExpression, body: data.isExpression, binderInfo: info => BINDERS.includes(info) }, 'a binder');
  return data.expression(kind, { name, type, body, info: BINDERS.indexOf(binderInfo) }, [[type, 0], [body, 1]]);
};

const EXPRESSIONS = {
  bvar(data, index) {
    if (!isIndex(index) || index >= LIMITS.variable) refuse('a bound variable is out of range');
    return { kind: 'bvar', index, loose: index + 1, depth: 1, parameters: 0n };
  },
  sort(data, level) {
    if (!data.isLevel(level)) refuse('a sort has no level');
    return data.expression('sort', { level }, [], data.levels[level].parameters);
  },
  const(data, value) {
    const { name, us } = fields(value, { name: data.isOwnName, us: list => Array.isArray(list) && list.every(data.isLevel) }, 'a constant');
    return data.expression('const', { name, levels: us }, [], us.reduce((bits, level) => bits | data.levels[level].parameters, 0n));
  },
  app(data, value) {
    const { fn, arg } = fields(value, { fn: data.isExpression, arg: data.isExpression }, 'an application');
    return data.expression('app', { fn, arg }, [[fn, 0], [arg, 0]]);
  },
  lam: binder('lam'),
  forallE: binder('forallE'),
  letE(data, value) {
    const { name, type, value: bound, body } = fields(value, { name: data.isName, type: data.isExpression, value: data.isExpression, body: data.isExpression, nondep: flag => typeof flag === 'boolean' }, 'a let');
    return data.expression('letE', { name, type, value: bound, body }, [[type, 0], [bound, 0], [body, 1]]);
  },
  proj(data, value) {
    const { typeName, idx, struct } = fields(value, { typeName: data.isOwnName, idx: index => isIndex(index) && index < LIMITS.variable, struct: data.isExpression }, 'a projection');
    return data.expression('proj', { name: typeName, index: idx, struct }, [[struct, 0]]);
  },
  natVal(data, digits) {
    if (typeof digits !== 'string' || digits.length > LIMITS.digits || !/^(0|[1-9][0-9]*)$/.test(digits)) refuse('a number is not written in digits, or in too many');
    return data.expression('natVal', { digits }, []);
  },
  strVal(data, text) {
    if (!isText(text)) refuse('a text is not Unicode, or too long');
    return data.expression('strVal', { text }, []);
  },
};

const isFlag = value => typeof value === 'boolean';
const isFalse = value => value === false;

const DECLARATIONS = {
  /** Only a statement, which comes last, is given as an axiom. */
  axiom(data, value) {
    const { type } = fields(value, { ...constant(data), isUnsafe: isFalse }, 'an axiom');
    return { kind: 'axiom', ...data.declared(value, [type], 'an axiom'), type };
  },
  def(data, value) {
    const isHints = hints => hints === 'opaque' || hints === 'abbrev' || (hasKeys(hints, ['regular']) && isIndex(hints.regular) && hints.regular < 2 ** 32);
    const { type, value: body, hints } = fields(value, { ...constant(data), value: data.isClosed, hints: isHints, safety: safety => safety === 'safe', all: data.isNameList }, 'a definition');
    return { kind: 'def', ...data.declared(value, [type, body], 'a definition'), type, value: body, hints };
  },
  thm(data, value) {
    const { type, value: body } = fields(value, { ...constant(data), value: data.isClosed, all: data.isNameList }, 'a theorem');
    return { kind: 'thm', ...data.declared(value, [type, body], 'a theorem'), type, value: body };
  },
  opaque(data, value) {
    const { type, value: body } = fields(value, { ...constant(data), value: data.isClosed, isUnsafe: isFalse, all: data.isNameList }, 'an opaque constant');
    return { kind: 'opaque', ...data.declared(value, [type, body], 'an opaque constant'), type, value: body };
  },
  inductive(data, value) {
    const isList = list => Array.isArray(list) && list.every(entry => entry !== null && typeof entry === 'object');
    const { types, ctors, recs } = fields(value, { types: list => isList(list) && list.length > 0, ctors: isList, recs: isList }, 'an inductive type');
    const [first] = types, same = (list, other) => list.length === other.length && list.every((name, index) => data.names[name].key === data.names[other[index]].key);
    let constructors = 0;
    for (const type of types) {
      fields(type, { ...constant(data), numParams: isIndex, numIndices: isIndex, all: data.isNameList, ctors: data.isNameList, numNested: isIndex, isRec: isFlag, isUnsafe: isFalse, isReflexive: isFlag }, 'an inductive type');
      data.declared(type, [type.type], 'an inductive type');
      if (type.numParams !== first.numParams || !same(type.levelParams, first.levelParams)) refuse('inductive types that are declared together differ in their parameters');
      if (!same(type.all, types.map(other => other.name))) refuse('an inductive type is not declared with its like');
      if (type.numParams + type.numIndices > LIMITS.depth) refuse('an inductive type has too many binders');
      data.sortOf(type.type, type.numParams + type.numIndices);
      for (const [index, name] of type.ctors.entries()) {
        const ctor = ctors[constructors++];
        if (!ctor) refuse('a constructor is missing');
        fields(ctor, { ...constant(data), induct: data.isOwnName, cidx: isIndex, numParams: isIndex, numFields: isIndex, isUnsafe: isFalse }, 'a constructor');
        data.declared(ctor, [ctor.type], 'a constructor');
        if (!same([ctor.name, ctor.induct, ...ctor.levelParams], [name, type.name, ...first.levelParams]) || ctor.cidx !== index) refuse('a constructor is not the one that its type names');
      }
    }
    if (constructors !== ctors.length) refuse('a constructor belongs to no type');
    const isRules = rules => isList(rules) && rules.every(rule => fields(rule, { ctor: data.isOwnName, nfields: isIndex, rhs: data.isClosed }, 'a rule of a recursor'));
    for (const rec of recs) {
      fields(rec, { ...constant(data), all: data.isNameList, numParams: isIndex, numIndices: isIndex, numMotives: isIndex, numMinors: isIndex, rules: isRules, k: isFlag, isUnsafe: isFalse }, 'a recursor');
      data.declared(rec, [rec.type, ...rec.rules.map(rule => rule.rhs)], 'a recursor');
    }
    const nested = Array.from({ length: recs.length - types.length }, (_, index) => `${data.names[first.name].key}${partKey(`rec_${index + 1}`)}`);
    const expected = [...types.map(type => data.names[type.name].key + partKey('rec')), ...nested];
    if (recs.map(rec => data.names[rec.name].key).join() !== expected.join()) refuse('the recursors of an inductive type are not called as they must be');
    const names = [...types, ...ctors, ...recs].map(member => data.names[member.name].key);
    if (new Set(names).size !== names.length) refuse('a name is declared twice');
    return { kind: 'inductive', name: first.name, levelParams: first.levelParams, types, ctors, recs };
  },
};

/** Checks of the fields that every constant has. */
function constant(data) { return { name: data.isOwnName, levelParams: data.isNameList, type: data.isClosed }; }

module.exports = { Data, Forbidden, LIMITS };
