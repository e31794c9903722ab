//! What a check needs of a page: its links, the anchors of its headings, and its blocks of code.

use std::collections::BTreeSet;

/// A page.
#[derive(Debug, Default)]
pub(super) struct Page {
    pub(super) links: Vec<Link>,
    pub(super) anchors: BTreeSet<String>,
    pub(super) code: Vec<Code>,
    /// What stands between backticks in the text, with its line from 1.
    pub(super) inline: Vec<(usize, String)>,
}

/// Where a page leads.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Link {
    /// The line, from 1.
    pub(super) line: usize,
    pub(super) target: String,
}

/// A block of code.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Code {
    /// What stands behind the fence.
    pub(super) language: String,
    /// The number of its first line, from 1.
    pub(super) line: usize,
    pub(super) lines: Vec<String>,
}

impl Page {
    pub(super) fn parse(text: &str) -> Self {
        let mut page = Self::default();
        let mut fence: Option<(String, Code)> = None;
        for (index, line) in text.lines().enumerate() {
            let trimmed = line.trim_start();
            if let Some((mark, mut code)) = fence.take() {
                if trimmed.trim_end() == mark {
                    page.code.push(code);
                } else {
                    code.lines.push(line.to_owned());
                    fence = Some((mark, code));
                }
                continue;
            }
            let ticks = trimmed.len() - trimmed.trim_start_matches('`').len();
            if ticks >= 3 {
                let language = trimmed.trim_start_matches('`').trim().to_owned();
                fence = Some(("`".repeat(ticks), Code { language, line: index + 2, lines: Vec::new() }));
                continue;
            }
            if let Some(heading) = trimmed.strip_prefix('#') {
                page.add_anchor(heading.trim_start_matches('#').trim());
            }
            let (text, inline) = taken_apart(line);
            page.inline.extend(inline.into_iter().map(|code| (index + 1, code)));
            let links = links(&text).into_iter();
            page.links.extend(links.map(|target| Link { line: index + 1, target }));
        }
        page
    }

    /// The anchor that GitHub and mdBook make of a heading; equal ones are numbered.
    fn add_anchor(&mut self, heading: &str) {
        let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        let anchor: String = kept.collect::<String>().to_lowercase().replace(' ', "-");
        let numbered = (1..).map(|number| format!("{anchor}-{number}"));
        let free = std::iter::once(anchor.clone()).chain(numbered).find(|name| !self.anchors.contains(name));
        self.anchors.extend(free);
    }
}

/// A line without what stands between backticks, and what does.
fn taken_apart(line: &str) -> (String, Vec<String>) {
    let (mut text, mut code) = (String::new(), Vec::new());
    let mut rest = line;
    while let Some((before, after)) = rest.split_once('`') {
        text.push_str(before);
        match after.split_once('`') {
            // Cells of a table escape what separates cells.
            Some((inside, behind)) => {
                code.push(inside.replace("\\|", "|"));
                rest = behind;
            }
            None => {
                rest = after;
                break;
            }
        }
    }
    (text + rest, code)
}

/// The targets of `[text](target)` and `![text](target)`.
fn links(line: &str) -> Vec<String> {
    let ends = line.match_indices("](").map(|(at, _)| line.get(at + 2..).unwrap_or_default());
    let targets = ends.filter_map(|rest| rest.split_once(')')).map(|(target, _)| target);
    targets.map(|target| target.split(' ').next().unwrap_or(target).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_page() {
        let page = Page::parse(
            "# A `b`: c\n## d\n## d\n[x](y.md#z) `[no](no)` ![p](q.svg)\n```sh\n# no\nfbc\n```\n",
        );
        assert_eq!(page.anchors, BTreeSet::from(["a-b-c", "d", "d-1"].map(str::to_owned)));
        assert_eq!(page.inline, [(1, "b".to_owned()), (4, "[no](no)".to_owned())]);
        let targets: Vec<&str> = page.links.iter().map(|link| link.target.as_str()).collect();
        assert_eq!((targets, page.links[0].line), (vec!["y.md#z", "q.svg"], 4));
        let lines = ["# no", "fbc"].map(str::to_owned).to_vec();
        assert_eq!(page.code, [Code { language: "sh".to_owned(), line: 6, lines }]);
    }
}
