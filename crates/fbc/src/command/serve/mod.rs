//! `fbc serve`: the APIs through which clusters read catalogs.

mod updates;

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueHint};
use fbc_app::catalog_name;
use fbc_app::input::other::refuse_at_sight;
use fbc_app::invalid_value::InvalidValue;
use fbc_app::loading::open_as_one;
use fbc_catalog_server::{self as serve, Encryption, Origin, Plan, Served};
use fbc_serve::hosts::Hosts;
use fbc_source::Session;

use crate::failure::{CLEAN, Failure};
use crate::registry::ImageArguments;
use crate::serve::HostArguments;
use crate::serve::log::{self, LogFormat};
use crate::settings::Settings;
use updates::UpdateArguments;

/// Serve catalogs to clusters, over gRPC (OLM v0) and HTTP (OLM v1)
///
/// gRPC is the API of `opm serve`, HTTP that of catalogd: `/catalogs/NAME/api/v1/all` and `/metas`. `/packages` and the
/// parameter `fields` are additions of fbc. A catalog that changes is loaded beside the old one and replaces it as a
/// whole; one that opm refuses leaves the old one in place. The HTTP address also answers `/healthz`, `/readyz` and
/// `/metrics`. On SIGTERM the server ends when all requests are answered.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// Catalogs: a directory, a file or an image each; `NAME=REF` gives a name in URLs. gRPC serves the first
    #[arg(value_name = "[NAME=]REF", value_hint = ValueHint::AnyPath)]
    #[cfg_attr(feature = "cluster", arg(required_unless_present = "updates"))]
    #[cfg_attr(not(feature = "cluster"), arg(required = true))]
    references: Vec<String>,
    /// The address for gRPC [default without --http: 127.0.0.1:50051]
    #[arg(long, value_name = "ADDRESS", value_parser = parse_address)]
    grpc: Option<SocketAddr>,
    /// The address for HTTP [default without --grpc: 127.0.0.1:8080]
    #[arg(long, value_name = "ADDRESS", value_parser = parse_address)]
    http: Option<SocketAddr>,
    #[command(flatten)]
    updates: UpdateArguments,
    /// Show the catalogs in a browser as well, at `/ui/` of the HTTP address: packages, bundles, upgrade graphs, and which
    /// bundle a cluster would get
    #[arg(long)]
    ui: bool,
    /// Answer questions in GraphQL as well, at `/catalogs/NAME/api/v1/graphql`, as catalogd does with the feature gate
    /// GraphQLCatalogQueries
    #[arg(long)]
    graphql: bool,
    /// How often to look for changes of directories and files, and for new digests of images; `never` for not at all
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = parse_poll)]
    poll: Poll,
    /// A PEM file with the certificate of the server; it is read again when it changes
    #[arg(long, value_name = "FILE", requires = "tls_key", value_hint = ValueHint::FilePath)]
    tls_cert: Option<PathBuf>,
    /// A PEM file with the key of the certificate
    #[arg(long, value_name = "FILE", requires = "tls_cert", value_hint = ValueHint::FilePath)]
    tls_key: Option<PathBuf>,
    #[command(flatten)]
    hosts: HostArguments,
    /// How to write what happens to standard error
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    log_format: LogFormat,
    #[command(flatten)]
    images: ImageArguments,
}

/// How often to look.
#[derive(Clone, Copy, Debug)]
struct Poll(Option<Duration>);

pub(crate) fn run(arguments: &Arguments, settings: &Settings) -> Result<u8, Failure> {
    let mut catalogs = Vec::new();
    for text in &arguments.references {
        catalogs.push(served(text, &arguments.images, settings)?);
    }
    let names: Vec<&str> = catalogs.iter().map(|served| served.name.as_str()).collect();
    if let Some(twice) = names.iter().find(|name| names.iter().filter(|other| other == name).count() > 1) {
        return Err(Failure::new(format!("two catalogs have the name {twice}")).help("name each: `NAME=REF`"));
    }
    if arguments.grpc.is_some() && catalogs.len() > 1 {
        return Err(Failure::new("gRPC serves one catalog, and several are named")
            .help("serve each with its own `fbc serve`, or leave out --grpc"));
    }
    let encryption = match (&arguments.tls_cert, &arguments.tls_key) {
        (Some(certificate), Some(key)) => Some(Encryption::read(certificate, key)?),
        _ => None,
    };
    let (grpc, http) = match (arguments.grpc, arguments.http) {
        (None, None) => {
            let one = catalogs.len() == 1 && !arguments.updates.are_given();
            (one.then(|| loopback(50051)), Some(loopback(8080)))
        }
        given => given,
    };
    let over_http = [
        ("--ui", arguments.ui),
        ("--graphql", arguments.graphql),
        ("--updates", arguments.updates.are_given()),
    ];
    if http.is_none()
        && let Some((flag, _)) = over_http.into_iter().find(|(_, is_given)| *is_given)
    {
        return Err(Failure::new(format!("{flag} needs an address for HTTP")).help("add --http ADDRESS"));
    }
    log::start(arguments.log_format, settings.verbose);
    for address in [grpc, http].into_iter().flatten().filter(|address| !address.ip().is_loopback()) {
        tracing::info!(%address, "this address can be reached from other machines");
    }
    let poll = arguments.poll.0;
    let other = arguments.updates.service(settings)?;
    serve::run(Plan {
        catalogs,
        grpc,
        http,
        encryption,
        hosts: Hosts::named(&arguments.hosts.names),
        poll,
        termination_log: None,
        other,
        ui: arguments.ui,
        graphql: arguments.graphql,
    })?;
    Ok(CLEAN)
}

fn loopback(port: u16) -> SocketAddr {
    SocketAddr::from((Ipv4Addr::LOCALHOST, port))
}

/// `NAME=REF` or a reference, whose last part is the name then.
fn served(text: &str, images: &ImageArguments, settings: &Settings) -> Result<Served, Failure> {
    let (name, path) = catalog_name::named(text)?;
    if path.as_os_str() == "-" {
        return Err(Failure::new("a server cannot read its catalog from standard input")
            .help("name a directory, a file or an image"));
    }
    let images = images.clone();
    let origin = Origin::from_reference(&path);
    let session = {
        let (path, settings) = (path.clone(), settings.clone());
        move || images.session([&path], &settings)
    };
    let settings = settings.clone();
    let open = move |session: &Session| {
        let source = open_as_one(&path, session, &settings)?;
        refuse_at_sight(&source, &path, &settings.reading())?;
        Ok(source)
    };
    Ok(Served { name, origin, open: Box::new(open), session: Box::new(session) })
}

fn parse_address(text: &str) -> Result<SocketAddr, InvalidValue> {
    if let Some(port) = text.strip_prefix(':') {
        let port: u16 = port.parse().map_err(|_| format!("{port} is not a port"))?;
        return Ok(SocketAddr::from((std::net::Ipv6Addr::UNSPECIFIED, port)));
    }
    let spelled = text.replace("localhost:", "127.0.0.1:");
    spelled
        .parse()
        .map_err(|_| "expected ADDRESS:PORT, such as 127.0.0.1:8080, or :PORT for every address".into())
}

fn parse_poll(text: &str) -> Result<Poll, InvalidValue> {
    if text == "never" {
        return Ok(Poll(None));
    }
    let duration = crate::registry::parse_duration(text)?;
    if duration < Duration::from_millis(100) {
        return Err("the least is 100ms".into());
    }
    Ok(Poll(Some(duration)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read() {
        for (text, address) in [
            ("127.0.0.1:80", "127.0.0.1:80"),
            ("localhost:80", "127.0.0.1:80"),
            (":50051", "[::]:50051"),
            ("[::1]:1", "[::1]:1"),
        ] {
            assert_eq!(parse_address(text).unwrap().to_string(), address);
        }
        for text in ["80", "host", ":x", "127.0.0.1"] {
            assert!(parse_address(text).is_err(), "{text}");
        }
    }
}
