'use strict';
// Proof states that are kept: a tactic runs on the saved state of the tactic before it, nothing is run twice.
//
// A search starts by elaborating `theorem NAME SIGNATURE := by⏎skip` for real. When Lean evaluates `skip`, the contexts and states of its
// monads are taken, and the elaboration is given up. A tactic is then evaluated, by the same function that evaluates a tactic block,
// in these contexts and on copies of the state after its predecessor, so it does what it would do as the next line of the block.
// Two things differ, and both only in what counts as failure: error recovery is off, so that the first error fails the tactic, and
// each tactic has heartbeats of its own.

const { LeanError } = require('./objects.cjs');
const { Refused, Source, messageText, messagesOf, named, syntaxArguments, syntaxRange } = require('./frontend.cjs');
const { kernel } = require('./environment.cjs');
const { declaration, theoremOf } = require('./theorem.cjs');
const { isTacticBlock } = require('./check.cjs');
const { META_CONTEXT, Printed, Printer } = require('./printer.cjs');
const { refusal } = require('./rules.cjs');

const HOOK = 'l_Lean_Elab_Tactic_evalSkip___boxed';
const STARTER = 'skip';
const HEADER_OF_TACTIC = 'theorem burnqed_tactic : True := by\n';
const MOST_HEARTBEATS = 2 ** 30;  // fits a boxed number
const HEARTBEAT_UNIT = 1000;

// Monads of a tactic, outermost first, each with a context and a state, as evalTactic takes them.
const LAYERS = ['tactic', 'term', 'meta', 'core'];
const AUXILIARY = 2;              // of Lean.LocalContext
const CORE_CONTEXT = { fileMap: 1, options: 2, currNamespace: 6, openDecls: 7, initHeartbeats: 8, maxHeartbeats: 9 }, CORE_STATE = { environment: 0, messages: 6 };
const RECOVER = 0;                // the scalar of Lean.Elab.Tactic.Context
const FORBIDDEN = new Set(['sorryAx', 'Lean.ofReduceBool', 'Lean.ofReduceNat', 'Lean.trustCompiler']); // check.py refuses more

class Goals {
  constructor(frontend, dependencies) {
    this.frontend = frontend;
    this.dependencies = dependencies;
    this.printer = new Printer(frontend.lean, (...all) => this.inMeta(...all));
    this.states = new Map();      // id → {root, values: {tactic, term, meta, core}, tactics, printed: texts of goals and hypotheses (printer.cjs)}; of a root also {contexts, commandState, code, theorem, headerText, isPlain, goal, itself}
  }

  /** {id, header, statement} → {goals}; remembers the state as `id`. */
  start({ id, header: headerText, statement }) {
    const { frontend } = this, { lean } = frontend, header = frontend.header(headerText);
    if (header.errors.length) throw new Refused(`The header does not elaborate: ${header.errors.join('\n')}`);
    const theorem = theoremOf(frontend, header, statement);
    if (theorem.errors.length) throw new Refused(`The statement does not elaborate: ${theorem.errors.join('\n')}`);
    const captured = this.capture(header.state, `${theorem.text} := by\n`);
    const contexts = { ...captured.contexts, tactic: lean.with(captured.contexts.tactic, {}) };
    lean.setScalar(contexts.tactic, RECOVER, 0);
    const state = { contexts, values: this.withoutMessages(captured.values), tactics: [], printed: new Printed(), commandState: lean.retain(header.state), code: header.code, theorem, headerText, isPlain: this.printer.isPlain(lean.field(contexts.core, CORE_CONTEXT.options)) };
    const itself = lean.field(lean.field(contexts.meta, META_CONTEXT.localContext), AUXILIARY); // a map with one entry: {size, key, …}
    if (lean.number(lean.field(itself, 0)) !== 1) throw new Error('the local context does not know the theorem itself');
    Object.assign(state, { root: state, goal: lean.retain(this.goalsOf(state.values)[0]), itself: lean.retain(lean.field(itself, 1)) });
    if (!this.isProposition(state)) {
      this.drop(state);
      throw new Refused('The statement is not a proposition');
    }
    this.states.set(id, state);
    return { goals: this.printer.print(state, this.goalsOf(state.values)) };
  }

  /** {id, parent, tactic, heartbeats} → {goals}; remembers the state after the tactic as `id`. */
  tactic({ id, parent, tactic, heartbeats }) {
    const { lean } = this.frontend, before = this.states.get(parent);
    if (!before) throw new Refused('there is no such state: its search has been released');
    lean.guard.code = before.root.code;
    const { root } = before, { block, fileMap } = this.parse(root, tactic), most = lean.box(Math.min(heartbeats * HEARTBEAT_UNIT, MOST_HEARTBEATS));
    const core = lean.with(lean.retain(root.contexts.core), { [CORE_CONTEXT.fileMap]: fileMap, [CORE_CONTEXT.maxHeartbeats]: most }); // hints quote the text
    const contexts = { ...root.contexts, core };
    let after;
    try { after = this.evaluate(block, contexts, before); } finally { lean.release(core); }
    const state = { root, values: after, tactics: [...before.tactics, tactic], printed: new Printed() };
    try {
      const goals = this.goalsOf(after);
      this.refuseCheats(before, state, goals);
      const printed = this.printer.print(state, goals, before);
      this.states.set(id, state);
      return { goals: printed };
    } catch (error) {
      this.drop(state);
      throw error;
    }
  }

  release(ids) {
    for (const id of ids) {
      const state = this.states.get(id);
      if (!state) continue;
      this.states.delete(id);
      this.drop(state);
    }
  }

  // ---- steps of the above

  /** Contexts and states of the monads (owned) where the proof of a theorem begins; the elaboration ends there, by an interrupt. */
  capture(commandState, text) {
    const { frontend } = this, { lean } = frontend, source = new Source(lean, text + STARTER), start = Buffer.byteLength(text);
    let captured = null;
    this.atStarter = (original, syntax, ...monad) => { // monad: context and state reference of each layer, and IO's token
      if (syntaxRange(lean, syntax)?.[0] !== start) return original(syntax, ...monad); // a `skip` within the statement
      lean.release(syntax);
      captured = { contexts: {}, values: {} };
      LAYERS.forEach((layer, index) => {
        captured.contexts[layer] = monad[2 * index];
        captured.values[layer] = lean.takeReference(monad[2 * index + 1]);
      });
      const interrupt = lean.constructorObject(1, [lean.constant('l_Lean_interruptExceptionId'), lean.box(0)]); // Exception.internal
      return lean.constructorObject(1, [interrupt]);
    };
    this.hook ??= lean.runtime.hook(HOOK, (...all) => this.atStarter(...all));
    try {
      let messages = [];
      const command = source.next(commandState);
      try {
        const after = this.hook.during(() => frontend.elaborate(commandState, source, command)); // returns only if there was no interrupt
        messages = after.messages();
        lean.release(after.state);
      } catch (error) {
        if (!captured || !(error instanceof LeanError)) throw error;
        messages = messagesOf(lean, lean.field(captured.values.core, CORE_STATE.messages));
      }
      const errors = messages.filter(m => m.severity === 'error').map(m => m.text);
      if (captured && !errors.length) return captured;
      if (captured) this.forget(captured);
      throw new Refused(`The statement does not elaborate: ${errors.join('\n') || 'it has no proof to begin'}`);
    } finally { source.release(); }
  }

  /** {block, fileMap} (owned): the tactic block (syntax) that `tactic` is, read in the header's environment, and the text in which it has its place. */
  parse(root, tactic) {
    const { frontend } = this, { lean } = frontend, source = new Source(lean, HEADER_OF_TACTIC + tactic + '\n');
    const command = source.next(root.commandState), rest = source.rest(root.commandState);
    try {
      const error = [...command.messages, ...rest.messages].find(m => m.severity === 'error');
      if (error) throw new Refused(error.text);
      const value = declaration(lean, command.syntax)?.value;
      if (!rest.isEnd || !isTacticBlock(lean, value)) throw new Refused('the text is not one block of tactics');
      const refused = refusal(frontend.trees.of(command.syntax));
      if (refused) throw new Refused(refused);
      const [, block] = syntaxArguments(lean, syntaxArguments(lean, value)[1]);
      return { block: lean.retain(block), fileMap: lean.retain(source.fileMap) };
    } finally {
      source.release();
      lean.release(command.syntax);
    }
  }

  /** Evaluates a block (consumed) in borrowed contexts and in a state; gives the monads' states after it (owned). */
  evaluate(block, contexts, before) {
    const { lean } = this.frontend, options = lean.field(contexts.core, CORE_CONTEXT.options), naming = this.naming(contexts);
    const known = { options, naming, textOf: (goal, metavariables) => this.printer.known(before, goal, metavariables) };
    const references = LAYERS.map(layer => lean.reference(lean.retain(before.values[layer])));
    const monad = () => LAYERS.flatMap((layer, index) => [lean.retain(contexts[layer]), lean.retain(references[index])]);
    this.resetHeartbeats(contexts);
    let exception = null;
    try {
      lean.release(lean.value(lean.call('l_Lean_Elab_Tactic_evalTactic', block, ...monad()), thrown => { exception = thrown; return new Refused(''); }));
      lean.release(lean.value(lean.call('l_Lean_Elab_Tactic_getUnsolvedGoals', ...monad()))); // takes solved goals off the state
    } catch (error) {
      if (exception === null) throw error;
    }
    const after = {};
    LAYERS.forEach((layer, index) => { after[layer] = lean.takeReference(references[index]); });
    const log = lean.field(after.core, CORE_STATE.messages), logged = messagesOf(lean, log, known).filter(m => m.severity === 'error').map(m => m.text);
    if (exception === null && !logged.length) return this.withoutMessages(after);
    LAYERS.forEach(layer => lean.release(after[layer]));
    throw this.refusal(contexts, exception, logged, known);
  }

  /** The error that a failed tactic is answered with, in which names are shortened as they are where the theorem stands, also where Lean would shorten more, in a tactic of `open … in`; consumes the exception. */
  refusal(contexts, exception, logged, known) {
    const { lean } = this.frontend;
    let isTimeout = false, texts = logged;
    if (exception !== null) {
      isTimeout = lean.number(lean.call('l_Lean_Exception_isMaxHeartbeat', lean.retain(exception))) === 1;
      const text = messageText(lean, named(lean, this.naming(contexts), lean.call('l_Lean_Exception_toMessageData', exception)), known);
      if (!logged.length) texts = [text]; // otherwise the exception says only that something was logged
    }
    const message = texts.join('\n');
    return new Refused(message, isTimeout || message.includes('maximum number of heartbeats') ? 'heartbeats' : 'error');
  }

  /** The current namespace and what is open (borrowed). */
  naming({ core }) { return [CORE_CONTEXT.currNamespace, CORE_CONTEXT.openDecls].map(index => this.frontend.lean.field(core, index)); }

  /** States whose message log is empty; consumes the given ones. */
  withoutMessages(values) {
    const { lean } = this.frontend;
    return { ...values, core: lean.with(values.core, { [CORE_STATE.messages]: lean.constant('l_Lean_MessageLog_empty') }) };
  }

  /** Borrowed metavariables of the goals; Lean.Elab.Tactic.State is the list itself. */
  goalsOf(values) { return this.frontend.lean.list(values.tactic); }

  /** Runs a function of MetaM, given by its symbol and the arguments before the monad's, on copies of the state; its value is owned. */
  inMeta(state, symbol, parameters, meta = state.root.contexts.meta) {
    const { lean } = this.frontend, { core } = state.root.contexts;
    const metaState = lean.reference(lean.retain(state.values.meta)), coreState = lean.reference(lean.retain(state.values.core));
    this.resetHeartbeats(state.root.contexts);
    try {
      const result = lean.call(symbol, ...parameters, lean.retain(meta), lean.retain(metaState), lean.retain(core), lean.retain(coreState));
      return lean.value(result, exception => this.refusal(state.root.contexts, exception, []));
    } finally {
      lean.release(metaState);
      lean.release(coreState);
    }
  }

  resetHeartbeats({ core }) {
    const { lean } = this.frontend;
    lean.release(lean.call('l_IO_setNumHeartbeats', lean.retain(lean.field(core, CORE_CONTEXT.initHeartbeats))));
  }

  isProposition(root) {
    const { lean } = this.frontend, type = this.inMeta(root, 'l_Lean_MVarId_getType', [lean.retain(root.goal)]);
    return lean.number(this.inMeta(root, 'l_Lean_Meta_isProp', [type])) === 1;
  }

  /**
   * Throws when what was just proved contains `sorry` or the theorem itself (a recursion, which only the whole proof could justify);
   * and, of a finished proof, when it has holes or trusts compiled code. `let rec` leaves a hole until Lean has seen the whole proof.
   */
  refuseCheats(before, state, goals) {
    const { lean } = this.frontend;
    for (const goal of this.goalsOf(before.values)) {
      this.withProof(state, goal, proof => {
        if (lean.number(lean.call('l_Lean_Expr_hasSorry', lean.retain(proof))) === 1) throw new Refused('the tactic uses sorry');
        if (lean.number(lean.call('l_Lean_Expr_containsFVar', lean.retain(proof), lean.retain(state.root.itself))) === 1) throw new Refused('the tactic uses the theorem itself');
      });
    }
    if (goals.length) return;
    this.withProof(state, state.root.goal, proof => {
      if (lean.raw('l_Lean_Expr_hasMVar')(proof) === 1) return this.refuseHoles(state);
      const names = lean.call('l_Lean_Expr_getUsedConstants', lean.retain(proof));
      this.refuseAxioms(lean.field(state.values.core, CORE_STATE.environment), lean.items(names));
      lean.release(names);
    });
  }

  /** Throws unless the tactics of a state are, as a whole, a proof. */
  refuseHoles({ root, tactics }) {
    const { frontend } = this, { lean } = frontend, { text, nameParts } = root.theorem;
    const source = new Source(lean, [`${text} := by`, ...tactics, ''].join('\n')), command = source.next(root.commandState);
    const after = frontend.elaborate(root.commandState, source, command), name = lean.nameOf(nameParts);
    try {
      const error = [...command.messages, ...after.messages()].find(m => m.severity === 'error');
      if (error) throw new Refused(`no goals are left, but the proof has holes: ${error.text}`);
      this.refuseAxioms(frontend.environment(after.state), [name]);
    } finally {
      source.release();
      for (const object of [after.state, name]) lean.release(object);
    }
  }

  /** Throws when constants (borrowed names) depend on trust in compiled code, or on `sorry`. */
  refuseAxioms(elaborated, names) {
    const environment = kernel(this.frontend.lean, elaborated);
    const forbidden = this.dependencies.axioms(environment, names).axioms.filter(axiom => FORBIDDEN.has(axiom));
    this.frontend.lean.release(environment);
    if (forbidden.length) throw new Refused(`the proof uses ${forbidden.join(', ')}`);
  }

  /** Calls `use` with what has been assigned to a goal (borrowed), all assignments inserted. */
  withProof(state, goal, use) {
    const { lean } = this.frontend;
    this.printer.instantiated(state, lean.call('l_Lean_mkMVar', lean.retain(goal)), use);
  }

  drop(state) {
    if (state.root === state) for (const owned of [state.commandState, state.goal, state.itself]) this.frontend.lean.release(owned);
    this.forget(state);
  }

  forget({ contexts, values }) {
    for (const object of Object.values({ ...values })) this.frontend.lean.release(object);
    for (const object of Object.values({ ...contexts })) this.frontend.lean.release(object);
  }
}

module.exports = { Goals };
