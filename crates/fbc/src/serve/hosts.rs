//! The flag that says under which names a server is asked.

use clap::Args;

use fbc_app::invalid_value::InvalidValue;

/// By which names a server answers.
#[derive(Args, Debug)]
pub(crate) struct HostArguments {
    /// Answer under this name as well, that of a proxy for instance; `*.` before it stands for one label more
    ///
    /// A page of a stranger can make its name lead to this server, and read answers through a browser. So a server answers
    /// under addresses, names without a dot, `localhost`, names of services in clusters, and the names in its certificate alone.
    #[arg(long = "allow-host", value_name = "NAME", value_parser = parse)]
    pub(crate) names: Vec<String>,
}

fn parse(text: &str) -> Result<String, InvalidValue> {
    let is_part = |part: &str| {
        !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
    };
    match text.strip_prefix("*.").unwrap_or(text).split('.').all(is_part) {
        true => Ok(text.to_owned()),
        false => Err("expected the name of a host without a port, such as catalogs.example.com".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_hosts_are_read() {
        for (text, is_name) in [
            ("a.example.com", true),
            ("*.example.com", true),
            ("a:80", false),
            ("http://a", false),
            ("", false),
        ] {
            assert_eq!(parse(text).is_ok(), is_name, "{text}");
        }
    }
}
