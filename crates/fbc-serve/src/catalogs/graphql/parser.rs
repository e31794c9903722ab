//! Reads a query.
//!
//! Source: the GraphQL specification of October 2021, section 2; the words of errors are those of
//! `graphql-go/graphql:language/parser/parser.go`.

use super::document::{
    Argument, Directive, Document, Field, Fragment, InlineFragment, Literal, Name, Operation, OperationKind,
    Selection, SelectionSet, Spread, Value, VariableDefinition,
};
use super::lexer::{Lexer, SyntaxFault, Token, TokenKind};
use super::limits::{MOST_NESTING, TooLarge};
use super::types::TypeReference;

/// Why a query cannot be read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ParseFault {
    Syntax(SyntaxFault),
    TooLarge(TooLarge),
}

impl From<SyntaxFault> for ParseFault {
    fn from(fault: SyntaxFault) -> Self {
        Self::Syntax(fault)
    }
}

type Parsed<T> = Result<T, ParseFault>;

/// Reads the operations and fragments of a query.
pub(super) fn parse(text: &str) -> Parsed<Document<'_>> {
    let mut lexer = Lexer::new(text);
    let token = lexer.next()?;
    let mut parser = Parser { lexer, token, nesting: 0 };
    let mut document = Document::default();
    while parser.token.kind != TokenKind::End {
        match parser.token.kind {
            TokenKind::Punctuator("{") => document.operations.push(parser.operation()?),
            TokenKind::Name("query" | "mutation" | "subscription") => {
                document.operations.push(parser.operation()?);
            }
            TokenKind::Name("fragment") => {
                let fragment = parser.fragment()?;
                document.fragment_places.insert(fragment.name.text, document.fragments.len());
                document.fragments.push(fragment);
            }
            _ => return Err(parser.unexpected()),
        }
    }
    Ok(document)
}

struct Parser<'q> {
    lexer: Lexer<'q>,
    /// What comes next.
    token: Token<'q>,
    /// How many sets of fields, values or types are open.
    nesting: usize,
}

impl<'q> Parser<'q> {
    fn advance(&mut self) -> Parsed<Token<'q>> {
        let next = self.lexer.next()?;
        Ok(std::mem::replace(&mut self.token, next))
    }

    fn unexpected(&self) -> ParseFault {
        SyntaxFault::new(self.token.at, format!("Unexpected {}", self.token.kind)).into()
    }

    fn expected(&self, what: &str) -> ParseFault {
        SyntaxFault::new(self.token.at, format!("Expected {what}, found {}", self.token.kind)).into()
    }

    fn is(&self, sign: &str) -> bool {
        matches!(self.token.kind, TokenKind::Punctuator(found) if found == sign)
    }

    fn is_keyword(&self, word: &str) -> bool {
        matches!(self.token.kind, TokenKind::Name(found) if found == word)
    }

    /// Takes a sign if it comes next.
    fn skip(&mut self, sign: &str) -> Parsed<bool> {
        let is_next = self.is(sign);
        if is_next {
            self.advance()?;
        }
        Ok(is_next)
    }

    fn expect(&mut self, sign: &str) -> Parsed<()> {
        if self.skip(sign)? { Ok(()) } else { Err(self.expected(sign)) }
    }

    fn keyword(&mut self, word: &str) -> Parsed<()> {
        if !self.is_keyword(word) {
            return Err(self.expected(&format!("\"{word}\"")));
        }
        self.advance().map(drop)
    }

    fn name(&mut self) -> Parsed<Name<'q>> {
        match self.token.kind {
            TokenKind::Name(text) => {
                let at = self.advance()?.at;
                Ok(Name { text, at })
            }
            _ => Err(self.expected("Name")),
        }
    }

    /// Reads one item after the other until the closing sign; where `some` is wanted, there must be one.
    fn list<T>(
        &mut self,
        [open, close]: [&str; 2],
        some: bool,
        item: impl Fn(&mut Self) -> Parsed<T>,
    ) -> Parsed<Vec<T>> {
        let at = self.token.at;
        self.expect(open)?;
        let mut items = Vec::new();
        while !self.skip(close)? {
            items.push(item(self)?);
        }
        match items.is_empty() && some {
            true => Err(SyntaxFault::new(at, format!("Unexpected empty IN {open}{close}")).into()),
            false => Ok(items),
        }
    }

    /// Reads what may be nested, unless it is nested too deep.
    fn nested<T>(&mut self, fault: TooLarge, read: impl Fn(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.nesting == MOST_NESTING {
            return Err(ParseFault::TooLarge(fault));
        }
        self.nesting += 1;
        let found = read(self);
        self.nesting -= 1;
        found
    }

    fn operation(&mut self) -> Parsed<Operation<'q>> {
        let at = self.token.at;
        let kind = match self.token.kind {
            TokenKind::Name("mutation") => OperationKind::Mutation,
            TokenKind::Name("subscription") => OperationKind::Subscription,
            _ => OperationKind::Query,
        };
        let (mut name, mut variables, mut directives) = (None, Vec::new(), Vec::new());
        if !self.is("{") {
            self.advance()?;
            name = if self.is("(") || self.is("@") || self.is("{") { None } else { Some(self.name()?) };
            if self.is("(") {
                variables = self.list(["(", ")"], true, Self::variable_definition)?;
            }
            directives = self.directives(false)?;
        }
        Ok(Operation { at, kind, name, variables, directives, selections: self.selection_set()? })
    }

    fn fragment(&mut self) -> Parsed<Fragment<'q>> {
        let at = self.token.at;
        self.keyword("fragment")?;
        if self.is_keyword("on") {
            return Err(self.unexpected());
        }
        let name = self.name()?;
        self.keyword("on")?;
        let condition = self.name()?;
        let directives = self.directives(false)?;
        Ok(Fragment { at, name, condition, directives, selections: self.selection_set()? })
    }

    fn variable_definition(&mut self) -> Parsed<VariableDefinition<'q>> {
        let at = self.token.at;
        self.expect("$")?;
        let name = self.name()?;
        self.expect(":")?;
        let (of, type_at) = self.type_reference()?;
        let default = if self.skip("=")? { Some(self.value(true)?) } else { None };
        let directives = self.directives(true)?;
        Ok(VariableDefinition { at, name, of, type_at, default, directives })
    }

    /// Reads a type, and where its innermost name begins.
    fn type_reference(&mut self) -> Parsed<(TypeReference, usize)> {
        self.nested(TooLarge::Nesting, |parser| {
            let (of, at) = if parser.skip("[")? {
                let (of, at) = parser.type_reference()?;
                parser.expect("]")?;
                (TypeReference::List(Box::new(of)), at)
            } else {
                let name = parser.name()?;
                (TypeReference::Named(name.text.to_owned()), name.at)
            };
            Ok((if parser.skip("!")? { TypeReference::NonNull(Box::new(of)) } else { of }, at))
        })
    }

    fn selection_set(&mut self) -> Parsed<SelectionSet<'q>> {
        let at = self.token.at;
        // Nobody may ask as deep as this, so the refusal is the one of a query that is too deep.
        let items = self.nested(TooLarge::Depth, |parser| parser.list(["{", "}"], true, Self::selection))?;
        Ok(SelectionSet { at, items })
    }

    fn selection(&mut self) -> Parsed<Selection<'q>> {
        let at = self.token.at;
        if !self.skip("...")? {
            return self.field().map(Selection::Field);
        }
        if matches!(self.token.kind, TokenKind::Name(name) if name != "on") {
            let name = self.name()?;
            return Ok(Selection::Spread(Spread { at, name, directives: self.directives(false)? }));
        }
        let condition = if self.is_keyword("on") {
            self.advance()?;
            Some(self.name()?)
        } else {
            None
        };
        let directives = self.directives(false)?;
        let selections = self.selection_set()?;
        Ok(Selection::Inline(InlineFragment { at, condition, directives, selections }))
    }

    fn field(&mut self) -> Parsed<Field<'q>> {
        let at = self.token.at;
        let mut name = self.name()?;
        let mut alias = None;
        if self.skip(":")? {
            alias = Some(std::mem::replace(&mut name, self.name()?));
        }
        let arguments = self.arguments(false)?;
        let directives = self.directives(false)?;
        let selections = if self.is("{") { Some(self.selection_set()?) } else { None };
        Ok(Field { at, alias, name, arguments, directives, selections })
    }

    fn directives(&mut self, is_constant: bool) -> Parsed<Vec<Directive<'q>>> {
        let mut directives = Vec::new();
        while self.is("@") {
            let at = self.advance()?.at;
            let name = self.name()?;
            directives.push(Directive { at, name, arguments: self.arguments(is_constant)? });
        }
        Ok(directives)
    }

    fn arguments(&mut self, is_constant: bool) -> Parsed<Vec<Argument<'q>>> {
        if !self.is("(") {
            return Ok(Vec::new());
        }
        self.list(["(", ")"], true, |parser| {
            let name = parser.name()?;
            parser.expect(":")?;
            Ok(Argument { name, value: parser.value(is_constant)? })
        })
    }

    /// Reads a value; a constant holds no variables.
    fn value(&mut self, is_constant: bool) -> Parsed<Value<'q>> {
        self.nested(TooLarge::Nesting, |parser| {
            let at = parser.token.at;
            let literal = match parser.token.kind {
                TokenKind::Punctuator("[") => {
                    Literal::List(parser.list(["[", "]"], false, |parser| parser.value(is_constant))?)
                }
                TokenKind::Punctuator("{") => Literal::Object(parser.list(["{", "}"], false, |parser| {
                    let name = parser.name()?;
                    parser.expect(":")?;
                    Ok((name, parser.value(is_constant)?))
                })?),
                TokenKind::Punctuator("$") if !is_constant => {
                    parser.advance()?;
                    Literal::Variable(parser.name()?.text)
                }
                TokenKind::End | TokenKind::Punctuator(_) => return Err(parser.unexpected()),
                _ => match parser.advance()?.kind {
                    TokenKind::Int(text) => Literal::Int(text),
                    TokenKind::Float(text) => Literal::Float(text),
                    TokenKind::String(text) | TokenKind::BlockString(text) => Literal::String(text),
                    TokenKind::Name("true") => Literal::Boolean(true),
                    TokenKind::Name("false") => Literal::Boolean(false),
                    TokenKind::Name("null") => Literal::Null,
                    TokenKind::Name(name) => Literal::Enum(name),
                    TokenKind::End | TokenKind::Punctuator(_) => Literal::Null,
                },
            };
            Ok(Value { at, literal })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_read() {
        let text = "query a($n: [Int!]! = [1] @x, $s: String) @y(z: 1) {\n  one: f(a: $n, b: {c: [null, E, 1.5]}) { g }\n  \
                    ... on T @include(if: true) { h }\n  ... @skip(if: $s) { i }\n  ...F @x\n}\n\
                    fragment F on T { type on fragment } { query }";
        let document = parse(text).unwrap();
        let [first, second] = &document.operations[..] else { panic!("{document:?}") };
        assert_eq!((first.at, first.name.unwrap().text, first.kind), (0, "a", OperationKind::Query));
        let [n, s] = &first.variables[..] else { panic!("{first:?}") };
        assert_eq!((n.name.text, n.of.to_string(), n.type_at), ("n", "[Int!]!".to_owned(), 13));
        assert_eq!((s.at, n.default.as_ref().map(ToString::to_string)), (30, Some("[1]".to_owned())));
        let [
            Selection::Field(field),
            Selection::Inline(on),
            Selection::Inline(bare),
            Selection::Spread(spread),
        ] = &first.selections.items[..]
        else {
            panic!("{first:?}")
        };
        assert_eq!((field.key(), field.name.text, field.arguments.len()), ("one", "f", 2));
        assert_eq!(field.arguments[1].value.to_string(), "{c: [null, E, 1.5]}");
        assert_eq!((on.condition.unwrap().text, bare.condition.is_none()), ("T", true));
        assert_eq!((spread.name.text, spread.directives.len()), ("F", 1));
        assert_eq!(document.fragment("F").unwrap().selections.items.len(), 3);
        assert_eq!(second.name.map(|name| name.text), None);
        assert!(document.fragment("G").is_none());
    }

    #[test]
    fn wrong_documents_are_refused() {
        for (text, at, words) in [
            ("{", 1, "Expected Name, found EOF"),
            ("{}", 0, "Unexpected empty IN {}"),
            ("{a(}", 3, "Expected Name, found }"),
            ("{a()}", 2, "Unexpected empty IN ()"),
            ("{a(b 1)}", 5, "Expected :, found Int \"1\""),
            ("{a(b: )}", 6, "Unexpected )"),
            ("{a(b: $)}", 7, "Expected Name, found )"),
            ("{...}", 4, "Expected {, found }"),
            ("{... on}", 7, "Expected Name, found }"),
            ("fragment on on T {a}", 9, "Unexpected Name \"on\""),
            ("fragment F in T {a}", 11, "Expected \"on\", found Name \"in\""),
            ("query ($a: Int = $b) {a}", 17, "Unexpected $"),
            ("query ($a Int) {a}", 10, "Expected :, found Name \"Int\""),
            ("query ($a: [Int) {a}", 15, "Expected ], found )"),
            ("type A { a: Int }", 0, "Unexpected Name \"type\""),
            ("query \"a\" {a}", 6, "Expected Name, found String \"a\""),
            ("{a} 1", 4, "Unexpected Int \"1\""),
            ("{a ? }", 3, "Unexpected character \"?\"."),
        ] {
            let fault = SyntaxFault::new(at, words);
            assert_eq!(parse(text).unwrap_err(), ParseFault::Syntax(fault), "{text}");
        }
    }

    #[test]
    fn nesting_is_bounded() {
        let around =
            |open: &str, count: usize, close: &str| format!("{}{}", open.repeat(count), close.repeat(count));
        for (text, fault) in [
            (around("{a", MOST_NESTING, "}"), None),
            (around("{a", 50_000, "}"), Some(TooLarge::Depth)),
            (around("{...", 25_000, "}"), Some(TooLarge::Depth)),
            (format!("{{a(b: {})}}", around("[", MOST_NESTING - 1, "]")), None),
            (format!("{{a(b: {})}}", around("[", 50_000, "]")), Some(TooLarge::Nesting)),
            (format!("{{a(b: {})}}", "{a:".repeat(30_000)), Some(TooLarge::Nesting)),
            (format!("query ($a: {} {{a}}", "[".repeat(90_000)), Some(TooLarge::Nesting)),
        ] {
            assert_eq!(parse(&text).err(), fault.map(ParseFault::TooLarge), "{} bytes", text.len());
        }
    }
}
