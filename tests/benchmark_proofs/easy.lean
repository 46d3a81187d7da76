-- Theorems that one of the 18 probe tactics proves.

theorem max_times : ∀ a b c : Nat, max a b * c = max (a * c) (b * c) := by
  intro a b c
  rcases Nat.le_total a b with h | h
  have h1 := Nat.mul_le_mul_right c h
  grind
  have h1 := Nat.mul_le_mul_right c h
  grind

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

theorem pair_components : ∀ p q : Nat × Nat, p = q → p.1 + q.2 = q.1 + p.2 := by
  intro p q h
  grind

theorem pair_swap : ∀ (f : Nat × Nat → Nat × Nat), (∀ a b, f (a, b) = (b, a)) → ∀ a b, f (f (a, b)) = (a, b) := by
  intro f h a b
  simp [h]

theorem three_way_sum : ∀ a b c : Nat, a < b → b < c → 2 * a + 3 ≤ 2 * c := by
  intro a b c h1 h2
  omega

theorem multiple_of_six : ∀ n : Nat, n % 2 = 0 → n % 3 = 0 → n % 6 = 0 := by
  intro n h1 h2
  omega

theorem remainder_pair : ∀ a b : Nat, a % 7 = b % 7 → (a + 7 * b) % 7 = b % 7 := by
  intro a b h
  omega

theorem division_bound : ∀ n : Nat, 4 * (n / 4) ≤ n ∧ n < 4 * (n / 4) + 4 := by
  intro n
  omega

theorem halves : ∀ n : Nat, n / 2 + (n + 1) / 2 = n := by
  intro n
  omega

theorem integer_absolute : ∀ a b : Int, a ≤ b → - b ≤ a → 0 ≤ b := by
  intro a b h1 h2
  omega

theorem integer_parity : ∀ n : Int, (2 * n + 3) % 2 = 1 := by
  intro n
  omega

theorem three_maxima : ∀ a b c : Nat, max a (max b c) = max (max c a) b := by
  intro a b c
  omega

theorem min_below_average : ∀ a b : Nat, 2 * min a b ≤ a + b := by
  intro a b
  omega

theorem square_of_difference : ∀ a b : Int, (a - b) * (a - b) + 2 * a * b = a * a + b * b := by
  intro a b
  grind

theorem product_of_sums : ∀ a b c : Nat, (a + b) * (a + c) = a * a + a * c + a * b + b * c := by
  intro a b c
  grind

theorem substituted_square : ∀ a b : Int, a = b + 3 → a * a = b * b + 6 * b + 9 := by
  intro a b h
  grind

theorem value_at_four : ∀ (f : Nat → Nat), f 0 = 0 → (∀ n, f (n + 1) = f n + n + 2) → f 4 = 14 := by
  intro f hf0 hf
  grind

theorem fibonacci_value : ∀ (f : Nat → Nat), f 0 = 1 → f 1 = 3 → (∀ n, f (n + 2) = f (n + 1) + f n) → f 5 = 18 := by
  intro f hf0 hf1 hf
  grind

theorem step_keeps_parity : ∀ (f : Nat → Nat), (∀ n, f (n + 1) = f n + 6) → ∀ n, f n % 2 = 1 → f (n + 1) % 2 = 1 := by
  intro f hf n h
  grind

theorem composition_of_shifts : ∀ (f g : Nat → Nat), (∀ a, f a = a + 4) → (∀ a, g a = 3 * a) → ∀ a, g (f a) = 3 * a + 12 := by
  intro f g h1 h2 a
  grind

theorem inverse_is_unique : ∀ (f g : Nat → Nat), (∀ a, f (g a) = a) → (∀ a, g (f a) = a) → ∀ a b, f a = b → a = g b := by
  intro f g h1 h2 a b h
  grind

theorem constant_composition : ∀ (f g : Nat → Nat), (∀ a b, f a = f b) → ∀ a b, g (f a) = g (f b) := by
  intro f g h a b
  grind

theorem either_or_not : ∀ (a b : Prop), (a ∨ b) → ¬ a → b := by
  intro a b h1 h2
  grind

theorem contrapositive_pair : ∀ (a b c : Prop), (a → b ∧ c) → (¬ b ∨ ¬ c) → ¬ a := by
  intro a b c h1 h2 h3
  grind

theorem implication_to_cases : ∀ (a b c : Prop), (a → c) → (b → c) → (a ∨ b ↔ c) ∨ c ∨ ¬ a := by
  intro a b c h1 h2
  grind

theorem predicate_chain : ∀ (p q : Nat → Prop), (∀ x, p x → q x) → (∀ x, q x → p (x + 1)) → p 3 → p 5 := by
  intro p q h1 h2 h3
  grind

theorem append_three : ∀ (xs ys zs : List Nat), xs ++ (ys ++ zs) = xs ++ ys ++ zs := by
  intro xs ys zs
  simp

theorem cons_length : ∀ (xs : List Nat) (a b : Nat), (a :: b :: xs).length = xs.length + 2 := by
  intro xs a b
  simp

theorem reverse_cons_twice : ∀ (xs : List Nat) (a b : Nat), (a :: b :: xs).reverse.length = xs.length + 2 := by
  intro xs a b
  simp

theorem member_of_cons : ∀ (xs : List Nat) (a b : Nat), a ∈ xs → a ∈ b :: xs := by
  intro xs a b h
  simp [h]

theorem divides_difference : ∀ a b : Nat, 5 ∣ a → 5 ∣ a + b → 5 ∣ b := by
  intro a b h1 h2
  omega

theorem product_small : ∀ a b : Nat, a = 6 → b ≤ 4 → a * b ≤ 24 := by
  intro a b h1 h2
  grind

theorem two_predicates : ∀ (p q : Nat → Prop), (∀ x, p x → q (x + 1)) → (∃ x, p x) → ∃ x, q x := by
  intro p q h1 h2
  obtain ⟨x, hx⟩ := h2
  refine ⟨x + 1, ?_⟩
  exact h1 x hx

theorem proposition_out : ∀ (p : Nat → Prop) (c : Prop), (∀ x, p x ∨ c) ↔ (∀ x, p x) ∨ c := by
  intro p c
  by_cases h : c
  simp [h]
  simp [h]

theorem injective_composition : ∀ (f g : Nat → Nat), (∀ a b, f a = f b → a = b) → (∀ a b, g a = g b → a = b) → ∀ a b, g (f a) = g (f b) → a = b := by
  intro f g h1 h2 a b h
  grind

theorem square_root_of_successor : ∀ (f : Nat → Nat), (∀ a, f (f a) = a + 1) → ∀ a b, f a = f b → a = b := by
  intro f h a b h1
  grind

theorem inverse_functions : ∀ (f g : Nat → Nat), (∀ a, f (g a) = a) → ∀ a b, g a = g b → a = b := by
  intro f g h a b h1
  grind

theorem add_constant_injective : ∀ (f : Nat → Nat), (∀ a, f a = 3 * a + 2) → ∀ a b, f a = f b → a = b := by
  intro f h a b h1
  grind

theorem modus_tollens_chain : ∀ (a b c : Prop), (a → b) → (b → c) → ¬ c → ¬ a := by
  intro a b c h1 h2 h3
  grind

theorem distribute : ∀ (a b c : Prop), a ∧ (b ∨ c) ↔ (a ∧ b) ∨ (a ∧ c) := by
  intro a b c
  grind

theorem exists_or : ∀ (p q : Nat → Prop), (∃ x, p x ∨ q x) → (∃ x, p x) ∨ (∃ x, q x) := by
  intro p q h
  grind

theorem forall_and : ∀ (p q : Nat → Prop), (∀ x, p x ∧ q x) → (∀ x, p x) ∧ (∀ x, q x) := by
  intro p q h
  grind

theorem peirce : ∀ (a b : Prop), ((a → b) → a) → a := by
  intro a b h
  grind

theorem involution_step : ∀ (f : Nat → Nat), (∀ a, f (f a) = a) → ∀ a, f (f (f a)) = f a := by
  intro f h a
  grind

theorem no_counterexample : ∀ (p q : Nat → Prop), ¬ (∃ x, p x ∧ ¬ q x) → ∀ x, p x → q x := by
  intro p q h x hx
  grind

theorem constant_after_step : ∀ (f : Nat → Nat), (∀ a, f (a + 1) = f a) → f 3 = f 0 := by
  intro f h
  grind

theorem step_once : ∀ (p : Nat → Prop), p 5 → (∀ n, p n → p (n + 2)) → p 9 := by
  intro p h1 h2
  grind

theorem second_argument : ∀ (f : Nat → Nat → Nat), (∀ m, f m 0 = m) → (∀ m n, f m (n + 1) = f m n + 1) → ∀ m, f m 2 = m + 2 := by
  intro f hf0 hf m
  grind

theorem smaller_exists : ∀ (f : Nat → Nat), (∀ n, f (n + 1) ≤ f n) → ∀ n, f (n + 2) ≤ f n := by
  intro f h n
  grind

theorem power_positive : ∀ a n : Nat, 2 ≤ a → 0 < a ^ n := by
  intro a n h
  induction n with | zero => ?_ | succ n ih => ?_
  simp
  rw [Nat.pow_succ]
  exact Nat.mul_pos ih (by omega)

theorem linear_bounds : ∀ a b c : Nat, a ≤ b → b + 3 ≤ c → 2 * a + 6 ≤ 2 * c := by
  intro a b c h1 h2
  omega

theorem integer_linear : ∀ a b : Int, a < b → 3 * a + 2 < 3 * b := by
  intro a b h
  omega

theorem average : ∀ a b : Nat, a ≤ b → a ≤ (a + b) / 2 ∧ (a + b) / 2 ≤ b := by
  intro a b h
  omega

theorem sum_bound : ∀ a b c : Nat, a + b ≤ 10 → b + c ≤ 12 → a + c ≤ 14 → a + b + c ≤ 18 := by
  intro a b c h1 h2 h3
  omega

theorem strict_chain : ∀ a b c : Int, a < b → b < c → a + 2 ≤ c := by
  intro a b c h1 h2
  omega

theorem product_expanded : ∀ a b : Int, (a + b) * (a - b) = a * a - b * b := by
  intro a b
  grind

theorem cube_expanded : ∀ a b : Int, (a + b) * (a + b) * (a + b) = a * a * a + 3 * a * a * b + 3 * a * b * b + b * b * b := by
  intro a b
  grind

theorem square_equation : ∀ a b c : Int, a + b = c → a * a + 2 * a * b + b * b = c * c := by
  intro a b c h
  grind

theorem difference_small : ∀ a b : Nat, a ≤ b + 4 → b ≤ a + 4 → a < b + 5 ∧ b < a + 5 := by
  intro a b h1 h2
  omega

theorem length_of_three : ∀ (xs ys : List Nat), (xs ++ ys ++ xs).length = 2 * xs.length + ys.length := by
  intro xs ys
  simp
  omega

theorem member_of_append : ∀ (xs ys : List Nat) (a : Nat), a ∈ xs → a ∈ ys ++ xs := by
  intro xs ys a h
  simp [h]

theorem reverse_length : ∀ (xs ys : List Nat), (xs ++ ys).reverse.length = ys.length + xs.length := by
  intro xs ys
  simp

theorem map_twice : ∀ (xs : List Nat), (xs.map (fun x => x + 2)).map (fun x => x + 3) = xs.map (fun x => x + 5) := by
  intro xs
  simp

theorem empty_append : ∀ (xs ys : List Nat), xs ++ ys = [] → ys ++ xs = [] := by
  intro xs ys h
  simp_all

theorem head_of_cons : ∀ (f : List Nat → Nat), (∀ x xs, f (x :: xs) = x) → ∀ x y xs, f (x :: y :: xs) ≤ x + y := by
  intro f hf x y xs
  grind

theorem two_members : ∀ (f : List Nat → Nat), f [] = 0 → (∀ x xs, f (x :: xs) = x + f xs) → ∀ x y, f [x, y] = f [y, x] := by
  intro f hf0 hf x y
  grind

theorem same_length : ∀ (xs ys : List Nat), xs = ys → xs.length + 1 = ys.length + 1 := by
  intro xs ys h
  grind

theorem first_value : ∀ (f : Nat → Nat), f 0 = 3 → (∀ n, f (n + 1) = f n + n) → f 3 = 6 := by
  intro f hf0 hf
  grind

theorem second_value : ∀ (f : Nat → Nat), f 0 = 1 → (∀ n, f (n + 1) = 3 * f n) → f 2 = 9 := by
  intro f hf0 hf
  grind

theorem next_is_larger : ∀ (f : Nat → Nat), (∀ n, f (n + 1) = f n + 2 * n + 1) → ∀ n, f n < f (n + 1) := by
  intro f hf n
  grind

theorem next_is_even : ∀ (f : Nat → Nat), (∀ n, f (n + 1) = 4 * f n + 2) → ∀ n, f (n + 1) % 2 = 0 := by
  intro f hf n
  grind

theorem two_steps : ∀ (f : Nat → Nat), (∀ n, f (n + 1) = 2 * f n + 3) → ∀ n, f (n + 2) = 4 * f n + 9 := by
  intro f hf n
  grind

theorem difference_kept : ∀ (f g : Nat → Nat), (∀ n, f (n + 1) = f n + n) → (∀ n, g (n + 1) = g n + n) → ∀ n, f n < g n → f (n + 1) < g (n + 1) := by
  intro f g hf hg n h
  grind

theorem numbers_divide : ∀ a b : Nat, 4 ∣ a → 5 ∣ b → 20 ∣ a * b := by
  intro a b h1 h2
  exact Nat.mul_dvd_mul h1 h2

theorem mod_of_sum : ∀ a b : Nat, a % 6 = 2 → b % 6 = 3 → (a + b) % 6 = 5 := by
  intro a b h1 h2
  omega

theorem mod_scaled : ∀ n : Nat, n % 5 = 3 → (4 * n) % 5 = 2 := by
  intro n h
  omega

theorem mod_of_multiple : ∀ n : Nat, (12 * n + 7) % 4 = 3 := by
  intro n
  omega

theorem divides_sum : ∀ a b : Nat, 8 ∣ a → 8 ∣ b → 8 ∣ a + 3 * b := by
  intro a b h1 h2
  omega

theorem coarser_modulus : ∀ n : Nat, n % 20 = 13 → n % 4 = 1 ∧ n % 5 = 3 := by
  intro n h
  omega

theorem divides_product : ∀ a b c : Nat, a ∣ b → a ∣ b * c * c := by
  intro a b c h
  grind

theorem not_both : ∀ n : Nat, ¬ (n % 6 = 1 ∧ n % 4 = 0) := by
  intro n h
  omega

theorem remainder_small : ∀ n : Nat, n % 9 < 9 ∧ n % 9 ≤ n := by
  intro n
  omega

theorem integer_mod : ∀ n : Int, n % 3 = 2 → (n + 4) % 3 = 0 := by
  intro n h
  omega
