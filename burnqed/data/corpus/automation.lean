/-! What the automation closes once the hypotheses are named: when to stop is also to be learned. -/

theorem not_or_left : ∀ p q : Prop, ¬(p ∨ q) → ¬p := by
  intro p q h
  grind

theorem not_and_of_not : ∀ p q r : Prop, ¬p → ¬(p ∧ (q ∨ r)) := by
  intro p q r h
  grind

theorem not_and_iff : ∀ p q : Prop, ¬(p ∧ q) ↔ (p → ¬q) := by
  intro p q
  simp

theorem or_absorbs : ∀ p q : Prop, p ∨ (p ∧ q) ↔ p := by
  intro p q
  grind

theorem and_absorbs : ∀ p q : Prop, p ∧ (p ∨ q) ↔ p := by
  intro p q
  grind

theorem or_not_absorbs : ∀ p q : Prop, p ∨ (¬p ∧ q) ↔ p ∨ q := by
  intro p q
  grind

theorem and_not_absorbs : ∀ p q : Prop, p ∧ (¬p ∨ q) ↔ p ∧ q := by
  intro p q
  grind

theorem imp_as_or_by_automation : ∀ p q : Prop, (p → q) ↔ (¬p ∨ q) := by
  intro p q
  grind

theorem not_imp_as_and : ∀ p q : Prop, ¬(p → q) ↔ (p ∧ ¬q) := by
  intro p q
  simp

theorem three_cases : ∀ p q r s : Prop, p ∨ q ∨ r → (p → s) → (q → s) → (r → s) → s := by
  intro p q r s h1 h2 h3 h4
  grind

theorem resolve_middle : ∀ p q r : Prop, (p ∨ q ∨ r) → ¬q → p ∨ r := by
  intro p q r h1 h2
  grind

theorem resolution : ∀ p q r : Prop, (p ∨ q) → (¬p ∨ r) → q ∨ r := by
  intro p q r h1 h2
  grind

theorem both_ways_out : ∀ p q : Prop, (p → q) → (¬p → q) → q := by
  intro p q h1 h2
  grind

theorem clavius : ∀ p : Prop, (¬p → p) → p := by
  intro p h
  grind

theorem peirce_with_and : ∀ p q r : Prop, ((p → q ∧ r) → p) → p := by
  intro p q r h
  grind

theorem iff_of_both : ∀ p q : Prop, p → q → (p ↔ q) := by
  intro p q h1 h2
  grind

theorem iff_of_neither : ∀ p q : Prop, ¬p → ¬q → (p ↔ q) := by
  intro p q h1 h2
  grind

theorem iff_negated : ∀ p q : Prop, (¬p ↔ ¬q) ↔ (p ↔ q) := by
  intro p q
  grind

theorem iff_chain_three : ∀ p q r s : Prop, (p ↔ q) → (q ↔ r) → (r ↔ s) → (s ↔ p) := by
  intro p q r s h1 h2 h3
  grind

theorem iff_cycle : ∀ p q r : Prop, (p → q) → (q → r) → (r → p) → (p ↔ r) := by
  intro p q r h1 h2 h3
  grind

theorem iff_assoc_left : ∀ p q r : Prop, ((p ↔ q) ↔ r) → (p ↔ (q ↔ r)) := by
  intro p q r h
  grind

theorem iff_and_self : ∀ p q : Prop, (p ↔ p ∧ q) ↔ (p → q) := by
  intro p q
  simp

theorem iff_or_self : ∀ p q : Prop, (q ↔ p ∨ q) ↔ (p → q) := by
  intro p q
  simp

theorem curry_twice : ∀ p q r s : Prop, (p ∧ q ∧ r → s) ↔ (p → q → r → s) := by
  intro p q r s
  simp

theorem or_to_and_of_imps : ∀ p q r s : Prop, (p ∨ q ∨ r → s) → (p → s) ∧ (q → s) ∧ (r → s) := by
  intro p q r s h
  grind

theorem contrapositive_with_side : ∀ p q r : Prop, (p ∧ q → r) → p → ¬r → ¬q := by
  intro p q r h1 h2 h3
  grind

theorem contrapositive_iff : ∀ p q : Prop, (p → q) ↔ (¬q → ¬p) := by
  intro p q
  grind

theorem contrapositive_of_or : ∀ p q r : Prop, (p ∨ q → r) → ¬r → ¬p ∧ ¬q := by
  intro p q r h1 h2
  grind

theorem exclusive : ∀ p q : Prop, (p ∨ q) → ¬(p ∧ q) → (p ↔ ¬q) := by
  intro p q h1 h2
  grind

theorem case_split : ∀ p q r : Prop, (p → q) → (¬p → r) → q ∨ r := by
  intro p q r h1 h2
  grind

theorem exportation : ∀ p q r : Prop, (p → q) → (p → r) → p → q ∧ r := by
  intro p q r h1 h2 h3
  grind

theorem merge_cases : ∀ p q r s : Prop, (p → q) → (r → s) → p ∨ r → q ∨ s := by
  intro p q r s h1 h2 h3
  grind

theorem merge_pairs : ∀ p q r s : Prop, (p → q) → (r → s) → p ∧ r → q ∧ s := by
  intro p q r s h1 h2 h3
  grind

theorem destructive_dilemma : ∀ p q r s : Prop, (p → q) → (r → s) → ¬q ∨ ¬s → ¬p ∨ ¬r := by
  intro p q r s h1 h2 h3
  grind

theorem no_contradiction : ∀ p q : Prop, ¬(p ∧ (p → q) ∧ ¬q) := by
  intro p q
  grind

theorem middle_of_three : ∀ p q : Prop, p ∨ q ∨ (¬p ∧ ¬q) := by
  intro p q
  grind

theorem imp_or_distrib : ∀ p q r : Prop, (p → q ∨ r) → (p → q) ∨ (p → r) := by
  intro p q r h
  grind

theorem and_imp_or : ∀ p q r : Prop, (p ∧ q → r) → (p → r) ∨ (q → r) := by
  intro p q r h
  grind

theorem equal_props_swap : ∀ p q r : Prop, p = q → (p ∧ r) = (q ∧ r) := by
  intro p q r h
  grind

theorem not_iff_swap : ∀ p q : Prop, ¬(p ↔ q) ↔ (¬p ↔ q) := by
  intro p q
  grind

theorem triple_negation_chain : ∀ p q : Prop, (p → q) → ¬¬p → ¬¬q := by
  intro p q h1 h2
  grind

theorem or_rotate : ∀ p q r : Prop, p ∨ q ∨ r ↔ r ∨ p ∨ q := by
  intro p q r
  grind

theorem and_rotate : ∀ p q r : Prop, p ∧ q ∧ r ↔ q ∧ r ∧ p := by
  intro p q r
  grind

theorem ex_of_ex : ∀ (p q r : Nat → Prop), (∀ x, p x → q x ∨ r x) → (∃ x, p x ∧ ¬ r x) → ∃ x, q x := by
  intro p q r h1 h2
  grind

theorem no_ex_all_not : ∀ (p : Nat → Prop), ¬ (∃ x, p x) → ∀ x, ¬ p x := by
  intro p h1 x
  grind

theorem all_or_right : ∀ (p q : Nat → Prop) (a : Nat), (∀ x, p x ∨ q x) → ¬ p a → q a := by
  intro p q a h1 h2
  grind

theorem all_and_at : ∀ (p q : Nat → Prop) (a b : Nat), (∀ x, p x ∧ q x) → p a ∧ q b := by
  intro p q a b h
  grind

theorem ex_and_left : ∀ (p q : Nat → Prop), (∃ x, p x ∧ q x) → ∃ x, q x ∧ p x := by
  intro p q h
  grind

theorem all_const_imp : ∀ (p : Nat → Prop) (c : Prop), (∀ x, c → p x) ↔ (c → ∀ x, p x) := by
  intro p c
  grind

theorem and_ex_const : ∀ (p : Nat → Prop) (c : Prop), (∃ x, c ∧ p x) ↔ c ∧ ∃ x, p x := by
  intro p c
  simp

theorem three_forward : ∀ (p : Nat → Prop) (a : Nat), p a → (∀ x, p x → p (x + 4)) → p (a + 8) := by
  intro p a h1 h2
  grind

theorem steps_of_three : ∀ (p : Nat → Prop), p 1 → (∀ n, p n → p (n + 3)) → p 10 := by
  intro p h1 h2
  grind

theorem steps_of_five : ∀ (p : Nat → Prop), p 0 → (∀ n, p n → p (n + 5)) → p 15 := by
  intro p h1 h2
  grind

theorem doubling_steps : ∀ (p : Nat → Prop), p 1 → (∀ n, p n → p (2 * n)) → p 8 := by
  intro p h1 h2
  grind

theorem squaring_steps : ∀ (p : Nat → Prop), p 2 → (∀ n, p n → p (n * n)) → p 16 := by
  intro p h1 h2
  grind

theorem two_rules : ∀ (p : Nat → Prop), p 0 → (∀ n, p n → p (n + 2)) → (∀ n, p n → p (n + 3)) → p 7 := by
  intro p h1 h2 h3
  grind

theorem down_steps : ∀ (p : Nat → Prop), p 6 → (∀ n, p (n + 1) → p n) → p 3 := by
  intro p h1 h2
  grind

theorem mutual_steps : ∀ (p q : Nat → Prop), p 0 → (∀ n, p n → q (n + 1)) → (∀ n, q n → p (n + 1)) → p 4 := by
  intro p q h1 h2 h3
  grind

theorem relation_chain : ∀ (r : Nat → Nat → Prop), (∀ a b c, r a b → r b c → r a c) → ∀ a b c d, r a b → r b c → r c d → r a d := by
  intro r h1 a b c d h2 h3 h4
  grind

theorem relation_symmetric : ∀ (r : Nat → Nat → Prop), (∀ a b, r a b → r b a) → ∀ a b, ¬ r a b → ¬ r b a := by
  intro r h1 a b h2
  grind

theorem relation_total : ∀ (r : Nat → Nat → Prop), (∀ a b, r a b ∨ r b a) → ∀ a, r a a := by
  intro r h a
  grind

theorem relation_euclid : ∀ (r : Nat → Nat → Prop), (∀ a, r a a) → (∀ a b c, r a b → r a c → r b c) → ∀ a b, r a b → r b a := by
  intro r h1 h2 a b h3
  grind

theorem relation_irreflexive : ∀ (r : Nat → Nat → Prop), (∀ a, ¬ r a a) → (∀ a b c, r a b → r b c → r a c) → ∀ a b, r a b → ¬ r b a := by
  intro r h1 h2 a b h3
  grind

theorem only_one : ∀ (p : Nat → Prop), (∀ x y, p x → p y → x = y) → ∀ a b c, p a → p b → p c → a = c := by
  intro p h1 a b c h2 h3 h4
  grind

theorem apart : ∀ (p : Nat → Prop) (a b : Nat), p a → ¬ p b → a ≠ b := by
  intro p a b h1 h2
  grind

theorem all_of_equal : ∀ (p : Nat → Prop) (a b : Nat), a = b → p a → p b := by
  intro p a b h1 h2
  grind

theorem unless : ∀ (p q : Nat → Prop), (∀ x, ¬ p x → q x) → ∀ x, ¬ q x → p x := by
  intro p q h1 x h2
  grind

theorem subset_chain : ∀ (p q r : Nat → Prop), (∀ x, p x → q x) → (∀ x, q x → r x) → ∀ x, ¬ r x → ¬ p x := by
  intro p q r h1 h2 x h3
  grind

theorem disjoint_sets : ∀ (p q : Nat → Prop), (∀ x, ¬ (p x ∧ q x)) → ∀ a b, p a → q b → a ≠ b := by
  intro p q h1 a b h2 h3
  grind

theorem drinker_half : ∀ (p : Nat → Prop) (a : Nat), (∀ x, p x) → p a ∧ p (a + 1) := by
  intro p a h
  grind

theorem value_two_steps : ∀ (f : Nat → Nat), f 1 = 4 → (∀ n, f (n + 1) = f n + 7) → f 3 = 18 := by
  intro f h1 h2
  grind

theorem value_doubling : ∀ (f : Nat → Nat), f 0 = 5 → (∀ n, f (n + 1) = 2 * f n) → f 3 = 40 := by
  intro f h1 h2
  grind

theorem value_affine : ∀ (f : Nat → Nat), f 0 = 1 → (∀ n, f (n + 1) = 3 * f n + 1) → f 3 = 40 := by
  intro f h1 h2
  grind

theorem value_with_index : ∀ (f : Nat → Nat), f 0 = 2 → (∀ n, f (n + 1) = f n + 3 * n) → f 4 = 20 := by
  intro f h1 h2
  grind

theorem value_square_steps : ∀ (f : Nat → Nat), f 0 = 1 → (∀ n, f (n + 1) = f n + 2 * n + 1) → f 5 = 26 := by
  intro f h1 h2
  grind

theorem value_lucas : ∀ (f : Nat → Nat), f 0 = 2 → f 1 = 1 → (∀ n, f (n + 2) = f (n + 1) + f n) → f 6 = 18 := by
  intro f h1 h2 h3
  grind

theorem value_pell : ∀ (f : Nat → Nat), f 0 = 0 → f 1 = 1 → (∀ n, f (n + 2) = 2 * f (n + 1) + f n) → f 4 = 12 := by
  intro f h1 h2 h3
  grind

theorem value_alternating : ∀ (f : Nat → Int), f 0 = 3 → (∀ n, f (n + 1) = 1 - f n) → f 3 = -2 := by
  intro f h1 h2
  grind

theorem value_integer : ∀ (f : Nat → Int), f 0 = -4 → (∀ n, f (n + 1) = f n + 3) → f 3 = 5 := by
  intro f h1 h2
  grind

theorem value_factorials : ∀ (f : Nat → Nat), f 0 = 1 → (∀ n, f (n + 1) = (n + 1) * f n) → f 4 = 24 := by
  intro f h1 h2
  grind

theorem value_composed : ∀ (f g : Nat → Nat), (∀ n, f n = n + 3) → (∀ n, g n = 2 * n) → g (f 5) = 16 := by
  intro f g h1 h2
  grind

theorem value_pointwise : ∀ (f : Nat → Nat), (∀ n, f n = n * n + n) → f 3 = 12 := by
  intro f h
  grind

theorem value_two_arguments : ∀ (f : Nat → Nat → Nat), (∀ a b, f a b = a * b + a) → f 3 4 = 15 := by
  intro f h
  grind

theorem value_of_list : ∀ (f : List Nat → Nat), f [] = 0 → (∀ x xs, f (x :: xs) = f xs + x) → f [1, 2, 3] = 6 := by
  intro f h1 h2
  grind

theorem value_of_long_list : ∀ (f : List Nat → Nat), f [] = 1 → (∀ x xs, f (x :: xs) = 2 * f xs) → ∀ x y z, f [x, y, z] = 8 := by
  intro f h1 h2 x y z
  grind

theorem swap_two_elements : ∀ (f : List Nat → Nat), (∀ x xs, f (x :: xs) = f xs + x * x) → ∀ x y xs, f (x :: y :: xs) = f (y :: x :: xs) := by
  intro f h x y xs
  grind

theorem list_step_grows : ∀ (f : List Nat → Nat), (∀ x xs, f (x :: xs) = f xs + x + 1) → ∀ x xs, f xs < f (x :: xs) := by
  intro f h x xs
  grind

theorem step_twice : ∀ (f : Nat → Nat), (∀ n, f (n + 1) = f n + 5) → ∀ n, f (n + 2) = f n + 10 := by
  intro f h n
  grind

theorem step_twice_affine : ∀ (f : Nat → Nat), (∀ n, f (n + 1) = 3 * f n + 1) → ∀ n, f (n + 2) = 9 * f n + 4 := by
  intro f h n
  grind

theorem step_twice_index : ∀ (f : Nat → Nat), (∀ n, f (n + 1) = f n + n) → ∀ n, f (n + 2) = f n + 2 * n + 1 := by
  intro f h n
  grind

theorem step_thrice : ∀ (f : Nat → Nat), (∀ n, f (n + 1) = f n + 2) → ∀ n, f (n + 3) = f n + 6 := by
  intro f h n
  grind

theorem step_is_even : ∀ (f : Nat → Nat), (∀ n, f (n + 1) = 6 * f n + 4) → ∀ n, f (n + 1) % 2 = 0 := by
  intro f h n
  grind

theorem step_is_odd : ∀ (f : Nat → Nat), (∀ n, f (n + 1) = 2 * f n + 5) → ∀ n, f (n + 1) % 2 = 1 := by
  intro f h n
  grind

theorem step_mod_three : ∀ (f : Nat → Nat), (∀ n, f (n + 1) = f n + 9) → ∀ n, f n % 3 = 1 → f (n + 1) % 3 = 1 := by
  intro f h1 n h2
  grind

theorem step_mod_moves : ∀ (f : Nat → Nat), (∀ n, f (n + 1) = f n + 7) → ∀ n, f n % 5 = 1 → f (n + 1) % 5 = 3 := by
  intro f h1 n h2
  grind

theorem step_rises : ∀ (f : Nat → Nat), (∀ n, f (n + 1) = f n + 3 * n + 2) → ∀ n, f n + 1 < f (n + 1) := by
  intro f h n
  grind

theorem step_bound : ∀ (f : Nat → Nat), (∀ n, f (n + 1) ≤ f n + 2) → ∀ n, f (n + 3) ≤ f n + 6 := by
  intro f h n
  grind

theorem step_falls : ∀ (f : Nat → Int), (∀ n, f (n + 1) < f n) → ∀ n, f (n + 2) + 1 < f n := by
  intro f h n
  grind

theorem step_positive : ∀ (f : Nat → Nat), (∀ n, f (n + 1) = 4 * f n + 3) → ∀ n, 0 < f (n + 1) := by
  intro f h n
  grind

theorem two_step_sum : ∀ (f : Nat → Nat), (∀ n, f (n + 2) = f (n + 1) + f n) → ∀ n, f (n + 3) = 2 * f (n + 1) + f n := by
  intro f h n
  grind

theorem two_step_parity : ∀ (f : Nat → Nat), (∀ n, f (n + 2) = f (n + 1) + f n) → ∀ n, (f (n + 2) + f (n + 1) + f n) % 2 = 0 := by
  intro f h n
  grind

theorem shift_injective : ∀ (f : Nat → Nat), (∀ n, f n = n + 9) → ∀ a b, f a = f b → a = b := by
  intro f h1 a b h2
  grind

theorem affine_injective : ∀ (f : Int → Int), (∀ n, f n = 5 * n - 2) → ∀ a b, f a = f b → a = b := by
  intro f h1 a b h2
  grind

theorem affine_monotone : ∀ (f : Nat → Nat), (∀ n, f n = 4 * n + 1) → ∀ a b, a ≤ b → f a ≤ f b := by
  intro f h1 a b h2
  grind

theorem composed_affine : ∀ (f g : Nat → Nat), (∀ n, f n = 2 * n + 1) → (∀ n, g n = n + 4) → ∀ n, f (g n) = 2 * n + 9 := by
  intro f g h1 h2 n
  grind

theorem composed_commute : ∀ (f g : Nat → Nat), (∀ n, f n = n + 3) → (∀ n, g n = n + 8) → ∀ n, f (g n) = g (f n) := by
  intro f g h1 h2 n
  grind

theorem involution_injective_by_automation : ∀ (f : Int → Int), (∀ x, f (f x) = x) → ∀ a b, f a = b → f b = a := by
  intro f h1 a b h2
  grind

theorem successor_root : ∀ (f : Nat → Nat), (∀ n, f (f n) = n + 3) → ∀ n, f (n + 3) = f n + 3 := by
  intro f h n
  grind

theorem left_inverse_twice : ∀ (f g : Nat → Nat), (∀ n, g (f n) = n) → ∀ n, g (g (f (f n))) = n := by
  intro f g h n
  grind

theorem constant_twice : ∀ (f : Nat → Nat), (∀ a b, f a = f b) → ∀ n, f (f n) = f n := by
  intro f h n
  grind

theorem constant_steps : ∀ (f : Nat → Nat), (∀ n, f (n + 2) = f n) → f 6 = f 0 := by
  intro f h
  grind

theorem periodic_steps : ∀ (f : Nat → Nat), (∀ n, f (n + 3) = f n) → f 7 = f 1 := by
  intro f h
  grind

theorem additive_three : ∀ (f : Nat → Nat), (∀ a b, f (a + b) = f a + f b) → ∀ n, f (n + n + n) = 3 * f n := by
  intro f h n
  simp_all <;> omega

theorem odd_function : ∀ (f : Int → Int), (∀ a, f (-a) = -f a) → f 0 = 0 := by
  intro f h
  grind

theorem even_function : ∀ (f : Int → Int), (∀ a, f (-a) = f a) → ∀ a b, f a = b → f (-a) = b := by
  intro f h1 a b h2
  grind

theorem argument_two : ∀ (f : Nat → Nat → Nat), (∀ m, f m 0 = 2 * m) → (∀ m n, f m (n + 1) = f m n + 3) → ∀ m, f m 2 = 2 * m + 6 := by
  intro f h1 h2 m
  grind

theorem fixed_by_both : ∀ (f g : Nat → Nat) (a : Nat), f a = a → g a = a → f (g (f a)) = a := by
  intro f g a h1 h2
  grind

theorem agree_on_sum : ∀ (f g h : Nat → Nat), (∀ n, f n = g n) → (∀ n, g n = h n) → ∀ a b, f a + h b = h a + f b := by
  intro f g h h1 h2 a b
  grind

theorem greater_everywhere : ∀ (f g : Nat → Nat), (∀ n, f n < g n) → ∀ n, f n + 1 ≤ g n := by
  intro f g h n
  grind

theorem bounded_sum : ∀ (f g : Nat → Nat), (∀ n, f n ≤ 3) → (∀ n, g n ≤ 4) → ∀ a b, f a + g b ≤ 7 := by
  intro f g h1 h2 a b
  grind

theorem length_three : ∀ (xs ys zs : List Nat), (xs ++ ys ++ zs).length = xs.length + ys.length + zs.length := by
  intro xs ys zs
  grind

theorem length_map_append : ∀ (f : Nat → Nat) (xs ys : List Nat), ((xs ++ ys).map f).length = xs.length + ys.length := by
  intro f xs ys
  simp

theorem reverse_two : ∀ (xs : List Nat) (x y : Nat), (xs ++ [x, y]).reverse = y :: x :: xs.reverse := by
  intro xs x y
  simp

theorem map_reverse_append : ∀ (f : Nat → Nat) (xs ys : List Nat), (xs ++ ys).reverse.map f = ys.reverse.map f ++ xs.reverse.map f := by
  intro f xs ys
  simp

theorem map_three_times : ∀ (xs : List Nat), ((xs.map (· + 1)).map (· + 2)).map (· + 4) = xs.map (fun x => x + 7) := by
  intro xs
  simp

theorem map_square : ∀ (xs : List Nat) (x : Nat), (x :: xs).map (fun a => a * a) = x * x :: xs.map (fun a => a * a) := by
  intro xs x
  rfl

theorem mem_middle : ∀ (xs ys : List Nat) (a : Nat), a ∈ xs ++ a :: ys := by
  intro xs ys a
  simp

theorem mem_append_swap : ∀ (xs ys : List Nat) (a : Nat), a ∈ xs ++ ys → a ∈ ys ++ xs := by
  intro xs ys a h
  grind

theorem mem_of_tail : ∀ (xs : List Nat) (a b c : Nat), a ∈ xs → a ∈ b :: c :: xs := by
  intro xs a b c h
  grind

theorem mem_reverse_append : ∀ (xs ys : List Nat) (a : Nat), a ∈ xs.reverse ++ ys ↔ a ∈ xs ∨ a ∈ ys := by
  intro xs ys a
  simp

theorem mem_two : ∀ (a b c : Nat), a ∈ [b, c] → a = b ∨ a = c := by
  intro a b c h
  grind

theorem mem_not_cons : ∀ (xs : List Nat) (a b : Nat), a ∉ b :: xs → a ∉ xs := by
  intro xs a b h
  grind

theorem cons_injective : ∀ (xs ys : List Nat) (a b : Nat), a :: xs = b :: ys → a = b ∧ xs = ys := by
  intro xs ys a b h
  grind

theorem cons_not_nil : ∀ (xs : List Nat) (a : Nat), a :: xs ≠ [] := by
  intro xs a
  simp

theorem append_nil_both_by_automation : ∀ (xs ys : List Nat), xs = [] → ys = [] → xs ++ ys = [] := by
  intro xs ys h1 h2
  grind

theorem append_right_equal : ∀ (xs ys zs : List Nat), ys ++ xs = zs ++ xs → ys = zs := by
  intro xs ys zs h
  simp_all

theorem append_four : ∀ (xs ys zs ws : List Nat), (xs ++ ys) ++ (zs ++ ws) = xs ++ (ys ++ zs) ++ ws := by
  intro xs ys zs ws
  simp

theorem append_one : ∀ (xs ys : List Nat) (a : Nat), xs ++ a :: ys = xs ++ [a] ++ ys := by
  intro xs ys a
  simp

theorem length_positive : ∀ (xs : List Nat) (a : Nat), 0 < (a :: xs).length := by
  intro xs a
  simp

theorem length_cons_lt : ∀ (xs : List Nat) (a b : Nat), xs.length + 1 < (a :: b :: xs).length := by
  intro xs a b
  simp

theorem length_of_equal : ∀ (xs ys : List Nat), xs = ys → 2 * xs.length = xs.length + ys.length := by
  intro xs ys h
  grind

theorem length_bound : ∀ (xs ys : List Nat), (xs ++ ys).length ≤ 5 → xs.length ≤ 5 := by
  intro xs ys h
  grind

theorem head_after_cons : ∀ (xs : List Nat) (a : Nat), (a :: xs).head? = some a := by
  intro xs a
  rfl

theorem tail_after_cons : ∀ (xs : List Nat) (a b : Nat), (a :: b :: xs).tail = b :: xs := by
  intro xs a b
  rfl

theorem reverse_one : ∀ (a : Nat), [a].reverse = [a] := by
  intro a
  rfl

theorem reverse_injective : ∀ (xs ys : List Nat), xs.reverse = ys.reverse → xs = ys := by
  intro xs ys h
  simp_all

theorem reverse_nil : ∀ (xs : List Nat), xs.reverse = [] → xs = [] := by
  intro xs h
  simp_all

theorem replicate_length : ∀ (n a : Nat), (List.replicate n a).length = n := by
  intro n a
  simp

theorem take_all : ∀ (xs : List Nat), xs.take xs.length = xs := by
  intro xs
  simp

theorem drop_all : ∀ (xs : List Nat), xs.drop xs.length = [] := by
  intro xs
  simp

theorem filter_true : ∀ (xs : List Nat), xs.filter (fun _ => true) = xs := by
  intro xs
  simp

theorem filter_false : ∀ (xs : List Nat), xs.filter (fun _ => false) = [] := by
  intro xs
  simp

theorem filter_append : ∀ (p : Nat → Bool) (xs ys : List Nat), (xs ++ ys).filter p = xs.filter p ++ ys.filter p := by
  intro p xs ys
  simp

theorem foldr_two : ∀ (a b : Nat), [a, b].foldr (fun x y => x + y) 0 = a + b := by
  intro a b
  rfl

theorem sum_two : ∀ (a b : Nat), [a, b].sum = b + a := by
  intro a b
  grind

theorem sum_cons_two : ∀ (xs : List Nat) (a b : Nat), (a :: b :: xs).sum = a + b + xs.sum := by
  intro xs a b
  grind

theorem flatten_two : ∀ (xs ys : List Nat), [xs, ys].flatten = xs ++ ys := by
  intro xs ys
  simp

theorem zip_nil : ∀ (xs : List Nat), xs.zip ([] : List Nat) = [] := by
  intro xs
  simp

theorem all_members : ∀ (p : Nat → Prop) (xs : List Nat) (a : Nat), (∀ x ∈ a :: xs, p x) → p a := by
  intro p xs a h
  grind

theorem all_members_tail : ∀ (p : Nat → Prop) (xs : List Nat) (a : Nat), (∀ x ∈ a :: xs, p x) → ∀ x ∈ xs, p x := by
  intro p xs a h x hm
  grind

theorem some_member : ∀ (p : Nat → Prop) (xs ys : List Nat), (∃ x ∈ xs, p x) → ∃ x ∈ xs ++ ys, p x := by
  intro p xs ys h
  grind

theorem pair_swap_fst : ∀ p : Nat × Nat, (p.2, p.1).1 = p.2 := by
  intro p
  rfl

theorem pair_sum : ∀ a b c d : Nat, (a, b) = (c, d) → a + d = c + b := by
  intro a b c d h
  grind

theorem pair_first : ∀ a b c d : Nat, (a, b) = (c, d) → a = c := by
  intro a b c d h
  grind

theorem some_not_none : ∀ (x : Option Nat) (a : Nat), x = some a → x ≠ none := by
  intro x a h
  grind

theorem option_map_some_by_automation : ∀ (f : Nat → Nat) (a : Nat), (some a).map f = some (f a) := by
  intro f a
  rfl

theorem option_map_none_by_automation : ∀ (f g : Nat → Nat), (none : Option Nat).map f = none.map g := by
  intro f g
  rfl

theorem option_default : ∀ (a b : Nat), (some a).getD b = a := by
  intro a b
  rfl

theorem option_or : ∀ (x : Option Nat) (a : Nat), ((some a).or x) = some a := by
  intro x a
  rfl

theorem bool_cases_by_automation : ∀ b : Bool, b = true ∨ b = false := by
  intro b
  simp

theorem bool_and_swap : ∀ a b : Bool, (a && b) = (b && a) := by
  intro a b
  grind

theorem bool_de_morgan : ∀ a b : Bool, (!(a && b)) = (!a || !b) := by
  intro a b
  simp

theorem bool_not_not : ∀ a : Bool, (!(!a)) = a := by
  intro a
  simp

theorem bool_or_assoc : ∀ a b c : Bool, (a || (b || c)) = ((a || b) || c) := by
  intro a b c
  grind

theorem bool_xor_self_by_automation : ∀ a : Bool, (a ^^ a) = false := by
  intro a
  simp

theorem sum_of_small : ∀ a b : Nat, a ≤ 4 → b ≤ 5 → a + b ≤ 9 := by
  intro a b h1 h2
  omega

theorem sum_bounds_three : ∀ a b c : Nat, a < b → b < c → a + 2 ≤ c := by
  intro a b c h1 h2
  omega

theorem strict_chain_four : ∀ a b c d : Int, a < b → b < c → c < d → a + 3 ≤ d := by
  intro a b c d h1 h2 h3
  omega

theorem double_inj : ∀ a b : Nat, 2 * a = 2 * b → a = b := by
  intro a b h
  omega

theorem mixed_inj : ∀ a b : Nat, 3 * a + 4 = 3 * b + 7 → a = b + 1 := by
  intro a b h
  omega

theorem three_equations : ∀ a b c : Nat, a = b + 1 → b = c + 1 → a = c + 2 := by
  intro a b c h1 h2
  omega

theorem solve_two : ∀ x y : Int, x + y = 10 → x - y = 4 → x = 7 := by
  intro x y h1 h2
  omega

theorem solve_two_scaled : ∀ x y : Int, 2 * x + y = 7 → x + 2 * y = 8 → x + y = 5 := by
  intro x y h1 h2
  omega

theorem no_solution_parity : ∀ a b : Int, 2 * a ≠ 2 * b + 1 := by
  intro a b
  omega

theorem no_solution_three : ∀ a b : Nat, 6 * a + 3 * b ≠ 10 := by
  intro a b
  omega

theorem min_le_max : ∀ a b : Nat, min a b ≤ max a b := by
  intro a b
  omega

theorem min_plus_max : ∀ a b : Nat, min a b + max a b = a + b := by
  intro a b
  omega

theorem max_of_sum : ∀ a b c : Nat, max (a + c) (b + c) = max a b + c := by
  intro a b c
  omega

theorem min_of_sum : ∀ a b c : Nat, min (a + c) (b + c) = min a b + c := by
  intro a b c
  omega

theorem max_lt : ∀ a b c : Nat, a < c → b < c → max a b < c := by
  intro a b c h1 h2
  omega

theorem min_max_absorb : ∀ a b : Nat, min a (max a b) = a := by
  intro a b
  omega

theorem max_min_absorb : ∀ a b : Nat, max a (min b a) = a := by
  intro a b
  omega

theorem max_three_swap : ∀ a b c : Int, max (max a b) c = max b (max c a) := by
  intro a b c
  omega

theorem min_double : ∀ a b : Nat, min (2 * a) (2 * b) = 2 * min a b := by
  intro a b
  omega

theorem sub_then_add : ∀ a b : Nat, b ≤ a → a - b + b = a := by
  intro a b h
  omega

theorem sub_zero_of_le : ∀ a b : Nat, a ≤ b → a - b = 0 := by
  intro a b h
  omega

theorem sub_sub_swap : ∀ a b c : Nat, a - b - c = a - c - b := by
  intro a b c
  omega

theorem sub_of_add : ∀ a b c : Nat, a + b - (a + c) = b - c := by
  intro a b c
  omega

theorem add_sub_max : ∀ a b : Nat, a - b + b = max a b := by
  intro a b
  omega

theorem abs_triangle : ∀ a b : Int, (a + b).natAbs ≤ a.natAbs + b.natAbs := by
  intro a b
  omega

theorem abs_zero : ∀ a : Int, a.natAbs = 0 → a = 0 := by
  intro a h
  grind

theorem square_of_sum_three : ∀ a b c : Int, (a + b + c) * (a + b + c) = a * a + b * b + c * c + 2 * a * b + 2 * b * c + 2 * c * a := by
  intro a b c
  grind

theorem difference_of_cubes : ∀ a b : Int, a * a * a - b * b * b = (a - b) * (a * a + a * b + b * b) := by
  intro a b
  grind

theorem product_shift : ∀ a b : Int, (a + 3) * (b - 2) = a * b - 2 * a + 3 * b - 6 := by
  intro a b
  grind

theorem substitute_linear : ∀ a b : Int, a = 2 * b + 1 → a * a = 4 * b * b + 4 * b + 1 := by
  intro a b h
  grind

theorem substitute_product : ∀ a b c : Nat, a = b → a * c = b * c := by
  intro a b c h
  grind

theorem substitute_two : ∀ a b c d : Nat, a = c → b = d → a * b = c * d := by
  intro a b c d h1 h2
  grind

theorem product_zero_left : ∀ a b : Nat, a = 0 → a * b + b = b := by
  intro a b h
  grind

theorem products_commute : ∀ a b c : Nat, a * b * c = c * b * a := by
  intro a b c
  grind

theorem products_distribute : ∀ a b c d : Nat, (a + b) * (c + d) = a * c + a * d + b * c + b * d := by
  intro a b c d
  grind

theorem power_two : ∀ a : Nat, a ^ 2 = a * a := by
  intro a
  grind

theorem power_add_three : ∀ a n : Nat, a ^ (n + 1) = a * a ^ n := by
  intro a n
  grind

theorem power_of_two_positive : ∀ n : Nat, 0 < 2 ^ n := by
  intro n
  grind

theorem power_ten : ∀ n : Nat, n = 3 → 2 ^ n + 2 = 10 := by
  intro n h
  grind

theorem power_product : ∀ a b : Nat, (a * b) ^ 2 = a ^ 2 * b ^ 2 := by
  intro a b
  grind

theorem power_square_of_sum : ∀ a b : Nat, (a + b) ^ 2 = a ^ 2 + 2 * a * b + b ^ 2 := by
  intro a b
  grind

theorem mod_below : ∀ n : Nat, n % 7 < 7 := by
  intro n
  omega

theorem mod_twice : ∀ n : Nat, n % 4 % 4 = n % 4 := by
  intro n
  omega

theorem mod_add_multiple : ∀ n k : Nat, (n + 5 * k) % 5 = n % 5 := by
  intro n k
  omega

theorem mod_of_linear : ∀ n : Nat, (10 * n + 3) % 5 = 3 := by
  intro n
  omega

theorem mod_of_sum_eight : ∀ a b : Nat, a % 8 = 3 → b % 8 = 6 → (a + b) % 8 = 1 := by
  intro a b h1 h2
  omega

theorem mod_of_difference : ∀ a b : Int, a % 9 = 5 → b % 9 = 2 → (a - b) % 9 = 3 := by
  intro a b h1 h2
  omega

theorem mod_of_triple : ∀ a : Nat, a % 4 = 3 → (3 * a) % 4 = 1 := by
  intro a h
  omega

theorem mod_to_parity : ∀ n : Nat, n % 6 = 5 → n % 2 = 1 := by
  intro n h
  omega

theorem mod_from_parts : ∀ n : Nat, n % 2 = 1 → n % 3 = 2 → n % 6 = 5 := by
  intro n h1 h2
  omega

theorem mod_same_sum : ∀ a b c : Nat, a % 5 = b % 5 → (a + c) % 5 = (b + c) % 5 := by
  intro a b c h
  omega

theorem mod_cases_three : ∀ n : Nat, n % 3 = 0 ∨ n % 3 = 1 ∨ n % 3 = 2 := by
  intro n
  omega

theorem mod_next : ∀ n : Nat, n % 2 = 0 → (n + 1) % 2 = 1 := by
  intro n h
  omega

theorem mod_consecutive : ∀ n : Nat, (n + (n + 1) + (n + 2)) % 3 = 0 := by
  intro n
  omega

theorem div_mod_sum : ∀ n : Nat, 6 * (n / 6) + n % 6 = n := by
  intro n
  omega

theorem div_twice : ∀ n : Nat, n / 2 / 3 = n / 6 := by
  intro n
  omega

theorem div_bound : ∀ n : Nat, 4 * (n / 4) ≤ n := by
  intro n
  omega

theorem div_lower : ∀ n : Nat, n < 3 * (n / 3) + 3 := by
  intro n
  omega

theorem div_of_double : ∀ n : Nat, (2 * n + 1) / 2 = n := by
  intro n
  omega

theorem div_halves : ∀ n : Nat, (n + 1) / 3 ≤ n / 3 + 1 := by
  intro n
  omega

theorem div_monotone : ∀ a b : Nat, a ≤ b → a / 5 ≤ b / 5 := by
  intro a b h
  omega

theorem dvd_sum : ∀ a b : Nat, 4 ∣ a → 4 ∣ b → 4 ∣ a + b := by
  intro a b h1 h2
  omega

theorem dvd_cancel : ∀ a b : Nat, 7 ∣ a + b → 7 ∣ a → 7 ∣ b := by
  intro a b h1 h2
  omega

theorem dvd_weaken : ∀ n : Nat, 12 ∣ n → 4 ∣ n := by
  intro n h
  omega

theorem dvd_linear_by_automation : ∀ a b : Int, 6 ∣ a → 6 ∣ 5 * a + 12 * b := by
  intro a b h
  omega

theorem dvd_double : ∀ n : Nat, 3 ∣ 2 * n → 3 ∣ n := by
  intro n h
  omega

theorem dvd_product_more : ∀ a b c d : Nat, a ∣ b → a ∣ b * c * d := by
  intro a b c d h
  grind

theorem dvd_zero_all : ∀ a : Nat, a ∣ 0 := by
  intro a
  simp

theorem dvd_to_mod : ∀ n : Nat, 8 ∣ n → n % 8 = 0 := by
  intro n h
  omega

theorem dvd_not : ∀ n : Nat, n % 6 = 1 → ¬ 3 ∣ n := by
  intro n h
  omega

theorem small_product : ∀ a b : Nat, a = 5 → b ≤ 3 → a * b ≤ 15 := by
  intro a b h1 h2
  grind

theorem below_three : ∀ n : Nat, n < 3 → n = 0 ∨ n = 1 ∨ n = 2 := by
  intro n h
  omega

theorem between : ∀ n : Nat, 4 < n → n < 6 → n = 5 := by
  intro n h1 h2
  omega

theorem exists_sum : ∀ a : Nat, ∃ b, b = a + 7 := by
  intro a
  simp

theorem exists_equal_pair : ∃ a b : Nat, a = b + 1 ∧ b = 3 := by
  simp

theorem exists_from_bound : ∀ a b : Nat, a ≤ b → ∃ c, c = b - a := by
  intro a b h
  simp

theorem not_less_self : ∀ a b : Nat, a < b → ¬ b < a := by
  intro a b h
  omega

theorem trichotomy_three : ∀ a b : Int, a < b ∨ a = b ∨ b < a := by
  intro a b
  omega

theorem le_antisymm_three : ∀ a b c : Nat, a ≤ b → b ≤ c → c ≤ a → a = b := by
  intro a b c h1 h2 h3
  omega

theorem not_all_equal : ∀ a b c : Nat, a < b → b = c → a ≠ c := by
  intro a b c h1 h2
  omega

theorem if_true : ∀ a b : Nat, a < b → (if a < b then a else b) = a := by
  intro a b h
  grind

theorem if_same : ∀ (p : Prop) [Decidable p] (a : Nat), (if p then a else a) = a := by
  intro p hd a
  simp

theorem if_nonnegative : ∀ a : Int, 0 ≤ (if a < 0 then -a else a) := by
  intro a
  omega
