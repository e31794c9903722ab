//! `docs/reference/limits.md`: the budgets of fbc, and how to allow more.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use fbc::limits::LIMITS;

use super::Generated;
use crate::error::TaskResult;

/// The page.
pub(super) fn page(_root: &Path) -> TaskResult<Vec<Generated>> {
    let mut text = "# Limits\n\nA small input can ask for much work. So what a command may take is limited; real catalogs \
        stay far below. An error names the budget that is used up. `--limit NAME=N` allows more, with a unit where \
        one helps (`K`, `M`, `G`, `Ki`, `Mi`, `Gi`), and can be given several times.\n\n\
        | budget | allowed | of | beyond it | more by |\n|---|---|---|---|---|\n"
        .to_owned();
    for limit in &LIMITS {
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "| `{}` | {} | {} | {} | {} |",
            limit.name,
            limit.shown(),
            limit.of,
            limit.beyond,
            limit.flag()
        );
    }
    Ok(vec![Generated { path: PathBuf::from("docs/reference/limits.md"), content: text }])
}
