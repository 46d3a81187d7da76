-- Induction in steps of two, strong induction, induction on one of two numbers.

theorem predicates_cross : ∀ (p q : Nat → Prop), p 0 → q 0 → (∀ n, p n → q (n + 1)) → (∀ n, q n → p (n + 1)) → ∀ n, p n ∧ q n := by
  intro p q h1 h2 h3 h4 n
  induction n with | zero => ?_ | succ n ih => ?_
  exact ⟨h1, h2⟩
  exact ⟨h4 n ih.2, h3 n ih.1⟩

theorem predicates_alternate : ∀ (p q : Nat → Prop), p 0 → (∀ n, p n → q (n + 1)) → (∀ n, q n → p (n + 1)) → ∀ n, p n ∨ q n := by
  intro p q h1 h2 h3 n
  induction n with | zero => ?_ | succ n ih => ?_
  exact Or.inl h1
  rcases ih with ih | ih
  exact Or.inr (h2 n ih)
  exact Or.inl (h3 n ih)

theorem predicate_strong : ∀ (p : Nat → Prop), p 0 → (∀ n, 0 < n → p (n / 3) → p n) → ∀ n, p n := by
  intro p h1 h2 n
  induction n using Nat.strongRecOn with | ind n ih => ?_
  rcases Nat.eq_zero_or_pos n with h | h
  rw [h]
  exact h1
  exact h2 n h (ih (n / 3) (by omega))

theorem predicate_down : ∀ (p : Nat → Prop), (∀ n, p (n + 1) → p n) → ∀ m n, p (m + n) → p m := by
  intro p h m n
  induction n with | zero => ?_ | succ n ih => ?_
  intro h1
  exact h1
  intro h1
  exact ih (h _ h1)

theorem halved_bound : ∀ (f : Nat → Nat), (∀ n, f n = if n = 0 then 0 else f (n / 3) + 1) → ∀ n, f n ≤ n := by
  intro f hf n
  induction n using Nat.strongRecOn with | ind n ih => ?_
  rw [hf]
  split
  omega
  have h := ih (n / 3) (by omega)
  omega

theorem digit_sum : ∀ (f : Nat → Nat), (∀ n, f n = if n = 0 then 0 else f (n / 4) + n % 4) → ∀ n, f n % 3 = n % 3 := by
  intro f hf n
  induction n using Nat.strongRecOn with | ind n ih => ?_
  rw [hf]
  split
  omega
  have h := ih (n / 4) (by omega)
  omega

theorem smaller_bound : ∀ (f : Nat → Nat), f 0 = 0 → (∀ n, 0 < n → f n ≤ f (n / 2) + 4) → ∀ n, f n ≤ 4 * n := by
  intro f hf0 hf n
  induction n using Nat.strongRecOn with | ind n ih => ?_
  rcases Nat.eq_zero_or_pos n with h | h
  rw [h, hf0]
  omega
  have h1 := hf n h
  have h2 := ih (n / 2) (by omega)
  omega

theorem addition_by_recursion : ∀ (f : Nat → Nat → Nat), (∀ n, f 0 n = n) → (∀ m n, f (m + 1) n = f m n + 1) → ∀ m n, f m n = f n m := by
  intro f hf0 hf
  have h : ∀ m n, f m n = m + n := ?_
  intro m n
  rw [h, h, Nat.add_comm]
  intro m n
  induction m with | zero => ?_ | succ m ih => ?_
  simp [hf0]
  rw [hf, ih]
  omega

theorem difference_symmetric : ∀ (f : Nat → Nat → Nat), (∀ n, f 0 n = n) → (∀ m, f m 0 = m) → (∀ m n, f (m + 1) (n + 1) = f m n) → ∀ m n, f n m = f m n := by
  intro f hf0 hf1 hf m
  induction m with | zero => ?_ | succ m ih => ?_
  intro n
  rw [hf0, hf1]
  intro n
  cases n with | zero => ?_ | succ n => ?_
  rw [hf0, hf1]
  rw [hf, hf, ih]

theorem minimum_by_recursion : ∀ (f : Nat → Nat → Nat), (∀ n, f 0 n = 0) → (∀ m, f m 0 = 0) → (∀ m n, f (m + 1) (n + 1) = f m n + 1) → ∀ m n, f m n ≤ n := by
  intro f hf0 hf1 hf m
  induction m with | zero => ?_ | succ m ih => ?_
  simp [hf0]
  intro n
  cases n with | zero => ?_ | succ n => ?_
  simp [hf1]
  rw [hf]
  have h := ih n
  omega

theorem subadditive : ∀ (f : Nat → Nat), (∀ m n, f (m + n) ≤ f m + f n) → f 1 = 4 → ∀ n, f (n + 1) ≤ 4 * (n + 1) := by
  intro f h1 h2 n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [h2]
  have h := h1 (n + 1) 1
  omega
