//! Templates and what Go makes of them. Only compiled for tests.

use super::*;

fn filled(text: &str) -> String {
    let filled = ImageTemplate::parse(text)
        .and_then(|template| template.fill("beacon", "beacon-operator.v1.0.0", "1.0.0"));
    filled.unwrap_or_else(|error| error.to_string())
}

#[test]
fn fields_and_blanks() {
    for (text, expected) in [
        ("q/{{.Package}}/{{ .Name }}:v{{- .Version -}} ", "q/beacon/beacon-operator.v1.0.0:v1.0.0"),
        ("plain", "plain"),
        ("a {{- /* nothing */ -}} b", "ab"),
        ("{{.}}", "{beacon beacon-operator.v1.0.0 1.0.0}"),
        ("{{`raw`}}{{\"\\u00e9\\x41\"}}{{'c'}}{{0x1F}}{{1_000}}{{1e3}}", "raw\u{e9}A993110001000"),
    ] {
        assert_eq!(filled(text), expected, "{text}");
    }
}

// Every answer below was made with Go.
#[test]
fn actions_and_functions() {
    for (text, expected) in [
        ("{{if .Name}}a{{else}}b{{end}}{{if eq .Package \"x\"}}c{{else if true}}d{{end}}", "ad"),
        ("{{with $x := .Version}}{{$x}}{{.}}{{end}}{{with \"\"}}a{{else}}b{{end}}", "1.0.01.0.0b"),
        ("{{range 3}}{{if eq . 1}}{{continue}}{{end}}{{.}}{{end}}{{range 0}}a{{else}}b{{end}}", "02b"),
        ("{{range $i := 9}}{{$i}}{{if gt $i 1}}{{break}}{{end}}{{end}}", "012"),
        (
            "{{define \"t\"}}<{{.}}>{{end}}{{template \"t\" .Package}}{{block \"u\" 3}}{{.}}{{end}}",
            "<beacon>3",
        ),
        ("{{$x := 1}}{{$x = \"a\"}}{{$x}}{{$.Name | len | printf \"%05d\"}}", "a00022"),
        (
            "{{printf \"%-8s|%q|%x|%v|%6.2f|%t\" .Package \"a\" \"hi\" 3 3.14159 true}}",
            "beacon  |\"a\"|6869|3|  3.14|true",
        ),
        ("{{printf \"%d %z %s\" .Package 1}}", "%!d(string=beacon) %!z(int=1) %!s(MISSING)"),
        ("{{print \"a\" 1 2 true \"b\"}}{{println 1}}", "a1 2 trueb1\n"),
        ("{{slice .Version 0 3}}{{index .Name 0}}{{len .Name}}", "1.09822"),
        ("{{html \"<a>\"}}{{js \"it's\"}}{{urlquery \"a b/c\"}}", "&lt;a&gt;it\\'sa+b%2Fc"),
        (
            "{{and 1 0}}{{or 0 \"x\"}}{{not 1}}{{lt \"a\" \"b\"}}{{ge 1 2}}{{eq 1 2 1}}{{ne 1 2}}",
            "0xfalsetruefalsetruetrue",
        ),
        ("{{(printf \"%s\" .Name) | len}}", "22"),
    ] {
        assert_eq!(filled(text), expected, "{text}");
    }
}

#[test]
fn refusals() {
    let prefix = "template: image-ref-template:";
    for (text, expected) in [
        ("{{.Package", "1: unclosed action"),
        ("\n{{nope .Name}}", "2: function \"nope\" not defined"),
        ("{{$x}}", "1: undefined variable \"$x\""),
        ("{{}}", "1: missing value for command"),
        ("{{.Name | 3}}", "1: non executable command in pipeline stage 2"),
        ("{{if .Name}}", "1: unexpected EOF"),
        ("{{end}}", "1: unexpected {{end}}"),
        ("{{'ab'}}", "1: malformed character constant: 'ab'"),
        ("{{break}}", "1: {{break}} outside {{range}}"),
        ("{{1a}}", "1: bad number syntax: \"1a\""),
        ("{{(.Name}}", "1: unclosed left paren"),
        ("{{#}}", "1: unexpected \"#\" in command"),
        (
            "{{.Nope}}",
            "1:2: executing \"image-ref-template\" at <.Nope>: can't evaluate field Nope in type action.imageReferenceTemplateData",
        ),
        (
            "\n{{.Name.Foo}}",
            "2:7: executing \"image-ref-template\" at <.Name.Foo>: can't evaluate field Foo in type string",
        ),
        (
            "{{index .Name 99}}",
            "1:2: executing \"image-ref-template\" at <index .Name 99>: error calling index: index out of range: 99",
        ),
        ("{{len 3}}", "1:2: executing \"image-ref-template\" at <len 3>: error calling len: len of type int"),
        (
            "{{le \"a\" 1}}",
            "1:2: executing \"image-ref-template\" at <le \"a\" 1>: error calling le: incompatible types for comparison: string and int",
        ),
        (
            "{{call .Name}}",
            "1:2: executing \"image-ref-template\" at <call .Name>: error calling call: non-function .Name of type string",
        ),
        (
            "{{.Name 1}}",
            "1:2: executing \"image-ref-template\" at <.Name>: Name has arguments but cannot be invoked as function",
        ),
        (
            "{{and}}",
            "1:2: executing \"image-ref-template\" at <and>: wrong number of args for and: want at least 1 got 0",
        ),
        (
            "{{template \"x\"}}",
            "1:11: executing \"image-ref-template\" at <{{template \"x\"}}>: template \"x\" not defined",
        ),
        (
            "{{range .Name}}{{end}}",
            "1:8: executing \"image-ref-template\" at <.Name>: range can't iterate over beacon-operator.v1.0.0",
        ),
        (
            "{{define \"t\"}}{{template \"t\"}}{{end}}{{template \"t\"}}",
            "1:25: executing \"t\" at <{{template \"t\"}}>: exceeded maximum template depth (100000)",
        ),
        (
            "{{range 9999999999}}a{{end}}",
            "1:8: executing \"image-ref-template\" at <9999999999>: takes more than 10000 steps (limit expansion-steps)",
        ),
    ] {
        assert_eq!(filled(text), format!("{prefix}{expected}"), "{text}");
    }
}
