//! Tokens of an expression to a tree, with the messages of the reference parser where those are regular.
//!
//! Source: `google/cel-go:parser/parser.go`.

use super::dialect::Dialect;
use super::lexer::{Fault, Token, TokenKind, tokens};
use super::macros::expand;
use super::syntax::{Expr, Field, Node, Operator, is_literal, is_reserved};

/// How deep brackets may nest.
const NESTING: usize = 100;
/// How deep the tree of an expression may be; chains of selections and operators count as well.
const DEPTH: usize = 250;

/// How many characters an expression may have.
const SIZE: usize = 100_000;

/// What an operand may start with, in the words of the reference parser.
const OPERAND: &str = "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";

/// Parses an expression.
pub(crate) fn parse(source: &str, dialect: Dialect) -> Result<Expr, Vec<Fault>> {
    let size = source.chars().count();
    if size > SIZE {
        let message = format!("expression code point size exceeds limit: size: {size}, limit {SIZE}");
        return Err(vec![Fault { at: 0, message }]);
    }
    let (tokens, mut faults) = tokens(source);
    let mut parser = Parser { source, dialect, tokens, next: 0, depth: 0 };
    match parser.expression().and_then(|expression| parser.end().map(|()| expression)) {
        Ok(expression) if faults.is_empty() => Ok(expression),
        Ok(_) => Err(faults),
        Err(fault) => {
            faults.push(fault);
            faults.sort_by_key(|fault| fault.at);
            Err(faults)
        }
    }
}

struct Parser<'s> {
    source: &'s str,
    dialect: Dialect,
    tokens: Vec<Token>,
    next: usize,
    depth: usize,
}

pub(super) type Parsed<T> = Result<T, Fault>;

impl Parser<'_> {
    /// The token to read next; the last one is there for ever.
    fn token(&self) -> Token {
        let end = Token { at: 0, end: 0, kind: TokenKind::End };
        self.tokens.get(self.next).or(self.tokens.last()).cloned().unwrap_or(end)
    }

    fn at_sign(&self, sign: &str) -> bool {
        matches!(self.tokens.get(self.next), Some(Token { kind: TokenKind::Sign(found), .. }) if *found == sign)
    }

    fn take(&mut self, sign: &str) -> bool {
        let found = self.at_sign(sign);
        self.next += usize::from(found);
        found
    }

    /// Takes the sign of an optional part, where the dialect has such.
    fn takes_optional(&mut self) -> Parsed<bool> {
        let at = self.token().at;
        match self.take("?") {
            true if !self.dialect.has_extensions() => Err(fault(at, "unsupported syntax '?'".to_owned())),
            taken => Ok(taken),
        }
    }

    fn expect(&mut self, sign: &str) -> Parsed<()> {
        if self.take(sign) {
            return Ok(());
        }
        let token = self.token();
        let text = self.written(&token);
        Err(fault(token.at, format!("missing '{sign}' at {text}")))
    }

    /// A token as it is written, in quotes.
    fn written(&self, token: &Token) -> String {
        match token.kind {
            TokenKind::End => "'<EOF>'".to_owned(),
            _ => format!("'{}'", self.between(token.at, token.end)),
        }
    }

    fn between(&self, from: usize, to: usize) -> String {
        self.source.chars().skip(from).take(to.saturating_sub(from)).collect()
    }

    fn end(&self) -> Parsed<()> {
        let token = self.token();
        if token.kind == TokenKind::End {
            return Ok(());
        }
        let last = self.tokens.get(self.next + 1).is_none_or(|token| token.kind == TokenKind::End);
        let what = if last { "extraneous" } else { "mismatched" };
        Err(fault(token.at, format!("{what} input {} expecting <EOF>", self.written(&token))))
    }

    fn too_deep(&self) -> Fault {
        Fault { at: self.token().at, message: format!("expression recursion limit exceeded: {DEPTH}") }
    }

    fn limited(&self, expression: Expr) -> Parsed<Expr> {
        if expression.depth > DEPTH { Err(self.too_deep()) } else { Ok(expression) }
    }

    fn expression(&mut self) -> Parsed<Expr> {
        self.depth += 1;
        if self.depth > NESTING {
            return Err(self.too_deep());
        }
        let condition = self.operation(1)?;
        let question = self.token();
        let parsed = if self.take("?") {
            let chosen = self.operation(1)?;
            self.expect(":")?;
            let other = self.expression()?;
            Expr::new(question.at, Node::Conditional(Box::new([condition, chosen, other])))
        } else {
            condition
        };
        self.depth -= 1;
        self.limited(parsed)
    }

    /// Operators that bind at least as tightly as `least`: 1 `||`, 2 `&&`, 3 relations, 4 sums, 5 products.
    fn operation(&mut self, least: u8) -> Parsed<Expr> {
        let mut left = self.unary()?;
        loop {
            let token = self.token();
            let sign = match &token.kind {
                TokenKind::Sign(sign) => *sign,
                TokenKind::Name(name) if name == "in" => "in",
                _ => return Ok(left),
            };
            let strength = match (sign, Operator::read(sign)) {
                ("||", _) => 1,
                ("&&", _) => 2,
                (_, Some(operator)) => operator.strength(),
                _ => return Ok(left),
            };
            if strength < least {
                return Ok(left);
            }
            self.next += 1;
            let right = Box::new(self.operation(strength + 1)?);
            let node = match (sign, Operator::read(sign)) {
                ("||", _) => Node::Or(Box::new(left), right),
                ("&&", _) => Node::And(Box::new(left), right),
                (_, Some(operator)) => Node::Binary(operator, Box::new(left), right),
                _ => return Err(fault(token.at, "unknown operator".to_owned())),
            };
            left = self.limited(Expr::new(token.at, node))?;
        }
    }

    fn unary(&mut self) -> Parsed<Expr> {
        let first = self.token();
        for sign in ["!", "-"] {
            let mut count = 0usize;
            while self.take(sign) {
                count += 1;
            }
            if count == 0 {
                continue;
            }
            let operand = self.member()?;
            if count.is_multiple_of(2) {
                return Ok(operand);
            }
            let node = match operand.node {
                Node::Int(number) if sign == "-" => Node::Int(number.wrapping_neg()),
                Node::Double(number) if sign == "-" => Node::Double(-number),
                _ if sign == "-" => Node::Negate(Box::new(operand)),
                _ => Node::Not(Box::new(operand)),
            };
            return Ok(Expr::new(first.at, node));
        }
        self.member()
    }

    fn member(&mut self) -> Parsed<Expr> {
        let mut of = self.primary()?;
        loop {
            let sign = self.token();
            if self.take(".") {
                let optional = self.takes_optional()?;
                let name = self.token();
                let (TokenKind::Name(field) | TokenKind::QuotedName(field)) = name.kind.clone() else {
                    let input =
                        self.between(sign.at, if name.kind == TokenKind::End { sign.end } else { name.end });
                    return Err(fault(name.at, format!("no viable alternative at input '{input}'")));
                };
                if is_literal(&field) && matches!(name.kind, TokenKind::Name(_)) {
                    let input = self.written(&name);
                    return Err(fault(name.at, format!("mismatched input {input} expecting IDENTIFIER")));
                }
                self.next += 1;
                let open = self.token();
                if !optional && self.take("(") {
                    let arguments = self.list(")")?;
                    let expanded = expand(open.at, Some(of), field, arguments, self.dialect)?;
                    of = self.limited(expanded)?;
                } else {
                    let field = match name.kind {
                        TokenKind::QuotedName(_) => Field { written: field.clone(), meant: field },
                        _ => Field::new(field),
                    };
                    of =
                        self.limited(Expr::new(sign.at, Node::Select { of: Box::new(of), field, optional }))?;
                }
            } else if self.take("[") {
                let optional = self.takes_optional()?;
                let index = Box::new(self.expression()?);
                self.expect("]")?;
                of = self.limited(Expr::new(sign.at, Node::Index { of: Box::new(of), index, optional }))?;
            } else if self.at_sign("{") && self.dialect.has_extensions() && is_object_type(&of) {
                self.next += 1;
                let fields = self.object_literal()?;
                of = self.limited(Expr::new(sign.at, fields))?;
            } else {
                return Ok(of);
            }
        }
    }

    /// `Object.spec{replicas: 1}`: an object with these fields, which evaluates as a map does.
    fn object_literal(&mut self) -> Parsed<Node> {
        let mut entries = Vec::new();
        while !self.at_sign("}") {
            let optional = self.takes_optional()?;
            let name = self.token();
            let (TokenKind::Name(field) | TokenKind::QuotedName(field)) = name.kind.clone() else {
                return Err(self.unexpected(&name));
            };
            self.next += 1;
            self.expect(":")?;
            let key = Expr::new(name.at, Node::Text(Field::new(field).meant));
            entries.push((key, self.expression()?, optional));
            if !self.take(",") {
                break;
            }
        }
        self.expect("}")?;
        Ok(Node::Map(entries))
    }

    fn list(&mut self, close: &str) -> Parsed<Vec<Expr>> {
        let mut items = Vec::new();
        while !self.at_sign(close) {
            items.push(self.expression()?);
            if !self.take(",") {
                break;
            }
        }
        self.expect(close)?;
        Ok(items)
    }

    fn primary(&mut self) -> Parsed<Expr> {
        let token = self.token();
        let at = token.at;
        self.next += 1;
        let node = match token.kind.clone() {
            TokenKind::Int(number) => Node::Int(number),
            TokenKind::Uint(number) => Node::Uint(number),
            TokenKind::Double(number) => Node::Double(number),
            TokenKind::Text(text) => Node::Text(text),
            TokenKind::Bytes(bytes) => Node::Bytes(bytes),
            TokenKind::Name(name) => match name.as_str() {
                "true" => Node::Bool(true),
                "false" => Node::Bool(false),
                "null" => Node::Null,
                "in" => return Err(self.unexpected(&token)),
                _ if is_reserved(&name) => return Err(fault(at, format!("reserved identifier: {name}"))),
                _ => {
                    let open = self.token();
                    if !self.take("(") {
                        return Ok(Expr::new(at, Node::Name(name)));
                    }
                    let arguments = self.list(")")?;
                    return expand(open.at, None, name, arguments, self.dialect);
                }
            },
            TokenKind::Sign("(") => {
                let inner = self.expression()?;
                self.expect(")")?;
                return Ok(inner);
            }
            TokenKind::Sign(".") => {
                let name = self.token();
                let TokenKind::Name(text) = name.kind else { return Err(self.unexpected(&name)) };
                self.next += 1;
                Node::Name(text)
            }
            TokenKind::Sign("[") => self.list_literal()?,
            TokenKind::Sign("{") => self.map_literal()?,
            _ => return Err(self.unexpected(&token)),
        };
        Ok(Expr::new(at, node))
    }

    fn list_literal(&mut self) -> Parsed<Node> {
        let mut items = Vec::new();
        while !self.at_sign("]") {
            let optional = self.takes_optional()?;
            items.push((self.expression()?, optional));
            if !self.take(",") {
                break;
            }
        }
        self.expect("]")?;
        Ok(Node::List(items))
    }

    fn map_literal(&mut self) -> Parsed<Node> {
        let mut entries = Vec::new();
        while !self.at_sign("}") {
            let optional = self.takes_optional()?;
            let key = self.expression()?;
            self.expect(":")?;
            entries.push((key, self.expression()?, optional));
            if !self.take(",") {
                break;
            }
        }
        self.expect("}")?;
        Ok(Node::Map(entries))
    }

    fn unexpected(&self, token: &Token) -> Fault {
        fault(token.at, format!("mismatched input {} expecting {OPERAND}", self.written(token)))
    }
}

pub(super) fn fault(at: usize, message: String) -> Fault {
    Fault { at, message: format!("Syntax error: {message}") }
}

/// Whether an expression names a type whose objects mutating policies make: `Object`, what lies below it, `JSONPatch`.
///
/// Source: `kubernetes/apiserver:pkg/cel/mutation/{typeresolver,jsonpatch}.go`.
fn is_object_type(expression: &Expr) -> bool {
    match &expression.node {
        Node::Name(name) => matches!(name.as_str(), "Object" | "JSONPatch"),
        Node::Select { of, optional: false, .. } => {
            is_object_type(of) && !matches!(&of.node, Node::Name(name) if name == "JSONPatch")
        }
        _ => false,
    }
}
