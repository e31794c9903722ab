//! `fbc resolve --olm v0`: what Subscriptions get.

use std::io::{self, Write};

use fbc_app::resolution::v0::namespaces::Question;
use fbc_app::resolution::v0::{Asked, NamespaceAnswer, json, namespaces, words};
use fbc_app::resolution::{manifests, question};
use fbc_resolve_v0::{Answer, BundleName, CompileExpression, NewOperator, ResolveError, Rules, Verdict};
use fbc_version::Target;
use serde_json::{Value, json};

use super::answer::Style;
use super::{Arguments, ResolveFormat};
use crate::failure::{CLEAN, ERROR, FINDINGS, Failure, HELP, STRONG, WARNING};
use crate::output::destination::{Destination, OutputValue};
use crate::output::file::write_output;
use crate::settings::Settings;
use crate::terminal;

/// What compiles expressions of constraints: that of the simulated cluster.
#[cfg(feature = "cluster")]
const COMPILE: CompileExpression = fbc_cluster::schema::compile_property_expression;
#[cfg(not(feature = "cluster"))]
const COMPILE: CompileExpression = |_| Err("this fbc is built without expressions (feature cluster)".into());

pub(super) fn run(arguments: &Arguments, target: Target, settings: &Settings) -> Result<u8, Failure> {
    OutputValue::check(&arguments.output)?;
    refuse_flags_of_v1(arguments)?;
    let (package, more) = arguments.package_and_catalogs();
    let given: Vec<&String> = arguments.catalogs.iter().chain(more).collect();
    let references = question::references(&given, &arguments.files)?;
    let manifests = match package {
        Some(_) => None,
        None => Some(manifests::read(&arguments.files, arguments.olm.into(), target, settings)?),
    };
    let references = match &manifests {
        Some(manifests) => namespaces::references(manifests, references),
        None => references,
    };
    let names: Vec<&str> = references.keys().map(String::as_str).collect();
    let priorities = namespaces::priorities(&arguments.priorities, &names)?;
    let session = arguments.images.session(references.values(), settings);
    let Some(catalogs) = namespaces::load(&references, &session, settings)? else { return Ok(FINDINGS) };
    let asked = match (&manifests, package) {
        (Some(manifests), _) => namespaces::of_manifests(manifests, &catalogs, &priorities)?,
        (None, package) => {
            let question = Question {
                package: package.cloned().unwrap_or_default(),
                channel: arguments.channels.first().cloned(),
                starting_csv: arguments.starting_csv.clone(),
                installed: arguments.installed.clone(),
            };
            vec![namespaces::of_question(&question, &catalogs, &priorities)?]
        }
    };
    answer_all(arguments, asked, settings)
}

fn refuse_flags_of_v1(arguments: &Arguments) -> Result<(), Failure> {
    let given = [
        ("--version", arguments.version.is_some()),
        ("--selector", !arguments.selectors.is_empty()),
        ("--policy", arguments.policy == "SelfCertified"),
        ("--label", !arguments.labels.is_empty()),
        ("--bundle-release-support", arguments.bundle_release_support),
    ];
    if let Some((flag, _)) = given.iter().find(|(_, is_given)| *is_given) {
        return Err(Failure::new(format!("OLM v0 has nothing like {flag}"))
            .help("leave it out, or resolve with `--olm v1`"));
    }
    if arguments.channels.len() > 1 {
        return Err(
            Failure::new("a Subscription follows one channel").help("give `--channel` once, or not at all")
        );
    }
    Ok(())
}

fn answer_all(arguments: &Arguments, asked: Vec<Asked>, settings: &Settings) -> Result<u8, Failure> {
    let rules = Rules { compile: COMPILE, steps: settings.limits.most("resolution-steps") };
    let answers: Vec<NamespaceAnswer> =
        asked.into_iter().map(|asked| NamespaceAnswer::to(asked, rules)).collect();
    for Destination { format, file } in arguments.destinations() {
        let color = file.is_none() && terminal::stdout_has_color();
        let style = Style { tree: arguments.explain, color };
        write_output(settings, file, |out| {
            let values = || answers.iter().map(|answer| json::answer(answer, arguments.explain));
            let written = match format {
                ResolveFormat::Text => write_text(&answers, style, &mut terminal::text_to(out, file)),
                ResolveFormat::Json => {
                    let all: Vec<Value> = values().collect();
                    fbc_app::output::json_document::write(out, &json!({ "namespaces": all }))
                }
                ResolveFormat::Jsonl => values().try_for_each(|value| writeln!(out, "{value}")),
            };
            Ok(written?)
        })?;
    }
    Ok(if answers.iter().all(NamespaceAnswer::is_resolved) { CLEAN } else { FINDINGS })
}

fn paint(style: Style, of: anstyle::Style, text: &str) -> String {
    if style.color { format!("{of}{text}{of:#}") } else { text.to_owned() }
}

fn write_text(answers: &[NamespaceAnswer], style: Style, out: &mut dyn Write) -> io::Result<()> {
    for answer in answers {
        if answers.len() > 1 {
            writeln!(out, "namespace {}:", paint(style, STRONG, &answer.asked.namespace.name))?;
        }
        write_namespace(answer, style, out)?;
    }
    if answers.len() > 1 {
        let resolved = answers.iter().filter(|answer| answer.is_resolved()).count();
        writeln!(out, "{resolved} of {} namespaces resolve", answers.len())?;
    }
    Ok(())
}

fn write_namespace(answer: &NamespaceAnswer, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let (namespace, explanation) = (&answer.asked.namespace, &answer.explanation);
    let (why, help) = (paint(style, HELP, "why"), paint(style, HELP, "help"));
    match &explanation.outcome {
        Ok(resolution) => {
            for subscription in &explanation.subscriptions {
                write_subscription(subscription, answer, style, out)?;
            }
            for operator in resolution.operators.iter().filter(|operator| operator.generated.is_some()) {
                write_dependency(operator, answer, style, out)?;
            }
        }
        Err(error) => {
            let names: Vec<&str> =
                namespace.subscriptions.iter().map(|subscription| subscription.name.as_str()).collect();
            let names = paint(style, STRONG, &names.join(", "));
            writeln!(out, "{names}: {}: {error}", paint(style, ERROR, "error"))?;
            for reason in words::reasons(&explanation.causes, namespace) {
                writeln!(out, "  {why}: {reason}")?;
            }
            for remedy in words::remedies(&explanation.causes, namespace) {
                writeln!(out, "  {help}: {remedy}")?;
            }
            if let ResolveError::Budget(_) = error {
                writeln!(out, "  {help}: allow more with `--limit resolution-steps=N`")?;
            }
            if style.tree {
                for subscription in &explanation.subscriptions {
                    write_bundles(subscription, out)?;
                }
            }
        }
    }
    for note in answer.notes() {
        writeln!(out, "  note: {note}")?;
    }
    Ok(())
}

fn version(bundle: &BundleName) -> &str {
    bundle.version.as_deref().unwrap_or(&bundle.name)
}

/// `lantern.v1.0.0, channel stable, catalog shelf`
fn place(bundle: &BundleName) -> String {
    match &bundle.catalog {
        Some(catalog) => format!("{}, channel {}, catalog {}", bundle.name, bundle.channel, catalog.name),
        None => bundle.name.clone(),
    }
}

fn write_subscription(
    answer: &Answer,
    of: &NamespaceAnswer,
    style: Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let (name, package) = (&answer.subscription.name, &answer.subscription.package);
    let strong = paint(style, STRONG, name);
    let label = if name == package { strong } else { format!("{strong} ({package})") };
    let Some(gets) = &answer.gets else { return Ok(()) };
    let change = match &answer.installed {
        _ if gets.catalog.is_none() => "stay at".to_owned(),
        None => "install".to_owned(),
        Some(installed) => format!("from {} to", version(installed)),
    };
    writeln!(out, "{label}: {change} {} ({})", version(gets), place(gets))?;
    let resolution = of.explanation.outcome.as_ref().ok();
    let operators = resolution.map(|resolution| resolution.operators.as_slice()).unwrap_or_default();
    let own = operators.iter().find(|operator| operator.entry.name() == gets.name);
    if let Some(operator) = own {
        write_deprecations(operator, style, out)?;
    }
    let why = paint(style, HELP, "why");
    for considered in &answer.bundles {
        let Verdict::PassedOver(causes) = &considered.verdict else { continue };
        writeln!(out, "  {why}: {} is preferred, but it does not go with the rest", considered.bundle.name)?;
        for reason in words::reasons(causes, &of.asked.namespace) {
            writeln!(out, "       {reason}")?;
        }
    }
    if style.tree { write_bundles(answer, out) } else { Ok(()) }
}

fn write_dependency(
    operator: &NewOperator,
    of: &NamespaceAnswer,
    style: Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let Some(generated) = &operator.generated else { return Ok(()) };
    let entry = &operator.entry;
    let shown = entry.bundle.version.as_ref().map_or_else(|| entry.name().to_owned(), ToString::to_string);
    writeln!(
        out,
        "{}: install {shown} ({}, channel {}, catalog {}) with Subscription {}",
        paint(style, STRONG, &entry.bundle.package),
        entry.name(),
        entry.channel,
        operator.catalog.name,
        generated.name
    )?;
    write_deprecations(operator, style, out)?;
    let why = paint(style, HELP, "why");
    words::needs(entry.name(), &of.explanation).iter().try_for_each(|need| writeln!(out, "  {why}: {need}"))
}

fn write_deprecations(operator: &NewOperator, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let notes = &operator.entry.deprecations;
    for note in [&notes.package, &notes.channel, &notes.bundle].into_iter().flatten() {
        let note = note.trim().replace('\n', " ");
        writeln!(out, "  {}: {note}", paint(style, WARNING, "warning"))?;
    }
    Ok(())
}

/// Every bundle of the package, and what became of it.
fn write_bundles(answer: &Answer, out: &mut dyn Write) -> io::Result<()> {
    for considered in &answer.bundles {
        let verdict = words::verdict(&considered.verdict, answer.installed.as_ref());
        writeln!(out, "    {}: {verdict}", place(&considered.bundle))?;
    }
    Ok(())
}
