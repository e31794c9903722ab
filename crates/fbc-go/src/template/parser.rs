//! Tokens to the tree of a template.
//!
//! Source of the behaviour: `golang/go:src/text/template/parse/parse.go`.

use std::collections::BTreeMap;

use crate::text::quote;

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
pub(super) fn parse(name: &str, text: &str, functions: Functions) -> Result<Templates, String> {
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
    pub(super) fn error<T>(&self, message: impl Into<String>) -> Result<T, String> {
        let line = self.tokens.line();
        Err(format!("template: {}:{line}: {}", self.name, message.into()))
    }

    pub(super) fn unexpected<T>(&self, token: &Token, context: &str) -> Result<T, String> {
        if token.kind != Kind::Error {
            return self.error(format!("unexpected {} in {context}", token.shown()));
        }
        let mut extra = String::new();
        if self.action_line != 0 && self.action_line != token.line {
            let action = if token.text.ends_with(" action") { "" } else { " in action" };
            extra = format!("{action} started at {}:{}", self.name, self.action_line);
        }
        self.error(format!("{}{extra}", token.text))
    }

    pub(super) fn expect(&mut self, kind: Kind, context: &str) -> Result<Token, String> {
        let token = self.tokens.next_non_space();
        if token.kind == kind { Ok(token) } else { self.unexpected(&token, context) }
    }

    pub(super) fn add(&mut self, name: &str, nodes: Vec<Node>) -> Result<(), String> {
        if self.templates.get(name).is_none_or(|known| is_empty(known)) {
            self.templates.insert(name.to_owned(), nodes);
        } else if !is_empty(&nodes) {
            return self.error(format!("template: multiple definition of template {}", quote(name)));
        }
        Ok(())
    }

    fn root(&mut self) -> Result<Vec<Node>, String> {
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
                Item::End(end) => return self.error(format!("unexpected {}", end.shown())),
            }
        }
        Ok(nodes)
    }

    fn definition(&mut self) -> Result<(), String> {
        const CONTEXT: &str = "define clause";
        let token = self.tokens.next_non_space();
        let name = self.template_name(&token, CONTEXT)?;
        self.expect(Kind::RightDelimiter, CONTEXT)?;
        let nodes = self.list_of_its_own(CONTEXT)?;
        self.add(&name, nodes)
    }

    /// The list of a template within a template, which knows no variables of the one around it.
    pub(super) fn list_of_its_own(&mut self, context: &str) -> Result<Vec<Node>, String> {
        let variables = std::mem::replace(&mut self.variables, vec!["$".to_owned()]);
        let state = (std::mem::take(&mut self.action_line), std::mem::take(&mut self.range_depth));
        let (nodes, end) = self.list()?;
        if end != ListEnd::End {
            return self.error(format!("unexpected {} in {context}", end.shown()));
        }
        self.variables = variables;
        (self.action_line, self.range_depth) = state;
        Ok(nodes)
    }

    pub(super) fn list(&mut self) -> Result<(Vec<Node>, ListEnd), String> {
        let mut nodes = Vec::new();
        while self.tokens.peek_non_space().kind != Kind::End {
            match self.text_or_action()? {
                Item::Node(node) => nodes.push(node),
                Item::End(end) => return Ok((nodes, end)),
            }
        }
        self.error("unexpected EOF")
    }

    fn text_or_action(&mut self) -> Result<Item, String> {
        let token = self.tokens.next_non_space();
        match token.kind {
            Kind::Text => Ok(Item::Node(Node::Text(token.text))),
            Kind::LeftDelimiter => {
                self.action_line = token.line;
                self.depth += 1;
                if self.depth > MAX_DEPTH {
                    return self.error("max expression depth exceeded");
                }
                let item = self.action()?;
                self.depth -= 1;
                self.action_line = 0;
                Ok(item)
            }
            _ => self.unexpected(&token, "input"),
        }
    }

    fn action(&mut self) -> Result<Item, String> {
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

    pub(super) fn unquoted(&mut self, token: &Token) -> Result<Vec<u8>, String> {
        literal::unquote(&token.text).map_or_else(|| self.error("invalid syntax"), Ok)
    }

    pub(super) fn pipeline(&mut self, context: &str, end: Kind) -> Result<Pipe, String> {
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
    fn declaration(&mut self, pipe: &mut Pipe, context: &str) -> Result<bool, String> {
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
                        _ => self.error("range can only initialize variables"),
                    };
                }
                return self.error(format!("too many declarations in {context}"));
            }
            _ if after.kind == Kind::Space => self.tokens.push_back([Some(after), Some(variable)]),
            _ => self.tokens.push_back([None, Some(variable)]),
        }
        Ok(false)
    }

    fn check_pipeline(&self, pipe: &Pipe, context: &str) -> Result<(), String> {
        if pipe.commands.is_empty() {
            return self.error(format!("missing value for {context}"));
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
                return self.error(format!("non executable command in pipeline stage {}", stage + 1));
            }
        }
        Ok(())
    }

    fn command(&mut self) -> Result<Command, String> {
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
        if command.operands.is_empty() { self.error("empty command") } else { Ok(command) }
    }

    fn operand(&mut self) -> Result<Option<Operand>, String> {
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
            _ => self.error(format!("unexpected . after term {}", quote(&operand.shown()))),
        }
    }

    fn term(&mut self) -> Result<Option<Operand>, String> {
        let token = self.tokens.next_non_space();
        let kind = match token.kind {
            Kind::Identifier => {
                if self.functions.find(&token.text).is_none() {
                    return self.error(format!("function {} not defined", quote(&token.text)));
                }
                OperandKind::Function(token.text)
            }
            Kind::Keyword(Keyword::Dot) => OperandKind::Dot,
            Kind::Keyword(Keyword::Nil) => OperandKind::Nil,
            Kind::Variable => {
                if !self.variables.contains(&token.text) {
                    return self.error(format!("undefined variable {}", quote(&token.text)));
                }
                OperandKind::Variable(vec![token.text])
            }
            Kind::Field => OperandKind::Field(vec![token.text.trim_start_matches('.').to_owned()]),
            Kind::Bool => OperandKind::Bool(token.text == "true"),
            Kind::CharacterConstant | Kind::Complex | Kind::Number => {
                match literal::number(&token.text, token.kind) {
                    Ok(number) => OperandKind::Number(number),
                    Err(message) => return self.error(message),
                }
            }
            Kind::LeftParenthesis => {
                self.depth += 1;
                if self.depth > MAX_DEPTH {
                    return self.error("max expression depth exceeded");
                }
                let pipe = self.pipeline("parenthesized pipeline", Kind::RightParenthesis)?;
                self.depth -= 1;
                return Ok(Some(Operand { place: pipe.place, kind: OperandKind::Pipe(pipe) }));
            }
            Kind::String | Kind::RawString => {
                let text = self.unquoted(&token)?;
                OperandKind::Text { quoted: token.text, text }
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
