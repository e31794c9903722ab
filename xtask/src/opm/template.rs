//! Templates in the language of Go's text/template, most of them sound.

use crate::random::Random;

const PIPELINES: [&str; 64] = [
    ".",
    ".Package",
    ".Name",
    ".Version",
    ".Nope",
    "$",
    "$.Name",
    "$x",
    "\"text\"",
    "`raw`",
    "'c'",
    "1",
    "-2",
    "1.5",
    "0x1F",
    "1e3",
    "true",
    "nil",
    "len .Name",
    "len 3",
    "index .Name 0",
    "index .Name 99",
    "slice .Version 0 1",
    "slice .Version 2",
    "slice .Name 1 2 3",
    "print .Name 1 2",
    "print \"a\" \"b\" 1 2",
    "println .Name",
    "printf \"%s-%d\" .Name 3",
    "printf \"%q %v %x\" .Name .Version .Package",
    "printf \"%5s|%-8s|%05d|%t\" .Name .Version 42 true",
    "printf \"%d\" .Name",
    "printf \"%s\"",
    "printf \"%z\" 1",
    "printf \"%!\"",
    "printf \"%.3s\" .Name",
    "printf \"%c%U\" 65 66",
    "printf \"%6.2f\" 3.14159",
    "printf \"%T\" .Name",
    "html \"<a&b>\"",
    "js \"it's\"",
    "urlquery \"a b/c\"",
    "eq .Name .Package",
    "eq .Name \"a\" .Name",
    "eq 1 1.0",
    "ne .Name \"x\"",
    "lt 1 2",
    "lt .Name .Version",
    "gt 1.5 1.2",
    "ge 1 1",
    "le \"a\" 1",
    "and .Name .Version",
    "or \"\" .Name",
    "not .Name",
    "and",
    ".Name | printf \"%s!\"",
    ".Name | len | printf \"%03d\"",
    "(len .Name)",
    "(printf \"%s\" .Name) | print",
    ".Name.Foo",
    "nope .Name",
    "call .Name",
    ".Name 1",
    "$x := .Name",
];

const TEXTS: [&str; 12] = ["quay.io/a", "/", ":", "v", "", " ", "\n", "-", "a{b", "}}", "@", "é"];

/// Pieces of actions, put together without regard to the grammar.
const PIECES: [&str; 50] = [
    ".",
    ".Name",
    ".Version",
    "$",
    "$x",
    ":=",
    "=",
    ",",
    "|",
    "(",
    ")",
    "\"a\"",
    "`b`",
    "'c'",
    "'\\n'",
    "\"\\x41\\u00e9\"",
    "\"\\400\"",
    "0",
    "-1",
    "+5",
    "007",
    "08",
    "1_000",
    "1__0",
    "0x_1F",
    "0b101",
    "1.5e3",
    ".5",
    "1.",
    "99999999999999999999",
    "9223372036854775808",
    "1e400",
    "true",
    "nil",
    "len",
    "print",
    "printf",
    "eq",
    "lt",
    "index",
    "slice",
    "not",
    "and",
    "or",
    "if",
    "range",
    "with",
    "else",
    "end",
    "-",
];

/// A template; the same for the same state of the generator.
pub(super) fn any(random: &mut Random) -> String {
    let mut text = String::new();
    for _ in 0..1 + random.below(4) {
        text += pick(random, &TEXTS);
        text += &action(random, 0);
    }
    if random.below(12) == 0 {
        let at = random.below(text.len() as u64) as usize;
        if text.is_char_boundary(at) {
            text.truncate(at);
        }
    }
    text
}

fn action(random: &mut Random, depth: u32) -> String {
    let (open, close) = match random.below(8) {
        0 => ("{{- ", "}}"),
        1 => ("{{", " -}}"),
        2 => ("{{ ", " }}"),
        _ => ("{{", "}}"),
    };
    let pipeline = pick(random, &PIPELINES);
    if depth > 2 {
        return format!("{open}{pipeline}{close}");
    }
    let inner = |random: &mut Random| format!("{}{}", pick(random, &TEXTS), action(random, depth + 1));
    match random.below(18) {
        16 => {
            let pieces: Vec<&str> = (0..1 + random.below(6)).map(|_| pick(random, &PIECES)).collect();
            format!("{open}{}{close}", pieces.join([" ", ""][random.below(2) as usize]))
        }
        17 => {
            let flags: String = (0..random.below(4))
                .map(|_| {
                    pick(random, &["#", "0", "+", "-", " ", "5", "12", ".2", ".", "*", "[1]", "[3]", "%"])
                })
                .collect();
            // Go's hexadecimal and binary floats are not known to fbc.
            let (verbs, values): (&[&str], &[&str]) = if random.below(3) == 0 {
                (
                    &["v", "e", "E", "f", "F", "g", "G", "d", "s"],
                    &["1.5", "-0.0", "12345678.9", "1e-9", "100.0"],
                )
            } else {
                (
                    &[
                        "v", "d", "s", "q", "x", "X", "t", "c", "U", "b", "o", "O", "e", "g", "T", "p", "%",
                        "é",
                    ],
                    &[".Name", "65", "-7", "true", ".", "\"é\\n\"", "nil", "(index .Name 0)", "0", "\"\""],
                )
            };
            let (verb, value) = (pick(random, verbs), pick(random, values));
            format!(
                "{open}printf \"%{flags}{verb}\" {value} {}{close}",
                pick(random, &["", "3", "\"z\"", "2 4"])
            )
        }
        0..=8 => format!("{open}{pipeline}{close}"),
        9 => format!("{open}if {pipeline}{close}{}{{{{end}}}}", inner(random)),
        10 => format!("{{{{if {pipeline}}}}}{}{{{{else}}}}{}{{{{end}}}}", inner(random), inner(random)),
        11 => format!(
            "{{{{if {pipeline}}}}}{}{{{{else if {}}}}}{}{{{{end}}}}",
            inner(random),
            pick(random, &PIPELINES),
            inner(random)
        ),
        12 => format!("{{{{with {pipeline}}}}}{}{{{{end}}}}", inner(random)),
        13 => format!("{{{{$x := {pipeline}}}}}{}{{{{$x}}}}", inner(random)),
        14 => match random.below(8) {
            0 => format!("{{{{range {pipeline}}}}}{}{{{{end}}}}", inner(random)),
            1 => format!(
                "{{{{range $i, $x := {pipeline}}}}}{{{{$i}}}}{{{{$x}}}}{{{{else}}}}{{{{.}}}}{{{{end}}}}"
            ),
            2 => format!("{{{{define \"t\"}}}}{}{{{{end}}}}{{{{template \"t\" {pipeline}}}}}", inner(random)),
            3 => format!("{{{{block \"t\" {pipeline}}}}}{}{{{{end}}}}", inner(random)),
            4 => "{{/* comment */}}".to_owned(),
            5 => format!("{{{{$x := \"a\"}}}}{{{{$x = {pipeline}}}}}{{{{$x}}}}"),
            6 => "{{range 3}}{{if eq . 1}}{{continue}}{{end}}{{.}}{{break}}{{end}}".to_owned(),
            _ => "{{- /* comment */ -}}".to_owned(),
        },
        _ => pick(
            random,
            &[
                "{{",
                "{{}}",
                "{{end}}",
                "{{else}}",
                "{{if}}",
                "{{.Name",
                "{{\"a}}",
                "{{.Name |}}",
                "{{(.Name}}",
                "{{.Name)}}",
                "{{break}}",
                "{{template \"x\"}}",
                "{{'ab'}}",
                "{{1a}}",
                "{{$}}",
                "{{.Name .Version}}",
                "{{| .Name}}",
                "{{#}}",
                "{{.1}}",
                "{{/* a }}",
            ],
        )
        .to_owned(),
    }
}

fn pick<'a>(random: &mut Random, choices: &[&'a str]) -> &'a str {
    random.choose(choices).copied().unwrap_or_default()
}
