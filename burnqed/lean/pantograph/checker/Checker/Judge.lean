import Checker.Inductives
import Checker.Export

/-!
Judges proofs by the kernel alone, in a process that never parses, elaborates or runs anything of an author's.

Two texts come in (NDJSON, see `Export.lean` and `Data.lean`): what a clean elaboration of the statement gave, with all definitions that it uses
and the statement last, as an axiom; and what the elaboration of the proof gave, with the theorem last. The statement's definitions are
added to the library's environment; then those of the proof, where one under a name of the statement's has to be equal; then a theorem of
the statement's own type with the proof's value. What that theorem depends on is what the two texts mention, followed down to axioms.
-/

open Lean

namespace Checker.Judge

abbrev JudgeM := EIO Objection

def forbid (why : String) : JudgeM α := throw (.forbidden why)

def standardAxioms := [``propext, ``Classical.choice, ``Quot.sound]
def compilerAxioms := [`Lean.ofReduceBool, `Lean.ofReduceNat, `Lean.trustCompiler]
def specialAxioms := standardAxioms ++ compilerAxioms ++ [``sorryAx]
def mostAxioms := 100
/-- Characters of what is told about a refused proof, which can mention anything. -/
def mostTold := 1000

/-- A text with its declarations, by each name. -/
structure Built where
  tables : Data.Tables
  places : Std.HashMap Name Declared
  /-- The last one. -/
  goal : Declared

def build (text : String) : JudgeM Built := do
  let tables ← match Data.declarations text with
    | .ok tables => pure tables
    | .error objection => throw objection
  let mut places := {}
  for declared in tables.declared do
    for name in declared.names do
      if places.contains name then forbid "a name is declared twice"
      places := places.insert name declared
  let some goal := tables.declared.back? | forbid "the text declares nothing"
  return { tables, places, goal }

/-- Names of all constants outside the text that it mentions. -/
def Built.mentioned (built : Built) : List Name :=
  let names := built.tables.expressions.foldl (init := ({} : Std.HashSet Name)) fun names (term, _) => match term with
    | .const name _ | .proj name .. => if built.places.contains name then names else names.insert name
    | _ => names
  names.toList

structure Library where
  environment : Kernel.Environment
  /-- Names that the library mentions but does not contain: whoever declared one would decide what the library says. -/
  missing : Std.HashSet Name
  /-- What constants of the library use, and whether they are axioms; as far as anybody asked. -/
  uses : IO.Ref (Std.HashMap Name (Bool × Array Name))

def Library.has (library : Library) (name : Name) : Bool := (library.environment.find? name).isSome

/-- What a constant's type and value mention, and of a type its constructors. -/
def usedBy (info : ConstantInfo) : Array Name :=
  let ofValue := match info with
    | .defnInfo { value, .. } | .thmInfo { value, .. } | .opaqueInfo { value, .. } => value.getUsedConstants
    | .inductInfo { ctors, .. } => ctors.toArray
    | _ => #[]
  info.type.getUsedConstants ++ ofValue

/-- Axioms that are special or not in the library, and how many theorems of the library there are that came without proofs. -/
def axioms (library : Library) (environment : Kernel.Environment) (names : List Name) : BaseIO (List Name × Nat) := do
  let mut known ← library.uses.get
  let mut seen : Std.HashSet Name := {}
  let mut queue := names.toArray
  let mut (found, count) := (#[], 0)
  repeat
    let some name := queue.back? | break
    queue := queue.pop
    if seen.contains name then continue
    seen := seen.insert name
    let isOfLibrary := library.has name
    let (isAxiom, uses) ← match known[name]? with
      | some entry => pure entry
      | none =>
        let entry := match environment.find? name with
          | some info => (info matches .axiomInfo _, usedBy info)
          | none => (true, #[]) -- unknown to the kernel: never to be trusted
        if isOfLibrary then known := known.insert name entry
        pure entry
    if isAxiom then
      if isOfLibrary && !specialAxioms.contains name then count := count + 1 else found := found.push name
    queue := queue ++ uses
  library.uses.set known
  return (found.toList, count)

def objectionTo (axioms : List Name) : String :=
  let others := axioms.filter fun name => !standardAxioms.contains name
  match others with
  | [] => ""
  | first :: rest =>
    if others.contains ``sorryAx then "it, or something it uses, contains `sorry`"
    else if others.any compilerAxioms.contains then "it trusts the compiler, not the kernel"
    else
      let more := if rest.isEmpty then "" else s!" and {rest.length} more"
      s!"it uses `{first}`{more}, of which neither the library nor the proof has a definition or proof"

-- ---- the kernel

def told : Kernel.Exception → Objection
  | .unknownConstant .. => .forbidden "a constant is unknown"
  | .alreadyDeclared .. => .forbidden "a constant is declared again"
  | .declTypeMismatch .. => .forbidden "a value is not of the type that it is declared with"
  | .declHasMVars .. => .forbidden "a declaration has holes"
  | .declHasFVars .. => .forbidden "a declaration has free variables"
  | .funExpected .. => .forbidden "something that is not a function is applied"
  | .typeExpected .. => .forbidden "something that is not a type is used as one"
  | .letTypeMismatch .. => .forbidden "a let is not of its type"
  | .exprTypeMismatch .. => .forbidden "a term is not of its type"
  | .appTypeMismatch .. => .forbidden "an argument is not of its function's type"
  | .invalidProj .. => .forbidden "a projection is not valid"
  | .thmTypeIsNotProp .. => .forbidden "a theorem is not a proposition"
  | .other message => .forbidden s!"the kernel refuses it: {message}"
  | .deterministicTimeout => .gaveUp "it takes the kernel too long"
  | .excessiveMemory => .gaveUp "it takes the kernel too much memory"
  | .deepRecursion => .gaveUp "it is nested too deep for the kernel"
  | .interrupted => .gaveUp "the kernel was interrupted"

def ofKernel (result : Except Kernel.Exception α) : JudgeM α :=
  match result with
  | .ok value => pure value
  | .error exception => throw (told exception)

def ofRule (result : Except Objection Unit) : JudgeM Unit :=
  match result with
  | .ok _ => pure ()
  | .error objection => throw objection

def parametersOf (environment : Kernel.Environment) (name : Name) : Option Nat :=
  match environment.find? name with
  | some (.inductInfo type) => some type.numParams
  | _ => none

def Declared.declaration : Declared → Option Declaration
  | .assumed _ => none
  | .valued kind { name, levelParams, type } value hints => some <| match kind with
    | .defn => .defnDecl { name, levelParams, type, value, hints, safety := .safe, all := [name] }
    | .thm => .thmDecl { name, levelParams, type, value, all := [name] }
    | .opaq => .opaqueDecl { name, levelParams, type, value, isUnsafe := false, all := [name] }
  | .group { types, ctors, .. } =>
    let first := types[0]!
    some <| .inductDecl first.levelParams first.numParams (types.toList.map fun type =>
      { name := type.name, type := type.type, ctors := (ctors.toList.filter (·.induct == type.name)).map fun ctor => { name := ctor.name, type := ctor.type } }) false

/-- Constructors and recursors have to be those that the kernel made. -/
def compare (environment : Kernel.Environment) (group : Group) : JudgeM Unit := do
  let other := "an inductive type is not what the kernel makes of it"
  let isSame (constant : Constant) (value : ConstantVal) := value.levelParams == constant.levelParams && value.type == constant.type
  let first := group.types[0]!
  for type in group.types do
    let some (.inductInfo value) := environment.find? type.name | forbid other
    let isFine := isSame type.toConstant value.toConstantVal && value.numParams == type.numParams && value.numIndices == type.numIndices
      && value.numNested == type.numNested && value.isRec == type.isRec && !value.isUnsafe && value.isReflexive == type.isReflexive
    unless isFine do forbid other
  for ctor in group.ctors do
    let some (.ctorInfo value) := environment.find? ctor.name | forbid other
    let isFine := isSame ctor.toConstant value.toConstantVal && value.cidx == ctor.cidx && value.numParams == ctor.numParams && value.numFields == ctor.numFields
    unless isFine do forbid "a recursor or constructor is not the kernel's"
  unless group.recs.size == group.types.size + first.numNested do forbid other
  for r in group.recs do
    let some (.recInfo value) := environment.find? r.name | forbid "a recursor is not the kernel's"
    let rules := value.rules.length == r.rules.length && (value.rules.zip r.rules).all fun (a, b) =>
      a.ctor == b.ctor && a.nfields == b.numFields && a.rhs == b.rhs
    let isFine := isSame r.toConstant value.toConstantVal && value.all == r.all && value.numParams == r.numParams && value.numIndices == r.numIndices
      && value.numMotives == r.numMotives && value.numMinors == r.numMinors && value.k == r.k && !value.isUnsafe && rules
    unless isFine do forbid "a recursor is not the kernel's"

/-- The kernel checks once more what it made of an inductive declaration: it skips parts of what it is given, and all of what it makes. -/
def recheck (environment : Kernel.Environment) (group : Group) : JudgeM Unit := do
  let whole := Environment.ofKernelEnv environment
  let types := group.types.toList.map (·.type) ++ group.ctors.toList.map (·.type) ++ group.recs.toList.map (·.type)
  for term in types ++ group.recs.toList.flatMap fun r => r.rules.map (·.rhs) do
    discard <| ofKernel (Kernel.check whole {} term)

/-- Nobody's options: the kernel checks everything, for as long as it takes. -/
def unlimited : Options := (({} : Options).setNat `maxHeartbeats 0).setNat `maxRecDepth 1000000

/-- The environment with a declaration that the kernel has checked. -/
def added (library : Library) (environment : Kernel.Environment) (declared : Declared) : JudgeM Kernel.Environment := do
  let some declaration := Declared.declaration declared
    | forbid s!"it assumes the axiom {", ".intercalate (declared.names.map toString)}"
  for name in declared.names do
    if (environment.find? name).isSome then forbid s!"it declares {name}, which exists"
    if library.missing.contains name then forbid s!"it declares {name}, which the library mentions but does not contain"
  match declared with
  | .group group =>
    ofRule (Inductives.check (Inductives.context group (parametersOf environment)))
    let after ← ofKernel (environment.addDecl unlimited declaration)
    compare after group
    ofRule (Inductives.checkRecursors (Inductives.context group (parametersOf after)))
    recheck after group
    return after
  | _ => ofKernel (environment.addDecl unlimited declaration)

/-- Projections are of structures: one constructor, no indices, and the field exists. -/
def checkProjections (environment : Kernel.Environment) (built : Built) : JudgeM Unit := do
  let fieldsOf (name : Name) : Nat := match environment.find? name with
    | some (.inductInfo { ctors := [ctor], numIndices := 0, .. }) => match environment.find? ctor with
      | some (.ctorInfo { numFields, .. }) => numFields
      | _ => 0
    | _ => 0
  for (term, _) in built.tables.expressions do
    if let .proj name index _ := term then
      unless index < fieldsOf name do forbid "a projection is of no structure, or of no field"

-- ---- statement and proof

/-- What a statement's text gives: the library's and the statement's definitions, and what it claims. -/
structure Stated where
  built : Built
  claim : Constant
  environment : Kernel.Environment

def state (library : Library) (text : String) : JudgeM Stated := do
  let built ← build text
  let .assumed claim := built.goal | forbid "there is no statement"
  let mut environment := library.environment
  for declared in built.tables.declared.pop do environment ← added library environment declared
  checkProjections environment built
  return { built, claim, environment }

/-- Whether two declarations are the same, up to names of bound variables and what only speeds the kernel up. -/
def isSame : Declared → Declared → Bool
  | .valued kind a value _, .valued other b same _ => kind == other && isSameConstant a b && value == same
  | .group a, .group b =>
    let areSame (these those : List Constant) := these.length == those.length && (these.zip those).all fun (one, other) => isSameConstant one other
    a.types[0]!.numParams == b.types[0]!.numParams && areSame (a.types.toList.map (·.toConstant)) (b.types.toList.map (·.toConstant))
      && areSame (a.ctors.toList.map (·.toConstant)) (b.ctors.toList.map (·.toConstant)) && areSame (a.recs.toList.map (·.toConstant)) (b.recs.toList.map (·.toConstant))
  | _, _ => false
where
  isSameConstant (a b : Constant) := a.name == b.name && a.levelParams == b.levelParams && a.type == b.type

/-- Environment with the theorem: the statement's type, the proof's value. -/
def proved (library : Library) (stated : Stated) (built : Built) : JudgeM Kernel.Environment := do
  let .valued .thm theorem_ value _ := built.goal | forbid "the text declares no theorem of that name"
  let claim := stated.claim
  unless theorem_.name == claim.name do forbid "the text declares no theorem of that name"
  unless theorem_.levelParams == claim.levelParams && theorem_.type == claim.type do forbid "the theorem that was proved is not the one that was stated"
  let mut environment := stated.environment
  for declared in built.tables.declared.pop do
    match declared.names.findSome? (stated.built.places[·]?) with
    | none => environment ← added library environment declared
    | some known => unless isSame known declared do forbid "the proof changes a definition that the statement uses"
  environment ← added library environment (.valued .thm claim value .opaque)
  checkProjections environment built
  return environment

structure Judgement where
  objection : String := ""
  couldNotCheck : Bool := false
  axioms : List Name := []
  library : Nat := 0
  /-- What is written for other kernels, if that was asked for, and the axioms in it. -/
  export? : Option (String × List Name) := none

/-- `{statement, proof, isExported}` → the facts about a proof that a judge finds (`ProofFacts`), and its export. -/
def judge (library : Library) (statement proof : String) (isExported : Bool) : IO Judgement := do
  let work : JudgeM Judgement := do
    let stated ← state library statement
    let built ← build proof
    let environment ← proved library stated built
    let (axioms, count) ← axioms library environment (stated.built.mentioned ++ built.mentioned)
    let objection := objectionTo axioms
    let text ← if !isExported || !objection.isEmpty then pure none else
      match ← (Export.whole environment library.has stated.claim.name).toBaseIO with
      | .ok text => pure (some text)
      | .error error => throw (.gaveUp (toString error))
    return { objection, axioms := axioms.take mostAxioms, library := count, export? := text }
  match ← work.toBaseIO with
  | .ok judgement => return judgement
  | .error (.forbidden why) => return { objection := (why.take mostTold).toString }
  | .error (.gaveUp why) => return { objection := (why.take mostTold).toString, couldNotCheck := true }

/-- Names that constants of the library mention but that are not in it: some builds of Lean ship without much that is private. -/
def missing (environment : Kernel.Environment) : Std.HashSet Name :=
  environment.constants.fold (init := {}) fun missing _ info =>
    let ofRules := match info with
      | .recInfo { rules, .. } => rules.toArray.flatMap (·.rhs.getUsedConstants)
      | _ => #[]
    (usedBy info ++ ofRules).foldl (init := missing) fun missing name => if (environment.find? name).isSome then missing else missing.insert name

end Checker.Judge
