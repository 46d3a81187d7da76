'use strict';
// Facts about a whole proof, for `burnqed/lean/check.py` to judge. They come from Lean's objects, never from printed messages.
//
// The text compiled is `theorem NAME SIGNATURE := by⏎` and the proof as it is given, in the header's environment. Only the first
// command is elaborated; whatever follows it is counted, not run. Nothing is elaborated of a text that the rules (rules.cjs) refuse.

const { Source, syntaxArguments, syntaxKind, syntaxRange } = require('./frontend.cjs');
const { addedConstants, constantInfo, describe, kernel } = require('./environment.cjs');
const { Rules, refusal } = require('./rules.cjs');
const { declaration, propositionOf, theoremOf } = require('./theorem.cjs');

const MOST_MESSAGES = 20; // errors come first
const missing = () => ({ refused: '', commands: 0, messages: [], theorem_found: false, kind: '', type_matches: false, level_params_match: false, tactic_block_only: false, new_constants: [], axioms: [], library: 0 });

/**
 * Answers the request {header, statement, proof, heartbeats, isTrusted}; the fields of the answer are those of `ProofFacts` in facts.py.
 * Header and statement are held to the rules for strangers unless `isTrusted`; the proof always.
 */
function check(frontend, dependencies, request) {
  const rules = request.isTrusted ? null : new Rules(frontend, dependencies), header = frontend.header(request.header, rules);
  const facts = { header_errors: header.errors, statement_errors: [], ...missing(), refused: header.refused };
  if (header.errors.length || header.refused) return facts;
  const theorem = theoremOf(frontend, header, request.statement);
  facts.statement_errors = theorem.errors;
  if (theorem.errors.length) return facts;
  const proposition = propositionOf(frontend, header, theorem);
  facts.statement_errors = proposition.errors;
  if (proposition.errors.length) return facts;

  const { lean } = frontend, state = frontend.withHeartbeats(header.state, request.heartbeats ?? 0);
  const source = new Source(lean, theorem.text + request.proof + '\n'), first = source.next(state);
  try {
    const tree = frontend.trees.of(first.syntax);
    facts.refused = refusal(tree) ?? rules?.forStatement(tree, state) ?? '';
    if (facts.refused) {
      lean.release(first.syntax);
      return facts;
    }
    const value = declaration(lean, first.syntax)?.value;
    facts.tactic_block_only = isTacticBlock(lean, value);
    const after = frontend.elaborate(state, source, first);
    try {
      const rest = source.rest(after.state);
      facts.commands = rest.isEnd ? 1 : 2;
      const messages = [...first.messages, ...after.messages(), ...rest.messages], isError = m => m.severity === 'error';
      facts.messages = [...messages.filter(isError), ...messages.filter(m => !isError(m))].slice(0, MOST_MESSAGES).map(m => ({ ...m, line: m.line - theorem.line }));
      inspect(frontend, dependencies, header, after.state, { ...theorem, ...proposition }, facts);
    } finally { lean.release(after.state); }
  } finally {
    source.release();
    lean.release(state);
  }
  return facts;
}

/** Whether a declaration's value is `:= by tactics` and nothing else (no `where`, no `termination_by`). */
function isTacticBlock(lean, value) {
  if (!value || syntaxKind(lean, value) !== 'Lean.Parser.Command.declValSimple') return false;
  const [, body, ...suffixes] = syntaxArguments(lean, value);
  return syntaxKind(lean, body) === 'Lean.Parser.Term.byTactic' && suffixes.every(suffix => syntaxRange(lean, suffix) === null);
}

/** Fills in what the environment after the command says. */
function inspect(frontend, dependencies, header, state, theorem, facts) {
  const { lean } = frontend;
  const before = kernel(lean, frontend.environment(header.state)), after = kernel(lean, frontend.environment(state));
  try {
    const known = addedConstants(lean, before), own = theorem.name;
    for (const [name, info] of addedConstants(lean, after)) {
      if (known.has(name)) continue;
      const { kind, isUnsafe } = describe(lean, info);
      const isAuxiliary = name === own || name.startsWith(own + '.');
      if (!isAuxiliary || isUnsafe || (kind !== 'theorem' && kind !== 'definition')) facts.new_constants.push({ name, kind, unsafe: isUnsafe });
    }
    facts.new_constants = facts.new_constants.filter(constant => constant.name !== own || constant.kind !== 'theorem');
    const info = constantInfo(frontend, state, theorem.nameParts);
    if (!info) return;
    facts.theorem_found = true;
    facts.kind = info.kind;
    facts.type_matches = lean.raw('lean_expr_eqv')(info.type, theorem.type) === 1; // borrows both
    facts.level_params_match = info.levels.join() === theorem.levels.join();
    Object.assign(facts, dependencies.axioms(after, [info.name]));
  } finally {
    lean.release(before);
    lean.release(after);
  }
}

module.exports = { check, isTacticBlock };
