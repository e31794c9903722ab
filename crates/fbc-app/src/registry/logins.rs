//! Users and passwords on the command line: each is for the one registry that the command line names, never for a
//! registry that the content of a catalog names.

use std::collections::BTreeSet;
use std::path::Path;

use fbc_registry::{Credentials, Registries};
use fbc_source::Error;
use fbc_source::image_source::{ImageName, image_of_path, registry_image_of_path};

use super::UserPassword;

/// What a command line names in registries.
#[derive(Clone, Debug, Default)]
pub struct Named {
    sources: Vec<Name>,
    destinations: Vec<Name>,
}

#[derive(Clone, Debug)]
enum Name {
    /// An image, as the user wrote it.
    Image(String),
    /// A registry, perhaps with the beginning of a repository.
    Prefix(String),
}

impl Named {
    /// The images among paths.
    pub fn paths<P: AsRef<Path>>(paths: impl IntoIterator<Item = P>) -> Self {
        let image = |path: P| {
            let path = path.as_ref();
            let named = image_of_path(path).and_then(Result::ok);
            named.or_else(|| registry_image_of_path(path).filter(|_| !path.exists()))
        };
        Self::images(paths.into_iter().filter_map(image))
    }

    /// Images that are read.
    pub fn images(names: impl IntoIterator<Item = ImageName>) -> Self {
        let in_registry = |name| match name {
            ImageName::Registry(text) => Some(Name::Image(text)),
            ImageName::Local(_) => None,
        };
        Self { sources: names.into_iter().filter_map(in_registry).collect(), destinations: Vec::new() }
    }

    /// Also images that are written.
    pub fn and_destinations<'t>(mut self, tags: impl IntoIterator<Item = &'t String>) -> Self {
        self.destinations.extend(tags.into_iter().cloned().map(Name::Image));
        self
    }

    /// Also a part of a registry below which images are written.
    pub fn and_prefix(mut self, prefix: Option<String>) -> Self {
        self.destinations.extend(prefix.map(Name::Prefix));
        self
    }
}

/// Users and passwords with what they are for.
#[derive(Clone, Debug, Default)]
pub struct Logins(Vec<Login>);

#[derive(Clone, Debug)]
struct Login {
    flag: &'static str,
    given: UserPassword,
    names: Vec<Name>,
}

impl Logins {
    /// What flags say: for the whole command line, for what is read and for what is written.
    pub fn new(
        both: Option<&UserPassword>,
        source: Option<&UserPassword>,
        destination: Option<&UserPassword>,
        named: Named,
    ) -> Self {
        let all = named.sources.iter().chain(&named.destinations).cloned().collect();
        let flags = [
            ("--creds", both, all),
            ("--src-creds", source, named.sources),
            ("--dest-creds", destination, named.destinations),
        ];
        let logins = flags
            .into_iter()
            .filter_map(|(flag, given, names)| Some(Login { flag, given: given?.clone(), names }));
        Self(logins.collect())
    }

    /// Adds them to the credentials of files.
    pub fn add_to(&self, credentials: &mut Credentials, registries: &Registries) -> Result<(), Error> {
        let mut places = Vec::new();
        for login in &self.0 {
            places.push((login, login.places(registries)?));
        }
        let registry_of = |places: &[Place]| places.first().map(|place| place.registry.clone());
        let is_shared = places.len() == 2
            && places.first().map(|(_, one)| registry_of(one))
                == places.last().map(|(_, one)| registry_of(one));
        for (login, places) in places {
            for place in places {
                // Two users of one registry are told apart by what they are for.
                let scope = if is_shared { &place.scope } else { &place.registry };
                credentials.add(scope, login.flag, &login.given.user, &login.given.password);
            }
        }
        Ok(())
    }
}

/// A part of a registry.
struct Place {
    registry: String,
    /// `REGISTRY[/REPOSITORY]`
    scope: String,
}

impl Login {
    /// What it is for: parts of one registry.
    fn places(&self, registries: &Registries) -> Result<Vec<Place>, Error> {
        let mut places = Vec::new();
        for name in &self.names {
            places.push(match name {
                Name::Image(text) => {
                    let reference = registries.resolve(text.strip_prefix("docker://").unwrap_or(text))?;
                    Place { registry: reference.registry().to_owned(), scope: reference.name() }
                }
                Name::Prefix(text) => {
                    let registry = text.split('/').next().unwrap_or(text).to_owned();
                    Place { registry, scope: text.clone() }
                }
            });
        }
        let known: BTreeSet<&str> = places.iter().map(|place| place.registry.as_str()).collect();
        let flag = self.flag;
        match known.len() {
            1 => Ok(places),
            0 => Err(Error::new(format!("{flag} is for an image on the command line, and none is named there"))
                .help("images that a file or catalog names get credentials from --authfile only; `podman login --authfile FILE REGISTRY` writes such a file")),
            _ => {
                let known = known.into_iter().collect::<Vec<_>>().join(", ");
                Err(Error::new(format!("{flag} is for one registry, and the command line names several: {known}"))
                    .help("use --authfile, or where images are copied --src-creds and --dest-creds"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(user: &str) -> UserPassword {
        UserPassword { user: user.to_owned(), password: "pw".to_owned() }
    }

    fn named(sources: &[&str], destinations: &[&str]) -> Named {
        let image = |text: &&str| ImageName::Registry((*text).to_owned());
        let destinations: Vec<String> = destinations.iter().map(ToString::to_string).collect();
        Named::images(sources.iter().map(image)).and_destinations(&destinations)
    }

    fn users(logins: &Logins, names: &[(&str, &str)]) -> String {
        let mut credentials = Credentials::none();
        if let Err(failure) = logins.add_to(&mut credentials, &Registries::default()) {
            return failure.message().to_owned();
        }
        let found = |(registry, repository): &(&str, &str)| {
            credentials.added(registry, repository).unwrap_or("-").to_owned()
        };
        names.iter().map(found).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_login_is_for_one_registry() {
        let me = given("me");
        let of = |named| Logins::new(Some(&me), None, None, named);
        let hosts = [("a.io", "x/y"), ("a.io", "other"), ("b.io", "x/y")];
        assert_eq!(users(&of(named(&["a.io/x/y:1"], &[])), &hosts), "me me -");
        assert_eq!(users(&of(named(&[], &["b.io/z:1"])), &hosts), "- - me");
        assert!(users(&of(named(&[], &[])), &hosts).contains("none is named"));
        assert!(users(&of(named(&["a.io/x"], &["b.io/y"])), &hosts).contains("several: a.io, b.io"));
    }

    #[test]
    fn copies_have_two() {
        let (from, to) = (given("from"), given("to"));
        let logins = |named| Logins::new(None, Some(&from), Some(&to), named);
        let hosts = [("a.io", "x/y"), ("a.io", "z"), ("b.io", "z")];
        assert_eq!(users(&logins(named(&["a.io/x/y"], &["b.io/z"])), &hosts), "from from to");
        assert_eq!(users(&logins(named(&["a.io/x/y"], &["a.io/z"])), &hosts), "from to -");
        let prefix = named(&["a.io/x/y"], &[]).and_prefix(Some("b.io/z".to_owned()));
        assert_eq!(users(&logins(prefix), &hosts), "from from to");
    }
}
