'use strict';
// Instances that Lean takes from what stands around an expression, not from the library.
//
// A variable, a `let`, a pattern or a field whose type is a class is an instance wherever it is in scope: after `let _o := order`, `5 ≤ 3` says
// something else, without a trace in what is read. So a parameter in `[…]` of whatever a stranger's statement uses may only be one of the
// registered instances (those of its header are suspects, and not there where this looks), or a variable that itself is written in `[…]`.
// And nothing else may be bound whose type is a class, for coercions are unfolded where they are used. (headers.cjs refuses `letI`, for the same.)
//
// What is looked at is the exported statement with its definitions; proofs of classes that are propositions, and decidability, change no meaning.

const { describe, find } = require('./environment.cjs');
const { keyOf } = require('./closure.cjs');
const { DECIDABLE } = require('./variables.cjs');

const EXPRESSION = { sort: 3, constant: 4, application: 5, forall: 7 }, BINDER_INFO = 8, INSTANCE = 3; // Lean.Expr, Lean.BinderInfo
const HARMLESS = new Set([...DECIDABLE, 'WellFoundedRelation']); // the last one for recursion
const WRAPPERS = new Set(['optParam', 'autoParam', 'outParam', 'semiOutParam']); // of types, which Lean sees through
const MOST_UNFOLDED = 100;
const HANDED_ON = new Set(['inferInstance', 'inferInstanceAs']); // what they are given is looked at by itself
const REGISTERED = -1, OTHER = -2;
const NONE = [];
const WHY = 'a variable, a pattern, `let` or the like gives Lean another instance than the library\'s here, which nobody sees; say what is meant without it';

class LocalInstances {
  /** @param names of the header (names.cjs); `state` (borrowed) after it, `closure` of the statement */
  constructor(names, dependencies, state, closure) {
    Object.assign(this, { names, dependencies, lean: names.lean, environment: names.frontend.environment(state), data: closure.data });
    this.types = new Map();      // key of a constant of the text → its type
    this.values = new Map();     // key of a definition of the text → its value
    for (const declared of this.data.declarations) for (const { name, type, value } of declared.types ? [...declared.types, ...declared.ctors, ...declared.recs] : [declared]) {
      this.types.set(this.keyAt(name), type);
      if (declared.kind === 'def') this.values.set(this.keyAt(name), value);
    }
    this.slots = new Map();      // key of a constant → for each of its parameters, whether it is an instance that matters
    this.classes = new Map();    // key of a constant → `isClass`
    this.registered = new Map(); // key of a constant → whether it is an instance
    this.heads = [];             // by expression: {head: of its application, count: of parameters}
    this.sources = [];           // by expression: where it has an instance from: REGISTERED, OTHER, or the index of a bound variable
    this.uses = [];              // by expression: indices of variables bound outside that are instances in it
    this.isLocal = [];           // by expression: whether there is such an instance in it, bound within it or given
    this.bindsClass = [];        // by expression: whether something is bound in it whose type is a class, not in `[…]`
    this.data.expressions.forEach(({ kind, fn }, at) => this.heads.push(kind === 'app' ? { head: this.heads[fn].head, count: this.heads[fn].count + 1 } : { head: at, count: 0 }));
    this.data.expressions.forEach((expression, at) => this.look(expression, at));
  }

  /** {own: parts of the definition, empty for the statement itself, why}, or null. */
  doubt({ goal }) {
    for (const { kind, name, type, value, types, ctors } of [...this.data.declarations, goal]) {
      const roots = types ? [...types, ...ctors].map(member => member.type) : kind === 'def' || kind === 'opaque' ? [type, value] : [type];
      if (roots.some(root => this.isLocal[root] || (!types && this.bindsClass[root]))) return { own: name === goal.name ? [] : this.data.partsOf(name), why: WHY };
    }
    return null;
  }

  // ---- steps of the above

  look(expression, at) {
    const { kind, name, fn, arg, type, value, body, struct, info } = expression, { heads, sources, uses, isLocal, bindsClass } = this;
    const parts = [fn, arg, type, value, struct].filter(part => part !== undefined);
    sources[at] = this.sourceOf(expression, at);
    uses[at] = united(parts.map(part => uses[part]));
    isLocal[at] = parts.some(part => isLocal[part]);
    bindsClass[at] = parts.some(part => bindsClass[part]);
    const instance = kind === 'app' && this.isSlot(heads[fn]) ? arg : kind === 'proj' && this.isClass(name) ? struct : undefined;
    if (instance !== undefined) {
      if (sources[instance] >= 0) uses[at] = united([uses[at], [sources[instance]]]);
      isLocal[at] ||= sources[instance] === OTHER;
    }
    if (body === undefined) return;
    isLocal[at] ||= isLocal[body] || (uses[body].includes(0) && info !== INSTANCE);
    bindsClass[at] ||= bindsClass[body] || (info !== INSTANCE && this.isClassType(type));
    uses[at] = united([uses[at], uses[body].filter(use => use > 0).map(use => use - 1)]);
  }

  sourceOf({ kind, body, struct, index }, at) {
    const { head } = this.heads[at], { kind: headKind, name, index: variable } = this.data.expressions[head];
    if (headKind === 'bvar') return variable;
    if (headKind === 'const') return this.isRegistered(name) ? REGISTERED : OTHER;
    if (kind === 'lam') return this.sources[body] > 0 ? this.sources[body] - 1 : this.sources[body] === 0 ? REGISTERED : this.sources[body];
    return kind === 'proj' ? this.sources[struct] : OTHER;
  }

  /** Whether the next parameter of an application is an instance that matters. */
  isSlot({ head, count }) {
    const { kind, name } = this.data.expressions[head];
    if (kind === 'const') return this.slotsOf(name)[count] === true;
    let at = this.data.expressions[head];
    for (let binder = 0; binder < count && at.kind === 'lam'; binder++) at = this.data.expressions[at.body];
    return at.kind === 'lam' && at.info === INSTANCE && !this.isHarmless(at.type);
  }

  isRegistered(name) {
    return remembered(this.registered, this.keyAt(name), () => HANDED_ON.has(this.data.shown(name)) || this.withName(name, object => this.lean.number(this.lean.call('l_Lean_Meta_isInstanceCore', this.lean.retain(this.environment), this.lean.retain(object))) === 1));
  }

  slotsOf(name) {
    return remembered(this.slots, this.keyAt(name), () => {
      const own = this.types.get(this.keyAt(name)), slots = [];
      if (own === undefined) return this.withName(name, object => this.ofLibrary(object));
      for (let at = this.data.expressions[own]; at.kind === 'forallE'; at = this.data.expressions[at.body]) slots.push(at.info === INSTANCE && !this.isHarmless(at.type));
      return slots;
    });
  }

  ofLibrary(name) {
    const { lean } = this, info = find(lean, this.dependencies.library, name), slots = [];
    if (!info) return slots;
    for (let at = describe(lean, info).type; lean.tag(at) === EXPRESSION.forall; at = lean.field(at, 2)) slots.push(lean.scalar(at, BINDER_INFO) === INSTANCE && !this.isHarmlessObject(lean.field(at, 1)));
    return slots;
  }

  /** Whether a constant is a class of the library's of which it matters which instance is taken. */
  isClass(name) {
    return remembered(this.classes, this.keyAt(name), () => this.withName(name, object => {
      const isClass = this.lean.raw('lean_is_class')(this.lean.retain(this.environment), this.lean.retain(object)) === 1;
      return isClass && !this.isHarmlessClass(object);
    }));
  }

  /** Whether a type is such a class, as far as heads of definitions tell. */
  isClassType(type) {
    const { expressions } = this.data, parametersOf = at => expressions[at].kind === 'app' ? [...parametersOf(expressions[at].fn), expressions[at].arg] : [];
    for (let at = type, outer = [], count = 0; at !== undefined && count < MOST_UNFOLDED; count++) { // outer: what the variables around stand for
      for (; expressions[at].kind === 'forallE'; outer = [undefined, ...outer]) at = expressions[at].body;
      const { kind, name, index } = expressions[this.heads[at].head], parameters = parametersOf(at);
      if (kind === 'bvar') [at, outer] = [outer[index], []];
      else if (kind !== 'const') return false;
      else if (this.values.has(this.keyAt(name))) {
        at = this.values.get(this.keyAt(name));
        for (outer = []; expressions[at].kind === 'lam'; at = expressions[at].body) outer = [parameters[outer.length], ...outer];
      } else if (WRAPPERS.has(this.data.shown(name))) at = parameters[0];
      else return this.isClass(name);
    }
    return false;
  }

  isHarmless(type) {
    const { expressions } = this.data;
    for (; expressions[type].kind === 'forallE';) type = expressions[type].body;
    const { kind, name } = expressions[this.heads[type].head];
    return kind === 'const' && this.withName(name, object => this.isHarmlessClass(object));
  }

  isHarmlessObject(type) {
    const { lean } = this;
    for (; lean.tag(type) === EXPRESSION.forall;) type = lean.field(type, 2);
    const head = this.names.head(type);
    return lean.tag(head) === EXPRESSION.constant && this.isHarmlessClass(lean.field(head, 0));
  }

  /** Whether it does not matter which instance of a class (a borrowed name) is taken. */
  isHarmlessClass(name) {
    const { lean } = this, info = find(lean, this.dependencies.library, name);
    if (!info) return false;
    if (HARMLESS.has(lean.nameText(name))) return true;
    let type = describe(lean, info).type;
    for (; lean.tag(type) === EXPRESSION.forall;) type = lean.field(type, 2);
    return lean.tag(type) === EXPRESSION.sort && lean.tag(lean.field(type, 0)) === 0; // Level.zero: a proposition
  }

  keyAt(name) { return keyOf(this.data.partsOf(name)); }
  withName(name, use) { return this.names.withName(this.data.partsOf(name), use); }
}

function united(lists) {
  const some = lists.filter(list => list.length);
  return some.length < 2 ? some[0] ?? NONE : [...new Set(some.flat())];
}

function remembered(known, key, compute) {
  if (!known.has(key)) known.set(key, compute());
  return known.get(key);
}

/** The first doubt about instances of a statement with this closure, or null. */
const instancesDoubt = (names, dependencies, state, closure) => new LocalInstances(names, dependencies, state, closure).doubt(closure);

module.exports = { instancesDoubt };
