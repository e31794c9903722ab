//! Categories and scripts of Unicode by the names that Go knows; the crate that has their tables also knows others.

use regex_syntax::hir::{self, ClassUnicode, HirKind};

/// What `\p{...}` names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Table {
    Category(&'static str),
    Script(&'static str),
}

/// Categories with their aliases and the three names that Go adds, as Go looks them up: without case and separators.
///
/// Source: `golang/go:src/unicode/tables.go` (`Categories`, `CategoryAliases`), `golang/go:src/regexp/syntax/parse.go`
/// (`unicodeTable`).
#[rustfmt::skip]
const CATEGORIES: [&str; 83] = [
    "any", "ascii", "assigned", "c", "casedletter", "cc", "cf", "closepunctuation", "cn", "cntrl", "co",
    "combiningmark", "connectorpunctuation", "control", "cs", "currencysymbol", "dashpunctuation",
    "decimalnumber", "digit", "enclosingmark", "finalpunctuation", "format", "initialpunctuation", "l",
    "lc", "letter", "letternumber", "lineseparator", "ll", "lm", "lo", "lowercaseletter", "lt", "lu", "m",
    "mark", "mathsymbol", "mc", "me", "mn", "modifierletter", "modifiersymbol", "n", "nd", "nl", "no",
    "nonspacingmark", "number", "openpunctuation", "other", "otherletter", "othernumber",
    "otherpunctuation", "othersymbol", "p", "paragraphseparator", "pc", "pd", "pe", "pf", "pi", "po",
    "privateuse", "ps", "punct", "punctuation", "s", "sc", "separator", "sk", "sm", "so",
    "spaceseparator", "spacingmark", "surrogate", "symbol", "titlecaseletter", "unassigned",
    "uppercaseletter", "z", "zl", "zp", "zs",
];

/// Scripts, which have no aliases; those that came with Unicode 17 are not in the tables of the crate.
///
/// Source: `golang/go:src/unicode/tables.go` (`Scripts`).
#[rustfmt::skip]
const SCRIPTS: [&str; 170] = [
    "adlam", "ahom", "anatolianhieroglyphs", "arabic", "armenian", "avestan", "balinese", "bamum",
    "bassavah", "batak", "bengali", "bhaiksuki", "bopomofo", "brahmi", "braille", "buginese", "buhid",
    "canadianaboriginal", "carian", "caucasianalbanian", "chakma", "cham", "cherokee", "chorasmian",
    "common", "coptic", "cuneiform", "cypriot", "cyprominoan", "cyrillic", "deseret", "devanagari",
    "divesakuru", "dogra", "duployan", "egyptianhieroglyphs", "elbasan", "elymaic", "ethiopic", "garay",
    "georgian", "glagolitic", "gothic", "grantha", "greek", "gujarati", "gunjalagondi", "gurmukhi",
    "gurungkhema", "han", "hangul", "hanifirohingya", "hanunoo", "hatran", "hebrew", "hiragana",
    "imperialaramaic", "inherited", "inscriptionalpahlavi", "inscriptionalparthian", "javanese", "kaithi",
    "kannada", "katakana", "kawi", "kayahli", "kharoshthi", "khitansmallscript", "khmer", "khojki",
    "khudawadi", "kiratrai", "lao", "latin", "lepcha", "limbu", "lineara", "linearb", "lisu", "lycian",
    "lydian", "mahajani", "makasar", "malayalam", "mandaic", "manichaean", "marchen", "masaramgondi",
    "medefaidrin", "meeteimayek", "mendekikakui", "meroiticcursive", "meroitichieroglyphs", "miao",
    "modi", "mongolian", "mro", "multani", "myanmar", "nabataean", "nagmundari", "nandinagari", "newa",
    "newtailue", "nko", "nushu", "nyiakengpuachuehmong", "ogham", "olchiki", "oldhungarian", "olditalic",
    "oldnortharabian", "oldpermic", "oldpersian", "oldsogdian", "oldsoutharabian", "oldturkic",
    "olduyghur", "olonal", "oriya", "osage", "osmanya", "pahawhhmong", "palmyrene", "paucinhau",
    "phagspa", "phoenician", "psalterpahlavi", "rejang", "runic", "samaritan", "saurashtra", "sharada",
    "shavian", "siddham", "signwriting", "sinhala", "sogdian", "sorasompeng", "soyombo", "sundanese",
    "sunuwar", "sylotinagri", "syriac", "tagalog", "tagbanwa", "taile", "taitham", "taiviet", "takri",
    "tamil", "tangsa", "tangut", "telugu", "thaana", "thai", "tibetan", "tifinagh", "tirhuta", "todhri",
    "toto", "tulutigalari", "ugaritic", "vai", "vithkuqi", "wancho", "warangciti", "yezidi", "yi",
    "zanabazarsquare",
];

/// Go has a table of them; no text holds them.
const SURROGATES: [&str; 2] = ["cs", "surrogate"];

impl Table {
    /// What Go finds under a name.
    pub(super) fn named(name: &str) -> Option<Self> {
        let is_kept = |character: &char| !"_- ".contains(*character);
        let name: String =
            name.chars().filter(is_kept).map(|character| character.to_ascii_lowercase()).collect();
        let known = |names: &[&'static str]| {
            names.binary_search(&name.as_str()).ok().and_then(|place| names.get(place).copied())
        };
        known(&CATEGORIES).map(Self::Category).or_else(|| known(&SCRIPTS).map(Self::Script))
    }

    /// The characters of it.
    pub(super) fn characters(self) -> ClassUnicode {
        let class = match self {
            Self::Category(name) if SURROGATES.contains(&name) => return ClassUnicode::empty(),
            Self::Category(name) => format!("\\p{{gc={name}}}"),
            Self::Script(name) => format!("\\p{{sc={name}}}"),
        };
        match regex_syntax::parse(&class).map(hir::Hir::into_kind) {
            Ok(HirKind::Class(hir::Class::Unicode(class))) => class,
            // A table of one character.
            Ok(HirKind::Literal(literal)) => {
                let text = String::from_utf8_lossy(&literal.0);
                ClassUnicode::new(
                    text.chars().map(|character| hir::ClassUnicodeRange::new(character, character)),
                )
            }
            _ => ClassUnicode::empty(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_of_go_has_its_characters() {
        assert!(CATEGORIES.is_sorted() && SCRIPTS.is_sorted());
        let categories = CATEGORIES.into_iter().map(Table::Category);
        for table in categories.chain(SCRIPTS.into_iter().map(Table::Script)) {
            let (Table::Category(name) | Table::Script(name)) = table;
            let is_empty = table.characters().ranges().is_empty();
            assert_eq!(is_empty, SURROGATES.contains(&name), "{name}");
            assert_eq!(Table::named(&name.to_uppercase()), Some(table), "{name}");
        }
    }
}
