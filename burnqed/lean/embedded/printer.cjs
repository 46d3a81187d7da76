'use strict';
// Texts of goals. Printing one takes longer than most tactics do, so what was printed in the state before is not printed again: goals that stand as they
// were, and hypotheses beside which only others, or the target, are new.

const { Refused } = require('./frontend.cjs');

const LINE_WIDTH = 120;           // Std.Format.defWidth, which messages use
const META_CONTEXT = { localContext: 2 }, DECLARATIONS = 1; // of Lean.LocalContext
const GOAL = { name: 0, context: 1, type: 2 };              // Lean.MetavarDecl
const LOCAL = { name: 2, type: 3, value: 4 }, VALUE_HIDDEN = 0, KIND = 1, LET = 1; // Lean.LocalDecl: fields, scalars (of a `have` 1; 0 for what is shown), and its constructor with a value
const LEAF = 1;                   // of Lean.PersistentArrayNode: node or leaf
const MDATA = 10;                 // of Lean.Expr: how `conv` marks its goals, which begin with another sign
const FORMAT = { line: 1, text: 3, nest: 4, append: 5, group: 6 }; // Std.Format
const INDENT = 2;                 // of a hypothesis's further lines
const TURNSTILE = '⊢ ';
const SIMPLE_NAME = /^[\p{L}_][\p{L}\p{N}_'.]*$/u; // printed as it is
const CHOSEN_NAME = /_\d/;        // perhaps of a bound variable, which then depends on the names of all hypotheses
const GOALS_CHARACTERS = 1_000_000;

/** What was printed of a state. Goals are known by name, hypotheses by the address of the first one's declaration, which the state holds. */
class Printed {
  constructor() {
    this.goals = new Map();       // name → text
    this.hypotheses = new Map();  // address → {addresses: of all declarations that share the line, text}
  }
}

class Printer {
  /** @param inMeta runs a function of MetaM on a state (goals.cjs) */
  constructor(lean, inMeta) {
    this.lean = lean;
    this.inMeta = inMeta;
  }

  /** Texts of the goals (borrowed) of a state; remembers them in it. */
  print(state, goals, before = null) {
    let left = GOALS_CHARACTERS;
    return goals.map(goal => {
      const text = (before && this.printedBefore(before, state, goal)) ?? this.composed(before, state, goal) ?? this.pretty(state, goal);
      if ((left -= text.length) < 0) throw new Refused('the goals are too large to be shown');
      state.printed.goals.set(this.lean.nameText(goal), text);
      return text;
    });
  }

  /** The text of a goal of a state, if it has no metavariables left, which may be assigned later. */
  known(state, goal) {
    const text = state.printed.goals.get(this.lean.nameText(goal));
    return text !== undefined && this.isGround(state, this.declared(state, goal)) ? text : undefined;
  }

  // ---- steps of the above

  /** The text that a goal had before, if it is declared as it was. */
  printedBefore(before, state, goal) {
    const text = this.known(before, goal), declared = this.declared(state, goal);
    if (text === undefined || this.declared(before, goal) !== declared) return undefined;
    for (const { address } of this.locals(declared)) {
      const line = before.printed.hypotheses.get(address);
      if (line) state.printed.hypotheses.set(address, line);
    }
    return text;
  }

  /** As Lean prints a goal. */
  pretty(state, goal) { return this.laidOut(this.inMeta(state, 'l_Lean_Meta_ppGoal', [this.lean.retain(goal)])); }

  /** The same, put together from lines that are known and new ones; undefined where that cannot be done. */
  composed(before, state, goal) {
    const { lean } = this, declared = this.declared(state, goal), caseLine = this.caseLine(declared), context = lean.field(declared, GOAL.context);
    const texts = caseLine === undefined ? undefined : this.lines(state, declared)?.map(line => {
      const text = knownText(state, line) ?? (before && knownText(before, line)) ?? this.hypothesis(state, context, line);
      this.keep(state, line, text);
      return text;
    });
    if (!texts) return undefined;
    return this.instantiated(state, lean.retain(lean.field(declared, GOAL.type)), type => {
      if (lean.tag(type) === MDATA) return undefined;
      return caseLine + texts.join('') + TURNSTILE + this.laidOut(this.expression(state, context, type), TURNSTILE.length);
    });
  }

  /**
   * Hypotheses of a MetavarDecl by the lines in which Lean prints them: those of one type that follow each other share one. Undefined where their texts may differ from
   * those in another goal, or later: with metavariables, names that are not printed as they are, or are taken, and values, which Lean shows in some goals only.
   */
  lines(state, declared) {
    const locals = this.locals(declared), lines = [];
    if (new Set(locals.map(local => local.name)).size < locals.length || !locals.every(local => SIMPLE_NAME.test(local.name))) return undefined;
    for (const local of locals.filter(local => local.isShown)) {
      if (local.value !== undefined || this.isOpen(state, local)) return undefined;
      const [first] = lines.at(-1) ?? [];
      if (first && this.haveOneType(state, first, local)) lines.at(-1).push(local);
      else lines.push([local]);
    }
    return lines;
  }

  haveOneType(state, a, b) {
    const whole = (local, use) => this.hasHoles(local.type) ? this.instantiated(state, this.lean.retain(local.type), use) : use(local.type);
    return whole(a, type => whole(b, other => this.lean.raw('lean_expr_eqv')(type, other) === 1));
  }

  /** Remembers the text of a line, unless it may depend on the names of other hypotheses. */
  keep(state, line, text) {
    if (!CHOSEN_NAME.test(text)) state.printed.hypotheses.set(line[0].address, { addresses: line.map(local => local.address), text });
  }

  /** `a b : TYPE`, with its line break. */
  hypothesis(state, context, line) {
    const { lean } = this, make = (kind, ...fields) => lean.constructorObject(FORMAT[kind], fields);
    const type = make('nest', lean.box(INDENT), make('append', lean.box(FORMAT.line), this.expression(state, context, line[0].type)));
    const names = make('text', lean.string(`${line.map(local => local.name).join(' ')} :`));
    return this.laidOut(lean.constructorObject(FORMAT.group, [make('append', names, type)], 1)) + '\n';
  }

  /** A Format (owned) of a borrowed expression in a local context. */
  expression(state, context, expression) {
    const { lean } = this, meta = lean.with(lean.retain(state.root.contexts.meta), { [META_CONTEXT.localContext]: lean.retain(context) });
    try { return this.inMeta(state, 'l_Lean_Meta_ppExpr', [lean.retain(expression)], meta); } finally { lean.release(meta); }
  }

  /** The text of a Format (consumed) that begins in a column, to which its lines are indented. */
  laidOut(format, column = 0) {
    const { lean } = this;
    return lean.takeText(lean.call('l_Std_Format_pretty', format, lean.box(LINE_WIDTH), lean.box(column), lean.box(column)));
  }

  /** `case NAME` with its line break, or nothing, as goals begin; undefined for a name that would be printed otherwise. */
  caseLine(declared) {
    const { lean } = this, name = lean.field(declared, GOAL.name);
    if (lean.isBoxed(name)) return '';
    const plain = lean.call('lean_erase_macro_scopes', lean.retain(name)), text = lean.nameText(plain);
    lean.release(plain);
    return SIMPLE_NAME.test(text) ? `case ${text}\n` : undefined;
  }

  /** The MetavarDecl of a goal, borrowed. */
  declared(state, goal) {
    const { lean } = this, option = lean.call('l_Lean_MetavarContext_findDecl_x3f', lean.retain(lean.field(state.values.meta, 0)), lean.retain(goal));
    const found = lean.field(option, 0);
    lean.release(option); // the state holds it
    return found;
  }

  /** Whether neither the target nor a hypothesis of a MetavarDecl has an unassigned metavariable, shown or not. */
  isGround(state, declared) {
    return ![{ type: this.lean.field(declared, GOAL.type) }, ...this.locals(declared)].some(local => this.isOpen(state, local));
  }

  /** Whether a declaration has an unassigned metavariable. */
  isOpen(state, { type, value }) {
    const isOpen = expression => this.hasHoles(expression) && this.instantiated(state, this.lean.retain(expression), whole => this.hasHoles(whole));
    return isOpen(type) || (value !== undefined && isOpen(value));
  }

  hasHoles(expression) { return this.lean.raw('l_Lean_Expr_hasMVar')(expression) === 1; }

  /** The declarations in the local context of a MetavarDecl, borrowed: {address, name, type, value if it has one that is shown, isShown}. */
  locals(declared) {
    const { lean } = this, options = elements(lean, lean.field(lean.field(declared, GOAL.context), DECLARATIONS));
    return options.filter(option => !lean.isBoxed(option)).map(option => { // others have been cleared
      const address = lean.field(option, 0), hasValue = lean.tag(address) === LET && lean.scalar(address, VALUE_HIDDEN) === 0;
      return {
        address, name: lean.nameText(lean.field(address, LOCAL.name)), type: lean.field(address, LOCAL.type),
        value: hasValue ? lean.field(address, LOCAL.value) : undefined, isShown: lean.scalar(address, KIND) === 0,
      };
    });
  }

  /** What `use` gives of an expression (consumed; what it is given is borrowed) with all assignments inserted. */
  instantiated(state, expression, use) {
    const { lean } = this, assignments = lean.retain(lean.field(state.values.meta, 0)); // MetavarContext
    const pair = lean.call('l_Lean_instantiateMVarsCore', assignments, expression);
    try { return use(lean.field(pair, 0)); } finally { lean.release(pair); }
  }
}

/** The text of a line that has been printed, of the same declarations. */
function knownText({ printed }, line) {
  const known = printed.hypotheses.get(line[0].address);
  return known?.addresses.length === line.length && line.every((local, index) => local.address === known.addresses[index]) ? known.text : undefined;
}

/** The elements (borrowed) of a PersistentArray: those of its tree, then those of its tail. */
function elements(lean, persistent) {
  const of = node => lean.items(lean.field(node, 0)).flatMap(child => lean.tag(node) === LEAF ? [child] : of(child));
  return [...of(lean.field(persistent, 0)), ...lean.items(lean.field(persistent, 1))];
}

module.exports = { META_CONTEXT, Printed, Printer };
