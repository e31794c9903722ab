//! `docs/reference/limits.md`: the budgets of fbc, and how to allow more.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use fbc::limits;

use super::Generated;
use crate::error::TaskResult;

/// The page.
pub(super) fn page(_root: &Path) -> TaskResult<Vec<Generated>> {
    let mut text = "# Limits\n\nA small input can require a lot of work, so every command has limits; real catalogs stay \
        far below them. An error names the limit that is exceeded. `--limit NAME=N` raises it, with a unit where one \
        helps (`K`, `M`, `G`, `Ki`, `Mi`, `Gi`), and can be repeated. `--max-bytes`, `--max-entries` and \
        `--max-ratio` are flags of `fbc unpack` alone.\n\n\
        | limit | default | applies to | when exceeded | raise with |\n|---|---|---|---|---|\n"
        .to_owned();
    for limit in limits::all() {
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
