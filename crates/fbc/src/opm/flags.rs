//! Flags as pflag reads them: `-o json`, `-ojson`, `-o=json`, `--output json`, `--output=json`, `--`, mixed
//! with other arguments.

use std::collections::BTreeMap;

use fbc_yaml::go_text::quote;

/// A flag.
#[derive(Debug)]
pub(super) struct Flag {
    /// The long name.
    pub(super) name: &'static str,
    /// The short one.
    pub(super) short: Option<char>,
    /// What it takes.
    pub(super) kind: FlagKind,
    /// What it is for.
    pub(super) purpose: &'static str,
    /// What to use instead; such a flag is not shown.
    pub(super) deprecated: Option<&'static str>,
    /// Whether help leaves it out.
    pub(super) is_hidden: bool,
}

/// What a flag takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FlagKind {
    /// Nothing, or `=true` and the like.
    Switch,
    /// A text, with its default.
    Text(&'static str),
}

impl Flag {
    /// A switch.
    pub(super) const fn switch(name: &'static str, purpose: &'static str) -> Self {
        Self { name, short: None, kind: FlagKind::Switch, purpose, deprecated: None, is_hidden: false }
    }

    /// A flag that takes a text.
    pub(super) const fn text(name: &'static str, default: &'static str, purpose: &'static str) -> Self {
        Self { name, short: None, kind: FlagKind::Text(default), purpose, deprecated: None, is_hidden: false }
    }

    /// Adds a short name.
    pub(super) const fn short(self, short: char) -> Self {
        Self { short: Some(short), ..self }
    }

    /// Leaves the flag out of help.
    pub(super) const fn hidden(self) -> Self {
        Self { is_hidden: true, ..self }
    }

    /// Marks the flag as deprecated, and hides it.
    pub(super) const fn deprecated(self, instead: &'static str) -> Self {
        Self { deprecated: Some(instead), is_hidden: true, ..self }
    }

    fn shown(&self) -> String {
        match self.short {
            Some(short) => format!("-{short}, --{}", self.name),
            None => format!("--{}", self.name),
        }
    }
}

/// Arguments, told apart.
#[derive(Debug, Default)]
pub(super) struct Parsed {
    /// The values of the flags that are given; the last one counts.
    pub(super) values: BTreeMap<&'static str, String>,
    /// The other arguments.
    pub(super) positionals: Vec<String>,
    /// Whether help is asked for.
    pub(super) wants_help: bool,
}

/// Tells flags and other arguments apart.
///
/// # Errors
/// pflag's text.
pub(super) fn parse(words: &[String], flags: &[&'static Flag]) -> Result<Parsed, String> {
    let mut parsed = Parsed::default();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if word == "--" {
            parsed.positionals.extend(words.cloned());
            break;
        }
        if let Some(long) = word.strip_prefix("--") {
            parsed.long(word, long, flags, &mut words)?;
        } else if let Some(letters) = word.strip_prefix('-').filter(|letters| !letters.is_empty()) {
            parsed.letters(letters, flags, &mut words)?;
        } else {
            parsed.positionals.push(word.clone());
        }
        if parsed.wants_help {
            break;
        }
    }
    Ok(parsed)
}

impl Parsed {
    fn long<'w>(
        &mut self,
        word: &str,
        long: &str,
        flags: &[&'static Flag],
        words: &mut impl Iterator<Item = &'w String>,
    ) -> Result<(), String> {
        if long.starts_with(['-', '=']) {
            return Err(format!("bad flag syntax: {word}"));
        }
        let (name, value) = match long.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (long, None),
        };
        let Some(flag) = flags.iter().find(|flag| flag.name == name) else {
            if name == "help" {
                self.wants_help = true;
                return Ok(());
            }
            return Err(format!("unknown flag: --{name}"));
        };
        let value = match (value, flag.kind) {
            (Some(value), _) => value.to_owned(),
            (None, FlagKind::Switch) => "true".to_owned(),
            (None, FlagKind::Text(_)) => {
                words.next().ok_or_else(|| format!("flag needs an argument: --{name}"))?.clone()
            }
        };
        self.set(flag, value)
    }

    fn letters<'w>(
        &mut self,
        letters: &str,
        flags: &[&'static Flag],
        words: &mut impl Iterator<Item = &'w String>,
    ) -> Result<(), String> {
        let mut rest = letters.chars();
        while let Some(letter) = rest.next() {
            let remaining = rest.as_str();
            let Some(flag) = flags.iter().find(|flag| flag.short == Some(letter)) else {
                if letter == 'h' {
                    self.wants_help = true;
                    return Ok(());
                }
                return Err(format!(
                    "unknown shorthand flag: {} in -{letter}{remaining}",
                    quote_letter(letter)
                ));
            };
            let value = match (remaining.strip_prefix('='), flag.kind) {
                (Some(value), _) => value.to_owned(),
                (None, FlagKind::Switch) => {
                    self.set(flag, "true".to_owned())?;
                    continue;
                }
                (None, FlagKind::Text(_)) if !remaining.is_empty() => remaining.to_owned(),
                (None, FlagKind::Text(_)) => words
                    .next()
                    .ok_or_else(|| format!("flag needs an argument: {} in -{letter}", quote_letter(letter)))?
                    .clone(),
            };
            return self.set(flag, value);
        }
        Ok(())
    }

    fn set(&mut self, flag: &'static Flag, value: String) -> Result<(), String> {
        let value = match flag.kind {
            FlagKind::Text(_) => value,
            FlagKind::Switch => match value.as_str() {
                "1" | "t" | "T" | "true" | "TRUE" | "True" => "true".to_owned(),
                "0" | "f" | "F" | "false" | "FALSE" | "False" => "false".to_owned(),
                _ => {
                    let value = quote(&value);
                    return Err(format!(
                        "invalid argument {value} for {} flag: strconv.ParseBool: parsing {value}: invalid syntax",
                        quote(&flag.shown())
                    ));
                }
            },
        };
        self.values.insert(flag.name, value);
        Ok(())
    }
}

fn quote_letter(letter: char) -> String {
    format!("'{letter}'")
}

#[cfg(test)]
mod tests {
    use super::{Flag, parse};

    static OUTPUT: Flag = Flag::text("output", "json", "").short('o');
    static MIGRATE: Flag = Flag::switch("migrate", "").short('m');

    fn outcome(words: &[&str]) -> Result<String, String> {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        parse(&words, &[&OUTPUT, &MIGRATE])
            .map(|parsed| format!("{:?} {:?}", parsed.values, parsed.positionals))
    }

    #[test]
    fn forms_of_a_flag() {
        for words in
            [&["-o", "yaml", "a"][..], &["-oyaml", "a"], &["a", "-o=yaml"], &["--output=yaml", "--", "a"]]
        {
            assert_eq!(outcome(words).unwrap(), r#"{"output": "yaml"} ["a"]"#, "{words:?}");
        }
        assert_eq!(
            outcome(&["-mo", "x", "-", "--", "-o"]).unwrap(),
            r#"{"migrate": "true", "output": "x"} ["-", "-o"]"#
        );
    }

    #[test]
    fn errors_are_those_of_pflag() {
        assert_eq!(outcome(&["--x=1"]).unwrap_err(), "unknown flag: --x");
        assert_eq!(outcome(&["-mxy"]).unwrap_err(), "unknown shorthand flag: 'x' in -xy");
        assert_eq!(outcome(&["-o"]).unwrap_err(), "flag needs an argument: 'o' in -o");
        assert_eq!(outcome(&["--output"]).unwrap_err(), "flag needs an argument: --output");
        assert_eq!(outcome(&["--=x"]).unwrap_err(), "bad flag syntax: --=x");
        assert_eq!(
            outcome(&["--migrate=yes"]).unwrap_err(),
            r#"invalid argument "yes" for "-m, --migrate" flag: strconv.ParseBool: parsing "yes": invalid syntax"#
        );
    }
}
