/-! Options, pairs, sum types, booleans, case distinctions, minima, maxima and distances. -/

theorem option_cases : ∀ x : Option Nat, x = none ∨ ∃ a, x = some a := by
  intro x
  cases x with | none => ?_ | some a => ?_
  exact Or.inl rfl
  exact Or.inr ⟨a, rfl⟩

theorem option_some_injective : ∀ a b : Nat, some a = some b → a = b := by
  intro a b h
  simp at h
  exact h

theorem option_not_none : ∀ x : Option Nat, x ≠ none → ∃ a, x = some a := by
  intro x h
  cases x with | none => ?_ | some a => ?_
  simp at h
  exact ⟨a, rfl⟩

theorem option_map_none : ∀ (f : Nat → Nat) (x : Option Nat), x.map f = none → x = none := by
  intro f x h
  cases x with | none => ?_ | some a => ?_
  rfl
  simp at h

theorem option_map_some : ∀ (f : Nat → Nat) (x : Option Nat) (b : Nat), x.map f = some b → ∃ a, x = some a ∧ f a = b := by
  intro f x b h
  cases x with | none => ?_ | some a => ?_
  simp at h
  simp at h
  exact ⟨a, rfl, h⟩

theorem option_map_compose : ∀ (f g : Nat → Nat) (x : Option Nat), (x.map f).map g = x.map (fun a => g (f a)) := by
  intro f g x
  cases x with | none => ?_ | some a => ?_
  rfl
  rfl

theorem option_map_injective : ∀ (f : Nat → Nat), (∀ a b, f a = f b → a = b) → ∀ x y : Option Nat, x.map f = y.map f → x = y := by
  intro f hf x y h
  cases x with | none => ?_ | some a => ?_
  cases y with | none => ?_ | some b => ?_
  rfl
  simp at h
  cases y with | none => ?_ | some b => ?_
  simp at h
  simp at h
  rw [hf a b h]

theorem option_bind_some : ∀ (x : Option Nat) (f : Nat → Option Nat) (b : Nat), x.bind f = some b → ∃ a, x = some a ∧ f a = some b := by
  intro x f b h
  cases x with | none => ?_ | some a => ?_
  simp at h
  exact ⟨a, rfl, h⟩

theorem option_bind_assoc : ∀ (x : Option Nat) (f g : Nat → Option Nat), (x.bind f).bind g = x.bind (fun a => (f a).bind g) := by
  intro x f g
  cases x with | none => ?_ | some a => ?_
  rfl
  rfl

theorem option_default_bound : ∀ (x : Option Nat) (m : Nat), (∀ a, x = some a → a ≤ m) → x.getD 0 ≤ m := by
  intro x m h
  cases x with | none => ?_ | some a => ?_
  simp
  exact h a rfl

theorem option_default_map : ∀ (x : Option Nat), (x.map (fun a => 2 * a)).getD 0 = 2 * x.getD 0 := by
  intro x
  cases x with | none => ?_ | some a => ?_
  rfl
  rfl

theorem option_function_total : ∀ (f : Nat → Option Nat), (∀ n, f n ≠ none) → ∀ n, ∃ a, f n = some a := by
  intro f h n
  have h1 := h n
  cases hf : f n with | none => ?_ | some a => ?_
  exact absurd hf h1
  exact ⟨a, rfl⟩

theorem option_value_unique : ∀ (x : Option Nat) (a b : Nat), x = some a → x = some b → a = b := by
  intro x a b h1 h2
  rw [h1] at h2
  simp at h2
  exact h2

theorem option_step_never_none : ∀ (f : Nat → Option Nat), f 0 = some 1 → (∀ n a, f n = some a → f (n + 1) = some (2 * a)) → ∀ n, f n = some (2 ^ n) := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  exact hf0
  rw [hf n (2 ^ n) ih, Nat.pow_succ, Nat.mul_comm]

theorem option_step_stays_none : ∀ (f : Nat → Option Nat), (∀ n, f n = none → f (n + 1) = none) → f 0 = none → ∀ n, f n = none := by
  intro f hf hf0 n
  induction n with | zero => ?_ | succ n ih => ?_
  exact hf0
  exact hf n ih

theorem option_step_exists : ∀ (f : Nat → Option Nat), (∃ a, f 0 = some a) → (∀ n a, f n = some a → ∃ b, f (n + 1) = some b) → ∀ n, ∃ a, f n = some a := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  exact hf0
  obtain ⟨x, hx⟩ := ih
  exact hf n x hx

theorem pair_eta : ∀ x : Nat × Nat, (x.1, x.2) = x := by
  intro x
  rfl

theorem pair_equal : ∀ x y : Nat × Nat, x.1 = y.1 → x.2 = y.2 → x = y := by
  intro x y h1 h2
  cases x with | mk a b => ?_
  cases y with | mk c d => ?_
  simp at h1 h2
  rw [h1, h2]

theorem pair_swap_injective : ∀ x y : Nat × Nat, (x.2, x.1) = (y.2, y.1) → x = y := by
  intro x y h
  cases x with | mk a b => ?_
  cases y with | mk c d => ?_
  simp at h
  simp [h]

theorem pair_exists : ∀ (p : Nat × Nat → Prop), (∃ x, p x) ↔ ∃ a b, p (a, b) := by
  intro p
  constructor
  intro h
  obtain ⟨x, hx⟩ := h
  exact ⟨x.1, x.2, hx⟩
  intro h
  obtain ⟨a, b, hx⟩ := h
  exact ⟨(a, b), hx⟩

theorem pair_forall : ∀ (p : Nat × Nat → Prop), (∀ a b, p (a, b)) → ∀ x, p x := by
  intro p h x
  cases x with | mk a b => ?_
  exact h a b

theorem pair_recursion_sum : ∀ (f : Nat → Nat × Nat), f 0 = (0, 0) → (∀ n, f (n + 1) = ((f n).1 + 1, (f n).2 + 2)) → ∀ n, (f n).2 = 2 * (f n).1 := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  simp [hf]
  omega

theorem pair_recursion_fib : ∀ (f : Nat → Nat × Nat), f 0 = (0, 1) → (∀ n, f (n + 1) = ((f n).2, (f n).1 + (f n).2)) → ∀ n, (f n).1 ≤ (f n).2 := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  simp [hf]

theorem pair_recursion_values : ∀ (f : Nat → Nat × Nat), f 0 = (0, 1) → (∀ n, f (n + 1) = ((f n).1 + 1, (f n).2 * 2)) → ∀ n, f n = (n, 2 ^ n) := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  simp [hf, ih, Nat.pow_succ]

theorem pair_recursion_invariant : ∀ (f : Nat → Int × Int), f 0 = (1, 1) → (∀ n, f (n + 1) = ((f n).1 + (f n).2, (f n).2)) → ∀ n, (f n).1 = n + 1 ∧ (f n).2 = 1 := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  simp [hf, ih]

theorem sum_type_cases : ∀ x : Nat ⊕ Nat, (∃ a, x = Sum.inl a) ∨ ∃ b, x = Sum.inr b := by
  intro x
  cases x with | inl a => ?_ | inr b => ?_
  exact Or.inl ⟨a, rfl⟩
  exact Or.inr ⟨b, rfl⟩

theorem sum_type_forall : ∀ (p : Nat ⊕ Nat → Prop), (∀ a, p (Sum.inl a)) → (∀ b, p (Sum.inr b)) → ∀ x, p x := by
  intro p h1 h2 x
  cases x with | inl a => ?_ | inr b => ?_
  exact h1 a
  exact h2 b

theorem sum_type_function : ∀ (f g : Nat ⊕ Nat → Nat), (∀ a, f (Sum.inl a) = g (Sum.inl a)) → (∀ b, f (Sum.inr b) = g (Sum.inr b)) → f = g := by
  intro f g h1 h2
  funext x
  cases x with | inl a => ?_ | inr b => ?_
  exact h1 a
  exact h2 b

theorem sum_type_disjoint : ∀ a b : Nat, (Sum.inl a : Nat ⊕ Nat) ≠ Sum.inr b := by
  intro a b h
  simp at h

theorem bool_cases : ∀ (p : Bool → Prop), p true → p false → ∀ b, p b := by
  intro p h1 h2 b
  cases b with | false => ?_ | true => ?_
  exact h2
  exact h1

theorem bool_function_three : ∀ (f : Bool → Bool) (b : Bool), f (f (f b)) = f b := by
  intro f b
  cases h1 : f true with | false => ?_ | true => ?_
  cases h2 : f false with | false => ?_ | true => ?_
  cases b with | false => ?_ | true => ?_ <;> simp [h1, h2]
  cases b with | false => ?_ | true => ?_ <;> simp [h1, h2]
  cases h2 : f false with | false => ?_ | true => ?_
  cases b with | false => ?_ | true => ?_ <;> simp [h1, h2]
  cases b with | false => ?_ | true => ?_ <;> simp [h1, h2]

theorem bool_and_false : ∀ a b : Bool, (a && b) = false → a = false ∨ b = false := by
  intro a b h
  cases a with | false => ?_ | true => ?_
  exact Or.inl rfl
  exact Or.inr h

theorem bool_xor_self : ∀ a b c : Bool, ((a ^^ b) ^^ (b ^^ c)) = (a ^^ c) := by
  intro a b c
  cases a with | false => ?_ | true => ?_
  cases b with | false => ?_ | true => ?_ <;> simp
  cases b with | false => ?_ | true => ?_ <;> simp

theorem bool_not_fixed : ∀ b : Bool, (!b) ≠ b := by
  intro b h
  cases b with | false => ?_ | true => ?_
  simp at h
  simp at h

theorem bool_sequence_flips : ∀ (f : Nat → Bool), f 0 = true → (∀ n, f (n + 1) = !(f n)) → ∀ n, f (2 * n) = true := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  exact hf0
  rw [Nat.mul_succ, hf, hf, ih]
  rfl

theorem bool_sequence_constant : ∀ (f : Nat → Bool), (∀ n, f (n + 1) = (f n && f n)) → f 0 = true → ∀ n, f n = true := by
  intro f hf hf0 n
  induction n with | zero => ?_ | succ n ih => ?_
  exact hf0
  simp [hf, ih]

theorem bool_sequence_parity : ∀ (f : Nat → Bool), f 0 = true → (∀ n, f (n + 1) = !(f n)) → ∀ n, f n = decide (n % 2 = 0) := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hf0]
  rw [hf, ih]
  grind

theorem ite_bound : ∀ a b : Nat, (if a ≤ b then a else b) ≤ a := by
  intro a b
  split
  omega
  omega

theorem ite_product : ∀ a b c : Nat, (if a ≤ b then a * c else b * c) = (if a ≤ b then a else b) * c := by
  intro a b c
  split
  rfl
  rfl

theorem ite_nested : ∀ a b : Int, (if a ≤ b then b - a else a - b) = (if b ≤ a then a - b else b - a) := by
  intro a b
  split
  split
  omega
  rfl
  split
  rfl
  omega

theorem ite_abs_mul : ∀ a b : Int, 0 ≤ (if 0 ≤ a * b then a * b else -(a * b)) := by
  intro a b
  split
  omega
  omega

theorem ite_function_bound : ∀ (f : Nat → Nat), (∀ n, f n = if n % 2 = 0 then n / 2 else 3 * n + 1) → ∀ n, f n ≤ 3 * n + 1 := by
  intro f hf n
  rw [hf]
  split
  omega
  omega

theorem ite_function_positive : ∀ (f : Nat → Nat), (∀ n, f n = if n = 0 then 1 else n * n) → ∀ n, 0 < f n := by
  intro f hf n
  rw [hf]
  split
  omega
  exact Nat.mul_pos (by omega) (by omega)

theorem ite_square_bound : ∀ (f : Nat → Nat), (∀ n, f n = if n ≤ 3 then 9 else n * n) → ∀ n, n * n ≤ f n := by
  intro f hf n
  rw [hf]
  split
  have h : n * n ≤ 3 * 3 := Nat.mul_le_mul (by omega) (by omega)
  omega
  omega

theorem ite_square_bound_five : ∀ (f : Nat → Nat), (∀ n, f n = if n ≤ 5 then 25 else n * n) → ∀ n, n * n ≤ f n := by
  intro f hf n
  rw [hf]
  split
  have h : n * n ≤ 5 * 5 := Nat.mul_le_mul (by omega) (by omega)
  omega
  omega

theorem ite_recursion_toggle : ∀ (f : Nat → Nat), f 0 = 0 → (∀ n, f (n + 1) = if f n = 0 then 2 else 0) → ∀ n, f n = 0 ∨ f n = 2 := by
  intro f hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  exact Or.inl hf0
  rw [hf]
  split
  exact Or.inr rfl
  exact Or.inl rfl

theorem ite_recursion_count : ∀ (f : Nat → Nat) (p : Nat → Prop) [DecidablePred p], f 0 = 0 → (∀ n, f (n + 1) = if p n then f n + 1 else f n) → ∀ n, f n ≤ n := by
  intro f p hp hf0 hf n
  induction n with | zero => ?_ | succ n ih => ?_
  omega
  rw [hf]
  split
  omega
  omega

theorem ite_recursion_monotone : ∀ (f : Nat → Nat) (p : Nat → Prop) [DecidablePred p], (∀ n, f (n + 1) = if p n then f n + 1 else f n) → ∀ n, f n ≤ f (n + 1) := by
  intro f p hp hf n
  rw [hf]
  split
  omega
  omega

theorem min_le_both : ∀ a b c : Nat, c ≤ min a b ↔ c ≤ a ∧ c ≤ b := by
  intro a b c
  omega

theorem min_product : ∀ a b c d : Nat, min a b * min c d ≤ a * c := by
  intro a b c d
  exact Nat.mul_le_mul (Nat.min_le_left a b) (Nat.min_le_left c d)

theorem min_recursion_bound : ∀ (f s : Nat → Nat), f 0 = s 0 → (∀ n, f (n + 1) = min (f n) (s (n + 1))) → ∀ n, f n ≤ s n := by
  intro f s hf0 hf n
  cases n with | zero => ?_ | succ n => ?_
  omega
  rw [hf]
  omega

theorem max_recursion_bound : ∀ (f s : Nat → Nat) (c : Nat), f 0 = 0 → (∀ n, f (n + 1) = max (f n) (s n)) → (∀ n, s n ≤ c) → ∀ n, f n ≤ c := by
  intro f s c hf0 hf h n
  induction n with | zero => ?_ | succ n ih => ?_
  omega
  have h1 := h n
  rw [hf]
  omega

theorem max_recursion_ge : ∀ (f s : Nat → Nat), (∀ n, f (n + 1) = max (f n) (s n)) → ∀ n m, s n ≤ f (n + m + 1) := by
  intro f s hf n m
  induction m with | zero => ?_ | succ m ih => ?_
  rw [hf]
  omega
  rw [hf, ← Nat.add_assoc]
  omega

theorem distance_symmetric : ∀ a b : Nat, (a - b) + (b - a) = max a b - min a b := by
  intro a b
  omega

theorem distance_square : ∀ a b : Nat, ((a - b) + (b - a)) * ((a - b) + (b - a)) + 2 * (a * b) = a * a + b * b := by
  intro a b
  have h : a ≤ b ∨ b ≤ a := by omega
  rcases h with h | h
  obtain ⟨x, hx⟩ := Nat.exists_eq_add_of_le h
  subst hx
  have h1 : a - (a + x) + (a + x - a) = x := by omega
  rw [h1]
  grind
  obtain ⟨x, hx⟩ := Nat.exists_eq_add_of_le h
  subst hx
  have h1 : b + x - b + (b - (b + x)) = x := by omega
  rw [h1]
  grind

theorem fin_bound_square : ∀ x : Fin 7, x.val * x.val ≤ 36 := by
  intro x
  have h : x.val ≤ 6 := by omega
  have h1 := Nat.mul_le_mul h h
  omega

theorem unit_function_constant : ∀ (f : Unit → Nat) (x y : Unit), f x = f y := by
  intro f x y
  rfl

theorem subtype_value_bound : ∀ (x : {n : Nat // 3 ≤ n}), 9 ≤ x.val * x.val := by
  intro x
  have h := x.property
  exact Nat.mul_le_mul h h
