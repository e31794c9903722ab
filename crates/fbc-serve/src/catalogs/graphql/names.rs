//! Names of a catalog as GraphQL has them.
//!
//! Source: `operator-framework/operator-controller:internal/catalogd/graphql/graphql.go`.

/// The name of a field, after the key in the blob: words begin with a capital letter, all but the first.
pub(super) fn field(key: &str) -> String {
    if key.is_empty() {
        return "value".to_owned();
    }
    let mut words = key.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let mut name = String::with_capacity(key.len());
    if let Some(first) = words.next() {
        match first.split_at_checked(1) {
            Some((initial, rest)) if first.contains(|c: char| c.is_ascii_lowercase()) => {
                name.push_str(&initial.to_ascii_lowercase());
                name.push_str(rest);
            }
            _ => name.push_str(&first.to_ascii_lowercase()),
        }
    }
    words.for_each(|word| push_capitalized(&mut name, word));
    if name.starts_with(|c: char| c.is_ascii_alphabetic()) { name } else { format!("field_{name}") }
}

/// The name of a type, after a schema or a field.
pub(super) fn type_of(name: &str) -> String {
    let digits = name.find(|c: char| !c.is_ascii_digit()).unwrap_or(name.len());
    let rest = name.get(digits..).unwrap_or_default();
    let mut found = String::with_capacity(name.len());
    let words = rest.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.for_each(|word| push_capitalized(&mut found, word));
    if found.is_empty() { "Unknown".to_owned() } else { found }
}

/// The name of the field of all blobs of a schema.
pub(super) fn plural(schema: &str) -> String {
    let letters = schema.chars().filter(char::is_ascii_alphanumeric);
    let mut name: String = letters.map(|letter| letter.to_ascii_lowercase()).collect();
    name.push('s');
    name
}

/// True if GraphQL allows the name.
pub(super) fn is_allowed(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

fn push_capitalized(name: &mut String, word: &str) {
    if let Some((initial, rest)) = word.split_at_checked(1) {
        name.push_str(&initial.to_ascii_uppercase());
        name.push_str(&rest.to_ascii_lowercase());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From the tests of catalogd, and what its code makes of the rest.
    #[test]
    fn keys_become_fields() {
        for (key, expected) in [
            ("name", "name"),
            ("package-name", "packageName"),
            ("default_channel", "defaultChannel"),
            ("csv-description", "csvDescription"),
            ("skipRange", "skipRange"),
            ("relatedImages", "relatedImages"),
            ("UPPER", "upper"),
            ("URL_PATH", "urlPath"),
            ("UpperCamel", "upperCamel"),
            ("a__b--c", "aBC"),
            ("123invalid", "field_123invalid"),
            ("1A", "field_1a"),
            ("_private_", "private"),
            ("", "value"),
            ("---", "field_"),
            ("ü", "field_"),
            ("a.bCD", "aBcd"),
        ] {
            assert_eq!(field(key), expected, "{key}");
            assert!(is_allowed(&field(key)));
        }
    }

    #[test]
    fn schemas_become_types_and_plurals() {
        for (schema, name, all) in [
            ("olm.bundle", "OlmBundle", "olmbundles"),
            ("helm-chart", "HelmChart", "helmcharts"),
            ("relatedImages", "Relatedimages", "relatedimagess"),
            ("1.2x", "2x", "12xs"),
            ("...", "Unknown", "s"),
        ] {
            assert_eq!((type_of(schema).as_str(), plural(schema).as_str()), (name, all));
        }
        assert!(!is_allowed("2x") && !is_allowed("a-b") && !is_allowed(""));
    }
}
