//! The budgets of fbc in one table: what a run may take before it is given up, and how to allow more.
//!
//! `docs/reference/limits.md` is made of this table. The libraries hold the numbers, and are told others where
//! `--limit` sets them.

use std::str::FromStr;
use std::sync::OnceLock;

use fbc_cluster::budget::Budget;
use fbc_image::limits as image;
use fbc_yaml::document::MAX_DOCUMENT_BYTES;
use fbc_yaml::limits::{LimitExceeded, Limits};

use crate::failure::Failure;
use crate::query::program;

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

const COULD_NOT_RUN: &str = "the command ends with exit code 2";

/// All budgets.
pub static LIMITS: [Limit; 34] = [
    Limit {
        name: "file-bytes",
        most: fbc_model::tree::MAX_FILE_BYTES,
        unit: Unit::Bytes,
        of: "a file of a catalog or bundle",
        beyond: "the file cannot be read: a finding",
        raise: Raise::Fixed,
    },
    Limit {
        name: "document-bytes",
        most: MAX_DOCUMENT_BYTES as u64,
        unit: Unit::Bytes,
        of: "a document in a file",
        beyond: "the document cannot be read: a finding",
        raise: Raise::Fixed,
    },
    Limit {
        name: "nesting",
        most: 10_000,
        unit: Unit::Count,
        of: "levels of a document, as in Go",
        beyond: "the document cannot be read: a finding",
        raise: Raise::Fixed,
    },
    Limit {
        name: "documents",
        most: 200_000,
        unit: Unit::Count,
        of: "documents of a catalog",
        beyond: COULD_NOT_RUN,
        raise: Raise::Limit,
    },
    Limit {
        name: "alias-bytes",
        most: 64 << 20,
        unit: Unit::Bytes,
        of: "what YAML aliases repeat in a catalog: text, and 32 bytes for each value",
        beyond: COULD_NOT_RUN,
        raise: Raise::Limit,
    },
    Limit {
        name: "layout-bytes",
        most: fbc_model::writer::MOST_LAYOUT_BYTES,
        unit: Unit::Bytes,
        of: "the indentation of blobs nested deeper than 100 levels in what `render` writes",
        beyond: COULD_NOT_RUN,
        raise: Raise::Limit,
    },
    Limit {
        name: "chart-bytes",
        most: fbc_graph::mermaid::MOST_BYTES,
        unit: Unit::Bytes,
        of: "the edges in a chart of `graph --format mermaid`, as text",
        beyond: COULD_NOT_RUN,
        raise: Raise::Limit,
    },
    Limit {
        name: "findings",
        most: fbc_lint::finding::MOST_FINDINGS as u64,
        unit: Unit::Count,
        of: "findings of each rule that are kept",
        beyond: "the others are counted, not shown; a baseline or a comparison ends with exit code 2",
        raise: Raise::Flag("--max-findings"),
    },
    Limit {
        name: "definition-updates",
        most: fbc_lint::rules::crd::unsafe_upgrade::MAX_UPDATES as u64,
        unit: Unit::Count,
        of: "updates of a package whose definitions `validate` compares",
        beyond: "a finding says which are not compared",
        raise: Raise::Fixed,
    },
    Limit {
        name: "edge-searches",
        most: crate::command::paths::MOST_EDGES_SEARCHED as u64,
        unit: Unit::Count,
        of: "entries and edges that `paths` goes through for missing edges",
        beyond: "the answer says how many versions were not looked after",
        raise: Raise::Fixed,
    },
    Limit {
        name: "query-seconds",
        most: 60,
        unit: Unit::Seconds,
        of: "the time that a program of `query` runs",
        beyond: COULD_NOT_RUN,
        raise: Raise::Flag("--timeout"),
    },
    Limit {
        name: "query-bytes",
        most: 384 << 20,
        unit: Unit::Bytes,
        of: "the memory that a program of `query` takes, beside eight times the size of the catalogs",
        beyond: COULD_NOT_RUN,
        raise: Raise::Limit,
    },
    Limit {
        name: "program-bytes",
        most: program::MAX_BYTES as u64,
        unit: Unit::Bytes,
        of: "the text of a program of `query`",
        beyond: COULD_NOT_RUN,
        raise: Raise::Fixed,
    },
    Limit {
        name: "program-nesting",
        most: program::MAX_DEPTH as u64,
        unit: Unit::Count,
        of: "brackets within brackets in a program of `query`",
        beyond: COULD_NOT_RUN,
        raise: Raise::Fixed,
    },
    Limit {
        name: "located-values",
        most: fbc_yaml::locate::MOST_VALUES as u64,
        unit: Unit::Count,
        of: "values of a document that have lines and columns",
        beyond: "findings about later values name the place of what they lie in; keys that are given twice are not looked for",
        raise: Raise::Fixed,
    },
    Limit {
        name: "alias-share",
        most: 99,
        unit: Unit::Count,
        of: "percent of a YAML document that may come from aliases, as in go-yaml: 10 of a very large one",
        beyond: "the document cannot be read: a finding",
        raise: Raise::Fixed,
    },
    Limit {
        name: "yaml-key",
        most: 1024,
        unit: Unit::Count,
        of: "characters of a key without `?` in YAML, as in libyaml",
        beyond: "the document cannot be read: a finding",
        raise: Raise::Fixed,
    },
    Limit {
        name: "cluster-objects",
        most: Budget::USUAL.objects,
        unit: Unit::Count,
        of: "objects of a simulated cluster at a time",
        beyond: COULD_NOT_RUN,
        raise: Raise::Limit,
    },
    Limit {
        name: "cluster-bytes",
        most: Budget::USUAL.bytes,
        unit: Unit::Bytes,
        of: "memory of the objects of a simulated cluster, as told from their values",
        beyond: COULD_NOT_RUN,
        raise: Raise::Limit,
    },
    Limit {
        name: "cluster-writes",
        most: Budget::USUAL.writes,
        unit: Unit::Count,
        of: "writes of objects in a run of `simulate`",
        beyond: COULD_NOT_RUN,
        raise: Raise::Limit,
    },
    Limit {
        name: "cluster-work",
        most: Budget::USUAL.work,
        unit: Unit::Count,
        of: "objects that controllers look at in a run of `simulate`, and 50 for each thing that they do",
        beyond: COULD_NOT_RUN,
        raise: Raise::Limit,
    },
    Limit {
        name: "object-bytes",
        most: fbc_cluster::budget::MOST_OBJECT_BYTES,
        unit: Unit::Bytes,
        of: "an object of a simulated cluster, as in etcd",
        beyond: "the request is refused, as on a cluster",
        raise: Raise::Fixed,
    },
    Limit {
        name: "image-document-bytes",
        most: image::DOCUMENT_BYTES,
        unit: Unit::Bytes,
        of: "a manifest, an index or a configuration of an image",
        beyond: COULD_NOT_RUN,
        raise: Raise::Fixed,
    },
    Limit {
        name: "blob-bytes",
        most: image::BLOB_BYTES,
        unit: Unit::Bytes,
        of: "a blob that a registry sends",
        beyond: COULD_NOT_RUN,
        raise: Raise::Flag("--max-blob-size"),
    },
    Limit {
        name: "unpacked-bytes",
        most: image::UNPACKED_BYTES,
        unit: Unit::Bytes,
        of: "what the layers of an image unpack to",
        beyond: COULD_NOT_RUN,
        raise: Raise::Flag("--max-bytes"),
    },
    Limit {
        name: "unpacked-entries",
        most: image::UNPACKED_ENTRIES,
        unit: Unit::Count,
        of: "files, directories and links that an image unpacks to",
        beyond: COULD_NOT_RUN,
        raise: Raise::Flag("--max-entries"),
    },
    Limit {
        name: "unpacked-ratio",
        most: image::UNPACKED_RATIO,
        unit: Unit::Count,
        of: "bytes that a byte of a layer becomes, beyond 64 MiB",
        beyond: COULD_NOT_RUN,
        raise: Raise::Flag("--max-ratio"),
    },
    Limit {
        name: "path-bytes",
        most: image::PATH_BYTES as u64,
        unit: Unit::Bytes,
        of: "a path in a layer",
        beyond: COULD_NOT_RUN,
        raise: Raise::Fixed,
    },
    Limit {
        name: "unpacking-steps",
        most: image::STEPS_BY_ENTRY,
        unit: Unit::Count,
        of: "steps along paths, links and whiteouts for each entry that may be unpacked",
        beyond: COULD_NOT_RUN,
        raise: Raise::Flag("--max-entries"),
    },
    Limit {
        name: "connect-seconds",
        most: image::CONNECT.as_secs(),
        unit: Unit::Seconds,
        of: "a connection to a registry until it stands",
        beyond: COULD_NOT_RUN,
        raise: Raise::Fixed,
    },
    Limit {
        name: "answer-seconds",
        most: image::ANSWER.as_secs(),
        unit: Unit::Seconds,
        of: "a registry until it begins to answer, 300 for what changes it",
        beyond: COULD_NOT_RUN,
        raise: Raise::Fixed,
    },
    Limit {
        name: "stall-seconds",
        most: image::STALL.as_secs(),
        unit: Unit::Seconds,
        of: "a blob that moves at less than 1 KiB a second; a manifest or token takes twice as long at the most",
        beyond: COULD_NOT_RUN,
        raise: Raise::Fixed,
    },
    Limit {
        name: "upload-repetitions",
        most: image::UPLOAD_REPETITIONS,
        unit: Unit::Count,
        of: "times that the bytes of a blob are sent, if a registry does not keep them",
        beyond: COULD_NOT_RUN,
        raise: Raise::Fixed,
    },
    Limit {
        name: "tag-pages",
        most: image::TAG_PAGES as u64,
        unit: Unit::Count,
        of: "pages of a list of tags",
        beyond: COULD_NOT_RUN,
        raise: Raise::Fixed,
    },
];

/// A value of `--limit`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LimitArgument {
    name: &'static str,
    most: u64,
}

impl FromStr for LimitArgument {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (name, value) = text.split_once('=').ok_or("write NAME=N, such as documents=1000000")?;
        let raisable = || LIMITS.iter().filter(|limit| limit.raise == Raise::Limit);
        let limit = raisable().find(|limit| limit.name == name).ok_or_else(|| {
            let names: Vec<&str> = raisable().map(|limit| limit.name).collect();
            match LIMITS.iter().find(|limit| limit.name == name).map(|limit| limit.raise) {
                Some(Raise::Flag(flag)) => format!("{flag} sets {name}"),
                Some(_) => format!("{name} is fixed"),
                None => format!("there is no budget {name:?}; there are {}", names.join(", ")),
            }
        })?;
        let most = quantity(value).ok_or_else(|| {
            format!("{value:?} is no number; write digits, and a unit such as K, M, G, Ki, Mi or Gi")
        })?;
        Ok(Self { name: limit.name, most })
    }
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

/// What `--limit` sets; of one name the last counts.
static SETTLED: OnceLock<Vec<LimitArgument>> = OnceLock::new();

/// Settles the budgets of this process.
pub(crate) fn settle(arguments: Vec<LimitArgument>) {
    // A second command line in one process keeps what the first has settled.
    let _ = SETTLED.set(arguments);
}

/// What a budget allows in this process.
pub(crate) fn most(name: &str) -> u64 {
    let settled = SETTLED.get().into_iter().flatten().rev().find(|argument| argument.name == name);
    let usual = || LIMITS.iter().find(|limit| limit.name == name).map(|limit| limit.most);
    settled.map(|argument| argument.most).or_else(usual).unwrap_or(u64::MAX)
}

/// The budgets for reading.
pub(crate) fn reading() -> Limits {
    Limits { documents: most("documents"), alias_bytes: most("alias-bytes") }
}

/// The failure of a budget that is used up: what is too much, and of which budget.
pub(crate) fn failure(name: &str, message: impl std::fmt::Display) -> Failure {
    Failure::new(format!("{message} (budget {name})"))
        .help(format!("if that is meant, allow more with `--limit {name}=N`"))
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

impl From<LimitExceeded> for Failure {
    fn from(exceeded: LimitExceeded) -> Self {
        failure(exceeded.name(), exceeded)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_the_libraries() {
        let usual = Limits::default();
        let of = |name: &str| LIMITS.iter().find(|limit| limit.name == name).map(|limit| limit.most);
        assert_eq!(of("documents"), Some(usual.documents));
        assert_eq!(of("alias-bytes"), Some(usual.alias_bytes));
        for limit in &LIMITS {
            assert_eq!(LIMITS.iter().filter(|other| other.name == limit.name).count(), 1, "{}", limit.name);
        }
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
            ("documents=", "no number"),
            ("documents=1X", "no number"),
            ("documents=99999999999G", "no number"),
            ("findings=3", "--max-findings sets"),
            ("nesting=3", "is fixed"),
            ("x=3", "there is no budget"),
        ] {
            assert!(parsed(text).is_err_and(|error| error.contains(part)), "{text}");
        }
    }
}
