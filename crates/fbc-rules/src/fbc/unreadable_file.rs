//! Files and directories that cannot be read.

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::Findings;
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_model::confined_tree::LEADS_OUT;
use fbc_model::load::LoadFaultKind;

use super::load_fault;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "FBC001",
    name: "unreadable-file",
    since: "0.1.0",
    summary: "A file or directory of the catalog cannot be read",
    explanation: "\
A catalog is every file below its directory that no `.indexignore` leaves out. One of them cannot be read:
a permission is missing, a symbolic link leads nowhere or to a directory, or it is not a regular file.

A symbolic link that leads out of the catalog is not followed either, because it could show any file of the machine
that reads the catalog. opm follows it, and so does `--follow-links`.

Fix or remove the file, or leave it out with a line in `.indexignore`.",
    sources: &[
        Source::Code("operator-framework/operator-registry:alpha/declcfg/load.go", "parseMetaPaths"),
        Source::Statement("D-FBC-10", "4.1.2"),
    ],
    basis: Basis::Opm,
    check: Check::Catalog(check),
    cases: include_str!("unreadable_file.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for fault in load_fault::of_kind(context, LoadFaultKind::Unreadable) {
        let reason = fault.message.rsplit_once(": ").map_or(fault.message.as_str(), |(_, reason)| reason);
        let shown = if fault.path.as_os_str().is_empty() { ".".into() } else { fault.path.to_string_lossy() };
        let help = match reason {
            "no such file or directory" => "this is a link that leads nowhere: remove it, or fix its target",
            "is a directory" => "a link to a directory is not followed: put the files themselves here",
            "permission denied" => "give yourself permission to read it",
            LEADS_OUT => {
                "put the file itself here; `--follow-links` follows links of catalogs that you trust"
            }
            _ => "remove it from the catalog, or name it in `.indexignore`",
        };
        // Who may not read a file cannot know whether it belongs to the catalog.
        let help = match reason {
            "permission denied" => help.to_owned(),
            _ => load_fault::stray_file_help(&fault.path, help),
        };
        findings.push(
            load_fault::finding(&RULE, fault, format!("{} cannot be read: {reason}", quote(&shown)))
                .label("cannot be read")
                .help(help),
        );
    }
}
