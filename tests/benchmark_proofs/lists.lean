-- Functions on lists that are given by recursion.

theorem sum_append_with_start : ∀ (f : List Nat → Nat), f [] = 4 → (∀ x xs, f (x :: xs) = x + f xs) → ∀ xs ys, f (xs ++ ys) + 4 = f xs + f ys := by
  intro f hf0 hf xs ys
  induction xs with | nil => ?_ | cons x xs ih => ?_
  simp [hf0]
  omega
  simp [hf]
  omega

theorem count_bound : ∀ (f : List Nat → Nat), f [] = 0 → (∀ x xs, f (x :: xs) = if x = 3 then f xs + 1 else f xs) → ∀ xs, f xs ≤ xs.length := by
  intro f hf0 hf xs
  induction xs with | nil => ?_ | cons x xs ih => ?_
  simp [hf0]
  rw [hf, List.length_cons]
  split
  omega
  omega

theorem product_append : ∀ (f : List Nat → Nat), f [] = 1 → (∀ x xs, f (x :: xs) = x * f xs) → ∀ xs ys, f xs * f ys = f (xs ++ ys) := by
  intro f hf0 hf xs ys
  induction xs with | nil => ?_ | cons x xs ih => ?_
  simp [hf0]
  simp [hf, ← ih]
  grind

theorem filtered_length : ∀ (f : List Nat → List Nat), f [] = [] → (∀ x xs, f (x :: xs) = if x < 6 then f xs else x :: f xs) → ∀ xs, (f xs).length ≤ xs.length := by
  intro f hf0 hf xs
  induction xs with | nil => ?_ | cons x xs ih => ?_
  simp [hf0]
  rw [hf, List.length_cons]
  split
  omega
  simp
  omega

theorem reversed_append : ∀ (f : List Nat → List Nat), f [] = [] → (∀ x xs, f (x :: xs) = f xs ++ [x + 1]) → ∀ xs ys, f (xs ++ ys) = f ys ++ f xs := by
  intro f hf0 hf xs ys
  induction xs with | nil => ?_ | cons x xs ih => ?_
  simp [hf0]
  simp [hf, ih]

theorem reversed_twice : ∀ (f : List Nat → List Nat), f [] = [] → (∀ x xs, f (x :: xs) = f xs ++ [x]) → ∀ xs, f (f xs) = xs := by
  intro f hf0 hf xs
  have h : ∀ xs, f xs = xs.reverse := ?_
  simp [h]
  intro xs
  induction xs with | nil => ?_ | cons x xs ih => ?_
  simp [hf0]
  simp [hf, ih]

theorem carried_sum : ∀ (f : List Nat → Nat → Nat), (∀ a, f [] a = a) → (∀ x xs a, f (x :: xs) a = f xs (a + x)) → ∀ xs a, f xs a = f xs 0 + a := by
  intro f hf0 hf xs
  induction xs with | nil => ?_ | cons x xs ih => ?_
  simp [hf0]
  intro a
  rw [hf, hf, ih, ih (0 + x)]
  omega

theorem carried_count : ∀ (f : List Nat → Nat → Nat), (∀ a, f [] a = a) → (∀ x xs a, f (x :: xs) a = f xs (a + 4)) → ∀ xs a, f xs a = 4 * xs.length + a := by
  intro f hf0 hf xs
  induction xs with | nil => ?_ | cons x xs ih => ?_
  simp [hf0]
  intro a
  simp [hf, ih]
  omega

theorem two_counts : ∀ (f g : List Nat → Nat), f [] = 0 → g [] = 0 → (∀ x xs, f (x :: xs) = if x % 3 = 0 then f xs + 1 else f xs) → (∀ x xs, g (x :: xs) = if x % 3 = 0 then g xs else g xs + 1) → ∀ xs, f xs + g xs = xs.length := by
  intro f g hf0 hg0 hf hg xs
  induction xs with | nil => ?_ | cons x xs ih => ?_
  simp [hf0, hg0]
  rw [hf, hg, List.length_cons]
  split
  omega
  omega

theorem largest_member : ∀ (f : List Nat → Nat), f [] = 0 → (∀ x xs, f (x :: xs) = max x (f xs)) → ∀ a xs, a ∈ xs → a ≤ f xs := by
  intro f hf0 hf a xs h
  induction xs with | nil => ?_ | cons x xs ih => ?_
  simp at h
  rw [hf]
  grind

theorem sum_of_bounded : ∀ (f : List Nat → Nat), f [] = 0 → (∀ x xs, f (x :: xs) = x + f xs) → ∀ xs, (∀ x, x ∈ xs → x ≤ 7) → f xs ≤ 7 * xs.length := by
  intro f hf0 hf xs h
  induction xs with | nil => ?_ | cons x xs ih => ?_
  simp [hf0]
  rw [hf, List.length_cons]
  have h1 := h x (by simp)
  have h2 := ih (fun y hy => h y (by simp [hy]))
  omega
