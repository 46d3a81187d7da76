import Checker.Frontend

/-!
From a statement as users write it to the text that is elaborated, and to the proposition it stands for.

A statement is a closed proposition (`∀ a b : Nat, …`) or a full theorem (`theorem foo (a b : Nat) : … := by …`, also `lemma`, `example`, with
modifiers, or after `open … in`), whose proof is ignored. Lean's own parser finds the parts. The proposition is what the statement elaborates to on its
own, before anybody's proof is looked at.
-/

open Lean Elab

namespace Checker

/-- Stands for the proof. -/
def placeholder := " := by\nsorry"
/-- Of the bracket around a closed proposition. -/
def closing := "\n)"
/-- Of closed propositions, and of theorems whose name exists already. -/
def ownName := "burnqed_goal"

structure Declaration where
  whole : Syntax
  kind : String
  id : Option Syntax
  signature : Syntax
  value : Syntax

/-- The innermost declaration of `… in … in theorem …`; none when the command is something else. -/
partial def declaration? (tree : Syntax) : Option Declaration :=
  match command tree with
  | "in" => declaration? (part tree 2)
  | "declaration" =>
    let inner := part tree 1
    let hasName := command (part inner 1) == "declId"
    some {
      whole := tree, kind := lastPart inner.getKind, id := if hasName then some (part inner 1) else none
      signature := part inner (if hasName then 2 else 1), value := part inner (if hasName then 3 else 2) }
  | _ => none

/-- A declaration's name as it is written. -/
def Declaration.name? (declared : Declaration) : Option Name := declared.id.bind fun id => nameOf? (part id 0)

partial def unused (state : Command.State) (name : Name) : Name :=
  if state.env.contains name then go 0 else name
where
  go (count : Nat) : Name :=
    let other := Name.str name.getPrefix (if count == 0 then ownName else s!"{ownName}{count}")
    if state.env.contains other then go (count + 1) else other

/-- A theorem of a header, parsed. -/
structure Stated where
  /-- Up to what introduces the proof. -/
  text : String
  name : Name
  /-- Lines that its text has. -/
  lines : Nat
  /-- A message about it, with its line in what the author wrote if there are several. -/
  told : Told → String

structure Shape where
  before : String
  /-- As written. -/
  written : String
  name : Name
  /-- Text from the name to `:=` or `closing`. -/
  signature : String
  isClosed : Bool

def countLines (text : String) : Nat := (text.splitOn "\n").length

def trimmed (text : String) : String := text.trimAscii.toString

/-- Tells a message about a statement, with its line there if there are several. -/
def teller (statement : String) : Told → String := fun told =>
  let skipped := countLines statement - countLines statement.trimAsciiStart.toString
  let last := countLines statement.trimAsciiEnd.toString
  if last > skipped + 1 then s!"line {min (told.line + skipped) last}: {told.text}" else told.text

/-- A text with `theorem` for the `lemma` that stands where Lean expects a command, if that gives a theorem with a name. -/
def withTheorem (state : Command.State) (text : String) : IO String := do
  /- where a text is not a declaration -/
  let failure (text : String) : IO (Option Nat) := do
    let parsed ← (source text).next state
    if (declaration? parsed.tree).isSome then return none
    return (parsed.messages.find? Told.isError).map parsed.after.place
  let some stop ← failure text | return text -- Lean says where the token before ends; of the rest alone, where the word begins
  let whole := source text
  let size := whole.bytes.size
  let word := stop + ((← failure (whole.slice stop size)).getD 0)
  let rest := whole.slice (min word size) size
  unless rest.startsWith "lemma" && ((rest.drop 5).toString.toList.head?.any Char.isWhitespace) do return text
  let renamed := whole.slice 0 word ++ "theorem" ++ (rest.drop 5).toString
  let parsed ← (source renamed).next state
  return if ((declaration? parsed.tree).bind Declaration.name?).isSome then renamed else text

def shapeOf (state : Command.State) (statement : String) : IO (Except String Shape) := do
  let told := teller statement
  let text ← withTheorem state (trimmed statement)
  let parsed ← (source text).next state
  let within := (scopeOf state).currNamespace
  let some declared := declaration? parsed.tree
    | let name := unused state (.str within ownName)
      return .ok { before := "", written := lastPart name, name, signature := s!" : ( {text}", isClosed := true }
  let (_, hasCommand, _) ← parsed.after.rest state
  if hasCommand then return .error "the statement is followed by another command"
  unless declared.kind == "theorem" || declared.kind == "example" do return .error s!"the statement is a {declared.kind}, not a theorem"
  let some range := rangeOf declared.signature
    | return .error ((parsed.messages[0]?.map told).getD "the theorem has no statement")
  if declared.kind == "theorem" && declared.name?.isNone then return .error "the theorem has no name"
  let hasProof := (rangeOf declared.value).isSome
  if let some error := parsed.messages.find? Told.isError then
    if !hasProof && !parsed.after.isAtEnd error then return .error (told error)
  let slice := parsed.after.slice
  let start := ((rangeOf declared.whole).map (·.1)).getD 0
  let lines := String.ofList ((slice start range.1).toList.filter (· == '\n')) -- so that messages keep their lines
  let before := slice 0 start
  let signature := (if lines.isEmpty then " " else lines) ++ slice range.1 range.2
  let some written := declared.name?
    | let name := unused state (.str within ownName)
      return .ok { before, written := lastPart name, name, signature, isClosed := false }
  -- The name's prefix is a namespace inside statement and proof, so it stays; the last part only changes when it is taken.
  let isRoot := (parts written).head? == some "_root_"
  let full := if isRoot then written.replacePrefix `_root_ .anonymous else within ++ written
  let name := unused state full
  let universes := match declared.id.bind fun id => rangeOf (part id 1) with
    | some (first, last) => slice first last
    | none => ""
  let id := match declared.id.bind fun id => rangeOf (part id 0) with
    | some (first, last) => slice first last
    | none => plain written
  let own := if name == full then id else plain (.str written.getPrefix (lastPart name))
  return .ok { before, written := own ++ universes, name, signature, isClosed := false }

/-- Whether a signature is `: (…)`, one bracket around everything: of `: (True) → (1 = 1)`, our brackets are not a pair. -/
def isBracketed (signature : Syntax) : Bool := kindOf (part (part signature 1) 1) == "Lean.Parser.Term.paren" || kindOf (part (part (part signature 1) 0) 1) == "Lean.Parser.Term.paren"

/-- The theorem that a statement is in a header; only parsed. -/
def Context.stated (context : Context) (state : Command.State) (statement : String) : IO (Except (Array String) Stated) := do
  let shape ← match ← shapeOf state statement with
    | .ok shape => pure shape
    | .error why => return .error #[why]
  let author := s!"{shape.before}theorem {shape.written}{shape.signature}"
  let ending := if shape.isClosed then closing else ""
  let parsed ← (source author (ending ++ placeholder)).next state
  let (isEnd, _, others) ← parsed.after.rest state
  let declared := declaration? parsed.tree
  let stop := declared.bind fun declared => (rangeOf declared.signature).map (·.2)
  let isWhole := stop == some (author ++ ending).utf8ByteSize && isEnd
  let told := teller statement
  let errors := ((parsed.messages ++ others).filter Told.isError).map told
  let errors := match context.rules.refusal parsed.tree with
    | some why => #[why] ++ errors
    | none => errors
  let isOne := isWhole && (!shape.isClosed || (declared.map fun declared => isBracketed declared.signature).getD false)
  let errors := if errors.isEmpty && !isOne then #["the statement is not one proposition or one theorem"] else errors
  if !errors.isEmpty then return .error errors
  return .ok { text := author ++ ending, name := shape.name, lines := countLines (author ++ ending), told }

/-- What a theorem states, on its own: the errors, and its text for the judge, empty when there are errors. -/
def Context.propositionOf (context : Context) (state : Command.State) (theorem_ : Stated) : IO (Array String × String) := do
  let (after, messages) ← elaborateText state (theorem_.text ++ placeholder)
  let errors := (messages.filter Told.isError).map theorem_.told
  let isTheorem := (find? after theorem_.name) matches some (.thmInfo _)
  let errors := if errors.isEmpty && !isTheorem then #["the statement is not a proposition"] else errors
  if !errors.isEmpty then return (errors, "")
  return (#[], ← Export.exported after.env.toKernelEnv context.isInLibrary theorem_.name (isStatement := true))

end Checker
