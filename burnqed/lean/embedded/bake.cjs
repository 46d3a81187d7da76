'use strict';
// Imports the library once and saves the memory: node bake.cjs '{"baked": DIR, "library": DIR, "snapshot": FILE}'
// Beside it, missing.json lists the names that the library's constants mention but that are not in it.

const fs = require('fs'), path = require('path');
const { Worker, isMainThread, workerData } = require('worker_threads');
const { kernel, missingNames } = require('./environment.cjs');
const { start } = require('./runtime.cjs');

if (isMainThread) {
  const settings = JSON.parse(process.argv[2]);
  const worker = new Worker(__filename, { workerData: settings, resourceLimits: { stackSizeMb: 256 } }); // Lean needs a large stack
  worker.on('error', error => { console.error(error); process.exit(1); });
} else {
  const { baked, library, snapshot } = workerData;
  const module = new WebAssembly.Module(fs.readFileSync(path.join(baked, 'lean.wasm')));
  start({ baked, module, source: { library } }).then(({ lean, environment, saveSnapshot }) => {
    saveSnapshot(snapshot);
    fs.writeFileSync(path.join(baked, 'missing.json'), JSON.stringify(missingNames(lean, kernel(lean, environment))));
  });
}
