//! The crates that are compiled into fbc, by the lock file.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::error::{Context, TaskError, TaskResult};
use crate::workspace;

/// A crate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Dependency {
    pub(super) name: String,
    pub(super) version: String,
    /// An SPDX expression, or what the crate says instead.
    pub(super) license: String,
    pub(super) description: String,
    /// The directory of its sources.
    pub(super) folder: PathBuf,
    /// The SHA-256 of its package, from the lock file.
    pub(super) checksum: Option<String>,
    /// Whether it is one of this workspace.
    pub(super) is_own: bool,
    /// What it needs, as `name@version`.
    pub(super) needs: BTreeSet<String>,
}

impl Dependency {
    /// `name@version`.
    pub(super) fn id(&self) -> String {
        format!("{}@{}", self.name, self.version)
    }

    #[cfg(test)]
    pub(super) fn of_test(name: &str, folder: &Path) -> Self {
        Self {
            name: name.to_owned(),
            version: "1.0.0".to_owned(),
            license: "MIT".to_owned(),
            description: String::new(),
            folder: folder.to_owned(),
            checksum: Some("00".to_owned()),
            is_own: false,
            needs: BTreeSet::new(),
        }
    }
}

/// The crates behind fbc with fbc itself, by name and version; of one target, or of all.
pub(super) fn dependencies(root: &Path, triple: Option<&str>) -> TaskResult<Vec<Dependency>> {
    let mut command = workspace::cargo(root);
    command.args(["metadata", "--format-version", "1", "--locked"]);
    if let Some(triple) = triple {
        command.args(["--filter-platform", triple]);
    }
    let output = command.output().context(|| "starting cargo metadata".to_owned())?;
    if !output.status.success() {
        let reason = String::from_utf8_lossy(&output.stderr);
        return Err(TaskError::new(format!("cargo metadata failed: {}", reason.trim())));
    }
    let metadata: Value = serde_json::from_slice(&output.stdout)
        .context(|| "reading the answer of cargo metadata".to_owned())?;
    let lock = root.join("Cargo.lock");
    let lock = fs::read_to_string(&lock).context(|| format!("reading {}", lock.display()))?;
    of_metadata(&metadata, &checksums(&lock))
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

fn of_metadata(metadata: &Value, checksums: &BTreeMap<String, String>) -> TaskResult<Vec<Dependency>> {
    let packages: BTreeMap<&str, &Value> = list(&metadata["packages"])
        .iter()
        .filter_map(|package| Some((package["id"].as_str()?, package)))
        .collect();
    let nodes: BTreeMap<&str, &Value> = list(&metadata["resolve"]["nodes"])
        .iter()
        .filter_map(|node| Some((node["id"].as_str()?, node)))
        .collect();
    let first = packages.iter().find(|(_, package)| package["name"] == "fbc").map(|(id, _)| *id);
    let mut waiting = vec![first.ok_or_else(|| TaskError::new("cargo metadata names no package fbc"))?];
    let mut found: BTreeMap<String, Dependency> = BTreeMap::new();
    while let Some(id) = waiting.pop() {
        let (Some(package), Some(node)) = (packages.get(id), nodes.get(id)) else { continue };
        let mut dependency = dependency(package, checksums);
        if found.contains_key(&dependency.id()) {
            continue;
        }
        for needed in list(&node["deps"]).iter().filter(|needed| is_compiled(needed)) {
            let Some(id) = needed["pkg"].as_str() else { continue };
            if let Some(package) = packages.get(id) {
                dependency.needs.insert(format!("{}@{}", text(&package["name"]), text(&package["version"])));
                waiting.push(id);
            }
        }
        found.insert(dependency.id(), dependency);
    }
    Ok(found.into_values().collect())
}

/// Whether a crate is needed otherwise than by tests.
fn is_compiled(needed: &Value) -> bool {
    list(&needed["dep_kinds"]).iter().any(|kind| kind["kind"] != "dev")
}

fn dependency(package: &Value, checksums: &BTreeMap<String, String>) -> Dependency {
    let (name, version) = (text(&package["name"]), text(&package["version"]));
    let manifest = PathBuf::from(text(&package["manifest_path"]));
    let license = match (package["license"].as_str(), package["license_file"].as_str()) {
        (Some(license), _) => license.replace('/', " OR "),
        (None, Some(file)) => format!("see {file}"),
        (None, None) => "not said".to_owned(),
    };
    Dependency {
        license,
        description: text(&package["description"]).split_whitespace().collect::<Vec<_>>().join(" "),
        folder: manifest.parent().map(Path::to_owned).unwrap_or_default(),
        checksum: checksums.get(&format!("{name}@{version}")).cloned(),
        is_own: package["source"].is_null(),
        needs: BTreeSet::new(),
        name,
        version,
    }
}

/// The checksums of a lock file, by `name@version`.
fn checksums(lock: &str) -> BTreeMap<String, String> {
    let value = |block: &str, key: &str| {
        let prefix = format!("{key} = \"");
        let line = block.lines().find_map(|line| line.strip_prefix(&prefix))?;
        Some(line.trim_end_matches('"').to_owned())
    };
    let entry = |block: &str| {
        let id = format!("{}@{}", value(block, "name")?, value(block, "version")?);
        Some((id, value(block, "checksum")?))
    };
    lock.split("[[package]]").filter_map(entry).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_crates_of_this_workspace() {
        let root = workspace::root().unwrap();
        let found = dependencies(&root, None).unwrap();
        let by_name = |name: &str| found.iter().find(|dependency| dependency.name == name);
        let clap = by_name("clap").unwrap();
        assert_eq!(clap.license, "MIT OR Apache-2.0");
        assert_eq!(clap.checksum.as_ref().unwrap().len(), 64);
        assert!(by_name("fbc").unwrap().needs.contains(&clap.id()));
        assert!(by_name("fbc-model").unwrap().is_own);
        assert!(by_name("proptest").is_none(), "a crate of tests");
        assert!(found.is_sorted_by_key(Dependency::id));
    }
}
