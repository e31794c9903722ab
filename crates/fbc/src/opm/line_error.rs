//! What is wrong with a command line of opm, in the words of cobra and pflag.

use fbc_go::csv::CsvError;
use fbc_go::text::quote;

/// What is wrong with a command line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum LineError {
    #[error("bad flag syntax: {0}")]
    Syntax(String),
    #[error("unknown flag: --{0}")]
    UnknownFlag(String),
    /// The first byte of the letter, and all letters from there on.
    #[error("unknown shorthand flag: {byte} in -{letters}")]
    UnknownLetter { byte: String, letters: String },
    #[error("flag needs an argument: --{0}")]
    NoValue(String),
    #[error("flag needs an argument: {byte} in -{letter}")]
    NoValueOfLetter { byte: String, letter: char },
    #[error("invalid argument {} for {} flag: {reason}", quote(.value), quote(.flag))]
    InvalidValue { value: String, flag: String, reason: InvalidFlagValue },
    #[error("invalid --output value {}, expected (json|yaml)", quote(.0))]
    InvalidOutput(String),
    #[error("required flag(s) \"{}\" not set", .0.join("\", \""))]
    MissingFlags(Vec<&'static str>),
    #[error(
        "if any flags in the group [{first} {second}] are set none of the others can be; [{low} {high}] were all set"
    )]
    ExclusiveFlags { first: &'static str, second: &'static str, low: &'static str, high: &'static str },
    #[error("unknown command {} for {}", quote(.word), quote(.command))]
    UnknownCommand { word: String, command: String },
    #[error("accepts {wanted} arg(s), received {received}")]
    NotExactly { wanted: usize, received: usize },
    #[error("requires at least {least} arg(s), only received {received}")]
    TooFew { least: usize, received: usize },
    #[error("accepts at most {most} arg(s), received {received}")]
    TooMany { most: usize, received: usize },
    #[error("accepts between {least} and {most} arg(s), received {received}")]
    NotBetween { least: usize, most: usize, received: usize },
}

/// Why a value does not fit its flag.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum InvalidFlagValue {
    #[error("strconv.ParseBool: parsing {}: invalid syntax", quote(.0))]
    NotBoolean(String),
    #[error(transparent)]
    List(#[from] CsvError),
}
