'use strict';
// How a check goes: who elaborates the statement, who the proof, who judges.
//
// Trusted header and statement: a reader, which sees nothing but trusted texts, says what the statement is (kept, because many proofs of it may
// come); an author's instance elaborates the proof, which may have run other people's proofs before; the judge decides. Whatever speaks
// against the proof is found once more in a fresh instance before it stands, so that nobody can spoil another's proof. Only there does the
// kernel look at the proof while it is elaborated, as some tactics want; what is accepted has cost the kernel's work once, the judge's.
//
// Header and statement of a stranger: one fresh instance per check. What the statement is has left it as text before it looks at the proof. If
// the judge crashes, it may have lacked the memory that others' proofs took: a fresh one judges once more.

const KEPT_STATEMENTS = 64;
const UNJUDGED = { objection: '', could_not_check: false, axioms: [], library: 0 };

class Verdicts {
  constructor(authors, readers, judges) {
    Object.assign(this, { authors, readers, judges });
    this.statements = new Map(); // header and statement → promise of the reader's answer; the least recently used one first
  }

  /** Facts about a proof, or {error, seconds}. */
  async check(request) {
    if (!request.isTrusted) return this.judged(request, await this.ask(this.authors, request, { kind: 'check', isFresh: true }));
    const stated = await this.stated(request);
    if (!stated.statement) return unproved(stated);
    const attempt = async isFresh => {
      const proved = await this.ask(this.authors, request, { kind: 'proof', isFresh, isJudged: !isFresh });
      return this.judged(request, proved.error ? proved : { ...stated, ...proved, seconds: stated.seconds + proved.seconds });
    };
    const first = await attempt(false);
    if (isAccepted(first)) return first;
    const second = await attempt(true);
    return { ...second, seconds: first.seconds + second.seconds };
  }

  /** Facts about what somebody says that a proof of a trusted statement added. */
  async judge(request) {
    const stated = await this.stated(request);
    return stated.statement ? this.judged(request, { ...unproved(stated), statement: stated.statement, commands: 1, proof: request.export }) : unproved(stated);
  }

  // ---- steps of the above

  /** The judge's opinion on an elaborated proof against which nothing speaks so far. */
  async judged(request, elaborated) {
    const { statement, proof, ...facts } = elaborated;
    if (facts.error) return facts;
    if (!isElaborated(facts)) return { ...facts, ...UNJUDGED };
    if (!proof) return { ...facts, ...UNJUDGED, objection: 'the text declares no theorem of that name' };
    const ask = isFresh => this.ask(this.judges, request, { kind: 'judge', statement, proof, exportTo: request.exportTo, isFresh });
    const first = await ask(false), second = first.error?.kind === 'crash' && !request.isTrusted ? await ask(true) : null;
    const { error, seconds, ...judged } = second ?? first;
    if (error) Object.assign(judged, { ...UNJUDGED, objection: error.message, could_not_check: true });
    return { ...facts, ...judged, seconds: facts.seconds + seconds + (second ? first.seconds : 0) };
  }

  /** What the reader says of a trusted statement. */
  stated(request) {
    const key = JSON.stringify([request.header, request.statement]);
    const answer = this.statements.get(key) ?? this.ask(this.readers, request, { kind: 'statement' });
    this.statements.delete(key);
    this.statements.set(key, answer);
    if (this.statements.size > KEPT_STATEMENTS) this.statements.delete(this.statements.keys().next().value);
    answer.then(({ error }) => error && this.statements.delete(key)); // a crash or timeout may not happen again
    return answer.then(stated => ({ ...stated, seconds: stated.seconds ?? 0 }));
  }

  async ask(pool, { header, statement, proof, introductions, isTrusted, twins, heartbeats, timeoutMs }, { isFresh = false, ...message }) {
    const { answer } = await pool.work({ message: { header, statement, proof, introductions, isTrusted, twins, heartbeats, ...message }, timeoutMs, isFresh });
    return answer;
  }
}

/** Facts of a statement whose proof was not looked at. */
function unproved({ statement, ...stated }) {
  return stated.error ? stated : { commands: 0, messages: [], tactic_block_only: false, ...UNJUDGED, ...stated };
}

/** Whether a whole proof was elaborated and nothing was found against it on the way. */
function isElaborated({ refused, header_errors, statement_errors, commands, messages }) {
  return !refused && !header_errors.length && !statement_errors.length && commands === 1 && !messages.some(({ severity }) => severity === 'error');
}

const isAccepted = facts => !facts.error && !facts.objection && isElaborated(facts);

module.exports = { Verdicts };
