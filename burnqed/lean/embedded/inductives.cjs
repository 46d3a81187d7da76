'use strict';
// What an inductive type has to look like before the kernel sees it. The pinned kernel decides by computing whether a type is a proposition,
// whether a field is recursive, whether a type occurs in it; it can be misled there (docs/trust.md names the bugs). Under these rules all of
// that is written out, as Lean's elaborator writes it anyway:
//
// - The sort of every type is a literal `Sort u` after its binders, either `Prop` or never `Prop`, and one or the other for a whole group.
// - A constructor is binders and then its type, applied to the parameters in order and to indices.
// - The types of the group occur in fields only so applied, and only where no computation decides: as the field's type or the end of its
//   arrows, or as arguments for the parameters of another inductive type.

const { Forbidden } = require('./data.cjs');

const TRANSPARENT = new Set(['optParam', 'autoParam', 'outParam']); // of the library: of type what their first argument is

const COMPUTED = 'an inductive type occurs in a field of a constructor where computing decides what it means; write the type of the field out, without abbreviations';

class Inductives {
  /**
   * @param declared    an inductive declaration of `data`
   * @param parametersOf  (number of a name) → how many parameters the inductive type of that name in the environment has, null if it is not one
   */
  constructor(data, declared, parametersOf) {
    const [{ numParams, levelParams }] = declared.types;
    Object.assign(this, { data, declared, parametersOf, count: numParams, levels: levelParams.map(name => data.names[name].key).join() });
    this.members = new Set(declared.types.map(({ name }) => data.names[name].key));
    this.occurs = new Map(); // number of an expression → whether a type of the group occurs in it
    this.plain = new Map();  // `isPlain` by its arguments
  }

  /** Throws Forbidden. */
  check() {
    const { data, declared } = this, sorts = declared.types.map(type => this.sort(data.sortOf(type.type, type.numParams + type.numIndices)));
    if (sorts.some(isProposition => isProposition === null)) throw new Forbidden('an inductive type is in a sort that may or may not be Prop');
    if (new Set(sorts).size > 1) throw new Forbidden('some of the inductive types that are declared together are propositions');
    for (const ctor of declared.ctors) this.checkConstructor(ctor);
  }

  /**
   * Also what the kernel makes of other types' constructors, whose parameters are types of the group: the premises of recursors, which have
   * been compared with the kernel's. Throws Forbidden.
   */
  checkRecursors() {
    for (const { type, numParams, numMotives, numMinors } of this.declared.recs) {
      let at = this.data.expressions[type];
      for (let depth = 0; depth < numParams + numMotives + numMinors; depth++, at = this.data.expressions[at.body]) {
        if (depth < numParams + numMotives) continue;
        let premise = this.data.expressions[at.type];
        for (let within = depth; premise.kind === 'forallE'; within++, premise = this.data.expressions[premise.body]) {
          if (!this.isPlain(premise.type, within)) throw new Forbidden(COMPUTED);
        }
      }
    }
  }

  /** Whether a sort is Prop; null when that depends. */
  sort(level) {
    if (level === 0) return true;
    return this.isNeverZero(level) ? false : null;
  }

  isNeverZero(level) {
    const { kind, of } = this.data.levels[level];
    switch (kind) {
      case 'succ': return true;
      case 'max': return of.some(part => this.isNeverZero(part));
      case 'imax': return this.isNeverZero(of[1]);
    }
    return false;
  }

  checkConstructor({ type, induct, numParams, numFields }) {
    const { data } = this, depth = numParams + numFields, fields = [];
    let at = type;
    for (let count = 0; count < depth; count++) {
      const { kind, type: domain, body } = data.expressions[at];
      if (kind !== 'forallE') throw new Forbidden('the fields of a constructor are not written out');
      fields.push(domain);
      at = body;
    }
    const { head, parts } = this.applied(at);
    if (numParams !== this.count || head.kind !== 'const' || data.names[head.name].key !== data.names[induct].key || !this.isMember(at, depth)) throw new Forbidden('a constructor does not end in its type, written out');
    if (parts.slice(numParams).some(index => this.has(index))) throw new Forbidden('an inductive type occurs in its own indices');
    fields.forEach((field, index) => {
      if (!this.isPlain(field, index)) throw new Forbidden(COMPUTED);
    });
  }

  /** Whether a type of the group occurs in an expression. */
  has(number) {
    let has = this.occurs.get(number);
    if (has === undefined) {
      const { kind, name, fn, arg, type, value, body, struct } = this.data.expressions[number];
      const isNamed = (kind === 'const' || kind === 'proj') && this.members.has(this.data.names[name].key);
      has = isNamed || [fn, arg, type, value, body, struct].some(part => typeof part === 'number' && this.has(part));
      this.occurs.set(number, has);
    }
    return has;
  }

  applied(number) {
    const parts = [];
    let at = number;
    for (; this.data.expressions[at].kind === 'app'; at = this.data.expressions[at].fn) parts.push(this.data.expressions[at].arg);
    return { at, head: this.data.expressions[at], parts: parts.reverse() };
  }

  /** Whether an expression under `depth` binders is a type of the group, with its own universes, applied to the parameters in order. */
  isMember(number, depth) {
    const { data } = this, { head, parts } = this.applied(number);
    if (head.kind !== 'const' || !this.members.has(data.names[head.name].key)) return false;
    const levels = head.levels.map(level => data.levels[level]);
    if (levels.some(level => level.kind !== 'param') || levels.map(level => data.names[level.name].key).join() !== this.levels) return false;
    const isParameter = (part, index) => data.expressions[part].kind === 'bvar' && data.expressions[part].index === depth - 1 - index;
    return parts.length >= this.count && parts.slice(0, this.count).every(isParameter) && !parts.slice(this.count).some(part => this.has(part));
  }

  /** Whether the group occurs in an expression under `depth` binders only where no computation decides; `isArgument`: of another inductive type. */
  isPlain(number, depth, isArgument = false) {
    if (!this.has(number) || this.isMember(number, depth)) return true;
    const key = `${number} ${depth} ${isArgument}`, known = this.plain.get(key);
    if (known !== undefined) return known;
    const isPlain = this.findPlain(number, depth, isArgument);
    this.plain.set(key, isPlain);
    return isPlain;
  }

  findPlain(number, depth, isArgument) {
    const { kind, type, body } = this.data.expressions[number];
    if (kind === 'forallE') return (isArgument ? this.isPlain(type, depth, true) : !this.has(type)) && this.isPlain(body, depth + 1, isArgument);
    if (kind === 'lam') return isArgument && this.isPlain(type, depth, true) && this.isPlain(body, depth + 1, true);
    const { at, head, parts } = this.applied(number);
    if (head.kind === 'lam') return !parts.some(part => this.has(part)) && this.isPlain(at, depth, true); // as `Sigma fun n => T` gives
    if (head.kind !== 'const' || this.members.has(this.data.names[head.name].key)) return false;
    if (TRANSPARENT.has(this.data.shown(head.name))) return parts.length > 0 && this.isPlain(parts[0], depth, isArgument);
    const count = this.parametersOf(head.name);
    return count !== null && parts.every((part, index) => index < count ? this.isPlain(part, depth, true) : !this.has(part));
  }
}

module.exports = { Inductives };
