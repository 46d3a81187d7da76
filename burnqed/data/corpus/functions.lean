/-! Functions: injective, surjective, inverses, composition, involutions, idempotents, iterates, fixed points. -/

theorem injective_comp : ∀ (f g : Nat → Nat), (∀ x y, f x = f y → x = y) → (∀ x y, g x = g y → x = y) → ∀ x y, f (g x) = f (g y) → x = y := by
  intro f g hf hg x y h
  have h1 := hf (g x) (g y) h
  exact hg x y h1

theorem injective_of_comp : ∀ (f g : Nat → Nat), (∀ x y, f (g x) = f (g y) → x = y) → ∀ x y, g x = g y → x = y := by
  intro f g h x y h1
  apply h
  rw [h1]

theorem surjective_comp : ∀ (f g : Nat → Nat), (∀ y, ∃ x, f x = y) → (∀ y, ∃ x, g x = y) → ∀ y, ∃ x, f (g x) = y := by
  intro f g hf hg y
  obtain ⟨a, ha⟩ := hf y
  obtain ⟨b, hb⟩ := hg a
  refine ⟨b, ?_⟩
  rw [hb, ha]

theorem surjective_of_comp : ∀ (f g : Nat → Nat), (∀ y, ∃ x, f (g x) = y) → ∀ y, ∃ x, f x = y := by
  intro f g h y
  obtain ⟨x, hx⟩ := h y
  exact ⟨g x, hx⟩

theorem surjective_three : ∀ (f g k : Nat → Nat), (∀ y, ∃ x, f x = y) → (∀ y, ∃ x, g x = y) → (∀ y, ∃ x, k x = y) → ∀ y, ∃ x, f (g (k x)) = y := by
  intro f g k hf hg hk y
  obtain ⟨a, ha⟩ := hf y
  obtain ⟨b, hb⟩ := hg a
  obtain ⟨c, hc⟩ := hk b
  refine ⟨c, ?_⟩
  rw [hc, hb, ha]

theorem injective_cancel : ∀ (f g k : Nat → Nat), (∀ x y, f x = f y → x = y) → (∀ x, f (g x) = f (k x)) → ∀ x, g x = k x := by
  intro f g k hf h x
  exact hf (g x) (k x) (h x)

theorem surjective_cancel : ∀ (f g k : Nat → Nat), (∀ y, ∃ x, f x = y) → (∀ x, g (f x) = k (f x)) → ∀ y, g y = k y := by
  intro f g k hf h y
  obtain ⟨x, hx⟩ := hf y
  rw [← hx, h]

theorem left_inverse_injective : ∀ (f g : Nat → Nat), (∀ x, g (f x) = x) → ∀ x y, f x = f y → x = y := by
  intro f g h x y h1
  rw [← h x, ← h y, h1]

theorem right_inverse_surjective : ∀ (f g : Nat → Nat), (∀ x, f (g x) = x) → ∀ y, ∃ x, f x = y := by
  intro f g h y
  exact ⟨g y, h y⟩

theorem inverse_unique : ∀ (f g k : Nat → Nat), (∀ x, g (f x) = x) → (∀ x, f (k x) = x) → ∀ x, g x = k x := by
  intro f g k h1 h2 x
  have h3 := h1 (k x)
  rw [h2] at h3
  exact h3

theorem inverse_of_comp : ∀ (f g p q : Int → Int), (∀ x, p (f x) = x) → (∀ x, q (g x) = x) → ∀ x, q (p (f (g x))) = x := by
  intro f g p q h1 h2 x
  rw [h1, h2]

theorem involution_injective : ∀ (f : Nat → Nat), (∀ x, f (f x) = x) → ∀ x y, f x = f y → x = y := by
  intro f h x y h1
  rw [← h x, ← h y, h1]

theorem involution_surjective : ∀ (f : Nat → Nat), (∀ x, f (f x) = x) → ∀ y, ∃ x, f x = y := by
  intro f h y
  exact ⟨f y, h y⟩

theorem involution_moves : ∀ (f : Nat → Nat), (∀ x, f (f x) = x) → ∀ x y, f x = y ↔ f y = x := by
  intro f h x y
  constructor
  intro h1
  rw [← h1, h]
  intro h1
  rw [← h1, h]

theorem involutions_commute : ∀ (f g : Nat → Nat), (∀ x, f (f x) = x) → (∀ x, g (g x) = x) → (∀ x, f (g (f (g x))) = x) → ∀ x, f (g x) = g (f x) := by
  intro f g hf hg h x
  have h1 := h (g (f x))
  rw [hg, hf] at h1
  exact h1

theorem idempotent_image : ∀ (f : Nat → Nat), (∀ x, f (f x) = f x) → ∀ y, (∃ x, f x = y) → f y = y := by
  intro f h y h1
  obtain ⟨x, hx⟩ := h1
  rw [← hx, h]

theorem idempotent_injective_identity : ∀ (f : Nat → Nat), (∀ x, f (f x) = f x) → (∀ x y, f x = f y → x = y) → ∀ x, f x = x := by
  intro f h h1 x
  exact h1 (f x) x (h x)

theorem idempotent_surjective_identity : ∀ (f : Nat → Nat), (∀ x, f (f x) = f x) → (∀ y, ∃ x, f x = y) → ∀ x, f x = x := by
  intro f h h1 x
  obtain ⟨y, hy⟩ := h1 x
  rw [← hy, h]

theorem idempotents_compose : ∀ (f g : Nat → Nat), (∀ x, f (f x) = f x) → (∀ x, g (g x) = g x) → (∀ x, f (g x) = g (f x)) → ∀ x, f (g (f (g x))) = f (g x) := by
  intro f g hf hg h x
  rw [← h, hg, hf]

theorem order_three_bijective : ∀ (f : Nat → Nat), (∀ x, f (f (f x)) = x) → ∀ y, ∃ x, f x = y ∧ ∀ z, f z = y → z = x := by
  intro f h y
  refine ⟨f (f y), h y, ?_⟩
  intro z h1
  rw [← h1, h]

theorem order_coprime_identity : ∀ (f : Nat → Nat), (∀ x, f (f x) = x) → (∀ x, f (f (f x)) = x) → ∀ x, f x = x := by
  intro f h1 h2 x
  have h3 := h2 x
  rw [h1] at h3
  exact h3

theorem order_two_five_identity : ∀ (f : Nat → Nat), (∀ x, f (f x) = x) → (∀ x, f (f (f (f (f x)))) = x) → ∀ x, f x = x := by
  intro f h1 h2 x
  have h3 := h2 x
  rw [h1, h1] at h3
  exact h3

theorem iterate_fixed_point : ∀ (f : Nat → Nat) (i : Nat → Nat → Nat), (∀ x, i 0 x = x) → (∀ n x, i (n + 1) x = f (i n x)) → ∀ a, f a = a → ∀ n, i n a = a := by
  intro f i hi0 hi a h n
  induction n with | zero => ?_ | succ n ih => ?_
  exact hi0 a
  rw [hi, ih, h]

theorem iterate_commutes : ∀ (f : Nat → Nat) (i : Nat → Nat → Nat), (∀ x, i 0 x = x) → (∀ n x, i (n + 1) x = f (i n x)) → ∀ n x, i n (f x) = f (i n x) := by
  intro f i hi0 hi n x
  induction n with | zero => ?_ | succ n ih => ?_
  rw [hi0, hi0]
  rw [hi, hi, ih]

theorem iterate_add : ∀ (f : Nat → Nat) (i : Nat → Nat → Nat), (∀ x, i 0 x = x) → (∀ n x, i (n + 1) x = f (i n x)) → ∀ m n x, i (m + n) x = i m (i n x) := by
  intro f i hi0 hi m n x
  induction m with | zero => ?_ | succ m ih => ?_
  rw [hi0, Nat.zero_add]
  rw [Nat.succ_add, hi, hi, ih]

theorem iterate_injective : ∀ (f : Nat → Nat) (i : Nat → Nat → Nat), (∀ x, i 0 x = x) → (∀ n x, i (n + 1) x = f (i n x)) → (∀ x y, f x = f y → x = y) → ∀ n x y, i n x = i n y → x = y := by
  intro f i hi0 hi hf n x y h
  induction n with | zero => ?_ | succ n ih => ?_
  rw [hi0, hi0] at h
  exact h
  rw [hi, hi] at h
  exact ih (hf _ _ h)

theorem iterate_increasing : ∀ (f : Nat → Nat) (i : Nat → Nat → Nat), (∀ x, i 0 x = x) → (∀ n x, i (n + 1) x = f (i n x)) → (∀ x, x < f x) → ∀ n x, x + n ≤ i n x := by
  intro f i hi0 hi hf n x
  induction n with | zero => ?_ | succ n ih => ?_
  rw [hi0]
  omega
  have h := hf (i n x)
  rw [hi]
  omega

theorem iterate_shift : ∀ (f : Nat → Nat) (i : Nat → Nat → Nat), (∀ x, i 0 x = x) → (∀ n x, i (n + 1) x = f (i n x)) → (∀ x, f x = x + 3) → ∀ n x, i n x = x + 3 * n := by
  intro f i hi0 hi hf n x
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hi0]
  rw [hi, hf, ih]
  omega

theorem iterate_double : ∀ (f : Nat → Nat) (i : Nat → Nat → Nat), (∀ x, i 0 x = x) → (∀ n x, i (n + 1) x = f (i n x)) → (∀ x, f x = 2 * x) → ∀ n x, i n x = 2 ^ n * x := by
  intro f i hi0 hi hf n x
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hi0]
  rw [hi, hf, ih, Nat.pow_succ]
  grind

theorem iterate_involution : ∀ (f : Nat → Nat) (i : Nat → Nat → Nat), (∀ x, i 0 x = x) → (∀ n x, i (n + 1) x = f (i n x)) → (∀ x, f (f x) = x) → ∀ n x, i (2 * n) x = x := by
  intro f i hi0 hi hf n x
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hi0]
  rw [Nat.mul_succ, hi, hi, ih, hf]

theorem iterate_invariant : ∀ (f s : Nat → Nat) (i : Nat → Nat → Nat), (∀ x, i 0 x = x) → (∀ n x, i (n + 1) x = f (i n x)) → (∀ x, s (f x) = s x) → ∀ n x, s (i n x) = s x := by
  intro f s i hi0 hi h n x
  induction n with | zero => ?_ | succ n ih => ?_
  rw [hi0]
  rw [hi, h, ih]

theorem iterate_property : ∀ (f : Nat → Nat) (i : Nat → Nat → Nat) (p : Nat → Prop), (∀ x, i 0 x = x) → (∀ n x, i (n + 1) x = f (i n x)) → (∀ x, p x → p (f x)) → ∀ n x, p x → p (i n x) := by
  intro f i p hi0 hi h n x h1
  induction n with | zero => ?_ | succ n ih => ?_
  rw [hi0]
  exact h1
  rw [hi]
  exact h (i n x) ih

theorem iterate_two_functions : ∀ (f g s : Nat → Nat) (i j : Nat → Nat → Nat), (∀ x, i 0 x = x) → (∀ n x, i (n + 1) x = f (i n x)) → (∀ x, j 0 x = x) → (∀ n x, j (n + 1) x = g (j n x)) → (∀ x, s (f x) = g (s x)) → ∀ n x, s (i n x) = j n (s x) := by
  intro f g s i j hi0 hi hj0 hj h n x
  induction n with | zero => ?_ | succ n ih => ?_
  rw [hi0, hj0]
  rw [hi, hj, h, ih]

theorem orbit_monotone : ∀ (f a : Nat → Nat), (∀ x y, x ≤ y → f x ≤ f y) → (∀ n, a (n + 1) = f (a n)) → a 0 ≤ a 1 → ∀ n, a n ≤ a (n + 1) := by
  intro f a hf ha h n
  induction n with | zero => ?_ | succ n ih => ?_
  exact h
  rw [ha (n + 1), ha n]
  apply hf
  rw [← ha n]
  exact ih

theorem orbit_bounded : ∀ (f a : Nat → Nat) (b : Nat), (∀ x y, x ≤ y → f x ≤ f y) → (∀ n, a (n + 1) = f (a n)) → f b = b → a 0 ≤ b → ∀ n, a n ≤ b := by
  intro f a b hf ha hb h n
  induction n with | zero => ?_ | succ n ih => ?_
  exact h
  have h1 := hf (a n) b ih
  rw [ha]
  omega

theorem monotone_comp : ∀ (f g : Nat → Nat), (∀ x y, x ≤ y → f x ≤ f y) → (∀ x y, x ≤ y → g x ≤ g y) → ∀ x y, x ≤ y → f (g x) ≤ f (g y) := by
  intro f g hf hg x y h
  have h1 := hg x y h
  exact hf (g x) (g y) h1

theorem monotone_sum : ∀ (f g : Nat → Nat), (∀ x y, x ≤ y → f x ≤ f y) → (∀ x y, x ≤ y → g x ≤ g y) → ∀ x y, x ≤ y → f x + g x ≤ f y + g y := by
  intro f g hf hg x y h
  have h1 := hf x y h
  have h2 := hg x y h
  omega

theorem monotone_product : ∀ (f g : Nat → Nat), (∀ x y, x ≤ y → f x ≤ f y) → (∀ x y, x ≤ y → g x ≤ g y) → ∀ x y, x ≤ y → f x * g x ≤ f y * g y := by
  intro f g hf hg x y h
  have h1 := hf x y h
  have h2 := hg x y h
  exact Nat.mul_le_mul h1 h2

theorem monotone_max : ∀ (f : Nat → Nat), (∀ x y, x ≤ y → f x ≤ f y) → ∀ x y, f (max x y) = max (f x) (f y) := by
  intro f hf x y
  have h : x ≤ y ∨ y ≤ x := by omega
  rcases h with h | h
  have h1 := hf x y h
  rw [Nat.max_eq_right h, Nat.max_eq_right h1]
  have h1 := hf y x h
  rw [Nat.max_eq_left h, Nat.max_eq_left h1]

theorem strict_monotone_injective : ∀ (f : Nat → Nat), (∀ x y, x < y → f x < f y) → ∀ x y, f x = f y → x = y := by
  intro f hf x y h
  have h1 : x < y ∨ x = y ∨ y < x := by omega
  rcases h1 with h1 | h1 | h1
  have h2 := hf x y h1
  omega
  exact h1
  have h2 := hf y x h1
  omega

theorem strict_monotone_ge : ∀ (f : Nat → Nat), (∀ x y, x < y → f x < f y) → ∀ n, n ≤ f n := by
  intro f hf n
  induction n with | zero => ?_ | succ n ih => ?_
  omega
  have h := hf n (n + 1) (by omega)
  omega

theorem strict_monotone_reflects : ∀ (f : Nat → Nat), (∀ x y, x < y → f x < f y) → ∀ x y, f x ≤ f y → x ≤ y := by
  intro f hf x y h
  have h1 : x ≤ y ∨ y < x := by omega
  rcases h1 with h1 | h1
  exact h1
  have h2 := hf y x h1
  omega

theorem strict_monotone_fixed : ∀ (f : Nat → Nat), (∀ x y, x < y → f x < f y) → ∀ n, f n ≤ n → f n = n := by
  intro f hf n h
  suffices h1 : n ≤ f n by omega
  clear h
  induction n with | zero => ?_ | succ n ih => ?_
  omega
  have h2 := hf n (n + 1) (by omega)
  omega

theorem additive_zero : ∀ (f : Int → Int), (∀ x y, f (x + y) = f x + f y) → f 0 = 0 := by
  intro f h
  have h1 := h 0 0
  simp at h1
  omega

theorem additive_neg : ∀ (f : Int → Int), (∀ x y, f (x + y) = f x + f y) → f 0 = 0 → ∀ x, f (-x) = -f x := by
  intro f h h0 x
  have h1 := h x (-x)
  rw [Int.add_right_neg, h0] at h1
  omega

theorem additive_multiple : ∀ (f : Nat → Nat), (∀ x y, f (x + y) = f x + f y) → f 0 = 0 → ∀ n, f n = n * f 1 := by
  intro f h h0 n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [h0]
  rw [h, ih]
  grind

theorem additive_double : ∀ (f : Int → Int), (∀ x y, f (x + y) = f x + f y) → ∀ x, f (x + x + x) = 3 * f x := by
  intro f h x
  rw [h, h]
  omega

theorem multiplicative_power : ∀ (f : Nat → Nat), (∀ x y, f (x * y) = f x * f y) → f 1 = 1 → ∀ a n, f (a ^ n) = f a ^ n := by
  intro f h h1 a n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [h1]
  rw [Nat.pow_succ, Nat.pow_succ, h, ih]

theorem exponential_function : ∀ (f : Nat → Nat), (∀ x y, f (x + y) = f x * f y) → f 0 = 1 → f 1 = 3 → ∀ n, f n = 3 ^ n := by
  intro f h h0 h1 n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [h0]
  rw [h, ih, h1, Nat.pow_succ]

theorem exponential_positive : ∀ (f : Nat → Nat), (∀ x y, f (x + y) = f x * f y) → 0 < f 0 → 0 < f 1 → ∀ n, 0 < f n := by
  intro f h h0 h1 n
  induction n with | zero => ?_ | succ n ih => ?_
  exact h0
  rw [h]
  exact Nat.mul_pos ih h1

theorem translation_function : ∀ (f : Int → Int), (∀ x, f (x + 1) = f x + 2) → ∀ x, ∀ n : Nat, f (x + n) = f x + 2 * n := by
  intro f h x n
  induction n with | zero => ?_ | succ n ih => ?_
  simp
  have h1 := h (x + n)
  grind

theorem distance_preserving_fixed : ∀ (f : Int → Int), (∀ x y, (f x - f y).natAbs = (x - y).natAbs) → f 0 = 0 → ∀ x, (f x).natAbs = x.natAbs := by
  intro f h h0 x
  have h1 := h x 0
  rw [h0] at h1
  simp at h1
  exact h1

theorem distance_preserving_injective : ∀ (f : Int → Int), (∀ x y, (f x - f y).natAbs = (x - y).natAbs) → ∀ x y, f x = f y → x = y := by
  intro f h x y h1
  have h2 := h x y
  omega

theorem linear_injective : ∀ x y : Int, 3 * x + 5 = 3 * y + 5 → x = y := by
  intro x y h
  omega

theorem quadratic_injective_nat : ∀ x y : Nat, x * x + x = y * y + y → x = y := by
  intro x y h
  have h1 : x < y ∨ x = y ∨ y < x := by omega
  rcases h1 with h1 | h1 | h1
  have h2 := Nat.mul_self_lt_mul_self h1
  omega
  exact h1
  have h2 := Nat.mul_self_lt_mul_self h1
  omega

theorem square_not_injective : ¬ ∀ x y : Int, x * x = y * y → x = y := by
  intro h
  have h1 := h 1 (-1) (by omega)
  omega

theorem double_not_surjective : ¬ ∀ y : Nat, ∃ x, 2 * x = y := by
  intro h
  obtain ⟨x, hx⟩ := h 1
  omega

theorem successor_not_surjective : ¬ ∀ y : Nat, ∃ x : Nat, x + 3 = y := by
  intro h
  obtain ⟨x, hx⟩ := h 0
  omega

theorem no_surjection_onto_predicates : ∀ (f : Nat → Nat → Prop), ¬ ∀ p : Nat → Prop, ∃ n, ∀ m, f n m ↔ p m := by
  intro f h
  obtain ⟨n, hn⟩ := h (fun m => ¬ f m m)
  have h1 := hn n
  grind

theorem no_surjection_onto_functions : ∀ (f : Nat → Nat → Nat), ¬ ∀ g : Nat → Nat, ∃ n, ∀ m, f n m = g m := by
  intro f h
  obtain ⟨n, hn⟩ := h (fun m => f m m + 1)
  have h1 := hn n
  omega

theorem function_equal_pointwise : ∀ (f g : Nat → Nat), (∀ x, f x = g x) → f = g := by
  intro f g h
  funext x
  exact h x

theorem function_equal_even_odd : ∀ (f g : Nat → Nat), (∀ n, f (2 * n) = g (2 * n)) → (∀ n, f (2 * n + 1) = g (2 * n + 1)) → f = g := by
  intro f g h1 h2
  funext n
  have h : n = 2 * (n / 2) ∨ n = 2 * (n / 2) + 1 := by omega
  rcases h with h | h
  rw [h, h1]
  rw [h, h2]

theorem choice_of_inverse : ∀ (f : Nat → Nat), (∀ y, ∃ x, f x = y) → ∃ g : Nat → Nat, ∀ y, f (g y) = y := by
  intro f h
  exact ⟨fun y => (h y).choose, fun y => (h y).choose_spec⟩

theorem bijection_has_inverse : ∀ (f : Nat → Nat), (∀ x y, f x = f y → x = y) → (∀ y, ∃ x, f x = y) → ∃ g : Nat → Nat, (∀ y, f (g y) = y) ∧ ∀ x, g (f x) = x := by
  intro f h1 h2
  refine ⟨fun y => (h2 y).choose, fun y => (h2 y).choose_spec, ?_⟩
  intro x
  apply h1
  exact (h2 (f x)).choose_spec

theorem functional_equation_identity : ∀ (f : Nat → Nat), f 0 = 0 → (∀ n, f (n + 1) = f n + 1) → ∀ n, f (f n) = n := by
  intro f h0 h n
  suffices h1 : ∀ m, f m = m by rw [h1, h1]
  intro m
  induction m with | zero => ?_ | succ m ih => ?_
  exact h0
  rw [h, ih]
