'use strict';
// The theorems of the library, as text: what can be offered to a model that looks for a lemma.

const { describe, importedConstants, kernel } = require('./environment.cjs');

const GOAL = { id: 0, header: '', statement: 'True' }; // whose context statements are printed in
const THEOREMS = new Set(['theorem', 'axiom']);        // proofs do not ship with the library, so that most of its theorems are axioms here
const OWN = new Set(['Lean', 'Internal', 'Linear', 'Simproc', 'SOM', 'ToInt', 'Cooper', 'Packages']); // what tactics are made of
const MADE_UP = new RegExp('^(_.*|inst[A-Z].*|(eq|match|proof)_(\\d+|def|unfold)|.*_unfold|induct|induct_unfolding|mutual_induct.*|fun_cases.*|inj|injEq|sizeOf_spec|sizeOf_.*'
  + '|congr_simp|hcongr_\\d+|noConfusion.*|casesOn|rec|recOn|brecOn.*|below.*|.*[aA]ux(_.*|[A-Z].*)?)$');
const LINE = 1e6;                                      // characters; a statement stays in one line where it can

/** {from, count} → {lemmas: [{name, statement}], isEnd}: those among the library's constants number `from` to `from + count`. Every instance counts alike. */
function lemmas(goals, { from, count }) {
  const { frontend } = goals, { lean, library } = frontend, whole = kernel(lean, library), constants = importedConstants(lean, whole);
  goals.start(GOAL);
  const root = goals.states.get(GOAL.id);
  const isTrue = (symbol, ...parameters) => lean.number(lean.call(symbol, ...parameters.map(object => lean.retain(object)))) === 1;
  const isLemma = ({ kind, name, type }) => {
    const parts = lean.nameParts(name);
    return THEOREMS.has(kind) && parts.every(part => typeof part === 'string' && !OWN.has(part) && !MADE_UP.test(part)) && !isTrue('l_Lean_Name_isInternalDetail', name)
      && !isTrue('l_Lean_Linter_isDeprecated', library, name) && lean.number(goals.inMeta(root, 'l_Lean_Meta_isProp', [lean.retain(type)])) === 1;
  };
  const printed = type => {
    const format = goals.inMeta(root, 'l_Lean_Meta_ppExpr', [lean.retain(type)]);
    return lean.takeText(lean.call('l_Std_Format_pretty', format, lean.box(LINE), lean.box(0), lean.box(0)));
  };
  const found = constants.slice(from, from + count).map(([, info]) => describe(lean, info)).filter(isLemma);
  const answer = { lemmas: found.map(({ name, type }) => ({ name: lean.nameText(name), statement: printed(type) })), isEnd: from + count >= constants.length };
  goals.release([GOAL.id]);
  lean.release(whole);
  return answer;
}

module.exports = { lemmas };
