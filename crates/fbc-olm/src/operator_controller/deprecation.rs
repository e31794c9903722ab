//! Deprecations in the status of a ClusterExtension.
//!
//! Source: `SetDeprecationStatus` in
//! `operator-framework/operator-controller:internal/operator-controller/controllers/clusterextension_controller.go`.

use fbc_cluster::object::ObjectFields;
use fbc_model::DeprecationEntry;
use fbc_model::blob::schema;

use super::status::Status;
use crate::Target;

const DEPRECATED: &str = "Deprecated";
/// The conditions about one sort of thing each, with the word for it.
const SORTS: [(&str, &str); 3] =
    [("PackageDeprecated", "package"), ("ChannelDeprecated", "channel"), ("BundleDeprecated", "bundle")];

/// What a catalog says of a package.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum CatalogData {
    /// No catalog could be asked.
    #[default]
    Unavailable,
    /// The deprecations of the package; none is a good answer.
    Known(Vec<DeprecationEntry>),
}

/// Writes the four conditions. `bundle` is what is installed, empty for nothing; up to 4.21 what was resolved.
pub fn set(status: &mut Status<'_>, bundle: &str, data: &CatalogData) {
    match status.target {
        Target::Ocp50 | Target::Latest => set_latest(status, bundle, data),
        _ => set_ocp_4_19(status, bundle, data),
    }
}

fn set_latest(status: &mut Status<'_>, bundle: &str, data: &CatalogData) {
    const UNAVAILABLE: &str = "deprecation status unknown: catalog data unavailable";
    let CatalogData::Known(entries) = data else {
        status.set(DEPRECATED, "Unknown", "DeprecationStatusUnknown", UNAVAILABLE);
        for (condition, sort) in SORTS {
            if sort == "bundle" && bundle.is_empty() {
                not_installed(status);
            } else {
                status.set(condition, "Unknown", "DeprecationStatusUnknown", UNAVAILABLE);
            }
        }
        return;
    };
    let channels = channels(status);
    let of_sort = |sort: &str| -> Vec<&str> {
        let concerns = |entry: &&DeprecationEntry| match (entry.schema.as_str(), sort) {
            (schema::PACKAGE, "package") => true,
            (schema::CHANNEL, "channel") => channels.is_empty() || channels.contains(&entry.name),
            (schema::BUNDLE, "bundle") => !bundle.is_empty() && entry.name == bundle,
            _ => false,
        };
        let entries = entries.iter().filter(concerns).map(|entry| entry.message.as_str());
        entries.filter(|message| !message.is_empty()).collect()
    };
    let messages = SORTS.map(|(_, sort)| of_sort(sort));
    write(status, DEPRECATED, &messages.concat(), "not deprecated");
    for ((condition, sort), messages) in SORTS.into_iter().zip(&messages) {
        // Each condition is written once: two statuses in turn would be two transitions.
        if sort == "bundle" && bundle.is_empty() {
            not_installed(status);
        } else {
            write(status, condition, messages, &format!("{sort} not deprecated"));
        }
    }
}

fn not_installed(status: &mut Status<'_>) {
    status.set("BundleDeprecated", "Unknown", "Absent", "no bundle installed yet");
}

fn write(status: &mut Status<'_>, condition: &'static str, messages: &[&str], otherwise: &str) {
    if messages.is_empty() {
        status.set(condition, "False", "NotDeprecated", otherwise);
    } else {
        status.set(condition, "True", "Deprecated", &messages.join("\n"));
    }
}

/// Only the last entry of package and bundle counts, and channels only if they are asked for.
fn set_ocp_4_19(status: &mut Status<'_>, bundle: &str, data: &CatalogData) {
    let entries = match data {
        CatalogData::Known(entries) => entries.as_slice(),
        CatalogData::Unavailable => &[],
    };
    let channels = channels(status);
    let last = |concerns: &dyn Fn(&&DeprecationEntry) -> bool| -> Vec<&str> {
        entries
            .iter()
            .rfind(|entry| concerns(entry))
            .map(|entry| entry.message.as_str())
            .into_iter()
            .collect()
    };
    let messages = [
        last(&|entry| entry.schema == schema::PACKAGE),
        entries
            .iter()
            .filter(|entry| entry.schema == schema::CHANNEL && channels.contains(&entry.name))
            .map(|entry| entry.message.as_str())
            .collect(),
        last(&|entry| entry.schema == schema::BUNDLE && entry.name == bundle),
    ];
    let say = |status: &mut Status<'_>, condition, deprecated: bool, message: &str| {
        status.set(condition, if deprecated { "True" } else { "False" }, DEPRECATED, message);
    };
    let all = messages.concat();
    say(status, DEPRECATED, !all.is_empty(), &all.join(";"));
    for ((condition, _), messages) in SORTS.into_iter().zip(&messages) {
        let text: String = messages.iter().map(|message| format!("\n{message}")).collect();
        say(status, condition, !messages.is_empty(), &text);
    }
}

/// The channels that the extension asks for.
fn channels(status: &Status<'_>) -> Vec<String> {
    let channels = status.extension.list(&["spec", "source", "catalog", "channels"]);
    channels.iter().filter_map(|channel| channel.as_str().map(str::to_owned)).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use fbc_cluster::time::Moment;

    fn entry(schema: &str, name: &str, message: &str) -> DeprecationEntry {
        DeprecationEntry { schema: schema.into(), name: name.into(), message: message.into() }
    }

    fn conditions(target: Target, channels: &[&str], bundle: &str, data: &CatalogData) -> Vec<String> {
        let mut extension = json!({"spec": {"source": {"catalog": {"channels": channels}}}});
        set(&mut Status { extension: &mut extension, target, now: Moment::START }, bundle, data);
        let list = extension.list(&["status", "conditions"]).iter();
        list.map(|one| {
            format!("{} {} {}", one.text(&["status"]), one.text(&["reason"]), one.text(&["message"]))
        })
        .collect()
    }

    #[test]
    fn what_is_deprecated() {
        let data = CatalogData::Known(vec![
            entry(schema::CHANNEL, "stable", "c"),
            entry(schema::CHANNEL, "fast", "d"),
            entry(schema::PACKAGE, "", "p"),
            entry(schema::BUNDLE, "a.v1", "b"),
            entry(schema::BUNDLE, "a.v2", ""),
        ]);
        for (channels, bundle, wanted) in [
            (
                &[][..],
                "a.v1",
                [
                    "True Deprecated p\nc\nd\nb",
                    "True Deprecated p",
                    "True Deprecated c\nd",
                    "True Deprecated b",
                ],
            ),
            (
                &["stable"],
                "a.v2",
                [
                    "True Deprecated p\nc",
                    "True Deprecated p",
                    "True Deprecated c",
                    "False NotDeprecated bundle not deprecated",
                ],
            ),
            (
                &["beta"],
                "",
                [
                    "True Deprecated p",
                    "True Deprecated p",
                    "False NotDeprecated channel not deprecated",
                    "Unknown Absent no bundle installed yet",
                ],
            ),
        ] {
            assert_eq!(conditions(Target::Latest, channels, bundle, &data), wanted);
        }
        assert_eq!(
            conditions(Target::Ocp419, &["stable"], "a.v1", &data),
            ["True Deprecated p;c;b", "True Deprecated \np", "True Deprecated \nc", "True Deprecated \nb"]
        );
        assert_eq!(
            conditions(Target::Ocp419, &[], "a.v3", &CatalogData::Known(Vec::new())),
            ["False Deprecated "; 4]
        );
    }

    #[test]
    fn without_catalogs_nothing_is_known() {
        let unknown = "Unknown DeprecationStatusUnknown deprecation status unknown: catalog data unavailable";
        let none = "Unknown Absent no bundle installed yet";
        let say = |bundle| conditions(Target::Latest, &[], bundle, &CatalogData::Unavailable);
        assert_eq!(say("a.v1"), [unknown; 4]);
        assert_eq!(say(""), [unknown, unknown, unknown, none]);
    }
}
