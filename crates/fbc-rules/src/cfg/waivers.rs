//! What is wrong with waivers themselves, each in its place in the configuration file.

use std::path::Path;

use fbc_go::text::quote;
use fbc_lint::policy::waiver::{Scope, Waiver, WaiverProblem, Waivers};
use fbc_lint::{Finding, Located};

use super::{expired_waiver, unknown_code, unused_waiver, waiver_without_expiry, waiver_without_reason};

/// The findings about waivers, after a run over what the scope says. The waivers are those of a file, with its text.
#[must_use]
pub fn findings(waivers: &Waivers, scope: &dyn Scope, source: &[u8], path: &Path) -> Vec<Located> {
    let located = |(waiver, problem): (&Waiver, WaiverProblem)| {
        Located::in_file(finding(waiver, problem), path, source, waiver.place.clone())
    };
    waivers.problems(scope).map(located).collect()
}

fn finding(waiver: &Waiver, problem: WaiverProblem) -> Finding {
    let code = quote(&waiver.code);
    match problem {
        WaiverProblem::UnknownCode => unknown_code::finding(&waiver.code),
        WaiverProblem::WithoutReason => {
            let message = format!("the waiver of {code} gives no reason, and does not count");
            Finding::new(&waiver_without_reason::RULE, message)
                .label("no reason")
                .help("add `reason = \"...\"`: who decided it, and why it is right")
        }
        WaiverProblem::Expired(day) => {
            Finding::new(&expired_waiver::RULE, format!("the waiver of {code} expired on {day}"))
                .label("no longer counts")
                .note(format!("its reason was: {}", waiver.reason))
                .help("fix what it covers and remove it, or decide on a new date")
        }
        WaiverProblem::WithoutExpiry => {
            let message = format!("the waiver of {code} does not say when it expires, and does not count");
            Finding::new(&waiver_without_expiry::RULE, message)
                .label("no `expires`")
                .help("add `expires = \"YYYY-MM-DD\"`")
        }
        WaiverProblem::Unused => {
            Finding::new(&unused_waiver::RULE, format!("the waiver of {code} covers no finding"))
                .label("of no use")
                .help("remove it; if it should cover something, compare it with `-o json` without it")
        }
    }
}
