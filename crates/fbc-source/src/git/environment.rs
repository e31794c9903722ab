//! Where the environment says that the repository is: git sets `GIT_DIR` for hooks of linked work trees and of clones
//! whose directory of git lies elsewhere.
//!
//! Git reads relative paths of it from the directory that it runs in, and takes that directory for the work tree where
//! only `GIT_DIR` is set. Commands here run in the directories of catalogs, and mean what the environment means in the
//! directory of the caller: so it is made absolute, once.

use std::env;
use std::ffi::OsString;
use std::path::Path;
use std::sync::OnceLock;

use super::call::{Call, GitLimits, Verb};
use super::os_string;

const DIRECTORY: &str = "GIT_DIR";
const WORK_TREE: &str = "GIT_WORK_TREE";
const INDEX: &str = "GIT_INDEX_FILE";

/// The variables that say where the parts of a repository are.
const PLACES: [&str; 5] = [DIRECTORY, WORK_TREE, INDEX, "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY"];

/// Variables with their values.
pub(super) type Variables = Vec<(&'static str, OsString)>;

/// What to set for commands that run elsewhere than in the directory of this process.
pub(super) fn of_process(limits: GitLimits) -> &'static Variables {
    static ABSOLUTE: OnceLock<Variables> = OnceLock::new();
    ABSOLUTE.get_or_init(|| {
        let set = PLACES.into_iter().filter_map(|name| Some((name, env::var_os(name)?))).collect();
        env::current_dir().map_or_else(|_| Variables::new(), |folder| absolute(&folder, set, limits))
    })
}

/// What variables mean in a directory, so that they mean the same in every other one. An empty value names nothing, and is
/// left for git to refuse.
pub(super) fn absolute(folder: &Path, set: Variables, limits: GitLimits) -> Variables {
    let ask = |variables: &Variables, words: &[&str]| {
        let answer = Call::here(Verb::RevParse, folder, &PLACES, variables, limits).words(words).success();
        answer.ok()?.strip_suffix(b"\n").map(<[u8]>::to_vec)
    };
    let is_set = |name: &str| set.iter().any(|(known, value)| *known == name && !value.is_empty());
    let mut places: Variables = set
        .iter()
        .filter(|(name, value)| *name != INDEX && !value.is_empty())
        .map(|(name, value)| (*name, folder.join(value).into_os_string()))
        .collect();
    if is_set(DIRECTORY) && !is_set(WORK_TREE) {
        places.extend(top(&places, &ask).map(|top| (WORK_TREE, top)));
    }
    // Without these, git reads it from the top of the work tree that it finds, wherever it runs in it.
    if is_set(INDEX) && (is_set(DIRECTORY) || is_set(WORK_TREE)) {
        let index = set.iter().find(|(name, _)| *name == INDEX).cloned();
        let named: Variables = places.iter().cloned().chain(index).collect();
        let path = ask(&named, &["--git-path", "index"]).map(|path| folder.join(os_string(&path)));
        places.extend(path.map(|path| (INDEX, path.into_os_string())));
    }
    places
}

/// Asks git for a path with some variables set: the answer without its end of line.
type Ask<'a> = dyn Fn(&Variables, &[&str]) -> Option<Vec<u8>> + 'a;

/// The top of the work tree around the directory, if it is one of the repository that is named: git would take a directory
/// in it for the top. Otherwise what git takes for it; nothing if the repository has no work tree.
fn top(places: &Variables, ask: &Ask<'_>) -> Option<OsString> {
    let named = ask(places, &["--absolute-git-dir"])?;
    let found = ask(&Variables::new(), &["--absolute-git-dir", "--show-toplevel"]);
    let around = found.as_deref().and_then(|found| found.strip_prefix(&named[..])?.strip_prefix(b"\n"));
    around.map(<[u8]>::to_vec).or_else(|| ask(places, &["--show-toplevel"])).map(|top| os_string(&top))
}
