//! `fbc explain`: the documentation of rules.

use std::io::{self, Write};

use clap::Args;
use fbc_go::text::padded;
use fbc_lint::rule::Basis;
use fbc_lint::{Profile, Rule, Severity};
use fbc_rules::RULES;

use crate::failure::{CLEAN, Failure, HELP, STRONG, closest};
use crate::settings::Settings;

/// Explain rules, or list all of them
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// Codes or names of rules, such as FBC012 or package-name, or families of codes, such as BND
    #[arg(value_name = "CODE")]
    rules: Vec<String>,
}

pub(crate) fn run(arguments: &Arguments, _settings: &Settings) -> Result<u8, Failure> {
    let mut out = anstream::AutoStream::auto(io::stdout()).lock();
    if arguments.rules.is_empty() {
        list(&RULES.iter().copied().collect::<Vec<_>>(), &mut out)?;
    }
    for (index, name) in arguments.rules.iter().enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        match RULES.find(name) {
            Some(rule) => explain(rule, &mut out)?,
            None => list(&family(name).ok_or_else(|| unknown(name))?, &mut out)?,
        }
    }
    out.flush()?;
    Ok(CLEAN)
}

/// The rules whose codes begin with the letters of a family.
fn family(name: &str) -> Option<Vec<&'static Rule>> {
    let letters = |code: &'static str| code.trim_end_matches(|c: char| c.is_ascii_digit());
    let rules: Vec<_> =
        RULES.iter().copied().filter(|rule| letters(rule.code).eq_ignore_ascii_case(name)).collect();
    (!rules.is_empty()).then_some(rules)
}

fn unknown(name: &str) -> Failure {
    let known = RULES.iter().flat_map(|rule| [rule.code, rule.name]);
    let failure = Failure::new(format!("there is no rule {name:?}"));
    match closest(name, known) {
        Some(known) => failure.help(format!("did you mean {known}?")),
        None => failure.help("`fbc explain` lists all rules"),
    }
}

fn list(rules: &[&Rule], out: &mut dyn Write) -> io::Result<()> {
    let width = rules.iter().map(|rule| rule.name.len()).max().unwrap_or_default();
    for rule in rules {
        let severity = Profile::Default.level(rule).map_or("off", Severity::name);
        writeln!(
            out,
            "{STRONG}{}{STRONG:#}  {}  {severity:7}  {}",
            rule.code,
            padded(rule.name, width),
            rule.summary
        )?;
    }
    Ok(())
}

fn explain(rule: &Rule, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{STRONG}{}: {}{STRONG:#}", rule.code, rule.name)?;
    writeln!(out, "{}.", rule.summary.trim_end_matches('.'))?;
    let basis = match rule.basis {
        Basis::Opm => "An error: opm refuses such a catalog.",
        Basis::Documents => {
            "A warning: opm accepts it, the documented schemas do not. An error with --profile strict."
        }
        Basis::Validators => "An error: the validation of opm or operator-sdk refuses such a bundle.",
        Basis::Olm => {
            "A warning: the validators accept it, OLM does not install it. An error with --profile strict."
        }
        Basis::Advice => "A warning: opm and the validators accept it, but it can break users.",
        Basis::Policy => "Off unless a profile or the configuration asks for it.",
        Basis::Configuration(Severity::Error) => "An error: about the configuration of fbc itself.",
        Basis::Configuration(Severity::Warning) => "A warning: about the configuration of fbc itself.",
    };
    writeln!(out, "{basis}")?;
    for profile in Profile::ALL {
        for (_, severity, check) in profile.levels().filter(|(code, ..)| *code == rule.code) {
            writeln!(out, "With --profile {}: {}, {check}.", profile.name(), severity.name())?;
        }
    }
    writeln!(out, "\n{}\n", rule.explanation.trim_end())?;
    rule.sources.iter().try_for_each(|source| writeln!(out, "Source: {source}"))?;
    writeln!(out, "Since fbc {}.", rule.since)?;
    for case in rule.change_cases() {
        writeln!(out, "\n{HELP}Example{HELP:#}: {}", case.title)?;
        for (when, files) in ["before", "after"].into_iter().zip(case.files()) {
            writeln!(out, "  {when}:")?;
            write_files(rule, &files, out)?;
        }
        if case.findings.is_empty() {
            writeln!(out, "  is fine.")?;
        }
        case.findings.iter().try_for_each(|finding| writeln!(out, "  {finding}"))?;
    }
    for case in rule.cases() {
        writeln!(out, "\n{HELP}Example{HELP:#}: {}", case.title)?;
        write_files(rule, &case.files(&rule.check), out)?;
        if case.findings.is_empty() {
            writeln!(out, "  is fine.")?;
        }
        for finding in case.findings {
            writeln!(out, "  {finding}")?;
        }
    }
    Ok(())
}

fn write_files(rule: &Rule, files: &[(&str, &str)], out: &mut dyn Write) -> io::Result<()> {
    for (path, text) in files {
        if rule.check.says_path(path) {
            writeln!(out, "    # {path}")?;
        }
        text.lines().try_for_each(|line| writeln!(out, "    {line}"))?;
    }
    Ok(())
}
