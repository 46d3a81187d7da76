import Checker.Theorem

/-!
Cuts a Lean file that somebody vouches for into its commands, by Lean's own parser: only Lean knows where a comment, a text or a command ends.

Commands are elaborated in order, because notations, namespaces and `open` decide how the text after them is read. Of a theorem only the statement is,
and so its name exists; its proof is read and no more. Whether any of it elaborates does not matter here: each theorem is checked with what precedes it.

`lemma` is Mathlib's. In a file where that word precedes a name it is a keyword, as there; elsewhere it is a name.
-/

open Lean Elab

namespace Checker.Cut

def lemmaKind := "burnqed_lemma"
def lemmaSyntax := s!"syntax (name := {lemmaKind}) (priority := high) declModifiers \"lemma \" declId declSig declVal : command"
def exampleName := "burnqed_example"
def theorems := ["theorem", "example", lemmaKind]
/-- Of `… in theorem`, these end with the theorem. -/
def ending := ["open", "set_option", "variable", "universe", "omit", "include"]
/-- No more than comments. -/
def silent := ["moduleDoc", "eoi"]
def opening := ["openSimple", "openHiding", "openScoped", "openOnly", "openRenaming", "export"]

structure Failure where
  line : Nat
  text : String

def Failure.json : Option Failure → Json
  | some failure => .mkObj [("line", failure.line), ("text", .str failure.text)]
  | none => .null

structure Theorem where
  name : String
  written : Name
  line : Nat
  start : Nat
  keyword : Nat
  value : Option Nat
  stop : Nat
  isLemma : Bool
  isExample : Bool
  hasType : Bool

def partsJson (name : Name) : Json := .arr (name.components.map fun
  | .num _ number => (number : Json)
  | part => .str (plain part)).toArray

def Theorem.json (found : Theorem) : Json := .mkObj [
  ("name", .str found.name), ("written", partsJson found.written), ("line", found.line), ("start", found.start), ("keyword", found.keyword),
  ("value", (found.value.map fun (n : Nat) => (n : Json)).getD .null), ("end", found.stop), ("is_lemma", found.isLemma), ("is_example", found.isExample)]

structure Piece where
  start : Nat
  stop : Nat
  line : Nat
  skipped : Option Failure
  failure : Option Failure
  theorems : Array Theorem
  names : List String
  opened : List String
  isBlock : Bool
  doesMore : Bool

def Piece.json (piece : Piece) : Json := .mkObj [
  ("start", piece.start), ("end", piece.stop), ("line", piece.line), ("skipped", Failure.json piece.skipped), ("failure", Failure.json piece.failure), ("refused", ""),
  ("theorems", .arr (piece.theorems.map Theorem.json)), ("names", toJson piece.names), ("opened", toJson piece.opened), ("is_block", piece.isBlock), ("does_more", piece.doesMore)]

-- ---- what a command consists of

/-- Declarations in the tree of a command that are commands themselves: tree, kind, and whether nothing but `… in` is before it. -/
partial def declarations (tree : Syntax) (isPlain : Bool := true) : Array (Syntax × String × Bool) :=
  let kind := kindOf tree
  if kind == lemmaKind then #[(tree, lemmaKind, isPlain)]
  else if command tree == "declaration" then #[(tree, command (part tree 1), isPlain)]
  else if kind.startsWith "Lean.Parser." && (kind.endsWith "quot" || kind.endsWith "Quot") then #[]
  else
    let isIn := command tree == "in"
    (tree.getArgs.zipIdx.map fun (part, index) => declarations part (isPlain && isIn && index == 2)).flatten

/-- The parts of the names in a tree but for the names of theorems in it; and of those whose namespaces it opens. -/
partial def collect (tree : Syntax) (isOpening : Bool := false) : Array String × Array String :=
  let own := match nameOf? tree with
    | some name => (parts name).toArray
    | none => #[]
  tree.getArgs.foldl (init := (own, if isOpening then own else #[])) fun (names, opened) inner =>
    if command inner == "declId" then (names, opened) else
      let (more, others) := collect inner (isOpening || opening.contains (command inner))
      (names ++ more, opened ++ others)

/-- Whether later theorems may need a command with theorems without naming one: for an attribute, or for what it declares besides. -/
partial def doesMore (tree : Syntax) (isPlain : Bool) (found : Array (Syntax × String × Bool)) : Bool :=
  if has tree fun node => kindOf node == "Lean.Parser.Term.attrInstance" || command node == "eraseAttr" then true
  else if !isPlain then command tree != "mutual" || found.any fun (_, kind, _) => !theorems.contains kind
  else ofPrefixes tree
where
  ofPrefixes (tree : Syntax) : Bool :=
    command tree == "in" && (!ending.contains (command (part tree 0)) || ofPrefixes (part tree 2))

/-- Whether `lemma` precedes a name somewhere. -/
def hasLemma (text : String) : Bool :=
  let pieces := text.splitOn "lemma"
  (pieces.zip (pieces.drop 1)).any fun (before, after) =>
    let isLetter (c : Char) := c.isAlpha || c == '_' || c.val > 127
    let next := after.toList.dropWhile Char.isWhitespace
    let isBegin := !before.toList.getLast?.any fun c => isLetter c || c == '.'
    let isName := after.toList.head?.any Char.isWhitespace && next.head?.any isLetter
    let isOther := match next with
      | '«' :: _ | '-' :: '-' :: _ | '/' :: '-' :: _ => true
      | _ => false
    isBegin && (isName || isOther)

/-- Text of a command without the proofs of its theorems, and with `theorem` for `lemma`. -/
def withoutProofs (source : Source) (start stop : Nat) (theorems : Array Theorem) : String := Id.run do
  let mut (text, position) := ("", start)
  for found in theorems do
    let word := if found.isLemma then "lemma".length else 0
    text := text ++ source.slice position found.keyword ++ (if found.isLemma then "theorem" else "")
      ++ source.slice (found.keyword + word) (found.value.getD found.stop) ++ placeholder ++ "\n"
    position := found.stop
  return text ++ source.slice position stop

-- ---- a file

def failureOf (told : Option Told) : Option Failure := told.map fun told => { line := told.line, text := told.text }

/-- A declaration, which begins at `start`, or where its own syntax does. -/
def theoremOf (source : Source) (state : Command.State) (tree : Syntax) (kind : String) (start : Option Nat) : Theorem :=
  let (isLemma, isExample) := (kind == lemmaKind, kind == "example")
  let found := if isLemma then tree.getArgs.toList.drop 1 else (part tree 1).getArgs.toList
  let (first, stop) := (rangeOf tree).getD (0, 0)
  let keyword := ((found.head?.bind rangeOf).map (·.1)).getD first
  let rest := found.drop 1
  let (id, rest) := if isExample then (none, rest) else (rest.head?, rest.drop 1)
  let signature := rest.head?
  let value := (rest.drop 1).head?
  let called := (id.bind fun id => nameOf? (part id 0)).getD .anonymous
  let isRoot := (parts called).head? == some "_root_"
  let written := if isRoot then called.replacePrefix `_root_ .anonymous else called
  let full := if isRoot then written else (scopeOf state).currNamespace ++ written
  let line := source.lineOf keyword
  let name := if written.isAnonymous then s!"{if isExample then "example" else "theorem"} (line {line})" else full.toString
  let hasType := (signature.bind fun signature => rangeOf (part signature 1)).isSome -- after the parameters
  { name, written, line, start := start.getD first, keyword, value := (value.bind rangeOf).map (·.1), stop, isLemma, isExample, hasType }

/-- Kinds of commands and declarations that can change what is written: an example that reads as a proposition may then be none. -/
def misleading := ["notation", "mixfix", "syntax", "macro", "macro_rules", "elab", "elab_rules", "deriving", "instance", "classTk", "classInductive", "classAbbrev", "opaque"]
def misleadingAttributes := ["instance", "default_instance", "class", "coe"]

def mayMislead (tree : Syntax) : Bool := has tree fun node =>
  misleading.contains (command node) || (kindOf node == "Lean.Parser.Term.attrInstance" && misleadingAttributes.contains (keyword (part node 1)))

/-- Whether a name in a tree means something else than it would in the library alone. -/
def hides (context : Context) (state : Command.State) (tree : Syntax) : Bool :=
  let scope := scopeOf state
  (identifiers tree).any fun name =>
    let own := (ResolveName.resolveGlobalName state.env {} scope.currNamespace scope.openDecls name).any fun (found, _) => !context.isInLibrary found
    own && !(ResolveName.resolveGlobalName context.library {} .anonymous scope.openDecls name).isEmpty

/-- Whether an example states nothing: its type is not a proposition, nor does it read as one because of what was declared before. -/
def isData (context : Context) (source : Source) (state : Command.State) (tree : Syntax) (isMisled : Bool) (found : Theorem) : IO Bool := do
  if !found.isExample || !found.hasType then return found.isExample
  if isMisled || hides context state tree then return false
  let named := s!"{source.slice found.start found.keyword}theorem {exampleName}"
  let text := s!"{named}{source.slice (found.keyword + "example".length) (found.value.getD found.stop)}{placeholder}"
  let (_, messages) ← elaborateText state text
  return match (messages.filter Told.isError).toList with
    | [error] => -- not a message of the author's
      (Checker.source text).place error < named.utf8ByteSize && error.text.startsWith "type of theorem" && (error.text.splitOn s!"{exampleName}` is not a proposition").length > 1
    | _ => false

structure Files where
  state : Command.State
  pieces : Array Piece := #[]
  isMisled : Bool := false

def oneCommand (context : Context) (files : Files) (parsed : Parsed) (start : Nat) (skipped failure : Option Failure) : IO Files := do
  let source := parsed.after
  let found := declarations parsed.tree
  let stop := ((rangeOf parsed.tree).map (·.2)).getD start
  let isPlain := match found with
    | #[(_, _, isPlain)] => isPlain
    | _ => false
  let those := (found.filter fun (_, kind, _) => theorems.contains kind).map fun (tree, kind, _) =>
    theoremOf source files.state tree kind (if isPlain then some start else none)
  let isBlock := !those.isEmpty && !isPlain
  let isNone ← match those.toList with
    | [one] => if isPlain && failure.isNone then isData context source files.state parsed.tree files.isMisled one else pure false
    | _ => pure false
  let those := if isNone then #[] else those
  let (names, opened) := collect parsed.tree
  let piece : Piece := {
    start, stop, line := source.lineOf start, skipped, failure, theorems := those, names := names.toList.eraseDups, opened := opened.toList.eraseDups, isBlock
    doesMore := !those.isEmpty && doesMore parsed.tree isPlain found }
  let isElaborated := failure.isNone && (rangeOf parsed.tree).isSome
  let state ← if !isElaborated then pure files.state
    else if those.isEmpty then do pure (← elaborate files.state parsed).1
    else if isBlock || !(those.all (·.isExample)) then do pure (← elaborateText files.state (withoutProofs source start stop those)).1
    else pure files.state
  let isMisled := files.isMisled || (isElaborated && those.isEmpty && mayMislead parsed.tree)
  return { state, pieces := files.pieces.push piece, isMisled }

/-- The answer to `cut`: `burnqed.lean.commands.Commands`. -/
def file (context : Context) (text : String) : IO (List (String × Json)) := do
  let state ← if hasLemma text then do pure (← elaborateText context.initial lemmaSyntax).1 else pure context.initial
  let whole := source text
  let (header, parser, log) ← Parser.parseHeader whole.input
  let imports := ((part header.raw 2).getArgs.flatMap Syntax.getArgs).filterMap nameOf?
  let messages ← messagesOf log
  let broken := failureOf (if parser.recovering then messages.find? Told.isError else none)
  let begin_ := parser.pos.byteIdx
  let mut source := { whole with parser }
  let mut files : Files := { state }
  let mut unread := false
  repeat
    let expected := source.position
    let parsed ← source.next files.state
    source := parsed.after
    let kind := command parsed.tree
    let isEnd := kind == "eoi"
    let start := if isEnd then source.bytes.size else ((rangeOf parsed.tree).map (·.1)).getD expected
    let errors := parsed.messages.filter Told.isError
    let outside := match errors.find? fun told => source.place told < start with
      | some told => some (told.line, told.text)
      | none => if expected < start then some (1, "this is no command") else none
    let before := files.pieces.back?
    let wasBroken := (before.map fun piece => piece.failure.isSome).getD false
    if let some piece := before then
      if wasBroken && !piece.theorems.isEmpty then -- what Lean skips belongs to what it gave up
        files := { files with pieces := files.pieces.pop.push { piece with stop := start } }
    let skipped := if wasBroken then none else outside.map fun (line, text) => { line := max line (source.lineOf expected), text : Failure }
    let failure := failureOf (errors.find? fun told => source.place told ≥ start)
    if !silent.contains kind || skipped.isSome || !errors.isEmpty then
      files ← oneCommand context files parsed start skipped failure
    if isTerminal parsed.tree || isEnd then
      unread := !isEnd && source.position < source.bytes.size
      break
  return [
    ("start", toJson begin_), ("imports", .arr (imports.map partsJson)), ("failure", Failure.json broken), ("commands", .arr (files.pieces.map Piece.json)), ("unread", toJson unread)]

end Checker.Cut
