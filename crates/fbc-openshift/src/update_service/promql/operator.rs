//! Operators between two values.

/// An operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    Set(SetOperator),
    Calculation(Calculation),
}

/// An operator between two sets of series.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum SetOperator {
    And,
    Or,
    Unless,
}

/// An operator between two numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Calculation {
    Equal,
    NotEqual,
    LessOrEqual,
    Less,
    GreaterOrEqual,
    Greater,
    Plus,
    Minus,
    Times,
    Divide,
    Modulo,
    Power,
}

impl Operator {
    pub(super) const POWER: Self = Self::Calculation(Calculation::Power);
    pub(super) const TIMES: Self = Self::Calculation(Calculation::Times);

    /// All of them.
    const ALL: [Self; 15] = [
        Self::Set(SetOperator::Or),
        Self::Set(SetOperator::And),
        Self::Set(SetOperator::Unless),
        Self::Calculation(Calculation::Equal),
        Self::Calculation(Calculation::NotEqual),
        Self::Calculation(Calculation::LessOrEqual),
        Self::Calculation(Calculation::Less),
        Self::Calculation(Calculation::GreaterOrEqual),
        Self::Calculation(Calculation::Greater),
        Self::Calculation(Calculation::Plus),
        Self::Calculation(Calculation::Minus),
        Self::TIMES,
        Self::Calculation(Calculation::Divide),
        Self::Calculation(Calculation::Modulo),
        Self::POWER,
    ];

    /// The operator that is written like this.
    pub(super) fn written(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|operator| text.eq_ignore_ascii_case(operator.text()))
    }

    /// How it is written.
    pub(super) fn text(self) -> &'static str {
        match self {
            Self::Set(SetOperator::Or) => "or",
            Self::Set(SetOperator::And) => "and",
            Self::Set(SetOperator::Unless) => "unless",
            Self::Calculation(calculation) => match calculation {
                Calculation::Equal => "==",
                Calculation::NotEqual => "!=",
                Calculation::LessOrEqual => "<=",
                Calculation::Less => "<",
                Calculation::GreaterOrEqual => ">=",
                Calculation::Greater => ">",
                Calculation::Plus => "+",
                Calculation::Minus => "-",
                Calculation::Times => "*",
                Calculation::Divide => "/",
                Calculation::Modulo => "%",
                Calculation::Power => "^",
            },
        }
    }

    /// How tightly it binds.
    pub(super) fn precedence(self) -> u8 {
        match self {
            Self::Set(SetOperator::Or) => 1,
            Self::Set(SetOperator::And | SetOperator::Unless) => 2,
            _ if self.is_comparison() => 3,
            Self::Calculation(Calculation::Plus | Calculation::Minus) => 4,
            Self::POWER => 6,
            Self::Calculation(_) => 5,
        }
    }

    pub(super) fn is_comparison(self) -> bool {
        matches!(self, Self::Calculation(calculation) if calculation.is_comparison())
    }
}

impl Calculation {
    pub(super) fn is_comparison(self) -> bool {
        use Calculation::{Equal, Greater, GreaterOrEqual, Less, LessOrEqual, NotEqual};
        matches!(self, Equal | NotEqual | LessOrEqual | Less | GreaterOrEqual | Greater)
    }

    /// Its result; that of a comparison is 0 or 1.
    pub(super) fn result(self, one: f64, other: f64) -> f64 {
        let truth = |holds: bool| f64::from(u8::from(holds));
        match self {
            Self::Plus => one + other,
            Self::Minus => one - other,
            Self::Times => one * other,
            Self::Divide => one / other,
            Self::Modulo => one % other,
            Self::Power => one.powf(other),
            Self::Equal => truth(one == other),
            Self::NotEqual => truth(one != other),
            Self::Greater => truth(one > other),
            Self::Less => truth(one < other),
            Self::GreaterOrEqual => truth(one >= other),
            Self::LessOrEqual => truth(one <= other),
        }
    }
}
