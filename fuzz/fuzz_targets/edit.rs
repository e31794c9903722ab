//! Any change of any document is refused, or gives what the value becomes and leaves other documents alone.
//! The input is a byte for the action and one for the place, a line with the pointer, one with the new text, and the file.
#![no_main]

use fbc_yaml::edit::{Action, Change, Editor, document};
use fbc_yaml::stream;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let [action, index, rest @ ..] = input else { return };
    let mut lines = rest.splitn(3, |byte| *byte == b'\n');
    let mut line = || lines.next().unwrap_or_default();
    let (pointer, text, bytes) = (line(), line(), line());
    let (Ok(pointer), Ok(text)) = (std::str::from_utf8(pointer), std::str::from_utf8(text)) else { return };
    let read = |bytes: &[u8]| stream::read::<_, ()>(bytes, &|document| Ok(document));
    let old = read(bytes);
    let number = usize::from(*index) % old.len().max(1);
    let value = document(|builder| builder.string(text));
    let action = match action % 3 {
        0 => Action::Insert { index: usize::from(*index) % 4, item: value },
        1 => Action::Remove { index: usize::from(*index) % 4 },
        _ => Action::Set { key: text.to_owned(), value },
    };
    let mut editor = Editor::new(bytes);
    assert_eq!(editor.clone().finish().as_deref(), Ok(bytes));
    if editor.change(number, &Change::new(pointer, action)).is_err() {
        assert_eq!(editor.finish().as_deref(), Ok(bytes));
        return;
    }
    let Ok(edited) = editor.finish() else { return };
    let new = read(&edited);
    assert_eq!(new.len(), old.len());
    for (at, (new, old)) in new.iter().zip(&old).enumerate() {
        assert!(at == number || new.outcome.as_ref().ok() == old.outcome.as_ref().ok());
    }
});
