//! Tables for explanations, across both grammars. Only compiled for tests.

use super::*;

fn explain(grammar: Grammar, target: Target, text: &str) -> String {
    let range = Range::parse(grammar, target, text).unwrap_or_else(|error| panic!("{text}: {error}"));
    range.explain().to_string()
}

#[test]
fn explanations() {
    use Grammar::{Blang, Masterminds};
    use Target::{Latest, Ocp419};
    for (grammar, target, text, lines) in [
        (
            Blang,
            Latest,
            ">=1.0.0 <2.0.0 || 3.x",
            &[
                "from 1.0.0 (included) up to 2.0.0 (excluded)",
                "  note: prereleases of 2.0.0 match, such as 2.0.0-rc.1; `<2.0.0-0` keeps them out",
                "or from 3.0.0 (included) up to 4.0.0 (excluded)",
                "  note: prereleases of 4.0.0 match, such as 4.0.0-rc.1; `<4.0.0-0` keeps them out",
            ][..],
        ),
        (
            Blang,
            Latest,
            "! 1.2.3",
            &[
                "exactly 1.2.3",
                "note: `!` stands alone and is dropped, so nothing is negated; write it next to the version",
            ],
        ),
        (
            Blang,
            Latest,
            ">=1.0.0 5",
            &["from 1.0.0 (included) upwards", "note: `5` is dropped, as every token of one character is"],
        ),
        (
            Blang,
            Latest,
            "!=1.x",
            &[
                "no version",
                "  note: `!=1.x` asks for versions below and above the wildcard at once, which never match",
            ],
        ),
        (
            Blang,
            Latest,
            "1.x.x",
            &[
                "from 1.0.0 (included) up to 1.1.0 (excluded)",
                "  note: `1.x.x` covers one minor version only; for all of a major version write `N.x`",
                "  note: prereleases of 1.1.0 match, such as 1.1.0-rc.1; `<1.1.0-0` keeps them out",
            ],
        ),
        (
            Blang,
            Latest,
            "~1.x",
            &[
                "exactly 1.0.0",
                "  note: `~` is not an operator here; in front of a wildcard, both are dropped",
            ],
        ),
        (
            Blang,
            Latest,
            ">=1.0.0-next.1 !=2.0.0 <3.0.0-0",
            &[
                "from 1.0.0-next.1 (included) up to 2.0.0 (excluded), or from 2.0.0 (excluded) up to 3.0.0-0 (excluded)",
                "  note: the `x` in `-next.1` is taken for a wildcard: `.x` becomes `.0`, and other operators than `>=` and `<` fail",
            ],
        ),
        (
            Blang,
            Latest,
            "!=2.0.0+5",
            &["any version except 2.0.0", "  note: build metadata (`+...`) has no effect in a range"],
        ),
        (
            Masterminds,
            Latest,
            ">1.15, <1.17",
            &[
                "from 1.16.0 (included) up to 1.17.0 (excluded), without prereleases",
                "  note: `>1.15` means `>=1.16.0`",
                "  note: prereleases do not match; to include them, write one in a comparator, such as `>1.15-0`",
            ],
        ),
        (Masterminds, Latest, "1.2.3", &["exactly 1.2.3"]),
        (Masterminds, Latest, "1.2.3-rc.1", &["exactly 1.2.3-rc.1"]),
        (
            Masterminds,
            Latest,
            ">=1.0.0-0 <2.0.0",
            &[
                "from 1.0.0-0 (included) up to 2.0.0 (excluded)",
                "  note: prereleases match, because the range mentions one",
                "  note: prereleases of 2.0.0 match, such as 2.0.0-rc.1; `<2.0.0-0` keeps them out",
            ],
        ),
        (
            Masterminds,
            Ocp419,
            ">=1.0.0-0 <2.0.0",
            &[
                "from 1.0.0 (included) up to 2.0.0 (excluded), without prereleases",
                "  note: prereleases do not match, because `<2.0.0` does not ask for them too",
            ],
        ),
        (
            Masterminds,
            Ocp419,
            "!=1.2.3",
            &[
                "any version except 1.2.3",
                "  note: prereleases match, because `!=` with a whole version does not leave them out in this version of the library",
            ],
        ),
        (
            Masterminds,
            Latest,
            "1.2 - 1.4",
            &[
                "from 1.2.0 (included) up to 1.5.0 (excluded), without prereleases",
                "  note: `<=1.4` means everything up to 1.5.0 (excluded)",
                "  note: prereleases do not match; to include them, write one in a comparator, such as `>=1.2-0`",
                "note: `A - B` means `>= A, <= B`, so a partial B includes all of it",
                "note: the API server refuses this as `spec.source.catalog.version`: it does not have the form that the ClusterExtension API asks for",
            ],
        ),
        (
            Masterminds,
            Latest,
            "<* || 1.x.3 || 01.2.3+5",
            &[
                "no version",
                "  note: `<*` means no version",
                "  note: no version can match this alternative",
                "or from 1.0.0 (included) up to 2.0.0 (excluded), without prereleases",
                "  note: in `1.x.3`, what follows the wildcard is ignored",
                "  note: prereleases do not match; to include them, write one in a comparator, such as `1.x.3-0`",
                "or exactly 1.2.3",
                "  note: `01.2.3+5` is read without its leading zeros",
                "  note: build metadata (`+...`) has no effect in a range",
                "note: the API server refuses this as `spec.source.catalog.version`: it does not have the form that the ClusterExtension API asks for",
            ],
        ),
        (
            Masterminds,
            Latest,
            "!=1.2-rc.1",
            &[
                "any version",
                "  note: prereleases match, because the range mentions one",
                "  note: the same prerelease of every patch version is left out, which intervals cannot show",
            ],
        ),
        (
            Masterminds,
            Latest,
            ">18446744073709551615",
            &[
                "no version",
                "  note: `>18446744073709551615` means no version",
                "  note: no version can match this alternative",
            ],
        ),
        (
            Masterminds,
            Latest,
            "*",
            &[
                "any version, without prereleases",
                "  note: prereleases do not match; to include them, write one in a comparator, such as `*-0`",
            ],
        ),
    ] {
        let explanation = explain(grammar, target, text);
        assert_eq!(explanation.lines().collect::<Vec<_>>(), lines, "{text}");
    }
}

#[test]
fn the_grammar_and_target_decide() {
    for name in ["masterminds", "blang"] {
        assert_eq!(name.parse::<Grammar>().map(|grammar| grammar.to_string()).as_deref(), Ok(name));
    }
    for name in Target::NAMES {
        assert_eq!(name.parse::<Target>().map(|target| target.to_string()).as_deref(), Ok(name));
    }
    assert_eq!(FACTS.map(|facts| facts.target), Target::ALL);
    assert!(FACTS.iter().all(|facts| facts.target.facts() == facts));
    assert!(!Target::Upstream.is_openshift() && Target::Ocp50.is_openshift());
    assert_eq!(
        "npm".parse::<Grammar>().unwrap_err().to_string(),
        "unknown grammar \"npm\", expected masterminds or blang"
    );
    assert!(Range::parse(Grammar::Masterminds, Target::Latest, "^1").is_ok());
    assert!(Range::parse(Grammar::Blang, Target::Latest, "^1").is_err());
    assert!(Range::parse(Grammar::Masterminds, Target::Ocp419, "01.0").is_err());
}
