import Checker.Rules
import Checker.Export

/-! Parsing and elaborating commands: headers, and single commands on top of a header. -/

open Lean Elab

namespace Checker

structure Context where
  library : Environment
  kernel : Kernel.Environment
  rules : Rules

def Context.isInLibrary (context : Context) (name : Name) : Bool := (context.kernel.find? name).isSome

structure Told where
  severity : MessageSeverity
  line : Nat
  column : Nat
  /-- Line and column. -/
  stop : Option (Nat × Nat)
  text : String

def Told.isError (told : Told) : Bool := told.severity matches .error

def mostOfMessage := 4000

def messagesOf (log : MessageLog) : IO (Array Told) := do
  log.toList.toArray.mapM fun message => do
    let text ← message.data.toString
    pure { severity := message.severity, line := message.pos.line, column := message.pos.column,
           stop := message.endPos.map fun p => (p.line, p.column), text := (text.take mostOfMessage).toString }

/-- A text that is parsed command by command. Positions are bytes. -/
structure Source where
  text : String
  bytes : ByteArray
  input : Parser.InputContext
  parser : Parser.ModuleParserState := {}
  /-- Bytes before what was put after the author's text. -/
  author : Nat

def source (text : String) (ending : String := "") : Source :=
  let whole := text ++ ending
  { text := whole, bytes := whole.toUTF8, input := Parser.mkInputContext whole "<input>", author := text.utf8ByteSize }

structure Parsed where
  tree : Syntax
  messages : Array Told
  after : Source

def scopeOf (state : Command.State) : Command.Scope := state.scopes.headD { header := "" }

/-- The next command in the environment and scope of a state. -/
def Source.next (source : Source) (state : Command.State) : IO Parsed := do
  let scope := scopeOf state
  let context : Parser.ParserModuleContext :=
    { env := state.env, options := scope.opts, currNamespace := scope.currNamespace, openDecls := scope.openDecls }
  let (tree, parser, messages) := Parser.parseCommand source.input context source.parser {}
  return { tree, messages := ← messagesOf messages, after := { source with parser } }

/-- Where the parser is: after the space and comments that follow the last command. -/
def Source.position (source : Source) : Nat := source.parser.pos.byteIdx

def Source.slice (source : Source) (start : Nat) (stop : Nat) : String := String.fromUTF8! (source.bytes.extract start stop)

/-- Bytes [start, stop) of a tree; none when it is empty, or made by a macro. -/
def rangeOf (tree : Syntax) : Option (Nat × Nat) := do
  return ((← tree.getPos?).byteIdx, (← tree.getTailPos?).byteIdx)

def Source.textOf (source : Source) (tree : Syntax) : String :=
  match rangeOf tree with
  | some (start, stop) => source.slice start stop
  | none => ""

/-- Line (from 1) of a position. -/
def Source.lineOf (source : Source) (position : Nat) : Nat :=
  1 + (source.bytes.extract 0 position).foldl (init := 0) fun count byte => if byte == 10 then count + 1 else count

/-- The position of a line and column. -/
def Source.positionOf (source : Source) (line column : Nat) : Nat :=
  let lines := source.text.splitOn "\n"
  let before := (lines.take (line - 1)).foldl (init := 0) fun count line => count + line.utf8ByteSize + 1
  before + (((lines.drop (line - 1)).headD "").take column).toString.utf8ByteSize

/-- The position of a message. -/
def Source.place (source : Source) (told : Told) : Nat := source.positionOf told.line told.column

/-- Whether what a message calls unexpected is not the author's. -/
def Source.isAtEnd (source : Source) (told : Told) : Bool :=
  match told.stop with
  | some (line, column) => source.positionOf line column > source.author
  | none => source.place told ≥ source.author

def isTerminal (tree : Syntax) : Bool := Parser.isTerminalCommand tree

/-- What is left: whether it is nothing but space and comments, whether there is another command, and messages about it. -/
def Source.rest (source : Source) (state : Command.State) : IO (Bool × Bool × Array Told) := do
  let parsed ← source.next state
  let hasCommand := parsed.tree.getKind != `Lean.Parser.Command.eoi
  return (!hasCommand && parsed.messages.isEmpty, hasCommand, parsed.messages)

/--
A state without info trees, which are for editors and linters; and in which definitions need not compile (`noncomputable section`), because
no code of an author's is wanted.
-/
def Context.initial (context : Context) (environment : Environment := context.library) : Command.State :=
  let state := Command.mkState environment
  { state with
    infoState := { state.infoState with enabled := false }
    scopes := state.scopes.map fun scope => { scope with isNoncomputable := true } }

/-- Elaborates a parsed command. -/
def elaborate (state : Command.State) (parsed : Parsed) : IO (Command.State × Array Told) := do
  let quiet := { state with messages := {} }
  let frontend : Frontend.State := { commandState := quiet, parserState := parsed.after.parser, cmdPos := {} }
  let (_, after) ← ((Frontend.elabCommandAtFrontend parsed.tree).run { inputCtx := parsed.after.input }).run frontend
  let state := after.commandState
  return ({ state with messages := {} }, ← messagesOf state.messages)

/-- Elaborates a text of one command. -/
def elaborateText (state : Command.State) (text : String) : IO (Command.State × Array Told) := do
  let parsed ← (source text).next state
  let (after, messages) ← elaborate state parsed
  return (after, parsed.messages ++ messages)

/-- Lean's first error about a command, tried where a state is; empty when there is none. -/
def failure (state : Command.State) (text : String) : IO String := do
  let (_, messages) ← elaborateText state text
  return ((messages.find? Told.isError).map Told.text).getD ""

def withOption (state : Command.State) (set : Options → Options) : Command.State :=
  match state.scopes with
  | scope :: others => { state with scopes := { scope with opts := set scope.opts } :: others }
  | [] => state

def find? (state : Command.State) (name : Name) : Option ConstantInfo := state.env.toKernelEnv.find? name

/-- A header elaborated, and what was found on the way. -/
structure Header where
  text : String
  state : Command.State
  errors : Array String := #[]
  refused : String := ""

/-- The header of somebody who vouches for it. -/
partial def Context.header (context : Context) (text : String) : IO Header := do
  let rec go (header : Header) (source : Source) : IO Header := do
    let parsed ← source.next header.state
    let (state, messages) ← elaborate header.state parsed
    let failed := (parsed.messages ++ messages).filter Told.isError
    let header := { header with state, errors := header.errors ++ failed.map fun m => s!"line {m.line}: {m.text}" }
    if isTerminal parsed.tree then return header else go header parsed.after
  go { text, state := context.initial } (source text)

end Checker
