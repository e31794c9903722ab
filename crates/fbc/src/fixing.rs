//! `--fix`: fixes of findings, made in place or shown.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;
use fbc_app::catalog_edit::{folder_of, lock, write_over};
use fbc_app::count::counted;
use fbc_app::escape::line;
use fbc_lint::Report;
use fbc_lint::fix::{Fixed, Safety, Source, fix_all};
use fbc_model::overlay_tree::FileVersions;
use fbc_model::tree::Tree;
use fbc_source::CatalogSource;

use crate::edit_outcome::show_diff;
use crate::failure::Failure;
use crate::settings::Settings;

/// Whether and how findings are fixed.
#[derive(Args, Debug)]
pub(crate) struct FixArguments {
    /// Make the safe fixes in place; comments, order and layout stay
    ///
    /// What is fixed is validated again, and a fix that brings a new error is not kept. The rule pages say which rules
    /// have fixes.
    #[arg(long, conflicts_with = "write_baseline")]
    fix: bool,
    /// Also make fixes that may change the meaning; implies --fix
    #[arg(long, conflicts_with = "write_baseline")]
    unsafe_fixes: bool,
    /// Write nothing; show what --fix or --unsafe-fixes would change as a unified diff, and exit with 1 if anything would change
    #[arg(long, conflicts_with = "write_baseline")]
    diff: bool,
}

/// What came of fixing.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Fixing {
    /// Whether anything changes.
    pub(crate) has_changes: bool,
    /// Whether there are fixes left that need --unsafe-fixes.
    pub(crate) needs_unsafe: bool,
}

impl Fixing {
    /// Adds what came of fixing something else.
    pub(crate) fn add(&mut self, other: Self) {
        self.has_changes |= other.has_changes;
        self.needs_unsafe |= other.needs_unsafe;
    }

    /// Says that nothing changes, where nothing else says what is left.
    pub(crate) fn tell_nothing(self, command: &str) {
        if !self.has_changes && !self.needs_unsafe {
            Failure::new("there is nothing to fix")
                .help(format!("`{command}` shows findings that have no fix"))
                .note();
        }
    }
}

/// Judges a tree: where its documents lie, and the findings that count.
pub(crate) type Judge<'j> = &'j dyn Fn(&dyn Tree) -> Result<(Box<dyn Source>, Report), Failure>;

impl FixArguments {
    /// Whether anything is to be fixed or shown.
    pub(crate) fn are_given(&self) -> bool {
        self.fix || self.unsafe_fixes || self.diff
    }

    /// Whether the changes are only shown.
    pub(crate) fn only_show(&self) -> bool {
        self.diff
    }

    /// Fixes one catalog or bundle; what came of it.
    pub(crate) fn run(
        &self,
        reference: &Path,
        source: &CatalogSource,
        judge: Judge<'_>,
        settings: &Settings,
    ) -> Result<Fixing, Failure> {
        if !source.is_on_disk() {
            let failure = Failure::new(format!("{} cannot be fixed in place", reference.display()));
            return Err(
                failure.help("name a directory or file on disk; `fbc unpack` writes one from an image")
            );
        }
        let _lock = if self.diff { None } else { lock(folder_of(reference), settings)? };
        let most = if self.unsafe_fixes { Safety::Unsafe } else { Safety::Safe };
        let fixed = fix_all(source.tree.as_ref(), most, judge)?;
        let files: FileVersions =
            fixed.files.iter().map(|(path, bytes)| (path.clone(), Some(bytes.clone()))).collect();
        let shown: BTreeMap<PathBuf, PathBuf> =
            files.keys().map(|path| (path.clone(), source.shown(path))).collect();
        if self.diff {
            show_diff(&files, &fixed.before, &shown)?;
        } else if !files.is_empty() {
            write_over(reference, &files, &fixed.before, &shown, settings)?;
        }
        if !settings.quiet {
            self.tell(&fixed, source);
        }
        Ok(Fixing { has_changes: !files.is_empty(), needs_unsafe: fixed.too_risky > 0 })
    }

    /// Says on standard error what was done.
    fn tell(&self, fixed: &Fixed, source: &CatalogSource) {
        let mut err = crate::terminal::stderr();
        let (done, brings) = if self.diff { ("would be fixed", "would bring") } else { ("fixed", "brings") };
        let mut tell = |text: String| {
            // What is said here is not worth failing for.
            let _ = writeln!(err, "{text}");
        };
        for fix in &fixed.applied {
            let place = source.shown(&fix.path).display().to_string();
            tell(format!(
                "{done}: {}: {} {}: {}",
                line(&place),
                fix.code,
                line(&fix.message),
                line(&fix.title)
            ));
        }
        for fix in &fixed.taken_back {
            let place = source.shown(&fix.path).display().to_string();
            tell(format!(
                "not kept: {}: {} {}: to {} {brings} a new error",
                line(&place),
                fix.code,
                line(&fix.message),
                line(&fix.title)
            ));
        }
        if fixed.too_risky > 0 {
            let findings = counted(fixed.too_risky, "finding");
            tell(format!("fixes of {findings} may change what is meant: they need --unsafe-fixes"));
        }
        if fixed.is_cut_short {
            tell("there is more to fix than one run tries: run it again".to_owned());
        }
    }
}
