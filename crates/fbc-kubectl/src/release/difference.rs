//! What another release has in place of the images of one.

use std::collections::BTreeMap;

use fbc_cluster::object::ObjectFields;
use fbc_cluster::time::Moment;
use fbc_go::text::padded;
use serde_json::Value;

use super::info::preferred_name;
use super::{ReleaseImage, ReleaseImageError, commit_address, digest_or_all, images, source};
use crate::age::{seconds_between, short_human_duration};
use crate::layout::align;

const UNKNOWN: &str = "<unknown>";

impl ReleaseImage {
    /// What changes from another release to this one: images by what happens to them, each with its digests, or with the
    /// addresses of its commits. Ages are those of a moment.
    ///
    /// # Errors
    /// What is missing in one of the payloads.
    pub fn changes_from(
        &self,
        before: &Self,
        shows_commits: bool,
        now: Moment,
    ) -> Result<String, ReleaseImageError> {
        if self.digest == before.digest {
            return Ok("Releases are identical\n".to_owned());
        }
        let (old, new) = (before.metadata()?, self.metadata()?);
        let (from, to) = (before.references()?, self.references()?);
        let age = |release: &Self| {
            let created = Moment::parse(&release.created());
            created.map_or_else(|| UNKNOWN.to_owned(), |at| short_human_duration(seconds_between(at, now)))
        };
        let mut text = format!(
            "\tFROM\tTO\nName:\t{}\t{}\nCreated:\t{}\t{}\n",
            preferred_name(&old, &from),
            preferred_name(&new, &to),
            age(before),
            age(self)
        );
        if before.platform != self.platform {
            text.push_str(&format!("OS/Arch:\t{}\t{}\n", before.platform, self.platform));
        }
        let is_listed = new.list(&["previous"]).contains(&old["version"]);
        text.push_str(&format!(
            "\nVersion:\t{}\t{}\nUpgrade From:\t\t{}\n",
            old.text(&["version"]),
            new.text(&["version"]),
            if is_listed { "Yes" } else { "No" }
        ));
        let mut out = align(&text, 0, 2);
        for (title, lines) in changes(&from, &to, shows_commits) {
            if !lines.is_empty() {
                out.push_str(&align(&format!("\nImages {title}:\n{}", lines.concat()), 0, 1));
            }
        }
        out.push('\n');
        Ok(out)
    }
}

/// Lines by what happens to images.
fn changes(from: &Value, to: &Value, shows_commits: bool) -> [(&'static str, Vec<String>); 4] {
    let (mut changed, mut rebuilt, mut added, mut removed) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let by_name = |references| -> BTreeMap<&str, &Value> {
        images(references).map(|tag| (tag.text(&["name"]), tag)).collect()
    };
    let (from, to) = (by_name(from), by_name(to));
    let image = |tag: &Value| digest_or_all(tag.text(&["from", "name"])).to_owned();
    let names = from.iter().filter(|(name, old)| to.get(*name).is_none_or(|new| new["from"] != old["from"]));
    let names: Vec<&str> = names
        .map(|(name, _)| *name)
        .chain(to.keys().copied().filter(|name| !from.contains_key(name)))
        .collect();
    // Names are as wide as the widest of all that differ.
    let width = names.iter().map(|name| name.len()).max().unwrap_or_default();
    for (name, old) in &from {
        match to.get(name) {
            None => removed.push(format!("  {}\n", padded(name, width))),
            Some(new) if new["from"] == old["from"] => {}
            Some(new) => {
                let line = match shows_commits {
                    // The reference has a heading above nothing where the digests are equal.
                    _ if image(old) == image(new) => String::new(),
                    true => format!("  {}\t{}\n", padded(name, width), commits(old, new)),
                    false => format!("  {}\t{}\t{}\n", padded(name, width), image(old), image(new)),
                };
                let ((_, before), (_, after)) = (source(old), source(new));
                let has_new_code = !before.is_empty() && !after.is_empty() && before != after;
                if has_new_code { &mut changed } else { &mut rebuilt }.push(line);
            }
        }
    }
    for (name, new) in to.iter().filter(|(name, _)| !from.contains_key(*name)) {
        let (repository, commit) = source(new);
        let cell = match shows_commits {
            false => image(new),
            true if repository.is_empty() || commit.is_empty() => UNKNOWN.to_owned(),
            true => commit_address(repository, commit),
        };
        added.push(format!("  {}\t{cell}\n", padded(name, width)));
    }
    [("Changed", changed), ("Rebuilt", rebuilt), ("Added", added), ("Removed", removed)]
}

/// Where to read what changed from the source of an image to that of another.
fn commits(old: &Value, new: &Value) -> String {
    let ((from, before), (to, after)) = (source(old), source(new));
    if to.is_empty() || after.is_empty() {
        return UNKNOWN.to_owned();
    }
    match from == to {
        true if before == after => commit_address(to, after),
        true if to.starts_with("https://github.com/") => format!("{to}/compare/{before}...{after}"),
        true => format!("{to} {before} {after}"),
        false if before.is_empty() => format!("{from} {UNKNOWN} -> {}", commit_address(to, after)),
        false if before == after => format!("{from} -> {}", commit_address(to, after)),
        false => format!("{} -> {}", commit_address(from, before), commit_address(to, after)),
    }
}
