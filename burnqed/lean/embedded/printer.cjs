'use strict';
// Texts of goals. Printing one takes longer than most tactics do, so what was printed in the state before is not printed again: goals that stand as they
// were, and hypotheses, unless others changed, or came or went whose names their texts have in them.

const { Refused } = require('./frontend.cjs');

const LINE_WIDTH = 120;           // Std.Format.defWidth, which messages use
const META_CONTEXT = { localContext: 2 }, DECLARATIONS = 1; // of Lean.LocalContext
const GOAL = { name: 0, context: 1, type: 2 };              // Lean.MetavarDecl
const LOCAL = { id: 1, name: 2, type: 3, value: 4 }, VALUE_HIDDEN = 0, KIND = 1, LET = 1; // Lean.LocalDecl: fields, scalars (of a `have` 1; 0 for what is shown), and its constructor with a value
const LEAF = 1;                   // of Lean.PersistentArrayNode: node or leaf
const FORMAT = { line: 1, text: 3, nest: 4, append: 5, group: 6 }; // Std.Format
const INDENT = 2;                 // of a hypothesis's further lines
const TURNSTILE = '⊢ ';
const LETTER = 'A-Za-z_Α-ΟΡΤ-Ωα-κμ-ω', PART = `[${LETTER}][${LETTER}0-9'₀-₉]*`;
const SIMPLE_NAME = new RegExp(`^${PART}(\\.${PART})*$`); // printed as it is, as others may be, too
const CHOSEN_NAME = /_\d/;        // perhaps of a bound variable, which then depends on the names of all hypotheses
const GOALS_CHARACTERS = 1_000_000;

/** What was printed of a state. Goals are known by name, lines of hypotheses by the address of the first one's declaration, which the state holds. */
class Printed {
  constructor() {
    this.goals = new Map();       // name → text
    this.lines = new Map();       // address → {addresses: of all declarations that share the line, text, scope: the declarations beside which it was printed}
  }
}

const NOTHING = /(?!)/, EVERYTHING = /^/; // as patterns

/** The declarations of a goal. */
class Scope {
  constructor(lean, headerText, locals) {
    this.lean = lean;
    this.headerText = headerText; // notation may have names behind it that are not printed
    this.names = new Map(locals.map(({ address, name }) => [address, name]));
    this.changes = new WeakMap(); // another scope → pattern of the texts that may be others in this one
  }

  /** A line that was printed in another scope, with this one; undefined where there is none, or where it may look otherwise now. */
  adopted(line) {
    if (!line?.addresses.every(address => this.names.has(address))) return undefined;
    const { scope, text } = line;
    if (!this.changes.has(scope)) this.changes.set(scope, this.changed(scope));
    const changed = this.changes.get(scope);
    if (changed === NOTHING) return line;
    return changed.test(text) ? undefined : { ...line, scope: this };
  }

  /** Texts may be others where a declaration changes in its place (`rename`, `dsimp at`), or one came or went whose name hides a constant, or is that of a bound variable. */
  changed(other) {
    const differing = [[this, other], [other, this]].map(([one, two]) => [...one.names].filter(([address]) => !two.names.has(address)));
    if (!differing.flat().length) return NOTHING;
    const [now, before] = differing.map(some => some.map(([address]) => this.lean.nameText(this.lean.field(address, LOCAL.id))));
    if (now.some(id => before.includes(id))) return EVERYTHING;
    const words = differing.flat().flatMap(([, name]) => name.split('.'));
    const pattern = new RegExp(`(?<!(?!_)[${LETTER}0-9₀-₉])(?:${words.join('|')})(?![${LETTER}0-9'₀-₉])`);
    return pattern.test(this.headerText) ? EVERYTHING : pattern;
  }
}

class Printer {
  /** @param inMeta runs a function of MetaM on a state (goals.cjs) */
  constructor(lean, inMeta) {
    this.lean = lean;
    this.inMeta = inMeta;
  }

  /** Whether goals may be put together with these Lean.Options (borrowed; a list of pairs): none is about printing. */
  isPlain(options) { return !this.lean.list(options).some(pair => this.lean.nameText(this.lean.field(pair, 0)).startsWith('pp.')); }

  /** Texts of the goals (borrowed) of a state; remembers them in it. */
  print(state, goals, before = null) {
    let left = GOALS_CHARACTERS;
    return goals.map(goal => {
      const text = (state.root.isPlain && this.composed(state, goal, before)) || this.pretty(state, goal);
      if ((left -= text.length) < 0) throw new Refused('the goals are too large to be shown');
      state.printed.goals.set(this.lean.nameText(goal), text);
      return text;
    });
  }

  /**
   * The text of a goal of a state, for where `metavariables` (a borrowed MetavarContext) hold: undefined if it is declared otherwise there (`case` takes a name away), or has
   * metavariables left, which may be assigned there. Constants that tactics add meanwhile make no difference: they are in the theorem's own namespace.
   */
  known(state, goal, metavariables) {
    const text = state.printed.goals.get(this.lean.nameText(goal));
    if (text === undefined) return undefined;
    const declared = this.declared(this.metavariables(state), goal);
    return this.declared(metavariables, goal) === declared && this.isGround(state, declared) ? text : undefined;
  }

  // ---- steps of the above

  /** As Lean prints a goal. */
  pretty(state, goal) { return this.laidOut(this.inMeta(state, 'l_Lean_Meta_ppGoal', [this.lean.retain(goal)])); }

  /** The same, put together from what is known of the state before, and new lines; undefined where that cannot be done. */
  composed(state, goal, before) {
    const { lean } = this, declared = this.declared(this.metavariables(state), goal), locals = this.locals(declared), scope = new Scope(lean, state.root.headerText, locals);
    const keep = line => { if (line && !CHOSEN_NAME.test(line.text)) state.printed.lines.set(line.addresses[0], line); };
    const same = before && this.known(before, goal, this.metavariables(state));
    if (same) {
      for (const { address } of locals) keep(scope.adopted(before.printed.lines.get(address)));
      return same;
    }
    const caseLine = this.caseLine(declared), target = lean.field(declared, GOAL.type);
    const lines = caseLine === undefined || this.isForConv(target) ? undefined : this.lines(state, locals);
    if (!lines) return undefined;
    const texts = lines.map(line => {
      const addresses = line.map(local => local.address);
      const kept = one => {
        const found = scope.adopted(one?.printed.lines.get(addresses[0]));
        return found?.addresses.join() === addresses.join() ? found : undefined;
      };
      const printed = kept(state) ?? kept(before) ?? { addresses, text: this.hypothesis(state, declared, line), scope };
      keep(printed);
      return printed.text;
    });
    return caseLine + texts.join('') + TURNSTILE + this.laidOut(this.expression(state, declared, target), TURNSTILE.length);
  }

  /**
   * Declarations by the lines in which Lean prints them: those of one type that follow each other share one. Undefined where their texts may differ from
   * those in another goal, or later: with metavariables, names that are not printed as they are, or are taken, and values, which Lean shows in some goals only.
   */
  lines(state, locals) {
    if (new Set(locals.map(local => local.name)).size < locals.length || !locals.every(local => SIMPLE_NAME.test(local.name))) return undefined;
    const lines = [];
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

  /** `a b : TYPE`, with its line break; the type is the last one's. */
  hypothesis(state, declared, line) {
    const { lean } = this, make = (kind, ...fields) => lean.constructorObject(FORMAT[kind], fields);
    const type = make('nest', lean.box(INDENT), make('append', lean.box(FORMAT.line), this.expression(state, declared, line.at(-1).type)));
    const names = make('text', lean.string(`${line.map(local => local.name).join(' ')} :`));
    return this.laidOut(lean.constructorObject(FORMAT.group, [make('append', names, type)], 1)) + '\n';
  }

  /** A Format (owned) of a borrowed expression, as it is in a goal. */
  expression(state, declared, expression) {
    const { lean } = this, localContext = lean.field(declared, GOAL.context);
    const meta = lean.with(lean.retain(state.root.contexts.meta), { [META_CONTEXT.localContext]: lean.retain(localContext) });
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

  /** The MetavarContext of a state, borrowed. */
  metavariables(state) { return this.lean.field(state.values.meta, 0); }

  /** The MetavarDecl of a goal in a borrowed MetavarContext, borrowed; null where it has none. */
  declared(metavariables, goal) {
    const { lean } = this, option = lean.call('l_Lean_MetavarContext_findDecl_x3f', lean.retain(metavariables), lean.retain(goal));
    const found = lean.isBoxed(option) ? null : lean.field(option, 0);
    lean.release(option); // the MetavarContext holds it
    return found;
  }

  /** Whether a goal, of which this is the type as it is declared, begins with another sign, as `conv'` leaves some. */
  isForConv(type) {
    const { lean } = this, side = lean.call('l_Lean_isLHSGoal_x3f', lean.retain(type)), isIt = !lean.isBoxed(side);
    lean.release(side);
    return isIt;
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
    const { lean } = this, pair = lean.call('l_Lean_instantiateMVarsCore', lean.retain(this.metavariables(state)), expression);
    try { return use(lean.field(pair, 0)); } finally { lean.release(pair); }
  }
}

/** The elements (borrowed) of a PersistentArray: those of its tree, then those of its tail. */
function elements(lean, persistent) {
  const of = node => lean.items(lean.field(node, 0)).flatMap(child => lean.tag(node) === LEAF ? [child] : of(child));
  return [...of(lean.field(persistent, 0)), ...lean.items(lean.field(persistent, 1))];
}

module.exports = { META_CONTEXT, Printed, Printer };
