//! What a source file imports.

/// An import: the line that it begins in, from 1, and its path, with ` as NAME` behind it if it has another name.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Import {
    pub(super) line: usize,
    pub(super) path: String,
}

/// The imports of code, which `rust_text::code_only` gives, each path by itself; and the code without them.
pub(super) fn taken(code: &str) -> (Vec<Import>, String) {
    let mut imports = Vec::new();
    let mut left = String::with_capacity(code.len());
    let mut rest = code;
    while let Some((start, length)) = first_import(rest) {
        let (before, import) = rest.split_at(start);
        let (import, after) = import.split_at(length);
        left.push_str(before);
        let line = left.matches('\n').count() + 1;
        let tree = import.trim_start_matches("use").trim_end_matches(';');
        let mut paths = Vec::new();
        expand("", tree, &mut paths);
        imports.extend(paths.into_iter().map(|path| Import { line, path }));
        left.extend(import.chars().filter(|character| *character == '\n'));
        rest = after;
    }
    left.push_str(rest);
    (imports, left)
}

/// Where the first import begins, and how long it is.
fn first_import(code: &str) -> Option<(usize, usize)> {
    let is_start = |start: usize| {
        let before = code[..start].chars().next_back();
        let after = code[start + "use".len()..].chars().next();
        !before.is_some_and(|c| c.is_alphanumeric() || c == '_') && after.is_some_and(char::is_whitespace)
    };
    let start = code.match_indices("use").map(|(start, _)| start).find(|start| is_start(*start))?;
    let end = code[start..].find(';')?;
    Some((start, end + 1))
}

/// The paths of a tree of imports.
fn expand(above: &str, tree: &str, paths: &mut Vec<String>) {
    let tree = tree.trim();
    let Some((path, inner)) = tree.split_once('{') else {
        let words: Vec<&str> = tree.split_whitespace().collect();
        if let Some((name, alias)) = words.split_first() {
            let path = format!("{above}{name}");
            let path = path.strip_suffix("::self").unwrap_or(&path);
            paths.push(alias.iter().fold(path.to_owned(), |path, word| format!("{path} {word}")));
        }
        return;
    };
    let inner = inner.trim_end().strip_suffix('}').unwrap_or(inner);
    let above = format!("{above}{}", path.split_whitespace().collect::<String>());
    let (mut start, mut depth) = (0, 0_usize);
    for (index, character) in inner.char_indices() {
        match character {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                expand(&above, &inner[start..index], paths);
                start = index + 1;
            }
            _ => {}
        }
    }
    expand(&above, &inner[start..], paths);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trees_are_paths() {
        let code = "mod a;\npub use std::fs::{\n    self, write,\n    File as Disk,\n};\nfn f() { use a::b; reuse(c); }\nuse x::{y::{z, *}, w};\n";
        let (imports, left) = taken(code);
        let found: Vec<(usize, &str)> =
            imports.iter().map(|import| (import.line, import.path.as_str())).collect();
        assert_eq!(
            found,
            [
                (2, "std::fs"),
                (2, "std::fs::write"),
                (2, "std::fs::File as Disk"),
                (6, "a::b"),
                (7, "x::y::z"),
                (7, "x::y::*"),
                (7, "x::w"),
            ]
        );
        assert_eq!(left, "mod a;\npub \n\n\n\nfn f() {  reuse(c); }\n\n");
    }
}
