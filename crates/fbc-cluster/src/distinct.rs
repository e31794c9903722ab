//! Each of several values once.

use std::collections::HashSet;
use std::hash::Hash;

/// The values in their order, without those that came before. The time grows with their number alone: lists come from
/// requests and can be long.
pub(crate) fn distinct<T: Copy + Eq + Hash>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut seen = HashSet::new();
    values.filter(|value| seen.insert(*value)).collect()
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::hash::Hasher;

    use super::*;

    /// A number that counts how often it is compared.
    #[derive(Clone, Copy)]
    struct Counted<'c>(usize, &'c Cell<usize>);

    impl PartialEq for Counted<'_> {
        fn eq(&self, other: &Self) -> bool {
            self.1.set(self.1.get() + 1);
            self.0 == other.0
        }
    }

    impl Eq for Counted<'_> {}

    impl Hash for Counted<'_> {
        fn hash<H: Hasher>(&self, state: &mut H) {
            self.0.hash(state);
        }
    }

    #[test]
    fn values_are_compared_with_few_others() {
        let count = Cell::new(0);
        let numbers = (0..10_000).chain(0..10_000).map(|number| Counted(number, &count));
        let found: Vec<usize> = distinct(numbers).iter().map(|counted| counted.0).collect();
        assert_eq!(found, (0..10_000).collect::<Vec<_>>());
        assert!(count.get() < 40_000, "{}", count.get());
    }
}
