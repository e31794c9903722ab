//! `docs/SUMMARY.md`: the table of contents of the book.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use fbc_rules::RULES;

use super::Generated;
use crate::error::{Context as _, TaskResult};
use crate::workspace;

/// The parts of the book: a heading, and pages below `docs`. The rules and the decisions come behind the pages that lead to them.
const PARTS: [(&str, &[&str]); 5] = [
    ("", &["start.md"]),
    (
        "Guides",
        &[
            "guides/create-a-catalog.md",
            "guides/repositories.md",
            "guides/policy.md",
            "guides/diff.md",
            "guides/bundle.md",
            "guides/pipelines.md",
            "guides/shards.md",
            "guides/editors.md",
            "guides/query.md",
            "guides/filter.md",
            "guides/registries.md",
            "guides/mirror.md",
            "guides/sign.md",
            "guides/serve.md",
            "guides/opm.md",
            "guides/simulate.md",
            "guides/olm-v0.md",
            "guides/cluster.md",
            "guides/updates.md",
        ],
    ),
    ("Concepts", &["concepts/catalog.md", "concepts/edges.md", "concepts/simulation.md"]),
    (
        "Reference",
        &[
            "reference/commands.md",
            "reference/conventions.md",
            "reference/configuration.md",
            "reference/scenarios.md",
            "reference/outputs.md",
            "reference/profiles.md",
            "reference/limits.md",
            "reference/schemas.md",
            "rules/README.md",
        ],
    ),
    (
        "About fbc",
        &[
            "stability.md",
            "SECURITY.md",
            "architecture.md",
            DECISIONS,
            "CONTRIBUTING.md",
            "style.md",
            "CHANGELOG.md",
        ],
    ),
];

/// The page that leads to the decisions, each in a file beside it.
const DECISIONS: &str = "decisions/README.md";

/// The file. The headings are those of the generated pages and of the pages on disk; `cargo xtask book` reports pages that
/// are not listed.
pub(super) fn page(root: &Path, generated: &[Generated]) -> TaskResult<Generated> {
    let mut text = "# Summary\n\n".to_owned();
    for (part, pages) in PARTS {
        if !part.is_empty() {
            // Writing to a String cannot fail.
            let _ = write!(text, "\n# {part}\n\n");
        }
        for page in pages {
            let bullet = if part.is_empty() { "" } else { "- " };
            let _ = writeln!(text, "{bullet}[{}]({page})", title(root, generated, page)?);
            if *page == "rules/README.md" {
                for rule in RULES.iter() {
                    let _ = writeln!(text, "  - [{} {}](rules/{}.md)", rule.code, rule.name, rule.code);
                }
            }
            if *page == DECISIONS {
                for decision in decisions(root)? {
                    let _ = writeln!(text, "  - [{}]({decision})", title(root, generated, &decision)?);
                }
            }
        }
    }
    Ok(Generated { path: PathBuf::from("docs/SUMMARY.md"), content: text })
}

/// The pages of decisions, below `docs`, in the order of their names.
fn decisions(root: &Path) -> TaskResult<Vec<String>> {
    let files = workspace::files_below(&root.join("docs/decisions"))?;
    let names = files.iter().filter_map(|file| file.file_name()?.to_str());
    Ok(names.map(|name| format!("decisions/{name}")).filter(|page| page != DECISIONS).collect())
}

/// The first heading of a page.
fn title(root: &Path, generated: &[Generated], page: &str) -> TaskResult<String> {
    let path = Path::new("docs").join(page);
    let text = match generated.iter().find(|file| file.path == path) {
        Some(file) => file.content.clone(),
        None => fs::read_to_string(root.join(&path)).context(|| format!("reading {}", path.display()))?,
    };
    let heading = text.lines().find_map(|line| line.strip_prefix("# "));
    Ok(heading.unwrap_or(page).trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_and_all_guides_are_listed() {
        let root = crate::workspace::root().unwrap();
        let mut generated = super::super::rules::pages(&root).unwrap();
        for page in PARTS.iter().flat_map(|(_, pages)| *pages).filter(|page| page.starts_with("reference/")) {
            let content = format!("# {page}\n");
            generated.push(Generated { path: Path::new("docs").join(page), content });
        }
        let text = page(&root, &generated).unwrap().content;
        assert!(text.contains("\n  - [FBC001 "), "{text}");
        let guides = crate::workspace::files_below(&root.join("docs/guides")).unwrap();
        for guide in guides.iter().filter(|path| path.extension().is_some_and(|ending| ending == "md")) {
            let name = guide.file_name().unwrap().to_string_lossy();
            assert!(text.contains(&format!("(guides/{name})")), "{name}");
        }
    }
}
