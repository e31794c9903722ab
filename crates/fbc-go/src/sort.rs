//! Sorting as Go's `sort.Slice` does, for lists in which equal items can be told apart.
//!
//! Go's sort is not stable, yet it is deterministic: which of two equal items comes first follows from
//! the algorithm alone, a pattern-defeating quicksort. opm sorts related images and channels with it, so
//! its output can only be had with the same steps. Source of the behaviour: `golang/go:src/sort/slice.go`
//! and `src/sort/zsortfunc.go` (Go 1.19 and later).

/// Below this length a stretch is sorted by insertion, which is stable.
const INSERTION_LENGTH: usize = 12;
/// From this length on the pivot is a median of medians, and small disorder is repaired in place.
const LONG_LENGTH: usize = 50;

/// Sorts the items; `less` tells whether the first must come before the second.
pub fn sort<T>(items: &mut [T], less: impl Fn(&T, &T) -> bool) {
    let length = items.len();
    let limit = usize::BITS - length.leading_zeros();
    Sorter { items, less }.quicksort(0, length, limit);
}

struct Sorter<'s, T, L> {
    items: &'s mut [T],
    less: L,
}

/// What the choice of a pivot tells of the order of a stretch.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Hint {
    Unknown,
    Increasing,
    Decreasing,
}

// Invariant of all indices below: a stretch `a..b` lies within the items.
impl<T, L: Fn(&T, &T) -> bool> Sorter<'_, T, L> {
    fn less(&self, a: usize, b: usize) -> bool {
        (self.less)(&self.items[a], &self.items[b])
    }

    fn swap(&mut self, a: usize, b: usize) {
        self.items.swap(a, b);
    }

    /// The depth of recursion is logarithmic: it goes into the shorter part, and bad luck with
    /// pivots ends in heapsort.
    fn quicksort(&mut self, mut a: usize, mut b: usize, mut limit: u32) {
        let (mut was_balanced, mut was_partitioned) = (true, true);
        loop {
            let length = b - a;
            if length <= INSERTION_LENGTH {
                return self.insertion_sort(a, b);
            }
            if limit == 0 {
                return self.heapsort(a, b);
            }
            if !was_balanced {
                self.break_patterns(a, b);
                limit -= 1;
            }
            let (mut pivot, mut hint) = self.choose_pivot(a, b);
            if hint == Hint::Decreasing {
                self.items[a..b].reverse();
                pivot = (b - 1) - (pivot - a);
                hint = Hint::Increasing;
            }
            if was_balanced && was_partitioned && hint == Hint::Increasing && self.repair(a, b) {
                return;
            }
            // The item before the stretch is no greater than any in it; if it equals the pivot, the
            // pivot is the least.
            if a > 0 && !self.less(a - 1, pivot) {
                a = self.partition_equal(a, b, pivot);
                continue;
            }
            let (middle, already) = self.partition(a, b, pivot);
            was_partitioned = already;
            let (left, right) = (middle - a, b - middle);
            was_balanced = left.min(right) >= length / 8;
            if left < right {
                self.quicksort(a, middle, limit);
                a = middle + 1;
            } else {
                self.quicksort(middle + 1, b, limit);
                b = middle;
            }
        }
    }

    fn insertion_sort(&mut self, a: usize, b: usize) {
        for end in a + 1..b {
            let mut at = end;
            while at > a && self.less(at, at - 1) {
                self.swap(at, at - 1);
                at -= 1;
            }
        }
    }

    fn heapsort(&mut self, a: usize, b: usize) {
        let length = b - a;
        for root in (0..=(length - 1) / 2).rev() {
            self.sift_down(root, length, a);
        }
        for end in (0..length).rev() {
            self.swap(a, a + end);
            self.sift_down(0, end, a);
        }
    }

    fn sift_down(&mut self, mut root: usize, end: usize, first: usize) {
        loop {
            let mut child = 2 * root + 1;
            if child >= end {
                return;
            }
            if child + 1 < end && self.less(first + child, first + child + 1) {
                child += 1;
            }
            if !self.less(first + root, first + child) {
                return;
            }
            self.swap(first + root, first + child);
            root = child;
        }
    }

    /// Moves three items of the middle elsewhere, at places that only depend on the length.
    fn break_patterns(&mut self, a: usize, b: usize) {
        let length = b - a;
        if length < 8 {
            return;
        }
        let mut random = length as u64;
        let mask = (1_u64 << (usize::BITS - length.leading_zeros())) - 1;
        let first = a + (length / 4) * 2 - 1;
        for offset in 0..3 {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            let mut other = (random & mask) as usize;
            if other >= length {
                other -= length;
            }
            self.swap(first + offset, a + other);
        }
    }

    fn choose_pivot(&self, a: usize, b: usize) -> (usize, Hint) {
        const MOST_SWAPS: usize = 4 * 3;
        let length = b - a;
        let quarter = length / 4;
        let (mut i, mut j, mut k) = (a + quarter, a + quarter * 2, a + quarter * 3);
        let mut swaps = 0;
        if length >= 8 {
            if length >= LONG_LENGTH {
                i = self.median([i - 1, i, i + 1], &mut swaps);
                j = self.median([j - 1, j, j + 1], &mut swaps);
                k = self.median([k - 1, k, k + 1], &mut swaps);
            }
            j = self.median([i, j, k], &mut swaps);
        }
        match swaps {
            0 => (j, Hint::Increasing),
            MOST_SWAPS => (j, Hint::Decreasing),
            _ => (j, Hint::Unknown),
        }
    }

    fn median(&self, [mut a, mut b, mut c]: [usize; 3], swaps: &mut usize) -> usize {
        let order = |first: &mut usize, second: &mut usize, swaps: &mut usize| {
            if self.less(*second, *first) {
                *swaps += 1;
                std::mem::swap(first, second);
            }
        };
        order(&mut a, &mut b, swaps);
        order(&mut b, &mut c, swaps);
        order(&mut a, &mut b, swaps);
        b
    }

    /// Sorts a stretch that is nearly sorted, with a few steps; tells whether that was enough.
    fn repair(&mut self, a: usize, b: usize) -> bool {
        const STEPS: usize = 5;
        let mut at = a + 1;
        for _ in 0..STEPS {
            while at < b && !self.less(at, at - 1) {
                at += 1;
            }
            if at == b {
                return true;
            }
            if b - a < LONG_LENGTH {
                return false;
            }
            self.swap(at, at - 1);
            if at - a >= 2 {
                // Go looks at the whole list here, not only at the stretch.
                let mut left = at - 1;
                while left >= 1 && self.less(left, left - 1) {
                    self.swap(left, left - 1);
                    left -= 1;
                }
            }
            if b - at >= 2 {
                let mut right = at + 1;
                while right < b && self.less(right, right - 1) {
                    self.swap(right, right - 1);
                    right += 1;
                }
            }
        }
        false
    }

    /// Puts what equals the pivot first; the position after it.
    fn partition_equal(&mut self, a: usize, b: usize, pivot: usize) -> usize {
        self.swap(a, pivot);
        let (mut i, mut j) = (a + 1, b - 1);
        loop {
            while i <= j && !self.less(a, i) {
                i += 1;
            }
            while i <= j && self.less(a, j) {
                j -= 1;
            }
            if i > j {
                return i;
            }
            self.swap(i, j);
            i += 1;
            j -= 1;
        }
    }

    /// Puts what is less than the pivot before it; the position of the pivot, and whether nothing had
    /// to move.
    fn partition(&mut self, a: usize, b: usize, pivot: usize) -> (usize, bool) {
        self.swap(a, pivot);
        let (mut i, mut j) = (a + 1, b - 1);
        let mut already = true;
        loop {
            while i <= j && self.less(i, a) {
                i += 1;
            }
            while i <= j && !self.less(j, a) {
                j -= 1;
            }
            if i > j {
                self.swap(j, a);
                return (j, already);
            }
            already = false;
            self.swap(i, j);
            i += 1;
            j -= 1;
        }
    }
}

#[cfg(test)]
mod tests;
