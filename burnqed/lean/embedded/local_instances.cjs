'use strict';
// Instances that Lean takes from the context of an expression, not from the library.
//
// Whatever is in scope and has a class for its type is an instance there: a variable, a `let`, a pattern, a field. After `let _o := order`,
// `5 ≤ 3` says something else, and often no trace of it is left: coercions are unfolded, and `let`s that nothing mentions any longer are dropped.
// So nobody looks for traces: Lean is watched while it elaborates (bake.py, INSTANCES). What is local has to be written in `[…]`, where a
// reader sees it. And nobody writes what Lean adds by itself, for a parameter like `p : [LE Nat] → Prop`: there must be none.
//
// Proofs of classes that are propositions, and decidability, change no meaning.

const { describe, find } = require('./environment.cjs');
const { DECIDABLE } = require('./variables.cjs');

const CONTEXT = { localContext: 2, localInstances: 3 };    // Lean.Meta.Context
const OPEN = 1, SORT = 3, CONSTANT = 4, APPLICATION = 5, FORALL = 7; // tags of Lean.Expr
const DECLARED = 0, TYPE = 3;                              // tag of a Lean.LocalDecl that is not a `let`, and where it has its type
const BINDER_INFO = 8, EXPLICIT = 0, IMPLICIT = 1, STRICT_IMPLICIT = 2, INSTANCE = 3; // where Lean.Expr has its Lean.BinderInfo, and these
const WHY = 'a variable, a pattern, `let` or the like gives Lean another instance than the library\'s here, which nobody sees; say what is meant without it';

class LocalInstances {
  constructor(frontend, dependencies) {
    Object.assign(this, { lean: frontend.lean, library: dependencies.library, harmless: new Map(), isTaken: false });
  }

  /** {result: of body(), doubts: [] or [{why}]}. */
  watched(body) {
    const outer = this.isTaken;
    this.isTaken = false;
    const { hook } = this.lean.runtime, search = hook('burnqed_instances', (original, ...given) => this.found(original, given));
    const result = search.during(() => hook('burnqed_implicit_lambda', (original, ...given) => this.added(original, given)).during(body));
    const doubts = this.isTaken ? [{ why: WHY }] : [];
    this.isTaken = outer;
    return { result, doubts };
  }

  /** The doubt about instances that Lean added by itself to a statement with this closure: {own: parts of the definition, or empty, why}, or null. */
  addedDoubt({ data, goal }) {
    const { expressions } = data, seen = new Set();
    const isAdded = at => {
      const { kind, info, type } = expressions[at];
      return kind === 'lam' && info === INSTANCE && !this.isHarmlessType(data, type);
    };
    const holds = root => {
      for (const queue = [root]; queue.length;) {
        const at = queue.pop();
        if (seen.has(at)) continue;
        seen.add(at);
        if (isAdded(at)) return true;
        const { fn, arg, type, value, body, struct } = expressions[at];
        queue.push(...[fn, arg, type, value, body, struct].filter(part => part !== undefined));
      }
      return false;
    };
    for (const { kind, name, type, value, types, ctors } of [...data.declarations, goal]) {
      let own = kind === 'def' || kind === 'opaque' ? value : undefined;
      for (; own !== undefined && expressions[own].kind === 'lam'; own = expressions[own].body); // its own parameters
      const roots = types ? [...types, ...ctors].map(member => member.type) : [type, ...(own === undefined ? [] : [own])];
      if (roots.some(holds)) return { own: name === goal.name ? [] : data.partsOf(name), why: WHY };
    }
    return null;
  }

  // ---- steps of the above

  /** What Lean finds; notes when something local that nobody sees is among it. All parameters are borrowed. */
  found(original, given) {
    const { lean } = this, context = lean.retain(given[1]), result = original(...given);
    const mayBeLocal = lean.word(lean.field(context, CONTEXT.localInstances) + 8) > 0;
    if (!this.isTaken && mayBeLocal && lean.tag(result) === 0) {
      const free = lean.items(lean.field(result, 0)).map(instance => lean.field(instance, 0)).filter(value => lean.tag(value) === OPEN);
      this.isTaken = free.some(value => this.isHidden(context, lean.field(value, 0)));
    }
    lean.release(context);
    return result;
  }

  /** Whether Lean adds a `fun`; notes when that has an instance for a parameter, in what is not a proof. All parameters are borrowed. */
  added(original, given) {
    const { lean } = this, contexts = given.slice(4).map(context => lean.retain(context)), result = original(...given);
    const answer = lean.tag(result) === 0 ? lean.field(result, 0) : lean.box(0), type = lean.isBoxed(answer) ? 0 : lean.field(answer, 0);
    if (!this.isTaken && type && this.takesInstance(type)) this.isTaken = !this.isProof(type, contexts);
    contexts.forEach(context => lean.release(context));
    return result;
  }

  takesInstance(type) {
    const { lean } = this;
    for (; lean.tag(type) === FORALL && lean.scalar(type, BINDER_INFO) !== EXPLICIT; type = lean.field(type, 2)) if (lean.scalar(type, BINDER_INFO) === INSTANCE) return true;
    return false;
  }

  isProof(type, contexts) {
    const { lean } = this, result = lean.call('l_Lean_Meta_isProp', lean.retain(type), ...contexts.map(context => lean.retain(context)));
    const isProof = lean.tag(result) === 0 && lean.number(lean.field(result, 0)) === 1;
    lean.release(result);
    return isProof;
  }

  /** Whether a local instance (a borrowed FVarId) is neither written in `[…]` nor harmless. */
  isHidden(context, variable) {
    const { lean } = this, instances = lean.items(lean.field(context, CONTEXT.localInstances)), classOf = instance => lean.nameText(lean.field(instance, 0));
    const local = instances.find(instance => lean.nameText(lean.field(lean.field(instance, 1), 0)) === lean.nameText(variable));
    const found = lean.call('lean_local_ctx_find', lean.retain(lean.field(context, CONTEXT.localContext)), lean.retain(variable));
    const declared = lean.isBoxed(found) ? 0 : lean.field(found, 0), isOnly = local && instances.filter(other => classOf(other) === classOf(local)).length === 1;
    const isSeen = !!declared && lean.tag(declared) === DECLARED && (lean.scalar(declared, 0) === INSTANCE || (isOnly && this.isOnVariables(declared)));
    lean.release(found);
    return !isSeen && !(local && this.isHarmless(lean.field(local, 0)));
  }

  /**
   * Whether a declared variable is what core Lean writes as `{_ : BEq α}`, of types that are variables: for these there is no other instance.
   */
  isOnVariables(declared) {
    const { lean } = this, isImplicit = [IMPLICIT, STRICT_IMPLICIT].includes(lean.scalar(declared, 0)), parameters = [];
    let head = lean.field(declared, TYPE);
    for (; lean.tag(head) === APPLICATION; head = lean.field(head, 0)) parameters.push(lean.field(head, 1));
    return isImplicit && lean.tag(head) === CONSTANT && parameters.length > 0 && parameters.every(parameter => lean.tag(parameter) === OPEN);
  }

  /** Whether it does not matter which instance of a class (a borrowed name) is taken. */
  isHarmless(name) {
    const { lean } = this, text = lean.nameText(name);
    if (!this.harmless.has(text)) this.harmless.set(text, DECIDABLE.has(text) || this.isProposition(name));
    return this.harmless.get(text);
  }

  isProposition(name) {
    const { lean } = this, info = find(lean, this.library, name);
    let type = info ? describe(lean, info).type : 0;
    if (!type) return false;
    for (; lean.tag(type) === FORALL;) type = lean.field(type, 2);
    return lean.tag(type) === SORT && lean.tag(lean.field(type, 0)) === 0; // Level.zero
  }

  isHarmlessType(data, type) {
    const { expressions } = data;
    for (; expressions[type].kind === 'forallE';) type = expressions[type].body;
    for (; expressions[type].kind === 'app';) type = expressions[type].fn;
    if (expressions[type].kind !== 'const') return false;
    const name = this.lean.nameOf(data.partsOf(expressions[type].name)), isHarmless = this.isHarmless(name);
    this.lean.release(name);
    return isHarmless;
  }
}

module.exports = { LocalInstances };
