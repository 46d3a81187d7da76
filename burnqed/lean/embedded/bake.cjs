'use strict';
// Imports the library once and saves the memory: node bake.cjs '{"baked": DIR, "library": DIR, "snapshot": FILE}'

const fs = require('fs'), path = require('path');
const { Worker, isMainThread, workerData } = require('worker_threads');
const { start } = require('./runtime.cjs');

if (isMainThread) {
  const settings = JSON.parse(process.argv[2]);
  const worker = new Worker(__filename, { workerData: settings, resourceLimits: { stackSizeMb: 256 } }); // Lean needs a large stack
  worker.on('error', error => { console.error(error); process.exit(1); });
} else {
  const { baked, library, snapshot } = workerData;
  const module = new WebAssembly.Module(fs.readFileSync(path.join(baked, 'lean.wasm')));
  start({ baked, module, source: { library } }).then(({ saveSnapshot }) => saveSnapshot(snapshot));
}
