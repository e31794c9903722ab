//! Advice names flags that the command has. Of sources of a command that is the command itself; what several commands share names
//! flags that some of them have.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The flags that a command and those below it have, by its words.
type Flags = BTreeMap<Vec<String>, BTreeSet<String>>;

/// The sources below a directory, without tests.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let is_test = path.file_name().is_some_and(|name| name.to_string_lossy().contains("test"));
        match path.is_dir() {
            _ if is_test => {}
            true => sources(&path, found),
            false if path.extension().is_some_and(|end| end == "rs") => found.push(path),
            false => {}
        }
    }
}

/// The texts of a source, without comments, attributes and tests; parts that end in `\` stay together.
fn texts(source: &str) -> Vec<String> {
    let source = source.split("#[cfg(test)]").next().unwrap_or_default();
    let lines = source.lines().map(str::trim_start);
    let code: Vec<&str> = lines.filter(|line| !line.starts_with("//") && !line.starts_with("#[")).collect();
    let code = code.join("\n").replace("\\\n", "");
    let mut texts = Vec::new();
    let mut text: Option<String> = None;
    let mut characters = code.chars();
    while let Some(character) = characters.next() {
        match (&mut text, character) {
            (Some(text), '\\') => text.extend(characters.next()),
            (Some(_), '"') => texts.extend(text.take()),
            (Some(text), character) => text.push(character),
            (None, '"') => text = Some(String::new()),
            // A character such as '"' is not the beginning of a text.
            (None, '\'') => {
                let rest = characters.as_str();
                if rest.starts_with("\"'") || rest.starts_with("\\\"'") {
                    characters.by_ref().take(if rest.starts_with('"') { 2 } else { 3 }).for_each(drop);
                }
            }
            (None, _) => {}
        }
    }
    texts
}

/// The flags that a text advises to use; those of other programs and in command lines that it shows are not meant.
fn advised(text: &str) -> Vec<String> {
    let mut flags = Vec::new();
    // Words of a command line that is run, and documents.
    if text.trim_start().starts_with("--") || text.starts_with("git ") {
        return flags;
    }
    for (index, part) in text.split('`').enumerate() {
        let is_code = index % 2 == 1;
        // A whole command line, or the words of another program.
        if is_code && !part.starts_with("--") {
            continue;
        }
        let words = part.split([' ', '=', ',', '(', ')', ';', '{', '\n', ':', '.']);
        let flag = |word: &&str| word.len() > 3 && word.starts_with("--") && !word.contains('"');
        flags.extend(words.filter(flag).map(|word| word.trim_end_matches('-').to_owned()));
    }
    flags
}

/// The flags of all commands, as their help lists them.
fn flags() -> Flags {
    let mut found = Flags::new();
    let mut left = vec![Vec::<String>::new()];
    while let Some(words) = left.pop() {
        let mut line: Vec<&str> = words.iter().map(String::as_str).collect();
        line.push("--help");
        let help = crate::fbc().args(&line).answer().parts().1;
        let mut in_commands = false;
        for text in help.lines() {
            if !text.starts_with(' ') && text.ends_with(':') {
                let others = ["arguments", "examples", "options", "usage"];
                in_commands = !others.iter().any(|other| text.to_lowercase().contains(other));
            }
            let first = text.split_whitespace().next().unwrap_or_default();
            let indent = text.len() - text.trim_start().len();
            if in_commands
                && indent == 2
                && first.starts_with(|c: char| c.is_ascii_lowercase())
                && first != "help"
            {
                left.push(words.iter().cloned().chain([first.to_owned()]).collect());
            }
            for word in text.split_whitespace().filter(|word| word.starts_with("--")) {
                let flag = word.trim_end_matches([',', '.']).split(['=', '[']).next().unwrap_or_default();
                for length in 0..=words.len() {
                    found.entry(words[..length].to_vec()).or_default().insert(flag.to_owned());
                }
            }
        }
    }
    found
}

#[test]
fn advice_names_flags_that_there_are() {
    let flags = flags();
    let all = flags.get(&Vec::new()).unwrap();
    assert!(all.contains("--image-map") && flags.len() > 40, "{}", flags.len());
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_path_buf();
    let commands = crates.join("fbc/src/command");
    let mut of_commands = Vec::new();
    sources(&commands, &mut of_commands);
    let mut wrong = Vec::new();
    let mut looked_at = 0;
    for path in of_commands {
        let below = path.strip_prefix(&commands).unwrap().with_extension("");
        let words: Vec<String> = below
            .components()
            .map(|part| part.as_os_str().to_string_lossy().replace('_', "-"))
            .filter(|word| word != "mod")
            .collect();
        // The longest beginning that is a command.
        let known = (1..=words.len()).rev().find_map(|length| flags.get(&words[..length]));
        let known = known.unwrap_or(all);
        for text in texts(&fs::read_to_string(&path).unwrap()) {
            for flag in advised(&text) {
                looked_at += 1;
                // The pages of rules speak of the command that checks.
                let is_of_rules = words == ["explain"] && flag == "--profile";
                if !known.contains(&flag) && !is_of_rules {
                    wrong.push(format!("{}: {flag} in {text:?}", path.display()));
                }
            }
        }
    }
    for library in
        ["fbc-app", "fbc-source", "fbc-template", "fbc-simulation", "fbc-mirror", "fbc-catalog-server"]
    {
        let mut shared = Vec::new();
        sources(&crates.join(library).join("src"), &mut shared);
        for path in shared {
            // What git is told, and told about git.
            if path.components().any(|part| part.as_os_str() == "git") || path.ends_with("git.rs") {
                continue;
            }
            for text in texts(&fs::read_to_string(&path).unwrap()) {
                for flag in advised(&text) {
                    looked_at += 1;
                    if !all.contains(&flag) {
                        wrong.push(format!("{}: {flag} in {text:?}", path.display()));
                    }
                }
            }
        }
    }
    assert!(looked_at > 100, "{looked_at}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
