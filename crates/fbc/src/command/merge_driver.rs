//! `fbc merge-driver`: git merges catalogs and templates by blob and entry.

use std::collections::BTreeSet;
use std::path::PathBuf;

use clap::{Args, ValueHint};
use fbc_app::merging::{Installed, Merged, install, merge_files};
use fbc_repository::merge::Conflict;

use crate::failure::{CLEAN, FINDINGS, Failure};
use crate::settings::Settings;
use crate::terminal;

/// Merge catalogs and templates by blob and entry, as git's merge driver
///
/// `fbc merge-driver --install` in a repository is all there is to do: it names the driver in the configuration of the
/// clone, and the catalogs and templates of the repository in .gitattributes. From then on, git merge, rebase and
/// cherry-pick put changes of different blobs, and of different entries of a channel, together. What two branches
/// changed differently is a conflict: the file gets git's conflict markers, and standard error says why. Where the
/// blobs go together and only the graph of a channel breaks, the file holds what both branches did, without markers, and
/// standard error says which edges to edit before `git add`. Files without blobs are merged by lines.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// The common ancestor, the current version, the other version, and the path in the repository, as git gives them
    #[arg(value_names = ["BASE", "OURS", "THEIRS", "PATH"], num_args = 3..=4, required_unless_present = "install",
          value_hint = ValueHint::FilePath)]
    versions: Vec<PathBuf>,
    /// Name the driver in the configuration of this clone, and what it merges in .gitattributes
    #[arg(long, conflicts_with = "versions")]
    install: bool,
    /// With --install: merge these patterns too
    #[arg(long, value_name = "PATTERN", requires = "install")]
    pattern: Vec<String>,
}

pub(crate) fn run(arguments: &Arguments, settings: &Settings) -> Result<u8, Failure> {
    match arguments.versions.as_slice() {
        [base, ours, theirs, rest @ ..] => {
            let shown = rest.first().unwrap_or(ours).display();
            let tell = |Conflict { place, reason }: &Conflict| {
                terminal::tell(format_args!("{shown}: {place}: {reason}"));
            };
            match merge_files([base, ours, theirs], settings, &tell)? {
                Merged::Clean => return Ok(CLEAN),
                Merged::Conflicts => {}
                Merged::NotValid(what) => terminal::tell(format_args!(
                    "{shown}: the {what} merge without conflict markers, and the result is not valid: correct the file before `git add`"
                )),
            }
            Ok(FINDINGS)
        }
        _ => {
            let Installed { patterns, path, is_written } = install(&arguments.pattern, settings)?;
            if !settings.quiet {
                terminal::tell(format_args!("git merges {} in this clone", list(&patterns)));
                if is_written {
                    terminal::tell(format_args!(
                        "wrote {}; commit it, and install the driver in other clones too",
                        path.display()
                    ));
                }
            }
            Ok(CLEAN)
        }
    }
}

fn list(patterns: &BTreeSet<String>) -> String {
    patterns.iter().map(String::as_str).collect::<Vec<_>>().join(", ")
}
