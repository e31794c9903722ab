//! Tokens to the tree of a template.
//!
//! Source of the behaviour: `golang/go:src/text/template/parse/parse.go`.

use std::collections::BTreeMap;

use super::error::{Fault, ParseError};
use super::functions::Functions;
use super::literal;
use super::look_ahead::LookAhead;
use super::token::{Keyword, Kind, Token};
use super::tree::{Command, Node, Operand, OperandKind, Pipe, is_empty};

/// Deeper parentheses are refused; the reference allows more than a stack holds here.
const MAX_DEPTH: usize = 200;

/// The templates of a text by name.
pub(super) type Templates = BTreeMap<String, Vec<Node>>;

/// Reads a text as the template of that name, and those that it defines.
pub(super) fn parse(name: &str, text: &str, functions: Functions) -> Result<Templates, ParseError> {
    let mut parser = Parser {
        name,
        tokens: LookAhead::new(text),
        variables: vec!["$".to_owned()],
        action_line: 0,
        range_depth: 0,
        depth: 0,
        templates: Templates::new(),
        functions,
    };
    let root = parser.root()?;
    parser.add(name, root)?;
    Ok(parser.templates)
}

pub(super) struct Parser<'t> {
    name: &'t str,
    pub(super) tokens: LookAhead,
    /// The variables that are known.
    pub(super) variables: Vec<String>,
    action_line: usize,
    pub(super) range_depth: usize,
    depth: usize,
    templates: Templates,
    functions: Functions,
}

/// What ends a list.
#[derive(PartialEq, Eq)]
pub(super) enum ListEnd {
    End,
    Else,
}

enum Item {
    Node(Node),
    End(ListEnd),
}

impl Parser<'_> {
    pub(super) fn error<T>(&self, fault: impl Into<Fault>) -> Result<T, ParseError> {
        Err(ParseError { template: self.name.to_owned(), line: self.tokens.line(), fault: fault.into() })
    }

    pub(super) fn unexpected<T>(&self, token: &Token, context: &str) -> Result<T, ParseError> {
        if token.kind != Kind::Error {
            return self.error(Fault::Unexpected { token: token.shown(), context: context.to_owned() });
        }
        let is_later = self.action_line != 0 && self.action_line != token.line;
        let started = is_later.then(|| {
            let action = if token.text.ends_with(" action") { "" } else { " in action" };
            format!("{action} started at {}:{}", self.name, self.action_line)
        });
        self.error(Fault::Token { error: token.text.clone(), started })
    }

    pub(super) fn expect(&mut self, kind: Kind, context: &str) -> Result<Token, ParseError> {
        let token = self.tokens.next_non_space();
        if token.kind == kind { Ok(token) } else { self.unexpected(&token, context) }
    }

    pub(super) fn add(&mut self, name: &str, nodes: Vec<Node>) -> Result<(), ParseError> {
        if self.templates.get(name).is_none_or(|known| is_empty(known)) {
            self.templates.insert(name.to_owned(), nodes);
        } else if !is_empty(&nodes) {
            return self.error(Fault::DefinedTwice(name.to_owned()));
        }
        Ok(())
    }

    fn root(&mut self) -> Result<Vec<Node>, ParseError> {
        let mut nodes = Vec::new();
        while self.tokens.peek().kind != Kind::End {
            if self.tokens.peek().kind == Kind::LeftDelimiter {
                let delimiter = self.tokens.next();
                if self.tokens.next_non_space().kind == Kind::Keyword(Keyword::Define) {
                    self.definition()?;
                    continue;
                }
                self.tokens.push_back([None, Some(delimiter)]);
            }
            match self.text_or_action()? {
                Item::Node(node) => nodes.push(node),
                Item::End(end) => return self.error(Fault::UnexpectedEnd(end.shown())),
            }
        }
        Ok(nodes)
    }

    fn definition(&mut self) -> Result<(), ParseError> {
        const CONTEXT: &str = "define clause";
        let token = self.tokens.next_non_space();
        let name = self.template_name(&token, CONTEXT)?;
        self.expect(Kind::RightDelimiter, CONTEXT)?;
        let nodes = self.list_of_its_own(CONTEXT)?;
        self.add(&name, nodes)
    }

    /// The list of a template within a template, which knows no variables of the one around it.
    pub(super) fn list_of_its_own(&mut self, context: &str) -> Result<Vec<Node>, ParseError> {
        let variables = std::mem::replace(&mut self.variables, vec!["$".to_owned()]);
        let state = (std::mem::take(&mut self.action_line), std::mem::take(&mut self.range_depth));
        let (nodes, end) = self.list()?;
        if end != ListEnd::End {
            let token = end.shown().to_owned();
            return self.error(Fault::Unexpected { token, context: context.to_owned() });
        }
        self.variables = variables;
        (self.action_line, self.range_depth) = state;
        Ok(nodes)
    }

    pub(super) fn list(&mut self) -> Result<(Vec<Node>, ListEnd), ParseError> {
        let mut nodes = Vec::new();
        while self.tokens.peek_non_space().kind != Kind::End {
            match self.text_or_action()? {
                Item::Node(node) => nodes.push(node),
                Item::End(end) => return Ok((nodes, end)),
            }
        }
        self.error(Fault::UnexpectedEof)
    }

    fn text_or_action(&mut self) -> Result<Item, ParseError> {
        let token = self.tokens.next_non_space();
        match token.kind {
            Kind::Text => Ok(Item::Node(Node::Text(token.text))),
            Kind::LeftDelimiter => {
                self.action_line = token.line;
                self.depth += 1;
                if self.depth > MAX_DEPTH {
                    return self.error(Fault::TooDeep);
                }
                let item = self.action()?;
                self.depth -= 1;
                self.action_line = 0;
                Ok(item)
            }
            _ => self.unexpected(&token, "input"),
        }
    }

    fn action(&mut self) -> Result<Item, ParseError> {
        let token = self.tokens.next_non_space();
        let Kind::Keyword(keyword) = token.kind else {
            self.tokens.backup();
            return Ok(Item::Node(Node::Action(self.pipeline("command", Kind::RightDelimiter)?)));
        };
        let node = match keyword {
            Keyword::Block => self.block()?,
            Keyword::Break => self.loop_control("{{break}}", Node::Break)?,
            Keyword::Continue => self.loop_control("{{continue}}", Node::Continue)?,
            Keyword::Else => {
                // `else if` leaves its `if` for who reads the list.
                let next = self.tokens.peek_non_space().kind;
                if !matches!(next, Kind::Keyword(Keyword::If | Keyword::With)) {
                    self.expect(Kind::RightDelimiter, "else")?;
                }
                return Ok(Item::End(ListEnd::Else));
            }
            Keyword::End => {
                self.expect(Kind::RightDelimiter, "end")?;
                return Ok(Item::End(ListEnd::End));
            }
            Keyword::If => Node::If(self.branch("if")?),
            Keyword::With => Node::With(self.branch("with")?),
            Keyword::Range => Node::Range(self.branch("range")?),
            Keyword::Template => self.template()?,
            Keyword::Dot | Keyword::Nil | Keyword::Define => {
                self.tokens.backup();
                Node::Action(self.pipeline("command", Kind::RightDelimiter)?)
            }
        };
        Ok(Item::Node(node))
    }

    pub(super) fn unquoted(&mut self, token: &Token) -> Result<Vec<u8>, ParseError> {
        literal::unquote(&token.text).map_or_else(|| self.error(Fault::Text), Ok)
    }

    pub(super) fn pipeline(&mut self, context: &str, end: Kind) -> Result<Pipe, ParseError> {
        let mut pipe = Pipe { place: self.tokens.peek_non_space().place, ..Pipe::default() };
        while self.declaration(&mut pipe, context)? {}
        loop {
            let token = self.tokens.next_non_space();
            match token.kind {
                kind if kind == end => {
                    self.check_pipeline(&pipe, context)?;
                    return Ok(pipe);
                }
                Kind::Bool
                | Kind::CharacterConstant
                | Kind::Complex
                | Kind::Keyword(Keyword::Dot | Keyword::Nil)
                | Kind::Field
                | Kind::Identifier
                | Kind::Number
                | Kind::RawString
                | Kind::String
                | Kind::Variable
                | Kind::LeftParenthesis => {
                    self.tokens.backup();
                    let command = self.command()?;
                    pipe.commands.push(command);
                }
                _ => return self.unexpected(&token, context),
            }
        }
    }

    /// A variable that the pipeline sets; true where another may follow.
    fn declaration(&mut self, pipe: &mut Pipe, context: &str) -> Result<bool, ParseError> {
        let variable = self.tokens.peek_non_space();
        if variable.kind != Kind::Variable {
            return Ok(false);
        }
        self.tokens.next();
        let after = self.tokens.peek();
        let next = self.tokens.peek_non_space();
        match next.kind {
            Kind::Assign | Kind::Declare => {
                pipe.assigns = next.kind == Kind::Assign;
                self.tokens.next_non_space();
                pipe.variables.push(variable.text.clone());
                self.variables.push(variable.text);
            }
            Kind::Character if next.text == "," => {
                self.tokens.next_non_space();
                pipe.variables.push(variable.text.clone());
                self.variables.push(variable.text);
                if context == "range" && pipe.variables.len() < 2 {
                    return match self.tokens.peek_non_space().kind {
                        Kind::Variable | Kind::RightDelimiter | Kind::RightParenthesis => Ok(true),
                        _ => self.error(Fault::NoRangeVariable),
                    };
                }
                return self.error(Fault::TooManyDeclarations(context.to_owned()));
            }
            _ if after.kind == Kind::Space => self.tokens.push_back([Some(after), Some(variable)]),
            _ => self.tokens.push_back([None, Some(variable)]),
        }
        Ok(false)
    }

    fn check_pipeline(&self, pipe: &Pipe, context: &str) -> Result<(), ParseError> {
        if pipe.commands.is_empty() {
            return self.error(Fault::MissingValue(context.to_owned()));
        }
        for (stage, command) in pipe.commands.iter().enumerate().skip(1) {
            let first = command.operands.first().map(|operand| &operand.kind);
            if let Some(
                OperandKind::Bool(_)
                | OperandKind::Dot
                | OperandKind::Nil
                | OperandKind::Number(_)
                | OperandKind::Text { .. },
            ) = first
            {
                return self.error(Fault::NotExecutable(stage + 1));
            }
        }
        Ok(())
    }

    fn command(&mut self) -> Result<Command, ParseError> {
        let mut command = Command { place: self.tokens.peek_non_space().place, operands: Vec::new() };
        loop {
            self.tokens.peek_non_space();
            if let Some(operand) = self.operand()? {
                command.operands.push(operand);
            }
            let token = self.tokens.next();
            match token.kind {
                Kind::Space => continue,
                Kind::RightDelimiter | Kind::RightParenthesis => self.tokens.backup(),
                Kind::Pipe => {}
                _ => return self.unexpected(&token, "operand"),
            }
            break;
        }
        if command.operands.is_empty() { self.error(Fault::EmptyCommand) } else { Ok(command) }
    }

    fn operand(&mut self) -> Result<Option<Operand>, ParseError> {
        let Some(mut operand) = self.term()? else { return Ok(None) };
        if self.tokens.peek().kind != Kind::Field {
            return Ok(Some(operand));
        }
        let place = self.tokens.peek().place;
        let mut names = Vec::new();
        while self.tokens.peek().kind == Kind::Field {
            names.push(self.tokens.next().text.trim_start_matches('.').to_owned());
        }
        match &mut operand.kind {
            OperandKind::Field(fields) | OperandKind::Variable(fields) => {
                fields.append(&mut names);
                operand.place = place;
                Ok(Some(operand))
            }
            OperandKind::Function(_) | OperandKind::Pipe(_) | OperandKind::Chain(..) => {
                Ok(Some(Operand { place, kind: OperandKind::Chain(Box::new(operand), names) }))
            }
            _ => self.error(Fault::UnexpectedField(operand.shown())),
        }
    }

    fn term(&mut self) -> Result<Option<Operand>, ParseError> {
        let token = self.tokens.next_non_space();
        let kind = match token.kind {
            Kind::Identifier => {
                if self.functions.find(&token.text).is_none() {
                    return self.error(Fault::UnknownFunction(token.text));
                }
                OperandKind::Function(token.text)
            }
            Kind::Keyword(Keyword::Dot) => OperandKind::Dot,
            Kind::Keyword(Keyword::Nil) => OperandKind::Nil,
            Kind::Variable => {
                if !self.variables.contains(&token.text) {
                    return self.error(Fault::UnknownVariable(token.text));
                }
                OperandKind::Variable(vec![token.text])
            }
            Kind::Field => OperandKind::Field(vec![token.text.trim_start_matches('.').to_owned()]),
            Kind::Bool => OperandKind::Bool(token.text == "true"),
            Kind::CharacterConstant | Kind::Complex | Kind::Number => {
                match literal::number(&token.text, token.kind) {
                    Ok(number) => OperandKind::Number(number),
                    Err(error) => return self.error(error),
                }
            }
            Kind::LeftParenthesis => {
                self.depth += 1;
                if self.depth > MAX_DEPTH {
                    return self.error(Fault::TooDeep);
                }
                let pipe = self.pipeline("parenthesized pipeline", Kind::RightParenthesis)?;
                self.depth -= 1;
                return Ok(Some(Operand { place: pipe.place, kind: OperandKind::Pipe(pipe) }));
            }
            Kind::String | Kind::RawString => {
                let text = self.unquoted(&token)?;
                OperandKind::Text { quoted: token.text, text: text.into() }
            }
            _ => {
                self.tokens.backup();
                return Ok(None);
            }
        };
        Ok(Some(Operand { place: token.place, kind }))
    }
}

impl ListEnd {
    pub(super) fn shown(&self) -> &'static str {
        match self {
            Self::End => "{{end}}",
            Self::Else => "{{else}}",
        }
    }
}
