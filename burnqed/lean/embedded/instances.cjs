'use strict';
// Lean instances of one role, in worker threads, and the queue of what they are to do.
//
// A job is {message, timeoutMs, state?: the proof state it needs, isFresh?: only an instance that has served nothing since it was started or
// renewed may do it}. `work` gives {answer, instance}; an answer with `error` when the instance refused it, took too long or died.

const path = require('path');
const { Worker } = require('worker_threads');

const STACK_MB = 256;             // of an instance's thread: Lean recurses deeply; only what is touched costs memory
const JUDGE_STACK_MB = 64;        // so small that it overflows, which ends the instance, before Lean's own stack in the memory runs into other data
const JAVASCRIPT_HEAP_MB = 512;
const REPLAY_FACTOR = 3;          // a replayed tactic may take this times as long as the first time before it counts as hanging
const TERMINATION_MS = 1000;
const MOST_FAILED_STARTS = 3;     // in a row

class Instances {
  constructor(settings) {
    this.settings = settings;
    this.instances = [];          // started when there is work for them
    this.queue = [];
    this.counts = { restarts: 0, recycled: 0, replayed: 0 };
    this.failedStarts = 0;
  }

  /** Starts all instances. */
  fill() { while (this.instances.length < this.settings.count) this.add(); }

  work(job) {
    return new Promise(resolve => {
      this.queue.push({ state: null, isFresh: false, ...job, resolve });
      this.pump();
    });
  }

  /** Answers the waiting jobs that `isOver` finds, with an error. */
  drop(isOver, error) {
    const over = this.queue.filter(isOver);
    this.queue = this.queue.filter(job => !isOver(job));
    for (const job of over) job.resolve({ answer: { error, seconds: 0 } });
  }

  /** Sends every instance a message that is not answered. */
  tell(message) { for (const instance of this.instances) if (instance.isReady) instance.worker.postMessage(message); }

  describe() { return this.instances.map(({ number, generation, served, heapMb, isReady }) => ({ role: this.settings.role, number, generation, served, heapMb, isReady })); }

  // ---- instances

  add() {
    const instance = { number: this.instances.length, generation: 0 };
    this.instances.push(instance);
    this.spawn(instance);
  }

  spawn(instance) {
    const { baked, module, memoryMb, role } = this.settings;
    const worker = new Worker(path.join(__dirname, 'instance.cjs'), {
      workerData: { baked, snapshot: path.join(baked, 'init.snapshot'), module, memoryMb, role },
      resourceLimits: { stackSizeMb: role === 'judge' ? JUDGE_STACK_MB : STACK_MB, maxOldGenerationSizeMb: JAVASCRIPT_HEAP_MB },
      stdout: true, stderr: true,   // standard output is the supervisor's alone
    });
    Object.assign(instance, { worker, generation: instance.generation + 1, isReady: false, job: null, served: 0, heapMb: 0, born: performance.now() });
    worker.on('message', answer => instance.worker === worker && this.received(instance, answer));
    worker.on('error', error => instance.worker === worker && this.died(instance, `the Lean instance crashed: ${error.message}`));
    worker.on('exit', () => instance.worker === worker && this.died(instance, 'the Lean instance ended'));
  }

  received(instance, answer) {
    const { job } = instance, { settings } = this;
    if (answer.ready) {
      instance.isReady = true;
      this.failedStarts = 0;
      settings.announce();
      return this.pump();
    }
    if (answer.fatal) return this.replace(instance, { kind: 'crash', message: `the Lean instance crashed: ${answer.fatal}` });
    clearTimeout(job.timer);
    Object.assign(instance, { job: null, served: instance.served + 1, heapMb: answer.heapMb });
    for (const state of job.replayed) state.holders.set(instance.number, instance.generation);
    const isDue = instance.served >= settings.recycleRequests || performance.now() - instance.born > settings.recycleSeconds * 1000 || instance.heapMb > settings.memoryMb * 0.75;
    const { heapMb, ...content } = answer;
    job.resolve({ answer: content, instance: { number: instance.number, generation: instance.generation } });
    if (isDue) {
      this.counts.recycled++;
      this.restart(instance);
    }
    this.pump();
  }

  /** Has the idle instance restore the memory that it started with: what a new one would have, in a fraction of the time. Its age goes on. */
  renew(instance) {
    this.counts.recycled++;
    Object.assign(instance, { generation: instance.generation + 1, isReady: false, served: 0 });
    instance.worker.postMessage({ kind: 'renew' });
  }

  /**
   * Ends the instance, answers its job with an error, and starts another in its place. What crashed an instance that had served before is tried
   * again in a fresh one: the memory that others left behind must not decide.
   */
  replace(instance, error) {
    const { job } = instance, wasUsed = instance.served > 0;
    this.counts.restarts++;
    this.restart(instance);
    if (job) {
      clearTimeout(job.timer);
      if (error.kind === 'crash' && wasUsed) this.queue.unshift({ ...job, isFresh: true });
      else job.resolve({ answer: { error, seconds: (performance.now() - job.started) / 1000 } });
    }
    this.pump();
  }

  died(instance, message) {
    if (!instance.isReady && ++this.failedStarts >= MOST_FAILED_STARTS) { // not this instance's fault: leave it to whoever started us
      process.stderr.write(message + '\n', () => process.exit(1));
      return;
    }
    this.replace(instance, { kind: 'crash', message });
  }

  /** Starts another instance once the old one's memory is free, or does not get free. */
  restart(instance) {
    const old = instance.worker;
    Object.assign(instance, { worker: null, isReady: false, job: null });
    Promise.race([old.terminate(), new Promise(resolve => setTimeout(resolve, TERMINATION_MS))]).then(() => this.spawn(instance));
  }

  // ---- the queue

  /** Gives every idle instance the first job that it can start at once, or one whose state is cheap to make again. */
  pump() {
    const { instances, queue } = this;
    while (instances.length < this.settings.count && queue.length > instances.filter(instance => !instance.job).length) this.add();
    for (const instance of instances) {
      if (!instance.isReady || instance.job || !queue.length) continue;
      const canDo = job => !job.isFresh || instance.served === 0;
      let chosen = queue.findIndex(job => canDo(job) && missing(job.state, instance).length === 0);
      // Replaying costs about as many tactics as are missing: worth it when more than that are waiting, or nobody has the state.
      if (chosen < 0) chosen = queue.findIndex(job => canDo(job) && (queue.length > missing(job.state, instance).length || !this.isHeld(job.state)));
      if (chosen >= 0) this.run(instance, queue.splice(chosen, 1)[0]);
      // Each instance that is not ready will be fresh, for one such job.
      else if (queue.filter(job => job.isFresh).length > instances.filter(other => !other.isReady).length) this.renew(instance);
    }
  }

  run(instance, job) {
    const replay = missing(job.state, instance);
    this.counts.replayed += replay.length;
    const patience = job.timeoutMs + replay.reduce((sum, state) => sum + Math.max(1, REPLAY_FACTOR * state.seconds) * 1000, 0);
    instance.job = job;
    Object.assign(job, { started: performance.now(), replayed: replay });
    job.timer = setTimeout(() => this.replace(instance, { kind: 'timeout', message: `no answer within ${job.timeoutMs / 1000} s` }), patience);
    instance.worker.postMessage({ ...job.message, replay: replay.map(state => state.request) });
  }

  isHeld(state) { return this.instances.some(instance => holds(instance, state)); }
}

const holds = (instance, state) => state.holders.get(instance.number) === instance.generation;

/** States, from the root on, that the instance must make again before it can work on `state`. */
function missing(state, instance) {
  const chain = [];
  for (let s = state; s && !holds(instance, s); s = s.parent) chain.push(s);
  return chain.reverse();
}

module.exports = { Instances };
