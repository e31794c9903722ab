//! Reads Go regular expressions, with Go's words for what does not parse.
//!
//! Source: `golang/go:src/regexp/syntax/parse.go` with the flags of `regexp.Compile` (`syntax.Perl`).

use super::class::{escape, escaped_class};
use super::syntax::{Assertion, Class, MAX_HEIGHT, MAX_SIZE, Node};

/// The largest count of a repetition.
const MAX_COUNT: u64 = 1000;

/// Why an expression does not parse.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("error parsing regexp: {what}: `{part}`")]
pub(crate) struct Fault {
    what: &'static str,
    part: String,
}

impl Fault {
    pub(super) fn new(what: &'static str, part: &str) -> Self {
        Self { what, part: part.to_owned() }
    }

    /// About what lies before `rest`, which is the end of `text`.
    pub(super) fn between(what: &'static str, text: &str, rest: &str) -> Self {
        Self::new(what, &text[..text.len() - rest.len()])
    }
}

/// `(?imsU)`
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Flags {
    pub(super) fold: bool,
    multi_line: bool,
    dot_all: bool,
    swap_greed: bool,
}

/// A group that is still open; the whole expression is one, too.
struct Open {
    /// Branches that are complete.
    branches: Vec<Tall>,
    /// The branch that is being read.
    branch: Vec<Tall>,
    /// The number of the group, if it captures.
    number: Option<u32>,
    /// The flags that hold again behind the group.
    flags: Flags,
}

/// A tree and how deep it is, counted as Go does: groups that capture nothing have no node.
struct Tall {
    node: Node,
    height: usize,
}

/// A parser in the middle of an expression.
pub(super) struct Parser<'a> {
    whole: &'a str,
    pub(super) flags: Flags,
    /// Open groups; the first is the expression itself.
    open: Vec<Open>,
    /// The names of the groups that capture, in the order in which they open.
    names: Vec<&'a str>,
    /// Whether what is left may hold the end of a class that is named within brackets.
    pub(super) may_name_classes: bool,
}

/// Reads an expression.
pub(super) fn parse(whole: &str) -> Result<Node, Fault> {
    parse_named(whole).map(|(node, _)| node)
}

/// Reads an expression together with the names of its groups; those without a name have an empty one.
pub(super) fn parse_named(whole: &str) -> Result<(Node, Vec<&str>), Fault> {
    let mut parser = Parser {
        whole,
        flags: Flags::default(),
        open: Vec::new(),
        names: Vec::new(),
        may_name_classes: true,
    };
    parser.begin(None);
    let mut rest = whole;
    // Where the repetition starts that was just read.
    let mut repetition: Option<&str> = None;
    while let Some(character) = rest.chars().next() {
        let before = rest;
        let counted = if character == '{' { count(rest) } else { None };
        let mut repeated = None;
        rest = match (character, counted) {
            ('*' | '+' | '?', _) => {
                let (min, max) = match character {
                    '*' => (0, None),
                    '+' => (1, None),
                    _ => (0, Some(1)),
                };
                repeated = Some(before);
                parser.repeat((min, max, false), before, &rest[1..], repetition)?
            }
            (_, Some((min, max, after))) => {
                let too_big = min > MAX_COUNT || max.is_some_and(|max| max > MAX_COUNT || min > max);
                if too_big {
                    return Err(Fault::between("invalid repeat count", before, after));
                }
                repeated = Some(before);
                // Both are at most a thousand.
                let bounds = (min as u32, max.map(|max| max as u32), true);
                parser.repeat(bounds, before, after, repetition)?
            }
            ('\\', _) => parser.escaped(rest)?,
            ('[', _) => parser.class(rest)?,
            ('(', _) if rest.starts_with("(?") => parser.perl_group(rest)?,
            _ => {
                parser.plain(character)?;
                &rest[character.len_utf8()..]
            }
        };
        repetition = repeated;
    }
    parser.finish()
}

impl<'a> Parser<'a> {
    /// A character that stands alone: a group, a branch, an assertion, or itself.
    fn plain(&mut self, character: char) -> Result<(), Fault> {
        match character {
            '(' => self.begin(Some("")),
            ')' => return self.end(),
            '|' => {
                if let Some(open) = self.open.last_mut() {
                    let branch = joined(std::mem::take(&mut open.branch), Node::Concat);
                    open.branches.push(branch);
                }
            }
            '^' if self.flags.multi_line => self.push(Node::Assertion(Assertion::BeginLine)),
            '^' => self.push(Node::Assertion(Assertion::BeginText)),
            '$' if self.flags.multi_line => self.push(Node::Assertion(Assertion::EndLine)),
            '$' => self.push(Node::Assertion(Assertion::EndText)),
            '.' => self.push(Node::Any { line_feeds: self.flags.dot_all }),
            _ => self.literal(u32::from(character)),
        }
        Ok(())
    }

    pub(super) fn push(&mut self, node: Node) {
        self.push_tall(Tall { node, height: 1 });
    }

    fn push_tall(&mut self, tall: Tall) {
        if let Some(open) = self.open.last_mut() {
            open.branch.push(tall);
        }
    }

    /// A tree around a part of the expression, unless it is deeper than Go takes.
    fn around(&self, part: Tall, node: impl FnOnce(Box<Node>) -> Node) -> Result<Tall, Fault> {
        let height = part.height + 1;
        if height > MAX_HEIGHT {
            return Err(Fault::new("expression nests too deeply", self.whole));
        }
        Ok(Tall { node: node(Box::new(part.node)), height })
    }

    fn literal(&mut self, point: u32) {
        self.push(Node::Literal { point, fold: self.flags.fold });
    }

    /// Opens a group, with its name if it captures.
    fn begin(&mut self, name: Option<&'a str>) {
        self.names.extend(name);
        // An expression is shorter than 4 GiB.
        let number = name.map(|_| self.names.len() as u32);
        self.open.push(Open { branches: Vec::new(), branch: Vec::new(), number, flags: self.flags });
    }

    fn end(&mut self) -> Result<(), Fault> {
        match self.open.pop() {
            Some(open) if !self.open.is_empty() => {
                self.flags = open.flags;
                let number = open.number;
                let inner = open.close();
                let tall = match number {
                    Some(number) => self.around(inner, |node| Node::Capture(number, node))?,
                    None => inner,
                };
                self.push_tall(tall);
                Ok(())
            }
            _ => Err(Fault::new("unexpected )", self.whole)),
        }
    }

    fn finish(mut self) -> Result<(Node, Vec<&'a str>), Fault> {
        let (Some(open), true) = (self.open.pop(), self.open.is_empty()) else {
            return Err(Fault::new("missing closing )", self.whole));
        };
        let Tall { node, height } = open.close();
        if height > MAX_HEIGHT {
            return Err(Fault::new("expression nests too deeply", self.whole));
        }
        if node.size() > MAX_SIZE {
            return Err(Fault::new("expression too large", self.whole));
        }
        Ok((node, self.names))
    }

    /// Repeats what was read last; answers what follows.
    fn repeat(
        &mut self,
        (min, max, is_counted): (u32, Option<u32>, bool),
        before: &str,
        after: &'a str,
        repetition: Option<&str>,
    ) -> Result<&'a str, Fault> {
        let is_marked = after.starts_with('?');
        let after = if is_marked { &after[1..] } else { after };
        if let Some(start) = repetition {
            return Err(Fault::between("invalid nested repetition operator", start, after));
        }
        let Some(part) = self.open.last_mut().and_then(|open| open.branch.pop()) else {
            return Err(Fault::between("missing argument to repetition operator", before, after));
        };
        let lazy = is_marked != self.flags.swap_greed;
        let repeated = self.around(part, |node| Node::Repeat { node, min, max, is_counted, lazy })?;
        let many = is_counted && (min >= 2 || max.is_some_and(|max| max >= 2));
        if many && !repeated.node.repeats_at_most(MAX_COUNT as u32) {
            return Err(Fault::between("invalid repeat count", before, after));
        }
        self.push_tall(repeated);
        Ok(after)
    }

    /// What begins with a backslash, outside of brackets.
    fn escaped(&mut self, text: &'a str) -> Result<&'a str, Fault> {
        let letter = text[1..].chars().next();
        let assertion = match letter {
            Some('A') => Some(Assertion::BeginText),
            Some('z') => Some(Assertion::EndText),
            Some('b') => Some(Assertion::WordBoundary),
            Some('B') => Some(Assertion::NoWordBoundary),
            _ => None,
        };
        if let Some(assertion) = assertion {
            self.push(Node::Assertion(assertion));
            return Ok(&text[2..]);
        }
        match letter {
            Some('C') => return Err(Fault::new("invalid escape sequence", &text[..2])),
            Some('Q') => {
                let (quoted, rest) = text[2..].split_once("\\E").unwrap_or((&text[2..], ""));
                quoted.chars().for_each(|character| self.literal(u32::from(character)));
                return Ok(rest);
            }
            _ => {}
        }
        if let Some((item, rest)) = escaped_class(text)? {
            self.push(Node::Class(Class { items: vec![item], negated: false, fold: self.flags.fold }));
            return Ok(rest);
        }
        let (point, rest) = escape(text)?;
        self.literal(point);
        Ok(rest)
    }

    /// What begins with `(?`: a named group, flags, or a group that captures nothing.
    fn perl_group(&mut self, text: &'a str) -> Result<&'a str, Fault> {
        let name = text.strip_prefix("(?P<").filter(|name| !name.is_empty());
        if let Some(name) = name.or_else(|| text.strip_prefix("(?<").filter(|name| !name.is_empty())) {
            let Some(end) = name.find('>') else { return Err(Fault::new("invalid named capture", text)) };
            let is_valid = |byte: u8| byte == b'_' || byte.is_ascii_alphanumeric();
            if end == 0 || !name[..end].bytes().all(is_valid) {
                return Err(Fault::between("invalid named capture", text, &name[end + 1..]));
            }
            self.begin(Some(&name[..end]));
            return Ok(&name[end + 1..]);
        }
        let mut characters = text[2..].chars();
        let (mut flags, mut value, mut names_flag) = (self.flags, true, false);
        while let Some(character) = characters.next() {
            match character {
                'i' => flags.fold = value,
                'm' => flags.multi_line = value,
                's' => flags.dot_all = value,
                'U' => flags.swap_greed = value,
                '-' if value => {
                    (value, names_flag) = (false, false);
                    continue;
                }
                ':' | ')' if value || names_flag => {
                    // The group gives back the flags that hold in front of it.
                    if character == ':' {
                        self.begin(None);
                    }
                    self.flags = flags;
                    return Ok(characters.as_str());
                }
                _ => {
                    return Err(Fault::between(
                        "invalid or unsupported Perl syntax",
                        text,
                        characters.as_str(),
                    ));
                }
            }
            names_flag = true;
        }
        Err(Fault::new("invalid or unsupported Perl syntax", text))
    }
}

impl Open {
    fn close(mut self) -> Tall {
        let last = joined(self.branch, Node::Concat);
        self.branches.push(last);
        joined(self.branches, Node::Alternate)
    }
}

/// Several parts as one, or the only one.
fn joined(mut parts: Vec<Tall>, join: impl FnOnce(Vec<Node>) -> Node) -> Tall {
    match (parts.len(), parts.pop()) {
        (_, None) => Tall { node: Node::Empty, height: 1 },
        (1, Some(only)) => only,
        (_, Some(last)) => {
            parts.push(last);
            let height = 1 + parts.iter().map(|part| part.height).max().unwrap_or_default();
            Tall { node: join(parts.into_iter().map(|part| part.node).collect()), height }
        }
    }
}

/// The least and the largest count of `{n}`, `{n,}` or `{n,m}`, and what follows; nothing if it is none of them.
fn count(text: &str) -> Option<(u64, Option<u64>, &str)> {
    let (min, rest) = integer(&text[1..])?;
    let (max, rest) = match rest.strip_prefix(',') {
        None => (Some(min), rest),
        Some(rest) if rest.starts_with('}') => (None, rest),
        Some(rest) => integer(rest).map(|(max, rest)| (Some(max), rest))?,
    };
    Some((min, max, rest.strip_prefix('}')?))
}

/// A decimal number without leading zeros; one that is too long is the largest.
fn integer(text: &str) -> Option<(u64, &str)> {
    let length = text.bytes().take_while(u8::is_ascii_digit).count();
    let (digits, rest) = text.split_at(length);
    if digits.is_empty() || (digits.len() > 1 && digits.starts_with('0')) {
        return None;
    }
    Some((digits.parse().unwrap_or(u64::MAX), rest))
}
