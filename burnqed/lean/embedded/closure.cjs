'use strict';
// What an exported statement (export.cjs) uses of the header's definitions, and what it says apart from names that nobody reads.

const { createHash } = require('crypto');
const { Data } = require('./data.cjs');

const PARTS = {
  bvar: [], sort: [], const: [], natVal: [], strVal: [], proj: ['struct'],
  app: ['fn', 'arg'], lam: ['type', 'body'], forallE: ['type', 'body'], letE: ['type', 'value', 'body'],
};
const hash = (...content) => createHash('sha256').update(JSON.stringify(content)).digest('base64');

/** Text for the parts of a name; different names give different texts. */
const keyOf = parts => JSON.stringify(parts);

class Closure {
  /** Throws Forbidden (data.cjs). */
  constructor(text) {
    this.data = new Data(text);
    this.goal = this.data.declarations.pop();
    this.constants = new Map(); // key → {parts of the name, value: of a definition that stands for a constant, that constant's name}
    for (const declared of this.data.declarations) for (const { name, value } of declared.types ? [...declared.types, ...declared.ctors, ...declared.recs] : [declared]) {
      const parts = this.data.partsOf(name), { kind, name: other } = this.data.expressions[value] ?? {};
      this.constants.set(keyOf(parts), { parts, value: kind === 'const' ? this.data.shown(other) : '' });
    }
  }

  has(parts) { return this.constants.has(keyOf(parts)); }

  /**
   * Equal for statements that say the same. Names of bound variables do not count, nor those of definitions and theorems, for Lean makes
   * some up (`match_1`) and shares what they stand for; inductive types, constructors and recursors go by their names.
   */
  digest() {
    const { data } = this, { names, expressions } = data, groups = [], constants = new Map(), known = new Map(), levels = [];
    for (const { kind, name, of = [] } of data.levels) levels.push(`${kind}(${name ? names[name].key : of.map(level => levels[level])})`);
    const isNamed = ({ kind }) => kind === 'const' || kind === 'proj';
    const digestOf = root => {
      for (const stack = [root]; stack.length;) {
        const at = stack.at(-1), node = expressions[at], parts = PARTS[node.kind].map(part => node[part]), missing = parts.filter(part => !known.has(part));
        stack.push(...missing);
        if (missing.length) continue;
        const { key } = names[isNamed(node) ? node.name : 0], { kind, index, digits, text } = node;
        const ofLevels = (node.levels ?? [node.level ?? 0]).map(level => levels[level]);
        known.set(stack.pop(), hash(kind, parts.map(part => known.get(part)), constants.get(key) ?? key, ofLevels, index, digits, text));
      }
      return known.get(root);
    };
    const declared = ({ levelParams, type }) => [levelParams.map(level => names[level].key), digestOf(type)];
    for (const declaration of data.declarations) { // each comes after those that it uses
      const { kind, name, value, types, ctors } = declaration;
      if (kind === 'inductive') groups.push(hash(types[0].numParams, [...types, ...ctors].map(member => [names[member.name].key, declared(member)])));
      else constants.set(names[name].key, hash(kind, declared(declaration), kind === 'thm' ? '' : digestOf(value)));
    }
    return hash(groups.sort(), declared(this.goal));
  }
}

module.exports = { Closure, keyOf };
