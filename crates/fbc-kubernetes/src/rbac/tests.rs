//! Which rules cover which requests, beside a slow model.

use proptest::prelude::*;
use proptest::sample::subsequence;

use super::rule::{Request, Rule, compact, uncovered};

const GROUPS: &[&str] = &["", "apps", "*"];
const RESOURCES: &[&str] = &["pods", "pods/log", "pods/status", "jobs/status", "*/status", "*"];
const NAMES: &[&str] = &["a", "b", "*"];
const VERBS: &[&str] = &["get", "list", "*"];
const URLS: &[&str] = &["/metrics", "/metrics/a", "/metrics/*", "/*", "*"];

fn rule() -> impl Strategy<Value = Rule> {
    let texts = |all: &'static [&'static str]| subsequence(all, 0..=all.len().min(3));
    (texts(GROUPS), texts(RESOURCES), texts(NAMES), texts(VERBS), texts(URLS)).prop_map(
        |(groups, resources, names, verbs, urls)| Rule {
            non_resource_urls: urls.into_iter().map(str::to_owned).collect(),
            ..Rule::new(&groups, &resources, &verbs).named(names)
        },
    )
}

/// The slow model: every request there is, with names of groups and resources that no rule mentions.
fn requests() -> Vec<Request<'static>> {
    let mut requests = Vec::new();
    for verb in ["get", "list", "unheard"] {
        for path in ["/metrics", "/metrics/a", "/metrics/b", "/other"] {
            requests.push(Request::Url { verb, path });
        }
        for group in ["", "apps", "unheard.io"] {
            for (resource, subresource) in [
                ("pods", ""),
                ("pods", "log"),
                ("pods", "status"),
                ("jobs", "status"),
                ("jobs", ""),
                ("x", "y"),
            ] {
                for name in ["", "a", "b", "*", "unheard"] {
                    requests.push(Request::Resource { verb, group, resource, subresource, name });
                }
            }
        }
    }
    requests
}

/// What a rule allows, said in another way than the code under test.
fn naive(rule: &Rule, request: Request<'_>) -> bool {
    let any = |list: &[String], text: &str| list.contains(&"*".to_owned()) || list.contains(&text.to_owned());
    match request {
        Request::Url { verb, path } => {
            any(&rule.verbs, verb)
                && rule.non_resource_urls.iter().any(|url| match url.strip_suffix('*') {
                    Some(start) => path.starts_with(start),
                    None => url == path,
                })
        }
        Request::Resource { verb, group, resource, subresource, name } => {
            let mut spellings = vec!["*".to_owned(), resource.to_owned()];
            if !subresource.is_empty() {
                spellings =
                    vec!["*".to_owned(), format!("{resource}/{subresource}"), format!("*/{subresource}")];
            }
            any(&rule.verbs, verb)
                && any(&rule.api_groups, group)
                && rule.resources.iter().any(|owned| spellings.contains(owned))
                && (rule.resource_names.is_empty() || rule.resource_names.iter().any(|owned| owned == name))
        }
    }
}

proptest! {
    #[test]
    fn requests_are_allowed_as_in_the_naive_model(rule in rule()) {
        for request in requests() {
            prop_assert_eq!(rule.allows(request), naive(&rule, request), "{} {:?}", rule, request);
        }
    }

    /// Covered rules allow nothing that their owner does not allow.
    #[test]
    fn covered_means_that_every_request_is_allowed(
        owned in prop::collection::vec(rule(), 0..4),
        rules in prop::collection::vec(rule(), 1..3),
    ) {
        let owners: Vec<&Rule> = owned.iter().collect();
        let missing = uncovered(&owners, &rules);
        for request in requests().into_iter().filter(|request| rules.iter().any(|rule| rule.allows(*request))) {
            let is_allowed = owned.iter().any(|rule| rule.allows(request));
            let is_missing = missing.iter().any(|rule| rule.allows(request));
            prop_assert!(is_allowed || is_missing, "{:?} of {:?}", request, rules);
        }
        // What is missing really comes from the rules, and having it is enough.
        let mut enough: Vec<&Rule> = owners.clone();
        enough.extend(&missing);
        let pieces: Vec<Rule> = rules.iter().flat_map(Rule::broken_down).collect();
        prop_assert!(uncovered(&enough, &pieces).is_empty());
    }

    /// Nothing gets lost by compacting.
    #[test]
    fn compacting_keeps_the_meaning(rules in prop::collection::vec(rule(), 0..4)) {
        let pieces: Vec<Rule> = rules.iter().flat_map(Rule::broken_down).collect();
        let compacted = compact(pieces.clone());
        prop_assert!(compacted.len() <= pieces.len());
        for request in requests() {
            let before = rules.iter().any(|rule| rule.allows(request));
            prop_assert_eq!(compacted.iter().any(|rule| rule.allows(request)), before, "{:?}", request);
        }
    }

    #[test]
    fn a_rule_covers_itself_and_its_pieces(rule in rule(), other in rule()) {
        // Names and paths in one rule are an error in Kubernetes, and no rule with names covers a path.
        prop_assume!(rule.resource_names.is_empty() || rule.non_resource_urls.is_empty());
        prop_assert!(uncovered(&[&rule], [&rule]).is_empty());
        let pieces: Vec<Rule> = rule.broken_down().collect();
        prop_assert!(uncovered(&[&other, &rule], &pieces).is_empty());
    }
}

#[test]
fn enormous_rules_are_not_taken_apart() {
    let many: Vec<String> = (0..1000).map(|number| format!("x{number}")).collect();
    let texts: Vec<&str> = many.iter().map(String::as_str).collect();
    let rule = Rule::new(&texts, &texts, &texts).named(many.clone());
    assert_eq!(uncovered(&[], [&rule]), std::slice::from_ref(&rule));
    assert!(uncovered(&[&Rule::new(&["*"], &["*"], &["*"])], [&rule]).is_empty());
}

#[test]
fn coverage_as_kubernetes_sees_it() {
    let covers = |owner: Rule, rule: Rule| uncovered(&[&owner], [&rule]).is_empty();
    let pods = || Rule::new(&[""], &["pods"], &["get"]);
    assert!(!covers(pods().named(["a"]), pods()), "names limit");
    assert!(covers(pods(), pods().named(["a"])));
    // a star is a name like any other.
    assert!(!covers(pods().named(["*"]), pods().named(["a"])));
    assert!(covers(Rule::new(&[""], &["*/status"], &["get"]), Rule::new(&[""], &["pods/status"], &["get"])));
    assert!(!covers(Rule::new(&[""], &["*/status"], &["get"]), pods()));
    assert!(!covers(Rule::new(&[""], &["pods"], &["get"]), Rule::new(&[""], &["pods/log"], &["get"])));
    assert!(!covers(Rule::new(&[""], &["pods"], &["get", "list"]), Rule::new(&[""], &["pods"], &["*"])));
    let text = "{APIGroups:[\"\"], Resources:[\"pods\"], ResourceNames:[\"a\"], Verbs:[\"get\"]}";
    assert_eq!(pods().named(["a"]).to_string(), text);
}
