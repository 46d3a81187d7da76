import Lean

/-!
What no text may say, judged on Lean's own syntax tree before any of it is elaborated: for every tactic, proof and statement, syntax that makes Lean
evaluate the author's code while it elaborates. The rules are data (`rules.json`); `embedded/rules.cjs` says how Lean gets to the author's code.
-/

open Lean

namespace Checker

structure Rules where
  syntaxes : List (String × String)
  families : List (String × String)
  compilerNames : List String
  compilerWhy : String
  attributes : List String
  attributesWhy : String
  options : List String
  optionFamilies : List String
  optionsWhy : String
  native : String
  configurationsWhy : String
  /-- Name of the option that holds all others. -/
  whole : String
  words : List (String × List String)
  lists : List (String × List String)
  kinds : List String
  kindFamilies : List String
  deriving Inhabited

namespace Rules

def read (text : String) : Except String Rules := do
  let json ← Json.parse text
  let entries (json : Json) : Except String (List (String × Json)) := do return (← json.getObj?).toList
  let texts (json : Json) : Except String (List (String × String)) := do (← entries json).mapM fun (key, value) => do pure (key, ← value.getStr?)
  let lists (json : Json) : Except String (List (String × List String)) := do (← entries json).mapM fun (key, value) => do pure (key, ← fromJson? value)
  let (attributes, options, configurations) := (← json.getObjVal? "attributes", ← json.getObjVal? "options", ← json.getObjVal? "configurations")
  let compiler ← json.getObjVal? "compiler"
  return {
    syntaxes := ← texts (← json.getObjVal? "syntax"), families := ← texts (← json.getObjVal? "syntax_families")
    compilerNames := ← compiler.getObjValAs? _ "names", compilerWhy := ← compiler.getObjValAs? _ "why"
    attributes := ← attributes.getObjValAs? _ "allowed", attributesWhy := ← attributes.getObjValAs? _ "why"
    options := ← options.getObjValAs? _ "allowed", optionFamilies := ← options.getObjValAs? _ "families", optionsWhy := ← options.getObjValAs? _ "why"
    native := ← configurations.getObjValAs? _ "native", configurationsWhy := ← configurations.getObjValAs? _ "why"
    whole := ← configurations.getObjValAs? _ "whole"
    words := ← lists (← configurations.getObjVal? "words"), lists := ← lists (← configurations.getObjVal? "lists")
    kinds := ← configurations.getObjValAs? _ "kinds", kindFamilies := ← configurations.getObjValAs? _ "kind_families" }

end Rules

-- ---- syntax trees

def plain (name : Name) : String := name.toString (escape := false)

/-- Kind of a node; empty for words and names. -/
def kindOf : Syntax → String
  | .node _ kind _ => plain kind
  | _ => ""

/-- `open` of `Lean.Parser.Command.open`; the whole kind of anything that is not a command. -/
def command (tree : Syntax) : String :=
  let kind := kindOf tree
  let ofCommands := "Lean.Parser.Command."
  if kind.startsWith ofCommands then (kind.drop ofCommands.length).toString else kind

def part (tree : Syntax) (index : Nat) : Syntax := tree.getArgs[index]?.getD .missing

/-- What `rule` finds first, from the root down. -/
partial def first? (tree : Syntax) (rule : Syntax → Option α) : Option α :=
  rule tree <|> tree.getArgs.findSome? (first? · rule)

def has (tree : Syntax) (rule : Syntax → Bool) : Bool := (first? tree fun node => if rule node then some () else none).isSome

def nameOf? : Syntax → Option Name
  | .ident _ _ name _ => some name
  | _ => none

def wordOf? : Syntax → Option String
  | .atom _ word => some word
  | _ => none

partial def identifiers (tree : Syntax) : Array Name :=
  match nameOf? tree with
  | some name => #[name]
  | none => tree.getArgs.flatMap identifiers

/-- Components of a name, outermost first. -/
def parts (name : Name) : List String := name.components.map plain

def lastPart (name : Name) : String := (parts name).getLastD ""

/-- The first word or name: `simp` of `simp ↓`, `implemented_by` of `implemented_by f`. -/
def keyword (tree : Syntax) : String := (first? tree fun node => wordOf? node <|> (nameOf? node).map plain).getD ""

/-- What is written in a tree, from left to right; a name with spaces is not a word. -/
partial def wordsOf : Syntax → List String
  | .atom _ word => [word]
  | .ident _ _ name _ => [String.ofList ((plain name).toList.map fun c => if c.isWhitespace then '?' else c)]
  | .node _ _ args => args.toList.flatMap wordsOf
  | .missing => []

/-- Whether a command is notation, of which Lean makes parsers and macros that are Lean's own code; but for what stands after a `$`. -/
partial def isNotation (tree : Syntax) : Bool :=
  match command tree with
  | "in" => isNotation (part tree 2)
  | "notation" | "mixfix" => !has tree fun node => ((kindOf node).splitOn "antiquot").length > 1 || ((kindOf node).splitOn "Antiquot").length > 1
  | _ => false

-- ---- what makes Lean run the author's code

def isNumber (text : String) : Bool :=
  match text.toList with
  | c :: rest => c.isDigit && rest.all fun c => c.isAlphanum || c == '_'
  | [] => false

def isDecimal (text : String) : Bool := !text.isEmpty && text.toList.all Char.isDigit

/-- Whether a value is a number, `true`, `false`, or one of Lean's own words for the option. -/
def Rules.isValue (rules : Rules) (option : String) (value : List String) : Bool :=
  match rules.words.lookup option, value with
  | none, [text] => isNumber text || text == "true" || text == "false"
  | some words, [".", word] => words.contains word
  | some _, "." :: word :: "[" :: rest => ((rules.lists.lookup option).getD []).contains word && isList rest
  | _, _ => false
where
  isList : List String → Bool
    | ["]"] => true
    | [number, "]"] => isDecimal number
    | number :: "," :: other :: rest => isDecimal number && isList (other :: rest)
    | _ => false

/-- `{ option := value, … }` and nothing else: neither `with`, `..` nor a type. Of `{}`, which the parser reads in two ways, both. -/
def Rules.isStructure (rules : Rules) (value : Syntax) : Bool :=
  match kindOf value, value.getArgs.toList with
  | "choice", parts => parts.all fun part => String.join (wordsOf part) == "{}"
  | "Lean.Parser.Term.structInst", _ :: sources :: fields :: rest =>
    let isField (field : Syntax) : Bool :=
      match wordsOf field with
      | option :: ":=" :: value => !(identifiers (part field 0)).isEmpty && rules.isValue option value
      | _ => false
    (wordsOf sources).isEmpty && String.join (rest.flatMap wordsOf) == "}" && ((part fields 0).getArgs.filter (kindOf · != "")).all isField
  | _, _ => false

def Rules.isWrittenOut (rules : Rules) (option : String) (value : Syntax) : Bool :=
  let isOther (node : Syntax) := !rules.kinds.contains (kindOf node) && !rules.kindFamilies.any fun family => (kindOf node).startsWith family
  if has value isOther then false
  else if option == rules.whole then rules.isStructure value
  else rules.isValue option (wordsOf value)

/-- Items are `+name`, `-name` and `(name := value)`. -/
def Rules.configurationRefusal (rules : Rules) (item : Syntax) : Option String :=
  let option := item.getArgs.findSome? nameOf?
  let isOff := (kindOf item).endsWith ".negConfigItem"
  if !isOff && item.getArgs.any fun part => (identifiers part).any (lastPart · == "native") then some rules.native
  else match item.getArgs[3]?, option with
    | none, _ => none
    | some value, some option => if rules.isWrittenOut (plain option) value then none else some rules.configurationsWhy
    | some _, none => some rules.configurationsWhy

def told (why name : String) : String := why.replace "{name}" name

def Rules.isOption (rules : Rules) (name : Name) : Bool :=
  rules.options.contains (plain name) || rules.optionFamilies.contains ((parts name).headD "")

/-- Why a tree must not be elaborated. A text that breaks off may leave out any part: that is the parser's error, not ours. -/
def Rules.refusal (rules : Rules) (tree : Syntax) : Option String := first? tree fun node =>
  let kind := kindOf node
  match rules.syntaxes.lookup kind, rules.families.find? fun (start, _) => kind.startsWith start, nameOf? node with
  | some why, _, _ => some why
  | none, some (_, why), _ => some why
  | none, none, some name => if rules.compilerNames.contains (lastPart name) then some (told rules.compilerWhy (plain name)) else none
  | none, none, none =>
    if kind.endsWith "ConfigItem" then rules.configurationRefusal node
    else if wordOf? (part node 0) == some "set_option" then do
      let name ← nameOf? (part node 1)
      if rules.isOption name then none else some (told rules.optionsWhy (plain name))
    else if kind == "Lean.Parser.Term.attrInstance" then do
      let found ← node.getArgs[1]?
      if rules.attributes.contains (keyword found) then none else some (told rules.attributesWhy (keyword found))
    else none

end Checker
