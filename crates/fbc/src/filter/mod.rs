//! The words of `fbc filter`: what is wanted, in [`selection`]; what came of it, in [`told`]; and the folders
//! that it writes, in [`folder`].

pub(crate) mod folder;
pub(crate) mod selection;
pub(crate) mod told;
