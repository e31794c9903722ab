//! `ci.yaml` of an operator: which templates expand to which catalogs.
//!
//! Source: `redhat-openshift-ecosystem/operator-pipelines:docs/users/fbc_workflow.md`,
//! `operatorcert/entrypoints/add_bundle_to_fbc.py`.

use fbc_yaml::stream;
use fbc_yaml::{Kind, Node};

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

/// Reads the mappings; none if the file says nothing of catalogs.
///
/// # Errors
/// What is wrong with the file.
pub fn mappings(text: &[u8]) -> Result<Vec<Mapping>, String> {
    if text.iter().all(u8::is_ascii_whitespace) {
        return Ok(Vec::new());
    }
    let document = stream::read_one(text)?;
    let Some(list) = document.root().get("fbc").and_then(|fbc| fbc.get("catalog_mapping")) else {
        return Ok(Vec::new());
    };
    match list.kind() {
        Kind::Null => Ok(Vec::new()),
        Kind::Array => list.items().enumerate().map(|(index, item)| mapping(item, index)).collect(),
        _ => Err("`fbc.catalog_mapping` is not a list".to_owned()),
    }
}

fn mapping(item: Node<'_>, index: usize) -> Result<Mapping, String> {
    let place = format!("`fbc.catalog_mapping[{index}]`");
    let template = item.get_str("template_name").ok_or_else(|| format!("{place} has no `template_name`"))?;
    if !is_name(template) {
        return Err(format!("{place}: {template:?} is not the name of a file in {TEMPLATES}"));
    }
    // The documentation of the pipelines writes both.
    let names = item.get("catalog_names").or_else(|| item.get("catalogs_names"));
    let names = names.filter(|names| names.kind() == Kind::Array);
    let names = names.ok_or_else(|| format!("{place} has no list `catalog_names`"))?;
    let catalogs = names.items().map(|name| {
        let name = name.as_str().unwrap_or_default();
        match is_name(name) {
            true => Ok(name.to_owned()),
            false => Err(format!("{place}: {name:?} is not the name of a directory in {CATALOGS}")),
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
            let error = mappings(text.as_bytes()).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
