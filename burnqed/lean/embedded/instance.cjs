'use strict';
// One Lean instance: a worker thread that answers one request after the other.
//
// workerData: {baked, snapshot, module, memoryMb, role}. It posts {ready: true}, then for each message {kind, …} but `release` its answer:
// the fields of the request's function, or {error: {kind: 'error', message}}; with {fatal} when the instance is unusable afterwards. To `renew`,
// after which it is as if it had just been started, it answers {ready: true} again.
//
// An instance of role `judge` judges and does nothing else; those of role `reader` and `author` elaborate, and only what they are sent makes
// the difference: a reader sees nothing but headers and statements that somebody vouches for.

const fs = require('fs'), path = require('path');
const { parentPort, workerData } = require('worker_threads');
const { start } = require('./runtime.cjs');
const { LeanError } = require('./objects.cjs');
const { Frontend, Refused } = require('./frontend.cjs');
const { Dependencies } = require('./environment.cjs');
const { Malformed } = require('./export.cjs');
const { Checks } = require('./check.cjs');
const { cut } = require('./cut.cjs');
const { Goals } = require('./goals.cjs');
const { Judge } = require('./judge.cjs');
const { lemmas } = require('./lemmas.cjs');

const MESSAGE_CHARACTERS = 8000;

async function main() {
  const { baked, snapshot, module, memoryMb, role } = workerData;
  const started = await start({ baked, module, memoryMb, source: { snapshot } });
  let serve = serving(started, role, baked);
  parentPort.on('message', request => {
    if (request.kind !== 'renew') return serve(request);
    serve = serving(started.renewed(), role, baked);
    parentPort.postMessage({ ready: true });
  });
  parentPort.postMessage({ ready: true });
}

function serving({ lean, environment, isStackWhole }, role, baked) {
  const handlers = role === 'judge' ? judging(lean, environment, isStackWhole, baked) : elaborating(lean, environment);
  return request => {
    if (request.kind === 'release') return handlers.release(request); // not answered
    const started = performance.now();
    const answer = answerTo(handlers[request.kind], request);
    answer.seconds = (performance.now() - started) / 1000;
    answer.heapMb = lean.runtime.memory.buffer.byteLength / 1048576;
    parentPort.postMessage(answer);
  };
}

function judging(lean, environment, isStackWhole, baked) {
  lean.raw('_ZN4lean15save_stack_infoEb')(0); // so that the kernel notices in time that it recurses too deep
  const judge = new Judge(lean, environment, JSON.parse(fs.readFileSync(path.join(baked, 'missing.json'), 'utf8')));
  return {
    judge(request) {
      const verdict = judge.judge(request);
      if (!isStackWhole()) throw new Error('the stack is used up');
      return verdict;
    },
  };
}

function elaborating(lean, environment) {
  const frontend = new Frontend(lean, environment), dependencies = new Dependencies(lean, environment);
  const checks = new Checks(frontend, dependencies), goals = new Goals(frontend, dependencies);
  return {
    statement: request => checks.statement(request),
    proof: request => checks.proof(request),
    check: request => checks.both(request),
    cut: request => cut(frontend, dependencies, request),
    start: request => goals.start(request),
    tactic: request => goals.tactic(request),
    lemmas: request => lemmas(goals, request),
    release: request => goals.release(request.states),
  };
}

function answerTo(handler, request) {
  try {
    return handler(request);
  } catch (error) {
    if (error instanceof Malformed) return { error: { kind: 'error', message: `what the elaboration added cannot be read: ${error.message}` } };
    if (error instanceof LeanError || error instanceof Refused) return { error: { kind: error.kind ?? 'error', message: error.message.slice(0, MESSAGE_CHARACTERS) } };
    // A trap, a stack overflow, an exit, a C++ exception (a number): memory may be in any state.
    return { fatal: typeof error === 'number' ? 'a C++ exception' : `${error.name}: ${error.message}`.slice(0, 300) };
  }
}

main();
