//! The catalog as the files of a cache that opm serves from.
//!
//! Source: `operator-framework/operator-registry:pkg/cache/json.go`, `pkg/cache/pkgs.go`.

use serde_json::{Map, Value, json};

use super::bundle::Extent;
use super::index::{EntryKey, Registry};
use super::message::{Bundle, GroupVersionKind};

/// A file of the cache.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CacheFile {
    /// Its name in the directory `cache`. It has a slash where a package, channel or bundle has one, and then there is no place
    /// for it.
    pub name: String,
    /// What it holds.
    pub bytes: Vec<u8>,
}

impl Registry {
    /// The files of a cache of this catalog: the index of all packages, and each bundle of each channel.
    pub fn cache_files(&self) -> impl Iterator<Item = CacheFile> + '_ {
        let index = CacheFile {
            name: "packages.json".to_owned(),
            bytes: self.package_index().to_string().into_bytes(),
        };
        let bundles = self.listing.iter().filter_map(|key| {
            let EntryKey { package, channel, bundle } = key;
            let mut message = self.message(key, Extent::Single)?;
            let listed = self.message(key, Extent::Listed)?;
            (message.replaces, message.skips) = (listed.replaces, listed.skips);
            let name = format!("{package}_{channel}_{bundle}.json");
            Some(CacheFile { name, bytes: bundle_json(&message).to_string().into_bytes() })
        });
        std::iter::once(index).chain(bundles)
    }

    fn package_index(&self) -> Value {
        let deprecation =
            |message: &Option<String>| message.as_ref().map(|message| json!({"message": message}));
        let mut index: Map<String, Value> = Map::new();
        for (name, package) in &self.packages {
            let blob = self.catalog.packages.get(package.blob);
            let icon = blob.and_then(|blob| blob.icon.as_ref()).map(|icon| {
                let data = icon.data.as_deref().map(fbc_go::base64::encode).unwrap_or_default();
                json!({"base64data": data, "mediatype": icon.media_type})
            });
            let mut channels: Map<String, Value> = Map::new();
            for (channel_name, channel) in &package.channels {
                let mut bundles: Map<String, Value> = Map::new();
                for (bundle, entry) in &channel.entries {
                    let (blob, number) = entry.place;
                    let edges =
                        self.catalog.channels.get(blob).and_then(|channel| channel.entries().get(number));
                    bundles.insert(
                        bundle.clone(),
                        json!({
                            "package": name,
                            "channel": channel_name,
                            "name": bundle,
                            "replaces": edges.map(|edges| edges.replaces.as_str()).unwrap_or_default(),
                            "skips": edges.map(|edges| edges.skips.as_slice()).unwrap_or_default(),
                        }),
                    );
                }
                let mut value = json!({"Name": channel_name, "Head": channel.head, "Bundles": bundles});
                put(&mut value, "deprecation", deprecation(&channel.deprecation));
                channels.insert(channel_name.clone(), value);
            }
            let mut value = json!({
                "name": name,
                "description": blob.map(|blob| blob.description.as_str()).unwrap_or_default(),
                "icon": icon,
                "defaultChannel": package.default_channel,
                "Channels": channels,
            });
            put(&mut value, "deprecation", deprecation(&package.deprecation));
            index.insert(name.clone(), value);
        }
        Value::Object(index)
    }
}

fn put(value: &mut Value, key: &str, member: Option<Value>) {
    if let (Some(object), Some(member)) = (value.as_object_mut(), member) {
        object.insert(key.to_owned(), member);
    }
}

/// A bundle with the names that protocol buffers have in JSON.
fn bundle_json(bundle: &Bundle) -> Value {
    let kinds = |kinds: &[GroupVersionKind]| -> Value {
        kinds
            .iter()
            .map(|kind| {
                json!({"group": kind.group, "version": kind.version, "kind": kind.kind, "plural": kind.plural})
            })
            .collect()
    };
    let pair = |kind: &str, value: &str| json!({"type": kind, "value": value});
    let mut value = json!({
        "csvName": bundle.csv_name,
        "packageName": bundle.package_name,
        "channelName": bundle.channel_name,
        "csvJson": bundle.csv_json,
        "object": bundle.object,
        "bundlePath": bundle.bundle_path,
        "providedApis": kinds(&bundle.provided_apis),
        "requiredApis": kinds(&bundle.required_apis),
        "version": bundle.version,
        "skipRange": bundle.skip_range,
        "dependencies": bundle.dependencies.iter().map(|one| pair(&one.r#type, &one.value)).collect::<Vec<_>>(),
        "properties": bundle.properties.iter().map(|one| pair(&one.r#type, &one.value)).collect::<Vec<_>>(),
        "replaces": bundle.replaces,
        "skips": bundle.skips,
    });
    put(&mut value, "deprecation", bundle.deprecation.as_ref().map(|one| json!({"message": one.message})));
    value
}
