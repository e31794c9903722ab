//! One extension and its catalogs from the command line.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use fbc_model::closest::closest;
use fbc_resolve::{
    ClusterCatalog, Content, InstalledBundle, LabelSelector, Request, Requirement, Resolver, UpgradePolicy,
};
use fbc_source::Error;
use fbc_version::Version;

use super::manifests::Extension;
use crate::catalog_name;

/// The content of catalogs by name.
pub fn references(catalogs: &[&String], files: &[PathBuf]) -> Result<BTreeMap<String, PathBuf>, Error> {
    let mut references = BTreeMap::new();
    for text in catalogs {
        let (name, reference) = catalog_name::named(text)?;
        if references.insert(name.clone(), reference).is_some() {
            return Err(Error::new(format!("two catalogs have the name {name:?}"))
                .help("give them names of their own: `--catalog NAME=REF`"));
        }
    }
    let is_input = |path: &&PathBuf| path.as_os_str() == "-";
    if references.values().filter(is_input).count() + files.iter().filter(is_input).count() > 1 {
        return Err(Error::new("standard input is given twice").help("give `-` once"));
    }
    Ok(references)
}

/// The catalogs of flags alone.
pub fn catalogs(
    references: &BTreeMap<String, PathBuf>,
    priorities: &[String],
    labels: &[String],
) -> Result<Vec<ClusterCatalog>, Error> {
    if references.is_empty() {
        return Err(Error::new("there is no catalog to resolve from")
            .help("name one behind the package, or as `--catalog NAME=REF`"));
    }
    let mut catalogs: BTreeMap<&str, ClusterCatalog> = references
        .keys()
        .map(|name| {
            let catalog = ClusterCatalog {
                name: name.clone(),
                labels: BTreeMap::new(),
                priority: 0,
                is_available: true,
                content: Content::Refused(String::new()),
            };
            (name.as_str(), catalog)
        })
        .collect();
    for text in priorities {
        let (name, number) = pair("--priority", text, "NAME=N", "a number")?;
        known("--priority", name, &mut catalogs)?.priority = number.parse().map_err(|_| {
            Error::new(format!("--priority {name}: {number:?} is not a priority")).help(format!(
                "a priority is a whole number from {} to {}",
                i32::MIN,
                i32::MAX
            ))
        })?;
    }
    for text in labels {
        let (name, label) = pair("--label", text, "NAME=KEY=VALUE", "a label")?;
        let (key, value) = label.split_once('=').filter(|(key, _)| !key.is_empty()).ok_or_else(|| {
            Error::new(format!("--label {text:?} is not of the form NAME=KEY=VALUE")).help(format!(
                "write the name of the catalog, `=`, and a label: `--label {name}={}=VALUE`",
                if label.is_empty() || label.starts_with('=') { "KEY" } else { label }
            ))
        })?;
        known("--label", name, &mut catalogs)?.labels.insert(key.to_owned(), value.to_owned());
    }
    Ok(catalogs.into_values().collect())
}

pub(super) fn pair<'t>(
    flag: &str,
    text: &'t str,
    form: &str,
    missing: &str,
) -> Result<(&'t str, &'t str), Error> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() && (!value.is_empty() || form.ends_with("VALUE")) => {
            Ok((name, value))
        }
        _ => Err(Error::new(format!("{flag} {text:?} is not of the form {form}"))
            .help(format!("write the name of the catalog, `=`, and {missing}"))),
    }
}

fn known<'m>(
    flag: &str,
    name: &str,
    catalogs: &'m mut BTreeMap<&str, ClusterCatalog>,
) -> Result<&'m mut ClusterCatalog, Error> {
    let guess = closest(name, catalogs.keys().copied()).map(str::to_owned);
    catalogs.get_mut(name).ok_or_else(|| {
        let failure = Error::new(format!("{flag}: there is no catalog {name:?}"));
        match guess {
            Some(guess) => failure.help(format!("did you mean {guess:?}?")),
            None => failure.help(format!("name its content: `--catalog {name}=REF`")),
        }
    })
}

/// What is asked of one package; what is installed comes later, because it may need the catalogs.
#[derive(Clone, Debug, Default)]
pub struct Question {
    /// The range of versions.
    pub version: Option<String>,
    /// The channels to choose from; none are all.
    pub channels: Vec<String>,
    /// Which catalogs to choose from, as kubectl takes it.
    pub selectors: Vec<String>,
    /// Whether the edges of the catalog count.
    pub policy: String,
}

/// The one extension that asks a question.
///
/// # Errors
/// If a selector is not one.
pub fn extension(question: &Question, package: &str) -> Result<Extension, Error> {
    let selector = match question.selectors.as_slice() {
        [] => None,
        texts => Some(parse_selector(&texts.join(","))?),
    };
    let request = Request {
        package: package.to_owned(),
        version: question.version.clone().unwrap_or_default(),
        channels: question.channels.clone(),
        selector,
        policy: UpgradePolicy::from_name(&question.policy).unwrap_or_default(),
        installed: None,
    };
    Ok(Extension { name: package.to_owned(), request, place: None })
}

/// Finds the bundle that is installed, by name or by version, in the catalogs.
pub fn with_installed(
    resolver: &Resolver,
    mut extensions: Vec<Extension>,
    installed: &str,
) -> Result<Vec<Extension>, Error> {
    for extension in &mut extensions {
        extension.request.installed = Some(find_installed(resolver, &extension.request.package, installed)?);
    }
    Ok(extensions)
}

fn find_installed(resolver: &Resolver, package: &str, text: &str) -> Result<InstalledBundle, Error> {
    if let Some((name, version)) = text.split_once('@') {
        return Version::parse(version)
            .map(|_| InstalledBundle { name: name.to_owned(), version: version.to_owned(), release: None })
            .map_err(|error| {
                Error::new(format!("--installed {text}: {version:?} is not a version: {error}"))
            });
    }
    let rules = resolver.rules();
    let known: BTreeSet<(String, String, Option<String>)> = resolver
        .catalogs()
        .iter()
        .filter_map(|catalog| catalog.index()?.package(package))
        .flat_map(|package| package.bundles())
        .filter_map(|bundle| {
            let version = bundle.version.as_ref().ok()?;
            let is_split = rules.bundle_release_support;
            let shown = if is_split { version.version.clone() } else { version.to_version() };
            let release = is_split.then(|| version.release.to_string());
            Some((bundle.blob.name.clone(), shown.to_string(), release))
        })
        .collect();
    let found: Vec<_> = known.iter().filter(|(name, version, _)| name == text || version == text).collect();
    match found.as_slice() {
        [(name, version, release)] => {
            Ok(InstalledBundle { name: name.clone(), version: version.clone(), release: release.clone() })
        }
        [] => {
            let failure = Error::new(format!(
                "--installed {text}: no catalog has a bundle of package {package:?} with this name or version"
            ));
            let names = known.iter().flat_map(|(name, version, _)| [name.as_str(), version.as_str()]);
            let failure = match closest(text, names) {
                Some(known) => failure.help(format!("did you mean {known}?")),
                None => failure,
            };
            let example = match Version::parse(text) {
                Ok(_) => format!("{package}.v{text}@{text}"),
                Err(_) => format!("{text}@1.0.0"),
            };
            Err(failure.help(format!(
                "for a bundle that no catalog has any more, give both: `--installed {example}`"
            )))
        }
        several => {
            let names: Vec<&str> = several.iter().map(|(name, ..)| name.as_str()).collect();
            Err(Error::new(format!("--installed {text}: several bundles have this name or version"))
                .help(format!("give NAME@VERSION; they are {}", names.join(", "))))
        }
    }
}

/// Parses a selector as kubectl takes it: requirements with commas between, all of which must hold.
fn parse_selector(text: &str) -> Result<LabelSelector, Error> {
    let mut selector = LabelSelector::default();
    for part in split_requirements(text) {
        let part = part.trim();
        let refuse = || {
            Error::new(format!("--selector: {part:?} is not a requirement"))
                .help("write key=value, key!=value, key in (a,b), key notin (a,b), key, or !key")
        };
        let list = |operator: &str, key: &str, rest: &str| -> Result<Requirement, Error> {
            let inner =
                rest.trim().strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).ok_or_else(refuse)?;
            let values = inner.split(',').map(|value| value.trim().to_owned()).collect();
            Ok(Requirement { key: key.to_owned(), operator: operator.to_owned(), values })
        };
        let words: Vec<&str> = part.splitn(3, char::is_whitespace).collect();
        let requirement = if let [key, "in", rest] = words.as_slice() {
            list("In", key, rest)?
        } else if let [key, "notin", rest] = words.as_slice() {
            list("NotIn", key, rest)?
        } else if let Some((key, value)) = part.split_once("!=") {
            list("NotIn", key.trim(), &format!("({value})"))?
        } else if let Some((key, value)) = part.split_once('=') {
            let value = value.strip_prefix('=').unwrap_or(value);
            list("In", key.trim(), &format!("({value})"))?
        } else if let Some(key) = part.strip_prefix('!') {
            Requirement {
                key: key.trim().to_owned(),
                operator: "DoesNotExist".to_owned(),
                values: Vec::new(),
            }
        } else {
            Requirement { key: part.to_owned(), operator: "Exists".to_owned(), values: Vec::new() }
        };
        if requirement.key.is_empty() || requirement.key.contains(char::is_whitespace) {
            return Err(refuse());
        }
        selector.match_expressions.push(requirement);
    }
    Ok(selector)
}

/// Splits at the commas outside of brackets.
fn split_requirements(text: &str) -> Vec<&str> {
    let mut depth = 0_usize;
    text.split(|c| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    })
    .collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

    use super::parse_selector;

    #[test]
    fn selectors_as_kubectl_takes_them() {
        for (text, shown) in [
            ("tier=gold", "tier in (gold)"),
            ("tier==gold, !test", "tier in (gold); !test"),
            ("tier != gold,test", "tier notin (gold); test"),
            ("tier in (gold, silver),a notin (b)", "tier in (gold,silver); a notin (b)"),
            ("tier=", "tier in ()"),
        ] {
            let selector = parse_selector(text).unwrap();
            let requirements: Vec<String> =
                selector.match_expressions.iter().map(ToString::to_string).collect();
            assert_eq!(requirements.join("; "), shown);
        }
        for bad in ["", "a b", "tier in gold", "=x", "a,,b", "tier near (x)"] {
            assert!(parse_selector(bad).is_err(), "{bad}");
        }
    }
}
