//! Blanks parts of Rust source text so that a search sees only code that ships.
//!
//! Lines keep their numbers: everything that is blanked becomes spaces, line breaks stay. This is not a parser; it knows
//! just enough of the language (comments, literals, braces) for the search in `sources`.

/// The text with the content of comments, strings and character literals blanked.
pub(super) fn code_only(text: &str) -> String {
    let characters: Vec<char> = text.chars().collect();
    let mut code = String::with_capacity(text.len());
    let mut position = 0;
    while position < characters.len() {
        let end = end_of_blank(&characters, position);
        if end > position {
            for &character in &characters[position..end] {
                code.push(if character == '\n' { '\n' } else { ' ' });
            }
            position = end;
        } else {
            code.push(characters[position]);
            position += 1;
        }
    }
    code
}

/// Where the comment or literal that starts here ends; the same position when none starts here.
fn end_of_blank(characters: &[char], start: usize) -> usize {
    let at = |offset: usize| characters.get(start + offset).copied();
    match (at(0), at(1)) {
        (Some('/'), Some('/')) => end_of_line(characters, start),
        (Some('/'), Some('*')) => end_of_block_comment(characters, start),
        (Some('"'), _) => end_of_string(characters, start + 1, '"'),
        (Some('r'), Some('"' | '#')) if !follows_a_name(characters, start) => {
            end_of_raw_string(characters, start)
        }
        (Some('\''), Some('\\')) => end_of_string(characters, start + 1, '\''),
        (Some('\''), Some(_)) if at(2) == Some('\'') => start + 3,
        _ => start,
    }
}

fn end_of_line(characters: &[char], start: usize) -> usize {
    characters[start..].iter().position(|&c| c == '\n').map_or(characters.len(), |length| start + length)
}

/// Block comments nest.
fn end_of_block_comment(characters: &[char], start: usize) -> usize {
    let mut depth = 0_usize;
    let mut position = start;
    while position < characters.len() {
        match (characters[position], characters.get(position + 1)) {
            ('/', Some('*')) => depth += 1,
            ('*', Some('/')) => depth -= 1,
            _ => {
                position += 1;
                continue;
            }
        }
        position += 2;
        if depth == 0 {
            return position;
        }
    }
    characters.len()
}

/// The position behind the closing quote, which a backslash can escape.
fn end_of_string(characters: &[char], start: usize, quote: char) -> usize {
    let mut position = start;
    while position < characters.len() {
        match characters[position] {
            '\\' => position += 2,
            character if character == quote => return position + 1,
            _ => position += 1,
        }
    }
    characters.len()
}

/// `r#"…"#` with any number of hashes; a raw name such as `r#type` is not blanked.
fn end_of_raw_string(characters: &[char], start: usize) -> usize {
    let hashes = characters[start + 1..].iter().take_while(|&&c| c == '#').count();
    let open = start + 1 + hashes;
    if characters.get(open) != Some(&'"') {
        return start;
    }
    let mut position = open + 1;
    while position < characters.len() {
        let closing = &characters[position + 1..];
        if characters[position] == '"' && closing.iter().take(hashes).filter(|&&c| c == '#').count() == hashes
        {
            return position + 1 + hashes;
        }
        position += 1;
    }
    characters.len()
}

/// `r` is the end of a name here, not the start of a raw string; `br` and `cr` are prefixes of strings too.
fn follows_a_name(characters: &[char], start: usize) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let before = |offset: usize| start.checked_sub(offset).map(|index| characters[index]);
    match before(1) {
        Some('b' | 'c') => before(2).is_some_and(is_name),
        Some(character) => is_name(character),
        None => false,
    }
}

/// The code without the items under `#[cfg(test)]`; takes what `code_only` gives.
pub(super) fn without_tests(code: &str) -> String {
    if code.contains("#![cfg(test)]") {
        return code.chars().map(|c| if c == '\n' { '\n' } else { ' ' }).collect();
    }
    const MARKS: [&str; 2] = ["#[cfg(test)", "#[cfg(all(test,"];
    let mut shipped = String::with_capacity(code.len());
    let mut rest = code;
    while let Some(start) = MARKS.iter().filter_map(|mark| rest.find(mark)).min() {
        let item = start + rest[start..].find(']').map_or(0, |end| end + 1);
        let end = item + length_of_item(&rest[item..]);
        shipped.push_str(&rest[..start]);
        shipped.extend(rest[start..end].chars().map(|c| if c == '\n' { '\n' } else { ' ' }));
        rest = &rest[end..];
    }
    shipped.push_str(rest);
    shipped
}

/// Bytes up to the end of the item: its closing brace, or a semicolon outside all brackets.
fn length_of_item(code: &str) -> usize {
    let mut depth = 0_i64;
    for (index, character) in code.char_indices() {
        match character {
            '{' | '(' | '[' => depth += 1,
            '}' | ')' | ']' => {
                depth -= 1;
                if depth < 0 {
                    return index;
                }
                if depth == 0 && character == '}' {
                    return index + 1;
                }
            }
            ';' if depth == 0 => return index + 1,
            _ => {}
        }
    }
    code.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The words that are left, one space apart.
    fn words(text: &str) -> String {
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn comments_and_literals_are_blanked() {
        let cases = [
            ("a // b\nc", "a c"),
            ("a /// b \"\nc", "a c"),
            ("a /* b /* c */ d */ e", "a e"),
            ("a \"b \\\" c\" d", "a d"),
            ("a r\"b \\\" c", "a c"),
            ("a r##\"b \"# c\"## d", "a d"),
            ("a br#\"b\"# d", "a b d"),
            ("r#type \"x\" number\"y\"", "r#type number"),
            ("a '\"' b '\\'' c", "a b c"),
            ("fn f<'a>(x: &'a str) {}", "fn f<'a>(x: &'a str) {}"),
            ("unfinished \"text", "unfinished"),
            ("unfinished /* text", "unfinished"),
        ];
        for (text, expected) in cases {
            assert_eq!(words(&code_only(text)), expected, "{text}");
        }
    }

    #[test]
    fn lines_keep_their_numbers() {
        let text = "a \"x\ny\" b\n/* 1\n2 */ c\n";
        let code = code_only(text);
        assert_eq!(code.lines().count(), text.lines().count());
        assert_eq!(code.lines().nth(3).map(words).as_deref(), Some("c"));
    }

    #[test]
    fn only_items_under_the_test_attribute_are_blanked() {
        let cases = [
            ("a #[cfg(test)] mod tests { fn f() { {} } } b", "a b"),
            ("#[cfg(test)] mod tests; b", "b"),
            ("#[cfg(test)] #[allow(x)] fn f(a: [u8; 2]) -> u8 { 1 } b", "b"),
            ("#[cfg(test)] const A: [u8; 2] = [1, 2]; b", "b"),
            ("#[cfg(test)] mod a {} b #[cfg(test)] mod c {} d", "b d"),
            ("#![cfg(test)] fn f() {}", ""),
            ("a #[cfg(all(test, unix))] mod b {} c", "a c"),
            ("a #[cfg(unix)] mod b {}", "a #[cfg(unix)] mod b {}"),
        ];
        for (text, expected) in cases {
            assert_eq!(words(&without_tests(text)), expected, "{text}");
        }
    }
}
