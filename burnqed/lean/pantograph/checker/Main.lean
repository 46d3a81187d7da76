import Checker.Judge
import Checker.Checks
import Checker.Cut

/-!
The checker of whole proofs, spoken to in lines: one request, one answer, both JSON.

    checker judge RULES [--complete] Mathlib …

*Authors* and *readers* elaborate, and only what they are sent makes the difference: a reader sees nothing but headers and statements that somebody
vouches for. A *judge* judges and does nothing else. Where the library is, `LEAN_SYSROOT` and `LEAN_PATH` say, as `lake env` sets them.

The library may mention names that it does not contain, where its files were loaded without what is private in them: a judge looks for them when it starts,
unless `--complete` says that there are none.
-/

open Lean

namespace Checker

structure State where
  judge : Judge.Library
  context : Context

def load (modules : Array Name) (rules : String) (isComplete : Bool) : IO State := do
  let imports := modules.map fun module => { module, importAll := true : Import }
  let library ← importModules imports {} (trustLevel := 1024) (loadExts := true) (level := .private)
  let kernel := library.toKernelEnv
  let missing := if isComplete then {} else Judge.missing kernel
  let rules ← IO.ofExcept (Rules.read rules)
  return { judge := { environment := kernel, missing, uses := ← IO.mkRef {} }, context := { library, kernel, rules } }

-- ---- requests

abbrev Handler := State → Json → ExceptT String IO (List (String × Json))

def field (α : Type) [FromJson α] (request : Json) (key : String) : ExceptT String IO α := ExceptT.mk (pure (request.getObjValAs? α key))
def strings (texts : Array String) : Json := .arr (texts.map Json.str)
def sorted (names : List Name) : Json := strings ((names.map toString).toArray.qsort (· < ·))

def judged : Handler := fun state request => do
  let isExported := (request.getObjValAs? Bool "isExported").toOption.getD false
  let found ← (Judge.judge state.judge (← field String request "statement") (← field String request "proof") isExported : IO _)
  let written := match found.export? with
    | some (text, axioms) => [("export", Json.str text), ("permitted", sorted axioms)]
    | none => []
  return [("objection", Json.str found.objection), ("could_not_check", found.couldNotCheck), ("axioms", sorted found.axioms), ("library", found.library)] ++ written

structure Read where
  header : Header
  theorem? : Option Stated := none
  errors : Array String := #[]

def Read.facts (read : Read) : List (String × Json) :=
  [("header_errors", strings read.header.errors), ("statement_errors", strings read.errors), ("refused", .str read.header.refused)]

/-- The theorem of a statement, parsed in its header. -/
def read (state : State) (request : Json) : ExceptT String IO Read := do
  let header ← (state.context.header (← field String request "header") : IO _)
  if !header.errors.isEmpty || !header.refused.isEmpty then return { header }
  match ← (state.context.stated header.state (← field String request "statement") : IO _) with
  | .ok theorem_ => return { header, theorem? := some theorem_ }
  | .error errors => return { header, errors }

/-- What a statement is, on its own. -/
def stated : Handler := fun state request => do
  let found ← read state request
  match found.theorem? with
  | none => return found.facts ++ [("statement", Json.str "")]
  | some theorem_ =>
    let (errors, text) ← (state.context.propositionOf found.header.state theorem_ : IO _)
    return { found with errors }.facts ++ [("statement", Json.str text)]

def severityName : MessageSeverity → String
  | .information => "info"
  | .warning => "warning"
  | .error => "error"

def Told.json (told : Told) : Json :=
  .mkObj [("severity", .str (severityName told.severity)), ("line", told.line), ("column", told.column), ("text", .str told.text)]

/-- What a proof is. -/
def proved : Handler := fun state request => do
  let found ← read state request
  let request : ProofRequest := {
    proof := ← field String request "proof", introductions := ← field (List String) request "introductions"
    isJudged := (request.getObjValAs? Bool "isJudged").toOption.getD false, heartbeats := (request.getObjValAs? Nat "heartbeats").toOption.getD 0 }
  let attempt ← match found.theorem? with
    | some theorem_ => state.context.proof found.header theorem_ request
    | none => pure {}
  let found := if attempt.refused.isEmpty then found else { found with header := { found.header with refused := attempt.refused } }
  return found.facts ++ [("commands", toJson attempt.commands), ("messages", Json.arr (attempt.messages.map Told.json)), ("tactic_block_only", attempt.tacticBlockOnly), ("proof", attempt.proof)]

/-- The commands of a file. -/
def cut : Handler := fun state request => do Cut.file state.context (← field String request "text")

/-- A judge judges and does nothing else. -/
def handlers (isJudge : Bool) : List (String × Handler) :=
  if isJudge then [("judge", judged)] else [("statement", stated), ("proof", proved), ("cut", cut)]

def failed (message : String) : List (String × Json) := [("error", .mkObj [("kind", "error"), ("message", .str message)])]

/-- The line that answers another one. -/
def answer (state : State) (isJudge : Bool) (line : String) : IO String := do
  let start ← IO.monoNanosNow
  let work : ExceptT String IO (List (String × Json)) := do
    let request ← ExceptT.mk (pure (Json.parse line))
    match (handlers isJudge).lookup (← field String request "kind") with
    | some handler => handler state request
    | none => throw "there is no such request"
  let found ← match ← work.run.toBaseIO with
    | .ok (.ok found) => pure found
    | .ok (.error message) => pure (failed message)
    | .error error => pure (failed (toString error))
  let micros := ((← IO.monoNanosNow) - start) / 1000
  return (Json.mkObj (found ++ [("seconds", .num { mantissa := micros, exponent := 6 })])).compress

partial def serve (state : State) (isJudge : Bool) (input output : IO.FS.Stream) : IO Unit := do
  let line ← input.getLine
  unless line.isEmpty do
    output.putStrLn (← answer state isJudge line)
    output.flush
    serve state isJudge input output

end Checker

unsafe def main (arguments : List String) : IO Unit := do
  let role :: rules :: rest := arguments | throw <| .userError "give a role, the rules and modules"
  enableInitializersExecution
  initSearchPath (← findSysroot)
  let (flags, modules) := rest.partition (·.startsWith "--")
  let state ← Checker.load (modules.toArray.map String.toName) (← IO.FS.readFile rules) (role != "judge" || flags.contains "--complete")
  let output ← IO.getStdout
  output.putStrLn "{\"ready\":true}"
  output.flush
  Checker.serve state (role == "judge") (← IO.getStdin) output
