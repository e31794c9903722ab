//! Flags as pflag reads them: `-o json`, `-ojson`, `-o=json`, `--output json`, `--output=json`, `--`, mixed
//! with other arguments.

use std::collections::BTreeMap;

use fbc_go::csv;

use super::line_error::{InvalidFlagValue, LineError};

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
    /// Whether the command cannot do without it.
    pub(super) is_required: bool,
}

/// What a flag takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FlagKind {
    /// Nothing, or `=true` and the like.
    Switch,
    /// A text, with its default.
    Text(&'static str),
    /// Texts: the flag can be repeated, and each time hold several behind commas.
    List,
}

impl Flag {
    const fn new(name: &'static str, kind: FlagKind, purpose: &'static str) -> Self {
        Self { name, short: None, kind, purpose, deprecated: None, is_hidden: false, is_required: false }
    }

    /// A switch.
    pub(super) const fn switch(name: &'static str, purpose: &'static str) -> Self {
        Self::new(name, FlagKind::Switch, purpose)
    }

    /// A flag that takes a text.
    pub(super) const fn text(name: &'static str, default: &'static str, purpose: &'static str) -> Self {
        Self::new(name, FlagKind::Text(default), purpose)
    }

    /// A flag that takes texts.
    pub(super) const fn list(name: &'static str, purpose: &'static str) -> Self {
        Self::new(name, FlagKind::List, purpose)
    }

    /// Makes the flag one that must be given.
    pub(super) const fn required(self) -> Self {
        Self { is_required: true, ..self }
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
    /// What to tell about deprecated flags, for each time that one is given.
    pub(super) deprecations: Vec<String>,
}

/// The name of the flag that every command has.
pub(super) const HELP: &str = "help";

/// Tells flags and other arguments apart. What was read before an error is in `parsed`.
///
/// # Errors
/// pflag's text.
pub(super) fn parse(words: &[String], flags: &[&'static Flag], parsed: &mut Parsed) -> Result<(), LineError> {
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
    }
    Ok(())
}

impl Parsed {
    fn long<'w>(
        &mut self,
        word: &str,
        long: &str,
        flags: &[&'static Flag],
        words: &mut impl Iterator<Item = &'w String>,
    ) -> Result<(), LineError> {
        if long.starts_with(['-', '=']) {
            return Err(LineError::Syntax(word.to_owned()));
        }
        let (name, value) = match long.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (long, None),
        };
        let flag = flags.iter().find(|flag| flag.name == name);
        let flag = flag.ok_or_else(|| LineError::UnknownFlag(name.to_owned()))?;
        let value = match (value, flag.kind) {
            (Some(value), _) => value.to_owned(),
            (None, FlagKind::Switch) => "true".to_owned(),
            (None, _) => words.next().ok_or_else(|| LineError::NoValue(name.to_owned()))?.clone(),
        };
        self.set(flag, value)
    }

    fn letters<'w>(
        &mut self,
        letters: &str,
        flags: &[&'static Flag],
        words: &mut impl Iterator<Item = &'w String>,
    ) -> Result<(), LineError> {
        let mut rest = letters.chars();
        while let Some(letter) = rest.next() {
            let remaining = rest.as_str();
            let Some(flag) = flags.iter().find(|flag| flag.short == Some(letter)) else {
                return Err(LineError::UnknownLetter {
                    byte: first_byte(letter),
                    letters: format!("{letter}{remaining}"),
                });
            };
            // Go takes `-o=` for the value `=`.
            let value = match (remaining.strip_prefix('=').filter(|value| !value.is_empty()), flag.kind) {
                (Some(value), _) => value.to_owned(),
                (None, FlagKind::Switch) => {
                    self.set(flag, "true".to_owned())?;
                    continue;
                }
                (None, _) if !remaining.is_empty() => remaining.to_owned(),
                (None, _) => words
                    .next()
                    .ok_or_else(|| LineError::NoValueOfLetter { byte: first_byte(letter), letter })?
                    .clone(),
            };
            return self.set(flag, value);
        }
        Ok(())
    }

    fn set(&mut self, flag: &'static Flag, value: String) -> Result<(), LineError> {
        let invalid = |value: &str, reason: InvalidFlagValue| LineError::InvalidValue {
            value: value.to_owned(),
            flag: flag.shown(),
            reason,
        };
        let values = match flag.kind {
            FlagKind::Text(_) => vec![value],
            FlagKind::List => csv::first_record(&value).map_err(|error| invalid(&value, error.into()))?,
            FlagKind::Switch => match value.as_str() {
                "1" | "t" | "T" | "true" | "TRUE" | "True" => vec!["true".to_owned()],
                "0" | "f" | "F" | "false" | "FALSE" | "False" => vec!["false".to_owned()],
                _ => return Err(invalid(&value, InvalidFlagValue::NotBoolean(value.clone()))),
            },
        };
        self.values.entry(flag.name).or_default().extend(values);
        if let Some(instead) = flag.deprecated {
            self.deprecations.push(format!("Flag --{} has been deprecated, {instead}", flag.name));
        }
        Ok(())
    }

    /// The last value of a flag that is given.
    pub(super) fn last(&self, name: &str) -> Option<&str> {
        self.values.get(name)?.last().map(String::as_str)
    }

    /// Whether help is asked for.
    pub(super) fn wants_help(&self) -> bool {
        self.last(HELP) == Some("true")
    }
}

/// The first byte of a letter in single quotes: pflag goes through bytes.
fn first_byte(letter: char) -> String {
    let mut buffer = [0; 4];
    let byte = letter.encode_utf8(&mut buffer).bytes().next().map(char::from);
    format!("'{}'", byte.unwrap_or(letter))
}

#[cfg(test)]
mod tests {
    use super::{Flag, LineError, Parsed, parse};

    static LABELS: Flag = Flag::list("labels", "").short('l');
    static OUTPUT: Flag = Flag::text("output", "json", "").short('o');
    static MIGRATE: Flag = Flag::switch("migrate", "").short('m');
    static HELP: Flag = Flag::switch("help", "").short('h');

    fn outcome(words: &[&str]) -> Result<String, LineError> {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let mut parsed = Parsed::default();
        parse(&words, &[&OUTPUT, &MIGRATE, &LABELS, &HELP], &mut parsed)?;
        Ok(format!("{:?} {:?}", parsed.values, parsed.positionals))
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
        assert_eq!(outcome(&["-o="]).unwrap(), r#"{"output": ["="]} []"#);
        assert_eq!(outcome(&["-l", "a,b", "--labels=c"]).unwrap(), r#"{"labels": ["a", "b", "c"]} []"#);
    }

    #[test]
    fn help_is_a_switch_like_others() {
        for (words, expected) in [(&["--help=false"][..], false), (&["-h"], true), (&["-h=f"], false)] {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            let mut parsed = Parsed::default();
            parse(&words, &[&HELP], &mut parsed).unwrap();
            assert_eq!(parsed.wants_help(), expected, "{words:?}");
        }
        assert_eq!(outcome(&["--help", "--x"]).unwrap_err().to_string(), "unknown flag: --x");
    }

    #[test]
    fn errors_are_those_of_pflag() {
        for (words, expected) in [
            (&["--x=1"][..], "unknown flag: --x"),
            (&["-mxy"], "unknown shorthand flag: 'x' in -xy"),
            (&["-o"], "flag needs an argument: 'o' in -o"),
            (&["--output"], "flag needs an argument: --output"),
            (&["--=x"], "bad flag syntax: --=x"),
            (
                &["--migrate=yes"],
                r#"invalid argument "yes" for "-m, --migrate" flag: strconv.ParseBool: parsing "yes": invalid syntax"#,
            ),
            (
                &["-l", "a,b\"c"],
                r#"invalid argument "a,b\"c" for "-l, --labels" flag: parse error on line 1, column 4: bare " in non-quoted-field"#,
            ),
        ] {
            assert_eq!(outcome(words).unwrap_err().to_string(), expected, "{words:?}");
        }
    }
}
