//! Versions that are nearly semantic versions.

use fbc_version::Version;

/// The semantic version that is meant by a text: without what stands before it, with zeros for what is left out.
#[must_use]
pub fn completed(text: &str) -> Option<String> {
    let trimmed = text.trim().trim_start_matches(['v', 'V', '=']);
    let candidates = [trimmed.to_owned(), format!("{trimmed}.0"), format!("{trimmed}.0.0")];
    candidates.into_iter().find(|candidate| Version::parse(candidate).is_ok())
}

#[cfg(test)]
mod tests {
    use super::completed;

    #[test]
    fn what_is_left_out_is_zero() {
        for (text, expected) in [
            ("1.0", Some("1.0.0")),
            ("1.10", Some("1.10.0")),
            ("2", Some("2.0.0")),
            (" v1.2.3", Some("1.2.3")),
            ("1e3", None),
            (".5", None),
            ("", None),
        ] {
            assert_eq!(completed(text).as_deref(), expected, "{text:?}");
        }
    }
}
