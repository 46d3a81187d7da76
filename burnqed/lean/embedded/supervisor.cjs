'use strict';
// The process that Python talks to: JSON lines in and out, a queue, and Lean instances in worker threads.
//
//     node FLAGS supervisor.cjs '{"baked": DIR, "instances": 2, "memoryMb": 1200, "recycleRequests": 1000, "recycleSeconds": 1800}'
//
// Requests are {id, kind, timeoutMs, …}; the answer has the same id and `seconds` in Lean:
//     goal.start  {header, statement, heartbeats}            → {state, goals} or {error: {kind, message}}
//     goal.tactic {state, tactic, heartbeats}                → {state, goals} or {error: {kind, message}}
//     goal.release {root}                                    → {}         forgets every state of that search
//     check       {header, statement, proof, heartbeats}     → facts (check.cjs) or {error: {kind, message}}
//     stats       {}                                         → {rss, states, instances: [{served, heapMb, ready, …}], …}
// kind of an error: `error` Lean refused, `timeout` wall clock or heartbeats, `crash` the instance died.
//
// A proof state lives in the instance that made it. When that instance is gone, or busy while others idle, the state is made again
// elsewhere by replaying its tactics, so that the death of an instance is only seen by the request it was serving.

const fs = require('fs'), path = require('path');
const { Worker } = require('worker_threads');

const settings = JSON.parse(process.argv[2]);
const STACK_MB = 256;             // of an instance's thread: Lean recurses deeply; only what is touched costs memory
const JAVASCRIPT_HEAP_MB = 256;
const REPLAY_FACTOR = 3;          // a replayed tactic may take this times as long as the first time before it counts as hanging
const PARENT_CHECK_MS = 500;
const TERMINATION_MS = 1000;
const MOST_FAILED_STARTS = 3;     // in a row
const STARTED = performance.now();

const module_ = new WebAssembly.Module(fs.readFileSync(path.join(settings.baked, 'lean.wasm')));
setImmediate(() => globalThis.gc?.()); // the compiled module has a copy of the 116 MB just read
const instances = [], queue = [];
const states = new Map();         // id → {id, root, parent, request, seconds, holders: Map(instance number → its generation)}
const searches = new Map();       // id of a root → ids of its states
const counts = { requests: 0, restarts: 0, recycled: 0, replayed: 0 };
let lastState = 0, isAnnounced = false, failedStarts = 0;

const say = answer => process.stdout.write(JSON.stringify(answer) + '\n');

// ---------------------------------------------------------------- instances

function spawn(instance) {
  const worker = new Worker(path.join(__dirname, 'instance.cjs'), {
    workerData: { baked: settings.baked, snapshot: path.join(settings.baked, 'init.snapshot'), module: module_, memoryMb: settings.memoryMb },
    resourceLimits: { stackSizeMb: STACK_MB, maxOldGenerationSizeMb: JAVASCRIPT_HEAP_MB },
    stdout: true, stderr: true,   // standard output is ours alone
  });
  Object.assign(instance, { worker, generation: instance.generation + 1, isReady: false, job: null, served: 0, heapMb: 0, born: performance.now() });
  worker.on('message', answer => instance.worker === worker && received(instance, answer));
  worker.on('error', error => instance.worker === worker && died(instance, `the Lean instance crashed: ${error.message}`));
  worker.on('exit', () => instance.worker === worker && died(instance, 'the Lean instance ended'));
}

function received(instance, answer) {
  if (answer.ready) {
    instance.isReady = true;
    failedStarts = 0;
    if (!isAnnounced) say({ ready: true, seconds: (performance.now() - STARTED) / 1000 });
    isAnnounced = true;
    return pump();
  }
  const job = instance.job;
  if (answer.fatal) return replace(instance, 'crash', `the Lean instance crashed: ${answer.fatal}`);
  clearTimeout(job.timer);
  Object.assign(instance, { job: null, served: instance.served + 1, heapMb: answer.heapMb });
  const isDue = instance.served >= settings.recycleRequests || performance.now() - instance.born > settings.recycleSeconds * 1000 || instance.heapMb > settings.memoryMb * 0.75;
  job.answered(instance, answer);
  if (isDue) {
    counts.recycled++;
    restart(instance);
  }
  pump();
}

/** Ends the instance, answers its request, and starts another in its place. */
function replace(instance, kind, message) {
  const job = instance.job;
  counts.restarts++;
  restart(instance);
  if (job) {
    clearTimeout(job.timer);
    job.failed(kind, message, (performance.now() - job.started) / 1000);
  }
  pump();
}

function died(instance, message) {
  if (!instance.isReady && ++failedStarts >= MOST_FAILED_STARTS) { // not this instance's fault: leave it to whoever started us
    process.stderr.write(message + '\n', () => process.exit(1));
    return;
  }
  replace(instance, 'crash', message);
}

/** Starts another instance once the old one's memory is free, or does not get free. */
function restart(instance) {
  const old = instance.worker;
  Object.assign(instance, { worker: null, isReady: false, job: null });
  Promise.race([old.terminate(), new Promise(resolve => setTimeout(resolve, TERMINATION_MS))]).then(() => spawn(instance));
}

// ---------------------------------------------------------------- the queue

/** Gives every idle instance the first job that it can start at once, or one whose state is cheap to make again. */
function pump() {
  for (const instance of instances) {
    if (!instance.isReady || instance.job || !queue.length) continue;
    let chosen = queue.findIndex(job => missing(job.state, instance).length === 0);
    // Replaying costs about as many tactics as are missing: worth it when more than that are waiting, or nobody has the state.
    if (chosen < 0) chosen = queue.findIndex(job => queue.length > missing(job.state, instance).length || !isHeld(job.state));
    if (chosen >= 0) run(instance, queue.splice(chosen, 1)[0]);
  }
}

function run(instance, job) {
  const replay = missing(job.state, instance);
  counts.replayed += replay.length;
  const patience = job.timeoutMs + replay.reduce((sum, state) => sum + Math.max(1, REPLAY_FACTOR * state.seconds) * 1000, 0);
  instance.job = job;
  job.started = performance.now();
  job.timer = setTimeout(() => replace(instance, 'timeout', `no answer within ${job.timeoutMs / 1000} s`), patience);
  job.replayed = replay;
  instance.worker.postMessage({ ...job.message, replay: replay.map(state => state.request) });
}

const holds = (instance, state) => state.holders.get(instance.number) === instance.generation;
const isHeld = state => instances.some(instance => holds(instance, state));

/** States, from the root on, that the instance must make again before it can work on `state`. */
function missing(state, instance) {
  const chain = [];
  for (let s = state; s && !holds(instance, s); s = s.parent) chain.push(s);
  return chain.reverse();
}

function enqueue(job) {
  queue.push(job);
  pump();
}

// ---------------------------------------------------------------- requests

const handlers = {
  'goal.start': request => step(request, null, { kind: 'start', header: request.header, statement: request.statement, heartbeats: request.heartbeats }),

  'goal.tactic': request => {
    const state = states.get(request.state);
    if (!state) return fail(request, 'error', 'there is no such state: its search has been released');
    step(request, state, { kind: 'tactic', parent: state.id, tactic: request.tactic, heartbeats: request.heartbeats });
  },

  'goal.release': request => {
    const members = searches.get(request.root) ?? [];
    searches.delete(request.root);
    for (const id of members) states.delete(id);
    const released = new Set(members), isOver = job => job.state && released.has(job.state.id);
    for (const job of queue.filter(isOver)) job.failed('error', 'the search has been released');
    queue.splice(0, queue.length, ...queue.filter(job => !isOver(job)));
    for (const instance of instances) if (instance.isReady) instance.worker.postMessage({ kind: 'release', states: members });
    say({ id: request.id });
  },

  check: request => enqueue({
    state: null, timeoutMs: request.timeoutMs, message: { ...request, kind: 'check' },
    answered: (_, { heapMb, ...answer }) => say({ id: request.id, ...answer }),
    failed: (kind, message, seconds) => fail(request, kind, message, seconds),
  }),

  stats: request => say({
    id: request.id, rss: process.memoryUsage().rss, states: states.size, searches: searches.size, queued: queue.length, ...counts,
    instances: instances.map(({ number, generation, served, heapMb, isReady }) => ({ number, generation, served, heapMb, isReady })),
  }),
};

/** Makes a new state from `parent` (null: a root) by the message, in whichever instance gets to it. */
function step(request, parent, message) {
  const id = ++lastState;
  message = { ...message, id };
  enqueue({
    state: parent, timeoutMs: request.timeoutMs, message,
    answered(instance, answer) {
      for (const state of this.replayed) state.holders.set(instance.number, instance.generation);
      if (answer.error) return say({ id: request.id, error: answer.error, seconds: answer.seconds });
      const root = parent ? parent.root : id;
      if (parent && !states.has(parent.id)) { // released while we worked
        instance.worker.postMessage({ kind: 'release', states: [id] });
        return fail(request, 'error', 'the search has been released');
      }
      states.set(id, { id, root, parent, request: message, seconds: answer.seconds, holders: new Map([[instance.number, instance.generation]]) });
      if (parent) searches.get(root).push(id);
      else searches.set(root, [id]);
      say({ id: request.id, state: id, goals: answer.goals, seconds: answer.seconds });
    },
    failed: (kind, text, seconds) => fail(request, kind, text, seconds),
  });
}

function fail(request, kind, message, seconds = 0) { say({ id: request.id, error: { kind, message }, seconds }); }

function serve(line) {
  counts.requests++;
  const request = JSON.parse(line);
  if (!Object.hasOwn(handlers, request.kind)) return fail(request, 'error', `there is no request ${request.kind}`);
  handlers[request.kind](request);
}

// ---------------------------------------------------------------- the parent

const end = () => process.kill(process.pid, 'SIGKILL'); // at once, however busy the instances are
const parent = process.ppid;
setInterval(() => process.ppid !== parent && end(), PARENT_CHECK_MS); // a sibling may hold our standard input open
process.stdin.on('end', end);
process.stdin.on('error', end);
process.stdout.on('error', end);

let unfinished = '';
process.stdin.setEncoding('utf8');
process.stdin.on('data', chunk => {
  const lines = (unfinished + chunk).split('\n');
  unfinished = lines.pop();
  for (const line of lines) if (line) serve(line);
});

for (let number = 0; number < settings.instances; number++) {
  const instance = { number, generation: 0 };
  instances.push(instance);
  spawn(instance);
}
