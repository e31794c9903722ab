//! From words to a command with its flags and arguments, in cobra's order of checks.

use std::collections::BTreeMap;

use fbc_source::Session;

use super::commands::{Action, Arity, Command, EXCLUSIVE_FLAGS, GLOBAL_FLAGS};
use super::error::OpmError;
use super::find::find;
use super::flags::{self, Flag, FlagKind, Parsed};
use super::line_error::LineError;
use crate::registry::{Named, RegistryArguments};
use crate::settings::Settings;

/// The flag that every command has; cobra adds it last.
static HELP: Flag = Flag::switch(flags::HELP, "help for the command").short('h');

/// A command that is called.
pub(super) struct Invocation {
    /// The command.
    pub(super) command: &'static Command,
    /// Its arguments without flags.
    pub(super) positionals: Vec<String>,
    /// Whether help is asked for instead.
    pub(super) wants_help: bool,
    /// What to tell about flags that are deprecated.
    pub(super) deprecations: Vec<String>,
    values: BTreeMap<&'static str, Vec<String>>,
}

impl Command {
    /// All flags that the command understands; its own hide those of all commands.
    pub(super) fn all_flags(&self) -> Vec<&'static Flag> {
        self.flags.iter().chain(GLOBAL_FLAGS).chain([&HELP]).collect()
    }
}

impl Invocation {
    /// Reads a command line.
    ///
    /// # Errors
    /// The command that was found, and what is wrong with its flags.
    pub(super) fn parse(words: &[String]) -> Result<Self, (&'static Command, LineError)> {
        let (command, rest) = find(words);
        if matches!(command.action, Action::Absent(_) | Action::Complete { .. }) {
            let (positionals, values, deprecations) = (rest, BTreeMap::new(), Vec::new());
            return Ok(Self { command, positionals, wants_help: false, deprecations, values });
        }
        let mut parsed = Parsed::default();
        flags::parse(&rest, &command.all_flags(), &mut parsed).map_err(|error| (command, error))?;
        let wants_help = parsed.wants_help();
        Ok(Self {
            command,
            positionals: parsed.positionals,
            wants_help,
            deprecations: parsed.deprecations,
            values: parsed.values,
        })
    }

    /// The value of a text flag, or its default.
    pub(super) fn text(&self, name: &str) -> &str {
        if let Some(value) = self.texts(name).last() {
            return value;
        }
        match self.command.all_flags().iter().find(|flag| flag.name == name).map(|flag| flag.kind) {
            Some(FlagKind::Text(default)) => default,
            _ => "",
        }
    }

    /// All values of a flag, in their order.
    pub(super) fn texts(&self, name: &str) -> &[String] {
        self.values.get(name).map(Vec::as_slice).unwrap_or_default()
    }

    /// Whether a flag is given.
    pub(super) fn is_given(&self, name: &str) -> bool {
        self.values.contains_key(name)
    }

    /// Whether a switch is on.
    pub(super) fn switch(&self, name: &str) -> bool {
        self.text(name) == "true"
    }

    /// Settles how registries are spoken to. Only commands that may pull look at these flags, and each where opm
    /// does, so that the order of its errors is the same. All three have one meaning in opm: any certificate, or
    /// HTTP where there is no HTTPS.
    ///
    /// # Errors
    /// Flags that exclude each other, in opm's words.
    pub(super) fn session(
        &self,
        error: impl Fn(String) -> OpmError,
        settings: &Settings,
    ) -> Result<Session, OpmError> {
        for other in ["use-http", "skip-tls-verify"] {
            if self.is_given("skip-tls") && self.is_given(other) {
                let text = format!("invalid flag combination: cannot use --{other} with --skip-tls");
                return Err(error(text));
            }
        }
        if self.switch("use-http") && self.switch("skip-tls-verify") {
            let text = "invalid flag combination: --use-http and --skip-tls-verify cannot both be true";
            return Err(error(text.to_owned()));
        }
        let is_insecure = ["skip-tls", "skip-tls-verify", "use-http"].iter().any(|flag| self.switch(flag));
        let registry =
            RegistryArguments { insecure_skip_tls_verify: is_insecure, ..RegistryArguments::default() };
        Ok(registry.session(Named::default(), settings))
    }

    /// Checks how many arguments there are and which flags come together, unless help is asked for.
    ///
    /// # Errors
    /// cobra's text.
    pub(super) fn check(&self) -> Result<(), LineError> {
        if self.wants_help || self.command.action == Action::Help {
            return Ok(());
        }
        self.command.arity.check(&self.positionals, self.command)?;
        let required = self.command.flags.iter().filter(|flag| flag.is_required && !self.is_given(flag.name));
        let mut missing: Vec<&'static str> = required.map(|flag| flag.name).collect();
        missing.sort_unstable();
        if !missing.is_empty() {
            return Err(LineError::MissingFlags(missing));
        }
        EXCLUSIVE_FLAGS.iter().try_for_each(|[first, second]| {
            if !self.is_given(first) || !self.is_given(second) {
                return Ok(());
            }
            let (low, high) = if first < second { (first, second) } else { (second, first) };
            Err(LineError::ExclusiveFlags { first, second, low, high })
        })
    }
}

impl Arity {
    fn check(self, arguments: &[String], command: &Command) -> Result<(), LineError> {
        let count = arguments.len();
        match self {
            Self::None => match arguments.first() {
                Some(word) => {
                    Err(LineError::UnknownCommand { word: word.clone(), command: command.full_name() })
                }
                None => Ok(()),
            },
            Self::Exactly(wanted) if count != wanted => {
                Err(LineError::NotExactly { wanted, received: count })
            }
            Self::AtLeast(least) if count < least => Err(LineError::TooFew { least, received: count }),
            Self::AtMost(most) if count > most => Err(LineError::TooMany { most, received: count }),
            Self::Between(least, most) if !(least..=most).contains(&count) => {
                Err(LineError::NotBetween { least, most, received: count })
            }
            Self::Any | Self::Exactly(_) | Self::AtLeast(_) | Self::AtMost(_) | Self::Between(..) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Invocation;

    #[test]
    fn checks_come_in_cobras_order() {
        for (line, expected) in [
            ("render --help --bogus", "unknown flag: --bogus"),
            ("render --help=false", "requires at least 1 arg(s), only received 0"),
            ("validate --use-http --skip-tls-verify x y", "accepts 1 arg(s), received 2"),
            ("alpha bundle build x", "unknown command \"x\" for \"opm alpha bundle build\""),
            ("alpha bundle build", "required flag(s) \"directory\", \"tag\" not set"),
            ("alpha convert-template basic a b", "accepts at most 1 arg(s), received 2"),
            (
                "render x --migrate --migrate-level all",
                "if any flags in the group [migrate migrate-level] are set none of the others can be; \
                 [migrate migrate-level] were all set",
            ),
            ("--debug alpha list packages x", "unknown flag: --debug"),
            ("__complete", "requires at least 1 arg(s), only received 0"),
        ] {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            let outcome = Invocation::parse(&words).map_err(|(_, error)| error);
            let outcome = outcome.and_then(|invocation| invocation.check());
            assert_eq!(outcome.unwrap_err().to_string(), expected, "{line}");
        }
    }

    #[test]
    fn flags_of_registries_are_taken_everywhere() {
        for line in ["validate --use-http --skip-tls-verify x", "--skip-tls init --use-http p", "version a b"]
        {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            let invocation = Invocation::parse(&words).map_err(|(_, error)| error).unwrap();
            assert_eq!(invocation.check(), Ok(()), "{line}");
        }
    }

    #[test]
    fn broken_command_lines_are_read_or_refused() {
        for line in
            ["render --output=yaml -m -ojson x y", "alpha bundle build -d=a,\"b\" --tag t -- -x", "-h"]
        {
            for broken in fbc_testing::broken_variants(line) {
                let words: Vec<String> = broken.split(' ').map(str::to_owned).collect();
                let Ok(invocation) = Invocation::parse(&words) else { continue };
                assert!(invocation.positionals.iter().all(|word| words.contains(word)), "{broken:?}");
                let _ = invocation.check();
            }
        }
    }
}
