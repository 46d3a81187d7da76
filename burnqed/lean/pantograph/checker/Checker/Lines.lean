import Checker.Data

/-! The lines of an untrusted text: nodes (`Data.lean`) and declarations, in the shortest form of JSON. -/

open Lean

namespace Checker.Data

-- ---- declarations

/-- Refuses level parameters that occur twice, and terms with others. -/
def checkLevels (levelParams : List Name) (terms : List Expr) (what : String) : Reader Unit := do
  unless levelParams.eraseDups.length == levelParams.length do refuse s!"{what} has a universe parameter twice"
  let used := terms.foldl (fun found term => collectLevelParams found term) {}
  unless used.params.all levelParams.contains do refuse s!"{what} uses a universe that is not one of its parameters"

/-- The fields that every constant has, the first three. -/
def constant (fields : Array Json) (what : String) : Reader Constant := do
  let #[n, levelParams, type] := fields[0:3].toArray | refuse s!"{what} is not what the format says"
  let constant := { name := ← ownName n, levelParams := ← ownNames levelParams, type := ← closed type }
  checkLevels constant.levelParams [constant.type] what
  pure constant

def own := ["name", "levelParams", "type"]

def hintsOf (json : Json) : Reader ReducibilityHints :=
  match json with
  | .str "opaque" => pure .opaque
  | .str "abbrev" => pure .abbrev
  | _ => do
    let #[height] ← members json ["regular"] "a definition" | refuse "a definition is not what the format says"
    let height ← natural height "a definition"
    if height ≥ 4294967296 then refuse "a definition is not what the format says"
    pure (.regular height.toUInt32)

def readValued (kind : Kind) (json : Json) : Reader Declared := do
  let (more, what) := match kind with
    | .defn => (["value", "all", "hints", "safety"], "a definition")
    | .thm => (["value", "all"], "a theorem")
    | .opaq => (["value", "all", "isUnsafe"], "an opaque constant")
  let fields ← members json (own ++ more) what
  let constant ← constant fields what
  let value ← closed fields[3]!
  discard <| ownNames fields[4]!
  checkLevels constant.levelParams [value] what
  match kind with
  | .defn =>
    unless fields[6]! matches .str "safe" do refuse "a definition is not what the format says"
    pure (.valued kind constant value (← hintsOf fields[5]!))
  | .opaq => do mustBeFalse fields[5]! what; pure (.valued kind constant value .opaque)
  | .thm => pure (.valued kind constant value .opaque)

def readType (json : Json) : Reader TypeOfGroup := do
  let what := "an inductive type"
  let fields ← members json (own ++ ["numParams", "numIndices", "all", "ctors", "numNested", "isRec", "isUnsafe", "isReflexive"]) what
  mustBeFalse fields[9]! what
  pure { ← constant fields what with
    numParams := ← natural fields[3]! what, numIndices := ← natural fields[4]! what, all := ← ownNames fields[5]!, ctors := ← ownNames fields[6]!,
    numNested := ← natural fields[7]! what, isRec := ← flag fields[8]! what, isReflexive := ← flag fields[10]! what }

def readCtor (json : Json) : Reader CtorOfGroup := do
  let what := "a constructor"
  let fields ← members json (own ++ ["induct", "cidx", "numParams", "numFields", "isUnsafe"]) what
  mustBeFalse fields[7]! what
  pure { ← constant fields what with
    induct := ← ownName fields[3]!, cidx := ← natural fields[4]! what, numParams := ← natural fields[5]! what, numFields := ← natural fields[6]! what }

def readRec (json : Json) : Reader RecOfGroup := do
  let what := "a recursor"
  let fields ← members json (own ++ ["all", "numParams", "numIndices", "numMotives", "numMinors", "rules", "k", "isUnsafe"]) what
  mustBeFalse fields[10]! what
  let constant ← constant fields what
  let rules ← (← list fields[8]! what).mapM fun rule => do
    let parts ← members rule ["ctor", "nfields", "rhs"] "a rule of a recursor"
    pure { ctor := ← ownName parts[0]!, numFields := ← natural parts[1]! what, rhs := ← closed parts[2]! : RuleOfGroup }
  checkLevels constant.levelParams (rules.map (·.rhs)) what
  pure { constant with
    all := ← ownNames fields[3]!, numParams := ← natural fields[4]! what, numIndices := ← natural fields[5]! what,
    numMotives := ← natural fields[6]! what, numMinors := ← natural fields[7]! what, rules, k := ← flag fields[9]! what }

/-- The level of a sort after so many binders: one that only computing would give has misled kernels (Lean #14807). -/
def sortOf (type : Expr) (binders : Nat) : Except Objection Level :=
  match binders, type with
  | 0, .sort level => pure level
  | n + 1, .forallE _ _ body _ => sortOf body n
  | _, _ => throw (.forbidden "the sort of an inductive type is not written out")

def readGroup (json : Json) : Reader Declared := do
  let what := "an inductive type"
  let #[types, ctors, recs] ← members json ["types", "ctors", "recs"] what | refuse s!"{what} is not what the format says"
  let types := (← (← list types what).mapM readType).toArray
  let ctors := (← (← list ctors what).mapM readCtor).toArray
  let recs := (← (← list recs what).mapM readRec).toArray
  let some first := types[0]? | refuse s!"{what} is not what the format says"
  let mut next := 0
  for type in types do
    unless type.numParams == first.numParams && type.levelParams == first.levelParams do refuse "inductive types that are declared together differ in their parameters"
    unless type.all == types.toList.map (·.name) do refuse "an inductive type is not declared with its like"
    if type.numParams + type.numIndices > mostDepth then refuse "an inductive type has too many binders"
    match sortOf type.type (type.numParams + type.numIndices) with
    | .ok _ => pure ()
    | .error objection => throw objection
    let mut index := 0
    for name in type.ctors do
      let some ctor := ctors[next]? | refuse "a constructor is missing"
      next := next + 1
      unless ctor.name == name && ctor.induct == type.name && ctor.levelParams == first.levelParams && ctor.cidx == index do
        refuse "a constructor is not the one that its type names"
      index := index + 1
  unless next == ctors.size do refuse "a constructor belongs to no type"
  if recs.size < types.size then refuse "the recursors of an inductive type are not called as they must be"
  let nested := (List.range (recs.size - types.size)).map fun index => Name.str first.name s!"rec_{index + 1}"
  let expected := types.toList.map (fun type => Name.str type.name "rec") ++ nested
  unless recs.toList.map (·.name) == expected do refuse "the recursors of an inductive type are not called as they must be"
  let group : Group := { types, ctors, recs }
  let names := (Declared.group group).names
  unless (Std.HashSet.ofList names).size == names.length do refuse "a name is declared twice"
  pure (.group group)

def readDeclared (kind : String) (json : Json) : Reader Unit := do
  let declared ← match kind with
    | "axiom" => do
      let fields ← members json (own ++ ["isUnsafe"]) "an axiom"
      mustBeFalse fields[3]! "an axiom"
      pure (.assumed (← constant fields "an axiom"))
    | "def" => readValued .defn json
    | "thm" => readValued .thm json
    | "opaque" => readValued .opaq json
    | "inductive" => readGroup json
    | _ => refuse "a line is of no known kind"
  modify fun tables => { tables with declared := tables.declared.push declared }

-- ---- lines

/--
Whether JSON is written in its shortest form: no spaces, no key twice, characters escaped only where they must be. What one reader takes
from it, every reader does. (That numbers are plain is seen where they are read.)
-/
partial def isShortest (line : String) (value : Json) : Bool :=
  if line.utf8ByteSize == line.length && !mayHide line then
    value.compress.utf8ByteSize == line.utf8ByteSize && !hasControl value
  else outside line.toList 0 == some (keys value)
where
  /-- Whether there may be escapes, or numbers that are written otherwise. -/
  mayHide (line : String) : Bool :=
    line.contains '\\' || line.contains '.' || line.contains 'E' || (List.range 10).any fun digit => (line.splitOn s!"{digit}e").length > 1
  hasControl : Json → Bool
    | .str text => text.any isControl
    | .arr values => values.any hasControl
    | .obj object => object.toList.any fun (_, value) => hasControl value
    | _ => false
  keys : Json → Nat
    | .arr values => values.foldl (fun sum value => sum + keys value) 0
    | .obj object => object.toList.foldl (fun sum (_, value) => sum + 1 + keys value) 0
    | _ => 0
  /-- How many keys there are, counted by their colons; none where a text is in another form. -/
  outside : List Char → Nat → Option Nat
    | [], count => some count
    | '"' :: rest, count => inside rest count
    | ':' :: rest, count => outside rest (count + 1)
    | c :: rest, count =>
      if c.isDigit then
        let others := rest.dropWhile Char.isDigit
        let isZero := c == '0' && rest.head?.any Char.isDigit
        if isZero || others.head?.any ['e', 'E', '.'].contains then none else outside others count
      else if c.isAlpha || "{}[],".contains c then outside rest count else none
  inside : List Char → Nat → Option Nat
    | '"' :: rest, count => outside rest count
    | '\\' :: 'u' :: '0' :: '0' :: high :: low :: rest, count =>
      let digit (c : Char) := "0123456789abcdef".toList.idxOf c
      let isShort := [8, 9, 10, 12, 13].contains (digit high * 16 + digit low)
      if digit high < 2 && digit low < 16 && !isShort then inside rest count else none
    | '\\' :: c :: rest, count => if "\"\\bfnrt".contains c then inside rest count else none
    | c :: rest, count => if c.val < 0x20 then none else inside rest count
    | [], _ => none

def readLine (line : String) (isFirst : Bool) : Reader Unit := do
  if line.utf8ByteSize > mostLine then refuse "it is too large"
  let json ← match Json.parse line with
    | .ok json => pure json
    | .error _ => refuse "a line is not JSON"
  unless isShortest line json do refuse "a line is not in the shortest form of JSON"
  let .obj object := json | refuse "a line is not an object"
  let entries := object.toList
  if isFirst then
    let version := do (← (← json.getObjVal? "meta").getObjVal? "format").getObjVal? "version"
    let isFormat := match version with
      | .ok (.str found) => found == format
      | _ => false
    unless entries.length == 1 && isFormat do refuse s!"it is not in the export format {format}"
  else
    let tables ← get
    let node (index : String) (next : Nat) (read : String → Json → Reader Unit) : Option (Reader Unit) := do
      let at_ ← (json.getObjVal? index).toOption
      some do
        unless (← natural at_ "an index") == next do refuse "an index is out of order"
        match entries.filter (·.1 != index) with
        | [(kind, value)] => read kind value
        | _ => refuse "a line is of no known kind"
    match node "in" tables.names.size readName <|> node "il" tables.levels.size readLevel <|> node "ie" tables.expressions.size readExpression with
    | some read => read
    | none => match entries with
      | [(kind, value)] => readDeclared kind value
      | _ => refuse "a line is of no known kind"

/-- The declarations of a text. -/
def declarations (text : String) : Except Objection Tables := Id.run do
  if text.length > mostCharacters then return .error (.forbidden "it is too large")
  unless text.endsWith "\n" do return .error (.forbidden "its last line does not end")
  let lines := (text.splitOn "\n").dropLast.toArray
  if lines.size > mostNodes then return .error (.forbidden "it is too large")
  let read : Reader Unit := do
    for h : index in [0:lines.size] do readLine lines[index] (index == 0)
  match read.run {} with
  | .ok _ tables => return .ok tables
  | .error objection _ => return .error objection

end Checker.Data
