import Checker.Theorem

/-!
Elaborates statements and whole proofs, and gives what came of them as text for the judge. Nothing that is found here speaks for a proof: messages and
rules only ever speak against one, and make the better reasons.

The text compiled is `theorem NAME SIGNATURE`, what introduces the proof (`:= by`), and the proof as it is given. Only the first command is elaborated;
whatever follows it is counted, not run. Nothing is elaborated of a text that the rules (`Rules.lean`) or the parser refuse.
-/

open Lean Elab

namespace Checker

/-- Of messages that are told; errors come first. -/
def mostMessages := 20

structure Attempt where
  refused : String := ""
  commands : Nat := 0
  messages : Array Told := #[]
  tacticBlockOnly : Bool := false
  proof : String := ""
  /-- Up to where it could be parsed. -/
  parsed : Nat := 0

/-- Whether a declaration's value is `:= by tactics` and nothing else (no `where`, no `termination_by`). -/
def isTacticBlock (value : Syntax) : Bool :=
  command value == "declValSimple" && kindOf (part value 1) == "Lean.Parser.Term.byTactic"
    && (value.getArgs.toList.drop 2).all fun suffix => (rangeOf suffix).isNone

structure ProofRequest where
  proof : String
  introductions : List String
  /-- Whether the kernel is not asked, because the judge will be. -/
  isJudged : Bool
  heartbeats : Nat

def Context.attempt (context : Context) (header : Header) (theorem_ : Stated) (request : ProofRequest) (introduction : String) : IO Attempt := do
  let text := s!"{theorem_.text} {introduction}\n{request.proof}\n"
  let state := withOption header.state fun options =>
    let options := options.setNat `maxHeartbeats request.heartbeats
    if request.isJudged then options.setBool `debug.skipKernelTC true else options
  let parsed ← (source text).next state
  let placed (messages : Array Told) : Array Told := (messages.toSubarray 0 mostMessages).toArray.map fun m => { m with line := m.line - theorem_.lines }
  if let some why := context.rules.refusal parsed.tree then return { refused := why }
  if let some error := parsed.messages.find? Told.isError then -- nothing is elaborated that is not whole
    return { commands := 1, messages := placed parsed.messages, parsed := parsed.after.place error }
  let isBlock := match declaration? parsed.tree with
    | some declared => isTacticBlock declared.value
    | none => false
  let (after, messages) ← elaborate state parsed
  let (isEnd, _, others) ← parsed.after.rest after
  let all := parsed.messages ++ messages ++ others
  let proof ← Export.exported after.env.toKernelEnv context.isInLibrary theorem_.name
  return {
    commands := if isEnd then 1 else 2
    messages := placed (all.filter Told.isError ++ all.filter (!·.isError))
    tacticBlockOnly := isBlock, proof
    parsed := match others.find? Told.isError with
      | some error => parsed.after.place error
      | none => text.utf8ByteSize + 1 }

/--
What a proof is. It may be a block of tactics, a term, or cases: of the introductions, which can stand between statement and proof, the first counts with
which nothing speaks against it; failing that, the one with which Lean's parser gets farthest.
-/
def Context.proof (context : Context) (header : Header) (theorem_ : Stated) (request : ProofRequest) : IO Attempt := do
  let word := ((request.proof.splitOn "\n").flatMap (·.splitOn " ")).find? (!·.isEmpty)
  let mut best : Option (Attempt × Nat) := none
  for introduction in request.introductions do
    let attempt ← context.attempt header theorem_ request introduction
    if attempt.refused.isEmpty && !attempt.messages.any Told.isError && attempt.commands < 2 then return attempt
    -- `intro n⏎omegaa` is a term as well, but nobody means it.
    let isMeant := !attempt.messages.any fun m => m.text.startsWith s!"Unknown identifier `{word.getD ""}`"
    let parsed := if isMeant then attempt.parsed else 0
    match best with
    | some (_, farthest) => if parsed > farthest then best := some (attempt, parsed)
    | none => best := some (attempt, parsed)
  return (best.map (·.1)).getD { refused := "the proof is empty" }

end Checker
