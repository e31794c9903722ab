//! Tables for explanations, across both grammars. Only compiled for tests.

use super::*;

fn explain(grammar: Grammar, target: Target, text: &str) -> String {
    let range = Range::parse(grammar, target, text).unwrap_or_else(|error| panic!("{text}: {error}"));
    range.explain().to_string()
}

#[test]
fn placeholder() {
    for (grammar, target, text) in [
        (Grammar::Blang, Target::Latest, ">=1.0.0 <2.0.0 || 3.x"),
        (Grammar::Masterminds, Target::Latest, ">1.15, <1.17"),
    ] {
        println!("{text}\n{}", explain(grammar, target, text));
    }
}
