'use strict';
// Judges proofs by the kernel alone, in an instance of Lean that never parses, elaborates or runs anything of an author's.
//
// Two texts come in (NDJSON, see export.cjs and data.cjs): what a clean elaboration of the statement gave, with all definitions that it uses
// and the statement last, as an axiom; and what the elaboration of the proof gave, with the theorem last. The statement's definitions are
// added to the library's environment; then those of the proof, where one under a name of the statement's has to be equal; then a theorem of
// the statement's own type with the proof's value. What that theorem depends on is what the two texts mention, followed down to axioms.
//
// Everything is built from plain data by Lean's own constructors, so that no cached hash or flag is the sender's.

const { Data, Forbidden } = require('./data.cjs');
const { Dependencies, describe, find, kernel } = require('./environment.cjs');
const { exportWhole } = require('./export.cjs');
const { Inductives } = require('./inductives.cjs');

const KEPT_STATEMENTS = 16;
const STANDARD_AXIOMS = new Set(['propext', 'Classical.choice', 'Quot.sound']), COMPILER_AXIOMS = new Set(['Lean.ofReduceBool', 'Lean.ofReduceNat', 'Lean.trustCompiler']);
const MOST_AXIOMS = 100, MOST_CHARACTERS = 1_000; // of what is told about a refused proof, which can mention anything
const MOST_EXPORT_BYTES = 100 << 20; // as JSON: less than the longest line that is read (supervisor.py)
const NO_LIMIT = 0, NO_TOKEN = 1;
// Lean.KernelException, by constructor
const EXCEPTIONS = ['a constant is unknown', 'a constant is declared again', 'a value is not of the type that it is declared with', 'a declaration has holes', 'a declaration has free variables',
  'something that is not a function is applied', 'something that is not a type is used as one', 'a let is not of its type', 'a term is not of its type', 'an argument is not of its function\'s type',
  'a projection is not valid', 'a theorem is not a proposition', 'the kernel refuses it'];
const LIMITS = ['it takes the kernel too long', 'it takes the kernel too much memory', 'it is nested too deep for the kernel', 'the kernel was interrupted'];
const OTHER = 12;

/** The kernel gave up, which says nothing about the proof. */
class GaveUp extends Error {}

/** Lean's objects for the nodes of a Data. */
class Terms {
  constructor(lean, data) {
    Object.assign(this, { lean, data });
    this.names = [lean.box(0)];
    this.levels = [lean.raw('lean_level_mk_zero')(lean.box(0))];
    data.names.slice(1).forEach(name => this.names.push(this.name(name)));
    data.levels.slice(1).forEach(level => this.levels.push(this.level(level)));
    this.expressions = [];
    data.expressions.forEach(expression => this.expressions.push(this.expression(expression)));
  }

  release() {
    for (const objects of [this.names, this.levels, this.expressions]) objects.forEach(object => this.lean.release(object));
  }

  // Owned copies of what a number stands for.
  nameAt(index) { return this.lean.retain(this.names[index]); }
  levelAt(index) { return this.lean.retain(this.levels[index]); }
  at(index) { return this.lean.retain(this.expressions[index]); }
  list(objects) { return objects.reduceRight((rest, object) => this.lean.constructorObject(1, [object, rest]), this.lean.box(0)); }
  nameList(indices) { return this.list(indices.map(index => this.nameAt(index))); }

  name({ prefix, part }) {
    const { lean } = this;
    return typeof part === 'string' ? lean.raw('lean_name_mk_string')(this.nameAt(prefix), lean.string(part)) : lean.raw('lean_name_mk_numeral')(this.nameAt(prefix), lean.natural(String(part)));
  }

  level({ kind, of, name }) {
    const { lean } = this;
    return kind === 'param' ? lean.raw('lean_level_mk_param')(this.nameAt(name)) : lean.raw(`lean_level_mk_${kind}`)(...of.map(level => this.levelAt(level)));
  }

  expression(node) {
    const { lean } = this;
    switch (node.kind) {
      case 'bvar': return lean.raw('lean_expr_mk_bvar')(lean.box(node.index));
      case 'sort': return lean.raw('lean_expr_mk_sort')(this.levelAt(node.level));
      case 'const': return lean.raw('lean_expr_mk_const')(this.nameAt(node.name), this.list(node.levels.map(level => this.levelAt(level))));
      case 'app': return lean.raw('lean_expr_mk_app')(this.at(node.fn), this.at(node.arg));
      case 'lam': return lean.raw('lean_expr_mk_lambda')(this.nameAt(node.name), this.at(node.type), this.at(node.body), node.info);
      case 'forallE': return lean.raw('lean_expr_mk_forall')(this.nameAt(node.name), this.at(node.type), this.at(node.body), node.info);
      case 'letE': return lean.raw('lean_expr_mk_let')(this.nameAt(node.name), this.at(node.type), this.at(node.value), this.at(node.body), 0);
      case 'proj': return lean.raw('lean_expr_mk_proj')(this.nameAt(node.name), lean.box(node.index), this.at(node.struct));
      case 'natVal': return lean.raw('lean_expr_mk_lit')(lean.constructorObject(0, [lean.natural(node.digits)]));
      case 'strVal': return lean.raw('lean_expr_mk_lit')(lean.constructorObject(1, [lean.string(node.text)]));
    }
    throw new Error(`there is no kind ${node.kind} of expression`);
  }

  /** Lean.Declaration (owned), by the constructors' numbers. */
  declaration(declared) {
    const { lean } = this, { kind, name, levelParams, type, value, hints, types, ctors } = declared;
    if (kind === 'inductive') {
      let next = 0;
      const constructors = type => this.list(type.ctors.map(() => ctors[next++]).map(ctor => lean.constructorObject(0, [this.nameAt(ctor.name), this.at(ctor.type)])));
      const all = types.map(type => lean.constructorObject(0, [this.nameAt(type.name), this.at(type.type), constructors(type)]));
      return lean.constructorObject(6, [this.nameList(levelParams), lean.box(types[0].numParams), this.list(all)], 1);
    }
    const constant = lean.constructorObject(0, [this.nameAt(name), this.nameList(levelParams), this.at(type)]), all = this.nameList([name]);
    switch (kind) {
      case 'def': {
        const definition = lean.constructorObject(0, [constant, this.at(value), this.hints(hints), all], 1);
        lean.setScalar(definition, 0, 1); // safe
        return lean.constructorObject(1, [definition]);
      }
      case 'thm': return lean.constructorObject(2, [lean.constructorObject(0, [constant, this.at(value), all])]);
      case 'opaque': return lean.constructorObject(3, [lean.constructorObject(0, [constant, this.at(value), all], 1)]);
    }
    throw new Error(`there is no kind ${kind} of declaration`);
  }

  hints(hints) {
    if (typeof hints === 'string') return this.lean.box(hints === 'opaque' ? 0 : 1);
    const regular = this.lean.constructorObject(2, [], 4);
    this.lean.setWord(regular + 8, hints.regular | 0);
    return regular;
  }
}

/** A text that has been built, with the place of each declared name. */
class Built {
  constructor(lean, text) {
    this.data = new Data(text);
    this.places = new Map(); // key of a name → its declaration
    for (const declared of this.data.declarations) for (const key of this.keysOf(declared)) {
      if (this.places.has(key)) throw new Forbidden('a name is declared twice');
      this.places.set(key, declared);
    }
    this.goal = this.data.declarations.at(-1);
    this.terms = new Terms(lean, this.data);
  }
  key(name) { return this.data.names[name].key; }
  /** Borrowed names of all constants outside the text that it mentions. */
  mentioned() {
    const names = new Set(this.data.expressions.filter(({ kind }) => kind === 'const' || kind === 'proj').map(({ name }) => name));
    return [...names].filter(name => !this.places.has(this.key(name))).map(name => this.terms.names[name]);
  }
  namesOf({ kind, name, types, ctors, recs }) { return kind === 'inductive' ? [...types, ...ctors, ...recs].map(member => member.name) : [name]; }
  keysOf(declared) { return this.namesOf(declared).map(name => this.key(name)); }
  keyList(names) { return names.map(name => this.key(name)).join(); }
}

class Judge {
  /** @param missing names (texts) that the library mentions but does not contain: whoever declared one would decide what the library says */
  constructor(lean, environment, missing) {
    Object.assign(this, { lean, missing: new Set(missing), dependencies: new Dependencies(lean, environment), library: kernel(lean, environment) });
    this.statements = new Map(); // text → {built, environment}; the least recently used one first
  }

  /**
   * {statement, proof} → {objection (empty when the proof is accepted), could_not_check, axioms, library}. With `isExported`, what is accepted has
   * an `export` for other kernels: the theorem and all that it uses, also of the library, from the judge's own environment; and `permitted`
   * names the axioms in it.
   */
  judge({ statement, proof, isExported }) {
    const { lean } = this, verdict = { objection: '', could_not_check: false, axioms: [], library: 0 };
    let built = null, environment = null;
    try {
      const stated = this.stated(statement);
      built = new Built(lean, proof);
      environment = this.proved(stated, built);
      const { axioms, library } = this.dependencies.axioms(environment, [...stated.built.mentioned(), ...built.mentioned()]);
      Object.assign(verdict, { objection: axiomsObjection(axioms).slice(0, MOST_CHARACTERS), axioms: axioms.slice(0, MOST_AXIOMS).map(axiom => axiom.slice(0, MOST_CHARACTERS)), library });
      if (isExported && !verdict.objection) Object.assign(verdict, this.exported(environment, stated.built));
    } catch (error) {
      if (!(error instanceof Forbidden || error instanceof GaveUp)) throw error;
      Object.assign(verdict, { objection: error.message.slice(0, MOST_CHARACTERS), could_not_check: error instanceof GaveUp });
    } finally {
      built?.terms.release();
      if (environment) lean.release(environment);
    }
    return verdict;
  }

  exported(environment, { terms, goal }) {
    const text = exportWhole(this.lean, environment, name => this.dependencies.isInLibrary(name), terms.names[goal.name]);
    if (Buffer.byteLength(JSON.stringify(text)) > MOST_EXPORT_BYTES) throw new GaveUp(`its export has more than ${MOST_EXPORT_BYTES >> 20} MB`);
    return { export: text, permitted: axiomsOf(text) };
  }

  /** What a statement's text gives: {built, environment: the library's and the statement's definitions}. */
  stated(text) {
    let stated = this.statements.get(text);
    if (stated) this.statements.delete(text);
    else stated = this.state(text);
    this.statements.set(text, stated);
    if (this.statements.size > KEPT_STATEMENTS) {
      const [oldest, { built, environment }] = this.statements.entries().next().value;
      this.statements.delete(oldest);
      built.terms.release();
      this.lean.release(environment);
    }
    return stated;
  }

  state(text) {
    const built = new Built(this.lean, text), { goal, data } = built;
    if (goal?.kind !== 'axiom') throw new Forbidden('there is no statement');
    let environment = this.lean.retain(this.library);
    for (const declared of data.declarations) if (declared !== goal) environment = this.added(environment, built, declared);
    return { built, environment: this.withProjections(environment, built) };
  }

  /** Environment (owned) with the theorem: the statement's type, the proof's value. */
  proved(stated, built) {
    const { lean } = this, { goal } = built, claim = stated.built.goal;
    if (goal?.kind !== 'thm' || built.key(goal.name) !== stated.built.key(claim.name)) throw new Forbidden('the text declares no theorem of that name');
    if (built.keyList(goal.levelParams) !== stated.built.keyList(claim.levelParams) || !this.isEqual(stated.built, claim.type, built, goal.type)) throw new Forbidden('the theorem that was proved is not the one that was stated');
    let environment = lean.retain(stated.environment);
    for (const declared of built.data.declarations) {
      const known = built.keysOf(declared).map(key => stated.built.places.get(key)).find(Boolean);
      if (declared === goal || !known) environment = this.added(environment, built, declared);
      else if (!this.isSame(stated.built, known, built, declared)) {
        lean.release(environment);
        throw new Forbidden('the proof changes a definition that the statement uses');
      }
    }
    return this.withProjections(environment, built);
  }

  isEqual(left, a, right, b) { return this.lean.raw('lean_expr_eqv')(left.terms.expressions[a], right.terms.expressions[b]) === 1; }

  /** Whether two declarations are the same, up to names of bound variables and what only speeds the kernel up. */
  isSame(left, a, right, b) {
    if (a.kind !== b.kind || left.keyList(a.levelParams) !== right.keyList(b.levelParams)) return false;
    if (a.kind !== 'inductive') return left.key(a.name) === right.key(b.name) && this.isEqual(left, a.type, right, b.type) && this.isEqual(left, a.value, right, b.value);
    const areSame = (these, those) => these.length === those.length && these.every((one, index) => left.key(one.name) === right.key(those[index].name) && this.isEqual(left, one.type, right, those[index].type));
    return a.types[0].numParams === b.types[0].numParams && areSame(a.types, b.types) && areSame(a.ctors, b.ctors) && areSame(a.recs, b.recs);
  }

  /** The environment with a declaration that the kernel has checked; consumes the given one. Throws Forbidden or GaveUp. */
  added(environment, built, declared) {
    const { lean } = this;
    let present = environment;
    const inductives = declared.kind === 'inductive' ? new Inductives(built.data, declared, name => this.parametersOf(present, built.terms.names[name])) : null;
    try {
      if (declared.kind === 'axiom') throw new Forbidden(`it assumes the axiom ${built.data.shown(declared.name)}`);
      this.checkNames(environment, built, declared);
      inductives?.check();
    } catch (error) {
      lean.release(environment);
      throw error;
    }
    const result = lean.raw('lean_add_decl')(environment, NO_LIMIT, built.terms.declaration(declared), NO_TOKEN);
    const content = lean.retain(lean.field(result, 0)), failed = lean.tag(result) === 0;
    lean.release(result);
    if (failed) throw this.exception(content);
    present = content;
    try {
      if (inductives) {
        this.compare(content, built, declared);
        inductives.checkRecursors();
        this.recheck(content, built, declared);
      }
    } catch (error) {
      lean.release(content);
      throw error;
    }
    return content;
  }

  /** The names that a declaration declares are new, and nothing in the library speaks of them already. */
  checkNames(environment, built, declared) {
    for (const name of built.namesOf(declared)) {
      const object = built.terms.names[name];
      if (find(this.lean, environment, object)) throw new Forbidden(`it declares ${built.data.shown(name)}, which exists`);
      if (this.missing.has(this.lean.nameText(object))) throw new Forbidden(`it declares ${built.data.shown(name)}, which the library mentions but does not contain`);
    }
  }

  /** How many parameters the inductive type of this name (borrowed) has; null if it is not one. */
  parametersOf(environment, name) {
    const info = find(this.lean, environment, name);
    return info && describe(this.lean, info).kind === 'inductive' ? this.lean.number(this.lean.field(this.lean.field(info, 0), 1)) : null;
  }

  /** The kernel checks once more what it made of an inductive declaration: it skips parts of what it is given, and all of what it makes. */
  recheck(environment, built, { types, ctors, recs }) {
    const { lean } = this, whole = lean.raw('lean_elab_environment_of_kernel_env')(lean.retain(environment));
    try {
      for (const term of [...types, ...ctors, ...recs].map(member => member.type).concat(recs.flatMap(rec => rec.rules.map(rule => rule.rhs)))) {
        const result = lean.raw('lean_kernel_check')(lean.retain(whole), lean.raw('lean_mk_empty_local_ctx')(lean.box(0)), built.terms.at(term));
        const content = lean.retain(lean.field(result, 0)), failed = lean.tag(result) === 0;
        lean.release(result);
        if (failed) throw this.exception(content);
        lean.release(content);
      }
    } finally { lean.release(whole); }
  }

  /** The environment (owned) of a text's declarations; throws unless its projections are of structures: one constructor, no indices, and the field exists. */
  withProjections(environment, { data, terms }) {
    const { lean } = this;
    const fieldsOf = name => {
      const info = find(lean, environment, name), type = info && describe(lean, info);
      const [constructor, ...others] = type?.kind === 'inductive' ? type.constructors : [];
      const isStructure = constructor && !others.length && lean.number(lean.field(lean.field(info, 0), 2)) === 0;
      return isStructure ? lean.number(lean.field(lean.field(find(lean, environment, constructor), 0), 4)) : 0;
    };
    const isFine = data.expressions.every(({ kind, name, index }) => kind !== 'proj' || index < fieldsOf(terms.names[name]));
    if (isFine) return environment;
    lean.release(environment);
    throw new Forbidden('a projection is of no structure, or of no field');
  }

  exception(exception) {
    const { lean } = this, tag = lean.tag(exception);
    const detail = tag === OTHER ? `: ${lean.text(lean.field(exception, 0))}` : '';
    lean.release(exception);
    return tag > OTHER ? new GaveUp(LIMITS[tag - OTHER - 1] ?? 'the kernel gave up') : new Forbidden(EXCEPTIONS[tag] + detail);
  }

  /** Constructors and recursors have to be those that the kernel made. */
  compare(environment, built, { types, ctors, recs }) {
    const { lean } = this;
    const made = (member, kind) => {
      const info = find(lean, environment, built.terms.names[member.name]);
      if (!info) throw new Forbidden('a recursor is not the kernel\'s');
      const { kind: found, levels, type } = describe(lean, info), value = lean.field(info, 0);
      if (found !== kind || levels.length !== member.levelParams.length || !this.isMade(built, member.type, type)) throw new Forbidden('a recursor or constructor is not the kernel\'s');
      return value;
    };
    const numbers = (value, first, count) => Array.from({ length: count }, (_, index) => lean.number(lean.field(value, first + index))).join();
    const flags = (value, count) => Array.from({ length: count }, (_, index) => lean.scalar(value, index)).join();
    const expect = (found, ...expected) => {
      if (found !== expected.map(Number).join()) throw new Forbidden('an inductive type is not what the kernel makes of it');
    };
    let nested = 0;
    for (const type of types) {
      const value = made(type, 'inductive');
      expect(numbers(value, 1, 2), type.numParams, type.numIndices);
      expect(numbers(value, 5, 1), type.numNested);
      expect(flags(value, 3), type.isRec, type.isUnsafe, type.isReflexive);
      nested = type.numNested;
    }
    for (const ctor of ctors) expect(numbers(made(ctor, 'constructor'), 2, 3), ctor.cidx, ctor.numParams, ctor.numFields);
    expect(String(recs.length), types.length + nested);
    for (const rec of recs) {
      const value = made(rec, 'recursor'), rules = lean.list(lean.field(value, 6));
      expect(numbers(value, 2, 4), rec.numParams, rec.numIndices, rec.numMotives, rec.numMinors);
      expect(flags(value, 2), rec.k, rec.isUnsafe);
      expect(String(rules.length), rec.rules.length);
      if (!this.isNamed(built, rec.all, lean.list(lean.field(value, 1))) || !this.isNamed(built, rec.rules.map(rule => rule.ctor), rules.map(rule => lean.field(rule, 0)))) throw new Forbidden('a recursor is not the kernel\'s');
      rules.forEach((rule, index) => {
        expect(numbers(rule, 1, 1), rec.rules[index].nfields);
        if (!this.isMade(built, rec.rules[index].rhs, lean.field(rule, 2))) throw new Forbidden('a recursor is not the kernel\'s');
      });
    }
  }

  isNamed(built, names, objects) { return names.map(name => this.lean.nameText(built.terms.names[name])).join() === objects.map(object => this.lean.nameText(object)).join(); }
  isMade(built, index, object) { return this.lean.raw('lean_expr_eqv')(built.terms.expressions[index], object) === 1; }
}

/** Names of the axioms that an export declares; sorted. */
function axiomsOf(text) {
  const names = [[]], axioms = [];
  for (const line of text.split('\n')) {
    if (line.endsWith('}') && /"in":\d+}$/.test(line)) {
      const { str, num } = JSON.parse(line);
      names.push([...names[(str ?? num).pre], str ? str.str : num.i]);
    } else if (line.startsWith('{"axiom":')) axioms.push(names[JSON.parse(line).axiom.name].join('.'));
  }
  return axioms.sort();
}

function axiomsObjection(axioms) {
  const others = axioms.filter(axiom => !STANDARD_AXIOMS.has(axiom));
  if (others.includes('sorryAx')) return 'it, or something it uses, contains `sorry`';
  if (others.some(axiom => COMPILER_AXIOMS.has(axiom))) return 'it trusts the compiler, not the kernel';
  return others.length ? `it uses \`${others[0]}\`${others.length > 1 ? ` and ${others.length - 1} more` : ''}, of which neither the library nor the proof has a definition or proof` : '';
}

module.exports = { Judge };
