//! The functions of jq that filters may call, and what they see beside their input.

use std::cell::Cell;
use std::ops::Range;

use jaq_core::load::{self, parse::Def};
use jaq_core::native::{Fun, run, v};
use jaq_core::{DataT, Error, Lut, RunPtr, data, native};
use jaq_json::{Rc, Val, ValR, read};
use jaq_std::ValT as _;
use jaq_std::input::{self, HasInputs, Inputs};

use super::output::{Layout, append};

/// A filter over our data.
pub(super) type Filter = jaq_core::Filter<QueryData>;

/// What filters work on.
pub(crate) struct QueryData;

impl DataT for QueryData {
    type V<'a> = Val;
    type Data<'a> = &'a Surroundings<'a>;
}

/// What a filter sees beside its input.
pub(crate) struct Surroundings<'a> {
    /// The compiled program.
    pub(super) lut: &'a Lut<QueryData>,
    /// The inputs that are still to come.
    pub(super) inputs: Inputs<'a, Val>,
    /// The number of the blob that is the input.
    pub(super) current: &'a Cell<Option<usize>>,
    /// The file of a blob.
    pub(super) file_name: &'a (dyn Fn(usize) -> Option<String> + 'a),
    /// Takes what the program says beside its output.
    pub(super) tell: &'a (dyn Fn(&[u8]) + 'a),
}

impl<'a> data::HasLut<'a, QueryData> for &'a Surroundings<'a> {
    fn lut(&self) -> &'a Lut<QueryData> {
        self.lut
    }
}

impl<'a> HasInputs<'a, Val> for &'a Surroundings<'a> {
    fn inputs(&self) -> Inputs<'a, Val> {
        self.inputs
    }
}

/// The definitions in jq's own language.
pub(super) fn definitions() -> impl Iterator<Item = Def<&'static str>> {
    let own = load::parse(include_str!("definitions.jq"), |parser| parser.defs());
    let own = own.unwrap_or_else(|| unreachable!("a test holds that the definitions are read"));
    jaq_core::defs().chain(jaq_std::defs()).chain(jaq_json::defs()).chain(own)
}

/// The functions that are not definitions.
pub(super) fn functions() -> impl Iterator<Item = Fun<QueryData>> {
    let own: [native::Filter<RunPtr<QueryData>>; 8] = [
        ("input_filename", v(0), |cv| {
            let surroundings = cv.0.data();
            let name = surroundings.current.get().and_then(surroundings.file_name);
            Box::new(std::iter::once(Ok(name.map_or(Val::Null, Val::from))))
        }),
        ("debug_empty", v(0), |cv| {
            (cv.0.data().tell)(&message(&Val::from_iter([Val::from("DEBUG:".to_owned()), cv.1]), "\n"));
            Box::new(std::iter::empty())
        }),
        ("stderr_empty", v(0), |cv| {
            (cv.0.data().tell)(&message(&cv.1, ""));
            Box::new(std::iter::empty())
        }),
        ("input", v(0), |cv| {
            let mut inputs = cv.0.data().inputs;
            let none = || Err("No more inputs".to_owned());
            native::bome(inputs.next().unwrap_or_else(none).map_err(Error::str))
        }),
        ("delete_paths", v(1), |mut cv| {
            let paths = cv.0.pop_var();
            native::bome(delete_paths(cv.1, paths))
        }),
        // jaq reads any number of values, and as much of a text as is one.
        ("fromjson", v(0), |cv| native::bome(from_json(&cv.1))),
        // jaq writes numbers in another way than jq.
        ("as_text", v(0), |cv| native::bome(Ok(as_text(cv.1)))),
        ("tojson", v(0), |cv| native::bome(Ok(Val::from(compact(&cv.1))))),
    ];
    let replaced: Vec<&str> = own.iter().map(|(name, ..)| *name).collect();
    jaq_core::funs()
        .chain(jaq_std::funs())
        .chain(jaq_json::funs())
        .chain(input::funs::<QueryData>().into_vec().into_iter().map(run::<QueryData>))
        .filter(move |(name, ..)| !replaced.contains(name))
        .chain(own.into_iter().map(run::<QueryData>))
}

/// A value as JSON on one line.
fn compact(value: &Val) -> String {
    let mut text = Vec::new();
    append(&mut text, value, &Layout::default());
    String::from_utf8_lossy(&text).into_owned()
}

/// The one value of a JSON text.
fn from_json(value: &Val) -> ValR {
    let Val::TStr(text) = value else {
        return Err(Error::str(format!("{} cannot be parsed as JSON", compact(value))));
    };
    read::parse_single(text)
        .map_err(|error| Error::str(format!("{error} (while parsing {})", compact(value))))
}

fn as_text(value: Val) -> Val {
    match value {
        Val::TStr(_) => value,
        other => Val::from(compact(&other)),
    }
}

/// The value without what lies at these paths. The last go first, so that none moves another; unlike in
/// jaq's own function keys stay in their order.
fn delete_paths(value: Val, paths: Val) -> ValR {
    let Val::Arr(paths) = paths else { return Err(Error::str("Paths must be specified as an array")) };
    let mut paths: Vec<&Val> = paths.iter().collect();
    paths.sort();
    paths.into_iter().rev().try_fold(value, |value, path| match path {
        Val::Arr(path) => delete(value, path),
        _ => Err(Error::str("Path must be specified as an array")),
    })
}

fn delete(value: Val, path: &[Val]) -> ValR {
    let Some((first, rest)) = path.split_first() else { return Ok(Val::Null) };
    match (value, rest) {
        (Val::Null, _) => Ok(Val::Null),
        (Val::Obj(mut members), []) if matches!(first, Val::TStr(_)) => {
            Rc::make_mut(&mut members).shift_remove(first);
            Ok(Val::Obj(members))
        }
        (Val::Obj(mut members), _) if matches!(first, Val::TStr(_)) => {
            if let Some(member) = Rc::make_mut(&mut members).get_mut(first) {
                *member = delete(std::mem::take(member), rest)?;
            }
            Ok(Val::Obj(members))
        }
        (Val::Arr(mut items), _) => {
            let places = places(first, items.len())?;
            let list = Rc::make_mut(&mut items);
            if rest.is_empty() {
                list.drain(places);
            } else if let Val::Num(_) = first {
                if let Some(item) = list.get_mut(places.start) {
                    *item = delete(std::mem::take(item), rest)?;
                }
            } else {
                // Below a slice paths count from its start.
                let part = list.get(places.clone()).unwrap_or_default();
                if let Val::Arr(left) = delete(part.iter().cloned().collect(), rest)? {
                    list.splice(places, left.iter().cloned());
                }
            }
            Ok(Val::Arr(items))
        }
        (value, _) => {
            Err(Error::str(format!("Cannot delete field {} of {}", compact(first), compact(&value))))
        }
    }
}

/// The places in a list that an index or a slice names; none where it lies outside.
fn places(index: &Val, length: usize) -> Result<Range<usize>, Error<Val>> {
    let counted = |number: isize| {
        if number < 0 { length.checked_sub(number.unsigned_abs()) } else { usize::try_from(number).ok() }
    };
    match index {
        Val::Num(_) => {
            let place = index.as_isize().and_then(counted).filter(|place| *place < length);
            Ok(place.map_or(length..length, |place| place..place + 1))
        }
        Val::Obj(slice) => {
            let bound = |name: &str, absent: usize| match slice.get(&Val::from(name.to_owned())) {
                Some(bound) => bound.as_isize().map_or(absent, |n| counted(n).unwrap_or(0).min(length)),
                None => absent,
            };
            let (start, end) = (bound("start", 0), bound("end", length));
            Ok(start..end.max(start))
        }
        _ => Err(Error::str(format!("Cannot delete field {} of an array", compact(index)))),
    }
}

/// A value that is told: text as it is, everything else as JSON.
fn message(value: &Val, end: &str) -> Vec<u8> {
    let layout = Layout { indent: None, is_raw: true, ..Layout::default() };
    let mut text = Vec::new();
    append(&mut text, value, &layout);
    text.extend_from_slice(end.as_bytes());
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{InputMode, Program, Query};

    /// What a program makes of null, or its error.
    fn answer(text: &str) -> String {
        let Ok(program) = Program::compile(text, &[]) else { return format!("{text} does not compile") };
        let query = Query {
            program: &program,
            blobs: &[],
            file_name: &|_| None,
            tell: &|_| {},
            variables: &[],
            mode: InputMode::Null,
            layout: &Layout::default(),
        };
        let (mut out, mut told) = (Vec::new(), String::new());
        query.run(&mut out, &mut |_, message| told.push_str(message)).unwrap();
        String::from_utf8(out).unwrap() + &told
    }

    #[test]
    fn the_definitions_are_read_and_work() {
        let rows = [
            ("tostring", r#"[["a", 1.50, {"b": null}] | tostring]"#, r#"["[\"a\",1.5,{\"b\":null}]"]"#),
            (
                "delpaths($paths)",
                r#"{"b": 1, "a": [1, 2, 3]} | delpaths([["a", 0], ["a", 1]])"#,
                r#"{"b":1,"a":[3]}"#,
            ),
            ("del(f)", r#"{"c": 1, "b": 2, "a": 3} | del(.b)"#, r#"{"c":1,"a":3}"#),
            ("join($separator)", r#"["a", null, 1, true] | join("-")"#, r#""a--1-true""#),
            ("@csv", r#"["a\"b", null, 1] | @csv"#, r#""\"a\"\"b\",,1""#),
            ("@tsv", r#"["a\tb", null, 1] | @tsv"#, r#""a\\tb\t\t1""#),
            (
                "from_entries",
                r#"[{"name": "a", "value": 1}, {"key": false, "value": null}, {"k": 3, "v": 4}] | from_entries"#,
                r#"{"a":1,"false":null,"3":4}"#,
            ),
            ("IN(values)", "[2, 3 | IN(1, 2)]", "[true,false]"),
            ("IN(items; values)", "[IN(1, 2; 2, 3), IN(1; 2)]", "[true,false]"),
            ("INDEX(items; key)", r#"INDEX({"k": 1}, {"k": 2}; .k)"#, r#"{"1":{"k":1},"2":{"k":2}}"#),
            ("INDEX(key)", r#"[{"k": "a"}] | INDEX(.k)"#, r#"{"a":{"k":"a"}}"#),
            ("leaf_paths", r#"[{"a": [1]} | leaf_paths]"#, r#"[["a",0]]"#),
            ("toarray", "[[1], 2 | toarray]", "[[1],[2]]"),
            ("trimstr($part)", r#""xxaxx" | trimstr("x")"#, r#""xax""#),
            ("input_line_number", "input_line_number", "0"),
            ("tostream", r#"[{"a": [1]} | tostream]"#, r#"[[["a",0],1],[["a",0]],[["a"]]]"#),
        ];
        let all = definitions().map(|found| match found.args.as_slice() {
            [] => found.name.to_owned(),
            arguments => format!("{}({})", found.name, arguments.join("; ")),
        });
        let all: Vec<String> = all.collect();
        // Those of the file come last, so that they count in place of jaq's.
        let named = include_str!("definitions.jq").lines().filter_map(|line| line.strip_prefix("def "));
        let named: Vec<&str> = named.map(|line| line.split(':').next().unwrap()).collect();
        assert_eq!(all[all.len() - named.len()..], named);
        assert_eq!(rows.map(|(name, ..)| name).as_slice(), named);
        for (name, program, expected) in rows {
            assert_eq!(answer(program), expected, "{name}");
        }
    }
    #[test]
    fn a_text_is_one_value() {
        for (program, expected) in [
            (r#"["12", "1.5e1", "-3" | tonumber]"#, "[12,15,-3]"),
            (r#"["1a", "0x10", "1.2.3", "1 2", "" | [tonumber?]]"#, "[[],[],[],[],[]]"),
            (r#"["{\"a\":[1]}", "null" | fromjson]"#, r#"[{"a":[1]},null]"#),
            (r#"["1 2", "" | [fromjson?]]"#, "[[],[]]"),
            (r#"[1 | fromjson?]"#, "[]"),
        ] {
            assert_eq!(answer(program), expected, "{program}");
        }
    }
}
