//! The configuration at work on what was found: waivers, then the baseline, then what is wrong with these.

use std::fs;
use std::path::{Path, PathBuf};

use fbc_lint::finding::Finding;
use fbc_lint::policy::baseline::{Baseline, Identity};
use fbc_lint::policy::set_aside::{Cause, SetAside};
use fbc_lint::policy::waiver::Scope as _;
use fbc_lint::{Located, Report};
use fbc_model::Catalog;
use fbc_rules::{RULES, cfg};
use fbc_source::CatalogSource;
use fbc_source::Error;

use super::Configuration;
use super::find::{absolute, relative};
use super::resolve::parse_baseline;
use super::scope::{Scope, is_below};
use crate::checked::CheckedCatalog;
use crate::checked::not_all_kept;
use crate::input;
use crate::output::file::write_file;
use crate::settings::Settings;
use crate::shard::Shard;

/// No more entries of a baseline than this are named in a finding.
const MAX_NAMED: usize = 10;

impl Configuration {
    /// Notes that only what changed, or a shard, is looked at, so that nothing follows from what is not found.
    pub fn observe_a_part_only(&mut self) {
        self.scope.is_partial = true;
        self.baseline_scope.is_partial = true;
    }

    /// Notes what a catalog holds, for the question whether waivers and baseline are of use.
    pub fn observe(&mut self, source: &CatalogSource, catalog: &Catalog) {
        let packages: Vec<&str> = catalog.packages.iter().map(|package| package.name.as_str()).collect();
        self.observe_files(source, &packages, catalog.files.iter().map(|file| file.path.as_path()));
    }

    /// Notes which packages and files something holds that is not a catalog; see [`Self::observe`].
    pub fn observe_files<'f>(
        &mut self,
        source: &CatalogSource,
        packages: &[&str],
        files: impl Iterator<Item = &'f Path> + Clone,
    ) {
        if self.waivers.is_empty() && self.baseline.is_none() && self.write_baseline.is_none() {
            return;
        }
        let (folder, baseline_folder) = (self.folder(), self.baseline_folder());
        note(&mut self.scope, &folder, source, packages, files.clone());
        note(&mut self.baseline_scope, &baseline_folder, source, packages, files);
    }

    /// Sets findings aside that waivers or the baseline cover, writes the baseline if that is asked for,
    /// and adds what is wrong with the configuration itself: behind all findings, so to the last shard.
    ///
    /// # Errors
    /// The baseline cannot be written.
    pub fn finish(
        &mut self,
        catalogs: &mut Vec<CheckedCatalog>,
        shard: Option<Shard>,
        settings: &Settings,
    ) -> Result<(), Error> {
        if shard.is_some() {
            self.observe_a_part_only();
        }
        let folder = self.folder();
        for catalog in catalogs.iter_mut() {
            let source = &catalog.source;
            self.waivers.apply(&mut catalog.report, &|path| relative(&source.shown(path), &folder));
        }
        if let Some(path) = self.write_baseline.clone() {
            self.write_new_baseline(&path, catalogs, settings)?;
        }
        let baseline_folder = self.baseline_folder();
        if let Some(file) = &mut self.baseline {
            for catalog in catalogs.iter_mut() {
                let source = &catalog.source;
                file.baseline
                    .apply(&mut catalog.report, &|path| relative(&source.shown(path), &baseline_folder));
            }
        }
        self.report_missing_parameters(catalogs);
        if shard.is_none_or(Shard::is_last) {
            catalogs.extend(self.own_findings());
            catalogs.extend(self.stale_baseline());
        }
        Ok(())
    }

    /// Takes out of a report what waivers or the baseline cover.
    pub fn leave_counting(&self, report: &mut Report, source: &CatalogSource) {
        let folder = self.folder();
        self.waivers.clone().apply(report, &|path| relative(&source.shown(path), &folder));
        if let Some(file) = &self.baseline {
            let folder = self.baseline_folder();
            file.baseline.clone().apply(report, &|path| relative(&source.shown(path), &folder));
        }
    }

    /// The directory that paths in the configuration start from.
    fn folder(&self) -> PathBuf {
        absolute(&self.file.as_ref().map(super::file::ConfigurationFile::folder).unwrap_or_default())
    }

    /// The directory that paths in the baseline start from.
    fn baseline_folder(&self) -> PathBuf {
        let path = self.baseline.as_ref().map(|file| &file.path).or(self.write_baseline.as_ref());
        let path = absolute(path.map_or(Path::new("."), PathBuf::as_path));
        path.parent().map(Path::to_path_buf).unwrap_or_default()
    }

    fn write_new_baseline(
        &self,
        path: &Path,
        catalogs: &mut [CheckedCatalog],
        settings: &Settings,
    ) -> Result<(), Error> {
        let folder = self.baseline_folder();
        // A device holds no old baseline.
        let mut baseline = if fs::metadata(path).is_ok_and(|metadata| metadata.is_file()) {
            let text = input::file::read_text(path, settings)?;
            parse_baseline(path, &text)?
        } else {
            Baseline::default()
        };
        let scope = &self.baseline_scope;
        // What a rule found that was off now may still be there.
        baseline.retain(|identity| {
            !is_below(&identity.file, &scope.roots) || scope.off.contains(identity.code.as_str())
        });
        for catalog in catalogs.iter_mut() {
            if !catalog.report.counted_only.is_empty() {
                let reference = catalog.reference.display().to_string();
                return Err(not_all_kept(&reference, "the baseline would not be whole"));
            }
            let source = &catalog.source;
            let path_of = |path: &Path| relative(&source.shown(path), &folder);
            for located in std::mem::take(&mut catalog.report.findings) {
                baseline.add(Identity::from_finding(&located.finding, &path_of));
                catalog.report.set_aside.push(SetAside { located, cause: Cause::Baselined });
            }
        }
        write_file(path, settings, |out| {
            let written = out.write_all(baseline.text().as_bytes());
            written.map_err(|error| Error::io("write", path, &error))
        })
        .map(drop)
    }

    /// Sets the level of a finding about the configuration; nothing where its rule is off.
    fn leveled(&self, mut located: Located) -> Option<Located> {
        located.finding.severity = self.policy.level(located.finding.rule)?;
        Some(located)
    }

    /// Rules that are wanted and cannot look, catalog by catalog: targets may come from a path.
    fn report_missing_parameters(&self, catalogs: &mut [CheckedCatalog]) {
        for catalog in catalogs.iter_mut() {
            for (need, codes) in self.policy_for(&catalog.reference, &catalog.source).missing(&RULES) {
                let message =
                    format!("`{}` is not set; nothing is checked by {}", need.key(), codes.join(", "));
                let finding = Finding::new(&cfg::missing_parameter::RULE, message).help(format!(
                    "set `{}` in {}, or turn the rules off",
                    need.key(),
                    super::find::NAME
                ));
                let located = Located::without_place(finding);
                catalog.report.findings.extend(self.leveled(located));
            }
        }
    }

    /// What is wrong with the configuration file, as findings in it.
    fn own_findings(&self) -> Option<CheckedCatalog> {
        let file = self.file.as_ref()?;
        // Paths of findings start from the catalog, which here is the file itself.
        let path = Path::new("");
        let source = file.text.as_bytes();
        let unknown = self.unknown.iter().map(|word| {
            Located::in_file(cfg::unknown_code::finding(&word.value), path, source, word.place.clone())
        });
        let waivers = cfg::waivers::findings(&self.waivers, &self.scope, source, path);
        let mut findings: Vec<Located> =
            unknown.chain(waivers).filter_map(|located| self.leveled(located)).collect();
        findings.sort_by_key(|located| located.span.as_ref().map(|span| span.bytes.start));
        of_configuration(&file.path, findings)
    }

    /// What the baseline holds beyond what was found.
    fn stale_baseline(&self) -> Option<CheckedCatalog> {
        let file = self.baseline.as_ref()?;
        let stale: Vec<(&Identity, usize)> = file
            .baseline
            .entries()
            .filter(|(entry, _)| {
                is_below(&entry.file, &self.baseline_scope.roots) && self.baseline_scope.has_rule(&entry.code)
            })
            .collect();
        let count: usize = stale.iter().map(|(_, count)| count).sum();
        let findings = match count {
            0 => return None,
            1 => "1 finding of the baseline no longer occurs".to_owned(),
            count => format!("{count} findings of the baseline no longer occur"),
        };
        let mut finding = Finding::new(&cfg::stale_baseline::RULE, findings)
            .help(format!("recreate it with `--write-baseline {}`", file.path.display()));
        for (entry, _) in stale.iter().take(MAX_NAMED) {
            let about = [&entry.package, &entry.channel, &entry.bundle, &entry.file];
            let about: Vec<&str> =
                about.into_iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
            finding = finding.note(format!("{} {}", entry.code, about.join(" ")));
        }
        if stale.len() > MAX_NAMED {
            finding = finding.note(format!("and {} more", stale.len() - MAX_NAMED));
        }
        let located = self.leveled(Located::of_file(finding, Path::new("")));
        of_configuration(&file.path, located.into_iter().collect())
    }
}

fn note<'f>(
    scope: &mut Scope,
    folder: &Path,
    source: &CatalogSource,
    packages: &[&str],
    files: impl Iterator<Item = &'f Path>,
) {
    let root = source.shown(Path::new(""));
    if folder.starts_with(absolute(&root)) {
        scope.roots.insert(String::new());
    }
    scope.roots.insert(relative(&root, folder));
    scope.packages.extend(packages.iter().map(|package| (*package).to_owned()));
    scope.files.extend(files.map(|file| relative(&source.shown(file), folder)));
}

fn of_configuration(path: &Path, findings: Vec<Located>) -> Option<CheckedCatalog> {
    if findings.is_empty() {
        return None;
    }
    Some(CheckedCatalog {
        reference: path.to_path_buf(),
        source: CatalogSource::configuration(path),
        report: Report { findings, ..Report::default() },
        files: 0,
        packages: 0,
        bundles: 0,
    })
}
