'use strict';
// Parsing and elaborating commands: headers (kept, so that none is elaborated twice), and single commands on top of a header.

const { NONE, WHATEVER } = require('./guard.cjs');
const { Trees, isNotation } = require('./rules.cjs');

const KEPT_HEADERS = 8;
const SEVERITY = ['info', 'warning', 'error'];
const MESSAGE_CHARACTERS = 4000;
const LINE_END = 10;

// Positions of fields in Lean's structures.
const STATE = { environment: 0, messages: 1, scopes: 2, info: 8 };   // Lean.Elab.Command.State
const NONCOMPUTABLE = 0;                                             // a scalar of Lean.Elab.Command.Scope
const INFO_ENABLED = 0;                                              // the scalar of Lean.Elab.InfoState
const SCOPE = { options: 1, namespace: 2, openDeclarations: 3 };     // Lean.Elab.Command.Scope

/** What was given cannot be used (a header or statement that does not elaborate, a state that is gone): an answer, not a failure. */
class Refused extends Error {
  constructor(message, kind = 'error') {
    super(message);
    this.kind = kind;
  }
}

class Frontend {
  /** @param environment the imported library; persistent */
  constructor(lean, environment) {
    this.lean = lean;
    this.library = environment;
    this.trees = new Trees(lean);
    this.headers = new Map(); // text → {state, errors, theorems}; the least recently used one first
  }

  /**
   * Header `text` elaborated: {state, errors: texts of error messages, theorems: cache of theorem.cjs}. The state is borrowed.
   * What it declares may be evaluated until the next header is asked for: of a header under watch, only what its notations declare.
   * With a `watch` (headers.cjs), which decides what is elaborated, also what that found: {refused, suspects, doubts}.
   */
  header(text, watch = null) {
    const key = (watch?.kind ?? 'trusted') + ': ' + text;
    let header = this.headers.get(key);
    if (header) this.headers.delete(key);
    else header = this.elaborateHeader(text, watch);
    this.headers.set(key, header);
    this.lean.guard.code = header.code;
    if (this.headers.size > KEPT_HEADERS) {
      const [oldest, { state, code }] = this.headers.entries().next().value;
      this.headers.delete(oldest);
      for (const { before, after } of code) [before, after].forEach(environment => this.lean.release(environment));
      this.lean.release(state);
    }
    return header;
  }

  elaborateHeader(text, watch) {
    const { lean } = this, errors = [], isError = m => m.severity === 'error';
    let state = this.initialState();
    const source = new Source(lean, text), code = [];
    try {
      for (let done = false; !done && !(watch && (watch.refused || errors.length));) {
        const command = source.next(state), broken = command.messages.filter(isError);
        done = lean.number(lean.call('l_Lean_Parser_isTerminalCommand', lean.retain(command.syntax))) === 1;
        const tree = watch && this.trees.of(command.syntax), isAdmitted = !watch || (!broken.length && watch.admits(tree, source, command.syntax, state)); // rules need whole commands
        const before = this.environment(state), declaresCode = isAdmitted && watch && isNotation(tree);
        lean.guard.code = watch ? [...code, ...(declaresCode ? [{ before, after: NONE }] : [])] : WHATEVER;
        const after = isAdmitted ? this.elaborateAdmitted(isAdmitted, state, source, command, watch) : lean.release(command.syntax);
        const failed = [...broken, ...after?.messages().filter(isError) ?? []], isKept = isAdmitted && !(watch?.hasLeftOut && failed.length);
        if (isKept) watch?.elaborated(after.state);
        if (isKept && declaresCode) code.push({ before: lean.retain(before), after: lean.retain(this.environment(after.state)) });
        if (!watch?.hasLeftOut) errors.push(...failed.map(m => `line ${m.line}: ${m.text}`)); // otherwise it may lack what was left out
        if (after) lean.release(isKept ? state : after.state);
        if (isKept) state = after.state;
      }
    } finally { source.release(); }
    if (!watch) code.push({ before: NONE, after: lean.retain(this.environment(state)) });
    return { ...watch?.findings(), text, state, code, errors, theorems: new Map() };
  }

  /** Elaborates a command of a header, or the text that a watch has in its place. */
  elaborateAdmitted(admitted, state, source, command, watch) {
    if (admitted === true) return watch ? watch.watching(() => this.elaborate(state, source, command)) : this.elaborate(state, source, command);
    const instead = new Source(this.lean, admitted);
    this.lean.release(command.syntax);
    try {
      return watch.watching(() => this.elaborate(state, instead, instead.next(state)));
    } finally { instead.release(); }
  }

  /**
   * A Command.State (owned) without info trees: what editors show, which nobody here looks at, and linters, which need them; and in which
   * definitions need not compile (`noncomputable section`), because the package lacks the code of some functions of the library.
   */
  initialState() {
    const { lean } = this, state = lean.call('l_Lean_Elab_Command_mkState', this.library, lean.constant('l_Lean_MessageLog_empty'), lean.box(0));
    const info = lean.with(lean.retain(lean.field(state, STATE.info)), {});
    lean.setScalar(info, INFO_ENABLED, 0);
    const scopes = lean.field(state, STATE.scopes), scope = lean.with(lean.retain(lean.field(scopes, 0)), {});
    lean.setScalar(scope, NONCOMPUTABLE, 1);
    return lean.with(state, { [STATE.info]: info, [STATE.scopes]: lean.with(lean.retain(scopes), { 0: scope }) });
  }

  /** Elaborates one parsed command; consumes its syntax, borrows the state. Gives {state (owned), messages(): while the state is held}. */
  elaborate(state, source, command) {
    const { lean } = this;
    const quiet = lean.with(lean.retain(state), { [STATE.messages]: lean.constant('l_Lean_MessageLog_empty') });
    const frontend = lean.reference(lean.constructorObject(0, [quiet, lean.retain(source.parser), lean.box(0), lean.array([])]));
    const elaborated = lean.call('l_Lean_Elab_Frontend_elabCommandAtFrontend', command.syntax, lean.retain(source.input), lean.retain(frontend));
    const result = lean.takeReference(frontend), after = lean.retain(lean.field(result, 0));
    lean.release(result);
    try {
      lean.release(lean.value(elaborated));
    } catch (error) {
      lean.release(after);
      throw error;
    }
    return { state: after, messages: () => messagesOf(lean, lean.field(after, STATE.messages)) };
  }

  /** What `body` elaborates is added to environments without the kernel's check. */
  unchecked(body) { return this.lean.runtime.exchange('burnqed_add', 'burnqed_add_unchecked', body); }

  /** `use(syntax, source, messages)` of the first command of a text, parsed where a borrowed state is. */
  parsed(state, text, use) {
    const source = new Source(this.lean, text), { syntax, messages } = source.next(state);
    try {
      return use(syntax, source, messages);
    } finally {
      source.release();
      this.lean.release(syntax);
    }
  }

  /** Lean's first error about a command, tried where a borrowed state is; empty when there is none. */
  failure(state, text) {
    const source = new Source(this.lean, text), command = source.next(state), after = this.elaborate(state, source, command);
    const error = [...command.messages, ...after.messages()].find(m => m.severity === 'error');
    this.lean.release(after.state);
    source.release();
    return error?.text ?? '';
  }

  /** A Command.State (owned) with the environment of a borrowed one, and nothing of its options, namespaces and variables. */
  rootState(state) { return this.lean.with(this.initialState(), { [STATE.environment]: this.lean.retain(this.environment(state)) }); }

  environment(state) { return this.lean.field(state, STATE.environment); }
  scope(state) { return this.lean.field(this.lean.field(state, STATE.scopes), 0); }

  /** Copy of a borrowed state in whose current scope `maxHeartbeats` is set (in thousands, as Lean's option). */
  withHeartbeats(state, heartbeats) {
    const { lean } = this, scopes = lean.field(state, STATE.scopes), scope = lean.field(scopes, 0);
    const options = lean.call('l_Lean_KVMap_setNat', lean.retain(lean.field(scope, SCOPE.options)), lean.name('maxHeartbeats'), lean.box(heartbeats));
    const changed = lean.with(lean.retain(scope), { [SCOPE.options]: options });
    return lean.with(lean.retain(state), { [STATE.scopes]: lean.with(lean.retain(scopes), { 0: changed }) });
  }
}

/** A text that is parsed command by command. */
class Source {
  /** @param ending what was put after the author's text */
  constructor(lean, text, ending = '') {
    this.author = text.replaceAll('\r\n', '\n');
    text += ending;
    if (text.includes('\0')) throw new Refused('the text contains a zero character'); // where Lean's string would end
    this.lean = lean;
    this.bytes = Buffer.from(text.replaceAll('\r\n', '\n'), 'utf8'); // as Lean normalises it, so that positions agree
    const whole = lean.string(this.bytes.toString('utf8'));
    // mkInputContext input fileName normalizeInput endPos endPos_valid
    this.input = lean.call('l_Lean_Parser_mkInputContext', whole, lean.string('<input>'), lean.box(1), lean.box(this.bytes.length), lean.box(0));
    this.parser = lean.constructorObject(0, [lean.box(0)], 1); // ModuleParserState {pos, recovering}
    this.counted = { start: 0, line: 1 }; // a line and the byte with which it begins
  }
  release() {
    this.lean.release(this.input);
    this.lean.release(this.parser);
  }
  /** The next command in the environment and scope of a borrowed Command.State: {syntax (owned), messages}. */
  next(state) {
    const { lean } = this, scope = lean.field(lean.field(state, STATE.scopes), 0);
    const fields = [lean.field(state, STATE.environment), lean.field(scope, SCOPE.options), lean.field(scope, SCOPE.namespace), lean.field(scope, SCOPE.openDeclarations)];
    const context = lean.constructorObject(0, fields.map(field => lean.retain(field))); // ParserModuleContext
    const parsed = lean.call('l_Lean_Parser_parseCommand', lean.retain(this.input), context, this.parser, lean.constant('l_Lean_MessageLog_empty'));
    const rest = lean.field(parsed, 1); // (syntax, parser state, messages)
    const syntax = lean.retain(lean.field(parsed, 0)), messages = messagesOf(lean, lean.field(rest, 1)).map(message => ({ ...message, text: this.told(message) }));
    this.parser = lean.retain(lean.field(rest, 0));
    lean.release(parsed);
    return { syntax, messages };
  }
  /** Borrowed; of Lean.Parser.InputContext. */
  get fileMap() { return this.lean.field(this.input, 2); }
  /** Where the parser is: after the space and comments that follow the last command. */
  get position() { return this.lean.number(this.lean.field(this.parser, 0)); }
  /** Reads the imports that stand first: {names: of the modules, failure: {line, text} or null}. */
  imports() {
    const { lean } = this, header = lean.value(lean.call('l_Lean_Parser_parseHeader', lean.retain(this.input))), rest = lean.field(header, 1); // (syntax, parser state, messages)
    const modules = syntaxArguments(lean, syntaxArguments(lean, lean.field(header, 0))[2] ?? lean.box(0)).flatMap(module => syntaxArguments(lean, module));
    const names = modules.filter(part => isIdentifier(lean, part)).map(part => lean.nameParts(lean.field(part, 2)));
    lean.release(this.parser);
    this.parser = lean.retain(lean.field(rest, 0));
    const isBroken = lean.scalar(this.parser, 0) !== 0, error = isBroken && messagesOf(lean, lean.field(rest, 1)).find(m => m.severity === 'error');
    lean.release(header);
    return { names, failure: error ? { line: error.line, text: error.text } : null };
  }
  /** {start: of its line, line (from 1)} of a byte position; cheap where they come in order. */
  place(position) {
    if (position < this.counted.start) this.counted = { start: 0, line: 1 };
    for (let end; (end = this.bytes.subarray(this.counted.start, position).indexOf(LINE_END)) >= 0;) this.counted = { start: this.counted.start + end + 1, line: this.counted.line + 1 };
    return this.counted;
  }
  /** Whether a message is about text before a byte position. */
  isBefore({ line, column }, position) {
    const place = this.place(position);
    return line < place.line || (line === place.line && column < [...this.slice(place.start, position)].length);
  }
  /** The text between two byte positions. */
  slice(start, end) { return this.bytes.subarray(start, end).toString('utf8'); }
  /** The text before a message's line and column (in characters). */
  before({ line, column }) {
    const lines = this.slice(0).split('\n');
    return lines.slice(0, line - 1).map(text => text + '\n').join('') + [...lines[line - 1]].slice(0, column).join('');
  }
  /** Whether what a message calls unexpected is not the author's. */
  isAtEnd(message) { return message.end ? this.before(message.end).length > this.author.length : this.before(message).length >= this.author.length; }
  /** A parser's message with the word that it is about. */
  told(message) {
    const { line, column, text } = message, behind = [...this.slice(0).split('\n')[line - 1]];
    const quoted = (pattern, words) => { const [found] = pattern.exec(words) ?? []; return found && `\`${found}\``; };
    switch (text) {
      case 'unknown tactic': return `${text} ${quoted(/^[^\s,;|()[\]{}⟨⟩]+/, behind.slice(column - 1).join('')) ?? ''}`.trim(); // the place is after its first letter
      case 'expected token': return `${text}, not ${quoted(/\S/u, behind.slice(column).join('')) ?? 'the end'}`;
    }
    const before = quoted(/\S{1,30}$/u, this.before(message).slice(0, this.author.length).trimEnd());
    const ours = this.isAtEnd(message) ? text.replace(/^unexpected token '.*?'(?=;|$)/, 'unexpected end') : text;
    return before ? ours.replace(/^unexpected .*?(?=; expected|$)/, found => `${found} after ${before}`) : ours;
  }
  /** Line (from 1) in which a borrowed syntax begins. */
  lineOf(syntax) { return this.place(syntaxRange(this.lean, syntax)?.[0] ?? 0).line; }
  /** The part of the text that a borrowed syntax was parsed from. */
  textOf(syntax) {
    const range = syntaxRange(this.lean, syntax);
    return range ? this.slice(...range) : '';
  }
  /** What is left: {isEnd: nothing but space and comments, hasCommand: another command, messages}. */
  rest(state) {
    const { syntax, messages } = this.next(state), { lean } = this;
    const hasCommand = syntaxKind(lean, syntax) !== 'Lean.Parser.Command.eoi';
    lean.release(syntax);
    return { isEnd: !hasCommand && !messages.length, hasCommand, messages };
  }
}

const NO_EDITOR = '(invalid MessageData.lazy, missing context)';        // in place of hints that only an editor could show
const GUARDED = "(interpreter) unknown declaration '[anonymous]'";      // what Lean makes of the guard's refusal

// Lean.MessageData: the fields of each constructor that are messages, by its tag (withContext and what else wraps others); and a trace's children
const GOAL = 1, CONTEXT = 3, NAMING = 4, NEST = 5, GROUP = 6, TRACE = 9, TRACE_CHILDREN = 2;
const PARTS = { 2: [1], [CONTEXT]: [1], [NAMING]: [1], [NEST]: [1], [GROUP]: [0], 7: [0, 1], 8: [1] };
const IN_CONTEXT = { metavariables: 1, options: 3 };  // Lean.MessageDataContext

/**
 * A MessageData (consumed) in which traces are folded, as an editor shows them: of each there is its heading. What `grind` knew when it failed
 * may be a hundred thousand characters, which take several times as long to print as it took to fail. So do the goals in most messages: those that are `known` (see `messageText`)
 * are not printed again where they would look the same: with the same options and open namespaces, and not indented.
 * `metavariables` is the MetavarContext there, if all of that holds but perhaps for the namespaces (`isNamed`).
 */
function folded(lean, data, known, isNamed, metavariables = null, isIndented = false) {
  if (lean.isBoxed(data)) return data;
  const tag = lean.tag(data);
  if (tag === TRACE) return lean.with(data, { [TRACE_CHILDREN]: lean.array([]) });
  if (tag === GOAL && isNamed && metavariables && !isIndented) {
    const text = known.textOf(lean.field(data, 0), metavariables);
    if (text === undefined) return data;
    lean.release(data);
    return lean.call('l_Lean_stringToMessageData', lean.string(text));
  }
  const field = index => lean.field(lean.field(data, 0), index);
  if (tag === CONTEXT) metavariables = field(IN_CONTEXT.options) === known?.options ? field(IN_CONTEXT.metavariables) : null;
  if (tag === NAMING) isNamed = known?.naming.every((part, index) => field(index) === part);
  if (tag === NEST || tag === GROUP) isIndented = true;
  const changes = {};
  for (const index of PARTS[tag] ?? []) {
    const part = lean.field(data, index), now = folded(lean, lean.retain(part), known, isNamed, metavariables, isIndented);
    if (now === part) lean.release(now);
    else changes[index] = now;
  }
  return Object.keys(changes).length ? lean.with(data, changes) : data;
}

/** A MessageData (consumed) in which names are shortened by `naming`, the fields (borrowed) of a Lean.NamingContext. */
function named(lean, naming, data) { return lean.constructorObject(NAMING, [lean.constructorObject(0, naming.map(part => lean.retain(part))), data]); }

/**
 * Text of a MessageData (consumed). Of goals that were printed before there may be `known` {options, naming: those they were printed with (naming as the fields of a
 * Lean.NamingContext), textOf(goal, metavariables)}.
 */
function messageText(lean, data, known) {
  const isNamed = known?.naming.every(part => lean.isBoxed(part)); // what holds outside of any naming context
  return lean.takeText(lean.call('l_Lean_MessageData_toString', folded(lean, data, known, isNamed))).replaceAll(NO_EDITOR, '').replaceAll(GUARDED, "Lean would have to run code that is not the library's");
}

/** A borrowed Position as {line (from 1), column (from 0)}. */
const placeOf = (lean, position) => ({ line: lean.number(lean.field(position, 0)), column: lean.number(lean.field(position, 1)) });

/** A borrowed MessageLog as [{severity, line, column, end: {line, column} or null, text}]. */
function messagesOf(lean, log, known) {
  const list = lean.call('l_Lean_MessageLog_toList', lean.retain(log));
  const messages = lean.list(list).map(message => {
    const end = lean.field(message, 2);
    const text = messageText(lean, lean.retain(lean.field(message, 4)), known);
    return { severity: SEVERITY[lean.scalar(message, 1)], ...placeOf(lean, lean.field(message, 1)), end: lean.isBoxed(end) ? null : placeOf(lean, lean.field(end, 0)), text: text.slice(0, MESSAGE_CHARACTERS) };
  });
  lean.release(list);
  return messages;
}

// ---- Syntax: missing (boxed 0) | node info kind args | atom info val | ident info rawVal val preresolved

const NODE = 1, IDENT = 3;
const isIdentifier = (lean, syntax) => lean.tag(syntax) === IDENT && !lean.isBoxed(syntax);
const isNode = (lean, syntax) => lean.tag(syntax) === NODE && !lean.isBoxed(syntax);
const syntaxKind = (lean, syntax) => isNode(lean, syntax) ? lean.nameText(lean.field(syntax, 1)) : '';
const syntaxArguments = (lean, syntax) => isNode(lean, syntax) ? lean.items(lean.field(syntax, 2)) : [];
/** Byte range [start, end) of a borrowed syntax in its source, or null when it has none (empty, or made by a macro). */
function syntaxRange(lean, syntax) {
  const bound = symbol => {
    const option = lean.call(symbol, lean.retain(syntax), lean.box(0));
    const value = lean.isBoxed(option) ? null : lean.number(lean.field(option, 0));
    lean.release(option);
    return value;
  };
  const start = bound('l_Lean_Syntax_getPos_x3f'), end = bound('l_Lean_Syntax_getTailPos_x3f');
  return start === null || end === null ? null : [start, end];
}

module.exports = { Frontend, Source, Refused, syntaxKind, syntaxArguments, syntaxRange, messageText, messagesOf, named };
