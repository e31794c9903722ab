//! `--shard K/N`: one of several runs that share the work.
//!
//! JSON, SARIF and JUnit reports name their shard, so that `fbc merge-reports` puts them in order and notices one that
//! is missing.

#[cfg(feature = "cluster")]
use std::ops::Range;

use clap::Args;
use fbc_app::count::counted;
pub(crate) use fbc_app::shard::Shard;

use crate::failure::Failure;

/// The flag of commands that can share their work.
#[derive(Args, Clone, Copy, Debug, Default)]
pub(crate) struct ShardArgument {
    /// Do only this part of the work, such as 3/16; `fbc merge-reports` puts the reports of all parts together
    #[arg(long, value_name = "K/N")]
    pub(crate) shard: Option<Shard>,
}

impl ShardArgument {
    /// The items of the part; all of them without the flag. A part of nothing is said: it is no mistake, but looks like
    /// one.
    pub(crate) fn part<T>(self, items: Vec<T>) -> Vec<T> {
        let Some(shard) = self.shard else { return items };
        let count = items.len();
        let part = shard.part(items);
        if part.is_empty() {
            let failure = Failure::new(format!("shard {shard} has nothing to do: {count} to share"));
            match count {
                0 => failure,
                _ => failure.help(format!("no more than {} find work", counted(count, "shard"))),
            }
            .note();
        }
        part
    }

    /// The numbers of the part, of as many from 0 on; all of them without the flag.
    #[cfg(feature = "cluster")]
    pub(crate) fn share(self, length: u64) -> Range<u64> {
        self.shard.map_or(0..length, |shard| shard.share(length))
    }
}
