//! Tables, what Go said about expressions, and random expressions against a matcher that only knows the tree.

use proptest::prelude::*;

use super::parser::parse;
use super::syntax::{Assertion, Class, Item, Node};
use super::*;

fn is_match(source: &str, text: &str) -> bool {
    Pattern::new(source).is_match(text, &Steps::default()).unwrap()
}

#[test]
fn expressions_match_what_they_match_in_go() {
    for (pattern, text, matches) in [
        (r"^\d+$", "12", true),
        (r"^\d+$", "١٢", false),
        (r"^[\w-]+$", "a_b-c", true),
        (r"^[x|X|\*]]$", "*]", true),
        (r"^[[a]+$", "[a", true),
        (r"^[]a]+$", "a]", true),
        (r"^a{2}$", "aa", true),
        (r"^a{x}$", "a{x}", true),
        (r"^a{,2}$", "a{,2}", true),
        (r"^a{02}$", "a{02}", true),
        (r"^\w+\b", "ä", false),
        (r"(@.*:)", "a@sha256:b", true),
        (r"^[a-z0-9]+:[[:xdigit:]]+$", "a:0F", true),
        (r"^[[:^digit:]]$", "x", true),
        (r"^[[:^digit:]]$", "1", false),
        (r"\/", "a/b", true),
        (r"^(?i)(Tunnel|DSR)?$", "dsr", true),
        (r"^(?i)(Tunnel|DSR)?$", "x", false),
        (r"^a(?i)b(?-i)c$", "aBc", true),
        (r"^a(?i)b(?-i)c$", "aBC", false),
        (r"^(?i:a)b$", "Ab", true),
        (r"^(?i:a)b$", "AB", false),
        (r"^(a(?i)b)c$", "aBC", false),
        (r"\\{0,1}", "", true),
        (r"^\\{0,1}x$", "\\x", true),
        (r"^\Qa.b\E+$", "a.bbb", true),
        (r"^\Qa.b", "a.b", true),
        (r"^[\d&&a]+$", "&a", true),
        (r"^[a~~b-]+$", "~-", true),
        (r"^\p{Greek}\pL\P{^Lu}$", "αbC", true),
        (r"^[\p{Lu}\-x]+$", "A-x", true),
        (r"^\p{Cs}$", "\u{FFFD}", false),
        (r"^\P{Cs}$", "\u{FFFD}", true),
        (r"^\p{Zl}$", "\u{2028}", true),
        (r"^(?i)\p{Lu}\P{Ll}$", "a1", true),
        (r"^(?i)\p{Lu}\P{Ll}$", "aA", false),
        (r"^(?i)[b-ca\p{Nd}\PL]+$", "AbC1-", true),
        (r"^(?i)[b-ca\p{Nd}\PL]+$", "d", false),
        (r"^[^\D\PN]$", "7", true),
        (r"^[^\D\PN]$", "٧", false),
        (r"(?s)^.$", "\n", true),
        (r"^.$", "\n", false),
        (r"(?m)^b$", "a\nb\nc", true),
        (r"^b$", "a\nb\nc", false),
        (r"^\x41\x{42}\103\07$", "ABC\u{7}", true),
        (r"^(?P<x>a)(?<x>b)$", "ab", true),
        (r"a(?i)*$", "aaa", true),
        (r"^[^\x{D800}]$", "a", true),
        (r"\x{D800}", "a", false),
        (r"^(|a)+$", "aa", true),
        (r"^[\]\^\[]+$", "^][", true),
        (r"^\_\-\ $", "_- ", true),
    ] {
        assert_eq!(is_match(pattern, text), matches, "{pattern} {text}");
    }
}

#[test]
fn faults_have_the_words_of_go() {
    for (pattern, text) in [
        ("(", "missing closing ): `(`"),
        ("a)", "unexpected ): `a)`"),
        ("^[x|X|\\*])$", "unexpected ): `^[x|X|\\*])$`"),
        ("[a", "missing closing ]: `[a`"),
        ("x[]", "missing closing ]: `[]`"),
        ("x[b-a]", "invalid character class range: `b-a`"),
        ("[[:word:][:foo:]]", "invalid character class range: `[:foo:]`"),
        ("\\p{Foo}", "invalid character class range: `\\p{Foo}`"),
        ("\\p{IsGreek}", "invalid character class range: `\\p{IsGreek}`"),
        ("\\p{Alphabetic}", "invalid character class range: `\\p{Alphabetic}`"),
        ("\\p{Grek}", "invalid character class range: `\\p{Grek}`"),
        ("\\p{Zyyy}", "invalid character class range: `\\p{Zyyy}`"),
        ("\\p{Qaac}", "invalid character class range: `\\p{Qaac}`"),
        ("\\p{L&}", "invalid character class range: `\\p{L&}`"),
        ("\\p{gc=Lu}", "invalid character class range: `\\p{gc=Lu}`"),
        ("\\P{}", "invalid character class range: `\\P{}`"),
        ("\\p", "invalid character class range: `\\p`"),
        ("\\pX", "invalid character class range: `\\pX`"),
        ("[\\p{Greek]", "invalid character class range: `\\p{Greek]`"),
        ("*", "missing argument to repetition operator: `*`"),
        ("a|*?b", "missing argument to repetition operator: `*?`"),
        ("(+)", "missing argument to repetition operator: `+`"),
        ("(?i)*", "missing argument to repetition operator: `*`"),
        ("a**", "invalid nested repetition operator: `**`"),
        ("a{2}{3}?", "invalid nested repetition operator: `{2}{3}?`"),
        ("a+?+", "invalid nested repetition operator: `+?+`"),
        ("a{1001}", "invalid repeat count: `{1001}`"),
        ("a{2,1}", "invalid repeat count: `{2,1}`"),
        ("((a{100}){100}){2}", "invalid repeat count: `{100}`"),
        ("\\y", "invalid escape sequence: `\\y`"),
        ("\\1", "invalid escape sequence: `\\1`"),
        ("\\C", "invalid escape sequence: `\\C`"),
        ("\\x{110000}", "invalid escape sequence: `\\x{110000`"),
        ("\\xg1", "invalid escape sequence: `\\xg1`"),
        ("[a-\\d]", "invalid escape sequence: `\\d`"),
        ("[\\b]", "invalid escape sequence: `\\b`"),
        ("\\", "trailing backslash at end of expression: ``"),
        ("(?=a)", "invalid or unsupported Perl syntax: `(?=`"),
        ("(?<=a)", "invalid named capture: `(?<=a)`"),
        ("(?P=x)", "invalid or unsupported Perl syntax: `(?P`"),
        ("(?i", "invalid or unsupported Perl syntax: `(?i`"),
        ("(?i-)", "invalid or unsupported Perl syntax: `(?i-)`"),
        ("(?P<a b>x)", "invalid named capture: `(?P<a b>`"),
        ("(?P<n", "invalid named capture: `(?P<n`"),
    ] {
        assert_eq!(fault(pattern), Some(format!("error parsing regexp: {text}")), "{pattern}");
    }
    for pattern in [
        "^(?i)(abort|warn)?$",
        "^(?:a|b)+?[^]x]*$",
        "(?)",
        "(?-i:a)",
        "a{1000}",
        "a{0}{",
        "\\p{ greek }",
        "\\p{Letter}",
        "\\p{Cs}\\p{Surrogate}\\p{LC}\\p{cn}\\p{Any}\\p{assigned}\\p{ASCII}",
        "\\p{_Old-Italic}\\p{oLD iTALIC}\\p{Nko}\\p{punct}",
    ] {
        assert_eq!(fault(pattern), None, "{pattern}");
    }
}

#[test]
fn depth_is_limited() {
    let nested = |depth: usize| format!("{}a{}", "(".repeat(depth), ")*".repeat(depth));
    assert_eq!(fault(&nested(400)), None);
    let groups = |depth: usize| format!("{}a{}", "(".repeat(depth), ")".repeat(depth));
    assert_eq!(fault(&groups(900)), None);
    for source in [nested(2000), groups(2000), format!("(?:{})", groups(100_000))] {
        assert!(fault(&source).is_some_and(|text| text.contains("expression nests too deeply")));
    }
    let silent = format!("{}a{}", "(?:".repeat(100_000), ")".repeat(100_000));
    assert_eq!(fault(&silent), None, "groups that capture nothing have no node");
}

#[test]
fn weights_count_instructions_and_the_ranges_of_each_class_once() {
    for (pattern, least, most) in [
        ("^abc|d$", 4, 10),
        (r"\w{120}", 120, 130),
        ("a{1000}", 1000, 1100),
        (r"\D*", 1, 10),
        (r"[\p{L}\p{N}]{1000}", 2000, 3000),
        (r"(?:\pL{100}){10}", 1000, 2000),
        ("(?:a{10}b{90}){10}", 1000, 1100),
        ("(a)(b)", 6, 10),
        (&format!("{}(?:a?){{1000}}", "()".repeat(80)), 20_000, 30_000),
        ("(?i)[a-z]", 2, 3),
        // Where case does not matter, each character of a range is looked up.
        (r"(?i)[\x00-\x{10FFFF}]", 17_000, 18_000),
        (&r"\pL".repeat(400_000), 280_000_000, 281_000_000),
    ] {
        assert!((least..=most).contains(&weight(pattern).unwrap()), "{pattern}: {:?}", weight(pattern));
    }
    assert_eq!(weight("(").unwrap_err().to_string(), "error parsing regexp: missing closing ): `(`");
}

#[test]
fn what_is_too_large_is_not_compiled() {
    let large = format!("(?:{}){{1000}}", "a".repeat(1001));
    assert_eq!(fault(&large), None, "Go takes it");
    let groups = format!("{}{}", "()".repeat(2000), "(?:a?){1000}".repeat(4));
    assert!(matches!(Pattern::new(groups).fault(), Some(InvalidExpression::TooLarge { .. })));
    let pattern = Pattern::new(large.as_str());
    assert_eq!(pattern.fault(), Some(&InvalidExpression::TooLarge { weight: 1_001_000 }));
    assert_eq!(
        Pattern::new("(").fault().map(ToString::to_string).as_deref(),
        Some("error parsing regexp: missing closing ): `(`")
    );
}

/// As a server in Go does: a class of Unicode that is repeated is quick to compile and to match.
#[test]
fn classes_of_unicode_repeat_without_growing() {
    let pattern = Pattern::new(r"^[\p{L}\p{N}]{1000}$");
    let steps = Steps::default();
    assert_eq!(pattern.is_match(&"é".repeat(1000), &steps), Ok(true));
    assert_eq!(pattern.is_match(&"é".repeat(1001), &steps), Ok(false));
    assert_eq!(pattern.clone().is_match(&"-".repeat(1000), &steps), Ok(false));
    assert!(MOST_STEPS - steps.left() < 10_000, "{}", steps.left());
    assert!(pattern.0.compiled.get().unwrap().as_ref().is_ok_and(|program| program.sets.len() == 1));
}

/// Half of all characters in falling order: sorted again for each, they would take hours. What is in a class is not read
/// for each of its repetitions either.
#[test]
fn large_classes_are_read_once() {
    let characters: String = (0x100..0xE_0000).rev().step_by(2).filter_map(char::from_u32).collect();
    let count = characters.chars().count();
    let pattern = Pattern::new(format!("^(?:[{characters}]{{500}}){{2}}$"));
    let is_match = |text: &str| pattern.is_match(&text.repeat(1000), &Steps::default());
    assert_eq!((is_match("\u{101}"), is_match("\u{100}")), (Ok(true), Ok(false)));
    let compiled = pattern.0.compiled.get().unwrap().as_ref().unwrap();
    assert_eq!(compiled.sets.iter().map(|set| set.ranges.len()).collect::<Vec<_>>(), [count]);
}

/// The end of a class that is named within brackets is looked for once, and not for each beginning.
#[test]
fn classes_without_an_end_are_read_once() {
    assert_eq!(fault(&"[[:a]".repeat(300_000)), None);
}

#[test]
fn steps_are_counted_and_end() {
    let steps = Steps::new(100_000);
    let heavy = Pattern::new("(x+x+)+y");
    assert_eq!(heavy.is_match(&"x".repeat(1000), &steps), Ok(false));
    let after_first = steps.left();
    assert!(after_first < 99_000, "{after_first}");
    assert_eq!(heavy.is_match(&"x".repeat(1_500_000), &steps), Err(TooManySteps));
    assert!(steps.are_used_up());
    assert_eq!(Pattern::new("a").is_match("a", &steps), Err(TooManySteps), "nothing after that");
}

#[test]
fn matches_are_those_that_go_prefers() {
    let steps = Steps::default();
    for (pattern, text, found) in [
        ("a|ab", "ab", Some("a")),
        ("(?:a|ab)(?:c|bcd)", "abcd", Some("abcd")),
        ("a+?", "aaa", Some("a")),
        ("a{2,3}", "aaaa", Some("aaa")),
        ("a{2,3}?", "aaaa", Some("aa")),
        ("(?U)a+", "aaa", Some("a")),
        ("b*", "abb", Some("")),
        ("x", "abb", None),
        ("é.", "aéß", Some("éß")),
    ] {
        assert_eq!(Pattern::new(pattern).find(text, &steps), Ok(found), "{pattern}");
    }
    for (pattern, text, most, found) in [
        ("a*", "baaac", usize::MAX, &["", "aaa", ""][..]),
        ("a", "banana", 2, &["a", "a"]),
        ("", "äb", usize::MAX, &["", "", ""]),
        (r"\b", "ab c", usize::MAX, &["", "", "", ""]),
        ("^a", "aaa", usize::MAX, &["a"]),
    ] {
        assert_eq!(Pattern::new(pattern).find_all(text, most, &steps), Ok(found.to_vec()), "{pattern}");
    }
}

/// The positions at which a match of the node may end that starts at one of these: the definition, without any cleverness.
fn ends(node: &Node, text: &[char], starts: &[usize]) -> Vec<usize> {
    let mut all: Vec<usize> = match node {
        Node::Empty => starts.to_vec(),
        Node::Literal { point, fold } => one(text, starts, |character| is(character, *point, *point, *fold)),
        Node::Any { line_feeds } => one(text, starts, |character| *line_feeds || character != '\n'),
        Node::Class(class) => one(text, starts, |character| holds(class, character)),
        Node::Assertion(assertion) => {
            starts.iter().copied().filter(|&place| is_at(*assertion, text, place)).collect()
        }
        Node::Capture(_, node) => ends(node, text, starts),
        Node::Concat(nodes) => nodes.iter().fold(starts.to_vec(), |starts, node| ends(node, text, &starts)),
        Node::Alternate(nodes) => nodes.iter().flat_map(|node| ends(node, text, starts)).collect(),
        Node::Repeat { node, min, max, .. } => {
            let mut places = starts.to_vec();
            for _ in 0..*min {
                places = ends(node, text, &places);
            }
            let mut all = places.clone();
            for _ in *min..max.unwrap_or(*min + text.len() as u32 + 1) {
                places = ends(node, text, &places);
                all.extend(&places);
            }
            all
        }
    };
    all.sort_unstable();
    all.dedup();
    all
}

fn one(text: &[char], starts: &[usize], fits: impl Fn(char) -> bool) -> Vec<usize> {
    starts.iter().copied().filter(|&at| text.get(at).is_some_and(|&c| fits(c))).map(|at| at + 1).collect()
}

fn is(character: char, low: u32, high: u32, fold: bool) -> bool {
    let within = |character: char| (low..=high).contains(&u32::from(character));
    within(character)
        || fold && (within(character.to_ascii_lowercase()) || within(character.to_ascii_uppercase()))
}

fn holds(class: &Class, character: char) -> bool {
    let any = class.items.iter().any(|item| match item {
        Item::Range(low, high) => is(character, *low, *high, class.fold),
        Item::Ascii { ranges, negated } => {
            ranges.iter().any(|&(low, high)| is(character, low.into(), high.into(), class.fold)) != *negated
        }
        Item::Unicode { .. } => unreachable!("the generator makes none"),
    });
    any != class.negated
}

fn is_at(assertion: Assertion, text: &[char], place: usize) -> bool {
    let is_word = |index: Option<usize>| {
        index.and_then(|index| text.get(index)).is_some_and(|c| c.is_ascii_alphanumeric() || *c == '_')
    };
    let boundary = is_word(place.checked_sub(1)) != is_word(Some(place));
    match assertion {
        Assertion::BeginText => place == 0,
        Assertion::EndText => place == text.len(),
        Assertion::BeginLine => place == 0 || text[place - 1] == '\n',
        Assertion::EndLine => place == text.len() || text[place] == '\n',
        Assertion::WordBoundary => boundary,
        Assertion::NoWordBoundary => !boundary,
    }
}

/// Pieces that make an expression when they are put together, or nonsense.
fn expression() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "a",
        "b",
        "A",
        ".",
        "-",
        "|",
        "(",
        "(?:",
        "(?i)",
        "(?i:",
        "(?-i)",
        "(?s)",
        "(?m)",
        "(?U)",
        ")",
        "*",
        "+",
        "?",
        "{2}",
        "{1,}",
        "{0,1}",
        "{",
        "}",
        "^",
        "$",
        "\\A",
        "\\z",
        "\\b",
        "\\B",
        "\\d",
        "\\W",
        "[a-b]",
        "[^a]",
        "[\\w-]",
        "[]a]",
        "[[:upper:]]",
        "[[:^alpha:]b]",
        "\\Qa*\\E",
        "\\x61",
        "\\n",
        "[a&&b]",
        "[",
        "]",
        "\\{",
        "(?<n>",
        "&",
        "#",
        " ",
    ]);
    prop::collection::vec(pieces, 0..9).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn translated_expressions_match_as_the_tree_says(source in expression(), text in "[abAB1 \\n*{&#-]{0,5}") {
        let Ok(node) = parse(&source) else { return Ok(()) };
        let characters: Vec<char> = text.chars().collect();
        let starts: Vec<usize> = (0..=characters.len()).collect();
        let expected = !ends(&node, &characters, &starts).is_empty();
        prop_assert_eq!(is_match(&source, &text), expected, "{:?}", node);
        prop_assert_eq!(fault(&source), None);
    }

    #[test]
    fn nothing_panics(source in "[\\\\pPxQE{}()\\[\\]:^$|*+?<>iU0-9a-c,-]{0,24}") {
        let _ = fault(&source);
    }
}
