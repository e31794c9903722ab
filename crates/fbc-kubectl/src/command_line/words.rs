//! A line cut into words as a shell cuts it.

use super::CommandError;

/// Splits a line at blanks; single and double quotes and backslashes keep blanks, a backslash at a line's end joins it
/// with the next one, and `#` at the start of a word begins a comment.
///
/// # Errors
/// An open quote, or characters that ask a shell for more than one program: pipes, redirections, lists, substitutions.
pub fn split(line: &str) -> Result<Vec<String>, CommandError> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('\n') => {}
                Some(next) => word.get_or_insert_default().push(next),
                None => word.get_or_insert_default().push('\\'),
            },
            '\'' => loop {
                match chars.next() {
                    Some('\'') => break word.get_or_insert_default().push_str(""),
                    Some(next) => word.get_or_insert_default().push(next),
                    None => return Err(open_quote('\'')),
                }
            },
            '"' => loop {
                let word = word.get_or_insert_default();
                match chars.next() {
                    Some('"') => break,
                    Some('\\') => match chars.next() {
                        Some('\n') => {}
                        Some(next @ ('"' | '\\' | '$' | '`')) => word.push(next),
                        Some(next) => word.extend(['\\', next]),
                        None => return Err(open_quote('"')),
                    },
                    Some(next @ ('$' | '`')) if next == '`' || chars.peek() == Some(&'(') => {
                        return Err(shell(next));
                    }
                    Some(next) => word.push(next),
                    None => return Err(open_quote('"')),
                }
            },
            '#' if word.is_none() => while chars.next_if(|next| *next != '\n').is_some() {},
            '|' | ';' | '&' | '>' | '<' | '`' => return Err(shell(c)),
            '$' if chars.peek() == Some(&'(') => return Err(shell(c)),
            c if c.is_whitespace() => words.extend(word.take()),
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    Ok(words)
}

fn open_quote(quote: char) -> CommandError {
    CommandError::refused(
        format!("the quote {quote} is not closed"),
        "close it, or escape it with a backslash",
    )
}

fn shell(c: char) -> CommandError {
    let hint = "give one command without pipes, redirections and substitutions, or quote the character";
    CommandError::refused(format!("{c:?} asks for a shell"), hint)
}
