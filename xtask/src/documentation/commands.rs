//! Command lines in pages: each call of fbc in a block for shells is parsed as fbc parses it.

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
        let mut whole = line.trim().trim_start_matches("$ ").to_owned();
        while let Some(begun) = whole.strip_suffix('\\') {
            let next = lines.next().map(|(_, line)| line.trim()).unwrap_or_default();
            whole = format!("{begun} {next}");
        }
        let Some(words) = call(&whole) else { continue };
        if let Err(error) = fbc::command_line().try_get_matches_from(&words) {
            let is_help = error.exit_code() == 0;
            let reason = error.to_string();
            let reason = reason.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned();
            if !is_help {
                problems.push(format!("{path}:{}: {}: {reason}", code.line + index, words.join(" ")));
            }
        }
    }
    problems
}

/// The words of a call of fbc; nothing for other lines. `fbc opm` has the command line of another program.
fn call(line: &str) -> Option<Vec<String>> {
    let words = words(line);
    let start = words.iter().position(|word| word == "fbc")?;
    // In front of the program there may be variables.
    let are_variables = words.iter().take(start).all(|word| word.contains('='));
    let words: Vec<String> =
        words.into_iter().skip(start).take_while(|word| !ENDS.contains(&word.as_str())).collect();
    let is_own = words.get(1).is_none_or(|word| word != "opm" && word != "...");
    (are_variables && is_own).then_some(words)
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
        for other in ["echo fbc", "opm validate", "fbc opm validate", "# fbc diff"] {
            assert_eq!(words(other), None, "{other}");
        }
    }

    #[test]
    fn wrong_lines_are_found() {
        let code = |language: &str| Code {
            language: language.to_owned(),
            line: 5,
            lines: ["fbc explain FBC001", "fbc list \\", "  wrong"].map(str::to_owned).to_vec(),
        };
        assert_eq!(wrong("a.md", &code("sh")), ["a.md:6: fbc list wrong: unrecognized subcommand 'wrong'"]);
        assert!(wrong("a.md", &code("yaml")).is_empty());
    }
}
