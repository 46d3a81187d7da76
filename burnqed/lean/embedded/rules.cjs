'use strict';
// What no text may say, judged on Lean's own syntax tree before any of it is elaborated: for every tactic, proof and statement, syntax that
// makes Lean evaluate the author's code while it elaborates. The guard (guard.cjs) stops whatever gets that far; here the author is told what
// and why. Headers that nobody vouches for are held to more (headers.cjs). In the pinned version a proof, term or statement reaches the
// interpreter (`Environment.evalConst`, whose callers these are) through
// - the configurations of tactics, which are terms: `native` among them, and values that are not written out,
// - `native_decide`, and `reduceBool` and `reduceNat` in any term,
// - `run_tac`, `by_elab`, `include_str`, and panel widgets,
// - attributes (of `let rec` and `where`): parsers, macros, elaborators, simprocs, passes and folders of the compiler, `init` …,
//   and `implemented_by`, `extern`, `export`, `csimp`, which put one piece of code in another's place,
// - options: documentation in Verso, whatever `compiler`, `interpreter` and `debug` change.

let isOn = true;

const NODE = 1, ATOM = 2, IDENT = 3; // constructors of Lean.Syntax

const RULES = require('../rules.json'); // as data: burnqed/lean/rules.py reads them, too

const quoted = text => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), oneOf = texts => texts.map(quoted).join('|');
const told = (why, name) => why.replace('{name}', () => name);

const FORBIDDEN = new Map(Object.entries(RULES.syntax)), FAMILIES = Object.entries(RULES.syntax_families);
const FORBIDDEN_NAMES = new Set(RULES.compiler.names);
const ATTRIBUTES = new Set(RULES.attributes.allowed); // none of these evaluates anything, nor puts code in another's place
const OPTIONS = new RegExp(`^(${oneOf(RULES.options.allowed)}|(${oneOf(RULES.options.families)})(\\..*)?)$`);

// A configuration is evaluated, so it must be written out: numbers, `true` and `false`, and the constructors of these options' types.
const { words: WORDS, lists: LISTS, kinds: KINDS, kind_families: KIND_FAMILIES, ...CONFIGURATIONS } = RULES.configurations;
const NUMBER_OR_BOOL = /^(\d\w*|true|false)$/;
const VALUE_KINDS = new RegExp(`^(${oneOf(KINDS)}|(${oneOf(KIND_FAMILIES)})\\w*)$`); // nobody's notation

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
/** `open` of `Lean.Parser.Command.open`; the whole kind of anything that is not a command. */
const command = tree => tree.kind.replace(/^Lean\.Parser\.Command\./, '');

/** Whether a command is notation, of which Lean makes parsers and macros that are Lean's own code; but for what stands after a `$`. */
function isNotation(tree) {
  if (command(tree) === 'in') return isNotation(tree.parts[2]);
  return /^(notation|mixfix)$/.test(command(tree)) && !first(tree, node => /antiquot/i.test(node.kind));
}

// ---- what makes Lean run the author's code

/** Why a tree must not be elaborated, or null. */
function refusal(tree) {
  return !isOn ? null : first(tree, node => {
    if (FORBIDDEN.has(node.kind)) return FORBIDDEN.get(node.kind);
    const family = FAMILIES.find(([start]) => node.kind.startsWith(start));
    if (family) return family[1];
    if (node.name && FORBIDDEN_NAMES.has(node.name.at(-1))) return told(RULES.compiler.why, nameOf(node));
    if (/ConfigItem$/.test(node.kind)) return configurationRefusal(node);
    if (node.parts[0]?.word === 'set_option') return optionRefusal(node.parts[1]);
    if (node.kind === 'Lean.Parser.Term.attrInstance') return attributeRefusal(node.parts[1]);
    return null;
  });
}

/** Items are `+name`, `-name` and `(name := value)`. */
function configurationRefusal({ kind, parts }) {
  const option = parts.find(part => part.name), isOff = kind.endsWith('.negConfigItem');
  if (!isOff && parts.some(part => identifiers(part).some(({ name }) => name.at(-1) === 'native'))) return CONFIGURATIONS.native;
  if (!parts[3] || (option && isWrittenOut(nameOf(option), parts[3]))) return null;
  return CONFIGURATIONS.why;
}

function isWrittenOut(option, value) {
  if (first(value, node => !VALUE_KINDS.test(node.kind))) return false;
  return option === CONFIGURATIONS.whole ? isStructure(value) : isValue(option, words(value));
}

function isValue(option, value) {
  if (!Object.hasOwn(WORDS, option)) return NUMBER_OR_BOOL.test(value.join(' '));
  const list = oneOf(LISTS[option] ?? []), words = new RegExp(`^\\. (${oneOf(WORDS[option])}${list && `|(${list}) \\[( \\d+( , \\d+)*)? \\]`})$`);
  return words.test(value.join(' '));
}

/** `{ option := value, … }` and nothing else: neither `with`, `..` nor a type. Of `{}`, which the parser reads in two ways, both. */
function isStructure({ kind, parts }) {
  if (kind === 'choice') return parts.every(part => words(part).join('') === '{}');
  if (kind !== 'Lean.Parser.Term.structInst') return false;
  const [, sources, { parts: [fields] }, ...rest] = parts;
  const isField = field => {
    const [option, is, ...value] = words(field); // if a field has parameters, they are before `:=`
    return identifiers(field.parts[0]).length && is === ':=' && isValue(option, value);
  };
  return !words(sources).length && words({ parts: rest }).join('') === '}' && fields.parts.filter(part => part.kind).every(isField);
}

/** What is written in a tree, from left to right; a name with spaces is not a word. */
const words = tree => tree.word !== undefined ? [tree.word] : tree.name ? [nameOf(tree).replace(/\s/g, '?')] : tree.parts.flatMap(words);

function optionRefusal(option) {
  return !option?.name || OPTIONS.test(nameOf(option)) ? null : told(RULES.options.why, nameOf(option));
}

/** A text that breaks off may leave out any part: that is the parser's error, not ours. */
function attributeRefusal(attribute) {
  if (!attribute) return null;
  const name = keyword(attribute);
  return ATTRIBUTES.has(name) ? null : told(RULES.attributes.why, name);
}

/** For tests of what lies behind the rules: from now on they refuse nothing in this thread. */
function switchOff() { isOn = false; }

module.exports = { Trees, command, first, identifiers, isNotation, keyword, nameOf, refusal, switchOff };
