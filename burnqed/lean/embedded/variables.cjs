'use strict';
// Variables of a stranger's header. A theorem takes the instances among them along without being asked, so they may assume nothing but what is
// usual: that types among the variables have the structure of a class of the library's (`[BEq α]`, `[Monad m]`, also `[Inhabited α]`), and
// that something is decidable, as everything is. `[Nonempty p]` of a proposition assumes it, `[LE Nat]` is another order.
//
// What is looked at is what Lean makes of them: the binders of a theorem that mentions all of them.
//
// Nor may a variable have the name of a definition, where the statement or another variable mentions it: a reader could take it for that. And
// a theorem takes along what a tactic in its statement uses, as `a[i]` does with `h : i < a.size`: such a variable has to be mentioned.

const { Source, syntaxArguments, syntaxRange } = require('./frontend.cjs');
const { constantInfo, describe, find } = require('./environment.cjs');
const { first, identifiers } = require('./rules.cjs');
const { PLACEHOLDER, unusedName } = require('./theorem.cjs');

const PROBE = 'burnqed_variables';
const NAMESPACE = 2, VARIABLES = 5; // Lean.Elab.Command.Scope.currNamespace, varDecls
const EXPRESSION = { variable: 0, sort: 3, constant: 4, application: 5, forall: 7, literal: 9, mdata: 10 }; // tags of Lean.Expr
const BINDER_INFO = 8, INSTANCE = 3;
const DECIDABLE = new Set(['Decidable', 'DecidableEq', 'DecidablePred', 'DecidableRel', 'DecidableLT', 'DecidableLE']);

/** {line, why} when the variables in scope at the end of a header assume too much, or hide what a statement (tree; `theorem` of it) mentions, or null. */
function variablesDoubt(names, dependencies, { state, text }, statement, theorem) {
  const { frontend } = names, { lean } = frontend, bytes = Buffer.from(text), variables = lean.items(lean.field(frontend.scope(state), VARIABLES));
  const trees = variables.map(variable => frontend.trees.of(variable)), instances = variables.filter((_, index) => trees[index].kind === 'Lean.Parser.Term.instBinder');
  const doubt = (variable, why) => {
    const [start, end] = syntaxRange(lean, variable), slice = (...range) => bytes.subarray(...range).toString('utf8');
    return { line: slice(0, start).split('\n').length, why: `the variable \`${slice(start, end)}\` ${why}` };
  };
  const mentions = [...identifiers(statement), ...trees.flatMap(({ parts }) => parts.slice(2).flatMap(identifiers))].map(({ name }) => name[0]);
  const hides = ({ parts }) => identifiers(parts[1]).some(({ name }) => mentions.includes(name[0]) && names.isDeclared(state, name));
  const hiding = trees.findIndex(hides);
  if (hiding >= 0) return doubt(variables[hiding], 'is called like a definition; choose another name');
  const silent = firstSilent(frontend, state, trees, theorem);
  if (silent >= 0) return doubt(variables[silent], 'belongs to the statement, which does not mention it; put it into the statement');
  const index = instances.length ? firstBad(frontend, dependencies, state, trees) : -1;
  return index < 0 ? null : doubt(instances[index] ?? instances[0], 'assumes more than a structure of the library\'s on types; put it into the statement');
}

/**
 * Text of a `variable` command without what it assumes: null when it assumes nothing, empty when nothing else is left. A theorem takes along
 * what a tactic in its statement uses, as `a[i]` does with `h : i < a.size`, so it has to say the same without (headers.cjs). Assumptions are
 * proofs, or what may be one, what has no name, and what hides another variable of the same command.
 */
function withoutAssumptions(frontend, state, source, syntax, tree) {
  const { lean } = frontend, nodes = syntaxArguments(lean, syntaxArguments(lean, syntax)[1]), binders = tree.parts[1].parts.map(({ kind, parts }, index) => ({ kind, parts, text: source.textOf(nodes[index]) }));
  const named = ({ parts }) => identifiers(parts[1]).map(({ name }) => name), isInstance = ({ kind }) => kind === 'Lean.Parser.Term.instBinder';
  const after = frontend.elaborate(state, source, { syntax: lean.retain(syntax) });
  try {
    const isHidden = ({ name: [name] }, index) => binders.slice(index + 1).some(other => !isInstance(other) && named(other).some(([same]) => same === name));
    const isAssumed = (binder, index) => {
      if (isInstance(binder)) return false;
      if (first(binder, node => node.kind === 'Lean.Parser.Term.byTactic') || first(binder.parts[1], node => node.word === '_')) return true;
      return named(binder).some(name => isHidden({ name }, index) || !isData(frontend, after.state, name));
    };
    const kept = binders.filter((binder, index) => !isAssumed(binder, index));
    return kept.length === binders.length ? null : kept.length ? `variable ${kept.map(({ text }) => text).join(' ')}\n` : '';
  } finally { lean.release(after.state); }
}

/** Whether a variable in scope is certain to be no proof: its type is one of `Type u`. */
function isData(frontend, state, [name]) {
  return !frontend.failure(state, `example : (fun {α : Type _} (_ : α) => _root_.True) «${name}» := _root_.True.intro`);
}

/** Number of the first variable (tree), but instances, that a theorem takes along although only proofs in its statement use it; or -1. */
function firstSilent(frontend, state, trees, theorem) {
  const { lean } = frontend, own = ({ parts }) => identifiers(parts[1]).map(({ name }) => name[0]);
  const variables = trees.flatMap((tree, index) => tree.kind === 'Lean.Parser.Term.instBinder' ? [] : own(tree).map(name => ({ name, index })));
  if (!variables.length) return -1;
  const source = new Source(lean, theorem.text + PLACEHOLDER), after = frontend.elaborate(state, source, source.next(state));
  const environment = frontend.environment(after.state), binders = [];
  try {
    for (let type = constantInfo(frontend, after.state, theorem.nameParts).type, next = 0; lean.tag(type) === EXPRESSION.forall; type = lean.field(type, 2)) {
      const found = variables.findIndex(({ name }, at) => at >= next && lean.nameParts(lean.field(type, 0)).includes(name)); // in their order, before those of the statement
      if (found >= 0) next = found + 1;
      if (found >= 0 && isUnused(lean, environment, binders, type)) return variables[found].index;
      binders.push(type);
    }
    return -1;
  } finally {
    lean.release(after.state);
    source.release();
  }
}

/**
 * Whether it makes no difference what a variable is: whether `∀ x, P x` says of every `y` of x's type that `P x` is `P y`, to the kernel, for
 * which proofs of a proposition are the same. Binders and the `∀` are borrowed.
 */
function isUnused(lean, environment, binders, forall) {
  const body = lean.field(forall, 2), lift = from => lean.call('l_Lean_Expr_liftLooseBVars', lean.retain(body), lean.box(from), lean.box(1));
  const lambda = (binder, type, rest) => lean.raw('lean_expr_mk_lambda')(lean.retain(lean.field(binder, 0)), type, rest, 0);
  const [same, other] = [lift(0), lift(1)].map(inner => {
    const again = lean.call('l_Lean_Expr_liftLooseBVars', lean.retain(lean.field(forall, 1)), lean.box(0), lean.box(1)); // the type of y, below x
    const whole = lambda(forall, lean.retain(lean.field(forall, 1)), lambda(forall, again, inner));
    return binders.reduceRight((rest, binder) => lambda(binder, lean.retain(lean.field(binder, 1)), rest), whole);
  });
  const result = lean.call('lean_kernel_is_def_eq', lean.retain(environment), lean.retain(lean.constant('l_Lean_LocalContext_empty')), same, other); // Except
  const isSame = lean.tag(result) === 1 && lean.number(lean.field(result, 0)) === 1;
  lean.release(result);
  return isSame;
}

/** Number of the first instance among variables (trees) that assumes too much, counting instances; -1 when there is none. */
function firstBad(frontend, dependencies, state, trees) {
  const { lean } = frontend, probe = unusedName(frontend, state, [...lean.nameParts(lean.field(frontend.scope(state), NAMESPACE)), PROBE]);
  const mention = names => `theorem ${probe.at(-1)} : ${names.map(name => `@_root_.Eq _ ${name} ${name} ∧ `).join('')}_root_.True := sorry`;
  const written = nodes => nodes.flatMap(identifiers).map(({ name }) => `«${name[0]}»`), declared = written(trees.map(({ parts }) => parts[1]));
  const automatic = written(trees).filter(name => !declared.includes(name) && !frontend.failure(state, mention([name]))), names = [...new Set([...declared, ...automatic])];
  const source = new Source(lean, mention(names)), after = frontend.elaborate(state, source, source.next(state));
  try {
    const info = constantInfo(frontend, after.state, probe);
    return info?.kind === 'theorem' ? new Binders(frontend, dependencies).firstBad(info.type) : 0;
  } finally {
    lean.release(after.state);
    source.release();
  }
}

class Binders {
  constructor(frontend, dependencies) {
    Object.assign(this, { frontend, dependencies, lean: frontend.lean });
  }

  /** Number of the first instance among the binders of a type that assumes too much, counting instances; -1 when there is none. */
  firstBad(type) {
    let count = 0;
    for (const binders = []; this.lean.tag(type) === EXPRESSION.forall; type = this.under(type, binders)) {
      if (this.isInstanceBinder(type) && !this.isHarmless(this.lean.field(type, 1), binders)) return count;
      count += this.isInstanceBinder(type);
    }
    return -1;
  }

  // ---- steps of the above; expressions are borrowed, `binders` {type, isInstance} are those around them

  isInstanceBinder(forall) { return this.lean.scalar(forall, BINDER_INFO) === INSTANCE; }

  /** Body of a `∀`, whose binder is added to the others. */
  under(forall, binders) {
    binders.push({ type: this.lean.field(forall, 1), isInstance: this.isInstanceBinder(forall) });
    return this.lean.field(forall, 2);
  }

  isHarmless(type, outer) {
    const { lean } = this, binders = [...outer];
    for (; lean.tag(type) === EXPRESSION.forall;) type = this.under(type, binders);
    const { head, parameters } = this.taken(type);
    const info = lean.tag(head) === EXPRESSION.constant ? find(lean, this.dependencies.library, lean.field(head, 0)) : 0;
    if (!info) return false;
    const name = lean.nameText(lean.field(head, 0)), isInstance = [];
    if (DECIDABLE.has(name)) return true;
    for (let at = describe(lean, info).type; lean.tag(at) === EXPRESSION.forall; at = lean.field(at, 2)) isInstance.push(this.isInstanceBinder(at));
    const own = binders.length - outer.length; // a class of all types, or of all types of a kind, is not a structure on the variables
    const isFine = (parameter, index) => isInstance[index] ? this.isInstance(parameter, binders) : this.isType(parameter, binders, own) || (name === 'OfNat' && this.isNumeral(parameter));
    return parameters.length > 0 && parameters.every(isFine);
  }

  isNumeral(term) {
    const { lean } = this, { head, parameters } = this.taken(term);
    return lean.tag(head) === EXPRESSION.constant && lean.nameText(lean.field(head, 0)) === 'OfNat.ofNat' && lean.tag(parameters[1]) === EXPRESSION.literal;
  }

  /** Whether a term is a variable that stands for a type or gives types, applied to variables at most, but not one of the innermost `own`. */
  isType(term, binders, own = 0) {
    const { lean } = this, { head, parameters } = this.taken(term);
    if (lean.tag(head) !== EXPRESSION.variable || lean.number(lean.field(head, 0)) < own || !parameters.every(parameter => lean.tag(parameter) === EXPRESSION.variable)) return false;
    let { type } = this.binderOf(head, binders);
    for (; lean.tag(type) === EXPRESSION.forall;) type = lean.field(type, 2);
    return lean.tag(type) === EXPRESSION.sort && lean.number(lean.call('l_Lean_Level_isNeverZero', lean.retain(lean.field(type, 0)))) === 1; // else it may be a proposition
  }

  /** Whether a term is an instance among the variables, or one that the library makes of such. */
  isInstance(term, binders) {
    const { lean } = this, { head, parameters } = this.taken(term);
    if (lean.tag(head) === EXPRESSION.variable) return this.binderOf(head, binders).isInstance;
    if (lean.tag(head) !== EXPRESSION.constant || !this.dependencies.isInLibrary(lean.field(head, 0))) return false;
    const isKnown = lean.number(lean.call('l_Lean_Meta_isInstanceCore', lean.retain(this.frontend.library), lean.retain(lean.field(head, 0)))) === 1;
    return isKnown && parameters.every(parameter => this.isType(parameter, binders) || this.isInstance(parameter, binders));
  }

  binderOf(variable, binders) { return binders.at(-1 - this.lean.number(this.lean.field(variable, 0))); }

  /** Head and parameters of an application. */
  taken(term) {
    const { lean } = this, parameters = [];
    for (;; term = lean.field(term, lean.tag(term) === EXPRESSION.mdata ? 1 : 0)) {
      if (lean.tag(term) === EXPRESSION.application) parameters.unshift(lean.field(term, 1));
      else if (lean.tag(term) !== EXPRESSION.mdata) return { head: term, parameters };
    }
  }
}

module.exports = { DECIDABLE, variablesDoubt, withoutAssumptions };
