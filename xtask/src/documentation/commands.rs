//! Command lines in pages: each call of fbc or opm, in a block for shells or in the text, is parsed as fbc parses it. Pages
//! use the names that help shows: aliases for old scripts are wrong there.

use clap::Command;
use clap::error::ErrorKind;

use super::markdown::Code;

/// Languages of blocks that hold command lines.
const SHELLS: [&str; 5] = ["", "sh", "bash", "shell", "console"];

/// What ends a call of a program in a line.
const ENDS: [&str; 8] = ["|", ">", ">>", "<", "&&", "||", ";", "2>&1"];

/// The command lines of a block that fbc does not understand, with where they are and why.
pub(super) fn wrong(path: &str, code: &Code) -> Vec<String> {
    if !SHELLS.contains(&code.language.as_str()) {
        return Vec::new();
    }
    let mut problems = Vec::new();
    let mut lines = code.lines.iter().enumerate();
    while let Some((index, line)) = lines.next() {
        let line = line.trim();
        // Of a session only what is typed.
        let typed = line.strip_prefix("$ ");
        let Some(typed) = typed.or((code.language != "console").then_some(line)) else { continue };
        let mut whole = typed.to_owned();
        while let Some(begun) = whole.strip_suffix('\\') {
            let next = lines.next().map(|(_, line)| line.trim()).unwrap_or_default();
            whole = format!("{begun} {next}");
        }
        if let Some((words, problem)) =
            call(&whole).and_then(|words| Some((words.join(" "), objection(&words)?)))
        {
            problems.push(format!("{path}:{}: {words}: {problem}", code.line + index));
        }
    }
    problems
}

/// What fbc does not understand of a command line in the text. It need not be complete, and may hold placeholders.
pub(super) fn wrong_inline(path: &str, line: usize, code: &str) -> Option<String> {
    // Of alternatives the first.
    let words: Vec<&str> = code.split(' ').map(|word| word.split('|').next().unwrap_or(word)).collect();
    let words = call(&words.join(" "))?;
    let problem = match parsed(&words) {
        Parsed::Wrong(ErrorKind::UnknownArgument | ErrorKind::InvalidSubcommand, reason) => reason,
        Parsed::Right => hidden(&words)?,
        Parsed::Wrong(..) => return None,
    };
    Some(format!("{path}:{line}: {}: {problem}", words.join(" ")))
}

/// What fbc says of a command line.
enum Parsed {
    Right,
    Wrong(ErrorKind, String),
}

fn parsed(words: &[String]) -> Parsed {
    if words.first().is_some_and(|program| program == "opm") {
        let objection = fbc::objection_to_opm(words.get(1..).unwrap_or_default());
        return objection.map_or(Parsed::Right, |reason| Parsed::Wrong(ErrorKind::UnknownArgument, reason));
    }
    match fbc::command_line().try_get_matches_from(words) {
        Ok(_) => Parsed::Right,
        Err(error) if error.exit_code() == 0 => Parsed::Right,
        Err(error) => {
            let text = error.to_string();
            let reason = text.lines().next().unwrap_or_default().trim_start_matches("error: ");
            Parsed::Wrong(error.kind(), reason.to_owned())
        }
    }
}

fn objection(words: &[String]) -> Option<String> {
    match parsed(words) {
        Parsed::Wrong(_, reason) => Some(reason),
        Parsed::Right => hidden(words),
    }
}

/// A name in a command line of fbc that help does not show.
fn hidden(words: &[String]) -> Option<String> {
    if words.first().is_some_and(|program| program != "fbc") {
        return None;
    }
    let mut root = fbc::command_line();
    root.build();
    let mut command: &Command = &root;
    let mut rest = words.get(1..).unwrap_or_default();
    while let Some((word, behind)) = rest.split_first()
        && let Some(child) = command.find_subcommand(word)
    {
        (command, rest) = (child, behind);
    }
    let flags = rest.iter().take_while(|word| *word != "--").filter_map(|word| word.strip_prefix("--"));
    let is_shown = |flag: &str| {
        let name = flag.split('=').next().unwrap_or(flag);
        let mut arguments = command.get_arguments().filter(|argument| !argument.is_hide_set());
        arguments.any(|argument| {
            argument.get_long() == Some(name)
                || argument.get_visible_aliases().is_some_and(|aliases| aliases.contains(&name))
        })
    };
    let flag = flags.filter(|flag| !flag.is_empty()).find(|flag| !is_shown(flag))?;
    Some(format!("--{flag} is an old spelling; write what --help shows"))
}

/// The words of a call of fbc or opm; nothing for other lines. `fbc opm` has the command line of the other program.
fn call(line: &str) -> Option<Vec<String>> {
    let words = words(line);
    let start = words.iter().position(|word| word == "fbc" || word == "opm")?;
    // In front of the program there may be variables.
    let are_variables = words.iter().take(start).all(|word| word.contains('='));
    let mut words: Vec<String> =
        words.into_iter().skip(start).take_while(|word| !ENDS.contains(&word.as_str())).collect();
    if words.get(1).is_some_and(|word| word == "opm") {
        words.remove(0);
    }
    let is_example = words.iter().any(|word| word == "..." || word == "…");
    (are_variables && !is_example).then_some(words)
}

/// Words as a shell takes a line apart, up to a comment.
fn words(line: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut quote = None;
    let mut is_in_word = false;
    for c in line.chars() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(c);
                if !is_in_word {
                    words.push(String::new());
                    is_in_word = true;
                }
            }
            (None, c) if c.is_whitespace() => is_in_word = false,
            (None, '#') if !is_in_word => break,
            (_, c) => {
                if !is_in_word {
                    words.push(String::new());
                    is_in_word = true;
                }
                if let Some(word) = words.last_mut() {
                    word.push(c);
                }
            }
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_of_fbc() {
        let words = |line: &str| call(line).map(|words| words.join(","));
        assert_eq!(words("fbc diff 'a b' c > x  # why").as_deref(), Some("fbc,diff,a b,c"));
        assert_eq!(words("FBC_OFFLINE=1 fbc list").as_deref(), Some("fbc,list"));
        assert_eq!(words("fbc opm validate x").as_deref(), Some("opm,validate,x"));
        for other in ["echo fbc", "# fbc diff", "fbc list …"] {
            assert_eq!(words(other), None, "{other}");
        }
    }

    #[test]
    fn wrong_lines_are_found() {
        let code = |language: &str| Code {
            language: language.to_owned(),
            line: 5,
            lines: ["fbc explain FBC001", "fbc query \\", "  --wrong"].map(str::to_owned).to_vec(),
        };
        assert_eq!(
            wrong("a.md", &code("sh")),
            ["a.md:6: fbc query --wrong: unexpected argument '--wrong' found"]
        );
        assert!(wrong("a.md", &code("yaml")).is_empty());
        assert!(wrong("a.md", &code("console")).is_empty());
    }

    #[test]
    fn calls_in_the_text_are_judged_by_their_names() {
        for (code, problem) in [
            ("fbc list packages|channels REF", None),
            ("fbc diff --index", None),
            ("fbc bundle", None),
            ("fbc lits", Some("unrecognized subcommand 'lits'")),
            ("fbc diff --nidex", Some("unexpected argument '--nidex' found")),
            ("fbc schema --folder x", Some("--folder is an old spelling; write what --help shows")),
            ("opm render --nothing x", Some("unknown flag: --nothing")),
            ("opm rendr x", Some("opm has no command \"rendr\"")),
        ] {
            let found = wrong_inline("a.md", 3, code);
            assert_eq!(
                found,
                problem.map(|problem| format!("a.md:3: {}: {problem}", code.split('|').next().unwrap())),
                "{code}"
            );
        }
    }
}
