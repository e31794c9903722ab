//! What an image runs that has another catalog than its base: the command of the base, judged.
//!
//! Source: `operator-framework/operator-registry:cmd/opm/serve/serve.go` (a cache that was made of another catalog ends the
//! program, unless its integrity is not enforced).

use serde_json::{Map, Value};

/// Something about what a base runs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub enum BaseNote {
    /// A flag that names a cache of the catalog of the base; it was left out, so that the program makes a cache when it begins.
    #[error(
        "the command of the base has {0:?}, a cache of the catalog of the base; it is left out, and the cache is made when the image starts"
    )]
    Cache(String),
    /// Another directory is served than that of the catalog; it was replaced.
    #[error(
        "the command of the base serves {0:?}, where the catalog is not; it serves the directory of the catalog now"
    )]
    Directory(String),
    /// What the base runs does not serve.
    #[error("the base runs {0}, which is not `serve`: OLM v0 cannot use the image")]
    NoServer(String),
}

/// Flags of `opm serve` about its cache, and whether a value may be the next word.
const CACHE_FLAGS: [(&str, bool); 3] =
    [("--cache-dir", true), ("--cache-only", false), ("--cache-enforce-integrity", false)];

/// Makes the command of a base that of an image with a catalog in `folder`; what is to be said of it.
pub(super) fn judge(config: &mut Map<String, Value>, folder: &str) -> Vec<BaseNote> {
    let mut notes = Vec::new();
    let mut words: Vec<String> = Vec::new();
    for key in ["Entrypoint", "Cmd"] {
        let Some(list) = config.get(key).and_then(Value::as_array) else { continue };
        let list: Vec<String> = list.iter().filter_map(Value::as_str).map(str::to_owned).collect();
        let served_before = words.last().is_some_and(|word| word == "serve");
        let kept = judged(&list, served_before, folder, &mut notes);
        if kept != list {
            config.insert(key.to_owned(), kept.clone().into());
        }
        words.extend(kept);
    }
    if !words.iter().any(|word| word == "serve") {
        let shown = if words.is_empty() { "nothing".to_owned() } else { format!("`{}`", words.join(" ")) };
        notes.push(BaseNote::NoServer(shown));
    }
    notes
}

/// Words without flags of a cache, and with the directory of the catalog behind `serve`.
fn judged(list: &[String], served_before: bool, folder: &str, notes: &mut Vec<BaseNote>) -> Vec<String> {
    let mut kept = Vec::new();
    let mut is_directory_next = served_before;
    let mut words = list.iter().peekable();
    while let Some(word) = words.next() {
        let name = word.split('=').next().unwrap_or_default();
        if let Some((flag, has_value)) = CACHE_FLAGS.iter().find(|(flag, _)| *flag == name) {
            let value = (*has_value && name == word.as_str()).then(|| words.next()).flatten();
            if *flag == "--cache-dir" {
                let value = value.map(|value| format!(" {value}")).unwrap_or_default();
                notes.push(BaseNote::Cache(format!("{word}{value}")));
            }
            continue;
        }
        if is_directory_next && !word.starts_with('-') {
            is_directory_next = false;
            if word.trim_end_matches('/') != folder.trim_end_matches('/') {
                notes.push(BaseNote::Directory(word.clone()));
                kept.push(folder.to_owned());
                continue;
            }
        }
        is_directory_next |= word == "serve";
        kept.push(word.clone());
    }
    kept
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn caches_of_the_base_are_left_out() {
        for (entrypoint, command, judged, notes) in [
            (json!(["/bin/opm"]), json!(["serve", "/configs"]), json!(["serve", "/configs"]), 0),
            (
                json!(["/bin/opm"]),
                json!(["serve", "/configs", "--cache-dir=/tmp/cache"]),
                json!(["serve", "/configs"]),
                1,
            ),
            (
                json!(["/bin/opm"]),
                json!(["serve", "--cache-dir", "/c", "--cache-only=false", "/configs", "--debug"]),
                json!(["serve", "/configs", "--debug"]),
                1,
            ),
            (json!(["/bin/opm", "serve"]), json!(["/catalog/"]), json!(["/configs"]), 1),
            (json!(["/bin/opm"]), json!(["serve", "/catalog"]), json!(["serve", "/configs"]), 1),
            (json!(["/bin/sh"]), json!(["-c", "true"]), json!(["-c", "true"]), 1),
            (json!(null), json!(null), json!(null), 1),
        ] {
            let mut config = Map::new();
            config.insert("Entrypoint".to_owned(), entrypoint);
            config.insert("Cmd".to_owned(), command);
            let found = judge(&mut config, "/configs");
            assert_eq!((&config["Cmd"], found.len()), (&judged, notes), "{found:?}");
        }
    }

    #[test]
    fn what_does_not_serve_is_named() {
        let mut config = json!({"Entrypoint": ["/bin/registry"], "Cmd": ["x"]});
        let notes = judge(config.as_object_mut().unwrap(), "/configs");
        assert_eq!(
            notes[0].to_string(),
            "the base runs `/bin/registry x`, which is not `serve`: OLM v0 cannot use the image"
        );
    }
}
