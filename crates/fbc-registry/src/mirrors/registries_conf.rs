//! `registries.conf`, version 2.

use std::path::Path;

use serde::Deserialize;

use super::{Mirror, PullFrom, Registries, Rule};
use crate::error::{Problem, RegistryError, Result};

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Written {
    unqualified_search_registries: Option<Vec<String>>,
    #[serde(default)]
    registry: Vec<WrittenRegistry>,
    #[serde(default)]
    aliases: std::collections::BTreeMap<String, String>,
    /// Version 1.
    registries: Option<toml::Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", default)]
#[derive(Default)]
struct WrittenRegistry {
    prefix: String,
    location: String,
    insecure: bool,
    blocked: bool,
    mirror_by_digest_only: bool,
    mirror: Vec<WrittenMirror>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", default)]
#[derive(Default)]
struct WrittenMirror {
    location: String,
    insecure: bool,
    pull_from_mirror: String,
}

impl Registries {
    /// Adds a file; what it says of a prefix replaces what earlier files say of it.
    pub(super) fn add_configuration(&mut self, path: &Path) -> Result<()> {
        let text = std::fs::read_to_string(path).map_err(|error| failure(path, error))?;
        let invalid = |text: String| failure(path, Problem::Configuration(text));
        let written: Written = toml::from_str(&text).map_err(|error| invalid(error.to_string()))?;
        if written.registries.is_some() {
            return Err(invalid(
                "this is version 1 of the format (`[registries.…]`); write it as `[[registry]]` of version 2"
                    .to_owned(),
            ));
        }
        for registry in written.registry {
            let rule = rule(registry, path).map_err(|fault| invalid(fault.to_string()))?;
            self.rules.insert(rule.prefix.clone(), rule);
        }
        for (name, target) in written.aliases {
            if target.is_empty() {
                self.aliases.remove(&name)
            } else {
                self.aliases.insert(name, target)
            };
        }
        if let Some(search) = written.unqualified_search_registries {
            self.unqualified_search =
                search.iter().map(|host| host.trim_end_matches('/').to_owned()).collect();
        }
        Ok(())
    }
}

/// Why a `[[registry]]` is not a rule.
#[derive(Debug, thiserror::Error)]
enum RuleFault {
    #[error("a [[registry]] has neither `prefix` nor `location`")]
    NoPlace,
    #[error(transparent)]
    Place(#[from] PlaceFault),
    #[error("a mirror of {0:?} has no `location`")]
    NoLocation(String),
    #[error("{0:?} has both `mirror-by-digest-only` and `pull-from-mirror`")]
    BothPulls(String),
    #[error("`pull-from-mirror` is {0:?}; it may be all, digest-only or tag-only")]
    Pull(String),
}

/// A text that is not a `host[/path]`.
#[derive(Debug, thiserror::Error)]
pub(super) enum PlaceFault {
    #[error("{0:?} begins with a scheme; write host and path alone")]
    Scheme(String),
    #[error("{0:?} is not a host with an optional path")]
    Form(String),
}

fn rule(written: WrittenRegistry, path: &Path) -> std::result::Result<Rule, RuleFault> {
    let prefix = trimmed(&written.prefix);
    let location = trimmed(&written.location);
    let prefix = if prefix.is_empty() { location.clone() } else { prefix };
    if prefix.is_empty() {
        return Err(RuleFault::NoPlace);
    }
    check_place(&location, false)?;
    check_place(&prefix, true)?;
    let mut mirrors = Vec::new();
    for mirror in written.mirror {
        let location = trimmed(&mirror.location);
        if location.is_empty() {
            return Err(RuleFault::NoLocation(prefix));
        }
        check_place(&location, false)?;
        if written.mirror_by_digest_only && !mirror.pull_from_mirror.is_empty() {
            return Err(RuleFault::BothPulls(prefix));
        }
        let pull = match mirror.pull_from_mirror.as_str() {
            "" if written.mirror_by_digest_only => PullFrom::DigestOnly,
            "" | "all" => PullFrom::All,
            "digest-only" => PullFrom::DigestOnly,
            "tag-only" => PullFrom::TagOnly,
            other => return Err(RuleFault::Pull(other.to_owned())),
        };
        mirrors.push(Mirror { location, insecure: mirror.insecure, pull });
    }
    let blocked = written.blocked.then(|| path.display().to_string());
    Ok(Rule { prefix, location, insecure: written.insecure, blocked, mirrors })
}

fn trimmed(place: &str) -> String {
    place.trim_end_matches('/').to_owned()
}

/// Refuses what is not a `host[/path]`.
pub(super) fn check_place(place: &str, may_be_wildcard: bool) -> std::result::Result<(), PlaceFault> {
    if place.contains("://") {
        return Err(PlaceFault::Scheme(place.to_owned()));
    }
    let rest = place.strip_prefix("*.").filter(|_| may_be_wildcard).unwrap_or(place);
    if rest.contains(['*', '@']) || rest.contains(char::is_whitespace) || (rest.is_empty() && rest != place) {
        return Err(PlaceFault::Form(place.to_owned()));
    }
    Ok(())
}

pub(super) fn failure(path: &Path, problem: impl Into<Problem>) -> Box<RegistryError> {
    RegistryError::new("use", path.display().to_string(), problem)
}
