-- Maxima, if-then-else, pairs, options.

theorem max_times : ∀ a b c : Nat, max a b * c = max (a * c) (b * c) := by
  intro a b c
  rcases Nat.le_total a b with h | h
  have h1 := Nat.mul_le_mul_right c h
  grind
  have h1 := Nat.mul_le_mul_right c h
  grind

theorem min_square : ∀ a b : Nat, min (a * a) (b * b) = min a b * min a b := by
  intro a b
  rcases Nat.le_total a b with h | h
  have h1 := Nat.mul_le_mul h h
  grind
  have h1 := Nat.mul_le_mul h h
  grind

theorem product_below_max : ∀ a b c : Nat, a * b + c ≤ max a b * max a b + c := by
  intro a b c
  have h1 : a ≤ max a b := by omega
  have h2 : b ≤ max a b := by omega
  have h3 := Nat.mul_le_mul h1 h2
  omega

theorem chosen_product : ∀ a b : Nat, (if a ≤ b then a * a else b * b) ≤ a * b := by
  intro a b
  split
  rename_i h
  exact Nat.mul_le_mul (Nat.le_refl a) h
  rename_i h
  exact Nat.mul_le_mul (by omega) (Nat.le_refl b)

theorem chosen_parity : ∀ n : Nat, (if n % 2 = 0 then n * n else n * n + 3) % 2 = 0 := by
  intro n
  have h : n % 2 = 0 ∨ n % 2 = 1 := by omega
  rcases h with h | h
  simp [h, Nat.mul_mod]
  simp [h, Nat.add_mod, Nat.mul_mod]

theorem pair_counter : ∀ (f : Nat → Nat × Nat), f 0 = (0, 2) → (∀ n, f (n + 1) = ((f n).1 + 1, (f n).2 + 3)) → ∀ n, (f n).2 = 3 * n + 2 := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  simp [hf, ih]
  omega

theorem pair_fibonacci : ∀ (f : Nat → Nat × Nat), f 0 = (1, 1) → (∀ n, f (n + 1) = ((f n).2, (f n).1 + (f n).2)) → ∀ n, 0 < (f n).1 ∧ 0 < (f n).2 := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  simp [hf]
  omega

theorem pair_quotient : ∀ n : Nat, ∃ p : Nat × Nat, n = 9 * p.1 + p.2 ∧ p.2 < 9 := by
  intro n
  refine ⟨(n / 9, n % 9), ?_⟩
  simp
  omega

theorem option_counter : ∀ (f : Nat → Option Nat), f 0 = some 3 → (∀ n, f (n + 1) = (f n).map (fun a => a + 2)) → ∀ n, f n = some (2 * n + 3) := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  simp [hf, ih]
  omega

theorem option_none : ∀ (f : Nat → Option Nat), f 0 = none → (∀ n, f (n + 1) = (f n).map (fun a => 4 * a)) → ∀ n, f n = none := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  exact hf0
  simp [hf, ih]

theorem option_values : ∀ (f : Option Nat → Nat), f none = 6 → (∀ a, f (some a) = a * a + 6) → ∀ o, 6 ≤ f o := by
  intro f h1 h2 o
  cases o with | none => ?_ | some a => ?_
  omega
  have h3 := h2 a
  omega

theorem max_and_min : ∀ a b : Nat, max a b + 2 * min a b ≤ 2 * a + b := by
  intro a b
  omega

theorem max_monotone : ∀ a b c : Nat, a ≤ b → max a c ≤ max b c := by
  intro a b c h
  omega

theorem chosen_maximum : ∀ a b : Nat, (if a ≤ b then b else a) = max a b := by
  intro a b
  grind

theorem chosen_bound : ∀ a b : Nat, (if a < b then b - a else a - b) ≤ a + b := by
  intro a b
  split
  omega
  omega

theorem option_cases : ∀ o : Option Nat, o.isSome = true ∨ o.isNone = true := by
  intro o
  cases o with | none => ?_ | some a => ?_
  simp
  simp

theorem pair_components : ∀ p q : Nat × Nat, p = q → p.1 + q.2 = q.1 + p.2 := by
  intro p q h
  grind

theorem pair_swap : ∀ (f : Nat × Nat → Nat × Nat), (∀ a b, f (a, b) = (b, a)) → ∀ a b, f (f (a, b)) = (a, b) := by
  intro f h a b
  simp [h]
