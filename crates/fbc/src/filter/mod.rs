//! The words of `fbc filter`: what is wanted, in [`selection`]; what came of it, in [`told`]; and the directories
//! that it writes, in [`folder`].

pub(crate) mod folder;
pub(crate) mod selection;
pub(crate) mod wording;
