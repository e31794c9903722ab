//! Expressions of the Common Expression Language as a tree; macros are expanded into loops.

use fbc_go::regexp::Pattern;

/// An expression and where an error about it points to.
#[derive(Debug, Clone)]
pub(crate) struct Expr {
    /// Number of characters before it.
    pub(crate) at: usize,
    /// How many expressions there are from here to the innermost one.
    pub(crate) depth: usize,
    pub(crate) node: Node,
}

impl Expr {
    pub(crate) fn new(at: usize, node: Node) -> Self {
        let mut new = Self { at, depth: 0, node };
        new.depth = 1 + new.parts().iter().map(|part| part.depth).max().unwrap_or_default();
        new
    }

    /// The expressions that it is made of.
    pub(crate) fn parts(&self) -> Vec<&Self> {
        match &self.node {
            Node::Select { of, .. } | Node::Has { of, .. } | Node::Not(of) | Node::Negate(of) => vec![of],
            Node::Index { of, index, .. } => vec![of, index],
            Node::List(items) => items.iter().map(|(item, _)| item).collect(),
            Node::Map(entries) => entries.iter().flat_map(|(key, value, _)| [key, value]).collect(),
            Node::Or(left, right) | Node::And(left, right) | Node::Binary(_, left, right) => {
                vec![left, right]
            }
            Node::Conditional(parts) => parts.iter().collect(),
            Node::Call(call) => call.target.iter().chain(&call.arguments).collect(),
            Node::Loop(each) => each.filter.iter().chain([&each.range, &each.body]).collect(),
            Node::Bind { value, body, .. } => vec![value, body],
            _ => Vec::new(),
        }
    }

    /// Visits it and everything that it is made of.
    pub(crate) fn each<'e>(&'e self, visit: &mut impl FnMut(&'e Self)) {
        visit(self);
        self.parts().into_iter().for_each(|part| part.each(visit));
    }
}

#[derive(Debug, Clone)]
pub(crate) enum Node {
    Null,
    Bool(bool),
    Int(i64),
    Uint(u64),
    Double(f64),
    Text(String),
    Bytes(Vec<u8>),
    Name(String),
    /// `of.field`, or `of.?field`
    Select {
        of: Box<Expr>,
        field: Field,
        optional: bool,
    },
    /// `has(of.field)`
    Has {
        of: Box<Expr>,
        field: Field,
    },
    /// `of[index]`, or `of[?index]`
    Index {
        of: Box<Expr>,
        index: Box<Expr>,
        optional: bool,
    },
    /// Elements, and whether each is optional.
    List(Vec<(Expr, bool)>),
    /// Keys, values, and whether each entry is optional.
    Map(Vec<(Expr, Expr, bool)>),
    Not(Box<Expr>),
    Negate(Box<Expr>),
    Or(Box<Expr>, Box<Expr>),
    And(Box<Expr>, Box<Expr>),
    Conditional(Box<[Expr; 3]>),
    Binary(Operator, Box<Expr>, Box<Expr>),
    Call(Box<Call>),
    Loop(Box<Loop>),
    /// `cel.bind(name, value, body)`
    Bind {
        name: String,
        value: Box<Expr>,
        body: Box<Expr>,
    },
}

/// The name of a field, as it is written and as it is in the object (`__namespace__` is `namespace`).
#[derive(Debug, Clone)]
pub(crate) struct Field {
    pub(crate) written: String,
    pub(crate) meant: String,
}

#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) function: String,
    pub(crate) target: Option<Expr>,
    pub(crate) arguments: Vec<Expr>,
    /// The last argument as a regular expression, if it is a literal and the function takes one.
    pub(crate) pattern: Option<Pattern>,
}

#[derive(Debug, Clone)]
pub(crate) struct Loop {
    pub(crate) kind: LoopKind,
    pub(crate) range: Expr,
    pub(crate) first: String,
    /// The second variable of a loop over indexes and elements, or keys and values.
    pub(crate) second: Option<String>,
    /// What an element must fulfil before the body is looked at.
    pub(crate) filter: Option<Expr>,
    pub(crate) body: Expr,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LoopKind {
    All,
    Exists,
    ExistsOne,
    Filter,
    Map,
    TransformMap,
    SortBy,
    OptMap,
    OptFlatMap,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operator {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    In,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

impl Operator {
    /// The sign in an expression.
    pub(crate) fn read(sign: &str) -> Option<Self> {
        Some(match sign {
            "==" => Self::Equal,
            "!=" => Self::NotEqual,
            "<" => Self::Less,
            "<=" => Self::LessOrEqual,
            ">" => Self::Greater,
            ">=" => Self::GreaterOrEqual,
            "in" => Self::In,
            "+" => Self::Add,
            "-" => Self::Subtract,
            "*" => Self::Multiply,
            "/" => Self::Divide,
            "%" => Self::Remainder,
            _ => return None,
        })
    }

    /// The name of the function that an operator stands for.
    pub(crate) fn function(self) -> &'static str {
        match self {
            Self::Equal => "_==_",
            Self::NotEqual => "_!=_",
            Self::Less => "_<_",
            Self::LessOrEqual => "_<=_",
            Self::Greater => "_>_",
            Self::GreaterOrEqual => "_>=_",
            Self::In => "@in",
            Self::Add => "_+_",
            Self::Subtract => "_-_",
            Self::Multiply => "_*_",
            Self::Divide => "_/_",
            Self::Remainder => "_%_",
        }
    }

    /// How tightly it binds.
    pub(crate) fn strength(self) -> u8 {
        match self {
            Self::Add | Self::Subtract => 4,
            Self::Multiply | Self::Divide | Self::Remainder => 5,
            _ => 3,
        }
    }
}

impl Field {
    pub(crate) fn new(written: String) -> Self {
        let meant = unescape(&written);
        Self { written, meant }
    }
}

/// Words that cannot be names of fields; `__in__` stands for `in`.
const WORDS: &[&str] = &[
    "true",
    "false",
    "null",
    "in",
    "as",
    "break",
    "const",
    "continue",
    "else",
    "for",
    "function",
    "if",
    "import",
    "let",
    "loop",
    "package",
    "namespace",
    "return",
    "var",
    "void",
    "while",
];

/// True for `true`, `false`, `null` and `in`.
pub(crate) fn is_literal(word: &str) -> bool {
    WORDS[..4].contains(&word)
}

/// True for words that are kept back for later versions of the language.
pub(crate) fn is_reserved(word: &str) -> bool {
    WORDS[4..].contains(&word)
}

/// The name of a property behind the name of a field (`kubernetes/apiserver:pkg/cel/escaping.go`).
fn unescape(written: &str) -> String {
    if !written.contains("__") {
        return written.to_owned();
    }
    if let Some(word) = written.strip_prefix("__").and_then(|rest| rest.strip_suffix("__"))
        && WORDS.contains(&word)
    {
        return word.to_owned();
    }
    let mut meant = String::with_capacity(written.len());
    let mut rest = written;
    'next: while let Some(character) = rest.chars().next() {
        for (sign, plain) in
            [("__underscores__", "__"), ("__dot__", "."), ("__dash__", "-"), ("__slash__", "/")]
        {
            if let Some(after) = rest.strip_prefix(sign) {
                meant.push_str(plain);
                rest = after;
                continue 'next;
            }
        }
        meant.push(character);
        rest = &rest[character.len_utf8()..];
    }
    meant
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_fields_are_unescaped() {
        for (written, meant) in [
            ("name", "name"),
            ("__namespace__", "namespace"),
            ("a__dash__b__dot__c", "a-b.c"),
            ("x__underscores__y", "x__y"),
            ("__other__", "__other__"),
        ] {
            assert_eq!(unescape(written), meant);
        }
    }
}
