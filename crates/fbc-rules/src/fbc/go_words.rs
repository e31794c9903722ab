//! What Go's JSON decoder says, in words for people who do not know Go.

/// A misfit of value and type in words: `must be text, found a number`. Other texts stay as they
/// are.
pub(crate) fn explain(message: &str) -> String {
    if let Some(rest) = message.split_once("json: cannot unmarshal ").map(|(_, rest)| rest)
        && let Some((found, target)) = rest.split_once(" into Go ")
    {
        let kind = target.rsplit_once("of type ").map_or(target, |(_, kind)| kind);
        return format!("must be {}, found {}", wanted(kind), found_kind(found));
    }
    if let Some((_, byte)) = message.split_once("illegal base64 data at input byte ") {
        return format!("is not base64: byte {byte} of it cannot stand there");
    }
    if message.ends_with("unexpected end of JSON input") {
        return "is missing".to_owned();
    }
    message.to_owned()
}

fn wanted(kind: &str) -> &'static str {
    match kind {
        "string" | "v1alpha1.InstallModeType" => "text",
        "bool" => "true or false",
        "int32" => "a whole number",
        "uint8" => "a number from 0 to 255",
        "[]uint8" => "base64 text",
        "[]string" => "a list of texts",
        kind if kind.starts_with("[]") => "a list of objects",
        _ => "an object",
    }
}

/// The kind of a value in words.
pub(crate) fn found_kind(kind: &str) -> String {
    match kind {
        "string" => "text".to_owned(),
        "bool" => "true or false".to_owned(),
        "number" => "a number".to_owned(),
        "array" => "a list".to_owned(),
        "object" => "an object".to_owned(),
        "null" => "nothing (null)".to_owned(),
        kind => match kind.strip_prefix("number ") {
            Some(number) => format!("the number {number}"),
            None => kind.to_owned(),
        },
    }
}

/// What helps against a misfit; empty where nothing in general does.
pub(crate) fn help(message: &str) -> &'static str {
    if message.contains("cannot unmarshal number") && message.ends_with("type string") {
        "put the value in quotes: without them YAML reads it as a number"
    } else if message.contains("cannot unmarshal bool") && message.ends_with("type string") {
        "put the value in quotes: YAML 1.1 reads y, n, yes, no, on, off, true and false as booleans"
    } else if message.contains("of type []") {
        "write a list, one item after each `-`"
    } else {
        ""
    }
}

/// A JSON pointer as people write paths: `entries[0].skips`.
pub(crate) fn path(pointer: &str) -> String {
    let mut path = String::new();
    for step in pointer.split('/').skip(1) {
        if !step.is_empty() && step.bytes().all(|byte| byte.is_ascii_digit()) {
            path.push_str(&format!("[{step}]"));
        } else {
            if !path.is_empty() {
                path.push('.');
            }
            path.push_str(&step.replace("~1", "/").replace("~0", "~"));
        }
    }
    path
}
