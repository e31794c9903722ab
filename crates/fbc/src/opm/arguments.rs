//! From words to a command with its flags and arguments, in cobra's order of checks.

use super::commands::{Action, Arity, COMMANDS, Command, GLOBAL_FLAGS, ROOT};
use super::flags::{self, Flag, FlagKind};
use fbc_yaml::go_text::quote;

/// Flags of which only one may be given, as cobra lists them.
const EXCLUSIVE_FLAGS: [[&str; 2]; 2] = [["migrate", "migrate-level"], ["binary-image", "base-image"]];

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
    values: std::collections::BTreeMap<&'static str, Vec<String>>,
    flags: Vec<&'static Flag>,
}

impl Invocation {
    /// Reads a command line.
    ///
    /// # Errors
    /// The command that was found, and what is wrong with its flags or arguments.
    pub(super) fn parse(words: &[String]) -> Result<Self, (&'static Command, String)> {
        let (command, rest) = find(words);
        let wants_words = matches!(words.first(), Some(word) if word == "help");
        let flags: Vec<&'static Flag> = command.flags.iter().chain(GLOBAL_FLAGS).collect();
        let parsed = flags::parse(&rest, &flags).map_err(|error| (command, error))?;
        let mut invocation = Self {
            command,
            positionals: parsed.positionals,
            wants_help: parsed.wants_help || wants_words,
            deprecations: Vec::new(),
            values: parsed.values,
            flags,
        };
        for flag in invocation.flags.iter().filter(|flag| invocation.values.contains_key(flag.name)) {
            if let Some(instead) = flag.deprecated {
                invocation.deprecations.push(format!("Flag --{} has been deprecated, {instead}", flag.name));
            }
        }
        if !invocation.wants_help && command.action != Action::Help {
            command.arity.check(&invocation.positionals, command).map_err(|error| (command, error))?;
            invocation.check_combinations().map_err(|error| (command, error))?;
        }
        Ok(invocation)
    }

    /// The value of a text flag, or its default.
    pub(super) fn text(&self, name: &str) -> &str {
        if let Some(value) = self.values.get(name).and_then(|values| values.last()) {
            return value;
        }
        match self.flags.iter().find(|flag| flag.name == name).map(|flag| flag.kind) {
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

    fn check_combinations(&self) -> Result<(), String> {
        let conflict = |a: &str, b: &str| self.switch(a) && self.switch(b);
        if conflict("use-http", "skip-tls-verify") {
            return Err(
                "invalid flag combination: --use-http and --skip-tls-verify cannot both be true".to_owned()
            );
        }
        for other in ["use-http", "skip-tls-verify"] {
            if conflict("skip-tls", other) {
                return Err(format!("invalid flag combination: cannot use --{other} with --skip-tls"));
            }
        }
        EXCLUSIVE_FLAGS.iter().try_for_each(|[first, second]| {
            if !self.is_given(first) || !self.is_given(second) {
                return Ok(());
            }
            let (low, high) = if first < second { (first, second) } else { (second, first) };
            Err(format!(
                "if any flags in the group [{first} {second}] are set none of the others can be; \
                 [{low} {high}] were all set"
            ))
        })
    }
}

/// The command that the words name, and the words that are left for it.
fn find(words: &[String]) -> (&'static Command, Vec<String>) {
    let mut command = &ROOT;
    let mut rest: Vec<String> = words.to_vec();
    if rest.first().is_some_and(|word| word == "help") {
        rest.remove(0);
    }
    loop {
        // All flags that may stand in front of a command are switches.
        let next = rest.iter().take_while(|word| *word != "--").position(|word| !word.starts_with('-'));
        let Some(position) = next else { return (command, rest) };
        let child = COMMANDS.iter().find(|child| {
            child.path.len() == command.path.len() + 1
                && child.path.starts_with(command.path)
                && rest.get(position).map(String::as_str) == child.path.last().copied()
        });
        let Some(child) = child else { return (command, rest) };
        rest.remove(position);
        command = child;
    }
}

impl Arity {
    fn check(self, arguments: &[String], command: &Command) -> Result<(), String> {
        let count = arguments.len();
        match self {
            Self::None => match arguments.first() {
                Some(word) => {
                    Err(format!("unknown command {} for {}", quote(word), quote(&command.full_name())))
                }
                None => Ok(()),
            },
            Self::Exactly(wanted) if count != wanted => {
                Err(format!("accepts {wanted} arg(s), received {count}"))
            }
            Self::AtLeast(least) if count < least => {
                Err(format!("requires at least {least} arg(s), only received {count}"))
            }
            Self::Between(least, most) if !(least..=most).contains(&count) => {
                Err(format!("accepts between {least} and {most} arg(s), received {count}"))
            }
            Self::Any | Self::Exactly(_) | Self::AtLeast(_) | Self::Between(..) => Ok(()),
        }
    }
}
