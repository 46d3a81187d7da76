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
const { LocalInstances } = require('./local_instances.cjs');
const { Names, renamingRefusal } = require('./names.cjs');
const { command, first, identifiers, keyword, refusal } = require('./rules.cjs');
const { PLACEHOLDER, propositionOf, theoremOf } = require('./theorem.cjs');
const { variablesDoubt, withoutAssumptions } = require('./variables.cjs');

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
const KEYWORDS = /(^|[^\p{L}\p{N}_.])(theorem|lemma|example|def|abbrev|instance|axiom|opaque|inductive|structure|class|namespace|section|end|mutual|variable|open)($|[^\p{L}\p{N}_])/u;
const WHOLE = 'whole';            // kind of the watch that leaves nothing out
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
    case 'notation': case 'mixfix': // a `$` would be evaluated, a kind of another's name would be taken for that, and a keyword could join two commands
      return first(tree, node => {
        if (/antiquot/.test(node.kind)) return '`$` in a notation runs code';
        if (command(node) === 'namedName') return 'a notation may not name its syntax';
        return node.kind === 'str' && (KEYWORDS.test(node.parts[0].word.slice(1, -1)) || /\\[xu]/.test(node.parts[0].word)) ? 'a notation may contain no keyword, nor letters by their numbers' : null;
      });
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

/** Decides, command by command, what of a header is elaborated (frontend.cjs), and notes what to ask of the statement. */
class Watch {
  /**
   * @param leavesOut (suspect) → whether it is left out; `kind` tells watches apart
   * @param names of a plain header, whose names are looked at, and `instances`, which are watched
   */
  constructor(kind, frontend, leavesOut, { names, instances } = {}) {
    Object.assign(this, { kind, frontend, leavesOut, names, instances, hasLeftOut: false, refused: '', suspects: [], doubts: [], line: 0 });
    this.isAlways = false;       // whether what is wrong with the present command concerns every statement
    this.lines = new Map();      // key of a constant → line of the command that added it
    this.known = new Set();      // addresses of the names of these constants
    this.linesOf = new Map();    // last part of a name → lines that add such a constant
    this.mentioned = new Map();  // line → parts of the names that it mentions
  }

  findings() {
    const { refused, suspects, doubts, lines, linesOf, mentioned } = this;
    return { refused, suspects, doubts, lines, linesOf, mentioned };
  }

  /** Whether a whole command is elaborated; instead of true also the text of another one that is. */
  admits(tree, source, syntax, state) {
    const line = this.line = source.lineOf(syntax), why = refusal(tree) ?? commandRefusal(tree) ?? this.names?.refusal(tree, state);
    if (why) {
      this.refused = `line ${line} of the header: ${why}; ${ANYWAY}`;
      return false;
    }
    const without = command(tree) === 'variable' && this.kind !== WHOLE ? withoutAssumptions(this.frontend, state, source, syntax, tree) : null;
    const what = without === null || without === undefined ? suspicion(tree, source.textOf(syntax)) : 'variable';
    if (what) this.suspects.push({ line, what });
    const isLeftOut = what && this.leavesOut(this.suspects.at(-1));
    this.hasLeftOut ||= isLeftOut;
    if (isLeftOut && !without) return false;
    this.isAlways = !DECLARING.has(command(tree));
    if (this.names) this.mentioned.set(line, new Set([...this.mentioned.get(line) ?? [], ...partsIn(tree)]));
    if (this.names && NAMING.has(command(tree))) this.doubt(this.names.doubts(tree, state));
    return isLeftOut ? without : true;
  }

  /** `body()`, which elaborates the command that was admitted last. */
  watching(body) {
    if (!this.instances) return body();
    const { result, doubts } = this.instances.watched(body);
    this.doubt(doubts);
    return result;
  }

  doubt(doubts) { this.doubts.push(...doubts.map(doubt => ({ ...doubt, line: this.line, isAlways: this.isAlways }))); }

  /** Hears of the state after the command that was admitted last. */
  elaborated(state) {
    for (const parts of this.names?.added(state, this.known) ?? []) {
      const last = String(parts.at(-1));
      this.lines.set(keyOf(parts), this.line);
      this.linesOf.set(last, new Set([...this.linesOf.get(last) ?? [], this.line]));
    }
  }
}

const partsIn = tree => identifiers(tree).flatMap(({ name }) => name.map(String));

/** Lines of a header (findings of a watch) that a statement depends on: of the constants (parts) that it uses, of what it mentions, and of what those mention. */
function linesUsed({ lines, linesOf, mentioned }, constants, mentions) {
  const used = new Set(), queue = constants.map(parts => lines.get(keyOf(parts)) ?? 0);
  const mention = parts => [...parts].forEach(part => queue.push(...linesOf.get(part) ?? []));
  mention(mentions);
  while (queue.length) {
    const line = queue.pop();
    if (used.has(line)) continue;
    used.add(line);
    mention(mentioned.get(line) ?? []);
  }
  return used;
}

class Rules {
  /** @param twins {character: the ASCII texts that it can be taken for} */
  constructor(frontend, dependencies, twins = {}) {
    Object.assign(this, { frontend, dependencies, names: new Names(frontend, dependencies, twins), instances: new LocalInstances(frontend, dependencies) });
  }

  /** The header as its proofs have it. */
  whole(text) {
    const plain = this.plain(text);
    return plain.suspects.length && !plain.refused ? this.frontend.header(text, new Watch(WHOLE, this.frontend, () => false)) : plain;
  }

  plain(text) { return this.frontend.header(text, new Watch('plain', this.frontend, () => true, this)); }

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
    const without = ({ line }) => this.read(this.frontend.header(headerText, new Watch(`without line ${line}`, this.frontend, suspect => suspect.line === line)), statement);
    const { line, what } = suspects.slice(0, MOST_TRIED).find(suspect => says(without(suspect)) !== said) ?? suspects[0];
    return `line ${line} of the header: this \`${what}\` changes what the statement says, or the statement needs it; state it without, or ${ANYWAY}`;
  }

  read(header, statement) {
    const facts = { header, theorem: null, header_errors: header.errors, statement_errors: [], refused: header.refused, statement: '' };
    if (header.errors.length || header.refused) return facts;
    const theorem = theoremOf(this.frontend, header, statement), parsed = { ...facts, theorem, statement_errors: theorem.errors };
    if (theorem.errors.length) return parsed;
    const { result: { errors, text }, doubts } = this.instances.watched(() => propositionOf(this.frontend, this.dependencies, header, theorem));
    theorem.doubts ??= doubts; // once elaborated, it is kept
    return { ...parsed, statement_errors: errors, statement: text };
  }

  /** Why a statement may not say what it seems to say, or empty. */
  statementRefusal({ header, theorem, statement }) {
    const { frontend, dependencies, names } = this, closure = new Closure(statement);
    const { why, ofVariables, mentions } = frontend.parsed(header.state, theorem.text + PLACEHOLDER, syntax => {
      const tree = statementOf(frontend.trees.of(syntax)), doubt = names.doubts(tree, header.state, { closure }).find(({ own }) => !own || closure.has(own));
      const found = first(tree, prefixRefusal) ?? renamingRefusal(tree) ?? doubt?.why ?? theorem.doubts[0]?.why;
      return { why: found, ofVariables: variablesDoubt(names, dependencies, header, tree, theorem), mentions: partsIn(tree) };
    });
    if (why) return `the statement: ${why}; ${ANYWAY}`;
    const lineOf = parts => header.lines.get(keyOf(parts)) ?? 0, lines = linesUsed(header, [...closure.constants.values()].map(({ parts }) => parts), mentions);
    const stands = ({ own, line, isAlways }) => (!own || closure.has(own)) && (isAlways || lines.has(line));
    const doubt = header.doubts.find(stands) ?? names.doubtAbout(closure, header) ?? ofVariables ?? this.instances.addedDoubt(closure);
    const line = doubt && (doubt.line ?? lineOf(doubt.own));
    return doubt ? `${line ? `line ${line} of the header` : 'the statement'}: ${doubt.why}; ${ANYWAY}` : '';
  }
}

module.exports = { Rules, commandRefusal, suspicion };
