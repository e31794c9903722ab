//! One of several runs that share the work.
//!
//! A part is a run of neighbours, so that the reports of all parts, one behind the other, are the report of the whole.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use crate::invalid_value::InvalidValue;

/// Which part of the work is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shard {
    /// The number of the part, from 1.
    pub number: usize,
    /// How many parts there are.
    pub count: usize,
}

impl Shard {
    /// The items of the part: the sizes of any two parts differ by one at most.
    pub fn part<T>(self, mut items: Vec<T>) -> Vec<T> {
        let share = self.share(items.len() as u64);
        let place = |number: u64| usize::try_from(number).unwrap_or(items.len()).min(items.len());
        let (start, end) = (place(share.start), place(share.end));
        items.truncate(end);
        items.split_off(start)
    }

    /// Whether what follows all items belongs to the part.
    #[must_use]
    pub fn is_last(self) -> bool {
        self.number == self.count
    }

    /// The numbers of the part, of as many from 0 on.
    #[must_use]
    pub fn share(self, length: u64) -> Range<u64> {
        let border = |number: usize| {
            let border = u128::from(length) * number as u128 / self.count.max(1) as u128;
            u64::try_from(border).unwrap_or(length)
        };
        border(self.number.saturating_sub(1))..border(self.number)
    }
}

impl FromStr for Shard {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        let number = |text: &str| {
            let is_plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            text.parse::<usize>().ok().filter(|_| is_plain)
        };
        let parts =
            text.split_once('/').and_then(|(number_of, count)| Some((number(number_of)?, number(count)?)));
        match parts {
            Some((_, 0)) => Err("there is at least one shard".into()),
            Some((0, count)) => Err(format!("shards count from 1: the first is 1/{count}").into()),
            Some((number, count)) if number > count => Err(format!("there are only {count} shards").into()),
            Some((number, count)) => Ok(Self { number, count }),
            None => Err("write the number of the shard and how many there are, such as 3/16".into()),
        }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}/{}", self.number, self.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_are_the_whole() {
        for length in 0..40 {
            let whole: Vec<usize> = (0..length).collect();
            for count in 1..=50 {
                let parts: Vec<Vec<usize>> =
                    (1..=count).map(|number| Shard { number, count }.part(whole.clone())).collect();
                assert_eq!(parts.concat(), whole, "{count} parts");
                let sizes = || parts.iter().map(Vec::len);
                assert!(sizes().max().unwrap() - sizes().min().unwrap() <= 1, "{count} parts of {length}");
            }
        }
    }

    #[test]
    fn shards_are_written_as_fractions() {
        for (text, expected) in [
            ("1/1", Ok(Shard { number: 1, count: 1 })),
            ("3/16", Ok(Shard { number: 3, count: 16 })),
            ("0/3", Err("shards count from 1: the first is 1/3")),
            ("4/3", Err("there are only 3 shards")),
            ("3", Err("write the number of the shard and how many there are, such as 3/16")),
            ("+1/3", Err("write the number of the shard and how many there are, such as 3/16")),
            ("0/0", Err("there is at least one shard")),
            (
                "1/99999999999999999999999",
                Err("write the number of the shard and how many there are, such as 3/16"),
            ),
        ] {
            assert_eq!(text.parse::<Shard>(), expected.map_err(InvalidValue::from), "{text}");
        }
    }
}
