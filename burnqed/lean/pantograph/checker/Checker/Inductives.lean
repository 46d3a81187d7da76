import Checker.Lines

/-!
What an inductive type has to look like before the kernel sees it. Kernels have been misled where they decide by computing whether a type is a
proposition, whether a field is recursive, whether a type occurs in it (docs/trust.md names the bugs). Under these rules all of that is written
out, as Lean's elaborator writes it anyway:

- The sort of every type is a literal `Sort u` after its binders, either `Prop` or never `Prop`, and one or the other for a whole group.
- A constructor is binders and then its type, applied to the parameters in order and to indices.
- The types of the group occur in fields only so applied, and only where no computation decides: as the field's type or the end of its
  arrows, or as arguments for the parameters of another inductive type.
-/

open Lean

namespace Checker.Inductives

/-- Of the library: of type what their first argument is. -/
def transparent := [``optParam, ``autoParam, ``outParam]

def computed := "an inductive type occurs in a field of a constructor where computing decides what it means; write the type of the field out, without abbreviations"

structure Context where
  group : Group
  members : List Name
  count : Nat
  levels : List Level
  /-- How many parameters the inductive type of a name has; none if it is not one. -/
  parametersOf : Name → Option Nat

abbrev Memo := Std.HashMap (Expr × Nat × Bool) Bool
abbrev Plain := ReaderT Context (StateM Memo)

def context (group : Group) (parametersOf : Name → Option Nat) : Context :=
  let first := group.types[0]!
  { group, members := group.types.toList.map (·.name), count := first.numParams, levels := first.levelParams.map .param, parametersOf }

/-- Whether a type of the group occurs in an expression. -/
def has (context : Context) (e : Expr) : Bool :=
  (e.find? fun
    | .const name _ | .proj name .. => context.members.contains name
    | _ => false).isSome

/-- Whether an expression under `depth` binders is a type of the group, with its own universes, applied to the parameters in order. -/
def isMember (context : Context) (e : Expr) (depth : Nat) : Bool := Id.run do
  let .const name levels := e.getAppFn | return false
  let parts := e.getAppArgs
  unless context.members.contains name && levels == context.levels && parts.size ≥ context.count do return false
  for index in [0:context.count] do
    unless index < depth && parts[index]! == .bvar (depth - 1 - index) do return false
  return !(parts[context.count:].toArray.any (has context))

mutual
/-- Whether the group occurs in an expression under `depth` binders only where no computation decides; `isArgument`: of another inductive type. -/
partial def isPlain (e : Expr) (depth : Nat) (isArgument : Bool := false) : Plain Bool := do
  let context ← read
  if !has context e || isMember context e depth then return true
  if let some known := (← get)[(e, depth, isArgument)]? then return known
  let found ← findPlain e depth isArgument
  modify (·.insert (e, depth, isArgument) found)
  return found

partial def findPlain (e : Expr) (depth : Nat) (isArgument : Bool) : Plain Bool := do
  let context ← read
  match e with
  | .forallE _ type body _ =>
    let isFine ← if isArgument then isPlain type depth true else pure !(has context type)
    if isFine then isPlain body (depth + 1) isArgument else return false
  | .lam _ type body _ =>
    if isArgument && (← isPlain type depth true) then isPlain body (depth + 1) true else return false
  | _ =>
    let head := e.getAppFn
    let parts := e.getAppArgs
    match head with
    | .lam .. => if parts.any (has context) then return false else isPlain head depth true -- as `Sigma fun n => T` gives
    | .const name _ =>
      if context.members.contains name then return false
      if transparent.contains name then
        match parts[0]? with
        | some first => isPlain first depth isArgument
        | none => return false
      else
        let some count := context.parametersOf name | return false
        for h : index in [0:parts.size] do
          let isFine ← if index < count then isPlain parts[index] depth true else pure !(has context parts[index])
          unless isFine do return false
        return true
    | _ => return false
end

def forbid (why : String) : Except Objection α := throw (.forbidden why)

def checkConstructor (context : Context) (ctor : CtorOfGroup) : Except Objection Unit := do
  let depth := ctor.numParams + ctor.numFields
  let mut fields := #[]
  let mut rest := ctor.type
  for _ in [0:depth] do
    let .forallE _ domain body _ := rest | forbid "the fields of a constructor are not written out"
    fields := fields.push domain
    rest := body
  let isOwn := match rest.getAppFn with
    | .const name _ => name == ctor.induct
    | _ => false
  unless ctor.numParams == context.count && isOwn && isMember context rest depth do forbid "a constructor does not end in its type, written out"
  if rest.getAppArgs[ctor.numParams:].toArray.any (has context) then forbid "an inductive type occurs in its own indices"
  let mut memo : Memo := {}
  for h : index in [0:fields.size] do
    let (isFine, after) := (isPlain fields[index] index).run context |>.run memo
    memo := after
    unless isFine do forbid computed

def check (context : Context) : Except Objection Unit := do
  let sorts ← context.group.types.toList.mapM fun type => do
    let level ← Data.sortOf type.type (type.numParams + type.numIndices)
    if level == .zero then pure true
    else if level.isNeverZero then pure false
    else forbid "an inductive type is in a sort that may or may not be Prop"
  unless sorts.eraseDups.length ≤ 1 do forbid "some of the inductive types that are declared together are propositions"
  context.group.ctors.forM (checkConstructor context)

/--
Also what the kernel makes of other types' constructors, whose parameters are types of the group: the premises of recursors, which have been compared
with the kernel's.
-/
def checkRecursors (context : Context) : Except Objection Unit := do
  let mut memo : Memo := {}
  for r in context.group.recs do
    let mut rest := r.type
    for depth in [0:r.numParams + r.numMotives + r.numMinors] do
      let .forallE _ domain body _ := rest | forbid computed
      rest := body
      if depth ≥ r.numParams + r.numMotives then
        let mut premise := domain
        let mut within := depth
        repeat
          let .forallE _ type body _ := premise | break
          let (isFine, after) := (isPlain type within).run context |>.run memo
          memo := after
          unless isFine do forbid computed
          premise := body
          within := within + 1

end Checker.Inductives
