//! `fbc.toml`: its keys and their values.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use fbc_lint::policy::pattern::Pattern;
use fbc_lint::policy::waiver::Waiver;
use fbc_lint::policy::{Date, Level};
use fbc_lint::{Profile, Severity};
use fbc_model::closest::closest;
use fbc_source::Error;
use fbc_version::OpenShiftRelease;
use fbc_yaml::locate::line_and_column;
use toml::de::{DeTable, DeValue};

use super::reader::{self, At, Fault, Reader, text, texts};

/// The keys of the file.
pub(super) const KEYS: [&str; 12] = [
    "allowed-base-images",
    "allowed-kinds",
    "allowed-registries",
    "allowed-related-registries",
    "baseline",
    "catalogs",
    "profile",
    "required-features",
    "rules",
    "targets",
    "waivers",
    "waivers-must-expire",
];

/// The keys of a waiver.
pub(super) const WAIVER_KEYS: [&str; 7] =
    ["bundle", "channel", "code", "expires", "package", "path", "reason"];

/// The words for levels.
pub(super) const LEVELS: [(&str, Level); 3] =
    [("off", None), ("warning", Some(Severity::Warning)), ("error", Some(Severity::Error))];

/// A file larger than this is not a configuration.
const MAX_BYTES: u64 = 4 << 20;

/// What a configuration file says.
#[derive(Debug, Default)]
pub(super) struct ConfigurationFile {
    /// The path as it was found or named.
    pub(super) path: PathBuf,
    /// The whole text.
    pub(super) text: String,
    pub(super) profile: Option<At<Profile>>,
    pub(super) targets: Option<At<Vec<OpenShiftRelease>>>,
    pub(super) allowed_registries: Option<At<Vec<String>>>,
    pub(super) allowed_related_registries: Option<At<Vec<String>>>,
    pub(super) required_features: Option<At<Vec<String>>>,
    pub(super) allowed_kinds: Option<At<Vec<String>>>,
    pub(super) allowed_base_images: Option<At<Vec<String>>>,
    /// Relative to the directory of the file.
    pub(super) baseline: Option<At<String>>,
    pub(super) waivers_must_expire: Option<At<bool>>,
    /// The words that name rules, with their places, and their levels.
    pub(super) rules: Vec<(At<String>, Level)>,
    pub(super) waivers: Vec<Waiver>,
}

impl ConfigurationFile {
    /// Reads a file.
    pub(super) fn read(path: &Path) -> Result<Self, Error> {
        let failure = |error| Error::io("read", path, &error);
        let metadata = fs::metadata(path).map_err(failure)?;
        if !metadata.is_file() || metadata.len() > MAX_BYTES {
            return Err(Error::new(format!("{} is not a configuration file", path.display()))
                .help("name a file in TOML of 4 MiB at the most"));
        }
        let bytes = fs::read(path).map_err(failure)?;
        let text = String::from_utf8(bytes).map_err(|_| {
            Error::new(format!("{} is not in UTF-8", path.display())).help("save it as UTF-8")
        })?;
        Self::parse(path, &text).map_err(|faults| reader::failure(path, &text, &faults))
    }

    /// Reads the text of a file.
    pub(super) fn parse(path: &Path, source: &str) -> Result<Self, Vec<Fault>> {
        let mut reader = Reader::default();
        let table = reader.parse(source);
        reader.check_keys(&table, "in the configuration", &KEYS);
        let registries = "a list of beginnings of image references, such as [\"quay.io/foo/\"]";
        let mut file = Self {
            path: path.to_path_buf(),
            profile: read_profile(&mut reader, &table),
            targets: reader.value(
                &table,
                "targets",
                "a list of versions, such as [\"4.17\", \"4.18\"]",
                versions,
            ),
            allowed_registries: reader.value(&table, "allowed-registries", registries, texts),
            allowed_related_registries: reader.value(&table, "allowed-related-registries", registries, texts),
            required_features: reader.value(&table, "required-features", "a list of annotations", texts),
            allowed_kinds: reader.value(&table, "allowed-kinds", "a list of kinds of objects", texts),
            allowed_base_images: reader.value(&table, "allowed-base-images", "a list of repositories", texts),
            baseline: reader.value(&table, "baseline", "the path of a file", text),
            waivers_must_expire: reader.value(
                &table,
                "waivers-must-expire",
                "true or false",
                DeValue::as_bool,
            ),
            ..Self::default()
        };
        let rules = reader.value(&table, "rules", "a table, such as `[rules]`", DeValue::as_table);
        for (key, value) in rules.iter().flat_map(|rules| rules.value.iter()) {
            let name = format!("`{}`", key.get_ref());
            if let Some(level) = reader.read(value, &name, "\"off\", \"warning\" or \"error\"", level) {
                let word = At { value: key.get_ref().clone().into_owned(), place: key.span() };
                file.rules.push((word, level.value));
            }
        }
        let waivers = reader.value(&table, "waivers", "a list of tables, such as `[[waivers]]`", tables);
        for (table, place) in waivers.into_iter().flat_map(|waivers| waivers.value) {
            file.waivers.extend(read_waiver(&mut reader, table, place));
        }
        for fault in fbc_repository::matrix::entries(&table).1 {
            reader.fault(fault.place, fault.message, fault.help);
        }
        reader.finish()?;
        file.rules.sort_by_key(|(word, _)| word.place.start);
        Ok(Self { text: source.to_owned(), ..file })
    }

    /// `fbc.toml:3`, for people.
    pub(super) fn line_of(&self, place: &Range<usize>) -> String {
        let (line, _) = line_and_column(self.text.as_bytes(), place.start);
        format!("{}:{line}", self.path.display())
    }

    /// The directory that paths in the file start from.
    pub(super) fn folder(&self) -> PathBuf {
        self.path.parent().map(Path::to_path_buf).unwrap_or_default()
    }
}

fn read_profile(reader: &mut Reader, table: &DeTable<'_>) -> Option<At<Profile>> {
    let name = reader.value(table, "profile", "the name of a profile", text)?;
    let Some(profile) = Profile::from_name(&name.value) else {
        let known = Profile::ALL.map(Profile::name);
        let help = match closest(&name.value, known) {
            Some(known) => format!("did you mean \"{known}\"?"),
            None => format!("there are {}", known.join(", ")),
        };
        reader.fault(name.place, format!("there is no profile {:?}", name.value), help);
        return None;
    };
    Some(At { value: profile, place: name.place })
}

fn read_waiver(reader: &mut Reader, table: &DeTable<'_>, place: Range<usize>) -> Option<Waiver> {
    reader.check_keys(table, "in a waiver", &WAIVER_KEYS);
    let mut pattern = |key: &str| {
        let text = reader.value(table, key, "a name, in which `*` stands for any text", text)?;
        Some(Pattern::new(text.value))
    };
    let (package, channel, bundle, path) =
        (pattern("package"), pattern("channel"), pattern("bundle"), pattern("path"));
    let reason = reader.value(table, "reason", "a text", text).map(|reason| reason.value).unwrap_or_default();
    let expires = reader.value(table, "expires", "a day, such as 2027-03-31", date).map(|day| day.value);
    if !table.contains_key("code") {
        reader.fault(place, "a waiver has no `code`", "name the rule that it is about, such as \"IMG203\"");
        return None;
    }
    let code = reader.value(table, "code", "the code, name or family of a rule", text)?;
    Some(Waiver { code: code.value, package, channel, bundle, path, reason, expires, place: code.place })
}

fn versions(value: &DeValue<'_>) -> Option<Vec<OpenShiftRelease>> {
    texts(value)?.iter().map(|text| OpenShiftRelease::parse(text)).collect()
}

fn level(value: &DeValue<'_>) -> Option<Level> {
    let word = value.as_str()?;
    LEVELS.into_iter().find(|(name, _)| *name == word).map(|(_, level)| level)
}

fn date(value: &DeValue<'_>) -> Option<Date> {
    match value {
        DeValue::Datetime(day) => Date::parse(&day.to_string()),
        value => Date::parse(value.as_str()?),
    }
}

fn tables<'v>(value: &'v DeValue<'v>) -> Option<Vec<(&'v DeTable<'v>, Range<usize>)>> {
    value.as_array()?.iter().map(|item| Some((item.get_ref().as_table()?, item.span()))).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use fbc_lint::Profile;

    use super::{KEYS, WAIVER_KEYS};

    #[test]
    fn keys_are_those_of_the_schema() {
        let schema = fbc_lint::schema::by_name("config").unwrap().value();
        let keys = |pointer: &str| -> BTreeSet<String> {
            schema.pointer(pointer).unwrap().as_object().unwrap().keys().cloned().collect()
        };
        assert_eq!(keys("/properties"), KEYS.map(str::to_owned).into());
        assert_eq!(keys("/properties/waivers/items/properties"), WAIVER_KEYS.map(str::to_owned).into());
        let profiles = schema.pointer("/properties/profile/enum").unwrap();
        assert_eq!(*profiles, serde_json::json!(Profile::ALL.map(Profile::name)));
    }

    #[test]
    fn any_text_is_a_configuration_or_has_faults_within() {
        let text = "profile = \"konflux\"\n[rules]\nFBC = \"warning\"\n[[waivers]]\ncode = \"IMG101\"\n\
            expires = 2027-03-31\n[[catalogs]]\npath = \"v4.18\"\n";
        for text in fbc_testing::broken_variants(text) {
            let faults =
                super::ConfigurationFile::parse(Path::new("fbc.toml"), &text).err().unwrap_or_default();
            for fault in faults {
                assert!(text.get(fault.place.clone()).is_some(), "{text}: {:?}", fault.place);
            }
        }
    }

    fn mistake(text: &str) -> String {
        crate::configuration::check(Path::new("fbc.toml"), text).unwrap_err().line()
    }

    #[test]
    fn mistakes_have_places() {
        for (text, expected) in [
            (
                "profil = 1",
                "fbc.toml:1:1: unknown key `profil` in the configuration (did you mean `profile`?)",
            ),
            (
                "\nprofile = \"konfluks\"",
                "fbc.toml:2:11: there is no profile \"konfluks\" (did you mean \"konflux\"?)",
            ),
            (
                "targets = [\"4.17\", 4.18]",
                "fbc.toml:1:11: `targets` is not a list of versions, such as [\"4.17\", \"4.18\"] \
                 (write a list of versions, such as [\"4.17\", \"4.18\"])",
            ),
            (
                "[rules]\nGRF003 = \"warn\"",
                "fbc.toml:2:10: `GRF003` is not \"off\", \"warning\" or \"error\" \
                 (write \"off\", \"warning\" or \"error\")",
            ),
            (
                "[[waivers]]\ncode = \"IMG203\"\nexpire = 2027-01-01",
                "fbc.toml:3:1: unknown key `expire` in a waiver (did you mean `expires`?)",
            ),
            ("[[waivers]]\ncode = \"IMG203\"\nexpires = 2027-02-30", "fbc.toml:3:11"),
            (
                "[[waivers]]\nreason = \"x\"",
                "fbc.toml:1:1: a waiver has no `code` (name the rule that it is about, such as \"IMG203\")",
            ),
            ("waivers = 1", "fbc.toml:1:11: `waivers` is not a list of tables, such as `[[waivers]]`"),
            ("targets = [", "fbc.toml:1:"),
        ] {
            let actual = mistake(text);
            assert!(actual.starts_with(expected), "{text}: {actual}");
        }
        let both = mistake("a = 1\nb = 2");
        assert!(both.contains("fbc.toml:1:1: ") && both.contains("; and fbc.toml:2:1: "), "{both}");
    }
}
