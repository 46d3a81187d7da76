'use strict';
// Whose code may run while Lean elaborates.
//
// Lean evaluates definitions while it elaborates: parsers and macros, configurations of tactics, `reduceBool`, `#eval`. What is evaluated
// can do anything to Lean's memory, so nothing that a proof brings along may be evaluated. Lean's interpreter asks here, by name, before it uses
// any declaration: the first one and each that its code refers to, compiled or not (bake.py, LOOKUP). It is told to look up no name at all
// unless the declaration
//
// - is one of the library's,
// - is in `code`, which whoever elaborates sets: what a header that somebody vouches for declares, or what notation declares,
// - or is data: a definition made of constructors, numerals and the library's constants. The configuration of a tactic is one, and so is the
//   tactic, as syntax, that finds a parameter which is left out.
//
// The answer is given in JavaScript, where nothing that Lean does to its memory can change it.

const { describe, find, kernel } = require('./environment.cjs');

const NONE = 1;                   // box(0)
const WHATEVER = [{ before: NONE, after: NONE }];
const KEPT_NAMES = 100;           // of those refused
const WITH_SERVER = 1;            // also what is compiled for editors only
const EXPRESSION = { variable: 0, constant: 4, application: 5, let: 8, literal: 9, mdata: 10 }; // tags of Lean.Expr
const FUNCTION = 7;               // Expr.forallE
const NUMERAL = new Set(['OfNat.ofNat', 'instOfNatNat', 'HPow.hPow', 'instHPow', 'instPowNat', 'instNatPowNat']); // what `5` and `2 ^ 20` consist of
// what the terms for a tactic as written consist of: `(h : p := by omega)` declares such a constant
const QUOTED = new Set(['Array.empty', 'Array.push', 'Lean.mkAtom', 'Lean.Name.mkSimple', ...[1, 2, 3, 4, 5, 6, 7, 8].map(n => `Lean.Name.mkStr${n}`), 'String.toRawSubstring']);

class Guard {
  /** @param library the imported environment; persistent. Without `isOn`, for tests of what lies behind it, everything is evaluated. */
  constructor(lean, library, isOn = true) {
    Object.assign(this, { lean, library, libraryKernel: kernel(lean, library) });
    this.code = [];               // [{before, after}]: all that the (borrowed) environment `after` declares (NONE: that any does) and `before` does not
    this.refused = [];            // names that were asked for in vain, oldest first
    this.counts = { library: 0, code: 0, data: 0, refused: 0 };
    this.ofLibrary = new Map();   // address of a persistent name → whether the library declares it
    this.roles = new Map();       // address of such a name → what the library's constant does in data
    this.nothing = lean.raw('malloc')(4);
    lean.setWord(this.nothing, lean.box(0)); // a reference to the empty name, which nobody can declare
    if (isOn) lean.runtime.replace('burnqed_guard', (environment, reference) => this.allows(environment, lean.word(reference)) ? reference : this.nothing);
    else lean.runtime.replace('burnqed_reduce_native', 'burnqed_reduce_native_original');
  }

  /** Whether the interpreter may use the declaration of a name in an environment (both borrowed). */
  allows(environment, name) {
    const { lean, counts } = this;
    if (this.isOfLibrary(name)) return ++counts.library > 0;
    if (!this.isCompiled(environment, name)) {
      const declaration = this.declaration(environment, name); // another header's may have the same name
      const isCode = ({ before, after }) => (after === NONE || this.declaration(after, name) === declaration) && (before === NONE || !this.declaration(before, name));
      if (this.code.some(isCode)) return ++counts.code > 0;
      if (this.isDataOf(environment, name)) return ++counts.data > 0;
    }
    counts.refused++;
    this.refused.push(lean.nameText(name));
    this.refused.splice(0, this.refused.length - KEPT_NAMES);
    return false;
  }

  // ---- steps of the above; everything is borrowed

  isOfLibrary(name) { return remembered(this.lean, this.ofLibrary, name, () => this.declaration(this.library, name) !== 0); }

  /** What the compiler made of a name's definition, or 0. */
  declaration(environment, name) {
    const { lean } = this, found = lean.call('l_Lean_IR_findEnvDecl', lean.retain(environment), lean.retain(name), lean.box(WITH_SERVER));
    const declaration = lean.isBoxed(found) ? 0 : lean.field(found, 0);
    lean.release(found);
    return declaration;
  }

  /** Whether Lean's program has a compiled function of this name, which the interpreter would take for the declaration's: not all are the library's. */
  isCompiled(environment, name) {
    const { lean } = this, symbol = lean.takeText(lean.call('lean_get_symbol_stem', lean.retain(environment), lean.retain(name)));
    return lean.runtime.find(symbol) !== 0 || lean.runtime.find(symbol + '___boxed') !== 0;
  }

  isDataOf(elaborationEnvironment, name) {
    const { lean } = this, environment = kernel(lean, elaborationEnvironment), whole = withoutClosedTerm(lean, name);
    try {
      if (whole && find(lean, environment, name)) return false; // a constant of that name is not part of another
      const info = find(lean, environment, whole || name), constant = info && describe(lean, info);
      return !!constant && constant.kind === 'definition' && this.isTypeOfData(constant.type) && this.isMadeOfData(constant.value, this.isSyntax(constant.type), new Set());
    } finally {
      if (whole) lean.release(whole);
      lean.release(environment);
    }
  }

  /** Whether a type is an inductive one of the library's: others could be mistaken for one that a tactic of Lean's expects. */
  isTypeOfData(type) {
    const { lean } = this, info = lean.tag(type) === EXPRESSION.constant && find(lean, this.libraryKernel, lean.field(type, 0));
    return !!info && describe(lean, info).kind === 'inductive';
  }

  isSyntax(type) { return this.lean.nameText(this.lean.field(type, 0)) === 'Lean.Syntax'; }

  /** With `isQuoted` also functions that make syntax: for constants of that type alone, because parsers consist of the same. */
  isMadeOfData(expression, isQuoted, seen) {
    const { lean } = this, isMade = part => this.isMadeOfData(part, isQuoted, seen);
    if (seen.has(expression)) return true;
    seen.add(expression);
    const parameters = [];
    let head = expression;
    for (; lean.tag(head) === EXPRESSION.application; head = lean.field(head, 0)) parameters.push(lean.field(head, 1));
    switch (lean.tag(head)) {
      case EXPRESSION.constant: return this.isDatum(lean.field(head, 0), parameters.length, isQuoted) && parameters.every(isMade);
      case EXPRESSION.variable: case EXPRESSION.literal: return !parameters.length;
      case EXPRESSION.let: return !parameters.length && isMade(lean.field(head, 2)) && isMade(lean.field(head, 3));
      case EXPRESSION.mdata: return !parameters.length && isMade(lean.field(head, 1));
    }
    return false;
  }

  /** Whether data may contain a constant that is applied to so many parameters: no function except what makes data or takes it apart. */
  isDatum(name, parameters, isQuoted) {
    const { lean } = this, role = remembered(lean, this.roles, name, () => {
      const info = find(lean, this.libraryKernel, name), constant = info && describe(lean, info);
      if (!constant) return 'foreign';
      if (['constructor', 'inductive'].includes(constant.kind) || NUMERAL.has(lean.nameText(name))) return 'makes';
      if (lean.tag(constant.type) !== FUNCTION) return 'is';
      if (QUOTED.has(lean.nameText(name))) return 'quotes';
      return this.isField(name) ? 'takes apart' : 'computes';
    });
    return role === 'makes' || (role === 'quotes' && isQuoted) || (role === 'is' && parameters === 0) || (role === 'takes apart' && parameters === 1);
  }

  /** Whether a function of the library's gives a field of a structure without parameters. */
  isField(name) {
    const { lean } = this, found = lean.call('l_Lean_Environment_getProjectionFnInfo_x3f', lean.retain(this.library), lean.retain(name));
    const isField = !lean.isBoxed(found) && lean.number(lean.field(lean.field(found, 0), 1)) === 0; // ProjectionFunctionInfo {constructor, parameters, …}
    lean.release(found);
    return isField;
  }
}

/** `compute()`, remembered for persistent names: their addresses never change. */
function remembered(lean, known, name, compute) {
  if (lean.isBoxed(name) || lean.word(name) !== 0) return compute();
  if (!known.has(name)) known.set(name, compute());
  return known.get(name);
}

/** The name (owned) of the definition that the compiler took a closed term out of, for the name of that term; else 0. */
function withoutClosedTerm(lean, name) {
  if (lean.isBoxed(name)) return 0;
  const prefix = lean.field(name, 0), last = lean.field(name, 1), isText = lean.tag(name) === 1;
  if (isText && /^_closed_\d+$/.test(lean.text(last))) return lean.retain(prefix);
  const without = withoutClosedTerm(lean, prefix);
  return without && lean.raw(isText ? 'lean_name_mk_string' : 'lean_name_mk_numeral')(without, lean.retain(last));
}

module.exports = { Guard, NONE, WHATEVER };
