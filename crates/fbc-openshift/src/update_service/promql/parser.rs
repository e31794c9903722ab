//! From the words of PromQL to an expression whose types fit.
//!
//! Source: `prometheus/prometheus:promql/parser/generated_parser.y` and `parse.go`.

mod selector;

use std::slice::Iter;

use super::aggregation_parameter;
use super::expression::{Aggregation, Binary, Expression, Labels, Many, Operator, Type};
use super::function::signature;
use super::lexer::{Token, tokens};
use super::syntax_error::{SyntaxError, refuse};

/// Expressions nest no deeper than this.
const DEEPEST: usize = 200;

/// Reads an expression.
///
/// # Errors
/// [`SyntaxError`]
pub(in super::super) fn parse(text: &str) -> Result<Expression, SyntaxError> {
    let tokens = tokens(text)?;
    let mut parser = Parser { rest: tokens.iter(), depth: 0 };
    if tokens.is_empty() {
        return refuse("no expression found in input");
    }
    let expression = parser.expression(0)?;
    match parser.peek() {
        None => Ok(expression),
        Some(token) => refuse(format!("unexpected {}", shown(Some(token)))),
    }
}

/// A word as errors show it.
fn shown(token: Option<&Token>) -> String {
    match token {
        None => "end of input".to_owned(),
        Some(Token::Word(word)) => format!("{word:?}"),
        Some(Token::Number(number)) => format!("number {number}"),
        Some(Token::Duration) => "duration".to_owned(),
        Some(Token::Text(text)) => format!("string {text:?}"),
        Some(Token::Sign(sign)) => format!("{sign:?}"),
    }
}

struct Parser<'t> {
    rest: Iter<'t, Token>,
    depth: usize,
}

impl<'t> Parser<'t> {
    fn peek(&self) -> Option<&'t Token> {
        self.rest.as_slice().first()
    }

    /// Takes a sign, if it comes next.
    fn takes(&mut self, sign: &str) -> bool {
        let is_next = matches!(self.peek(), Some(Token::Sign(next)) if *next == sign);
        if is_next {
            self.rest.next();
        }
        is_next
    }

    /// Takes a keyword, if it comes next.
    fn takes_word(&mut self, word: &str) -> bool {
        let is_next = matches!(self.peek(), Some(Token::Word(next)) if next.eq_ignore_ascii_case(word));
        if is_next {
            self.rest.next();
        }
        is_next
    }

    fn expect(&mut self, sign: &str) -> Result<(), SyntaxError> {
        if self.takes(sign) { Ok(()) } else { self.unexpected(&format!("{sign:?}")) }
    }

    fn unexpected<T>(&self, expected: &str) -> Result<T, SyntaxError> {
        refuse(format!("unexpected {}, expected {expected}", shown(self.peek())))
    }

    /// The operator that comes next.
    fn operator(&self) -> Option<Operator> {
        let found = |word: &str| Operator::ALL.into_iter().find(|(name, _)| word.eq_ignore_ascii_case(name));
        match self.peek()? {
            Token::Sign(sign) => found(sign).map(|(_, operator)| operator),
            Token::Word(word) => found(word).map(|(_, operator)| operator),
            _ => None,
        }
    }

    /// An expression whose operators bind tighter than that.
    fn expression(&mut self, loosest: u8) -> Result<Expression, SyntaxError> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return refuse("the query is nested too deeply");
        }
        let mut left = self.operand()?;
        while let Some(operator) = self.operator().filter(|operator| operator.precedence() > loosest) {
            self.rest.next();
            left = self.binary(operator, left)?;
        }
        self.depth -= 1;
        Ok(left)
    }

    /// What follows an operator: how both sides belong together, and the other side.
    fn binary(&mut self, operator: Operator, left: Expression) -> Result<Expression, SyntaxError> {
        let returns_bool = self.takes_word("bool");
        if returns_bool && !operator.is_comparison() {
            return refuse("bool modifier can only be used on comparison operators");
        }
        let matching = self.labels_behind("on", "ignoring")?;
        let is_right = self.takes_word("group_right");
        let many = match is_right || self.takes_word("group_left") {
            true if matching.is_none() => return self.unexpected("on or ignoring before a grouping"),
            true if operator.is_set() => {
                return refuse(format!("no grouping allowed for {:?} operation", operator.to_string()));
            }
            true if matches!(self.peek(), Some(Token::Sign("("))) => {
                Some(Many { is_right, labels: self.labels()? })
            }
            true => Some(Many { is_right, labels: Vec::new() }),
            false => None,
        };
        // A power is that of a power to its right.
        let right = self.expression(operator.precedence() - u8::from(operator == Operator::Power))?;
        match (left.kind(), right.kind()) {
            (Type::Scalar, Type::Scalar) if operator.is_comparison() && !returns_bool => {
                return refuse("comparisons between scalars must use BOOL modifier");
            }
            (Type::Scalar, Type::Scalar | Type::Vector) | (Type::Vector, Type::Scalar)
                if operator.is_set() =>
            {
                return refuse(format!(
                    "set operator {:?} not allowed in binary scalar expression",
                    operator.to_string()
                ));
            }
            (Type::Scalar | Type::Vector, Type::Scalar | Type::Vector) => {}
            _ => {
                return refuse("binary expression must contain only scalar and instant vector types");
            }
        }
        let binary = Binary { operator, left, right, returns_bool, matching, many };
        Ok(Expression::Binary(Box::new(binary)))
    }

    /// An expression without an operator between two others, with what may follow it.
    fn operand(&mut self) -> Result<Expression, SyntaxError> {
        let is_negative = self.takes("-");
        if is_negative || self.takes("+") {
            // A sign binds as a product does, so that a power is taken first.
            let of = self.expression(Operator::Times.precedence())?;
            if !matches!(of.kind(), Type::Scalar | Type::Vector) {
                return refuse(format!(
                    "unary expression only allowed on expressions of type scalar or instant vector, got {}",
                    of.kind()
                ));
            }
            return Ok(if is_negative { Expression::Negation(Box::new(of)) } else { of });
        }
        let mut operand = self.primary()?;
        loop {
            operand = if self.takes("[") {
                self.range(operand)?
            } else if self.takes_word("offset") {
                self.takes("-");
                match self.rest.next() {
                    Some(Token::Duration | Token::Number(_)) => operand,
                    other => {
                        return refuse(format!("unexpected {} in offset, expected duration", shown(other)));
                    }
                }
            } else if self.takes("@") {
                self.moment()?;
                operand
            } else {
                return Ok(operand);
            };
        }
    }

    /// A range behind an expression: `[5m]` behind a selector, `[1h:]` or `[1h:5m]` behind anything.
    fn range(&mut self, of: Expression) -> Result<Expression, SyntaxError> {
        if !matches!(self.rest.next(), Some(Token::Duration | Token::Number(_))) {
            return refuse("unexpected word in a range, expected duration");
        }
        if self.takes(":") {
            if matches!(self.peek(), Some(Token::Duration | Token::Number(_))) {
                self.rest.next();
            }
            self.expect("]")?;
            return match of.kind() {
                Type::Vector => Ok(Expression::Subquery(Box::new(of))),
                kind => refuse(format!("subquery is only allowed on instant vector, got {kind} instead")),
            };
        }
        self.expect("]")?;
        match of {
            Expression::Selector { selector, is_range: false } => {
                Ok(Expression::Selector { selector, is_range: true })
            }
            _ => refuse("ranges only allowed for vector selectors"),
        }
    }

    /// What follows `@`: a moment, or the start or the end of the query.
    fn moment(&mut self) -> Result<(), SyntaxError> {
        if self.takes_word("start") || self.takes_word("end") {
            self.expect("(")?;
            return self.expect(")");
        }
        self.takes("-");
        match self.rest.next() {
            Some(Token::Number(_)) => Ok(()),
            other => refuse(format!("unexpected {}, expected timestamp", shown(other))),
        }
    }

    fn primary(&mut self) -> Result<Expression, SyntaxError> {
        match self.peek() {
            Some(Token::Number(number)) => {
                self.rest.next();
                Ok(Expression::Number(*number))
            }
            Some(Token::Text(text)) => {
                self.rest.next();
                Ok(Expression::Text(text.clone()))
            }
            Some(Token::Sign("(")) => {
                self.rest.next();
                let inner = self.expression(0)?;
                self.expect(")")?;
                Ok(inner)
            }
            Some(Token::Sign("{")) => self.selector(None),
            Some(Token::Word(word)) => {
                self.rest.next();
                let operation = word.to_ascii_lowercase();
                let is_grouped = ["by", "without"].iter().any(|keyword| self.is_word(keyword));
                match (aggregation_parameter(&operation), self.peek()) {
                    (Some(parameter), Some(Token::Sign("("))) => self.aggregation(operation, parameter),
                    (Some(parameter), _) if is_grouped => self.aggregation(operation, parameter),
                    (None, Some(Token::Sign("("))) => self.call(word),
                    _ => self.selector(Some(word.clone())),
                }
            }
            _ => self.unexpected("an expression"),
        }
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), Some(Token::Word(next)) if next.eq_ignore_ascii_case(word))
    }

    /// An aggregation behind its name: the labels of its groups stand in front or at the end.
    fn aggregation(&mut self, operation: String, parameter: Option<Type>) -> Result<Expression, SyntaxError> {
        let in_front = self.labels_behind("by", "without")?;
        let mut arguments = self.arguments()?;
        let grouping = match in_front {
            Some(labels) => Some(labels),
            None => self.labels_behind("by", "without")?,
        };
        let wanted = 1 + usize::from(parameter.is_some());
        if arguments.len() != wanted {
            return refuse(format!(
                "wrong number of arguments for aggregate expression provided, expected {wanted}, got {}",
                arguments.len()
            ));
        }
        let place = "aggregation expression";
        let of =
            arguments.pop().map_or_else(|| refuse("no arguments for aggregate expression provided"), Ok)?;
        fits(&of, Type::Vector, place)?;
        let given = arguments.pop();
        if let (Some(given), Some(kind)) = (&given, parameter) {
            fits(given, kind, place)?;
        }
        Ok(Expression::Aggregation(Box::new(Aggregation { operation, of, parameter: given, grouping })))
    }

    fn call(&mut self, name: &str) -> Result<Expression, SyntaxError> {
        let function =
            signature(name).ok_or_else(|| SyntaxError(format!("the function {name} is not known here")))?;
        let arguments = self.arguments()?;
        let most = if function.is_open { usize::MAX } else { function.arguments.len() };
        if !(function.required..=most).contains(&arguments.len()) {
            return refuse(format!(
                "expected {} argument(s) in call to {name:?}, got {}",
                function.required,
                arguments.len()
            ));
        }
        for (index, argument) in arguments.iter().enumerate() {
            let kind = function.arguments.get(index).or(function.arguments.last());
            fits(argument, kind.copied().unwrap_or(Type::Vector), &format!("call to function {name:?}"))?;
        }
        Ok(Expression::Call { function, arguments })
    }

    /// Expressions in brackets.
    fn arguments(&mut self) -> Result<Vec<Expression>, SyntaxError> {
        self.expect("(")?;
        let mut arguments = Vec::new();
        while !self.takes(")") {
            if !arguments.is_empty() {
                self.expect(",")?;
            }
            arguments.push(self.expression(0)?);
        }
        Ok(arguments)
    }

    /// Labels behind one of two keywords: those that count, or those that do not.
    fn labels_behind(&mut self, only: &str, without: &str) -> Result<Option<Labels>, SyntaxError> {
        if self.takes_word(only) {
            return self.labels().map(|labels| Some(Labels::Only(labels)));
        }
        if self.takes_word(without) {
            return self.labels().map(|labels| Some(Labels::Without(labels)));
        }
        Ok(None)
    }

    /// Names of labels in brackets.
    fn labels(&mut self) -> Result<Vec<String>, SyntaxError> {
        self.expect("(")?;
        let mut labels = Vec::new();
        while !self.takes(")") {
            match self.rest.next() {
                Some(Token::Word(label) | Token::Text(label)) => labels.push(label.clone()),
                other => {
                    return refuse(format!("unexpected {} in grouping opts, expected label", shown(other)));
                }
            }
            if !self.takes(",") {
                self.expect(")")?;
                break;
            }
        }
        Ok(labels)
    }
}

/// Refuses a part whose value is of another type.
fn fits(part: &Expression, wanted: Type, place: &str) -> Result<(), SyntaxError> {
    let kind = part.kind();
    if kind == wanted { Ok(()) } else { refuse(format!("expected type {wanted} in {place}, got {kind}")) }
}

#[cfg(test)]
mod tests;
