//! Where an image may be had: mirrors and the registry itself, by `registries.conf` and by the mirror sets of clusters.
//!
//! Source: `containers/image:pkg/sysregistriesv2/system_registries_v2.go`, `docs/containers-registries.conf.5.md`.

mod mirror_set;
pub mod overview;
mod registries_conf;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::error::{Problem, RegistryError, Result};
use super::reference::{Reference, is_short};

/// How a registry is spoken to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Security {
    /// HTTPS with a certificate that convinces.
    Verified,
    /// HTTPS with any certificate, or HTTP where there is no HTTPS: `insecure = true`, `--tls-verify=false`.
    Unverified,
    /// HTTP: `--plain-http`.
    PlainHttp,
}

/// A place where an image may be had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    /// The image there; tag and digest are those of the image asked for.
    pub reference: Reference,
    /// How to speak to the registry.
    pub security: Security,
}

/// Which references a mirror is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PullFrom {
    All,
    DigestOnly,
    TagOnly,
}

/// A mirror of a registry or of a part of one.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Mirror {
    location: String,
    insecure: bool,
    pull: PullFrom,
}

/// What is configured for the images whose names begin with a prefix.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Rule {
    /// `host[:port][/path]` or `*.domain[/path]`.
    prefix: String,
    /// What stands in for the prefix; empty keeps it.
    location: String,
    insecure: bool,
    /// The file that blocks it, if one does.
    blocked: Option<String>,
    mirrors: Vec<Mirror>,
}

impl Rule {
    fn new(prefix: &str) -> Self {
        let (prefix, location) = (prefix.to_owned(), String::new());
        Self { prefix, location, insecure: false, blocked: None, mirrors: Vec::new() }
    }
}

/// The files to read; the caller decides which exist for the user.
#[derive(Clone, Debug, Default)]
pub struct RegistriesPaths {
    /// `registries.conf` files; the first that exists is read. In the order of `containers/image`: the file that
    /// `CONTAINERS_REGISTRIES_CONF` names, `~/.config/containers/registries.conf`, `/etc/containers/registries.conf`.
    pub main: Vec<PathBuf>,
    /// Directories of `*.conf` files that are read after it, later ones over earlier ones:
    /// `/etc/containers/registries.conf.d`, `~/.config/containers/registries.conf.d`.
    pub drop_in: Vec<PathBuf>,
    /// ImageDigestMirrorSet, ImageTagMirrorSet and ImageContentSourcePolicy manifests; they must exist.
    pub mirror_sets: Vec<PathBuf>,
}

impl RegistriesPaths {
    /// The `registries.conf` files that count, in the order in which they are read.
    #[must_use]
    pub fn configurations(&self) -> Vec<PathBuf> {
        let mut configurations: Vec<PathBuf> =
            self.main.iter().find(|path| path.is_file()).cloned().into_iter().collect();
        for folder in &self.drop_in {
            let Ok(entries) = std::fs::read_dir(folder) else { continue };
            let mut files: Vec<PathBuf> = entries
                .filter_map(|entry| Some(entry.ok()?.path()))
                .filter(|path| {
                    path.extension().is_some_and(|extension| extension == "conf") && path.is_file()
                })
                .collect();
            files.sort();
            configurations.append(&mut files);
        }
        configurations
    }
}

/// What is known about registries. The default knows nothing: every registry is asked itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Registries {
    /// By prefix.
    rules: BTreeMap<String, Rule>,
    aliases: BTreeMap<String, String>,
    unqualified_search: Vec<String>,
}

impl Registries {
    /// Reads the files.
    ///
    /// # Errors
    /// [`Problem::Configuration`] or [`Problem::Io`], with the file.
    pub fn read(paths: &RegistriesPaths) -> Result<Self> {
        let mut registries = Self::default();
        for file in paths.configurations() {
            registries.add_configuration(&file)?;
        }
        for file in &paths.mirror_sets {
            registries.add_mirror_set(file)?;
        }
        Ok(registries)
    }

    /// What a user means: a full reference, an alias, or a short name with the search registry in front.
    ///
    /// # Errors
    /// [`Problem::Ambiguous`] for a short name where several registries could be meant; [`Problem::Reference`].
    pub fn resolve(&self, text: &str) -> Result<Reference> {
        let text = text.strip_prefix("docker://").unwrap_or(text);
        let parse = |text: &str| {
            Reference::parse(text)
                .map_err(|error| RegistryError::new("understand", format!("{text:?}"), error))
        };
        if !is_short(text) {
            return parse(text);
        }
        let name_ends = text.find(['@', ':']).unwrap_or(text.len());
        let (name, rest) = text.split_at(name_ends);
        if let Some(alias) = self.aliases.get(name) {
            return parse(&format!("{alias}{rest}"));
        }
        match self.unqualified_search.as_slice() {
            [] => parse(text),
            [only] => parse(&format!("{only}/{text}")),
            several => {
                let meanings = several.iter().map(|registry| format!("{registry}/{text}")).collect();
                Err(RegistryError::new("understand", format!("{text:?}"), Problem::Ambiguous(meanings)))
            }
        }
    }

    /// Where to pull from: mirrors first, then the registry, each as long as it may be asked.
    ///
    /// # Errors
    /// [`Problem::Blocked`] if there is nobody to ask.
    pub fn pull_endpoints(&self, reference: &Reference) -> Result<Vec<Endpoint>> {
        let name = reference.name();
        let Some((rule, matched)) = self.rule_for(&name) else {
            return Ok(vec![Endpoint { reference: reference.clone(), security: Security::Verified }]);
        };
        let rest = name.get(matched..).unwrap_or_default();
        let is_pinned = reference.is_named_by_digest();
        let mirrors = rule.mirrors.iter().filter(|mirror| match mirror.pull {
            PullFrom::All => true,
            PullFrom::DigestOnly => is_pinned,
            PullFrom::TagOnly => !is_pinned,
        });
        let mut places: Vec<(String, bool)> =
            mirrors.map(|mirror| (format!("{}{rest}", mirror.location), mirror.insecure)).collect();
        let own = if rule.location.is_empty() { name.clone() } else { format!("{}{rest}", rule.location) };
        places.push((own, rule.insecure));
        let mut endpoints: Vec<Endpoint> = Vec::new();
        let mut blocked_by = None;
        for (place, insecure) in places {
            let physical = self.rule_for(&place).map(|(rule, _)| rule);
            if let Some(file) = physical.and_then(|rule| rule.blocked.as_ref()) {
                blocked_by = Some(file.clone());
                continue;
            }
            let insecure = insecure || physical.is_some_and(|rule| rule.insecure);
            let endpoint = self.endpoint(reference, &place, insecure)?;
            if !endpoints.contains(&endpoint) {
                endpoints.push(endpoint);
            }
        }
        match blocked_by {
            Some(file) if endpoints.is_empty() => {
                Err(RegistryError::new("pull", reference.to_string(), Problem::Blocked(file)))
            }
            _ => Ok(endpoints),
        }
    }

    /// Where to push: the registry itself; mirrors and locations are for pulling.
    ///
    /// # Errors
    /// [`Problem::Blocked`]
    pub fn push_endpoint(&self, reference: &Reference) -> Result<Endpoint> {
        let rule = self.rule_for(&reference.name()).map(|(rule, _)| rule);
        if let Some(file) = rule.and_then(|rule| rule.blocked.as_ref()) {
            return Err(RegistryError::new("push", reference.to_string(), Problem::Blocked(file.clone())));
        }
        let insecure = rule.is_some_and(|rule| rule.insecure);
        let security = if insecure { Security::Unverified } else { Security::Verified };
        Ok(Endpoint { reference: reference.clone(), security })
    }

    fn endpoint(&self, reference: &Reference, place: &str, insecure: bool) -> Result<Endpoint> {
        let parsed = Reference::parse(place)
            .map_err(|error| RegistryError::new("use the mirror", format!("{place:?}"), error))?;
        let security = if insecure { Security::Unverified } else { Security::Verified };
        Ok(Endpoint { reference: reference.moved(parsed.registry(), parsed.repository()), security })
    }

    /// The rule with the longest prefix, and how much of the name it stands for.
    fn rule_for(&self, name: &str) -> Option<(&Rule, usize)> {
        self.rules
            .values()
            .filter_map(|rule| Some((rule, matched_length(name, &rule.prefix)?)))
            .max_by_key(|(rule, _)| rule.prefix.len())
    }
}

/// How many bytes of a name a prefix stands for; none if it does not.
fn matched_length(name: &str, prefix: &str) -> Option<usize> {
    let end = match prefix.strip_prefix('*') {
        None => name.starts_with(prefix).then_some(prefix.len())?,
        Some(suffix) => {
            let host_ends = name.find('/').unwrap_or(name.len());
            let start = name.find(suffix)?;
            // The domain must begin within the host; the rest of the prefix may reach into the path.
            (start > 0 && start < host_ends).then_some(start + suffix.len())?
        }
    };
    name.get(end..)?.chars().next().is_none_or(|next| matches!(next, '/' | ':' | '@')).then_some(end)
}
