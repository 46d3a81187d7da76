'use strict';
// What the names in a stranger's header and statement mean, and whether a reader can see it.
//
// A name hides one of the library's when it is written as that is, means one of the header's, and could mean the library's: `max` of
// an own namespace does, for integers; `insert` does not, for own trees, because the library knows nothing that inserts into them.
// A doubt is such a name: {why, own: parts of the header's constant that it means, if that matters}. It stands against a statement that
// uses this constant, if the name is written in the statement or in a definition that the statement uses.

const { constantInfo, describe, find, kernel } = require('./environment.cjs');
const { command, first, identifiers, nameOf } = require('./rules.cjs');

const READABLE = /^(?!.[!?]$)[\p{L}_][\p{L}\p{M}\p{N}_'!?₀-₉ₐ-ₜᵢ-ᵪ]*$/u; // `n!` is a factorial
const NUMBERS = new Map(Object.entries({ ℕ: 'Nat', ℤ: 'Int', ℚ: 'Rat', ℝ: '', ℂ: '' }));  // what they may mean in a header of core Lean
const BY_TYPE = new Set(['Lean.Parser.Term.dotIdent', 'Lean.Parser.Term.proj']);            // a type says what the last name in them means
const SOME_TYPES = ['Nat', 'Int', 'Bool', 'String', 'True', 'Prop', 'Type', 'List Nat', 'Nat → Nat'];
const MOST_TWINS = 64;
const EXPRESSION = { variable: 0, sort: 3, constant: 4, application: 5, lambda: 6, forall: 7 }, BINDER_INFO = 8, EXPLICIT = 0, INSTANCE = 3; // Lean.Expr, Lean.BinderInfo

const RENAMING = '`open … renaming` can change what a statement means; open the namespace, or write names in full';
const renamingRefusal = tree => first(tree, node => command(node) === 'openRenaming' ? RENAMING : null);

/** Parts of the name that a declaration declares, as it is written. */
function declaredName({ parts: [, declared] }) {
  const id = declared?.parts.find(part => command(part) === 'declId');
  return id?.parts[0]?.name ?? [];
}

/** Namespaces (parts) that `open … in` opens somewhere in a tree. */
function* openedNamespaces(tree) {
  if (/^open(Simple|Hiding|Scoped|Only)$/.test(command(tree))) yield* identifiers(tree).map(({ name }) => name);
  else for (const part of tree.parts) yield* openedNamespaces(part);
}

class Names {
  constructor(frontend, dependencies, twins) {
    Object.assign(this, { frontend, dependencies, lean: frontend.lean, twins, meant: new Map() });
  }

  /** Why a command must not stand in a header, whatever its names mean, or null. */
  refusal(tree, state) {
    const namespace = this.namespace(state), isKnown = ({ name }) => this.meanings(this.frontend.library, namespace, this.openDeclarations(state), name).length > 0;
    return renamingRefusal(tree) ?? first(tree, node => {
      const declared = command(node) === 'declaration' ? declaredName(node) : [];
      if (declared.length && [...namespace, ...declared].includes('Lean')) return `\`${declared.join('.')}\` is in a namespace of Lean's own; choose another one`;
      const hidden = command(node) === 'variable' && node.parts[1].parts.flatMap(({ parts }) => identifiers(parts[1])).find(isKnown);
      return hidden ? `the variable \`${nameOf(hidden)}\` hides a name of the library; choose another one` : null;
    });
  }

  /** Doubts about the names in a tree, where a borrowed state is. With a `closure`, of a statement, whose own name says nothing. */
  doubts(tree, state, { closure } = {}) {
    const environment = this.frontend.environment(state), openDeclarations = this.opening(state, [...openedNamespaces(tree)]);
    const visit = (node, namespace) => {
      if (BY_TYPE.has(node.kind)) return node.parts.slice(0, -1).flatMap(part => visit(part, namespace));
      if (command(node) === 'declId' && closure) return [];
      if (node.name) return doubtsAbout(node.name, namespace);
      if (command(node) === 'declId') return visit(node.parts[0], namespace).filter(doubt => !doubt.isNumber);
      const inner = command(node) === 'declaration' ? [...namespace, ...declaredName(node)] : namespace; // its own namespace while it is elaborated
      return node.parts.flatMap(part => visit(part, inner));
    };
    const doubtsAbout = (name, namespace) => {
      const text = name.join('.'), meanings = where => this.meanings(where, namespace, openDeclarations, name);
      if (name.some(part => typeof part === 'string' && !READABLE.test(part))) return [{ why: `the name «${text}» is easily taken for something else; choose another one` }];
      const twin = this.twinsOf(text).find(other => this.meanings(this.frontend.library, namespace, openDeclarations, other.split('.')).some(({ fields }) => !fields));
      if (twin) return [{ why: `the name \`${text}\` is easily taken for \`${twin}\`; choose another one` }];
      const found = meanings(environment), here = found.filter(({ parts }) => !this.isInLibrary(parts));
      if (NUMBERS.has(text) && !found.length) return [{ why: `\`${text}\` means nothing here; ${wayTo(text)}`, isNumber: true }];
      if (!here.length) return [];
      const known = [...meanings(this.frontend.library), ...this.meanings(this.frontend.library, [], this.lean.box(0), name)].filter(({ parts }) => this.isInLibrary(parts));
      // A new `List.foo` takes nothing: the library would read it as the field `foo` of `List`, but types have no fields.
      const hidden = own => known.find(old => (old.fields <= own.fields || !this.isInLibrary([...old.parts, 'rec'])) && this.canMean(state, old, own));
      return here.flatMap(own => {
        const old = hidden(own), name = shown(own.parts).join('.');
        const why = old && `\`${text}\` means \`${name}\` and hides the library's \`${old.parts.join('.')}\`; write \`${name}\`, or choose another name`;
        return old ? [{ own: own.parts, why }] : [];
      });
    };
    const doubts = visit(tree, this.namespace(state));
    this.lean.release(openDeclarations);
    return doubts;
  }

  /** A doubt about the names of the constants that a statement uses, as far as they are written in its header (its state and text), or null. */
  doubtAbout(closure, { state, text: header }) {
    for (const { parts, value } of closure.constants.values()) {
      const own = shown(parts), last = own.at(-1), name = own.join('.'), doubt = why => ({ why, own: parts });
      if (!header.includes(last)) continue; // Lean's own, as `f.eq_1`
      if (own !== parts && this.isInLibrary(own)) return doubt(`the private \`${name}\` hides the library's; choose another name`);
      if (NUMBERS.has(last) && (value === '' || NUMBERS.get(last) !== value)) return doubt(`\`${name}\` is not what \`${last}\` is in mathematics; ${wayTo(last)}`);
      const hidden = this.hiddenField(state, own);
      if (hidden) return doubt(`\`${name}\` ${hidden}, since \`${own.slice(0, -1).join('.')}\` stands for a type that has it; choose another name`);
      if (this.kindInLibrary(own.slice(0, -1)) === 'definition') return doubt(`\`${name}\` is in the namespace of a definition of the library, where it can hide a field; choose another namespace`);
    }
    return null;
  }

  /** Parts of the names of constants whose names are not known yet (by their addresses, which are noted) in a borrowed state. */
  added(state, known) {
    const { lean } = this, environment = kernel(lean, this.frontend.environment(state)), pairs = lean.call('l_Lean_PersistentHashMap_toList___redArg', lean.retain(lean.field(lean.field(environment, 0), 1)));
    const fresh = lean.list(pairs).map(pair => lean.field(pair, 0)).filter(name => !known.has(name) && known.add(name)), parts = fresh.map(name => lean.nameParts(name));
    [pairs, environment].forEach(object => lean.release(object));
    return parts;
  }

  /** Whether a name means a constant where a borrowed state is. */
  isDeclared(state, name) { return this.meanings(this.frontend.environment(state), this.namespace(state), this.openDeclarations(state), name).some(({ fields }) => !fields); }

  // ---- steps of the above

  /**
   * That one of the header's (parts) hides a field, or empty: its namespace is a definition that stands for a type of the library's, or may,
   * which has that field; or a structure that extends one.
   */
  hiddenField(state, own) {
    const { lean } = this, field = own.at(-1), seen = new Set();
    const hiddenIn = (type, isFirst) => {
      const name = [...type, field], info = type.length ? constantInfo(this.frontend, state, type) : null;
      if (!isFirst && this.isInLibrary(name)) return `hides the library's \`${name.join('.')}\``;
      if (!info || seen.has(name.join('.')) || this.isInLibrary(type)) return '';
      seen.add(name.join('.'));
      if (info.kind === 'inductive') return this.parents(state, info).map(parent => hiddenIn(parent, false)).find(Boolean) ?? '';
      if (info.kind !== 'definition' || !this.isType(info.type)) return '';
      let value = info.value;
      for (; lean.tag(value) === EXPRESSION.lambda; value = lean.field(value, 2));
      const head = this.head(value), isUnknown = lean.tag(head) !== EXPRESSION.constant || (this.kindOf(state, head) === 'definition' && this.dependencies.isInLibrary(lean.field(head, 0)));
      if (lean.tag(head) === EXPRESSION.forall) return hiddenIn(['Function'], false);
      if (lean.tag(head) === EXPRESSION.sort) return '';
      return isUnknown ? `may hide a field \`${field}\` of the library's` : hiddenIn(lean.nameParts(lean.field(head, 0)), false);
    };
    return hiddenIn(own.slice(0, -1), true);
  }

  /** Whether a type is one of types, or of functions that give types. */
  isType(type) {
    for (; this.lean.tag(type) === EXPRESSION.forall; type = this.lean.field(type, 2));
    return this.lean.tag(type) === EXPRESSION.sort;
  }

  /** Types (parts) of the fields of a structure that are called as those of the structures that it extends. */
  parents(state, { constructors }) {
    const { lean } = this, parents = [], [constructor] = constructors, info = constructor && constructors.length === 1 ? constantInfo(this.frontend, state, lean.nameParts(constructor)) : null;
    for (let type = info?.type ?? lean.box(0); lean.tag(type) === EXPRESSION.forall; type = lean.field(type, 2)) {
      const head = this.head(lean.field(type, 1)), isParent = /^to\p{Lu}/u.test(String(lean.nameParts(lean.field(type, 0)).at(-1)));
      if (isParent && lean.tag(head) === EXPRESSION.constant) parents.push(lean.nameParts(lean.field(head, 0)));
    }
    return parents;
  }

  namespace(state) { return this.lean.nameParts(this.lean.field(this.frontend.scope(state), 2)); }
  openDeclarations(state) { return this.lean.field(this.frontend.scope(state), 3); }

  /** The open declarations (owned) of a borrowed state and of namespaces (parts, as written) that are opened one after the other. */
  opening(state, opened) {
    const { lean } = this, environment = this.frontend.environment(state);
    return opened.reduce((open, parts) => {
      const found = lean.call('l_Lean_ResolveName_resolveNamespace', lean.retain(environment), lean.nameOf(this.namespace(state)), lean.retain(open), lean.nameOf(parts));
      const simple = lean.list(found).map(namespace => lean.constructorObject(0, [lean.retain(namespace), lean.box(0)])); // OpenDecl.simple namespace, without exceptions
      lean.release(found);
      return simple.reduce((rest, first) => lean.constructorObject(1, [first, rest]), open); // List.cons
    }, lean.retain(this.openDeclarations(state)));
  }

  /** What a name can mean in a namespace (parts): [{parts: of a constant, fields: how many components are left over}]. */
  meanings(environment, namespace, openDeclarations, parts) {
    const { lean } = this;
    const found = lean.call('l_Lean_ResolveName_resolveGlobalName', lean.retain(environment), lean.box(0), lean.nameOf(namespace), lean.retain(openDeclarations), lean.nameOf(parts));
    const meanings = lean.list(found).map(pair => ({ parts: lean.nameParts(lean.field(pair, 0)), fields: lean.list(lean.field(pair, 1)).length }));
    lean.release(found);
    return meanings;
  }

  /**
   * Whether a constant of the library could stand where one of the header's does: it takes the same first arguments, or is a value of its
   * type. It is tried, with types that are parameters standing for some of the library's; whatever cannot be tried, could.
   */
  canMean(state, old, own) {
    const key = JSON.stringify([old, own]);
    if (!this.meant.has(key)) this.meant.set(key, this.tryToMean(state, old, own));
    return this.meant.get(key);
  }

  tryToMean(state, old, own) {
    if (old.fields || own.fields || own.parts !== shown(own.parts)) return true;
    const { lean, frontend } = this, binders = [], tag = object => lean.tag(object);
    let result = constantInfo(frontend, state, own.parts).type;
    for (; tag(result) === EXPRESSION.forall; result = lean.field(result, 2)) binders.push({ head: this.head(lean.field(result, 1)), info: lean.scalar(result, BINDER_INFO) });
    const end = this.head(result), explicit = binders.filter(({ info }) => info === EXPLICIT);
    const takesAnything = explicit.some(({ head }) => tag(head) === EXPRESSION.variable) && !explicit.some(({ head }) => this.isOwnType(state, head));
    const mayBeFunction = !explicit.length && tag(end) !== EXPRESSION.sort && !this.isInductive(state, end); // its type may stand for one
    const isDefined = [...binders.map(({ head }) => head), end].some(head => this.isOwnDefinition(state, head)); // instances do not see what such a type is, but Lean does
    if (takesAnything || mayBeFunction || isDefined) return true;
    const types = binders.some(({ head }) => tag(head) === EXPRESSION.sort) ? SOME_TYPES : ['_'], tries = types.map(type => this.isTaken(state, old, own, binders, type));
    return tries.includes(true) || !tries.includes(false);
  }

  /** Whether, with `type` for parameters that are types, Lean takes the library's constant for the header's; null when it takes neither. */
  isTaken(state, old, own, binders, type) {
    const given = binders.map(({ head }, index) => this.lean.tag(head) === EXPRESSION.sort ? `(${type})` : `x${index}`), variables = given.filter(name => /^x/.test(name));
    const [explicit, instances] = [EXPLICIT, INSTANCE].map(info => given.filter((_, index) => binders[index].info === info));
    const [known, name] = [old.parts, own.parts].map(parts => `_root_.${this.written(parts)}`), whole = `@${name} ${given.join(' ')}`;
    const uses = explicit.length ? explicit.map((_, index) => `${known} ${explicit.slice(0, index + 1).join(' ')}`) : [known, `@_root_.Eq _ (${whole}) ${known}`];
    const attempts = [...instances.map(instance => `have := ${instance}`), `first ${uses.map(use => `| (have := ${use}; exact ⟨⟩)`).join(' ')}`].join('; ');
    const command = end => `example := ${variables.length ? `fun ${variables.join(' ')} => ` : ''}have _ := ${whole}; (${end} : _root_.True)`;
    const root = this.frontend.rootState(state); // neither options nor names of the author's
    try {
      const failure = this.frontend.failure(root, command(`by ${attempts}`));
      if (!failure || /maximum|timeout/.test(failure)) return true;
      return this.frontend.failure(root, command('⟨⟩')) ? null : false;
    } finally { this.lean.release(root); }
  }

  head(expression) {
    for (; this.lean.tag(expression) === EXPRESSION.application;) expression = this.lean.field(expression, 0);
    return expression;
  }

  isOwnType(state, expression) { return this.isInductive(state, expression) && !this.dependencies.isInLibrary(this.lean.field(expression, 0)); }

  isOwnDefinition(state, expression) { return this.kindOf(state, expression) === 'definition' && !this.dependencies.isInLibrary(this.lean.field(expression, 0)); }
  isInductive(state, expression) { return this.kindOf(state, expression) === 'inductive'; }

  /** Kind of the constant that an expression is, or empty. */
  kindOf(state, expression) {
    if (this.lean.tag(expression) !== EXPRESSION.constant) return '';
    const environment = kernel(this.lean, this.frontend.environment(state)), kind = this.kindIn(environment, this.lean.field(expression, 0));
    this.lean.release(environment);
    return kind;
  }

  withName(parts, use) {
    const name = this.lean.nameOf(parts), result = use(name);
    this.lean.release(name);
    return result;
  }

  written(parts) { return this.withName(parts, name => this.lean.nameText(name)); }
  isInLibrary(parts) { return this.withName(parts, name => this.dependencies.isInLibrary(name)); }
  kindInLibrary(parts) { return this.withName(parts, name => this.kindIn(this.dependencies.library, name)); }

  kindIn(environment, name) {
    const info = find(this.lean, environment, name);
    return info ? describe(this.lean, info).kind : '';
  }

  /** ASCII texts that a name can be taken for. */
  twinsOf(text) {
    const { twins } = this, choices = letter => Object.hasOwn(twins, letter) ? twins[letter] : [letter];
    if (![...text].some(letter => Object.hasOwn(twins, letter))) return [];
    return [...text].reduce((texts, letter) => texts.flatMap(start => choices(letter).map(end => start + end)).slice(0, MOST_TWINS), ['']);
  }
}

/** A name as it is written: without what makes a private one private. */
const shown = parts => parts[0] === '_private' ? parts.slice(parts.lastIndexOf(0) + 1) : parts;

/** What to write for a symbol of numbers. */
const wayTo = symbol => NUMBERS.get(symbol) ? `write \`notation "${symbol}" => ${NUMBERS.get(symbol)}\` into the header` : 'core Lean has no such numbers';

module.exports = { Names, renamingRefusal };
