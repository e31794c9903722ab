//! `ci.yaml` of an operator: which templates expand to which catalogs.
//!
//! Source: `redhat-openshift-ecosystem/operator-pipelines:docs/users/fbc_workflow.md`,
//! `operatorcert/entrypoints/add_bundle_to_fbc.py`.

use fbc_yaml::stream;
use fbc_yaml::{Kind, Node, YamlError};

/// A template and the catalogs that it expands to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mapping {
    /// The name of the file in `catalog-templates`.
    pub template: String,
    /// The schema of the template, such as `olm.semver`.
    pub schema: String,
    /// The names of the directories in `catalogs`.
    pub catalogs: Vec<String>,
}

/// The directory of the templates, beside `ci.yaml`.
pub const TEMPLATES: &str = "catalog-templates";
/// The directory of the catalogs, at the root of the repository.
pub const CATALOGS: &str = "catalogs";

/// Why the mappings cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MappingError {
    /// The file is not YAML.
    #[error(transparent)]
    Yaml(#[from] YamlError),
    /// The mappings are not a list.
    #[error("`fbc.catalog_mapping` is not a list")]
    NoList,
    /// One of them is not valid.
    #[error("`fbc.catalog_mapping[{index}]`{fault}")]
    Entry {
        /// Its number, from 0.
        index: usize,
        /// What is wrong with it.
        fault: EntryFault,
    },
}

/// What is wrong with a mapping.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EntryFault {
    /// It names no template.
    #[error(" has no `template_name`")]
    NoTemplate,
    /// The template does not lie in the directory of templates.
    #[error(": {0:?} is not the name of a file in {TEMPLATES}")]
    TemplateName(String),
    /// It names no catalogs.
    #[error(" has no list `catalog_names`")]
    NoCatalogs,
    /// A catalog does not lie in the directory of catalogs.
    #[error(": {0:?} is not the name of a directory in {CATALOGS}")]
    CatalogName(String),
}

/// Reads the mappings; none if the file says nothing of catalogs.
///
/// # Errors
/// [`MappingError`]
pub fn mappings(text: &[u8]) -> Result<Vec<Mapping>, MappingError> {
    if text.iter().all(u8::is_ascii_whitespace) {
        return Ok(Vec::new());
    }
    let document = stream::read_one(text)?;
    let Some(list) = document.root().get("fbc").and_then(|fbc| fbc.get("catalog_mapping")) else {
        return Ok(Vec::new());
    };
    match list.kind() {
        Kind::Null => Ok(Vec::new()),
        Kind::Array => {
            let entries = list.items().enumerate();
            let entry = |(index, item)| mapping(item).map_err(|fault| MappingError::Entry { index, fault });
            entries.map(entry).collect()
        }
        _ => Err(MappingError::NoList),
    }
}

fn mapping(item: Node<'_>) -> Result<Mapping, EntryFault> {
    let template = item.get_str("template_name").ok_or(EntryFault::NoTemplate)?;
    if !is_name(template) {
        return Err(EntryFault::TemplateName(template.to_owned()));
    }
    // The documentation of the pipelines writes both.
    let names = item.get("catalog_names").or_else(|| item.get("catalogs_names"));
    let names = names.filter(|names| names.kind() == Kind::Array);
    let names = names.ok_or(EntryFault::NoCatalogs)?;
    let catalogs = names.items().map(|name| {
        let name = name.as_str().unwrap_or_default();
        match is_name(name) {
            true => Ok(name.to_owned()),
            false => Err(EntryFault::CatalogName(name.to_owned())),
        }
    });
    Ok(Mapping {
        template: template.to_owned(),
        schema: item.get_str("type").unwrap_or_default().to_owned(),
        catalogs: catalogs.collect::<Result<_, _>>()?,
    })
}

/// Whether it is one step of a path.
fn is_name(name: &str) -> bool {
    !name.is_empty() && name != "." && name != ".." && !name.contains(['/', '\\', '\0'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mappings_of_templates() {
        let text = b"fbc:\n  enabled: true\n  catalog_mapping:\n  - template_name: basic.yaml\n    type: olm.template.basic\n    \
            catalog_names: [v4.14, \"v4.15\"]\n  - template_name: semver.yaml\n    catalogs_names: [v4.16]\n";
        let found = mappings(text).unwrap();
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].catalogs, ["v4.14", "v4.15"]);
        assert_eq!((found[1].template.as_str(), found[1].schema.as_str()), ("semver.yaml", ""));
    }

    #[test]
    fn files_without_mappings_and_wrong_ones() {
        for text in ["", "\n", "reviewers: [me]\n", "fbc: {enabled: true}\n", "fbc:\n  catalog_mapping:\n"] {
            assert_eq!(mappings(text.as_bytes()), Ok(Vec::new()), "{text}");
        }
        for (text, part) in [
            ("fbc: {catalog_mapping: 1}", "not a list"),
            ("fbc: {catalog_mapping: [{}]}", "`template_name`"),
            ("fbc: {catalog_mapping: [{template_name: ../x, catalog_names: []}]}", "not the name of a file"),
            ("fbc: {catalog_mapping: [{template_name: x}]}", "`catalog_names`"),
            (
                "fbc: {catalog_mapping: [{template_name: x, catalog_names: [/]}]}",
                "not the name of a directory",
            ),
            ("fbc: [", ""),
        ] {
            let error = mappings(text.as_bytes()).unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
