'use strict';
// Elaborates statements and whole proofs, and gives what came of them as text for the judge (export.cjs, judge.cjs). Nothing that is found
// here speaks for a proof: messages and rules only ever speak against one, and make the better reasons.
//
// The text compiled is `theorem NAME SIGNATURE`, what introduces the proof (`:= by`), and the proof as it is given. Only the first
// command is elaborated; whatever follows it is counted, not run. Nothing is elaborated of a text that the rules (rules.cjs) or the parser refuse.

const { Source, syntaxArguments, syntaxKind, syntaxRange } = require('./frontend.cjs');
const { exported } = require('./export.cjs');
const { Rules } = require('./headers.cjs');
const { refusal } = require('./rules.cjs');
const { declaration, propositionOf, theoremOf } = require('./theorem.cjs');

const MOST_MESSAGES = 20; // errors come first
const isError = message => message.severity === 'error';

class Checks {
  constructor(frontend, dependencies) {
    Object.assign(this, { frontend, dependencies });
  }

  /**
   * What a statement is, on its own: {header_errors, statement_errors, refused, statement: its text for the judge, or empty}.
   * Header and statement are held to the rules for strangers unless `isTrusted`.
   */
  statement({ header: headerText, statement, isTrusted, twins }) {
    const { header, theorem, ...facts } = isTrusted ? this.read(headerText, statement, isTrusted) : this.rules(twins).stated(headerText, statement);
    if (!isTrusted || !theorem) return { statement: '', ...facts };
    const { errors, text } = propositionOf(this.frontend, this.dependencies, header, theorem);
    return { ...facts, statement_errors: errors, statement: text };
  }

  /**
   * What a proof is: {header_errors, statement_errors, refused, commands, messages, tactic_block_only, proof: its text for the judge}.
   * With `isJudged` the kernel does not look at it here, because the judge will; what a tactic makes of the kernel's answer may then be
   * another proof than without.
   *
   * It may be a block of tactics, a term, or cases: of `introductions`, which can stand between statement and proof, the first counts with
   * which nothing speaks against it; failing that, the one with which Lean's parser gets farthest.
   */
  proof(request) {
    const [word] = request.proof.match(/\S+/) ?? [], attempts = [];
    for (const introduction of request.introductions ?? [':= by']) {
      const { facts, parsed } = this.attempt(request, introduction);
      if (!facts.messages.some(isError) && facts.commands < 2) return facts;
      // `intro n⏎omegaa` is a term as well, but nobody means it.
      const isMeant = !facts.messages.some(m => m.text.startsWith(`Unknown identifier \`${word}\``));
      attempts.push({ facts, parsed: isMeant ? parsed : 0 });
    }
    return attempts.reduce((best, other) => other.parsed > best.parsed ? other : best).facts;
  }

  /** {facts, parsed: up to where, Infinity for all of it}. */
  attempt({ header: headerText, statement, proof, isTrusted, isJudged = false, heartbeats = 0 }, introduction) {
    const { frontend } = this, { lean } = frontend;
    const { header, theorem, ...facts } = this.read(headerText, statement, isTrusted);
    Object.assign(facts, { commands: 0, messages: [], tactic_block_only: false, proof: '' });
    if (!theorem) return { facts, parsed: 0 };
    const placed = messages => messages.slice(0, MOST_MESSAGES).map(({ end, ...m }) => ({ ...m, line: m.line - theorem.line })), positionOf = ({ line, column }) => line * 1e6 + column;
    const text = `${theorem.text} ${introduction}\n${proof}\n`;
    const state = frontend.withHeartbeats(header.state, heartbeats), source = new Source(lean, text), first = source.next(state);
    try {
      const tree = frontend.trees.of(first.syntax);
      facts.refused = refusal(tree) ?? '';
      const unparsed = first.messages.find(isError);
      if (facts.refused || unparsed) { // nothing is elaborated that is not allowed, or not whole
        lean.release(first.syntax);
        if (!facts.refused) Object.assign(facts, { commands: 1, messages: placed(first.messages) });
        return { facts, parsed: unparsed ? positionOf(unparsed) : 0 };
      }
      facts.tactic_block_only = isTacticBlock(lean, declaration(lean, first.syntax)?.value);
      const elaborate = () => frontend.elaborate(state, source, first), after = isJudged ? frontend.unchecked(elaborate) : elaborate();
      try {
        const rest = source.rest(after.state), broken = rest.messages.find(isError), messages = [...first.messages, ...after.messages(), ...rest.messages];
        facts.commands = rest.isEnd ? 1 : 2;
        facts.messages = placed([...messages.filter(isError), ...messages.filter(m => !isError(m))]);
        facts.proof = exported(frontend, this.dependencies, after.state, theorem.nameParts);
        return { facts, parsed: broken ? positionOf(broken) : Infinity };
      } finally { lean.release(after.state); }
    } finally {
      source.release();
      lean.release(state);
    }
  }

  /** Both, in an instance that has seen nothing else: what the statement is has become text before the proof is looked at. */
  both(request) {
    const stated = this.statement(request);
    return stated.statement ? { ...stated, ...this.proof(request) } : { ...stated, commands: 0, messages: [], tactic_block_only: false, proof: '' };
  }

  rules(twins) { return new Rules(this.frontend, this.dependencies, twins); }

  /** The theorem of a statement, parsed in its header: {header, theorem (null when it cannot be), rules, …facts}. */
  read(headerText, statement, isTrusted) {
    const header = isTrusted ? this.frontend.header(headerText) : this.rules().whole(headerText);
    const facts = { header, theorem: null, header_errors: header.errors, statement_errors: [], refused: header.refused ?? '' };
    if (header.errors.length || header.refused) return facts;
    const theorem = theoremOf(this.frontend, header, statement);
    return theorem.errors.length ? { ...facts, statement_errors: theorem.errors } : { ...facts, theorem };
  }
}

/** Whether a declaration's value is `:= by tactics` and nothing else (no `where`, no `termination_by`). */
function isTacticBlock(lean, value) {
  if (!value || syntaxKind(lean, value) !== 'Lean.Parser.Command.declValSimple') return false;
  const [, body, ...suffixes] = syntaxArguments(lean, value);
  return syntaxKind(lean, body) === 'Lean.Parser.Term.byTactic' && suffixes.every(suffix => syntaxRange(lean, suffix) === null);
}

module.exports = { Checks, isTacticBlock };
