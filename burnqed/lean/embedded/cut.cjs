'use strict';
// Cuts a Lean file into its commands, by Lean's own parser: only Lean knows where a comment, a text or a command ends.
//
// Commands are elaborated in order, because notations, namespaces and `open` decide how the text after them is read. Of a theorem only the
// statement is, and so its name exists; its proof is read and no more. Whether any of it elaborates does not matter here: each theorem is
// checked with what precedes it. What the rules refuse of a stranger's file is not elaborated either.
//
// `lemma` is Mathlib's. In a file where that word precedes a name it is a keyword, as there; elsewhere it is a name.

const { Source, syntaxArguments, syntaxKind, syntaxRange } = require('./frontend.cjs');
const { NONE, WHATEVER } = require('./guard.cjs');
const { commandRefusal, suspicion } = require('./headers.cjs');
const { Names } = require('./names.cjs');
const { command, first, isNotation, refusal } = require('./rules.cjs');
const { PLACEHOLDER } = require('./theorem.cjs');

const LEMMA = 'burnqed_lemma';
const LEMMA_SYNTAX = `syntax (name := ${LEMMA}) (priority := high) declModifiers "lemma " declId declSig declVal : command`;
const HAS_LEMMA = /(?<![.\p{L}_])lemma(\s+[\p{L}\p{So}\u2100-\u214f_]|\s*(«|--|\/-))/u;
const NAMESPACE = 2;              // Lean.Elab.Command.Scope.currNamespace
const EXAMPLE = 'burnqed_example';
const IS_DATA = new RegExp(`^type of theorem .*${EXAMPLE}\` is not a proposition`);
const THEOREMS = new Set(['theorem', 'example', LEMMA]);
const SCOPED = new Set(['open', 'set_option', 'variable', 'universe', 'omit', 'include']); // of `… in theorem`, these end with the theorem
const SILENT = new Set(['moduleDoc', 'eoi']);        // no more than comments
const OPENING = /^(open(Simple|Hiding|Scoped|Only|Renaming)|export)$/;
const QUOTATION = /^Lean\.Parser\..*[qQ]uot$/;

class Cut {
  constructor(frontend, dependencies, isTrusted) {
    Object.assign(this, { frontend, lean: frontend.lean, isTrusted, code: [], state: frontend.initialState(), names: new Names(frontend, dependencies, {}) });
    this.mayMislead = false; // whether notation, instances and the like were declared
  }

  /**
   * {start: where the imports end, imports: [[name, …]], failure, commands: […], unread}. Positions are bytes, `failure` is {line, text} or null.
   * A command is {start, end, line, skipped: failure in front of it, failure: its own, refused: by the rules, theorems, names, opened, is_block,
   * does_more}: `names` are the parts of all names in it, `opened` of those whose namespaces it opens; `is_block` when its theorems cannot be
   * taken out of it, `does_more` when later theorems may need it without naming one. A theorem is {name, written: [part, …], line, start,
   * keyword, value, end, is_lemma, is_example, has_type}. `unread` says that Lean stops reading before the end.
   */
  file(text) {
    const { lean } = this;
    if (HAS_LEMMA.test(text)) this.declareLemma();
    const source = new Source(lean, text), { names: imports, failure } = source.imports(), start = source.position, commands = [];
    for (;;) {
      const expected = source.position, parsed = source.next(this.state), { syntax, messages } = parsed, kind = command({ kind: syntaxKind(lean, syntax) });
      const isEnd = kind === 'eoi', begin = isEnd ? source.bytes.length : syntaxRange(lean, syntax)?.[0] ?? expected;
      const errors = messages.filter(m => m.severity === 'error').map(m => ({ ...m, isBefore: source.isBefore(m, begin) }));
      const before = commands.at(-1), outside = errors.find(m => m.isBefore) ?? (expected < begin && { text: 'this is no command' });
      if (before?.failure && before.theorems.length) before.end = begin; // what Lean skips belongs to what it gave up
      const skipped = outside && !before?.failure ? { line: Math.max(outside.line ?? 1, source.place(expected).line), text: outside.text } : null;
      const isOver = isEnd || lean.number(lean.call('l_Lean_Parser_isTerminalCommand', lean.retain(syntax))) === 1;
      if (!SILENT.has(kind) || skipped || errors.length) commands.push(this.command(source, parsed, begin, skipped, failureOf(errors.find(m => !m.isBefore))));
      else lean.release(syntax);
      if (isOver) return { start, imports, failure, commands, unread: !isEnd && source.position < source.bytes.length };
    }
  }

  // ---- steps of the above

  command(source, parsed, start, skipped, failure) {
    const { lean, frontend } = this, { syntax } = parsed, tree = frontend.trees.of(syntax), found = declarations(tree);
    const range = syntaxRange(lean, syntax), end = range?.[1] ?? start, { line } = source.place(start);
    const isPlain = found.length === 1 && found[0].isPlain;
    const theorems = found.filter(({ kind }) => THEOREMS.has(kind)).map(({ path, kind }) => {
      const node = path.reduce((at, index) => syntaxArguments(lean, at)[index], syntax);
      return this.theorem(source, node, kind, isPlain ? start : null);
    });
    const isBlock = theorems.length > 0 && !isPlain;
    if (isPlain && theorems.length && !failure && this.isData(source, tree, theorems[0])) theorems.length = 0;
    const names = new Set(), opened = new Set();
    collect(tree, names, opened, false);
    const described = { start, end, line, skipped, failure, refused: '', theorems, names: [...names], opened: [...opened], is_block: isBlock, does_more: theorems.length > 0 && doesMore(tree, isPlain, found) };
    if (failure || !range) lean.release(syntax);
    else if (theorems.length) {
      lean.release(syntax);
      if (isBlock || !theorems[0].is_example) this.elaborateText(withoutProofs(source, start, end, theorems));
    } else described.refused = this.elaborate(source, parsed, tree);
    return described;
  }

  /** A declaration (borrowed, of one of the kinds THEOREMS), which begins at `start`, or where its own syntax does. */
  theorem(source, node, kind, start) {
    const { lean, frontend } = this, isLemma = kind === LEMMA, isExample = kind === 'example', [, declared, ...others] = syntaxArguments(lean, node);
    const [keyword, ...rest] = isLemma ? [declared, ...others] : syntaxArguments(lean, declared), id = isExample ? null : rest.shift(), [signature, value] = rest;
    const range = part => part ? syntaxRange(lean, part) : null, [first, end] = range(node), [at] = range(keyword) ?? [first], { line } = source.place(at);
    const called = id ? frontend.trees.of(id).parts[0]?.name ?? [] : [], isRoot = called[0] === '_root_', written = isRoot ? called.slice(1) : called;
    const namespace = isRoot ? [] : lean.nameParts(lean.field(frontend.scope(this.state), NAMESPACE));
    const name = written.length ? lean.partsText([...namespace, ...written]) : `${isExample ? 'example' : 'theorem'} (line ${line})`;
    const hasType = !!signature && range(syntaxArguments(lean, signature)[1]) !== null; // after the parameters
    return { name, written, line, start: start ?? first, keyword: at, value: range(value)?.[0] ?? null, end, is_lemma: isLemma, is_example: isExample, has_type: hasType };
  }

  /** Whether an example states nothing: its type is not a proposition, nor does it read as one because of what the author declared before. */
  isData(source, tree, { start, is_example: isExample, has_type: hasType, keyword, value }) {
    if (!isExample || !hasType) return isExample;
    if (this.mayMislead || this.names.doubts(tree, this.state).length) return false;
    const named = `${source.slice(start, keyword)}theorem ${EXAMPLE}`, text = named + source.slice(keyword + 'example'.length, value) + PLACEHOLDER;
    const errors = this.elaborateText(text, false);
    return errors.length === 1 && IS_DATA.test(errors[0].text) && errors[0].at < named.length; // not a message of the author's
  }

  /** Elaborates a text of one command, if that is allowed, and keeps the state if `isKept`; gives the errors: {text, at: characters before it}. */
  elaborateText(text, isKept = true) {
    const { lean, frontend } = this, source = new Source(lean, text), parsed = source.next(this.state), errors = parsed.messages.filter(m => m.severity === 'error').map(m => ({ text: m.text, at: 0 }));
    const before = lean.retain(this.state);
    if (errors.length) lean.release(parsed.syntax);
    else this.elaborate(source, parsed, frontend.trees.of(parsed.syntax), messages => errors.push(...messages.map(m => ({ text: m.text, at: source.before(m).length }))));
    source.release();
    if (isKept) lean.release(before);
    else {
      lean.release(this.state);
      this.state = before;
    }
    return errors;
  }

  /** Elaborates a command (consumed), if that is allowed; says why it is not. `hear` is told the errors. */
  elaborate(source, parsed, tree, hear = () => {}) {
    const { lean, frontend, state, code, isTrusted } = this, why = isTrusted ? null : refusal(tree) ?? commandRefusal(tree), before = frontend.environment(state), declaresCode = isNotation(tree);
    if (why) {
      lean.release(parsed.syntax);
      return why;
    }
    this.mayMislead ||= !!suspicion(tree, '');
    lean.guard.code = isTrusted ? WHATEVER : [...code, ...(declaresCode ? [{ before, after: NONE }] : [])];
    const after = frontend.elaborate(state, source, parsed);
    if (declaresCode) code.push({ before: lean.retain(before), after: lean.retain(frontend.environment(after.state)) });
    hear(after.messages().filter(m => m.severity === 'error'));
    this.state = after.state;
    lean.release(state);
    return '';
  }

  declareLemma() {
    const { lean, frontend, state } = this, source = new Source(lean, LEMMA_SYNTAX);
    lean.guard.code = WHATEVER;
    this.state = frontend.elaborate(state, source, source.next(state)).state;
    this.code.push({ before: lean.retain(frontend.environment(state)), after: lean.retain(frontend.environment(this.state)) });
    source.release();
    lean.release(state);
  }
}

const failureOf = error => error ? { line: error.line, text: error.text } : null;

/** Declarations in the tree of a command that are commands themselves: {kind, path, isPlain: after nothing but `… in`}. */
function declarations(tree, path = [], isPlain = true, found = []) {
  const isLemma = tree.kind === LEMMA;
  if (isLemma || command(tree) === 'declaration') found.push({ kind: isLemma ? LEMMA : command(tree.parts[1] ?? tree), path: [...path], isPlain });
  else if (!QUOTATION.test(tree.kind)) {
    tree.parts.forEach((part, index) => {
      path.push(index);
      declarations(part, path, isPlain && command(tree) === 'in' && index === 2, found);
      path.pop();
    });
  }
  return found;
}

/** The parts of the names in a tree but for the names of theorems in it. */
function collect(tree, names, opened, isOpening) {
  for (const part of tree.name ?? []) {
    names.add(String(part));
    if (isOpening) opened.add(String(part));
  }
  for (const part of tree.parts) if (command(part) !== 'declId') collect(part, names, opened, isOpening || OPENING.test(command(part)));
}

/** Whether later theorems may need a command with theorems without naming one: for an attribute, or for what it declares besides. */
function doesMore(tree, isPlain, found) {
  if (first(tree, node => node.kind === 'Lean.Parser.Term.attrInstance' || command(node) === 'eraseAttr')) return true;
  if (!isPlain) return command(tree) !== 'mutual' || found.some(({ kind }) => !THEOREMS.has(kind));
  for (let at = tree; command(at) === 'in'; at = at.parts[2]) if (!SCOPED.has(command(at.parts[0]))) return true;
  return false;
}

/** Text of a command without the proofs of its theorems, and with `theorem` for `lemma`. */
function withoutProofs(source, start, end, theorems) {
  const pieces = [];
  let at = start;
  for (const { keyword, value, end, is_lemma: isLemma } of theorems) {
    const word = isLemma ? 'lemma' : '';
    pieces.push(source.slice(at, keyword), isLemma ? 'theorem' : '', source.slice(keyword + word.length, value), PLACEHOLDER, '\n');
    at = end;
  }
  return pieces.join('') + source.slice(at, end);
}

/** The commands of a file. */
const cut = (frontend, dependencies, { text, isTrusted }) => new Cut(frontend, dependencies, isTrusted).file(text);

module.exports = { cut };
