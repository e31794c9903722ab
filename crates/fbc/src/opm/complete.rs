//! `opm __complete`: what may stand where a shell's cursor is, asked by the scripts of cobra.
//!
//! Each completion is a line, with what it is for behind a tab; the last line tells the shell what to do besides.
//! Source: `spf13/cobra:completions.go` (`getCompletions`).

use super::arguments::Invocation;
use super::commands::{Action, Command, EXCLUSIVE_FLAGS, GLOBAL_FLAGS, ROOT};
use super::find::find;
use super::flags::{self, Flag, FlagKind, Parsed};
use super::line_error::LineError;

/// What a shell does besides showing completions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Directive {
    /// Files are proposed if there is no completion.
    Default = 0,
    /// No files.
    NoFiles = 4,
}

impl Directive {
    fn name(self) -> &'static str {
        match self {
            Self::Default => "ShellCompDirectiveDefault",
            Self::NoFiles => "ShellCompDirectiveNoFileComp",
        }
    }
}

/// The answer to a shell.
pub(super) struct Answer {
    /// What goes to standard output.
    pub(super) stdout: String,
    /// What goes to standard error.
    pub(super) stderr: String,
}

/// Answers a shell.
pub(super) fn answer(invocation: &Invocation, with_descriptions: bool) -> Answer {
    let (candidates, directive, error) = match complete(&invocation.positionals) {
        Ok((candidates, directive)) => (candidates, directive, String::new()),
        Err(error) => (Vec::new(), Directive::Default, format!("[Debug] [Error] {error}\n")),
    };
    let mut stdout = String::new();
    for (word, purpose) in candidates {
        stdout.push_str(&word);
        if with_descriptions && !purpose.is_empty() {
            stdout.push('\t');
            stdout.push_str(purpose);
        }
        stdout.push('\n');
    }
    stdout.push_str(&format!(":{}\n", directive as u8));
    let stderr = format!("{error}Completion ended with directive: {}\n", directive.name());
    Answer { stdout, stderr }
}

type Candidates = Vec<(String, &'static str)>;

/// Why nothing can be offered, in cobra's words.
#[derive(Debug, thiserror::Error)]
enum CompletionError {
    #[error("Error while parsing flags from args [{words}]: {error}")]
    Flags { words: String, error: LineError },
    #[error("Subcommand '{command}' does not support flag '{flag}'")]
    UnknownFlag { command: &'static str, flag: String },
}

/// What may stand in place of the last word, which may be unfinished.
fn complete(words: &[String]) -> Result<(Candidates, Directive), CompletionError> {
    let Some((unfinished, before)) = words.split_last() else { return Ok((Vec::new(), Directive::Default)) };
    let (command, rest) = find(before);
    let flags = command.all_flags();
    let valued = valued_flag(&flags, &rest, unfinished);
    let rest = match &valued {
        Valued::Before => rest.split_last().map(|(_, front)| front.to_vec()).unwrap_or_default(),
        _ => rest,
    };
    // Behind `--` one more `--` is an argument, and nothing is a flag.
    let arguments = |words: &[String]| {
        let mut parsed = Parsed::default();
        let outcome = flags::parse(words, &flags, &mut parsed);
        (parsed, outcome)
    };
    let with_dashes = arguments(&[rest.as_slice(), &["--".to_owned()]].concat()).0.positionals.len();
    let (parsed, outcome) = arguments(&rest);
    outcome.map_err(|error| CompletionError::Flags { words: rest.join(" "), error })?;
    let may_be_flag = with_dashes <= parsed.positionals.len();
    match valued {
        Valued::Unknown(name) if may_be_flag => {
            let command = command.path.last().copied().unwrap_or("opm");
            return Err(CompletionError::UnknownFlag { command, flag: name });
        }
        _ if parsed.wants_help() => return Ok((Vec::new(), Directive::NoFiles)),
        Valued::Here | Valued::Before if may_be_flag => return Ok((Vec::new(), Directive::Default)),
        _ => {}
    }
    let open: Vec<&'static Flag> = open_flags(command, &parsed);
    let required = || open.iter().copied().filter(|flag| flag.is_required);
    if may_be_flag && unfinished.starts_with('-') && !unfinished.contains('=') {
        let named: Candidates = required().flat_map(|flag| flag.names(unfinished)).collect();
        let all = || open.iter().flat_map(|flag| flag.names(unfinished)).collect();
        return Ok((if named.is_empty() { all() } else { named }, Directive::NoFiles));
    }
    let has_local = command.flags.iter().any(|flag| parsed.values.contains_key(flag.name));
    let mut candidates = Vec::new();
    let mut directive = match command.action {
        Action::HelpAbout | Action::Completion(_) => Directive::NoFiles,
        _ => Directive::Default,
    };
    let below = match command.action {
        // `help` is followed by the words of any command.
        Action::HelpAbout => Some(find(&parsed.positionals).0),
        _ => Some(command).filter(|_| parsed.positionals.is_empty() && !has_local),
    };
    for child in below.into_iter().flat_map(Command::children).filter(|child| child.is_shown()) {
        directive = Directive::NoFiles;
        let word = child.path.last().copied().unwrap_or_default();
        if word.starts_with(unfinished.as_str()) {
            candidates.push((word.to_owned(), child.purpose));
        }
    }
    candidates.extend(required().flat_map(|flag| flag.names(unfinished)));
    Ok((candidates, directive))
}

/// The flag whose value is being typed.
enum Valued {
    /// None.
    None,
    /// One that the command does not have.
    Unknown(String),
    /// The one in the unfinished word, before `=`.
    Here,
    /// The one in the word before.
    Before,
}

fn valued_flag(flags: &[&'static Flag], rest: &[String], unfinished: &str) -> Valued {
    let is_flag = |word: &str| {
        word.len() >= 3 && word.starts_with("--")
            || word.len() >= 2 && word.starts_with('-') && !word.starts_with("--")
    };
    let (word, is_here) = match (unfinished.split_once('='), rest.last()) {
        (Some((word, _)), _) if unfinished.starts_with('-') => (word, true),
        (None, _) if unfinished.starts_with('-') => return Valued::None,
        (_, Some(before)) if is_flag(before) && !before.contains('=') => (before.as_str(), false),
        _ => return Valued::None,
    };
    let (name, found) = match word.strip_prefix("--") {
        Some(name) => (name.to_owned(), flags.iter().find(|flag| flag.name == name)),
        None => {
            // Of several letters the last one takes the value.
            let letter = word.chars().next_back();
            (letter.map(String::from).unwrap_or_default(), flags.iter().find(|flag| flag.short == letter))
        }
    };
    match found {
        None => Valued::Unknown(name),
        Some(_) if is_here => Valued::Here,
        Some(flag) if flag.kind == FlagKind::Switch => Valued::None,
        Some(_) => Valued::Before,
    }
}

/// The flags that may still be given, those of all commands first, by their names.
fn open_flags(command: &Command, parsed: &Parsed) -> Vec<&'static Flag> {
    let is_excluded = |flag: &Flag| {
        EXCLUSIVE_FLAGS.iter().any(|group| {
            group.contains(&flag.name)
                && group.iter().any(|other| *other != flag.name && parsed.values.contains_key(other))
        })
    };
    let is_open = |flag: &&'static Flag| {
        let is_given = parsed.values.contains_key(flag.name) && flag.kind != FlagKind::List;
        flag.is_shown() && !is_given && !is_excluded(flag)
    };
    let is_global = |flag: &Flag| {
        !std::ptr::eq(command, &ROOT) && GLOBAL_FLAGS.iter().any(|global| std::ptr::eq(global, flag))
    };
    let mut open: Vec<&'static Flag> = command.all_flags().into_iter().filter(is_open).collect();
    open.sort_by_key(|flag| (!is_global(flag), flag.name));
    open
}

impl Flag {
    /// The spellings of the flag that begin with some text.
    fn names(&self, beginning: &str) -> Candidates {
        let long = format!("--{}", self.name);
        let short = self.short.map(|short| format!("-{short}"));
        let names = [Some(long), short].into_iter().flatten();
        names.filter(|name| name.starts_with(beginning)).map(|name| (name, self.purpose)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::complete;

    fn words(line: &[&str]) -> String {
        let line: Vec<String> = line.iter().map(|word| (*word).to_owned()).collect();
        match complete(&line) {
            Ok((candidates, directive)) => {
                let words: Vec<String> = candidates.into_iter().map(|(word, _)| word).collect();
                format!("{} :{}", words.join(" "), directive as u8)
            }
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn completions_are_those_of_cobra() {
        for (line, expected) in [
            (&["re"][..], "render :4"),
            (&["alpha", "list", ""], "bundles channels packages :4"),
            (&["help", "alpha", "list", "b"], "bundles :4"),
            (&["render", "--mig"], "--migrate --migrate-level :4"),
            (&["render", "--migrate", "--mig"], " :4"),
            (&["render", ""], " :0"),
            (&["render", "-o", "y"], " :0"),
            (&["render", "--output="], " :0"),
            (
                &["render", "--nothing", "y"],
                "Error while parsing flags from args [--nothing]: unknown flag: --nothing",
            ),
            (&["render", "--", "--mig"], " :0"),
            (&["render", "--help", "x", ""], " :4"),
            (&["validate", "-"], "--skip-tls-verify --use-http --help -h --output -o :4"),
            (&["alpha", "bundle", "build", "-"], "--directory -d --tag -t :4"),
            (&["alpha", "bundle", "build", ""], "--directory -d --tag -t :0"),
            (&["alpha", "bundle", "build", "-d", "x", "-t=y", "--base"], "--base-image :4"),
            (
                &["render", "--bogus=1", ""],
                "Error while parsing flags from args [--bogus=1]: unknown flag: --bogus",
            ),
        ] {
            assert_eq!(words(line), expected, "{line:?}");
        }
    }
}
