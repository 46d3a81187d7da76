'use strict';
// What the text of strangers may not say, judged on Lean's own syntax tree before any of it is elaborated.
//
// Most cheats need no rule: the kernel and the axioms that a proof depends on decide. Rules are for what an environment cannot show:
//
// 1. `refusal`, for every tactic, proof and statement: syntax that makes Lean evaluate the author's code while it elaborates. The guard
//    (guard.cjs) stops whatever gets that far; here the author is told what and why. In the pinned version a proof, term or statement
//    reaches the interpreter (`Environment.evalConst`, whose callers these are) through
//    - the configurations of tactics, which are terms: `native` among them, and values that are not written out,
//    - `native_decide`, and `reduceBool` and `reduceNat` in any term,
//    - `run_tac`, `by_elab`, `include_str`, and panel widgets,
//    - attributes (of `let rec` and `where`): parsers, macros, elaborators, simprocs, passes and folders of the compiler, `init` …,
//      and `implemented_by`, `extern`, `export`, `csimp`, which put one piece of code in another's place,
//    - options: documentation in Verso, whatever `compiler`, `interpreter` and `debug` change.
// 2. `Rules`, for text that nobody vouches for (`burnqed lean check FILE`): a header may introduce new names and nothing else; it must
//    neither change how a statement reads nor assume anything.

const { addedConstants, kernel } = require('./environment.cjs');

let isOn = true;

const NODE = 1, ATOM = 2, IDENT = 3; // constructors of Lean.Syntax

const FORBIDDEN = new Map(Object.entries({
  'Lean.Parser.Tactic.nativeDecide': '`native_decide` trusts the compiler, not the kernel',
  'Lean.Parser.Tactic.runTac': '`run_tac` runs code of its own',
  'Lean.byElab': '`by_elab` runs code of its own',
  'Lean.includeStr': '`include_str` reads files',
  'Lean.Parser.Term.unsafe': '`unsafe` code has no place in a proof',
}));
const FORBIDDEN_NAMES = new Set(['reduceBool', 'reduceNat', 'ofReduceBool', 'ofReduceNat']);

// None of these evaluates anything, nor puts code in another's place.
const ATTRIBUTES = new Set(['simp', 'grind', 'ext', 'norm_cast', 'congr', 'refl', 'symm', 'reducible', 'semireducible', 'irreducible', 'inline', 'noinline',
  'always_inline', 'specialize', 'match_pattern', 'elab_as_elim', 'expose', 'deprecated', 'inherit_doc']);
const OPTIONS = /^(maxRecDepth|maxHeartbeats|maxUniverseOffset|autoImplicit|relaxedAutoImplicit|smartUnfolding|simprocs|warningAsError|(exponentiation|synthInstance|pp|linter|trace|backward|tactic|grind|diagnostics|profiler|warn|format)(\..*)?)$/;

// A configuration is evaluated, so it must be written out: numbers, `true` and `false`, and the constructors of these options' types.
const CONSTRUCTORS = new Map(Object.entries({
  transparency: /^\. (all|default|reducible|instances)$/,
  etaStruct: /^\. (all|notClasses|none)$/,
  newGoals: /^\. (all|nonDependentFirst|nonDependentOnly)$/,
  occs: /^\. (all|(pos|neg) \[( \d+( , \d+)*)? \])$/,
}));
const NUMBER_OR_BOOL = /^(\d\w*|true|false)$/;
const VALUE_KINDS = /^(null|num|choice|term\[_\]|term\{\}|Lean\.Parser\.Term\.(structInst\w*|optEllipsis|app|dotIdent))?$/; // nobody's notation

const COMMANDS = new Set(['declaration', 'open', 'namespace', 'section', 'end', 'variable', 'universe', 'set_option', 'mutual', 'attribute', 'in', 'check',
  'print', 'printAxioms', 'moduleDoc', 'eoi']);
const DECLARATIONS = new Set(['definition', 'abbrev', 'theorem', 'example', 'inductive', 'structure']);
const MODIFIERS = new Set(['docComment', 'private', 'public', 'protected', 'noncomputable', 'partial', 'nonrec']);
const NOTATIONS = new Set(['notation "ℕ" => Nat', 'notation "ℤ" => Int']); // of the default header

const READABLE = /^[\p{L}_][\p{L}\p{M}\p{N}_'!?₀-₉ₐ-ₜᵢ-ᵪ]*$/u;
const LOOKALIKES = 'ΑAΒBΕEΖZΗHΙIΚKΜMΝNΟOΡPΤTΥYΧX' + 'αaγyιiκkνvοoρpυuχxωw' + 'АAВBЕEКKМMНHОOРPСCТTУYХXІIЈJЅS' + 'аaеeоoрpсcуyхxіiјjѕsԁdԛqԝw' + 'ɡgıi';
const LATIN = new Map([...LOOKALIKES.matchAll(/(.)(.)/gu)].map(([, twin, latin]) => [twin, latin]));

// ---- syntax as plain data

/** Makes trees of Syntax: {kind, parts} of a node, {kind: '', parts: [], word} of an atom, {…, name: parts, object} of an identifier. */
class Trees {
  constructor(lean) {
    this.lean = lean;
    this.kinds = new Map();
  }
  /** Tree of a borrowed Syntax, valid as long as that is. */
  of(syntax) {
    const { lean } = this, leaf = { kind: '', parts: [] };
    if (lean.isBoxed(syntax)) return leaf; // missing: the parser gave up here
    switch (lean.tag(syntax)) {
      case NODE: return { kind: this.kind(lean.field(syntax, 1)), parts: lean.items(lean.field(syntax, 2)).map(part => this.of(part)) };
      case ATOM: return { ...leaf, word: lean.text(lean.field(syntax, 1)) };
      case IDENT: return { ...leaf, name: lean.nameParts(lean.field(syntax, 2)), object: lean.field(syntax, 2) };
    }
    throw new Error(`there is no kind ${lean.tag(syntax)} of Syntax`);
  }
  /** Name of a kind. The parsers' own are persistent objects: their addresses name them for good. */
  kind(name) {
    const isPersistent = !this.lean.isBoxed(name) && this.lean.word(name) === 0;
    let text = isPersistent ? this.kinds.get(name) : undefined;
    if (text === undefined) {
      text = this.lean.nameParts(name).join('.');
      if (isPersistent) this.kinds.set(name, text);
    }
    return text;
  }
}

/** The first truthy `rule(node)`, from the root down, or null. */
function first(tree, rule) {
  const found = rule(tree);
  if (found) return found;
  for (const part of tree.parts) {
    const inner = first(part, rule);
    if (inner) return inner;
  }
  return null;
}

const identifiers = tree => tree.name ? [tree] : tree.parts.flatMap(identifiers);
const nameOf = identifier => identifier.name.join('.');
/** `simp` of `simp ↓`, `implemented_by` of `implemented_by f`: the first word or name. */
const keyword = tree => first(tree, node => node.word ?? (node.name && nameOf(node))) ?? '';
/** `open` of `Lean.Parser.Command.open`; the whole kind of anything that is no command. */
const command = tree => tree.kind.replace(/^Lean\.Parser\.Command\./, '');

/** Whether a command is notation: the parsers and macros that Lean makes of it are Lean's own code. */
function isNotation(tree) { return command(tree) === 'in' ? isNotation(tree.parts[2]) : /^(notation|mixfix)$/.test(command(tree)); }

// ---- 1. what makes Lean run the author's code

/** Why a tree must not be elaborated, or null. */
function refusal(tree) {
  return !isOn ? null : first(tree, node => {
    if (FORBIDDEN.has(node.kind)) return FORBIDDEN.get(node.kind);
    if (node.kind.startsWith('Lean.Widget.')) return 'widgets run code of their own';
    if (node.name && FORBIDDEN_NAMES.has(node.name.at(-1))) return `\`${nameOf(node)}\` trusts the compiler, not the kernel`;
    if (/ConfigItem$/.test(node.kind)) return configurationRefusal(node);
    if (node.parts[0]?.word === 'set_option') return optionRefusal(node.parts[1]);
    if (node.kind === 'Lean.Parser.Term.attrInstance') return attributeRefusal(node.parts[1]);
    return null;
  });
}

/** Items are `+name`, `-name` and `(name := value)`. */
function configurationRefusal({ kind, parts }) {
  const option = parts.find(part => part.name), isOff = kind.endsWith('.negConfigItem');
  if (!isOff && parts.some(part => identifiers(part).some(({ name }) => name.at(-1) === 'native'))) return '`native` evaluation trusts the compiler, not the kernel';
  if (!parts[3] || (option && isWrittenOut(nameOf(option), parts[3]))) return null;
  return 'the value of a tactic\'s option must be written out, because Lean runs it: a number, `true`, `false`, or one of Lean\'s own words for this option, as `.all`';
}

function isWrittenOut(option, value) {
  if (first(value, node => !VALUE_KINDS.test(node.kind))) return false;
  return option === 'config' ? isStructure(value) : isValue(option, words(value));
}

const isValue = (option, value) => (CONSTRUCTORS.get(option) ?? NUMBER_OR_BOOL).test(value.join(' '));

/** `{ option := value, … }` and nothing else: neither `with`, `..` nor a type. Of `{}`, which the parser reads in two ways, both. */
function isStructure({ kind, parts }) {
  if (kind === 'choice') return parts.every(part => words(part).join('') === '{}');
  if (kind !== 'Lean.Parser.Term.structInst') return false;
  const [, sources, { parts: [fields] }, ...rest] = parts;
  const isField = field => {
    const [option, is, ...value] = words(field); // of a field with parameters, these stand before `:=`
    return identifiers(field.parts[0]).length && is === ':=' && isValue(option, value);
  };
  return !words(sources).length && words({ parts: rest }).join('') === '}' && fields.parts.filter(part => part.kind).every(isField);
}

/** What is written in a tree, from left to right; a name with spaces is no word. */
const words = tree => tree.word !== undefined ? [tree.word] : tree.name ? [nameOf(tree).replace(/\s/g, '?')] : tree.parts.flatMap(words);

function optionRefusal(option) {
  return !option?.name || OPTIONS.test(nameOf(option)) ? null : `\`set_option ${nameOf(option)}\` is not allowed`;
}

/** A text that breaks off may leave out any part: that is the parser's error, not ours. */
function attributeRefusal(attribute) {
  if (!attribute) return null;
  const name = keyword(attribute);
  return ATTRIBUTES.has(name) ? null : `the attribute \`${name}\` is not allowed`;
}

// ---- 2. what changes how a statement reads

const notAllowed = tree => `\`${keyword(tree)}\` in a header can change what a statement means, or assume something`;
const renamingRefusal = tree => first(tree, node => command(node) === 'openRenaming' ? '`open … renaming` can change what a statement means' : null);

function declarationRefusal({ parts: [modifiers, declared] }) {
  if (!DECLARATIONS.has(command(declared)) || command(declared.parts[0]) === 'classTk') return notAllowed(declared);
  const modifier = modifiers.parts.flatMap(part => part.parts).find(part => part.kind !== 'Lean.Parser.Term.attributes' && !MODIFIERS.has(command(part)));
  return modifier ? `a definition may not be \`${keyword(modifier)}\`` : null;
}

/** Of `… in theorem …`: only namespaces and options. */
function prefixRefusal(tree) {
  if (command(tree) !== 'in') return null;
  switch (command(tree.parts[0])) {
    case 'open': case 'set_option': return null;
  }
  return `\`${keyword(tree)} … in\` can change what the statement means`;
}

/** A theorem's command without its proof. */
function statementOf(tree) {
  const isStatement = part => !command(part).startsWith('declVal');
  return { ...tree, parts: tree.parts.filter(isStatement).map(part => /^(in|declaration|theorem)$/.test(command(part)) ? statementOf(part) : part) };
}

/** Parts of the name that a declaration declares: its own namespace while it is elaborated. */
function declaredName({ parts: [, declared] }) {
  const id = declared?.parts.find(part => command(part) === 'declId');
  return id?.parts[0]?.name ?? [];
}

/** Namespaces (parts) that `open … in` opens somewhere in a tree. */
function* openedNamespaces(tree) {
  if (/^open(Simple|Hiding|Scoped|Only)$/.test(command(tree))) yield* identifiers(tree).map(({ name }) => name);
  else for (const part of tree.parts) yield* openedNamespaces(part);
}

/** What a name of several letters looks like in plain Latin ones; null when it is in plain Latin letters, or short as `α`. */
function latinTwin(text) {
  const twin = text.normalize('NFKC').replace(/\p{Cf}/gu, '').replace(/./gsu, letter => LATIN.get(letter) ?? letter);
  return twin === text || twin.length < 2 ? null : twin;
}

class Rules {
  constructor(frontend, dependencies) {
    this.frontend = frontend;
    this.dependencies = dependencies;
  }

  /** For one header: a function (tree, its text, borrowed state) → why the next command must not be elaborated, or null. */
  forHeader() {
    const types = new Set(); // variables that stand for a type
    return (tree, text, state) => refusal(tree) ?? this.commandRefusal(tree, text, types) ?? renamingRefusal(tree) ?? this.nameRefusal(tree, state);
  }

  /** Why a statement, given as the tree of a theorem's command, may not say what it seems to say, or null. */
  forStatement(tree, state) {
    const statement = statementOf(tree);
    return first(statement, prefixRefusal) ?? renamingRefusal(statement) ?? this.nameRefusal(statement, state, { isNameJudged: false });
  }

  commandRefusal(tree, text, types) {
    const kind = command(tree);
    if (kind === 'notation' && NOTATIONS.has(text.trim().replace(/\s+/g, ' '))) return null;
    if (!COMMANDS.has(kind)) return notAllowed(tree);
    switch (kind) {
      case 'declaration': return declarationRefusal(tree);
      case 'mutual': return tree.parts[1].parts.map(part => this.commandRefusal(part, text, types)).find(Boolean) ?? null;
      case 'in': return this.commandRefusal(tree.parts[0], text, types) ?? this.commandRefusal(tree.parts[2], text, types);
      case 'attribute': return first(tree, node => command(node) === 'eraseAttr' ? attributeRefusal(node.parts[1]) : null);
      case 'variable': return this.variableRefusal(tree, types);
    }
    return null;
  }

  /**
   * Variables may not hide names of the library. Instances, which a theorem takes along without being asked, may only be of types
   * among the variables: `[DecidableEq α]`, neither `[LE Nat]`, another order, nor `[Nonempty (PLift (n = 5))]`, an assumption.
   */
  variableRefusal(tree, types) {
    for (const { kind, parts: [, names, type] } of tree.parts[1].parts) {
      const hidden = identifiers(names).find(name => this.meaningsInLibrary(name.object).length);
      if (hidden) return `the variable \`${nameOf(hidden)}\` hides a name of the library`;
      const isOfTypes = ({ kind, parts }) => kind === 'Lean.Parser.Term.app' && parts[1].parts.every(part => part.name && types.has(nameOf(part)));
      if (kind === 'Lean.Parser.Term.instBinder' && !isOfTypes(type)) return 'an instance among the variables may only be of types that are variables';
      if (/^Lean\.Parser\.Term\.(type|sort)$/.test(type.parts[1]?.kind)) identifiers(names).forEach(name => types.add(nameOf(name)));
    }
    return null;
  }

  /** The first name in a tree that the library knows and the header gave another meaning, or that is easily taken for another one. */
  nameRefusal(tree, state, { isNameJudged = true } = {}) {
    const { lean } = this.frontend, scope = this.frontend.scope(state), environment = this.frontend.environment(state);
    const opened = [...openedNamespaces(tree)], openDeclarations = lean.field(scope, 3);
    const visit = (node, namespace) => {
      if (command(node) === 'declId' && !isNameJudged) return null; // the theorem's own name says nothing
      if (node.name) return check(node, [namespace, ...opened, ...opened.map(name => [...namespace, ...name])]);
      const inner = command(node) === 'declaration' ? [...namespace, ...declaredName(node)] : namespace; // names of its prefix need none
      return node.parts.map(part => visit(part, inner)).find(Boolean) ?? null;
    };
    const check = ({ name, object }, namespaces) => {
      const text = name.join('.'), twin = latinTwin(text), known = this.meaningsInLibrary(object);
      const here = namespaces.flatMap(parts => this.meanings(environment, parts, openDeclarations, object));
      if (name.some(part => typeof part === 'string' && !READABLE.test(part))) return `the name «${text}» is easily taken for something else`;
      if (twin && this.withName(twin.split('.'), other => this.meanings(environment, namespaces[0], openDeclarations, other)).some(({ fields }) => !fields)) {
        return `the name \`${text}\` is easily taken for \`${twin}\``;
      }
      // A new `List.foo` takes nothing: the library would read it as the field `foo` of `List`, but types have no fields.
      const isTaken = here.some(({ parts, fields }) => !this.isInLibrary(parts) && known.some(old => old.fields <= fields || !this.isInLibrary([...old.parts, 'rec'])));
      return isTaken ? `\`${text}\` means something else here than in the library` : null;
    };
    return visit(tree, lean.nameParts(lean.field(scope, 2)));
  }

  /** Why a header may not have added what it added to the library, or null: its code could come to run as a tactic's configuration. */
  additionsRefusal(state) {
    const { lean } = this.frontend, environment = kernel(lean, this.frontend.environment(state));
    const added = [...addedConstants(lean, environment).keys()].find(name => name.startsWith('Lean.'));
    lean.release(environment);
    return added ? `\`${added}\` is in a namespace of Lean's own` : null;
  }

  meaningsInLibrary(name) { return this.meanings(this.frontend.library, [], this.frontend.lean.box(0), name); }

  /** What a name can mean in a namespace (parts): [{parts: of a constant, fields: how many components are left over}]. Borrows all. */
  meanings(environment, namespace, openDeclarations, name) {
    const { lean } = this.frontend;
    const found = lean.call('l_Lean_ResolveName_resolveGlobalName', lean.retain(environment), lean.box(0), lean.nameOf(namespace), lean.retain(openDeclarations), lean.retain(name));
    const meanings = lean.list(found).map(pair => ({ parts: lean.nameParts(lean.field(pair, 0)), fields: lean.list(lean.field(pair, 1)).length }));
    lean.release(found);
    return meanings;
  }

  isInLibrary(parts) { return this.withName(parts, name => this.dependencies.isInLibrary(name)); }

  /** `use(name)` of a Name made for the occasion. */
  withName(parts, use) {
    const name = this.frontend.lean.nameOf(parts), result = use(name);
    this.frontend.lean.release(name);
    return result;
  }
}

/** For tests of what stands behind the rules: from now on nothing is refused. */
function switchOff() {
  isOn = false;
  Object.assign(Rules.prototype, { forHeader: () => () => null, forStatement: () => null, additionsRefusal: () => null });
}

module.exports = { Rules, Trees, isNotation, refusal, switchOff };
