//! Which entry is meant by a name that none has.

use std::collections::HashMap;

use fbc_lint::context::PackageView;
use fbc_lint::names;
use fbc_model::bundle_name;
use fbc_version::Version;

/// The names of a package, by what people may write for them.
pub(crate) struct Spellings<'c> {
    names: Vec<&'c str>,
    by_spelling: HashMap<String, &'c str>,
    by_version: HashMap<String, Vec<&'c str>>,
}

impl<'c> Spellings<'c> {
    /// The names of all entries and bundles.
    pub(crate) fn new(view: &PackageView<'c>) -> Self {
        let mut names: Vec<&str> = names(view).collect();
        names.sort_unstable();
        names.dedup();
        let by_spelling = names.iter().map(|name| (without_spelling(name), *name)).collect();
        let mut by_version: HashMap<String, Vec<&str>> = HashMap::new();
        for name in &names {
            if let Some(version) = bundle_name::version_in(name) {
                by_version.entry(version.to_string()).or_default().push(name);
            }
        }
        Self { names, by_spelling, by_version }
    }

    /// Whether a text is one of the names.
    pub(crate) fn has(&self, text: &str) -> bool {
        self.names.binary_search(&text).is_ok()
    }

    /// The name that is meant by a text which is none of them: the same with other capitals or punctuation, its version alone, or
    /// a few letters that are wrong. Another version is not a mistake: an edge may name what is not in the catalog.
    pub(crate) fn meant(&self, text: &str) -> Option<&'c str> {
        if let Some(same) = self.by_spelling.get(&without_spelling(text)) {
            return Some(same);
        }
        let of_version = |version: &str| self.by_version.get(version).map_or(&[][..], Vec::as_slice);
        let number = text.trim_start_matches(['v', 'V']);
        if Version::parse(number).is_ok() {
            let [only] = of_version(number) else { return None };
            return Some(only);
        }
        match bundle_name::version_in(text) {
            Some(version) => names::meant(text, of_version(&version.to_string()).iter().copied()),
            None => names::meant(text, self.names.iter().copied()),
        }
    }
}

/// The names of all entries and bundles.
pub(crate) fn names<'c>(view: &PackageView<'c>) -> impl Iterator<Item = &'c str> {
    let entries = view.channels.iter().flat_map(|channel| channel.entries());
    entries.map(|entry| entry.name.as_str()).chain(view.bundle_by_name.keys().copied())
}

/// A name without what people spell in different ways: capitals, punctuation, and a `v` before digits.
fn without_spelling(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    let mut characters = name.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            'v' | 'V' if characters.peek().is_some_and(char::is_ascii_digit) => {}
            // Digits must stay apart: 1.10 is not 11.0.
            '.' | '-' | '_' | '+' => out.push('.'),
            _ => out.extend(character.to_lowercase()),
        }
    }
    out
}
