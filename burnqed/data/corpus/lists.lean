/-! Lists: functions given by their recursion on lists, homomorphisms for append, reverse, folds, membership. -/

theorem sum_append : ∀ (s : List Nat → Nat), s [] = 0 → (∀ x xs, s (x :: xs) = x + s xs) → ∀ xs ys, s (xs ++ ys) = s xs + s ys := by
  intro s hs0 hs xs ys
  induction xs with | nil => ?_ | cons x xs ih => ?_
  simp [hs0]
  rw [List.cons_append, hs, hs, ih]
  omega

theorem sum_append_int : ∀ (s : List Int → Int), s [] = 0 → (∀ x xs, s (x :: xs) = s xs + x) → ∀ xs ys, s (xs ++ ys) = s ys + s xs := by
  intro s hs0 hs xs ys
  induction xs with | nil => ?_ | cons x xs ih => ?_
  simp [hs0]
  rw [List.cons_append, hs, hs, ih]
  omega

theorem length_append_recursion : ∀ (s : List Nat → Nat), s [] = 0 → (∀ x xs, s (x :: xs) = s xs + 1) → ∀ xs ys, s (xs ++ ys) = s xs + s ys := by
  intro s hs0 hs xs ys
  induction xs with | nil => ?_ | cons x xs ih => ?_
  simp [hs0]
  rw [List.cons_append, hs, hs, ih]
  omega

theorem length_recursion : ∀ (s : List Nat → Nat), s [] = 0 → (∀ x xs, s (x :: xs) = s xs + 1) → ∀ xs, s xs = xs.length := by
  intro s hs0 hs xs
  induction xs with | nil => ?_ | cons x xs ih => ?_
  simp [hs0]
  simp [hs, ih]

theorem length_recursion_double : ∀ (s : List Nat → Nat), s [] = 0 → (∀ x xs, s (x :: xs) = s xs + 2) → ∀ xs, s xs = 2 * xs.length := by
  intro s hs0 hs xs
  induction xs with | nil => ?_ | cons x xs ih => ?_
  simp [hs0]
  rw [hs, ih, List.length_cons]
  omega

theorem product_append : ∀ (s : List Nat → Nat), s [] = 1 → (∀ x xs, s (x :: xs) = x * s xs) → ∀ xs ys, s (xs ++ ys) = s xs * s ys := by
  intro s hs0 hs xs ys
  induction xs with | nil => ?_ | cons x xs ih => ?_
  simp [hs0]
  rw [List.cons_append, hs, hs, ih]
  grind

theorem sum_reverse : ∀ (s : List Nat → Nat), s [] = 0 → (∀ x xs, s (x :: xs) = x + s xs) → (∀ xs ys, s (xs ++ ys) = s xs + s ys) → ∀ xs, s xs.reverse = s xs := by
  intro s hs0 hs h xs
  induction xs with | nil => ?_ | cons x xs ih => ?_
  simp
  rw [List.reverse_cons, h, hs, hs, hs0, ih]
  omega

theorem hom_cons : ∀ (s : List Nat → Nat), s [] = 0 → (∀ xs ys, s (xs ++ ys) = s xs + s ys) → ∀ x xs, s (x :: xs) = s [x] + s xs := by
  intro s hs0 h x xs
  have h1 := h [x] xs
  simp at h1
  exact h1

theorem hom_reverse : ∀ (s : List Nat → Nat), s [] = 0 → (∀ xs ys, s (xs ++ ys) = s xs + s ys) → ∀ xs, s xs.reverse = s xs := by
  intro s hs0 h xs
  induction xs with | nil => ?_ | cons x xs ih => ?_
  simp
  have h1 := h [x] xs
  rw [List.reverse_cons, h, ih]
  simp at h1
  omega

theorem sum_bound_list : ∀ (s : List Nat → Nat), s [] = 0 → (∀ x xs, s (x :: xs) = x + s xs) → ∀ xs, (∀ x, x ∈ xs → x ≤ 5) → s xs ≤ 5 * xs.length := by
  intro s hs0 hs xs h
  induction xs with | nil => ?_ | cons x xs ih => ?_
  simp [hs0]
  have h1 := ih (by grind)
  have h2 := h x (by simp)
  rw [hs, List.length_cons]
  omega

theorem sum_lower_list : ∀ (s : List Nat → Nat), s [] = 0 → (∀ x xs, s (x :: xs) = x + s xs) → ∀ xs, (∀ x, x ∈ xs → 1 ≤ x) → xs.length ≤ s xs := by
  intro s hs0 hs xs h
  induction xs with | nil => ?_ | cons x xs ih => ?_
  simp
  have h1 := ih (by grind)
  have h2 := h x (by simp)
  rw [hs, List.length_cons]
  omega

theorem sum_member_le : ∀ (s : List Nat → Nat), s [] = 0 → (∀ x xs, s (x :: xs) = x + s xs) → ∀ xs y, y ∈ xs → y ≤ s xs := by
  intro s hs0 hs xs y h
  induction xs with | nil => ?_ | cons x xs ih => ?_
  simp at h
  rw [hs]
  rw [List.mem_cons] at h
  rcases h with h | h
  omega
  have h1 := ih h
  omega

theorem sum_even_list : ∀ (s : List Nat → Nat), s [] = 0 → (∀ x xs, s (x :: xs) = x + s xs) → ∀ xs, (∀ x, x ∈ xs → x % 2 = 0) → s xs % 2 = 0 := by
  intro s hs0 hs xs h
  induction xs with | nil => ?_ | cons x xs ih => ?_
  simp [hs0]
  have h1 := ih (by grind)
  have h2 := h x (by simp)
  rw [hs]
  omega

theorem sum_zero_list : ∀ (s : List Nat → Nat), s [] = 0 → (∀ x xs, s (x :: xs) = x + s xs) → ∀ xs, (∀ x, x ∈ xs → x = 0) → s xs = 0 := by
  intro s hs0 hs xs h
  induction xs with | nil => ?_ | cons x xs ih => ?_
  simp [hs0]
  have h1 := ih (by grind)
  have h2 := h x (by simp)
  rw [hs]
  omega

theorem sum_dvd_list : ∀ (s : List Nat → Nat) (k : Nat), s [] = 0 → (∀ x xs, s (x :: xs) = x + s xs) → ∀ xs, (∀ x, x ∈ xs → k ∣ x) → k ∣ s xs := by
  intro s k hs0 hs xs h
  induction xs with | nil => ?_ | cons x xs ih => ?_
  simp [hs0]
  have h1 := ih (by grind)
  have h2 := h x (by simp)
  rw [hs]
  exact Nat.dvd_add h2 h1

theorem product_positive_list : ∀ (s : List Nat → Nat), s [] = 1 → (∀ x xs, s (x :: xs) = x * s xs) → ∀ xs, (∀ x, x ∈ xs → 0 < x) → 0 < s xs := by
  intro s hs0 hs xs h
  induction xs with | nil => ?_ | cons x xs ih => ?_
  simp [hs0]
  have h1 := ih (by grind)
  have h2 := h x (by simp)
  rw [hs]
  exact Nat.mul_pos h2 h1

theorem product_zero_list : ∀ (s : List Nat → Nat), s [] = 1 → (∀ x xs, s (x :: xs) = x * s xs) → ∀ xs, 0 ∈ xs → s xs = 0 := by
  intro s hs0 hs xs h
  induction xs with | nil => ?_ | cons x xs ih => ?_
  simp at h
  rw [hs]
  rw [List.mem_cons] at h
  rcases h with h | h
  simp [← h]
  simp [ih h]

theorem map_double_sum : ∀ (s : List Nat → Nat), s [] = 0 → (∀ x xs, s (x :: xs) = x + s xs) → ∀ xs, s (xs.map (fun x => 2 * x)) = 2 * s xs := by
  intro s hs0 hs xs
  induction xs with | nil => ?_ | cons x xs ih => ?_
  simp [hs0]
  rw [List.map_cons, hs, hs, ih]
  omega

theorem map_shift_sum : ∀ (s : List Nat → Nat), s [] = 0 → (∀ x xs, s (x :: xs) = x + s xs) → ∀ xs, s (xs.map (fun x => x + 1)) = s xs + xs.length := by
  intro s hs0 hs xs
  induction xs with | nil => ?_ | cons x xs ih => ?_
  simp [hs0]
  rw [List.map_cons, hs, hs, ih, List.length_cons]
  omega

theorem map_scale_sum_int : ∀ (s : List Int → Int) (c : Int), s [] = 0 → (∀ x xs, s (x :: xs) = x + s xs) → ∀ xs, s (xs.map (fun x => c * x)) = c * s xs := by
  intro s c hs0 hs xs
  induction xs with | nil => ?_ | cons x xs ih => ?_
  simp [hs0]
  rw [List.map_cons, hs, hs, ih]
  grind

theorem map_recursion_length : ∀ (m : List Nat → List Nat), m [] = [] → (∀ x xs, m (x :: xs) = (x + 1) :: m xs) → ∀ xs, (m xs).length = xs.length := by
  intro m hm0 hm xs
  induction xs with | nil => ?_ | cons x xs ih => ?_
  simp [hm0]
  simp [hm, ih]

theorem map_recursion_append : ∀ (m : List Nat → List Nat), m [] = [] → (∀ x xs, m (x :: xs) = (3 * x) :: m xs) → ∀ xs ys, m (xs ++ ys) = m xs ++ m ys := by
  intro m hm0 hm xs ys
  induction xs with | nil => ?_ | cons x xs ih => ?_
  simp [hm0]
  simp [hm, ih]

theorem map_recursion_is_map : ∀ (m : List Nat → List Nat) (f : Nat → Nat), m [] = [] → (∀ x xs, m (x :: xs) = f x :: m xs) → ∀ xs, m xs = xs.map f := by
  intro m f hm0 hm xs
  induction xs with | nil => ?_ | cons x xs ih => ?_
  simp [hm0]
  simp [hm, ih]

theorem map_map_recursion : ∀ (m r : List Nat → List Nat) (f g : Nat → Nat), m [] = [] → r [] = [] → (∀ x xs, m (x :: xs) = f x :: m xs) → (∀ x xs, r (x :: xs) = g (f x) :: r xs) → ∀ xs, r xs = (m xs).map g := by
  intro m r f g hm0 hr0 hm hr xs
  induction xs with | nil => ?_ | cons x xs ih => ?_
  simp [hm0, hr0]
  simp [hm, hr, ih]

theorem double_recursion_length : ∀ (d : List Nat → List Nat), d [] = [] → (∀ x xs, d (x :: xs) = x :: x :: d xs) → ∀ xs, (d xs).length = 2 * xs.length := by
  intro d hd0 hd xs
  induction xs with | nil => ?_ | cons x xs ih => ?_
  simp [hd0]
  simp [hd, ih]
  omega

theorem double_recursion_append : ∀ (d : List Nat → List Nat), d [] = [] → (∀ x xs, d (x :: xs) = x :: x :: d xs) → ∀ xs ys, d (xs ++ ys) = d xs ++ d ys := by
  intro d hd0 hd xs ys
  induction xs with | nil => ?_ | cons x xs ih => ?_
  simp [hd0]
  simp [hd, ih]

theorem double_recursion_member : ∀ (d : List Nat → List Nat), d [] = [] → (∀ x xs, d (x :: xs) = x :: x :: d xs) → ∀ xs y, y ∈ d xs ↔ y ∈ xs := by
  intro d hd0 hd xs y
  induction xs with | nil => ?_ | cons x xs ih => ?_
  simp [hd0]
  simp [hd, ih]

theorem reverse_recursion_append : ∀ (r : List Nat → List Nat), r [] = [] → (∀ x xs, r (x :: xs) = r xs ++ [x]) → ∀ xs ys, r (xs ++ ys) = r ys ++ r xs := by
  intro r hr0 hr xs ys
  induction xs with | nil => ?_ | cons x xs ih => ?_
  simp [hr0]
  simp [hr, ih]

theorem reverse_recursion_length : ∀ (r : List Nat → List Nat), r [] = [] → (∀ x xs, r (x :: xs) = r xs ++ [x]) → ∀ xs, (r xs).length = xs.length := by
  intro r hr0 hr xs
  induction xs with | nil => ?_ | cons x xs ih => ?_
  simp [hr0]
  simp [hr, ih]

theorem reverse_recursion_twice : ∀ (r : List Nat → List Nat), r [] = [] → (∀ x xs, r (x :: xs) = r xs ++ [x]) → (∀ xs ys, r (xs ++ ys) = r ys ++ r xs) → ∀ xs, r (r xs) = xs := by
  intro r hr0 hr h xs
  induction xs with | nil => ?_ | cons x xs ih => ?_
  simp [hr0]
  rw [hr, h, ih, hr, hr0]
  simp

theorem reverse_recursion_is_reverse : ∀ (r : List Nat → List Nat), r [] = [] → (∀ x xs, r (x :: xs) = r xs ++ [x]) → ∀ xs, r xs = xs.reverse := by
  intro r hr0 hr xs
  induction xs with | nil => ?_ | cons x xs ih => ?_
  simp [hr0]
  simp [hr, ih]

theorem reverse_accumulator : ∀ (r : List Nat → List Nat → List Nat), (∀ ys, r [] ys = ys) → (∀ x xs ys, r (x :: xs) ys = r xs (x :: ys)) → ∀ xs ys, r xs ys = xs.reverse ++ ys := by
  intro r hr0 hr xs
  induction xs with | nil => ?_ | cons x xs ih => ?_
  simp [hr0]
  simp [hr, ih]

theorem length_accumulator : ∀ (r : List Nat → Nat → Nat), (∀ a, r [] a = a) → (∀ x xs a, r (x :: xs) a = r xs (a + 1)) → ∀ xs a, r xs a = xs.length + a := by
  intro r hr0 hr xs
  induction xs with | nil => ?_ | cons x xs ih => ?_
  simp [hr0]
  intro a
  rw [hr, ih, List.length_cons]
  omega

theorem sum_accumulator : ∀ (r : List Nat → Nat → Nat) (s : List Nat → Nat), s [] = 0 → (∀ x xs, s (x :: xs) = x + s xs) → (∀ a, r [] a = a) → (∀ x xs a, r (x :: xs) a = r xs (a + x)) → ∀ xs a, r xs a = s xs + a := by
  intro r s hs0 hs hr0 hr xs
  induction xs with | nil => ?_ | cons x xs ih => ?_
  simp [hr0, hs0]
  intro a
  rw [hr, hs, ih]
  omega

theorem foldl_sum_shift : ∀ (xs : List Nat) (a : Nat), xs.foldl (fun b x => b + x) a = a + xs.foldl (fun b x => b + x) 0 := by
  intro xs
  induction xs with | nil => ?_ | cons x xs ih => ?_
  simp
  intro a
  rw [List.foldl_cons, List.foldl_cons, ih (a + x), ih (0 + x)]
  omega

theorem foldl_count_length : ∀ (xs : List Nat) (a : Nat), xs.foldl (fun b x => b + 1) a = a + xs.length := by
  intro xs
  induction xs with | nil => ?_ | cons x xs ih => ?_
  simp
  intro a
  rw [List.foldl_cons, ih, List.length_cons]
  omega

theorem foldl_max_ge : ∀ (xs : List Nat) (a : Nat), a ≤ xs.foldl (fun b x => max b x) a := by
  intro xs
  induction xs with | nil => ?_ | cons x xs ih => ?_
  simp
  intro a
  have h := ih (max a x)
  rw [List.foldl_cons]
  omega

theorem foldl_add_ge : ∀ (xs : List Nat) (a : Nat), a ≤ xs.foldl (fun b x => b + x) a := by
  intro xs
  induction xs with | nil => ?_ | cons x xs ih => ?_
  simp
  intro a
  have h := ih (a + x)
  rw [List.foldl_cons]
  omega

theorem foldr_sum_append : ∀ (xs ys : List Nat), (xs ++ ys).foldr (fun x b => x + b) 0 = xs.foldr (fun x b => x + b) 0 + ys.foldr (fun x b => x + b) 0 := by
  intro xs ys
  induction xs with | nil => ?_ | cons x xs ih => ?_
  simp
  rw [List.cons_append, List.foldr_cons, List.foldr_cons, ih]
  omega

theorem foldr_sum_start : ∀ (xs : List Nat) (a : Nat), xs.foldr (fun x b => x + b) a = xs.foldr (fun x b => x + b) 0 + a := by
  intro xs a
  induction xs with | nil => ?_ | cons x xs ih => ?_
  simp
  rw [List.foldr_cons, List.foldr_cons, ih]
  omega

theorem foldr_cons_append : ∀ (xs ys : List Nat), xs.foldr (fun x zs => x :: zs) ys = xs ++ ys := by
  intro xs ys
  induction xs with | nil => ?_ | cons x xs ih => ?_
  simp
  rw [List.foldr_cons, ih, List.cons_append]

theorem foldl_foldr_agree : ∀ (g : Nat → Nat → Nat), (∀ a b c, g (g a b) c = g a (g b c)) → ∀ (xs : List Nat) (a b : Nat), xs.foldl g (g a b) = g a (xs.foldl g b) := by
  intro g h xs
  induction xs with | nil => ?_ | cons x xs ih => ?_
  simp
  intro a b
  rw [List.foldl_cons, List.foldl_cons, h, ih]

theorem alternating_append_zero : ∀ (r : List Nat → Int), r [] = 0 → (∀ x xs, r (x :: xs) = (x : Int) - r xs) → ∀ xs, r (xs ++ [0]) = r xs := by
  intro r hr0 hr xs
  induction xs with | nil => ?_ | cons x xs ih => ?_
  simp [hr, hr0]
  rw [List.cons_append, hr, hr, ih]

theorem filter_length_le : ∀ (p : Nat → Bool) (xs : List Nat), (xs.filter p).length ≤ xs.length := by
  intro p xs
  exact List.length_filter_le p xs

theorem filter_recursion : ∀ (r : List Nat → List Nat), r [] = [] → (∀ x xs, r (x :: xs) = if x % 2 = 0 then x :: r xs else r xs) → ∀ xs, (r xs).length ≤ xs.length := by
  intro r hr0 hr xs
  induction xs with | nil => ?_ | cons x xs ih => ?_
  simp [hr0]
  rw [hr, List.length_cons]
  split
  simp [ih]
  omega

theorem filter_recursion_even : ∀ (r : List Nat → List Nat), r [] = [] → (∀ x xs, r (x :: xs) = if x % 2 = 0 then x :: r xs else r xs) → ∀ xs y, y ∈ r xs → y % 2 = 0 := by
  intro r hr0 hr xs y
  induction xs with | nil => ?_ | cons x xs ih => ?_
  simp [hr0]
  rw [hr]
  split
  grind
  exact ih

theorem filter_recursion_append : ∀ (r : List Nat → List Nat), r [] = [] → (∀ x xs, r (x :: xs) = if x % 2 = 0 then x :: r xs else r xs) → ∀ xs ys, r (xs ++ ys) = r xs ++ r ys := by
  intro r hr0 hr xs ys
  induction xs with | nil => ?_ | cons x xs ih => ?_
  simp [hr0]
  rw [List.cons_append, hr, hr, ih]
  split
  simp
  rfl

theorem count_recursion_append : ∀ (c : List Nat → Nat) (a : Nat), c [] = 0 → (∀ x xs, c (x :: xs) = if x = a then c xs + 1 else c xs) → ∀ xs ys, c (xs ++ ys) = c xs + c ys := by
  intro c a hc0 hc xs ys
  induction xs with | nil => ?_ | cons x xs ih => ?_
  simp [hc0]
  rw [List.cons_append, hc, hc, ih]
  split
  omega
  rfl

theorem count_recursion_le : ∀ (c : List Nat → Nat) (a : Nat), c [] = 0 → (∀ x xs, c (x :: xs) = if x = a then c xs + 1 else c xs) → ∀ xs, c xs ≤ xs.length := by
  intro c a hc0 hc xs
  induction xs with | nil => ?_ | cons x xs ih => ?_
  simp [hc0]
  rw [hc, List.length_cons]
  split
  omega
  omega

theorem count_recursion_zero : ∀ (c : List Nat → Nat) (a : Nat), c [] = 0 → (∀ x xs, c (x :: xs) = if x = a then c xs + 1 else c xs) → ∀ xs, a ∉ xs → c xs = 0 := by
  intro c a hc0 hc xs h
  induction xs with | nil => ?_ | cons x xs ih => ?_
  simp [hc0]
  rw [hc]
  split
  grind
  grind

theorem concat_append : ∀ (j : List (List Nat) → List Nat), j [] = [] → (∀ xs r, j (xs :: r) = xs ++ j r) → ∀ r t, j (r ++ t) = j r ++ j t := by
  intro j hj0 hj r t
  induction r with | nil => ?_ | cons x r ih => ?_
  simp [hj0]
  simp [hj, ih]

theorem replicate_sum : ∀ (s : List Nat → Nat), s [] = 0 → (∀ x xs, s (x :: xs) = x + s xs) → ∀ n a, s (List.replicate n a) = n * a := by
  intro s hs0 hs n a
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hs0]
  rw [List.replicate_succ, hs, ih]
  grind

theorem range_sum : ∀ (s : List Nat → Nat), s [] = 0 → (∀ xs x, s (xs ++ [x]) = s xs + x) → ∀ n, 2 * s (List.range n) + n = n * n := by
  intro s hs0 hs n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hs0]
  rw [List.range_succ, hs]
  grind

theorem build_length : ∀ (r : Nat → List Nat), r 0 = [] → (∀ n, r (n + 1) = n :: r n) → ∀ n, (r n).length = n := by
  intro r hr0 hr n
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hr0]
  rw [hr, List.length_cons, ih]

theorem build_member : ∀ (r : Nat → List Nat), r 0 = [] → (∀ n, r (n + 1) = n :: r n) → ∀ n k, k ∈ r n → k < n := by
  intro r hr0 hr n k
  induction n with | zero => ?_ | succ n ih => ?_
  simp [hr0]
  rw [hr, List.mem_cons]
  intro h
  rcases h with h | h
  omega
  have h1 := ih h
  omega

theorem take_append_drop_lengths : ∀ (xs : List Nat) (n : Nat), (xs.take n).length + (xs.drop n).length = xs.length := by
  intro xs n
  rw [List.length_take, List.length_drop]
  omega

theorem append_cancel_left : ∀ (xs ys zs : List Nat), xs ++ ys = xs ++ zs → ys = zs := by
  intro xs ys zs h
  induction xs with | nil => ?_ | cons x xs ih => ?_
  exact h
  simp at h
  exact h

theorem append_nil_both : ∀ (xs ys : List Nat), xs ++ ys = [] → xs = [] ∧ ys = [] := by
  intro xs ys h
  cases xs with | nil => ?_ | cons x xs => ?_
  simp at h
  simp [h]
  simp at h

theorem length_zero_nil : ∀ (xs : List Nat), xs.length = 0 → xs = [] := by
  intro xs h
  cases xs with | nil => ?_ | cons x xs => ?_
  rfl
  simp at h

theorem length_one_singleton : ∀ (xs : List Nat), xs.length = 1 → ∃ x, xs = [x] := by
  intro xs h
  cases xs with | nil => ?_ | cons x xs => ?_
  simp at h
  cases xs with | nil => ?_ | cons y xs => ?_
  exact ⟨x, rfl⟩
  simp at h

theorem length_two_pair : ∀ (xs : List Nat), xs.length = 2 → ∃ x y, xs = [x, y] := by
  intro xs h
  cases xs with | nil => ?_ | cons x xs => ?_
  simp at h
  cases xs with | nil => ?_ | cons y xs => ?_
  simp at h
  cases xs with | nil => ?_ | cons a xs => ?_
  exact ⟨x, y, rfl⟩
  simp at h

theorem reverse_twice : ∀ (xs : List Nat), xs.reverse.reverse = xs := by
  intro xs
  simp

theorem reverse_append_singleton : ∀ (xs : List Nat) (x : Nat), (xs ++ [x]).reverse = x :: xs.reverse := by
  intro xs x
  simp

theorem map_reverse_swap : ∀ (f : Nat → Nat) (xs : List Nat), (xs.map f).reverse = xs.reverse.map f := by
  intro f xs
  simp

theorem map_compose : ∀ (f g : Nat → Nat) (xs : List Nat), (xs.map f).map g = xs.map (fun x => g (f x)) := by
  intro f g xs
  induction xs with | nil => ?_ | cons x xs ih => ?_
  rfl
  simp

theorem map_id_of_fixed : ∀ (f : Nat → Nat) (xs : List Nat), (∀ x, x ∈ xs → f x = x) → xs.map f = xs := by
  intro f xs h
  induction xs with | nil => ?_ | cons x xs ih => ?_
  rfl
  have h1 := ih (by grind)
  have h2 := h x (by simp)
  simp [h1, h2]

theorem map_injective : ∀ (f : Nat → Nat), (∀ a b, f a = f b → a = b) → ∀ xs ys : List Nat, xs.map f = ys.map f → xs = ys := by
  intro f h xs
  induction xs with | nil => ?_ | cons x xs ih => ?_
  simp
  intro ys h1
  cases ys with | nil => ?_ | cons y ys => ?_
  simp at h1
  simp at h1
  have h2 := h x y h1.1
  have h3 := ih ys h1.2
  rw [h2, h3]

theorem all_append : ∀ (p : Nat → Prop) (xs ys : List Nat), (∀ x, x ∈ xs → p x) → (∀ x, x ∈ ys → p x) → ∀ x, x ∈ xs ++ ys → p x := by
  intro p xs ys h1 h2 x h
  rw [List.mem_append] at h
  rcases h with h | h
  exact h1 x h
  exact h2 x h

theorem all_map : ∀ (p : Nat → Prop) (f : Nat → Nat) (xs : List Nat), (∀ x, p (f x)) → ∀ y, y ∈ xs.map f → p y := by
  intro p f xs h y h1
  rw [List.mem_map] at h1
  obtain ⟨x, hx⟩ := h1
  rw [← hx.2]
  exact h x

theorem member_split : ∀ (xs : List Nat) (a : Nat), a ∈ xs → ∃ ys zs, xs = ys ++ a :: zs := by
  intro xs a h
  induction xs with | nil => ?_ | cons x xs ih => ?_
  simp at h
  rw [List.mem_cons] at h
  rcases h with h | h
  exact ⟨[], xs, by simp [h]⟩
  obtain ⟨ys, zs, h1⟩ := ih h
  exact ⟨x :: ys, zs, by simp [h1]⟩

theorem list_induction : ∀ (p : List Nat → Prop), p [] → (∀ x xs, p xs → p (x :: xs)) → ∀ xs, p xs := by
  intro p h1 h2 xs
  induction xs with | nil => ?_ | cons x xs ih => ?_
  exact h1
  exact h2 x xs ih

theorem list_induction_append : ∀ (p : List Nat → Prop), p [] → (∀ x, p [x]) → (∀ xs ys, p xs → p ys → p (xs ++ ys)) → ∀ xs, p xs := by
  intro p h1 h2 h3 xs
  induction xs with | nil => ?_ | cons x xs ih => ?_
  exact h1
  exact h3 [x] xs (h2 x) ih

theorem two_functions_agree : ∀ (s r : List Nat → Nat), s [] = r [] → (∀ x xs, s (x :: xs) = x + 2 * s xs) → (∀ x xs, r (x :: xs) = x + 2 * r xs) → ∀ xs, s xs = r xs := by
  intro s r h hs hr xs
  induction xs with | nil => ?_ | cons x xs ih => ?_
  exact h
  rw [hs, hr, ih]

theorem two_functions_le : ∀ (s r : List Nat → Nat), s [] = 0 → r [] = 0 → (∀ x xs, s (x :: xs) = x + s xs) → (∀ x xs, r (x :: xs) = 2 * x + r xs) → ∀ xs, s xs ≤ r xs := by
  intro s r hs0 hr0 hs hr xs
  induction xs with | nil => ?_ | cons x xs ih => ?_
  simp [hs0, hr0]
  rw [hs, hr]
  omega

theorem two_functions_square : ∀ (s r : List Int → Int), s [] = 0 → r [] = 0 → (∀ x xs, s (x :: xs) = x * x + s xs) → (∀ x xs, r (x :: xs) = r xs + x * x) → ∀ xs, s xs = r xs := by
  intro s r hs0 hr0 hs hr xs
  induction xs with | nil => ?_ | cons x xs ih => ?_
  simp [hs0, hr0]
  rw [hs, hr, ih]
  omega

theorem square_sum_nonneg_list : ∀ (s : List Int → Int), s [] = 0 → (∀ x xs, s (x :: xs) = x * x + s xs) → ∀ xs, 0 ≤ s xs := by
  intro s hs0 hs xs
  induction xs with | nil => ?_ | cons x xs ih => ?_
  simp [hs0]
  have h := @Int.natAbs_mul_self x
  rw [hs]
  omega

theorem horner_append : ∀ (s : List Nat → Nat), s [] = 0 → (∀ x xs, s (x :: xs) = x + 10 * s xs) → ∀ xs ys, s (xs ++ ys) = s xs + 10 ^ xs.length * s ys := by
  intro s hs0 hs xs ys
  induction xs with | nil => ?_ | cons x xs ih => ?_
  simp [hs0]
  rw [List.cons_append, hs, hs, ih, List.length_cons, Nat.pow_succ]
  grind

theorem horner_bound : ∀ (s : List Nat → Nat), s [] = 0 → (∀ x xs, s (x :: xs) = x + 10 * s xs) → ∀ xs, (∀ x, x ∈ xs → x < 10) → s xs < 10 ^ xs.length := by
  intro s hs0 hs xs h
  induction xs with | nil => ?_ | cons x xs ih => ?_
  simp [hs0]
  have h1 := ih (by grind)
  have h2 := h x (by simp)
  rw [hs, List.length_cons, Nat.pow_succ]
  omega

theorem zip_recursion_length : ∀ (z : List Nat → List Nat → List Nat), (∀ ys, z [] ys = []) → (∀ xs, z xs [] = []) → (∀ x y xs ys, z (x :: xs) (y :: ys) = (x + y) :: z xs ys) → ∀ xs ys, (z xs ys).length ≤ xs.length := by
  intro z h1 h2 h3 xs
  induction xs with | nil => ?_ | cons x xs ih => ?_
  simp [h1]
  intro ys
  cases ys with | nil => ?_ | cons y ys => ?_
  simp [h2]
  simp [h3, ih]

theorem zip_recursion_comm : ∀ (z : List Nat → List Nat → List Nat), (∀ ys, z [] ys = []) → (∀ xs, z xs [] = []) → (∀ x y xs ys, z (x :: xs) (y :: ys) = (x + y) :: z xs ys) → ∀ xs ys, z xs ys = z ys xs := by
  intro z h1 h2 h3 xs
  induction xs with | nil => ?_ | cons x xs ih => ?_
  simp [h1, h2]
  intro ys
  cases ys with | nil => ?_ | cons y ys => ?_
  simp [h1, h2]
  simp [h3, ih ys, Nat.add_comm]
