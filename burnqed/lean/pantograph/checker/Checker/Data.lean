import Lean

/-!
Reads lean4export's NDJSON (format 3.1.0) from an untrusted sender, and applies every rule that needs no kernel.

What comes out are terms that Lean's own constructors made, so that nothing that they cache is the sender's; all of them closed, and of sizes that the
kernel can bear. The kernel is then given declarations only, one by one (`Judge.lean`).
-/

open Lean

namespace Checker

/-- Why a judge does not accept a text: it breaks a rule, or the kernel gave up, which says nothing about the proof. -/
inductive Objection where
  | forbidden (why : String)
  | gaveUp (why : String)

structure Constant where
  name : Name
  levelParams : List Name
  type : Expr
  deriving Inhabited

structure TypeOfGroup extends Constant where
  numParams : Nat
  numIndices : Nat
  all : List Name
  ctors : List Name
  numNested : Nat
  isRec : Bool
  isReflexive : Bool
  deriving Inhabited

structure CtorOfGroup extends Constant where
  induct : Name
  cidx : Nat
  numParams : Nat
  numFields : Nat

structure RuleOfGroup where
  ctor : Name
  numFields : Nat
  rhs : Expr

structure RecOfGroup extends Constant where
  all : List Name
  numParams : Nat
  numIndices : Nat
  numMotives : Nat
  numMinors : Nat
  rules : List RuleOfGroup
  k : Bool

/-- Inductive types that are declared together. -/
structure Group where
  types : Array TypeOfGroup
  ctors : Array CtorOfGroup
  recs : Array RecOfGroup

inductive Kind where
  | defn | thm | opaq
  deriving BEq

inductive Declared where
  /-- Only a statement, which comes last, is given as an axiom. -/
  | assumed (constant : Constant)
  | valued (kind : Kind) (constant : Constant) (value : Expr) (hints : ReducibilityHints)
  | group (group : Group)

def Declared.names : Declared → List Name
  | assumed constant | valued _ constant .. => [constant.name]
  | group { types, ctors, recs } => types.toList.map (·.name) ++ ctors.toList.map (·.name) ++ recs.toList.map (·.name)

namespace Data

def format := "3.1.0"
def mostCharacters := 400000000
def mostNodes := 3000000
def mostLine := 40000000
/-- Of an expression: what the kernel's recursion bears. -/
def mostDepth := 20000
def mostLevelDepth := 1000
def mostNameParts := 10000
/-- Characters of a name's part or a literal. -/
def mostText := 10000000
/-- Of a literal; reading them takes time quadratic in their number. -/
def mostDigits := 100000
/-- Of numbers: what every reader of JSON takes as they are. -/
def largest := 9007199254740991
/-- De Bruijn index: Lean's expressions store 20 bits. -/
def mostVariable := 65536

/-- Parts of names that the kernel makes up. -/
def reserved := ["_nested", "_kernel_fresh", "_ind_fresh", "_nested_fresh"]

structure Tables where
  /-- With the number of their parts, and whether one of these is reserved or empty. -/
  names : Array (Name × Nat × Bool) := #[(.anonymous, 0, false)]
  /-- With their depth. -/
  levels : Array (Level × Nat) := #[(.zero, 0)]
  expressions : Array (Expr × Nat) := #[]
  declared : Array Declared := #[]

abbrev Reader := EStateM Objection Tables

def refuse (why : String) : Reader α := throw (.forbidden why)

/-- The members of an object, which has exactly these. -/
def members (json : Json) (keys : List String) (what : String) : Reader (Array Json) := do
  let .obj object := json | refuse s!"{what} has other fields than the format says"
  unless object.size == keys.length do refuse s!"{what} has other fields than the format says"
  keys.toArray.mapM fun key => match json.getObjVal? key with
    | .ok value => pure value
    | .error _ => refuse s!"{what} has other fields than the format says"

def natural (json : Json) (what : String) : Reader Nat :=
  match json with
  | .num { mantissa := .ofNat value, exponent := 0 } => do
    if value > largest then refuse s!"{what} is too large"
    pure value
  | _ => refuse s!"{what} is not what the format says"

def flag (json : Json) (what : String) : Reader Bool :=
  match json with
  | .bool value => pure value
  | _ => refuse s!"{what} is not what the format says"

def mustBeFalse (json : Json) (what : String) : Reader Unit := do
  if ← flag json what then refuse s!"{what} is not what the format says"

def isControl (c : Char) : Bool := c.val < 0x20 || (0x7f ≤ c.val && c.val < 0xa0)

def text (json : Json) (what : String) : Reader String :=
  match json with
  | .str value => do
    if value.length > mostText then refuse s!"{what} is too long"
    pure value
  | _ => refuse s!"{what} is not what the format says"

def list (json : Json) (what : String) : Reader (List Json) :=
  match json with
  | .arr values => pure values.toList
  | _ => refuse s!"{what} is not what the format says"

def name (json : Json) : Reader Name := do
  match (← get).names[← natural json "a name"]? with
  | some (name, _) => pure name
  | none => refuse "a name is not what the format says"

/-- The name of a constant or universe: neither empty nor one that the kernel makes up. -/
def ownName (json : Json) : Reader Name := do
  match (← get).names[← natural json "a name"]? with
  | some (name, _, isReserved) => if isReserved || name.isAnonymous then refuse "a name is empty, or one that the kernel makes up" else pure name
  | none => refuse "a name is not what the format says"

def ownNames (json : Json) : Reader (List Name) := do (← list json "a list of names").mapM ownName

def level (json : Json) : Reader (Level × Nat) := do
  match (← get).levels[← natural json "a universe level"]? with
  | some level => pure level
  | none => refuse "a universe level is not what the format says"

def expression (json : Json) : Reader (Expr × Nat) := do
  match (← get).expressions[← natural json "a term"]? with
  | some expression => pure expression
  | none => refuse "a term is not what the format says"

def closed (json : Json) : Reader Expr := do
  let (term, _) ← expression json
  if term.hasLooseBVars then refuse "a term has a free variable"
  pure term

-- ---- nodes

def readName (kind : String) (json : Json) : Reader Unit := do
  let add (pre : Json) (isBad : Bool) (make : Name → Name) : Reader Unit := do
    let some (name, size, isReserved) := (← get).names[← natural pre "a name"]? | refuse "a name is not what the format says"
    if size ≥ mostNameParts then refuse "a name is too long"
    modify fun tables => { tables with names := tables.names.push (make name, size + 1, isReserved || isBad) }
  match kind with
  | "str" =>
    let #[pre, part] ← members json ["pre", "str"] "a name" | refuse "a name is not what the format says"
    let part ← text part "a name"
    if part.any isControl then refuse "a name is not what the format says"
    add pre (part.isEmpty || reserved.contains part) fun name => .str name part
  | "num" =>
    let #[pre, part] ← members json ["pre", "i"] "a name" | refuse "a name is not what the format says"
    let part ← natural part "a name"
    add pre false fun name => .num name part
  | _ => refuse "a line is of no known kind"

def readLevel (kind : String) (json : Json) : Reader Unit := do
  let add (level : Level) (depth : Nat) : Reader Unit := do
    if depth > mostLevelDepth then refuse "a universe level is nested too deep"
    modify fun tables => { tables with levels := tables.levels.push (level, depth) }
  let two (make : Level → Level → Level) : Reader Unit := do
    let [a, b] ← list json "a universe level" | refuse "a universe level is not what the format says"
    let (a, depth) ← level a
    let (b, other) ← level b
    add (make a b) (max depth other + 1)
  match kind with
  | "succ" => do let (of, depth) ← level json; add (.succ of) (depth + 1)
  | "max" => two .max
  | "imax" => two .imax
  | "param" => add (.param (← ownName json)) 1
  | _ => refuse "a line is of no known kind"

def binderInfo (json : Json) : Reader BinderInfo :=
  match json with
  | .str "default" => pure .default
  | .str "implicit" => pure .implicit
  | .str "strictImplicit" => pure .strictImplicit
  | .str "instImplicit" => pure .instImplicit
  | _ => refuse "a binder is not what the format says"

def readExpression (kind : String) (json : Json) : Reader Unit := do
  let add (expression : Expr) (depth : Nat) : Reader Unit := do
    if depth > mostDepth then refuse s!"a term is nested deeper than {mostDepth} times"
    modify fun tables => { tables with expressions := tables.expressions.push (expression, depth) }
  let binder (make : Name → Expr → Expr → BinderInfo → Expr) : Reader Unit := do
    let #[n, type, body, info] ← members json ["name", "type", "body", "binderInfo"] "a binder" | refuse "a binder is not what the format says"
    let (type, depth) ← expression type
    let (body, other) ← expression body
    add (make (← name n) type body (← binderInfo info)) (max depth other + 1)
  match kind with
  | "bvar" => do
    let index ← natural json "a bound variable"
    if index ≥ mostVariable then refuse "a bound variable is out of range"
    add (.bvar index) 1
  | "sort" => do add (.sort (← level json).1) 1
  | "const" => do
    let #[n, us] ← members json ["name", "us"] "a constant" | refuse "a constant is not what the format says"
    let us ← (← list us "a constant").mapM level
    add (.const (← ownName n) (us.map (·.1))) 1
  | "app" => do
    let #[fn, arg] ← members json ["fn", "arg"] "an application" | refuse "an application is not what the format says"
    let (fn, depth) ← expression fn
    let (arg, other) ← expression arg
    add (.app fn arg) (max depth other + 1)
  | "lam" => binder .lam
  | "forallE" => binder .forallE
  | "letE" => do
    let #[n, type, value, body, nondep] ← members json ["name", "type", "value", "body", "nondep"] "a let" | refuse "a let is not what the format says"
    let (type, depth) ← expression type
    let (value, other) ← expression value
    let (body, third) ← expression body
    discard <| flag nondep "a let"
    add (.letE (← name n) type value body false) (max (max depth other) third + 1)
  | "proj" => do
    let #[n, idx, struct] ← members json ["typeName", "idx", "struct"] "a projection" | refuse "a projection is not what the format says"
    let index ← natural idx "a projection"
    if index ≥ mostVariable then refuse "a projection is not what the format says"
    let (struct, depth) ← expression struct
    add (.proj (← ownName n) index struct) (depth + 1)
  | "natVal" => do
    let digits ← text json "a number"
    let isFine := digits == "0" || (digits.toList.all Char.isDigit && digits.toList.headD '0' != '0')
    if digits.length > mostDigits || !isFine then refuse "a number is not written in digits, or in too many"
    add (.lit (.natVal digits.toNat!)) 1
  | "strVal" => do add (.lit (.strVal (← text json "a text"))) 1
  | _ => refuse "a line is of no known kind"

end Data
end Checker
