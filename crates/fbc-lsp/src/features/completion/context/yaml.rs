//! The place of the cursor in YAML, by the indentation of lines.

use super::Context;

/// Follows the lines up from the cursor.
pub(super) fn context_at(before: &str) -> Option<Context<'_>> {
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let line = before.get(line_start..)?;
    let mut rest = line.trim_start_matches(' ');
    let mut column = line.len() - rest.len();
    let mut path = Vec::new();
    while let Some(item) = rest.strip_prefix("- ").or_else(|| if rest == "-" { Some("") } else { None }) {
        path.push("-");
        let inner = item.trim_start_matches(' ');
        column += rest.len() - inner.len();
        rest = inner;
    }
    let dashes = path.len();
    let (is_key, prefix) = match rest.split_once(": ").or_else(|| rest.strip_suffix(':').map(|key| (key, "")))
    {
        Some((key, value)) => {
            path.insert(0, key.trim_matches(['"', '\'']));
            (false, value.trim_start().trim_start_matches(['"', '\'', '[']))
        }
        None => (true, rest),
    };
    let prefix = match prefix.rsplit_once([',', '[']) {
        Some((_, last)) if !is_key => last.trim_start(),
        _ => prefix,
    };
    // From the inside out.
    let mut steps: Vec<&str> = Vec::new();
    if !is_key {
        steps.extend(path.first());
    }
    steps.extend(std::iter::repeat_n("-", dashes));
    let mut limit = column;
    let own_dash = line.len() - line.trim_start_matches(' ').len();
    let mut dash_at = (dashes > 0).then_some(own_dash);
    for line in before.get(..line_start)?.lines().rev() {
        let content = line.trim_start_matches(' ');
        let mut at = line.len() - content.len();
        if content.is_empty() || content.starts_with('#') {
            continue;
        }
        let mut content = content;
        let mut found_dashes = 0;
        let first = at;
        while let Some(item) = content.strip_prefix("- ") {
            found_dashes += 1;
            let inner = item.trim_start_matches(' ');
            at += content.len() - inner.len();
            content = inner;
        }
        if let Some(dash) = dash_at {
            // The key of the list: at the column of the dash or before it.
            if found_dashes == 0 && at <= dash && content.trim_end().ends_with(':') {
                steps.push(content.trim_end().trim_end_matches(':').trim_matches(['"', '\'']));
                (dash_at, limit) = (None, at);
            } else if found_dashes > 0 && at <= dash && content.trim_end().ends_with(':') {
                steps.push(content.trim_end().trim_end_matches(':'));
                steps.extend(std::iter::repeat_n("-", found_dashes));
                (dash_at, limit) = (Some(first), first);
            }
            continue;
        }
        if found_dashes > 0 && first < limit && at <= limit {
            if at < limit && content.trim_end().ends_with(':') {
                steps.push(content.trim_end().trim_end_matches(':'));
            }
            steps.extend(std::iter::repeat_n("-", found_dashes));
            (dash_at, limit) = (Some(first), first);
        } else if found_dashes == 0 && at < limit && content.trim_end().ends_with(':') {
            steps.push(content.trim_end().trim_end_matches(':').trim_matches(['"', '\'']));
            limit = at;
        }
        if limit == 0 && dash_at.is_none() {
            break;
        }
    }
    steps.reverse();
    Some(Context { path: steps, prefix, is_key, property_type: property_type(before), quotes: None })
}

/// The type of the property that the cursor is in: the last one above it.
fn property_type(before: &str) -> Option<&str> {
    let line =
        before.lines().rev().find(|line| line.trim_start().trim_start_matches("- ").starts_with("type:"))?;
    Some(line.split_once("type:")?.1.trim().trim_matches(['"', '\'']))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
    use super::*;

    #[test]
    fn the_place_of_the_cursor() {
        let text = "---\nschema: olm.channel\nentries:\n- name: a\n  skips:\n  - x\n  - y\n- name: b\n  replaces: a\n  ski\nproperties:\n  - type: t\n    value:\n      group: g\n";
        let at = |needle: &str| {
            let end = text.find(needle).unwrap() + needle.len();
            let context = context_at(text.get(..end).unwrap()).unwrap();
            (context.path.join("/"), context.prefix.to_owned(), context.is_key)
        };
        let expected = |path: &str, prefix: &str, is_key| (path.to_owned(), prefix.to_owned(), is_key);
        assert_eq!(at("schema: olm"), expected("schema", "olm", false));
        assert_eq!(at("- name: b"), expected("entries/-/name", "b", false));
        assert_eq!(at("replaces: "), expected("entries/-/replaces", "", false));
        assert_eq!(at("- y"), expected("entries/-/skips/-", "y", true));
        assert_eq!(at("  ski\n").0, "");
        assert_eq!(at("replaces: a\n  ski"), expected("entries/-", "ski", true));
        assert_eq!(at("- type: t"), expected("properties/-/type", "t", false));
        assert_eq!(at("group: g"), expected("properties/-/value/group", "g", false));
        let flow = "entries:\n- name: a\n  skips: [x, yy";
        let context = context_at(flow).unwrap();
        assert_eq!((context.path, context.prefix), (vec!["entries", "-", "skips"], "yy"));
    }
}
