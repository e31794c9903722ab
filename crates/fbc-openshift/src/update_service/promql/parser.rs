//! From the words of PromQL to an expression whose types fit.
//!
//! Source: `prometheus/prometheus:promql/parser/generated_parser.y` and `parse.go`, without what is not evaluated.

mod call;
mod combination;
mod range;
mod selector;

#[cfg(test)]
pub(super) use self::call::NOT_EVALUATED as AGGREGATIONS_NOT_EVALUATED;

use std::slice::Iter;

use self::combination::Combination;
use super::expression::{Expression, Vector};
use super::lexer::{Token, tokens};
use super::operator::Operator;
use super::pattern::Patterns;
use super::syntax_error::{Excess, MOST_BYTES, SyntaxError, refuse};

/// Words that name no metric: they stand behind operators, or are one.
const NO_METRICS: [&str; 6] = ["atan2", "bool", "group_left", "group_right", "ignoring", "on"];
/// Other words that are not only names.
const KEYWORDS: [&str; 8] =
    ["bool", "by", "group_left", "group_right", "ignoring", "offset", "on", "without"];

/// Reads an expression.
///
/// # Errors
/// [`SyntaxError`]
pub(in super::super) fn parse(text: &str) -> Result<Expression, SyntaxError> {
    if text.len() > MOST_BYTES {
        return Err(SyntaxError::Excess(Excess::Bytes));
    }
    let tokens = tokens(text)?;
    if tokens.is_empty() {
        return refuse("no expression found in input");
    }
    // Each call of `expression` within another has taken an operator or a bracket, of which there are few.
    let mut parser = Parser { rest: tokens.iter(), patterns: Patterns::default() };
    let expression = parser.expression(0)?;
    match parser.peek() {
        None => Ok(expression),
        Some(token) => refuse(format!("unexpected {}", shown(Some(token)))),
    }
}

/// A word as errors show it.
fn shown(token: Option<&Token>) -> String {
    let is_in = |words: &[&str], word: &str| words.iter().any(|one| word.eq_ignore_ascii_case(one));
    match token {
        None => "end of input".to_owned(),
        Some(Token::Word(word)) if is_in(&KEYWORDS, word) => format!("<{word}>"),
        Some(Token::Word(word)) if call::aggregation(word).is_some() => format!("<aggr:{word}>"),
        Some(Token::Word(word)) if Operator::written(word).is_some() => format!("<op:{word}>"),
        Some(Token::Word(word)) if word.contains(':') => format!("metric identifier {word:?}"),
        Some(Token::Word(word)) => format!("identifier {word:?}"),
        Some(Token::Number(_, word)) if word.ends_with(['s', 'm', 'h', 'd', 'w', 'y']) => {
            format!("duration {word:?}")
        }
        Some(Token::Number(_, word)) => format!("number {word:?}"),
        Some(Token::Text(text)) => format!("string {text:?}"),
        Some(Token::Punctuation(sign @ ("(" | ")" | "{" | "}" | "[" | "]" | "," | ":" | "="))) => {
            format!("{sign:?}")
        }
        Some(Token::Punctuation(sign)) => format!("<op:{sign}>"),
    }
}

struct Parser<'t> {
    rest: Iter<'t, Token>,
    patterns: Patterns,
}

impl<'t> Parser<'t> {
    fn peek(&self) -> Option<&'t Token> {
        self.rest.as_slice().first()
    }

    fn is_next(&self, sign: &str) -> bool {
        matches!(self.peek(), Some(Token::Punctuation(next)) if *next == sign)
    }

    fn is_next_word(&self, word: &str) -> bool {
        matches!(self.peek(), Some(Token::Word(next)) if next.eq_ignore_ascii_case(word))
    }

    /// Takes a sign, if it comes next.
    fn takes(&mut self, sign: &str) -> bool {
        let is_next = self.is_next(sign);
        if is_next {
            self.rest.next();
        }
        is_next
    }

    /// Takes a keyword, if it comes next.
    fn takes_word(&mut self, word: &str) -> bool {
        let is_next = self.is_next_word(word);
        if is_next {
            self.rest.next();
        }
        is_next
    }

    /// Takes a sign, which must come next.
    fn expect(&mut self, sign: &str, context: &str) -> Result<(), SyntaxError> {
        if self.takes(sign) { Ok(()) } else { self.unexpected(context, &format!("{sign:?}")) }
    }

    /// Refuses what comes next.
    fn unexpected<T>(&self, context: &str, expected: &str) -> Result<T, SyntaxError> {
        let place = if context.is_empty() { String::new() } else { format!(" in {context}") };
        refuse(format!("unexpected {}{place}, expected {expected}", shown(self.peek())))
    }

    /// The operator that comes next.
    fn operator(&self) -> Option<Operator> {
        match self.peek()? {
            Token::Punctuation(text) => Operator::written(text),
            Token::Word(text) => Operator::written(text),
            _ => None,
        }
    }

    /// An expression whose operators bind tighter than that.
    fn expression(&mut self, loosest: u8) -> Result<Expression, SyntaxError> {
        let mut left = self.operand()?;
        while let Some(operator) = self.operator().filter(|operator| operator.precedence() > loosest) {
            self.rest.next();
            let combination = self.combination(operator)?;
            // A power is that of a power to its right.
            let right = self.expression(operator.precedence() - u8::from(operator == Operator::POWER))?;
            left = combination.of(left, right)?;
        }
        Ok(left)
    }

    /// What may stand between an operator and its right side: how both sides belong together.
    fn combination(&mut self, operator: Operator) -> Result<Combination, SyntaxError> {
        self.refuse_word("bool")?;
        let matching = self.labels_behind("on", "ignoring")?;
        self.refuse_word("group_right")?;
        let mut many = None;
        if matching.is_some() && self.takes_word("group_left") {
            many = Some(if self.is_next("(") { self.labels()? } else { Vec::new() });
        }
        Ok(Combination { operator, matching, many })
    }

    /// An expression without an operator between two others, with what may follow it.
    fn operand(&mut self) -> Result<Expression, SyntaxError> {
        let is_negative = self.takes("-");
        if is_negative || self.takes("+") {
            // A sign binds as a product does, so that a power is taken first.
            let of = self.expression(Operator::TIMES.precedence())?;
            return match of {
                Expression::Scalar(number) if is_negative => Ok(Expression::Scalar(-number)),
                Expression::Vector(of) if is_negative => {
                    Ok(Expression::Vector(Vector::Negation(Box::new(of))))
                }
                Expression::Vector(of) => Ok(Expression::Vector(Vector::Plus(Box::new(of)))),
                Expression::Scalar(_) => Ok(of),
                Expression::Text(_) | Expression::Range(_) => refuse(format!(
                    "unary expression only allowed on expressions of type scalar or instant vector, got {:?}",
                    of.kind().to_string()
                )),
            };
        }
        let is_bracketed = self.is_next("(");
        let operand = self.primary()?;
        let operand = if self.takes("[") { self.range(operand, !is_bracketed)? } else { operand };
        self.refuse_word("offset")?;
        self.refuse_word("atan2")?;
        if self.is_next("@") { refuse("@ is not evaluated here") } else { Ok(operand) }
    }

    fn primary(&mut self) -> Result<Expression, SyntaxError> {
        match self.peek() {
            Some(Token::Number(number, _)) => {
                self.rest.next();
                Ok(Expression::Scalar(*number))
            }
            Some(Token::Text(text)) => {
                self.rest.next();
                Ok(Expression::Text(text.clone()))
            }
            Some(Token::Punctuation("(")) => {
                self.rest.next();
                let inner = self.expression(0)?;
                self.expect(")", "")?;
                Ok(inner)
            }
            Some(Token::Punctuation("{")) => self.selector(None),
            Some(Token::Word(word)) if !NO_METRICS.iter().any(|name| word.eq_ignore_ascii_case(name)) => {
                self.rest.next();
                let opens = self.is_next("(");
                let is_grouped = self.is_next_word("by") || self.is_next_word("without");
                match call::aggregation(word) {
                    Some(form) if opens || is_grouped => self.aggregation(form),
                    None if opens => self.call(word),
                    _ => self.selector(Some(word.clone())),
                }
            }
            other => refuse(format!("unexpected {}", shown(other))),
        }
    }

    /// Labels behind a keyword for those that count. The one for those that do not is refused.
    fn labels_behind(&mut self, only: &str, without: &str) -> Result<Option<Vec<String>>, SyntaxError> {
        self.refuse_word(without)?;
        if self.takes_word(only) { self.labels().map(Some) } else { Ok(None) }
    }

    /// Refuses a keyword, if it comes next.
    fn refuse_word(&self, word: &str) -> Result<(), SyntaxError> {
        if self.is_next_word(word) { refuse(format!("{word} is not evaluated here")) } else { Ok(()) }
    }

    /// Names of labels in brackets.
    fn labels(&mut self) -> Result<Vec<String>, SyntaxError> {
        const CONTEXT: &str = "grouping opts";
        self.expect("(", CONTEXT)?;
        let mut labels = Vec::new();
        while !self.takes(")") {
            match self.peek() {
                // The only keyword that names no label here.
                Some(Token::Word(word)) if word.eq_ignore_ascii_case("without") => {
                    return self.unexpected(CONTEXT, "label");
                }
                Some(Token::Word(label)) => labels.push(label.clone()),
                _ => return self.unexpected(CONTEXT, "label"),
            }
            self.rest.next();
            if !self.takes(",") && !self.is_next(")") {
                return self.unexpected(CONTEXT, "\",\" or \")\"");
            }
        }
        Ok(labels)
    }
}

#[cfg(test)]
mod tests;
