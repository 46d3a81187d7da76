'use strict';
// The process that Python talks to: JSON lines in and out, queues, and Lean instances in worker threads.
//
//     node FLAGS supervisor.cjs '{"baked": DIR, "instances": 2, "memoryMb": 1200, "recycleRequests": 1000, "recycleSeconds": 1800}'
//
// Requests are {id, kind, timeoutMs, …}; the answer has the same id and `seconds` in Lean:
//     goal.start  {header, statement, heartbeats}            → {state, goals} or {error: {kind, message}}
//     goal.tactic {state, tactic, heartbeats}                → {state, goals} or {error: {kind, message}}
//     goal.release {root}                                    → {}         forgets every state of that search
//     cut         {text, isTrusted}                          → the commands of a file (cut.cjs) or {error: {kind, message}}
//     check       {header, statement, proof, isTrusted, exportTo?, …}   → facts (facts.py) or {error: {kind, message}}   (verdicts.cjs)
//     judge       {header, statement, export, exportTo?}     → facts of what somebody says that a proof added
//     stats       {}                                         → {rss, states, instances: [{served, heapMb, ready, …}], …}
// kind of an error: `error` Lean refused, `heartbeats` these ran out, `timeout` the clock did, `crash` the instance died.
//
// A proof state lives in the instance that made it. When that instance is gone, or busy while others idle, the state is made again
// elsewhere by replaying its tactics, so that the death of an instance is only seen by the request it was serving.

const fs = require('fs'), path = require('path');
const { Instances } = require('./instances.cjs');
const { Verdicts } = require('./verdicts.cjs');

const settings = JSON.parse(process.argv[2]);
const PARENT_CHECK_MS = 500;
const AUTHORS_PER_JUDGE = 4;
const STARTED = performance.now();

const module_ = new WebAssembly.Module(fs.readFileSync(path.join(settings.baked, 'lean.wasm')));
setImmediate(() => globalThis.gc?.()); // the compiled module has a copy of the 116 MB just read
const states = new Map();         // id → {id, root, parent, request, seconds, holders: Map(instance number → its generation)}
const searches = new Map();       // id of a root → ids of its states
let lastState = 0, requests = 0, isAnnounced = false;

const say = answer => process.stdout.write(JSON.stringify(answer) + '\n');

function announce() {
  if (!isAnnounced) say({ ready: true, seconds: (performance.now() - STARTED) / 1000 });
  isAnnounced = true;
}

const pool = (role, count) => new Instances({ ...settings, module: module_, role, count, announce });
const authors = pool('author', settings.instances);                               // whose texts nobody vouches for
const readers = pool('reader', 1);                                                // who see only texts that somebody vouches for
const judges = pool('judge', Math.ceil(settings.instances / AUTHORS_PER_JUDGE));
const verdicts = new Verdicts(authors, readers, judges);

// ---------------------------------------------------------------- requests

const handlers = {
  'goal.start': request => step(request, null, { kind: 'start', header: request.header, statement: request.statement, heartbeats: request.heartbeats }),

  'goal.tactic': request => {
    const state = states.get(request.state);
    if (!state) return fail(request, { kind: 'error', message: 'there is no such state: its search has been released' });
    step(request, state, { kind: 'tactic', parent: state.id, tactic: request.tactic, heartbeats: request.heartbeats });
  },

  'goal.release': request => {
    const members = searches.get(request.root) ?? [];
    searches.delete(request.root);
    for (const id of members) states.delete(id);
    const released = new Set(members);
    authors.drop(job => job.state && released.has(job.state.id), { kind: 'error', message: 'the search has been released' });
    authors.tell({ kind: 'release', states: members });
    say({ id: request.id });
  },

  cut: async ({ id, text, isTrusted, timeoutMs }) => say({ id, ...(await authors.work({ message: { kind: 'cut', text, isTrusted }, timeoutMs, isFresh: true })).answer }),

  check: async request => say({ id: request.id, ...await verdicts.check(request) }),
  judge: async request => say({ id: request.id, ...await verdicts.judge(request) }),

  stats: request => {
    const instances = [authors, readers, judges].flatMap(pool => pool.describe());
    say({ id: request.id, rss: process.memoryUsage().rss, states: states.size, searches: searches.size, queued: authors.queue.length, requests, ...authors.counts, instances });
  },
};

/** Makes a new state from `parent` (null: a root) by the message, in whichever instance gets to it. */
async function step(request, parent, message) {
  const id = ++lastState;
  message = { ...message, id };
  const { answer, instance } = await authors.work({ message, timeoutMs: request.timeoutMs, state: parent });
  if (answer.error) return fail(request, answer.error, answer.seconds);
  const root = parent ? parent.root : id;
  if (parent && !states.has(parent.id)) { // released while we worked
    authors.tell({ kind: 'release', states: [id] });
    return fail(request, { kind: 'error', message: 'the search has been released' });
  }
  states.set(id, { id, root, parent, request: message, seconds: answer.seconds, holders: new Map([[instance.number, instance.generation]]) });
  if (parent) searches.get(root).push(id);
  else searches.set(root, [id]);
  say({ id: request.id, state: id, goals: answer.goals, seconds: answer.seconds });
}

function fail(request, error, seconds = 0) { say({ id: request.id, error, seconds }); }

function serve(line) {
  requests++;
  const request = JSON.parse(line);
  if (!Object.hasOwn(handlers, request.kind)) return fail(request, { kind: 'error', message: `there is no request ${request.kind}` });
  handlers[request.kind](request);
}

// ---------------------------------------------------------------- the parent

const end = () => process.kill(process.pid, 'SIGKILL'); // at once, however busy the instances are
const parent = process.ppid;
setInterval(() => process.ppid !== parent && end(), PARENT_CHECK_MS); // a sibling may hold our standard input open
process.stdin.on('end', end);
process.stdin.on('error', end);
process.stdout.on('error', end);

let unfinished = []; // parts of a line whose end has not come
process.stdin.setEncoding('utf8');
process.stdin.on('data', chunk => {
  const [first, ...others] = chunk.split('\n');
  unfinished.push(first);
  if (!others.length) return;
  const lines = [unfinished.join(''), ...others];
  unfinished = [lines.pop()];
  for (const line of lines) if (line) serve(line);
});

authors.fill();
