'use strict';
// What the kernel's environment holds: constants by name, the ones a command added, and the axioms that one depends on.
// Names are Lean's own objects throughout, so that nothing printed can be mistaken for them.

const KINDS = ['axiom', 'definition', 'theorem', 'opaque', 'quotient', 'inductive', 'constructor', 'recursor']; // tags of Lean.ConstantInfo
const SPECIAL_AXIOMS = new Set(['propext', 'Classical.choice', 'Quot.sound', 'sorryAx', 'Lean.ofReduceBool', 'Lean.ofReduceNat', 'Lean.trustCompiler']);

/** Kernel environment (owned) of a borrowed elaboration environment. */
const kernel = (lean, environment) => lean.call('lean_elab_environment_to_kernel_env', lean.retain(environment));

/** Borrowed ConstantInfo (kept alive by its environment), or 0. */
function find(lean, kernelEnvironment, name) {
  const option = lean.call('lean_environment_find', lean.retain(kernelEnvironment), lean.retain(name));
  const info = lean.isBoxed(option) ? 0 : lean.field(option, 0);
  lean.release(option);
  return info;
}

/** A borrowed ConstantInfo taken apart; everything in it is borrowed. */
function describe(lean, info) {
  const kind = KINDS[lean.tag(info)], value = lean.field(info, 0), declared = lean.field(value, 0); // ConstantVal {name, levelParams, type}
  // Definitions have a scalar DefinitionSafety (unsafe, safe, partial); axioms and opaque constants `isUnsafe`.
  const isUnsafe = kind === 'definition' ? lean.scalar(value, 0) !== 1 : (kind === 'axiom' || kind === 'opaque') && lean.scalar(value, 0) === 1;
  const levels = lean.list(lean.field(declared, 1)).map(level => lean.nameText(level));
  return {
    kind, isUnsafe, levels, name: lean.field(declared, 0), type: lean.field(declared, 2),
    value: ['definition', 'theorem', 'opaque'].includes(kind) ? lean.field(value, 1) : 0,
    constructors: kind === 'inductive' ? lean.list(lean.field(value, 4)) : [],
  };
}

/** `describe` of the constant with these name parts in a Command.State, or null. */
function constantInfo(frontend, state, nameParts) {
  const { lean } = frontend, environment = kernel(lean, frontend.environment(state)), name = lean.nameOf(nameParts);
  const info = find(lean, environment, name);
  lean.release(name);
  lean.release(environment); // the elaboration environment of `state` keeps the constant alive
  return info ? describe(lean, info) : null;
}

/** Names (text → borrowed ConstantInfo) of the constants added on top of the library. */
function addedConstants(lean, kernelEnvironment) {
  const stages = lean.field(kernelEnvironment, 0); // SMap {imported, added, …}
  const pairs = lean.call('l_Lean_PersistentHashMap_toList___redArg', lean.retain(lean.field(stages, 1)));
  const added = new Map(lean.list(pairs).map(pair => [lean.nameText(lean.field(pair, 0)), lean.field(pair, 1)]));
  lean.release(pairs);
  return added;
}

/** [name, ConstantInfo] (borrowed) of the constants of the library that was imported, in an order that its import decides. */
function importedConstants(lean, kernelEnvironment) {
  const pairs = [], buckets = lean.items(lean.field(lean.field(lean.field(kernelEnvironment, 0), 0), 1)); // SMap {imported: HashMap {size, buckets}, …}
  for (let bucket of buckets) for (; !lean.isBoxed(bucket); bucket = lean.field(bucket, 2)) pairs.push([lean.field(bucket, 0), lean.field(bucket, 1)]);
  return pairs;
}

/** Names that constants of the library mention but that are not in it: the package ships without much that is private. Sorted. */
function missingNames(lean, library) {
  const constants = new Map(importedConstants(lean, library).map(([name, info]) => [lean.nameText(name), info])), missing = new Set();
  for (const info of constants.values()) {
    const { kind, type, value } = describe(lean, info);
    const rules = kind === 'recursor' ? lean.list(lean.field(lean.field(info, 0), 6)).map(rule => lean.field(rule, 2)) : [];
    for (const expression of [type, value, ...rules]) {
      if (!expression) continue;
      const names = lean.call('l_Lean_Expr_getUsedConstants', lean.retain(expression));
      for (const name of lean.items(names).map(used => lean.nameText(used))) if (!constants.has(name)) missing.add(name);
      lean.release(names);
    }
  }
  return [...missing].sort();
}

/** Follows constants to axioms. What the library's constants use is read once per instance. */
class Dependencies {
  constructor(lean, library) {
    this.lean = lean;
    this.library = kernel(lean, library);
    this.ofLibrary = new Map(); // name text → {isAxiom, uses: [{text, name}]} of a library constant; null for names outside it
  }

  /**
   * What constants (borrowed names) of a kernel environment depend on: {axioms: names of axioms that are special or not in the
   * library, sorted; library: number of library theorems, which are axioms here because their proofs do not ship with the library}.
   */
  axioms(environment, names) {
    const { lean } = this, seen = new Set(), axioms = [], kept = [], queue = names.map(name => ({ text: lean.nameText(name), name }));
    let library = 0;
    while (queue.length) {
      const { text, name } = queue.pop();
      if (seen.has(text)) continue;
      seen.add(text);
      const ofLibrary = this.libraryConstant(text, name), constant = ofLibrary ?? this.read(environment, name);
      if (!ofLibrary) kept.push(...constant.uses);
      if (constant.isAxiom && ofLibrary && !SPECIAL_AXIOMS.has(text)) library++;
      else if (constant.isAxiom) axioms.push(text);
      queue.push(...constant.uses);
    }
    kept.forEach(({ name }) => lean.release(name));
    return { axioms: axioms.sort(), library };
  }

  isInLibrary(name) { return this.libraryConstant(this.lean.nameText(name), name) !== null; }

  libraryConstant(text, name) {
    let constant = this.ofLibrary.get(text);
    if (constant === undefined && find(this.lean, this.library, name)) this.ofLibrary.set(text, constant = this.read(this.library, name));
    return constant ?? null;
  }

  /** {isAxiom, uses: [{text, name: owned}]}. */
  read(environment, name) {
    const { lean } = this, info = find(lean, environment, name), used = [];
    if (!info) return { isAxiom: true, uses: [] }; // unknown to the kernel: never to be trusted
    const constant = describe(lean, info);
    for (const expression of [constant.type, constant.value]) {
      if (!expression) continue;
      const names = lean.call('l_Lean_Expr_getUsedConstants', lean.retain(expression));
      used.push(...lean.items(names).map(other => lean.retain(other)));
      lean.release(names);
    }
    used.push(...constant.constructors.map(other => lean.retain(other)));
    return { isAxiom: constant.kind === 'axiom', uses: used.map(other => ({ text: lean.nameText(other), name: other })) };
  }
}

module.exports = { Dependencies, addedConstants, constantInfo, describe, find, importedConstants, kernel, missingNames };
