'use strict';
// From a statement as users write it to the text that is elaborated, and to the proposition it stands for.
//
// A statement is a closed proposition (`∀ a b : Nat, …`) or a full theorem (`theorem foo (a b : Nat) : … := by …`, also `lemma`,
// `example`, with modifiers, or after `open … in`), whose proof is ignored. Lean's own parser finds the parts, also the word `lemma`, which
// is Mathlib's: the parser misses a command there.
// The proposition is what the statement elaborates to on its own, before anybody's proof is looked at.

const { Source, syntaxKind, syntaxArguments, syntaxRange } = require('./frontend.cjs');
const { constantInfo } = require('./environment.cjs');
const { exported } = require('./export.cjs');
const { refusal } = require('./rules.cjs');

const KEPT_THEOREMS = 32;           // per header
const PLACEHOLDER = ' := by\nsorry';  // stands for the proof
const CLOSING = '\n)';              // of the bracket around a closed proposition
const OWN_NAME = 'burnqed_goal';    // of closed propositions, and of theorems whose name exists already

/**
 * Theorem of a header: {errors} or {errors: [], text (up to what introduces the proof), line (of its last line), nameParts, told}. Kept with the header.
 * Only parsed; `propositionOf` elaborates it.
 */
function theoremOf(frontend, header, statement) {
  let theorem = header.theorems.get(statement);
  if (theorem) header.theorems.delete(statement);
  else theorem = read(frontend, header.state, statement);
  header.theorems.set(statement, theorem);
  if (header.theorems.size > KEPT_THEOREMS) {
    header.theorems.delete(header.theorems.keys().next().value);
  }
  return theorem;
}

function read(frontend, state, statement) {
  const { lean } = frontend, told = teller(statement), shape = shapeOf(frontend, state, statement, told);
  if (shape.error) return { errors: [shape.error] };
  const author = `${shape.before}theorem ${shape.name}${shape.signature}`, closing = shape.isClosed ? CLOSING : '', text = author + closing;
  const source = new Source(lean, author, closing + PLACEHOLDER), command = source.next(state);
  try {
    const parts = declaration(lean, command.syntax), signatureEnd = parts && syntaxRange(lean, parts.signature)?.[1];
    const rest = source.rest(state), isWhole = signatureEnd === Buffer.byteLength(text) && rest.isEnd;
    const errors = [...command.messages, ...rest.messages].filter(m => m.severity === 'error').map(told);
    const refused = refusal(frontend.trees.of(command.syntax));
    if (refused) errors.unshift(refused);
    if (!errors.length && !(isWhole && (!shape.isClosed || isBracketed(lean, parts.signature)))) errors.push('the statement is not one proposition or one theorem');
    return errors.length ? { errors } : { errors, text, line: text.split('\n').length, nameParts: shape.nameParts, told };
  } finally {
    source.release();
    lean.release(command.syntax);
  }
}

/** Tells a message about a statement, with its line there if there are several. */
function teller(statement) {
  const lines = text => text.split('\n').length, skipped = lines(statement) - lines(statement.trimStart()), last = lines(statement.trimEnd());
  return ({ line, text }) => last > skipped + 1 ? `line ${Math.min(line + skipped, last)}: ${text}` : text;
}

/** What a theorem states, on its own: {errors, text: for the judge (export.cjs), empty when there are errors}. */
function propositionOf(frontend, dependencies, header, theorem) {
  theorem.proposition ??= elaborate(frontend, dependencies, header.state, theorem);
  return theorem.proposition;
}

function elaborate(frontend, dependencies, state, theorem) {
  const { lean } = frontend, source = new Source(lean, theorem.text + PLACEHOLDER);
  const after = frontend.elaborate(state, source, source.next(state));
  try {
    const errors = after.messages().filter(m => m.severity === 'error').map(theorem.told);
    if (!errors.length && constantInfo(frontend, after.state, theorem.nameParts)?.kind !== 'theorem') errors.push('the statement is not a proposition');
    return { errors, text: errors.length ? '' : exported(frontend, dependencies, after.state, theorem.nameParts, { isStatement: true }) };
  } finally {
    lean.release(after.state);
    source.release();
  }
}

/** {before, name (as written), nameParts (full), signature (text from the name to `:=` or CLOSING), isClosed: a closed proposition} or {error}. */
function shapeOf(frontend, state, statement, told) {
  const { lean } = frontend, text = withTheorem(frontend, state, statement.trim().replaceAll('\r\n', '\n'));
  const namespace = lean.nameParts(lean.field(frontend.scope(state), 2));
  const source = new Source(lean, text), command = source.next(state);
  try {
    const parts = declaration(lean, command.syntax);
    if (!parts) {
      const unused = unusedName(frontend, state, [...namespace, OWN_NAME]);
      return { before: '', name: unused.at(-1), nameParts: unused, signature: ` : ( ${text}`, isClosed: true };
    }
    if (source.rest(state).hasCommand) return { error: 'the statement is followed by another command' };
    const slice = range => source.slice(...range);
    const range = syntaxRange(lean, parts.signature);
    if (parts.kind !== 'theorem' && parts.kind !== 'example') return { error: `the statement is a ${parts.kind}, not a theorem` };
    if (!range) return { error: command.messages[0] ? told(command.messages[0]) : 'the theorem has no statement' };
    if (parts.kind === 'theorem' && !nameOf(frontend, parts)) return { error: 'the theorem has no name' };
    const error = command.messages.find(m => m.severity === 'error'), hasProof = parts.value && syntaxRange(lean, parts.value);
    if (error && !hasProof && !source.isAtEnd(error)) return { error: told(error) };
    const start = syntaxRange(lean, parts.whole)[0], lines = slice([start, range[0]]).replace(/[^\n]/g, ''); // so that messages keep their lines
    const before = slice([0, start]), signature = (lines || ' ') + slice(range);
    if (parts.kind === 'example') {
      const unused = unusedName(frontend, state, [...namespace, OWN_NAME]);
      return { before, name: unused.at(-1), nameParts: unused, signature };
    }
    // The name's prefix is a namespace inside statement and proof, so it stays; the last part only changes when it is taken.
    const [ident, universes] = syntaxArguments(lean, parts.id);
    const written = nameOf(frontend, parts), isRoot = written[0] === '_root_';
    const full = isRoot ? written.slice(1) : [...namespace, ...written], unused = unusedName(frontend, state, full);
    const own = isRoot ? ['_root_', ...unused] : unused.slice(namespace.length), universeRange = syntaxRange(lean, universes);
    const name = full === unused ? slice(syntaxRange(lean, ident)) : own.join('.');
    return { before, name: name + (universeRange ? slice(universeRange) : ''), nameParts: unused, signature };
  } finally {
    source.release();
    lean.release(command.syntax);
  }
}

/** A text with `theorem` for the `lemma` that stands where Lean expects a command, if that gives a theorem with a name. */
function withTheorem(frontend, state, text) {
  const failure = part => frontend.parsed(state, part, (syntax, source, messages) => { // where a text is not a declaration, or null
    const error = declaration(frontend.lean, syntax) ? null : messages.find(m => m.severity === 'error');
    return error ? source.before(error).length : null;
  });
  const end = failure(text); // Lean says where the token before ends; of the rest alone, where the word begins
  if (end === null) return text;
  const word = end + (failure(text.slice(end)) ?? 0);
  if (!/^lemma\s/.test(text.slice(word))) return text;
  const renamed = text.slice(0, word) + 'theorem' + text.slice(word + 'lemma'.length);
  return frontend.parsed(state, renamed, syntax => nameOf(frontend, declaration(frontend.lean, syntax) ?? {})) ? renamed : text;
}

/** Parts of the innermost declaration of `… in … in theorem …`, or null when the command is something else. */
function declaration(lean, syntax) {
  for (;;) {
    const kind = syntaxKind(lean, syntax), parts = syntaxArguments(lean, syntax);
    if (kind === 'Lean.Parser.Command.in') { syntax = parts[2]; continue; }
    if (kind !== 'Lean.Parser.Command.declaration') return null;
    const inner = syntaxArguments(lean, parts[1]), hasName = syntaxKind(lean, inner[1]) === 'Lean.Parser.Command.declId';
    return { whole: syntax, kind: syntaxKind(lean, parts[1]).split('.').at(-1), id: hasName ? inner[1] : null, signature: inner[hasName ? 2 : 1], value: inner[hasName ? 3 : 2] };
  }
}

/** Parts of a declaration's name as it is written; undefined when it has none. */
const nameOf = (frontend, { id }) => id ? frontend.trees.of(id).parts[0]?.name : undefined;

/** Whether a signature is `: (…)`, one bracket around everything: of `: (True) → (1 = 1)`, our brackets are not a pair. */
function isBracketed(lean, signature) {
  const [, type] = syntaxArguments(lean, signature);
  return syntaxKind(lean, syntaxArguments(lean, type)[1]) === 'Lean.Parser.Term.paren';
}

function unusedName(frontend, state, parts) {
  const { lean } = frontend, environment = frontend.environment(state);
  const isUsed = name => lean.number(lean.call('l_Lean_Environment_contains', lean.retain(environment), lean.nameOf(name), lean.box(1))) === 1;
  if (!isUsed(parts)) return parts;
  for (let count = 0; ; count++) {
    const name = [...parts.slice(0, -1), OWN_NAME + (count || '')];
    if (!isUsed(name)) return name;
  }
}

module.exports = { PLACEHOLDER, declaration, propositionOf, theoremOf, unusedName };
