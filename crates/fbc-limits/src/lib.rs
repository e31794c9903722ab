//! The budgets of fbc in one table: what a run may take before it is given up, and how to allow more.
//!
//! `docs/reference/limits.md` is made of this table. The libraries hold the numbers, and are told others where
//! `--limit` sets them.

use std::str::FromStr;
use std::time::Duration;

use fbc_app::settings::Budgets;
use fbc_source::git::GitLimits;
use fbc_source::input_file::InputLimits;

pub use self::table::all;
use fbc_app::invalid_value::InvalidValue;

#[cfg(feature = "cluster")]
mod cluster;
mod table;

/// A budget.
#[derive(Debug)]
pub struct Limit {
    /// Its name, for `--limit` and in errors.
    pub name: &'static str,
    /// What is allowed unless a flag says otherwise.
    pub most: u64,
    /// What is counted.
    pub unit: Unit,
    /// What it is a budget of.
    pub of: &'static str,
    /// What happens beyond it.
    pub beyond: &'static str,
    /// How to allow more.
    pub raise: Raise,
}

/// What a budget counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Bytes.
    Bytes,
    /// Seconds.
    Seconds,
    /// Anything else, named by what the budget is of.
    Count,
}

/// How to allow more than a budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Raise {
    /// By `--limit NAME=N`.
    Limit,
    /// By a flag of its own.
    Flag(&'static str),
    /// Not at all.
    Fixed,
}

/// A value of `--limit`.
#[derive(Clone, Copy, Debug)]
pub struct LimitArgument {
    name: &'static str,
    most: u64,
}

impl FromStr for LimitArgument {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (name, value) = text.split_once('=').ok_or("write NAME=N, such as documents=1000000")?;
        let limit = raisable().find(|limit| limit.name == name).ok_or_else(|| {
            let names: Vec<&str> = raisable().map(|limit| limit.name).collect();
            match all().find(|limit| limit.name == name).map(|limit| limit.raise) {
                Some(Raise::Flag(flag)) => format!("{flag} sets {name}"),
                Some(_) => format!("{name} is fixed"),
                None => format!("there is no limit {name:?}; there are {}", names.join(", ")),
            }
        })?;
        let most = quantity(value).ok_or_else(|| {
            format!("{value:?} is not a number; write digits, and a unit such as K, M, G, Ki, Mi or Gi")
        })?;
        Ok(Self { name: limit.name, most })
    }
}

/// The budgets that `--limit` sets.
pub fn raisable() -> impl Iterator<Item = &'static Limit> {
    all().filter(|limit| limit.raise == Raise::Limit)
}

/// A number with a unit behind it.
fn quantity(text: &str) -> Option<u64> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at_checked(digits)?;
    let factor: u64 = match unit {
        "" => 1,
        "K" | "k" => 1_000,
        "M" => 1_000_000,
        "G" => 1_000_000_000,
        "Ki" => 1 << 10,
        "Mi" => 1 << 20,
        "Gi" => 1 << 30,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(factor)
}

/// What a run may take: what `--limit` sets, and what is usual of all else.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Of one name the last counts.
    raised: Vec<LimitArgument>,
}

impl Limits {
    /// The usual budgets but for these.
    pub fn new(raised: Vec<LimitArgument>) -> Self {
        Self { raised }
    }

    /// What a budget allows.
    pub fn most(&self, name: &str) -> u64 {
        let raised = self.raised.iter().rev().find(|argument| argument.name == name);
        raised.map_or_else(|| usual(name), |argument| argument.most)
    }

    /// The budgets that the use cases know.
    pub fn of_use_cases(&self) -> Budgets {
        Budgets {
            reading: fbc_yaml::limits::Limits {
                documents: self.most("documents"),
                alias_bytes: self.most("alias-bytes"),
            },
            git: GitLimits {
                patience: Duration::from_secs(self.most("git-seconds")),
                bytes: self.most("git-bytes"),
            },
            input: InputLimits { file: self.most("input-file-bytes"), stream: self.most("input-bytes") },
            layout_bytes: self.most("layout-bytes"),
        }
    }
}

/// What a budget allows unless somebody raises it.
pub fn usual(name: &str) -> u64 {
    all().find(|limit| limit.name == name).map_or(u64::MAX, |limit| limit.most)
}

impl Limit {
    /// What is allowed, in words.
    #[must_use]
    pub fn shown(&self) -> String {
        match self.unit {
            Unit::Bytes if self.most.is_multiple_of(1 << 30) => format!("{} GiB", self.most >> 30),
            Unit::Bytes if self.most.is_multiple_of(1 << 20) => format!("{} MiB", self.most >> 20),
            Unit::Bytes if self.most.is_multiple_of(1 << 10) => format!("{} KiB", self.most >> 10),
            Unit::Bytes => format!("{} bytes", self.most),
            Unit::Seconds => format!("{} seconds", self.most),
            Unit::Count => self.most.to_string(),
        }
    }

    /// The flag that allows more, in words.
    #[must_use]
    pub fn flag(&self) -> String {
        match self.raise {
            Raise::Limit => format!("`--limit {}=N`", self.name),
            Raise::Flag(flag) => format!("`{flag}`"),
            Raise::Fixed => "none".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_the_libraries() {
        let usual = Budgets::default();
        assert_eq!(Limits::default().of_use_cases(), usual);
        let usual = usual.reading;
        let of = |name: &str| all().find(|limit| limit.name == name).map(|limit| limit.most);
        assert_eq!(of("documents"), Some(usual.documents));
        assert_eq!(of("alias-bytes"), Some(usual.alias_bytes));
        for limit in all() {
            assert_eq!(all().filter(|other| other.name == limit.name).count(), 1, "{}", limit.name);
        }
    }

    #[test]
    fn what_is_raised_counts_and_of_one_name_the_last() {
        let raised = ["documents=5", "documents=6", "git-seconds=7", "git-bytes=8Gi"]
            .map(|text| text.parse().unwrap());
        let budgets = Limits::new(raised.to_vec());
        assert_eq!(budgets.most("documents"), 6);
        assert_eq!(budgets.of_use_cases().reading.documents, 6);
        assert_eq!(
            budgets.of_use_cases().git,
            GitLimits { patience: Duration::from_secs(7), bytes: 8 << 30 }
        );
        assert_eq!(Budgets::default().git, GitLimits::USUAL);
        assert_eq!(budgets.most("alias-bytes"), usual("alias-bytes"));
    }

    #[test]
    fn arguments() {
        let parsed =
            |text: &str| text.parse::<LimitArgument>().map(|argument| (argument.name, argument.most));
        assert_eq!(parsed("documents=5"), Ok(("documents", 5)));
        assert_eq!(parsed("alias-bytes=2Gi"), Ok(("alias-bytes", 2 << 30)));
        assert_eq!(parsed("documents=3k"), Ok(("documents", 3_000)));
        for (text, part) in [
            ("documents", "NAME=N"),
            ("documents=", "not a number"),
            ("documents=1X", "not a number"),
            ("documents=99999999999G", "not a number"),
            ("findings=3", "--max-findings sets"),
            ("nesting=3", "is fixed"),
            ("x=3", "there is no limit"),
        ] {
            assert!(parsed(text).is_err_and(|error| error.to_string().contains(part)), "{text}");
        }
    }
}
