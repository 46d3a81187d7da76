'use strict';
// What no text may say, judged on Lean's own syntax tree before any of it is elaborated: for every tactic, proof and statement, syntax that
// makes Lean run the author's code while it elaborates. Such code could write into Lean's memory. The list is complete for the pinned
// version: a term or tactic block reaches the interpreter (`Environment.evalConst`) through `native_decide`, `reduceBool` and `reduceNat`,
// `run_tac`, `by_elab`, `include_str`, the configurations of tactics, panel widgets, attributes, and documentation in Verso, which is an
// option. Headers that nobody vouches for are held to more (headers.cjs).

const NODE = 1, ATOM = 2, IDENT = 3; // constructors of Lean.Syntax

const FORBIDDEN = new Map(Object.entries({
  'Lean.Parser.Tactic.nativeDecide': '`native_decide` trusts the compiler, not the kernel',
  'Lean.Parser.Tactic.runTac': '`run_tac` runs code of its own',
  'Lean.byElab': '`by_elab` runs code of its own',
  'Lean.includeStr': '`include_str` reads files',
  'Lean.Parser.Term.unsafe': '`unsafe` code has no place in a proof',
}));
const FORBIDDEN_NAMES = new Set(['reduceBool', 'reduceNat', 'ofReduceBool', 'ofReduceNat']);

const ATTRIBUTES = new Set(['simp', 'grind', 'ext', 'reducible', 'semireducible', 'irreducible', 'inline', 'noinline', 'always_inline', 'specialize',
  'match_pattern', 'elab_as_elim', 'expose', 'deprecated', 'inherit_doc', 'instance', 'default_instance', 'class', 'coe']);
const OPTIONS = /^(maxRecDepth|maxHeartbeats|maxUniverseOffset|autoImplicit|relaxedAutoImplicit|smartUnfolding|simprocs|warningAsError|quotPrecheck|(exponentiation|synthInstance|pp|linter|trace|backward|tactic|grind|diagnostics|profiler|warn|format)(\..*)?)$/;

// A configuration is evaluated, so it must be written out: numbers, texts, `true` and `false`, `.constructor`, lists and fields of these.
const LITERAL_KINDS = /^(null|num|str|scientific|choice|hygieneInfo|term\[_\]|term-_|term\{\}|Lean\.Parser\.Term\.(structInst\w*|optEllipsis|app|paren|hygienicLParen|tuple))$/;
const LITERAL_NAMES = new Set(['true', 'false', 'none', 'some']);
const FREE_NAMES = new Set(['Lean.Parser.Term.dotIdent', 'Lean.Parser.Term.structInstLVal']); // name a constructor, a field

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

// ---- what makes Lean run the author's code

/** Why a tree must not be elaborated, or null. */
function refusal(tree) {
  return first(tree, node => {
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
  if (!kind.endsWith('.negConfigItem') && parts.some(part => identifiers(part).some(({ name }) => name.at(-1) === 'native'))) return '`native` evaluation trusts the compiler, not the kernel';
  return parts[3] && !isLiteral(parts[3]) ? 'the value of a tactic\'s option must be written out, because Lean runs it' : null;
}

function isLiteral(tree) {
  if (tree.name) return LITERAL_NAMES.has(nameOf(tree));
  return FREE_NAMES.has(tree.kind) || ((!tree.kind || LITERAL_KINDS.test(tree.kind)) && tree.parts.every(isLiteral));
}

function optionRefusal(option) {
  return !option?.name || OPTIONS.test(nameOf(option)) ? null : `\`set_option ${nameOf(option)}\` is not allowed`;
}

/** A text that breaks off may leave out any part: that is the parser's error, not ours. */
function attributeRefusal(attribute) {
  if (!attribute) return null;
  const name = keyword(attribute);
  return ATTRIBUTES.has(name) ? null : `the attribute \`${name}\` is not allowed`;
}

module.exports = { Trees, command, first, identifiers, keyword, nameOf, refusal };
