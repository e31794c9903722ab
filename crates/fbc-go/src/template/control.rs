//! `if`, `with`, `range`, `block`, `template` and what may stand in them.
//!
//! Source of the behaviour: `golang/go:src/text/template/parse/parse.go`.

use super::error::{Fault, ParseError};
use super::parser::{ListEnd, Parser};
use super::token::{Keyword, Kind, Token};
use super::tree::{Branch, Node};

impl Parser<'_> {
    pub(super) fn loop_control(&mut self, shown: &str, node: Node) -> Result<Node, ParseError> {
        let token = self.tokens.next_non_space();
        if token.kind != Kind::RightDelimiter {
            return self.unexpected(&token, shown);
        }
        if self.range_depth == 0 {
            return self.error(Fault::OutsideRange(shown.to_owned()));
        }
        Ok(node)
    }

    pub(super) fn branch(&mut self, context: &str) -> Result<Branch, ParseError> {
        let known = self.variables.len();
        let pipe = self.pipeline(context, Kind::RightDelimiter)?;
        let is_range = usize::from(context == "range");
        self.range_depth += is_range;
        let (list, end) = self.list()?;
        self.range_depth -= is_range;
        let otherwise = if end == ListEnd::Else { Some(self.otherwise(context)?) } else { None };
        self.variables.truncate(known);
        Ok(Branch { pipe, list, otherwise })
    }

    fn otherwise(&mut self, context: &str) -> Result<Vec<Node>, ParseError> {
        match (context, self.tokens.peek().kind) {
            ("if", Kind::Keyword(Keyword::If)) => {
                self.tokens.next();
                Ok(vec![Node::If(self.branch("if")?)])
            }
            ("with", Kind::Keyword(Keyword::With)) => {
                self.tokens.next();
                Ok(vec![Node::With(self.branch("with")?)])
            }
            _ => {
                let (list, end) = self.list()?;
                if end != ListEnd::End {
                    return self.error(Fault::ExpectedEnd(end.shown()));
                }
                Ok(list)
            }
        }
    }

    pub(super) fn block(&mut self) -> Result<Node, ParseError> {
        const CONTEXT: &str = "block clause";
        let token = self.tokens.next_non_space();
        let name = self.template_name(&token, CONTEXT)?;
        let pipe = self.pipeline(CONTEXT, Kind::RightDelimiter)?;
        let nodes = self.list_of_its_own(CONTEXT)?;
        self.add(&name, nodes)?;
        Ok(Node::Template { place: token.place, name, pipe: Some(pipe) })
    }

    pub(super) fn template(&mut self) -> Result<Node, ParseError> {
        const CONTEXT: &str = "template clause";
        let token = self.tokens.next_non_space();
        let name = self.template_name(&token, CONTEXT)?;
        let mut pipe = None;
        if self.tokens.next_non_space().kind != Kind::RightDelimiter {
            self.tokens.backup();
            pipe = Some(self.pipeline(CONTEXT, Kind::RightDelimiter)?);
        }
        Ok(Node::Template { place: token.place, name, pipe })
    }

    pub(super) fn template_name(&mut self, token: &Token, context: &str) -> Result<String, ParseError> {
        match token.kind {
            Kind::String | Kind::RawString => {
                self.unquoted(token).map(|name| String::from_utf8_lossy(&name).into_owned())
            }
            _ => self.unexpected(token, context),
        }
    }
}
