'use strict';
// Headers and statements that nobody vouches for (`burnqed lean check FILE`): a header may introduce new names and nothing else.
//
// Of its commands, most introduce names or say how they are written: they stand, if the names hide none of the library's (names.cjs). Some
// run the author's code, or assume something: they are refused. The others are suspects: notation, instances and their like, which mostly
// serve the proof but can change what a statement says, also without a trace in it (coercions, default instances). So the statement is
// elaborated twice: first in the plain header, without the suspects and whatever fails without them, then in the whole one. It has to say the
// same in both; what it says has left Lean as text before anything that belongs to a suspect runs.

const { Closure, keyOf } = require('./closure.cjs');
const { Forbidden } = require('./data.cjs');
const { instancesDoubt } = require('./local_instances.cjs');
const { Names, renamingRefusal } = require('./names.cjs');
const { command, first, keyword, refusal } = require('./rules.cjs');
const { PLACEHOLDER, propositionOf, theoremOf } = require('./theorem.cjs');
const { variablesDoubt } = require('./variables.cjs');

const PLAIN = new Set(['open', 'namespace', 'section', 'end', 'variable', 'universe', 'set_option', 'check', 'print', 'printAxioms', 'moduleDoc', 'eoi']);
const DECLARATIONS = new Set(['definition', 'abbrev', 'theorem', 'example', 'inductive', 'structure']);
const DECLARING = new Set(['declaration', 'mutual', 'in']), NAMING = new Set([...DECLARING, 'variable', 'notation']);
const PREFIXES = new Set(['open', 'set_option', 'universe', 'omit']);
const MODIFIERS = new Set(['docComment', 'private', 'public', 'protected', 'noncomputable', 'partial', 'nonrec']);
const SUSPECTS = new Map(Object.entries({
  notation: 'notation', mixfix: 'notation', deriving: 'deriving instance', include: 'include', omit: 'omit', // commands
  instance: 'instance', classTk: 'class', classInductive: 'class', classAbbrev: 'class', opaque: 'opaque',   // declarations
}));
const FOR_PROOFS = new Set(['simp', 'grind', 'ext', 'norm_cast', 'congr', 'refl', 'symm', 'deprecated', 'inherit_doc']); // attributes that no statement depends on
const INSTANCES = new Set(['instance', 'default_instance', 'class', 'coe']);                  // attributes that make suspects of definitions
const NOTATIONS = /^(local )?notation "(ℕ" => Nat|ℤ" => Int|ℚ" => Rat)$/;                     // two of the default header, and one like them
const MOST_TRIED = 20;            // suspects, to find the one that matters
const ANYWAY = '`burnqed lean check --trust-headers` accepts it from authors whom you trust';

/** Why a command must not stand in a header, or null. */
function commandRefusal(tree) {
  const kind = command(tree);
  if (PLAIN.has(kind) || ['deriving', 'include', 'omit', 'classAbbrev'].includes(kind)) return null;
  switch (kind) {
    case 'declaration': return declarationRefusal(tree);
    case 'mutual': return tree.parts[1].parts.map(commandRefusal).find(Boolean) ?? null;
    case 'in': return commandRefusal(tree.parts[0]) ?? commandRefusal(tree.parts[2]);
    case 'attribute': {
      const erased = first(tree, node => command(node) === 'eraseAttr' && !FOR_PROOFS.has(keyword(node.parts[1])) && keyword(node.parts[1]));
      return erased ? `the attribute \`${erased}\` may not be taken away` : null;
    }
    case 'notation': case 'mixfix': // a `$` would be evaluated, a kind of another's name would be taken for that
      return first(tree, node => /antiquot/.test(node.kind) ? '`$` in a notation runs code' : command(node) === 'namedName' ? 'a notation may not name its syntax' : null);
  }
  return notAllowed(tree);
}

const notAllowed = tree => `\`${keyword(tree)}\` can change what a statement means, run code, or assume something`;

function declarationRefusal({ parts: [modifiers, declared] }) {
  if (!DECLARATIONS.has(command(declared)) && !SUSPECTS.has(command(declared))) return notAllowed(declared);
  const modifier = modifiers.parts.flatMap(part => part.parts).find(part => part.kind !== 'Lean.Parser.Term.attributes' && !MODIFIERS.has(command(part)));
  return modifier ? `a definition may not be \`${keyword(modifier)}\`` : null;
}

/** What makes a command suspect, as the reader knows it, or null. */
function suspicion(tree, text) {
  if (NOTATIONS.test(text.trim().replace(/\s+/g, ' '))) return null;
  return first(tree, node => {
    const isAttribute = node.kind === 'Lean.Parser.Term.attrInstance', word = isAttribute ? keyword(node.parts[1] ?? node) : '';
    if (isAttribute && (INSTANCES.has(word) || (command(tree) === 'attribute' && !FOR_PROOFS.has(word)))) return `attribute [${word}]`;
    return SUSPECTS.get(command(node));
  });
}

/** A theorem's command without its proof. */
function statementOf(tree) {
  const isStatement = part => !command(part).startsWith('declVal');
  return { ...tree, parts: tree.parts.filter(isStatement).map(part => /^(in|declaration|theorem)$/.test(command(part)) ? statementOf(part) : part) };
}

/** Of `… in theorem …`: only what opens namespaces, serves the proof, or takes an assumption away. */
function prefixRefusal(tree) {
  const [prefix] = tree.parts, isAttribute = node => node.kind === 'Lean.Parser.Term.attrInstance' || command(node) === 'eraseAttr';
  const isForProofs = () => !first(prefix, node => isAttribute(node) && !FOR_PROOFS.has(keyword(node.parts[1])));
  if (command(tree) !== 'in' || PREFIXES.has(command(prefix)) || (command(prefix) === 'attribute' && isForProofs())) return null;
  return `\`${keyword(prefix)} … in\` can change what the statement means; put it into the header, or what it assumes into the theorem`;
}

/** Of a `let` that leaves no trace where it stood: what it gave Lean would not show (local_instances.cjs). */
function inlinedRefusal(tree) {
  const inlined = first(tree, node => ['letI', 'haveI'].includes(node.word) ? node.word : /^Lean\.Parser\.Term\.let(Pos|Neg)Opt$/.test(node.kind) && 'let +');
  return inlined && `\`${inlined}\` can give Lean an instance that nobody sees; write \`let\` or \`have\``;
}

/** Decides, command by command, what of a header is elaborated (frontend.cjs), and notes what to ask of the statement. */
class Watch {
  /** @param names of a plain header, whose names are looked at; `leavesOut` (suspect) → whether it is left out; `kind` tells watches apart */
  constructor(kind, leavesOut, names = null) {
    Object.assign(this, { kind, leavesOut, names, hasLeftOut: false, refused: '', suspects: [], doubts: [], line: 0 });
    this.lines = new Map();      // key of a constant → line of the command that added it
    this.known = new Set();      // addresses of the names of these constants
  }

  findings() {
    const { refused, suspects, doubts, lines } = this;
    return { refused, suspects, doubts, lines };
  }

  /** Whether a whole command is elaborated. */
  admits(tree, source, syntax, state) {
    const line = this.line = source.lineOf(syntax), why = refusal(tree) ?? commandRefusal(tree) ?? this.names?.refusal(tree, state);
    const what = why ? null : suspicion(tree, source.textOf(syntax));
    if (why) this.refused = `line ${line} of the header: ${why}; ${ANYWAY}`;
    if (what) this.suspects.push({ line, what });
    if (what && this.leavesOut(this.suspects.at(-1))) return !(this.hasLeftOut = true);
    if (why || !this.names || !NAMING.has(command(tree))) return !why;
    const isAlways = !DECLARING.has(command(tree)), inlined = inlinedRefusal(statementOf(tree));
    if (inlined) this.doubts.push({ why: inlined, line, isAlways });
    this.doubts.push(...this.names.doubts(tree, state).map(doubt => ({ ...doubt, line, isAlways })));
    return true;
  }

  /** Hears of the state after the command that was admitted last. */
  elaborated(state) {
    this.names?.added(state, this.known).forEach(parts => this.lines.set(keyOf(parts), this.line));
  }
}

class Rules {
  /** @param twins {character: the ASCII texts that it can be taken for} */
  constructor(frontend, dependencies, twins = {}) {
    Object.assign(this, { frontend, dependencies, names: new Names(frontend, dependencies, twins) });
  }

  /** The header as its proofs have it. */
  whole(text) {
    const plain = this.plain(text);
    return plain.suspects.length && !plain.refused ? this.frontend.header(text, new Watch('whole', () => false)) : plain;
  }

  plain(text) { return this.frontend.header(text, new Watch('plain', () => true, this.names)); }

  /** What a statement says: {header, theorem, header_errors, statement_errors, refused, statement: its text for the judge, or empty}. */
  stated(headerText, statement) {
    const plain = this.read(this.plain(headerText), statement), whole = this.whole(headerText) === plain.header ? plain : this.read(this.whole(headerText), statement);
    if (!whole.statement) return whole;
    let refused;
    try {
      refused = this.differenceRefusal(headerText, statement, plain, whole) || this.statementRefusal(plain);
    } catch (error) {
      if (!(error instanceof Forbidden)) throw error;
      refused = `the statement cannot be judged: ${error.message}`;
    }
    return { ...whole, refused, statement: refused ? '' : whole.statement };
  }

  /** Which suspect changes what the statement says, or empty. */
  differenceRefusal(headerText, statement, plain, whole) {
    const says = ({ statement }) => statement && new Closure(statement).digest(), said = says(whole), { suspects } = plain.header;
    if (whole === plain || says(plain) === said) return '';
    const without = ({ line }) => this.read(this.frontend.header(headerText, new Watch(`without line ${line}`, suspect => suspect.line === line)), statement);
    const { line, what } = suspects.slice(0, MOST_TRIED).find(suspect => says(without(suspect)) !== said) ?? suspects[0];
    return `line ${line} of the header: this \`${what}\` changes what the statement says, or the statement needs it; state it without, or ${ANYWAY}`;
  }

  read(header, statement) {
    const facts = { header, theorem: null, header_errors: header.errors, statement_errors: [], refused: header.refused, statement: '' };
    if (header.errors.length || header.refused) return facts;
    const theorem = theoremOf(this.frontend, header, statement), parsed = { ...facts, theorem, statement_errors: theorem.errors };
    if (theorem.errors.length) return parsed;
    const { errors, text } = propositionOf(this.frontend, this.dependencies, header, theorem);
    return { ...parsed, statement_errors: errors, statement: text };
  }

  /** Why a statement may not say what it seems to say, or empty. */
  statementRefusal({ header, theorem, statement }) {
    const { frontend, dependencies, names } = this, closure = new Closure(statement);
    const { why, ofVariables } = frontend.parsed(header.state, theorem.text + PLACEHOLDER, syntax => {
      const tree = statementOf(frontend.trees.of(syntax)), doubt = names.doubts(tree, header.state, { closure }).find(({ own }) => !own || closure.has(own));
      return { why: first(tree, prefixRefusal) ?? inlinedRefusal(tree) ?? renamingRefusal(tree) ?? doubt?.why, ofVariables: variablesDoubt(names, dependencies, header, tree, closure) };
    });
    if (why) return `the statement: ${why}; ${ANYWAY}`;
    const lineOf = parts => header.lines.get(keyOf(parts)) ?? 0, lines = new Set([...closure.constants.values()].map(({ parts }) => lineOf(parts)));
    const stands = ({ own, line, isAlways }) => (!own || closure.has(own)) && (isAlways || lines.has(line));
    const doubt = header.doubts.find(stands) ?? names.doubtAbout(closure, header.text) ?? ofVariables ?? instancesDoubt(names, dependencies, header.state, closure);
    const line = doubt && (doubt.line ?? lineOf(doubt.own));
    return doubt ? `${line ? `line ${line} of the header` : 'the statement'}: ${doubt.why}; ${ANYWAY}` : '';
  }
}

module.exports = { Rules, commandRefusal };
