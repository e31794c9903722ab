//! What a template consists of, and how Go prints its parts in errors.

use std::sync::Arc;

use crate::text::quote;

/// A part of a template.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Node {
    Text(String),
    Action(Pipe),
    If(Branch),
    With(Branch),
    Range(Branch),
    Template { place: usize, name: String, pipe: Option<Pipe> },
    Break,
    Continue,
}

/// `if`, `with` or `range`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Branch {
    pub(super) pipe: Pipe,
    pub(super) list: Vec<Node>,
    pub(super) otherwise: Option<Vec<Node>>,
}

/// Commands, each of which gets the value of the one before.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Pipe {
    pub(super) place: usize,
    /// Whether the variables exist already.
    pub(super) assigns: bool,
    pub(super) variables: Vec<String>,
    pub(super) commands: Vec<Command>,
}

/// An operand with arguments.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Command {
    pub(super) place: usize,
    pub(super) operands: Vec<Operand>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Operand {
    pub(super) place: usize,
    pub(super) kind: OperandKind,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum OperandKind {
    Bool(bool),
    Dot,
    Nil,
    /// `.A.B`
    Field(Vec<String>),
    /// `$x.A`
    Variable(Vec<String>),
    /// A function.
    Function(String),
    Number(Number),
    Text {
        quoted: String,
        text: Arc<[u8]>,
    },
    Pipe(Pipe),
    /// `(pipe).A`
    Chain(Box<Operand>, Vec<String>),
}

/// A number without a type yet.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Number {
    pub(super) text: String,
    pub(super) value: NumberValue,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum NumberValue {
    Int(i64),
    /// Beyond what an `int` holds.
    Uint,
    Float(f64),
}

impl Operand {
    /// As Go prints it.
    pub(super) fn shown(&self) -> String {
        match &self.kind {
            OperandKind::Bool(value) => value.to_string(),
            OperandKind::Dot => ".".to_owned(),
            OperandKind::Nil => "nil".to_owned(),
            OperandKind::Field(names) => format!(".{}", names.join(".")),
            OperandKind::Variable(names) => names.join("."),
            OperandKind::Function(name) => name.clone(),
            OperandKind::Number(number) => number.text.clone(),
            OperandKind::Text { quoted, .. } => quoted.clone(),
            OperandKind::Pipe(pipe) => pipe.shown(),
            OperandKind::Chain(of, names) => match &of.kind {
                OperandKind::Pipe(pipe) => format!("({}).{}", pipe.shown(), names.join(".")),
                _ => format!("{}.{}", of.shown(), names.join(".")),
            },
        }
    }
}

impl Command {
    /// As Go prints it.
    pub(super) fn shown(&self) -> String {
        let operands = self.operands.iter().map(|operand| match &operand.kind {
            OperandKind::Pipe(pipe) => format!("({})", pipe.shown()),
            _ => operand.shown(),
        });
        operands.collect::<Vec<_>>().join(" ")
    }
}

impl Pipe {
    /// As Go prints it.
    pub(super) fn shown(&self) -> String {
        let commands = self.commands.iter().map(Command::shown).collect::<Vec<_>>().join(" | ");
        if self.variables.is_empty() {
            return commands;
        }
        let sign = if self.assigns { "=" } else { ":=" };
        format!("{} {sign} {commands}", self.variables.join(", "))
    }
}

/// A call of a template as Go prints it.
pub(super) fn shown_template(name: &str, pipe: Option<&Pipe>) -> String {
    let pipe = pipe.map(|pipe| format!(" {}", pipe.shown())).unwrap_or_default();
    format!("{{{{template {}{pipe}}}}}", quote(name))
}

/// Whether a template is nothing but blanks, and so may be defined again.
pub(super) fn is_empty(nodes: &[Node]) -> bool {
    nodes.iter().all(|node| matches!(node, Node::Text(text) if text.trim().is_empty()))
}
