//! On which releases of OpenShift a bundle runs, as far as a catalog can tell.

use fbc_app::issue_words::words;
use fbc_bundle::readiness::{Described, Issue, Limit, NEWEST, Verdict, limit_of_bundle};
use fbc_model::Bundle;
use fbc_version::OpenShiftRelease;
use maud::{Markup, html};

use super::descriptor::Descriptor;
use super::frame;

/// The releases that are shown.
const SHOWN: [OpenShiftRelease; 10] = [
    OpenShiftRelease { major: 4, minor: 14 },
    OpenShiftRelease { major: 4, minor: 15 },
    OpenShiftRelease { major: 4, minor: 16 },
    OpenShiftRelease { major: 4, minor: 17 },
    OpenShiftRelease { major: 4, minor: 18 },
    OpenShiftRelease { major: 4, minor: 19 },
    OpenShiftRelease { major: 4, minor: 20 },
    OpenShiftRelease { major: 4, minor: 21 },
    OpenShiftRelease { major: 4, minor: 22 },
    NEWEST,
];

/// What is known of a bundle and a release.
#[derive(Debug, PartialEq, Eq)]
struct Standing {
    release: OpenShiftRelease,
    verdict: Verdict,
    /// Why it does not, or not always, run there.
    reasons: Vec<String>,
}

/// The releases on which a bundle runs, with both generations of OLM.
pub(super) fn section(bundle: &Bundle, descriptor: Option<&Descriptor>) -> Markup {
    let limit = limit_of_bundle(bundle);
    let least = descriptor.map(|descriptor| descriptor.text("minKubeVersion")).unwrap_or_default();
    let described = described(bundle, descriptor);
    let rows = [
        ("OLM v0", SHOWN.map(|release| standing(release, least, &limit, &[]))),
        ("OLM v1", SHOWN.map(|release| standing(release, least, &limit, &described.issues(release)))),
    ];
    let mut reasons: Vec<(&str, Vec<OpenShiftRelease>)> = Vec::new();
    for standing in rows.iter().flat_map(|(_, standings)| standings) {
        for reason in &standing.reasons {
            match reasons.iter_mut().find(|(known, _)| known == reason) {
                Some((_, releases)) if releases.contains(&standing.release) => {}
                Some((_, releases)) => releases.push(standing.release),
                None => reasons.push((reason, vec![standing.release])),
            }
        }
    }
    html! {
        div.scroll { table.releases {
            thead { tr { th { "OpenShift" } @for release in SHOWN { th { (release) } } } }
            tbody {
                @for (name, standings) in &rows {
                    tr {
                        th scope="row" { (name) }
                        @for standing in standings { (cell(standing)) }
                    }
                }
            }
        } }
        @if let Limit::Until(last) = limit {
            p { "A cluster with this bundle installed is not updated beyond OpenShift " strong { (last) } "." }
        }
        @if let Limit::Invalid(reason) = &limit {
            p.alarm { "Its olm.maxOpenShiftVersion blocks every update of the cluster: " (reason) }
        }
        @if !reasons.is_empty() {
            ul.reasons {
                @for (reason, releases) in reasons {
                    li { strong { (span(&releases)) } ": " (frame::sentence(reason)) }
                }
            }
        }
        p.faint { "As far as the catalog says; " code { "fbc bundle ready" } " looks into the image." }
    }
}

fn cell(standing: &Standing) -> Markup {
    let (class, mark, word) = match standing.verdict {
        Verdict::Ready => ("good", "✓", "yes"),
        Verdict::Preview => ("warning", "◐", "as a Technology Preview"),
        Verdict::NotReady => ("none", "–", "no"),
    };
    html! {
        td.(class) title=(standing.reasons.join("; ")) {
            span aria-hidden="true" { (mark) } span.unseen { (word) }
        }
    }
}

fn standing(release: OpenShiftRelease, least: &str, limit: &Limit, issues: &[Issue]) -> Standing {
    let mut verdict = issues.iter().map(Issue::verdict).max().unwrap_or(Verdict::Ready);
    let mut reasons: Vec<String> = issues.iter().map(words).collect();
    if let Some(first) = first_release(least).filter(|first| release < *first) {
        verdict = Verdict::NotReady;
        reasons.push(format!("it needs Kubernetes {least}, which is in OpenShift {first}"));
    }
    if let Limit::Until(last) = limit
        && limit.excludes(release)
    {
        verdict = Verdict::NotReady;
        reasons.push(format!("its `olm.maxOpenShiftVersion` is {last}"));
    }
    Standing { release, verdict, reasons }
}

/// The first release with a version of Kubernetes.
fn first_release(least: &str) -> Option<OpenShiftRelease> {
    let (_, minor) = least.trim().trim_start_matches('v').split_once("1.")?;
    let digits: String = minor.chars().take_while(char::is_ascii_digit).collect();
    OpenShiftRelease::of_kubernetes(digits.parse().ok()?)
}

fn described(bundle: &Bundle, descriptor: Option<&Descriptor>) -> Described {
    let modes = descriptor.map(Descriptor::install_modes).unwrap_or_default();
    Described {
        install_modes: modes.into_iter().map(str::to_owned).collect(),
        has_webhooks: descriptor
            .is_some_and(|descriptor| descriptor.list(&["webhookdefinitions"]).next().is_some()),
        properties: bundle.properties.iter().map(|property| property.kind.clone()).collect(),
    }
}

/// Releases in words: a run of them as its ends.
fn span(releases: &[OpenShiftRelease]) -> String {
    match releases {
        [] => String::new(),
        [one] => one.to_string(),
        [first, .., last] => {
            let place = |release: &OpenShiftRelease| SHOWN.iter().position(|shown| shown == release);
            let is_run =
                place(last).zip(place(first)).is_some_and(|(last, first)| last - first + 1 == releases.len());
            let names: Vec<String> = releases.iter().map(ToString::to_string).collect();
            if is_run { format!("{first} to {last}") } else { names.join(", ") }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_and_needs_decide() {
        let release = |minor: u32| OpenShiftRelease { major: 4, minor };
        let verdict =
            |minor: u32, least: &str, limit: &Limit| standing(release(minor), least, limit, &[]).verdict;
        let until = Limit::Until(release(18));
        for (minor, least, limit, expected) in [
            (14, "", &Limit::None, Verdict::Ready),
            (14, "1.29.0", &Limit::None, Verdict::NotReady),
            (16, "1.29.0", &Limit::None, Verdict::Ready),
            (14, "v1.20", &until, Verdict::Ready),
            (18, "", &until, Verdict::Ready),
            (19, "", &until, Verdict::NotReady),
            (14, "not a version", &until, Verdict::Ready),
        ] {
            assert_eq!(verdict(minor, least, limit), expected, "4.{minor} {least} {limit:?}");
        }
        // 4.23 is another name of 5.0.
        let newest = OpenShiftRelease { major: 5, minor: 0 };
        assert_eq!(standing(newest, "", &Limit::Until(release(23)), &[]).verdict, Verdict::Ready);
        assert_eq!(standing(newest, "", &Limit::Until(release(22)), &[]).verdict, Verdict::NotReady);
    }

    #[test]
    fn releases_in_words() {
        let release = |minor: u32| OpenShiftRelease { major: 4, minor };
        assert_eq!(span(&[release(18)]), "4.18");
        assert_eq!(span(&[release(18), release(19), release(20)]), "4.18 to 4.20");
        assert_eq!(span(&[release(22), OpenShiftRelease { major: 5, minor: 0 }]), "4.22 to 5.0");
        assert_eq!(span(&[release(18), release(20)]), "4.18, 4.20");
    }
}
