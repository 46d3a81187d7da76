import Lean

/-!
What an elaboration added to the library, as text that any kernel can read: lean4export's NDJSON, format 3.1.0.

The closure of a constant: every constant outside the library that its type and value reach, in order of dependency; names, levels and terms once
each. `mdata` is dropped, as the format's own exporter does. Nothing recurses, for terms can be deep. Whoever reads the result trusts none of it.
-/

open Lean

namespace Checker.Export

def version := "3.1.0"
def mostLines := 3000000
def mostCharacters := 200000000

/-- A term with its binders' names, which `==` of terms leaves out. -/
structure Written where
  term : Expr

instance : BEq Written := ⟨fun a b => a.term.equal b.term⟩
instance : Hashable Written := ⟨fun written => hash written.term⟩

structure Context where
  /-- The constant of a name; none when the library has it, or nobody. -/
  find : Name → Option ConstantInfo
  isInLibrary : Name → Bool
  /-- Whether a theorem is written as an axiom. -/
  assumes : Name → Bool

structure Written.State where
  lines : Array String
  size : Nat := 0
  names : Std.HashMap Name Nat := {(.anonymous, 0)}
  levels : Std.HashMap Level Nat := {(.zero, 0)}
  terms : Std.HashMap Written Nat := {}
  /-- By the number of a term: the numbers of its parts, and the constant that it mentions itself. -/
  parts : Array (Array Nat × Option Name) := #[]
  done : Std.HashSet Name := {}
  hasTexts : Bool := false

abbrev ExportM := ReaderT Context (StateRefT Written.State IO)

def malformed (why : String) : ExportM α := throw (.userError s!"what the elaboration added cannot be read: {why}")

def heading : String :=
  Json.compress (.mkObj [("meta", .mkObj [
    ("exporter", .mkObj [("name", "burnqed"), ("version", .str version)]),
    ("format", .mkObj [("version", .str version)]),
    ("lean", .mkObj [("githash", ""), ("version", .str Lean.versionString)])])])

def quoted (text : String) : String :=
  if text.all fun c => c.val ≥ 0x20 && c != '"' && c != '\\' then s!"\"{text}\"" else
    text.foldl (init := "\"") (fun done c => done ++ escaped c) ++ "\""
where
  escaped (c : Char) : String :=
    match c with
    | '"' => "\\\""
    | '\\' => "\\\\"
    | '\n' => "\\n"
    | '\t' => "\\t"
    | '\r' => "\\r"
    | '\x08' => "\\b"
    | '\x0c' => "\\f"
    | c => if c.val ≥ 0x20 then c.toString else
      let digits := String.ofList (Nat.toDigits 16 c.toNat)
      "\\u" ++ (if digits.length < 2 then "000" else "00") ++ digits

def write (line : String) : ExportM Unit := do
  modify fun state => { state with lines := state.lines.push line, size := state.size + line.utf8ByteSize }
  let state ← get
  if state.lines.size > mostLines || state.size > mostCharacters then malformed "it is too large"

partial def nameNumber (name : Name) : ExportM Nat := do
  if let some number := (← get).names[name]? then return number
  let content ← match name with
    | .str pre part => do pure s!"\"str\":\{\"pre\":{← nameNumber pre},\"str\":{quoted part}}"
    | .num pre part => do pure s!"\"num\":\{\"pre\":{← nameNumber pre},\"i\":{part}}"
    | .anonymous => pure ""
  let number := (← get).names.size
  modify fun state => { state with names := state.names.insert name number }
  write s!"\{{content},\"in\":{number}}"
  return number

def nameNumbers (names : List Name) : ExportM String := do
  let numbers ← names.mapM nameNumber
  return s!"[{",".intercalate (numbers.map toString)}]"

partial def levelNumber (level : Level) : ExportM Nat := do
  if let some number := (← get).levels[level]? then return number
  let content ← match level with
    | .succ of => do pure s!"\"succ\":{← levelNumber of}"
    | .max a b => do pure s!"\"max\":[{← levelNumber a},{← levelNumber b}]"
    | .imax a b => do pure s!"\"imax\":[{← levelNumber a},{← levelNumber b}]"
    | .param name => do pure s!"\"param\":{← nameNumber name}"
    | _ => malformed "a universe level has a hole"
  let number := (← get).levels.size
  modify fun state => { state with levels := state.levels.insert level number }
  write s!"\{{content},\"il\":{number}}"
  return number

def binderInfo : BinderInfo → String
  | .default => "default"
  | .implicit => "implicit"
  | .strictImplicit => "strictImplicit"
  | .instImplicit => "instImplicit"

/-- The terms that a term consists of. -/
def partsOf : Expr → Array Expr
  | .app fn arg => #[fn, arg]
  | .lam _ type body _ | .forallE _ type body _ => #[type, body]
  | .letE _ type value body _ => #[type, value, body]
  | .mdata _ term => #[term]
  | .proj _ _ struct => #[struct]
  | _ => #[]

/-- JSON of a term whose parts have numbers. -/
def contentOf (term : Expr) (numbers : Array Nat) : ExportM String := do
  let binder (kind : String) (name : Name) (info : BinderInfo) : ExportM String := do
    pure s!"\"{kind}\":\{\"name\":{← nameNumber name},\"type\":{numbers[0]!},\"body\":{numbers[1]!},\"binderInfo\":\"{binderInfo info}\"}"
  match term with
  | .bvar index => pure s!"\"bvar\":{index}"
  | .sort level => do pure s!"\"sort\":{← levelNumber level}"
  | .const name levels => do
    let levels ← levels.mapM levelNumber
    pure s!"\"const\":\{\"name\":{← nameNumber name},\"us\":[{",".intercalate (levels.map toString)}]}"
  | .app .. => pure s!"\"app\":\{\"fn\":{numbers[0]!},\"arg\":{numbers[1]!}}"
  | .lam name _ _ info => binder "lam" name info
  | .forallE name _ _ info => binder "forallE" name info
  | .letE name .. => do
    pure s!"\"letE\":\{\"name\":{← nameNumber name},\"type\":{numbers[0]!},\"value\":{numbers[1]!},\"body\":{numbers[2]!},\"nondep\":false}"
  | .lit (.natVal value) => pure s!"\"natVal\":\"{value}\""
  | .lit (.strVal value) => do
    modify fun state => { state with hasTexts := true }
    pure s!"\"strVal\":{quoted value}"
  | .proj name index _ => do pure s!"\"proj\":\{\"typeName\":{← nameNumber name},\"idx\":{index},\"struct\":{numbers[0]!}}"
  | .mdata .. => malformed "a term is not written"
  | .fvar .. | .mvar .. => malformed "a term has a free variable or a hole"

partial def termNumber (root : Expr) : ExportM Nat := do
  let mut stack := #[root]
  repeat
    let some term := stack.back? | break
    let terms := (← get).terms
    if terms.contains ⟨term⟩ then
      stack := stack.pop
      continue
    let parts := partsOf term
    let missing := parts.filter fun part => !terms.contains ⟨part⟩
    if !missing.isEmpty then
      stack := stack ++ missing
      continue
    stack := stack.pop
    let numbers := parts.filterMap fun part => terms[(⟨part⟩ : Written)]?
    if term.isMData then
      modify fun state => { state with terms := state.terms.insert ⟨term⟩ numbers[0]! }
      continue
    let content ← contentOf term numbers
    let mentioned := match term with
      | .const name _ | .proj name .. => some name
      | _ => none
    let number := (← get).parts.size
    modify fun state => { state with terms := state.terms.insert ⟨term⟩ number, parts := state.parts.push (numbers, mentioned) }
    write s!"\{{content},\"ie\":{number}}"
  match (← get).terms[(⟨root⟩ : Written)]? with
  | some number => return number
  | none => malformed "a term is not written"

/-- Constants outside the library that terms mention. -/
def mentioned (roots : List Nat) : ExportM (List Name) := do
  let context ← read
  let parts := (← get).parts
  let mut seen := Std.HashSet.ofList roots
  let mut queue := roots.toArray
  let mut found : Std.HashSet Name := {}
  repeat
    let some number := queue.back? | break
    queue := queue.pop
    let (numbers, name) := parts[number]!
    if let some name := name then
      unless context.isInLibrary name do found := found.insert name
    for part in numbers do
      unless seen.contains part do
        seen := seen.insert part
        queue := queue.push part
  return found.toList

structure Pending where
  names : List Name
  needs : List Name
  line : String

def constant (value : ConstantVal) : ExportM (String × Nat) := do
  let type ← termNumber value.type
  return (s!"\"name\":{← nameNumber value.name},\"levelParams\":{← nameNumbers value.levelParams},\"type\":{type}", type)

def hints : ReducibilityHints → String
  | .opaque => "\"opaque\""
  | .abbrev => "\"abbrev\""
  | .regular height => s!"\{\"regular\":{height}}"

/-- Inductive types that are declared together, with their constructors and recursors; found by any of them. -/
def group (name : Name) : ExportM Pending := do
  let context ← read
  let typeOf (name : Name) : ExportM InductiveVal := do
    let some (.inductInfo type) := context.find name | malformed "an inductive type is not whole"
    pure type
  let first ← typeOf name
  let mut (types, ctors, recs) := (#[], #[], #[])
  let mut (names, needs) := (#[], #[])
  for member in first.all do
    let type ← typeOf member
    let (content, number) ← constant type.toConstantVal
    names := names.push member
    needs := needs.push number
    types := types.push <| s!"\{{content},\"numParams\":{type.numParams},\"numIndices\":{type.numIndices},\"all\":{← nameNumbers type.all},\"ctors\":{← nameNumbers type.ctors},"
      ++ s!"\"numNested\":{type.numNested},\"isRec\":{type.isRec},\"isUnsafe\":{type.isUnsafe},\"isReflexive\":{type.isReflexive}}"
    for ctor in type.ctors do
      let some (.ctorInfo ctor) := context.find ctor | malformed "an inductive type is not whole"
      let (content, number) ← constant ctor.toConstantVal
      names := names.push ctor.name
      needs := needs.push number
      ctors := ctors.push s!"\{{content},\"induct\":{← nameNumber ctor.induct},\"cidx\":{ctor.cidx},\"numParams\":{ctor.numParams},\"numFields\":{ctor.numFields},\"isUnsafe\":{ctor.isUnsafe}}"
  let nested := (List.range first.numNested).map fun index => Name.str name s!"rec_{index + 1}"
  for name in first.all.map (Name.str · "rec") ++ nested.map fun n => Name.str first.all.head! n.getString! do
    let some (.recInfo r) := context.find name | malformed "an inductive type is not whole"
    let (content, number) ← constant r.toConstantVal
    names := names.push name
    needs := needs.push number
    let mut rules := #[]
    for rule in r.rules do
      let rhs ← termNumber rule.rhs
      needs := needs.push rhs
      rules := rules.push s!"\{\"ctor\":{← nameNumber rule.ctor},\"nfields\":{rule.nfields},\"rhs\":{rhs}}"
    recs := recs.push <| s!"\{{content},\"all\":{← nameNumbers r.all},\"numParams\":{r.numParams},\"numIndices\":{r.numIndices},\"numMotives\":{r.numMotives},\"numMinors\":{r.numMinors},"
      ++ s!"\"rules\":[{",".intercalate rules.toList}],\"k\":{r.k},\"isUnsafe\":{r.isUnsafe}}"
  let all (parts : Array String) := s!"[{",".intercalate parts.toList}]"
  return { names := names.toList, needs := ← mentioned needs.toList, line := s!"\{\"inductive\":\{\"types\":{all types},\"ctors\":{all ctors},\"recs\":{all recs}}}" }

def declaration (name : Name) : ExportM Pending := do
  let some info := (← read).find name | malformed "a constant is not known"
  match info with
  | .inductInfo _ => group name
  | .ctorInfo ctor => group ctor.induct
  | .recInfo r => group (r.all.headD .anonymous)
  | _ =>
    let (content, type) ← constant info.toConstantVal
    let valued (kind : String) (value : Expr) (more : String) (all : List Name) : ExportM Pending := do
      let value ← termNumber value
      pure { names := [name], needs := ← mentioned [type, value], line := s!"\{\"{kind}\":\{{content},\"value\":{value},{more}\"all\":{← nameNumbers all}}}" }
    let bare (kind more : String) : ExportM Pending := do
      pure { names := [name], needs := ← mentioned [type], line := s!"\{\"{kind}\":\{{content},{more}}}" }
    match info with
    | .thmInfo theorem_ => if (← read).assumes name then bare "axiom" "\"isUnsafe\":false" else valued "thm" theorem_.value "" theorem_.all
    | .defnInfo definition =>
      let safety := match definition.safety with
        | .safe => "safe"
        | .unsafe => "unsafe"
        | .partial => "partial"
      valued "def" definition.value s!"\"hints\":{hints definition.hints},\"safety\":\"{safety}\"," definition.all
    | .opaqueInfo value => valued "opaque" value.value s!"\"isUnsafe\":{value.isUnsafe}," value.all
    | .axiomInfo value => bare "axiom" s!"\"isUnsafe\":{value.isUnsafe}"
    | .quotInfo value =>
      let kind := match value.kind with
        | .type => "type"
        | .ctor => "ctor"
        | .lift => "lift"
        | .ind => "ind"
      bare "quot" s!"\"kind\":\"{kind}\""
    | _ => malformed "a constant is of no known kind"

/-- Writes a constant's closure and the constant; of a statement, the closure of its type, and the constant as an axiom. -/
partial def closure (name : Name) (isStatement : Bool) : ExportM Unit := do
  let mut underway : Std.HashMap Name Pending := {}
  let mut stack := #[name]
  if isStatement then
    let some info := (← read).find name | malformed "a constant is not known"
    let (content, type) ← constant info.toConstantVal
    underway := underway.insert name { names := [name], needs := [], line := s!"\{\"axiom\":\{{content},\"isUnsafe\":false}}" }
    stack := stack ++ (← mentioned [type]).toArray
  repeat
    let some at_ := stack.back? | break
    if (← get).done.contains at_ then
      stack := stack.pop
      continue
    let pending ← match underway[at_]? with
      | some pending => pure pending
      | none => do
        let pending ← declaration at_
        underway := underway.insert at_ pending
        let done := (← get).done
        let missing := pending.needs.filter fun other => !done.contains other && !pending.names.contains other
        if missing.any underway.contains then malformed "a constant uses itself"
        if !missing.isEmpty then
          stack := stack ++ missing.toArray
          continue
        pure pending
    write pending.line
    modify fun state => { state with done := pending.names.foldl (fun done name => done.insert name) state.done }
    stack := stack.pop

def run (context : Context) (names : List Name) (isStatement : Bool := false) : IO (String × Written.State) := do
  let (_, state) ← (names.forM (closure · isStatement)).run context |>.run { lines := #[heading] }
  return ("\n".intercalate state.lines.toList ++ "\n", state)

/-- Text of the closure of a constant without the library; empty when there is no such constant. -/
def exported (environment : Kernel.Environment) (isInLibrary : Name → Bool) (name : Name) (isStatement : Bool := false) : IO String := do
  if (environment.find? name).isNone then return ""
  return (← run { find := environment.find?, isInLibrary, assumes := fun _ => false } [name] isStatement).1

/--
Text of a constant and all that it uses, also of the library, whose theorems are written as axioms; and the axioms in it. What texts stand for
comes first if there are any, as in lean4export.
-/
def whole (environment : Kernel.Environment) (isInLibrary : Name → Bool) (name : Name) : IO (String × List Name) := do
  let context : Context := { find := environment.find?, isInLibrary := fun _ => false, assumes := isInLibrary }
  let isAssumed (name : Name) := match environment.find? name with
    | some (.axiomInfo _) => true
    | some (.thmInfo _) => isInLibrary name
    | _ => false
  let axioms (state : Written.State) := state.done.toList.filter isAssumed
  let (text, state) ← run context [name]
  if !state.hasTexts then return (text, axioms state)
  let (text, state) ← run context [`Char.ofNat, `String.ofList, name]
  return (text, axioms state)

end Checker.Export
