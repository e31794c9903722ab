//! What is found on a machine and in a directory, and what is wrong with it: each section is a file of its own.

mod cache;
mod certificates;
mod credentials;
mod directory;
mod images;
pub mod item;
mod programs;
mod registries;

use std::ffi::OsString;
use std::path::PathBuf;

use fbc_registry::credentials::CredentialPaths;
use fbc_registry::mirrors::RegistriesPaths;
use fbc_registry::transport::Proxies;
use fbc_registry::trust::TrustSettings;
use fbc_registry::{Credentials, ImageCache, Registries};
use fbc_source::{Error, Session};
use serde_json::{Value, json};

use self::item::{Item, Level};
use crate::settings::Settings;

/// Where credentials, mirrors, certificates and proxies are looked for.
pub struct Places {
    /// Files of credentials.
    pub credentials: CredentialPaths,
    /// The configuration of registries and mirrors.
    pub registries: RegistriesPaths,
    /// Certificates.
    pub trust: TrustSettings,
    /// Proxies.
    pub proxies: Proxies,
    /// Whether no registry may be asked.
    pub is_offline: bool,
}

/// What the process knows of itself and of the machine.
pub struct Machine {
    /// The version of the program.
    pub version: &'static str,
    /// Where it lies.
    pub program: Option<PathBuf>,
    /// The directories of programs, as `PATH` has them.
    pub path: Option<OsString>,
    /// Seconds since 1970.
    pub now: i64,
    /// Where registries are configured.
    pub places: Places,
    /// Where blobs are kept.
    pub cache: Result<ImageCache, Error>,
}

/// What belongs together, with its name.
pub struct Section {
    /// The name.
    pub name: &'static str,
    /// What is found.
    pub items: Vec<Item>,
}

/// All sections; `images` are asked for with a session and credentials of their own.
pub fn sections(
    machine: &Machine,
    images: &[String],
    session: impl FnOnce() -> Session,
    credentials: impl FnOnce(&Registries) -> Result<Credentials, Error>,
    settings: &Settings,
) -> Vec<Section> {
    let places = &machine.places;
    let mut sections = vec![
        Section { name: "programs", items: programs::items(machine) },
        Section { name: "directory", items: directory::items(settings) },
        Section { name: "credentials", items: self::credentials::items(&places.credentials) },
        Section { name: "certificates", items: certificates::items(&places.trust, machine.now) },
        Section { name: "registries", items: registries::items(places) },
        Section { name: "cache", items: cache::items(machine.cache.as_ref()) },
    ];
    if !images.is_empty() {
        let items = self::images::items(images, &session(), &places.registries, credentials);
        sections.push(Section { name: "images", items });
    }
    sections
}

/// How many items have a level.
#[must_use]
pub fn count(sections: &[Section], level: Level) -> usize {
    sections.iter().flat_map(|section| &section.items).filter(|item| item.level == level).count()
}

/// All of it as a JSON object.
#[must_use]
pub fn document(sections: &[Section], version: &str) -> Value {
    let item = |item: &Item| json!({"level": item.level.name(), "text": item.text, "help": item.help});
    let sections_value: Vec<Value> = sections
        .iter()
        .map(|section| {
            let items: Vec<Value> = section.items.iter().map(item).collect();
            json!({"name": section.name, "items": items})
        })
        .collect();
    json!({
        "version": version,
        "errors": count(sections, Level::Error),
        "warnings": count(sections, Level::Warning),
        "sections": sections_value,
    })
}
