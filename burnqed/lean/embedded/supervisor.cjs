'use strict';
// The process that Python talks to, in JSON lines: Lean instances in worker threads, each of which does one thing after the other.
//
//     node FLAGS supervisor.cjs '{"baked": DIR, "memoryMb": 1200, "number": 1}'
//
// Python decides who does what, and for how long (burnqed/lean/pool.py). A request is {do, instance, …}, where `instance` is a number that
// Python chooses. One with an id is answered by {id, …}, or by {id, died: why} when the thread ended.
//     start {role}       → {}          when the instance is ready
//     ask   {message}    → {answer}    (instance.cjs)
//     tell  {message}    a message that is not answered
//     renew              → {}          when the instance is what it was at its start
//     end                → {}          when its memory is free, or cannot be freed
//     drop  {text}       forgets a text
//     alive              → {}
// A proof's export, a large text, stays here: {process, text} stands for it in an answer's `proof` and in that of a judge's message.

const fs = require('fs'), path = require('path');
const { Worker } = require('worker_threads');

const settings = JSON.parse(process.argv[2]);
const STACK_MB = 256;             // of an instance's thread: Lean recurses deeply; only what is touched costs memory
const JUDGE_STACK_MB = 64;        // so small that it overflows, which ends the instance, before Lean's own stack in the memory runs into other data
const JAVASCRIPT_HEAP_MB = 512;
const TERMINATION_MS = 1000;
const PARENT_CHECK_MS = 500;

const module_ = new WebAssembly.Module(fs.readFileSync(path.join(settings.baked, 'lean.wasm')));
setImmediate(() => globalThis.gc?.()); // the compiled module has a copy of the 116 MB just read
const threads = new Map();        // number of an instance → Thread
const texts = new Map();          // number → text
let lastText = 0;

const say = answer => process.stdout.write(JSON.stringify(answer) + '\n');

class Thread {
  constructor(role) {
    this.id = null;               // of the request that is under way
    this.death = '';
    this.worker = new Worker(path.join(__dirname, 'instance.cjs'), {
      workerData: { baked: settings.baked, snapshot: path.join(settings.baked, 'init.snapshot'), module: module_, memoryMb: settings.memoryMb, role },
      resourceLimits: { stackSizeMb: role === 'judge' ? JUDGE_STACK_MB : STACK_MB, maxOldGenerationSizeMb: JAVASCRIPT_HEAP_MB },
      stdout: true, stderr: true, // standard output is the supervisor's alone
    });
    this.worker.on('message', answer => this.received(answer));
    this.worker.on('error', error => this.died(`the Lean instance crashed: ${error.message}`));
    this.worker.on('exit', () => this.died('the Lean instance ended'));
  }

  /** Has the next message of the instance answer the request. */
  expect(id) {
    this.id = id;
    if (this.death) this.reply({ died: this.death });
  }

  received({ ready, fatal, ...answer }) {
    if (fatal) return this.died(`the Lean instance crashed: ${fatal}`);
    if (answer.proof) {
      texts.set(++lastText, answer.proof);
      answer.proof = { process: settings.number, text: lastText };
    }
    this.reply(ready ? {} : { answer });
  }

  died(why) {
    this.death ||= why;
    this.reply({ died: this.death });
  }

  reply(content) {
    if (this.id !== null) say({ id: this.id, ...content });
    this.id = null;
  }
}

// ---------------------------------------------------------------- requests

const handlers = {
  start({ id, instance, role }) {
    threads.set(instance, new Thread(role));
    threads.get(instance).expect(id);
  },

  ask({ id, instance, message }) {
    const thread = threads.get(instance), { process, text } = message.proof ?? {};
    thread.expect(id);
    if (text === undefined) thread.worker.postMessage(message);
    else if (process === settings.number && texts.has(text)) thread.worker.postMessage({ ...message, proof: texts.get(text) });
    else thread.died('what was to be judged is gone with its process');
  },

  tell({ instance, message }) { threads.get(instance)?.worker.postMessage(message); },

  renew({ id, instance }) {
    threads.get(instance).expect(id);
    threads.get(instance).worker.postMessage({ kind: 'renew' });
  },

  end({ id, instance }) {
    const thread = threads.get(instance);
    threads.delete(instance);
    if (thread) thread.id = null; // nobody waits for that any longer
    Promise.race([thread?.worker.terminate(), new Promise(resolve => setTimeout(resolve, TERMINATION_MS))]).then(() => say({ id }));
  },

  drop({ text: { process, text } }) { if (process === settings.number) texts.delete(text); },

  alive({ id }) { say({ id }); },
};

function serve(line) {
  const request = JSON.parse(line);
  handlers[request.do](request);
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
