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
    /// Texts: the flag may be given again, and each time hold several behind commas.
    List,
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

    /// A flag that takes texts.
    pub(super) const fn list(name: &'static str, purpose: &'static str) -> Self {
        Self { name, short: None, kind: FlagKind::List, purpose, deprecated: None, is_hidden: false }
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
    /// The values of the flags that are given, in their order.
    pub(super) values: BTreeMap<&'static str, Vec<String>>,
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
            (None, FlagKind::Text(_) | FlagKind::List) => {
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
                (None, FlagKind::Text(_) | FlagKind::List) if !remaining.is_empty() => remaining.to_owned(),
                (None, FlagKind::Text(_) | FlagKind::List) => words
                    .next()
                    .ok_or_else(|| format!("flag needs an argument: {} in -{letter}", quote_letter(letter)))?
                    .clone(),
            };
            return self.set(flag, value);
        }
        Ok(())
    }

    fn set(&mut self, flag: &'static Flag, value: String) -> Result<(), String> {
        let invalid = |value: &str, why: &str| {
            format!("invalid argument {} for {} flag: {why}", quote(value), quote(&flag.shown()))
        };
        let value = match flag.kind {
            FlagKind::Text(_) => value,
            FlagKind::List => {
                let texts = comma_list(&value).map_err(|error| invalid(&value, &error))?;
                self.values.entry(flag.name).or_default().extend(texts);
                return Ok(());
            }
            FlagKind::Switch => match value.as_str() {
                "1" | "t" | "T" | "true" | "TRUE" | "True" => "true".to_owned(),
                "0" | "f" | "F" | "false" | "FALSE" | "False" => "false".to_owned(),
                _ => {
                    let why = format!("strconv.ParseBool: parsing {}: invalid syntax", quote(&value));
                    return Err(invalid(&value, &why));
                }
            },
        };
        self.values.entry(flag.name).or_default().push(value);
        Ok(())
    }
}

/// A line of comma separated values, as Go's `encoding/csv` reads it: a value in quotes may hold commas,
/// and quotes written twice.
fn comma_list(line: &str) -> Result<Vec<String>, String> {
    let mut values = Vec::new();
    if line.is_empty() {
        return Ok(values);
    }
    let mut rest = line;
    let fault = |rest: &str, what: &str| {
        Err(format!("parse error on line 1, column {}: {what}", line.len() - rest.len() + 1))
    };
    loop {
        let mut value = String::new();
        if let Some(mut quoted) = rest.strip_prefix('"') {
            rest = loop {
                let Some((text, behind)) = quoted.split_once('"') else {
                    return fault("", "extraneous or missing \" in quoted-field");
                };
                value.push_str(text);
                match behind.strip_prefix('"') {
                    Some(behind) => {
                        value.push('"');
                        quoted = behind;
                    }
                    None if behind.is_empty() || behind.starts_with(',') => break behind,
                    None => {
                        return fault(
                            quoted.get(text.len()..).unwrap_or_default(),
                            "extraneous or missing \" in quoted-field",
                        );
                    }
                }
            };
        } else {
            let text = rest.split(',').next().unwrap_or_default();
            if let Some(at) = text.find('"') {
                return fault(rest.get(at..).unwrap_or_default(), "bare \" in non-quoted field");
            }
            value.push_str(text);
            rest = rest.get(text.len()..).unwrap_or_default();
        }
        values.push(value);
        match rest.strip_prefix(',') {
            Some(behind) => rest = behind,
            None => return Ok(values),
        }
    }
}

fn quote_letter(letter: char) -> String {
    format!("'{letter}'")
}

#[cfg(test)]
mod tests {
    use super::{Flag, parse};

    static LABELS: Flag = Flag::list("labels", "").short('l');
    static OUTPUT: Flag = Flag::text("output", "json", "").short('o');
    static MIGRATE: Flag = Flag::switch("migrate", "").short('m');

    fn outcome(words: &[&str]) -> Result<String, String> {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        parse(&words, &[&OUTPUT, &MIGRATE, &LABELS])
            .map(|parsed| format!("{:?} {:?}", parsed.values, parsed.positionals))
    }

    #[test]
    fn forms_of_a_flag() {
        for words in
            [&["-o", "yaml", "a"][..], &["-oyaml", "a"], &["a", "-o=yaml"], &["--output=yaml", "--", "a"]]
        {
            assert_eq!(outcome(words).unwrap(), r#"{"output": ["yaml"]} ["a"]"#, "{words:?}");
        }
        assert_eq!(
            outcome(&["-mo", "x", "-", "--", "-o"]).unwrap(),
            r#"{"migrate": ["true"], "output": ["x"]} ["-", "-o"]"#
        );
    }

    #[test]
    fn lists() {
        assert_eq!(
            outcome(&["-l", "a=1,\"b=\"\"2, 3\"\"\"", "--labels=c,", "-l="]).unwrap(),
            r#"{"labels": ["a=1", "b=\"2, 3\"", "c", ""]} []"#
        );
        assert_eq!(
            outcome(&["-l", "a,b\"c"]).unwrap_err(),
            r#"invalid argument "a,b\"c" for "-l, --labels" flag: parse error on line 1, column 4: bare " in non-quoted field"#
        );
        assert_eq!(
            outcome(&["-l", "\"a\"b"]).unwrap_err(),
            r#"invalid argument "\"a\"b" for "-l, --labels" flag: parse error on line 1, column 3: extraneous or missing " in quoted-field"#
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
