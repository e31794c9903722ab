//! Reading templates.

use serde_json::Value;

use super::{JsonPathError, Operand, Operator, Part, Step};

type Parsed<T> = Result<T, JsonPathError>;

fn fault<T>(text: impl Into<String>) -> Parsed<T> {
    Err(JsonPathError(text.into()))
}

/// Reads a whole template.
pub(super) fn template(text: &str) -> Parsed<Vec<Part>> {
    let mut rest = text;
    let mut open: Vec<(Vec<Step>, Vec<Part>)> = Vec::new();
    let mut parts = Vec::new();
    while !rest.is_empty() {
        let Some(at) = rest.find('{') else {
            parts.push(Part::Text(rest.to_owned()));
            break;
        };
        if at > 0 {
            parts.push(Part::Text(rest[..at].to_owned()));
        }
        let Some(length) = closing(&rest[at + 1..], '}') else { return fault("unclosed action") };
        let action = rest[at + 1..at + 1 + length].trim();
        rest = &rest[at + length + 2..];
        if action == "end" {
            let Some((path, outer)) = open.pop() else { return fault("not in range, nothing to end") };
            let body = std::mem::replace(&mut parts, outer);
            parts.push(Part::Range(path, body));
        } else if let Some(path) = action.strip_prefix("range ") {
            open.push((steps(path.trim())?, std::mem::take(&mut parts)));
        } else {
            parts.push(Part::Path(steps(action)?));
        }
    }
    if open.is_empty() { Ok(parts) } else { fault("unexpected end of template: {range} without {end}") }
}

/// The bytes before the closing bracket, passing over quoted text and nested brackets.
fn closing(text: &str, close: char) -> Option<usize> {
    let mut expected = vec![close];
    let mut quote = None;
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match (quote, c) {
            _ if escaped => escaped = false,
            (_, '\\') => escaped = true,
            (Some(open), c) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(c),
            (None, '[') => expected.push(']'),
            (None, '(') => expected.push(')'),
            (None, c) if expected.last() == Some(&c) => {
                expected.pop();
                if expected.is_empty() {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

/// Reads one path, or a literal.
fn steps(text: &str) -> Parsed<Vec<Step>> {
    let mut rest = text.trim();
    let mut found = Vec::new();
    if rest.starts_with(['"', '\'']) {
        return Ok(vec![Step::Literal(literal(rest)?)]);
    }
    if rest.starts_with(|c: char| c.is_alphanumeric()) {
        let fault = |_| JsonPathError(format!("unrecognized identifier {rest}"));
        return serde_json::from_str(rest).map(|value| vec![Step::Literal(value)]).map_err(fault);
    }
    while let Some(first) = rest.chars().next() {
        let tail = &rest[first.len_utf8()..];
        rest = match first {
            '$' => {
                found.push(Step::Root);
                tail
            }
            '@' => {
                found.push(Step::Current);
                tail
            }
            '.' if tail.starts_with('.') => {
                found.push(Step::Recursive);
                let after = &tail[1..];
                if after.starts_with(['[', '*']) || after.is_empty() {
                    after
                } else {
                    field(after, &mut found)?
                }
            }
            '.' if tail.is_empty() || tail.starts_with('[') => tail,
            '.' => field(tail, &mut found)?,
            '[' => {
                let Some(length) = closing(tail, ']') else { return fault("unterminated array") };
                found.push(bracket(tail[..length].trim())?);
                &tail[length + 1..]
            }
            '*' => {
                found.push(Step::Wildcard);
                tail
            }
            ' ' => return fault(format!("unrecognized character in action: {first:?}")),
            _ => field(rest, &mut found)?,
        };
    }
    Ok(found)
}

/// Reads a field name up to the next step; a backslash takes the next character as it is.
fn field<'t>(text: &'t str, found: &mut Vec<Step>) -> Parsed<&'t str> {
    if let Some(rest) = text.strip_prefix('*') {
        found.push(Step::Wildcard);
        return Ok(rest);
    }
    let mut name = String::new();
    let mut chars = text.char_indices();
    let mut end = text.len();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => name.extend(chars.next().map(|(_, c)| c)),
            '.' | '[' | ' ' | '|' | ')' | ']' | '}' => {
                end = at;
                break;
            }
            c => name.push(c),
        }
    }
    if name.is_empty() {
        return fault(format!("unrecognized character in action: {:?}", text.chars().next().unwrap_or(' ')));
    }
    found.push(Step::Field(name));
    Ok(&text[end..])
}

/// Reads what stands between `[` and `]`.
fn bracket(text: &str) -> Parsed<Step> {
    if let Some(filter) = text.strip_prefix("?(") {
        let Some(length) = closing(filter, ')') else { return fault("unterminated filter") };
        return self::filter(filter[..length].trim());
    }
    if text == "*" {
        return Ok(Step::Wildcard);
    }
    let parts = split(text, ',');
    if parts.len() > 1 {
        let paths =
            parts.iter().map(|part| bracket(part.trim()).map(|step| vec![step])).collect::<Parsed<_>>()?;
        return Ok(Step::Union(paths));
    }
    if text.starts_with('\'') {
        return match literal(text)? {
            Value::String(name) => Ok(Step::Field(name)),
            _ => fault(format!("invalid array index {text}")),
        };
    }
    let numbers: Vec<Option<i64>> = text
        .split(':')
        .map(|part| match part.trim() {
            "" => Ok(None),
            part => part.parse().map(Some).map_err(|_| JsonPathError(format!("invalid array index {text}"))),
        })
        .collect::<Parsed<_>>()?;
    match numbers.as_slice() {
        [Some(index)] => {
            Ok(Step::Slice { start: Some(*index), end: Some(index.saturating_add(1)), step: None })
        }
        [start, end] => Ok(Step::Slice { start: *start, end: *end, step: Some(1) }),
        [start, end, step] => Ok(Step::Slice { start: *start, end: *end, step: step.or(Some(1)) }),
        _ => fault(format!("invalid array index {text}")),
    }
}

/// Splits at a character outside of quotes.
fn split(text: &str, separator: char) -> Vec<&str> {
    let mut quote = None;
    text.split(|c| {
        match quote {
            Some(open) if c == open => quote = None,
            None if c == '\'' || c == '"' => quote = Some(c),
            _ => {}
        }
        quote.is_none() && c == separator
    })
    .collect()
}

/// Reads a condition such as `@.type=="Ready"`.
fn filter(text: &str) -> Parsed<Step> {
    const OPERATORS: [(&str, Operator); 6] = [
        ("==", Operator::Equal),
        ("!=", Operator::NotEqual),
        ("<=", Operator::LessOrEqual),
        (">=", Operator::GreaterOrEqual),
        ("<", Operator::Less),
        (">", Operator::Greater),
    ];
    let mut quote = None;
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(c),
            (None, _) => {
                if let Some((sign, operator)) =
                    OPERATORS.iter().find(|(sign, _)| text[at..].starts_with(sign))
                {
                    let right = Some(operand(&text[at + sign.len()..])?);
                    return Ok(Step::Filter { left: operand(&text[..at])?, operator: *operator, right });
                }
            }
        }
    }
    Ok(Step::Filter { left: operand(text)?, operator: Operator::Exists, right: None })
}

fn operand(text: &str) -> Parsed<Operand> {
    let text = text.trim();
    if text.starts_with(['@', '$', '.']) {
        steps(text).map(Operand::Path)
    } else {
        literal(text).map(Operand::Literal)
    }
}

/// Reads a quoted text, a number or a truth value.
fn literal(text: &str) -> Parsed<Value> {
    let Some(quote) = text.chars().next().filter(|c| matches!(c, '\'' | '"')) else {
        return serde_json::from_str(text).or_else(|_| fault(format!("unrecognized value {text}")));
    };
    let inner = text.get(1..).and_then(|text| text.strip_suffix(quote));
    let Some(inner) = inner else { return fault("unterminated quoted string") };
    let mut out = String::new();
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        out.push(match c {
            '\\' => match chars.next() {
                Some('n') => '\n',
                Some('t') => '\t',
                Some('r') => '\r',
                Some(other) => other,
                None => '\\',
            },
            c => c,
        });
    }
    Ok(Value::String(out))
}
