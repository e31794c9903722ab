//! The scripts of `fbc completions`, run by their shells as a user's tab key runs them.

use fbc_testing::{Fbc, testdata};

/// Lines, each with some of the words that may stand at its end. What is typed of a word is part of it.
const LINES: [(&str, &[&str]); 8] = [
    ("fbc val", &["validate"]),
    ("fbc explain GRF00", &["GRF001", "GRF002"]),
    ("fbc paths sample-catalog ", &["lighthouse-operator", "tide-operator"]),
    ("fbc paths sample-catalog lighthouse-operator -c ", &["candidate", "stable"]),
    ("fbc paths sample-catalog --channel=st", &["--channel=stable"]),
    (
        "fbc filter sample-catalog -p lighthouse-operator:",
        &["lighthouse-operator:candidate", "lighthouse-operator:stable"],
    ),
    ("fbc filter sample-catalog -p lighthouse-operator:st", &["lighthouse-operator:stable"]),
    (
        "fbc resolve lighthouse-operator --catalog sample=sample-catalog --installed lighthouse-operator.v1.2",
        &["lighthouse-operator.v1.2.0"],
    ),
];

/// Asks as bash does: with the words of a line, and the one at the cursor.
const BASH: &str = r#"
source <(fbc completions bash) || exit
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_TYPE=9
[[ "$(complete -p fbc)" =~ -F\ ([^ ]+) ]] || exit
"${BASH_REMATCH[1]}" fbc "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
printf '%s\n' "${COMPREPLY[@]}"
"#;

/// Asks with the words of a line, and prints what zsh would describe: a value, and behind a colon what it means.
const ZSH: &str = r#"
compdef() { function=$1 }
_describe() { print -rl -- ${(P)3} }
source <(fbc completions zsh) || exit
words=("$@") CURRENT=$#
$function
"#;

const FISH: &str = "fbc completions fish | source; complete --do-complete $argv[1]";

/// Runs a program with a script and arguments, and returns the lines that it prints.
fn run(program: &str, flags: &[&str], arguments: &[String]) -> Vec<String> {
    let bin = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(crate::FBC, bin.path().join("fbc")).unwrap();
    let output = Fbc::at(program)
        .args(flags)
        .args(arguments)
        .current_dir(testdata(""))
        .programs_in(bin.path())
        .output();
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&output.stderr));
    printed.lines().map(str::to_owned).collect()
}

/// Holds what a shell offers against what must be offered.
fn assert_offered(line: &str, offered: &[String], expected: &[&str]) {
    for word in expected {
        assert!(offered.iter().any(|offer| offer == word), "{line}: {word} is not in {offered:?}");
    }
}

fn words(line: &str) -> Vec<String> {
    line.split(' ').map(str::to_owned).collect()
}

/// The words of a line as bash cuts them: `:` and `=` are words of their own.
fn words_of_bash(line: &str) -> Vec<String> {
    let mut cut = Vec::new();
    for word in line.split(' ') {
        let mut rest = word;
        while let Some(at) = rest.find([':', '=']) {
            cut.extend([&rest[..at], &rest[at..=at]]);
            rest = &rest[at + 1..];
        }
        // Behind a sign at the end of a line there is no word yet.
        cut.extend(Some(rest).filter(|rest| !rest.is_empty() || word.is_empty()));
    }
    cut.into_iter().map(str::to_owned).collect()
}

#[test]
fn bash_offers_what_the_catalog_holds() {
    if !fbc_testing::is_installed("bash") {
        return;
    }
    assert_eq!(words_of_bash("fbc a=b: "), ["fbc", "a", "=", "b", ":", ""]);
    for (line, expected) in LINES {
        let offered = run("bash", &["--norc", "--noprofile", "-c", BASH, "bash"], &words_of_bash(line));
        // Of a word that is cut, bash puts in the last part.
        let expected: Vec<&str> =
            expected.iter().map(|word| word.rsplit([':', '=']).next().unwrap()).collect();
        assert_offered(line, &offered, &expected);
    }
}

#[test]
fn zsh_offers_what_the_catalog_holds() {
    if !fbc_testing::is_installed("zsh") {
        return;
    }
    for (line, expected) in LINES {
        let offered = run("zsh", &["-f", "-c", ZSH, "zsh"], &words(line));
        let value = |offer: &String| {
            let plain = offer.replace("\\:", "\0");
            plain.split(':').next().unwrap().replace('\0', ":")
        };
        assert_offered(line, &offered.iter().map(value).collect::<Vec<_>>(), expected);
    }
}

#[test]
fn fish_offers_what_the_catalog_holds() {
    if !fbc_testing::is_installed("fish") {
        return;
    }
    for (line, expected) in LINES {
        let offered = run("fish", &["--no-config", "-c", FISH], &[line.to_owned()]);
        let value = |offer: &String| offer.split('\t').next().unwrap().to_owned();
        assert_offered(line, &offered.iter().map(value).collect::<Vec<_>>(), expected);
    }
}
