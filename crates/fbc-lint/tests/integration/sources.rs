//! Every rule says where the behavior that it is about comes from.

use fbc_lint::rule::{Basis, Source};
use fbc_rules::RULES;

/// A file as `owner/repository:path`, a statement by its number with its section, or a fact in plain words.
fn has_known_form(source: &Source) -> bool {
    let is_word = |text: &str, more: &str| {
        !text.is_empty() && text.chars().all(|letter| letter.is_ascii_alphanumeric() || more.contains(letter))
    };
    match source {
        Source::Code(file, item) => {
            let parts = file.split_once(':').and_then(|(repository, path)| {
                repository.split_once('/').map(|(owner, name)| (owner, name, path))
            });
            parts.is_some_and(|(owner, name, path)| {
                is_word(owner, "-")
                    && is_word(name, "-._")
                    && path.split('/').all(|part| is_word(part, "-._") && !part.trim_matches('.').is_empty())
                    && (item.is_empty() || is_word(item, "-._"))
            })
        }
        Source::Statement(number, section) => {
            let parts: Vec<&str> = number.split('-').collect();
            let is_number = |text: &str| text.parse::<u32>().is_ok();
            matches!(parts.as_slice(), ["D", area, number] if is_word(area, "") && is_number(number))
                && section.split('.').all(is_number)
        }
        Source::Advice(fact) => fact.split(' ').count() > 4 && fact.len() <= 110 && !fact.ends_with('.'),
    }
}

#[test]
fn every_rule_says_where_it_comes_from() {
    for rule in RULES.iter() {
        assert!(!rule.sources.is_empty(), "{} has no source", rule.code);
        for source in rule.sources {
            assert!(has_known_form(source), "{}: {source:?} is of no known form", rule.code);
        }
        // Who says that opm or a pipeline refuses something names the place where it does.
        let is_own = matches!(rule.basis, Basis::Advice | Basis::Configuration(_));
        let has_other = rule.sources.iter().any(|source| !matches!(source, Source::Advice(_)));
        assert!(is_own || has_other, "{} rests on advice alone", rule.code);
    }
    let other_forms = [
        Source::Code("alpha/declcfg/load.go", ""),
        Source::Code("owner/repository:", ""),
        Source::Code("owner/repository:../load.go", ""),
        Source::Code("https://github.com/owner/repository:load.go", ""),
        Source::Code("owner/repository:load.go", "a function"),
        Source::Statement("V-12", "1.1"),
        Source::Statement("D-XYZ-1", ""),
        Source::Advice(""),
        Source::Advice("see the code"),
        Source::Advice("A sentence with a full stop at its end."),
    ];
    for source in &other_forms {
        assert!(!has_known_form(source), "{source:?}");
    }
}

#[test]
fn each_form_has_its_words() {
    let code = Source::Code("owner/repository:a/b.go", "Check");
    assert_eq!(code.to_string(), "owner/repository:a/b.go (Check)");
    assert_eq!(code.markdown(), "[owner/repository](https://github.com/owner/repository):`a/b.go` (`Check`)");
    let whole = Source::Code("owner/repository:a/b.go", "");
    assert_eq!(whole.to_string(), "owner/repository:a/b.go");
    assert_eq!(whole.markdown(), "[owner/repository](https://github.com/owner/repository):`a/b.go`");
    let statement = Source::Statement("D-XYZ-1", "2.3");
    assert_eq!(
        statement.to_string(),
        "\"Extensions\" of OpenShift Container Platform 4.19, section 2.3 (statement D-XYZ-1)"
    );
    assert_eq!(statement.markdown(), statement.to_string());
    assert_eq!(Source::Advice("a tag can be moved").to_string(), "advice of fbc: a tag can be moved");
}
