//! Puts flags, configuration file and profile together: flags win over the file, the file over the profile.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use fbc_lint::Policy;
use fbc_lint::policy::baseline::Baseline;
use fbc_lint::policy::selector::{self, Precision};
use fbc_lint::policy::waiver::{WaiverRules, Waivers};
use fbc_rules::RULES;
use fbc_source::CatalogSource;
use fbc_source::Error;
use fbc_version::OpenShiftRelease;

use super::PolicyChoice;
use super::file::ConfigurationFile;
use super::find::{absolute, find};
use super::reader::At;
use super::scope::Scope;
use crate::input;
use crate::settings::Settings;

/// Where a value comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Origin {
    /// Nobody has said anything.
    #[default]
    Default,
    /// The profile says so.
    Profile,
    /// The configuration file says so, in this place.
    File(String),
    /// A flag says so.
    Flag(&'static str),
}

/// Where the values come from.
#[derive(Debug)]
pub(super) struct Origins {
    pub(super) profile: Origin,
    pub(super) targets: Origin,
    pub(super) allowed_registries: Origin,
    pub(super) allowed_related_registries: Origin,
    pub(super) required_features: Origin,
    pub(super) allowed_kinds: Origin,
    pub(super) allowed_base_images: Origin,
    pub(super) baseline: Origin,
    pub(super) waivers_must_expire: Origin,
    /// By code of the rule; those that are not there come from the profile.
    pub(super) levels: BTreeMap<&'static str, Origin>,
}

/// A file with known findings.
#[derive(Debug)]
pub(super) struct BaselineFile {
    pub(super) path: PathBuf,
    pub(super) baseline: Baseline,
}

/// What counts in this run.
#[derive(Debug)]
pub struct Configuration {
    pub(super) policy: Policy,
    pub(super) origins: Origins,
    pub(super) file: Option<ConfigurationFile>,
    /// Words under `[rules]` that name no rule.
    pub(super) unknown: Vec<At<String>>,
    pub(super) waivers: Waivers,
    pub(super) waiver_rules: WaiverRules,
    pub(super) baseline: Option<BaselineFile>,
    pub(super) write_baseline: Option<PathBuf>,
    pub(super) scope: Scope,
    /// The same for the baseline, whose paths start from another directory.
    pub(super) baseline_scope: Scope,
    /// The targets that images name, by reference of the catalog.
    image_targets: BTreeMap<PathBuf, Vec<OpenShiftRelease>>,
    /// Where catalogs go in their images, below the directory that is served, by reference.
    places: BTreeMap<PathBuf, PathBuf>,
}

impl Configuration {
    /// Resolves what flags and the configuration file say, for some catalogs.
    ///
    /// # Errors
    /// A file that cannot be read or is wrong, a flag that names no rule.
    pub fn resolve(choice: &PolicyChoice, catalogs: &[PathBuf], settings: &Settings) -> Result<Self, Error> {
        let path = find(choice, catalogs)?;
        let file = path.as_deref().map(ConfigurationFile::read).transpose()?;
        let empty = ConfigurationFile::default();
        let said = file.as_ref().unwrap_or(&empty);
        let (profile, profile_origin) = match (choice.profile, &said.profile) {
            (Some(profile), _) => (profile, Origin::Flag("--profile")),
            (None, Some(profile)) => (profile.value, Origin::File(said.line_of(&profile.place))),
            (None, None) => Default::default(),
        };
        let mut policy = Policy::from(profile);
        let parameters = &mut policy.parameters;
        let targets = match (choice.ocp.as_slice(), &said.targets) {
            ([], None) => Origin::Default,
            ([], Some(targets)) => {
                parameters.targets.clone_from(&targets.value);
                Origin::File(said.line_of(&targets.place))
            }
            (targets, _) => {
                parameters.targets = targets.to_vec();
                Origin::Flag("--ocp")
            }
        };
        parameters.targets.sort_unstable();
        parameters.targets.dedup();
        let list = |list: &mut Vec<String>, file: &Option<At<Vec<String>>>| match file {
            Some(texts) => {
                list.clone_from(&texts.value);
                Origin::File(said.line_of(&texts.place))
            }
            None if list.is_empty() => Origin::Default,
            None => Origin::Profile,
        };
        let allowed_registries = list(&mut parameters.allowed_registries, &said.allowed_registries);
        let mut allowed_related_registries =
            list(&mut parameters.allowed_related_registries, &said.allowed_related_registries);
        if allowed_related_registries == Origin::Default {
            // Who names one list means it for all images.
            parameters.allowed_related_registries.clone_from(&parameters.allowed_registries);
            allowed_related_registries.clone_from(&allowed_registries);
        }
        let required_features = list(&mut parameters.required_features, &said.required_features);
        let allowed_kinds = list(&mut parameters.allowed_kinds, &said.allowed_kinds);
        let allowed_base_images = list(&mut parameters.allowed_base_images, &said.allowed_base_images);
        let (levels, unknown) = file_levels(&mut policy, said);
        let mut origins = Origins {
            profile: profile_origin,
            targets,
            allowed_registries,
            allowed_related_registries,
            required_features,
            allowed_kinds,
            allowed_base_images,
            baseline: Origin::Default,
            waivers_must_expire: Origin::Default,
            levels,
        };
        flag_levels(&mut policy, &mut origins, choice)?;
        if let Some(must) = &said.waivers_must_expire {
            origins.waivers_must_expire = Origin::File(said.line_of(&must.place));
        }
        let waiver_rules = WaiverRules {
            today: Some(choice.today.map_or_else(|| settings.host.today(), Ok)?),
            must_expire: said.waivers_must_expire.as_ref().is_some_and(|must| must.value),
        };
        let baseline_path = match (&choice.write_baseline, &choice.baseline, &said.baseline) {
            (Some(_), ..) => None,
            (None, Some(path), _) => {
                origins.baseline = Origin::Flag("--baseline");
                Some(path.clone())
            }
            (None, None, Some(path)) => {
                origins.baseline = Origin::File(said.line_of(&path.place));
                Some(said.folder().join(&path.value))
            }
            (None, None, None) => None,
        };
        let baseline = baseline_path
            .map(|path| Ok::<_, Error>(BaselineFile { baseline: read_baseline(&path, settings)?, path }));
        Ok(Self {
            waivers: Waivers::new(&RULES, said.waivers.clone(), waiver_rules),
            waiver_rules,
            baseline: baseline.transpose()?,
            write_baseline: choice.write_baseline.clone(),
            scope: Scope::from_policy(&policy),
            baseline_scope: Scope::from_policy(&policy),
            image_targets: BTreeMap::new(),
            places: BTreeMap::new(),
            policy,
            origins,
            file,
            unknown,
        })
    }

    /// Keeps so many findings of each rule, if that is more than usual.
    pub fn keep_findings(&mut self, most: Option<usize>) {
        self.policy.most_findings = self.policy.most_findings.max(most.unwrap_or_default());
    }

    /// Works the fixes of findings out in the text.
    pub fn resolve_fixes(&mut self) {
        self.policy.with_fixes = true;
    }

    /// The policy for what is not a catalog, and whose path says nothing of targets.
    #[must_use]
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// Whether the profile is the one that says what opm says.
    pub fn is_as_opm(&self) -> bool {
        self.policy.profile == fbc_lint::Profile::Opm
    }

    /// Notes the versions that an image says it is for.
    pub fn observe_targets(&mut self, reference: &Path, targets: Vec<OpenShiftRelease>) {
        self.image_targets.insert(reference.to_path_buf(), targets);
    }

    /// Notes where a catalog goes in its image, below the directory that is served.
    pub fn observe_place(&mut self, reference: &Path, target: &Path) {
        self.places.insert(reference.to_path_buf(), target.to_path_buf());
    }

    /// The policy for a catalog: where no target is named, those that its image says, or the one that its directory is
    /// named after.
    #[must_use]
    pub fn policy_for(&self, reference: &Path, source: &CatalogSource) -> Policy {
        let mut policy = self.policy.clone();
        if policy.parameters.targets.is_empty() {
            match self.image_targets.get(reference) {
                Some(targets) => policy.parameters.targets.clone_from(targets),
                None => policy.parameters.targets.extend(target_of_path(reference)),
            }
        }
        let is_folder = source.is_folder(Path::new(""));
        let in_directory = self.places.get(reference).map(|target| {
            let around = if is_folder { Some(target.as_path()) } else { target.parent() };
            around.is_some_and(|around| !around.as_os_str().is_empty())
        });
        // A file by itself is not the root of a catalog image, nor is what its Dockerfile puts into a directory.
        if in_directory.unwrap_or(!is_folder) {
            policy.levels.insert("FBC234", None);
        }
        policy
    }
}

/// The version that the closest directory of a path is named after.
pub(super) fn target_of_path(reference: &Path) -> Option<OpenShiftRelease> {
    if reference.as_os_str() == "-" {
        return None;
    }
    let path = absolute(reference);
    let names = path.components().rev().filter_map(|part| part.as_os_str().to_str());
    names.filter_map(OpenShiftRelease::parse).find(|version| (4..=5).contains(&version.major))
}

type FileLevels = (BTreeMap<&'static str, Origin>, Vec<At<String>>);

/// Takes over the levels of `[rules]`; a rule by itself wins over its family.
fn file_levels(policy: &mut Policy, file: &ConfigurationFile) -> FileLevels {
    let mut origins = BTreeMap::new();
    let mut unknown = Vec::new();
    for precision in [Precision::Family, Precision::Rule] {
        for (word, level) in &file.rules {
            match selector::select(&RULES, &word.value) {
                Ok((found, rules)) if found == precision => {
                    for rule in rules {
                        policy.levels.insert(rule.code, *level);
                        origins.insert(rule.code, Origin::File(file.line_of(&word.place)));
                    }
                }
                Err(_) if precision == Precision::Rule => unknown.push(word.clone()),
                _ => {}
            }
        }
    }
    (origins, unknown)
}

/// Takes over `--select` and `--ignore`.
fn flag_levels(policy: &mut Policy, origins: &mut Origins, choice: &PolicyChoice) -> Result<(), Error> {
    if !choice.select.is_empty() {
        let selected = codes(&choice.select, "--select")?;
        for rule in RULES.iter() {
            let level = match (selected.contains(&rule.code), policy.level(rule)) {
                // What is on already keeps its level and its origin.
                (true, Some(_)) => continue,
                (true, None) => Some(rule.basis.severity()),
                (false, _) => None,
            };
            policy.levels.insert(rule.code, level);
            origins.levels.insert(rule.code, Origin::Flag("--select"));
        }
    }
    for code in codes(&choice.ignore, "--ignore")? {
        policy.levels.insert(code, None);
        origins.levels.insert(code, Origin::Flag("--ignore"));
    }
    Ok(())
}

fn codes(words: &[String], flag: &str) -> Result<Vec<&'static str>, Error> {
    let mut codes = Vec::new();
    for word in words {
        let (_, rules) = selector::select(&RULES, word).map_err(|closest| {
            let failure = Error::new(format!("{flag}: there is no rule {word:?}"));
            match closest {
                Some(known) => failure.help(format!("did you mean {known}?")),
                None => failure.help("`fbc explain` lists all rules"),
            }
        })?;
        codes.extend(rules.into_iter().map(|rule| rule.code));
    }
    Ok(codes)
}

/// Reads a baseline that must be there.
fn read_baseline(path: &Path, settings: &Settings) -> Result<Baseline, Error> {
    if fs::metadata(path).is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
        return Err(Error::new(format!("the baseline {} does not exist", path.display()))
            .help(format!("write it with `--write-baseline {}`", path.display())));
    }
    parse_baseline(path, &input::file::read_text(path, settings)?)
}

/// Reads the text of a baseline.
pub(super) fn parse_baseline(path: &Path, text: &str) -> Result<Baseline, Error> {
    Baseline::parse(text).map_err(|error| {
        Error::new(format!("{} is not a baseline: {error}", path.display()))
            .help("recreate it with `--write-baseline`")
    })
}
