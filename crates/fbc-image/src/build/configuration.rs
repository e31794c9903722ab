//! The configuration of an image: that of the base with what is added. Fields that nobody here knows stay.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::CATALOG_FOLDER;
use super::command::{BaseNote, judge};
use crate::image::PlatformName;
use crate::layer::Layer;

/// What is different from the base.
pub(super) struct Changes<'c> {
    pub(super) platform: &'c PlatformName,
    pub(super) labels: BTreeMap<&'c str, &'c str>,
    /// The time, as RFC 3339 has it.
    pub(super) created: &'c str,
    /// The layers that are added, each with what the history says of it.
    pub(super) layers: &'c [(Layer, &'static str)],
    /// Whether the server is what the image runs.
    pub(super) serves: bool,
    /// The directory of the catalog, if it comes upon a base whose command is judged.
    pub(super) catalog: Option<&'c str>,
}

/// What of the configuration of a base has the wrong type.
#[derive(Debug, thiserror::Error)]
pub(super) enum WrongType {
    #[error("is not an object")]
    Whole,
    #[error("{0} is not an object")]
    Object(String),
    #[error("{0} is not a list")]
    List(String),
}

/// The configuration.
pub(super) fn configuration(
    base: Option<&Value>,
    changes: &Changes<'_>,
    notes: &mut BTreeSet<BaseNote>,
) -> Result<Value, WrongType> {
    let mut fields = match base {
        None => Map::new(),
        Some(base) => base.as_object().cloned().ok_or(WrongType::Whole)?,
    };
    // What docker keeps of the container in which the base was built.
    for key in ["container", "container_config", "docker_version", "id", "parent"] {
        fields.remove(key);
    }
    fields.insert("created".to_owned(), changes.created.into());
    fields.insert("os".to_owned(), changes.platform.os.as_str().into());
    fields.insert("architecture".to_owned(), changes.platform.architecture.as_str().into());
    if let Some(variant) = &changes.platform.variant {
        fields.insert("variant".to_owned(), variant.as_str().into());
    }
    let config = object(&mut fields, "config")?;
    if changes.serves {
        config.insert("Entrypoint".to_owned(), json!(["/bin/opm"]));
        config.insert("Cmd".to_owned(), json!(["serve", CATALOG_FOLDER, "--cache-dir=/tmp/cache"]));
        object(config, "ExposedPorts")?.insert("50051/tcp".to_owned(), json!({}));
        // Clusters that refuse to run anything as root look at the number.
        config.entry("User").or_insert_with(|| "1001".into());
    } else if let Some(folder) = changes.catalog {
        notes.extend(judge(config, folder));
    }
    let labels = object(config, "Labels")?;
    labels.extend(changes.labels.iter().map(|(key, value)| ((*key).to_owned(), Value::from(*value))));
    let rootfs = object(&mut fields, "rootfs")?;
    rootfs.insert("type".to_owned(), "layers".into());
    let diff_ids = changes.layers.iter().map(|(layer, _)| layer.diff_id.to_string().into());
    list(rootfs, "diff_ids")?.extend(diff_ids);
    let history = changes.layers.iter();
    let history =
        history.map(|(_, created_by)| json!({ "created": changes.created, "created_by": created_by }));
    list(&mut fields, "history")?.extend(history);
    Ok(Value::Object(fields))
}

/// The object of a key; an empty one where there is none.
fn object<'f>(
    fields: &'f mut Map<String, Value>,
    key: &str,
) -> Result<&'f mut Map<String, Value>, WrongType> {
    let value = fields.entry(key).or_insert(Value::Null);
    if value.is_null() {
        *value = json!({});
    }
    value.as_object_mut().ok_or_else(|| WrongType::Object(key.to_owned()))
}

/// The list of a key; an empty one where there is none.
fn list<'f>(fields: &'f mut Map<String, Value>, key: &str) -> Result<&'f mut Vec<Value>, WrongType> {
    let value = fields.entry(key).or_insert(Value::Null);
    if value.is_null() {
        *value = json!([]);
    }
    value.as_array_mut().ok_or_else(|| WrongType::List(key.to_owned()))
}
