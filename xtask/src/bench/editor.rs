//! `fbc lsp`: how long editors wait for findings after an edit, and the memory of the server, by size of the catalog.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

use serde_json::{Value, json};

use super::{catalog_text, serve};
use crate::error::{Context, TaskError, TaskResult};
use crate::random::Random;

/// Catalogs of one file: the title, and the packages of 25 bundles of 25 kB.
const CATALOGS: [(&str, usize); 3] = [("2 MB YAML", 3), ("20 MB YAML", 32), ("60 MB YAML", 96)];
const BUNDLES: usize = 25;
const BUNDLE_BYTES: usize = 25_000;

/// What breaks a document of YAML or JSON at the end of a text.
const BREAKING: &str = "\": [";

/// Shows a row for each catalog; true if all of them were measured.
pub(super) fn run(fbc: &Path, place: &Path, quick: bool) -> TaskResult<bool> {
    let edits = if quick { 50 } else { 500 };
    println!(
        "\nlanguage server, {edits} edits and as many that take them back, each until its findings come; every second one breaks \
         its document, and another one is broken all the time:"
    );
    let mut all_measured = true;
    let mut largest = None;
    for (title, packages) in CATALOGS.iter().take(if quick { 2 } else { CATALOGS.len() }) {
        let folder = place.join(title.replace(' ', "-"));
        fs::create_dir_all(&folder).context(|| format!("making {}", folder.display()))?;
        let file = folder.join("catalog.yaml");
        let text: String =
            (0..*packages).map(|index| catalog_text::package(index, BUNDLES, BUNDLE_BYTES)).collect();
        fs::write(&file, text).context(|| format!("writing {}", file.display()))?;
        all_measured &= row(fbc, title, &file, edits);
        largest = Some(folder);
    }
    if let Some(folder) = largest {
        let file = as_json(fbc, &folder, &place.join("JSON"))?;
        all_measured &= row(fbc, "the largest in JSON", &file, edits);
    }
    let _ = fs::remove_dir_all(place);
    Ok(all_measured)
}

/// Writes a catalog as one file of JSON.
fn as_json(fbc: &Path, catalog: &Path, folder: &Path) -> TaskResult<PathBuf> {
    fs::create_dir_all(folder).context(|| format!("making {}", folder.display()))?;
    let file = folder.join("catalog.json");
    let out = fs::File::create(&file).context(|| format!("writing {}", file.display()))?;
    let status = Command::new(fbc)
        .args(["render", "-o", "json"])
        .arg(catalog)
        .stdout(out)
        .status()
        .context(|| format!("starting {}", fbc.display()))?;
    if status.success() { Ok(file) } else { Err(TaskError::new(format!("rendering JSON: {status}"))) }
}

fn row(fbc: &Path, title: &str, file: &Path, edits: usize) -> bool {
    match measure(fbc, file, edits) {
        Ok(text) => {
            println!("{title:20} {text}");
            true
        }
        Err(error) => {
            println!("{title:20} failed: {error}");
            false
        }
    }
}

/// What one session of edits took, in words.
fn measure(fbc: &Path, file: &Path, edits: usize) -> TaskResult<String> {
    let text = fs::read_to_string(file).context(|| format!("reading {}", file.display()))?;
    let mut editor = Editor::start(fbc, file)?;
    let opened = editor.open(&text)?;
    let lines: Vec<&str> = text.lines().collect();
    let broken = end_of_text(&lines, lines.len() / 3);
    if let Some((line, column)) = broken {
        editor.edit(line, [column, column], BREAKING)?;
    }
    let mut random = Random::new(1);
    let mut milliseconds = Vec::new();
    while milliseconds.len() < edits * 2 {
        let number = random.next() as usize % lines.len();
        let place = end_of_text(&lines, number).filter(|place| broken.is_none_or(|other| other.0 != place.0));
        let Some((line, column)) = place else { continue };
        let typed = if milliseconds.len() % 4 == 0 { "x" } else { BREAKING };
        milliseconds.push(editor.edit(line, [column, column], typed)?);
        milliseconds.push(editor.edit(line, [column, column + typed.len()], "")?);
    }
    milliseconds.sort_by(f64::total_cmp);
    let at = |share: f64| {
        let index = ((milliseconds.len() - 1) as f64 * share) as usize;
        milliseconds.get(index).copied().unwrap_or_default()
    };
    let [now, most] = editor.memory().unwrap_or_default();
    Ok(format!(
        "open {opened:7.0} ms  median {:6.1} ms  95 % {:6.1} ms  worst {:6.1} ms  {now:6.0} MiB, at the most {most:6.0} MiB",
        at(0.5),
        at(0.95),
        at(1.0)
    ))
}

/// The next line from there whose end can be typed at: behind a word in YAML, before the quote in JSON.
fn end_of_text(lines: &[&str], from: usize) -> Option<(usize, usize)> {
    let at = |(number, line): (usize, &&str)| {
        let is_json = line.trim_start().starts_with('"');
        let end = if is_json { line.trim_end_matches(',').strip_suffix('"')?.len() } else { line.len() };
        let is_word = line.get(..end)?.ends_with(|letter: char| letter.is_ascii_alphanumeric());
        is_word.then(|| (number, line.get(..end).map_or(0, |text| text.encode_utf16().count())))
    };
    lines.iter().enumerate().skip(from).take(100).find_map(at)
}

/// The server with the streams to it; it is gone when this is dropped.
struct Editor {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    url: String,
    version: i64,
}

impl Editor {
    fn start(fbc: &Path, file: &Path) -> TaskResult<Self> {
        let mut process = Command::new(fbc)
            .arg("lsp")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context(|| format!("starting {}", fbc.display()))?;
        let (Some(input), Some(output)) = (process.stdin.take(), process.stdout.take()) else {
            return Err(TaskError::new("the server has no streams"));
        };
        let url = format!("file://{}", file.display());
        let mut editor = Self { process, input, output: BufReader::new(output), url, version: 0 };
        editor.send(&json!({ "id": 1, "method": "initialize", "params": { "capabilities": {} } }))?;
        editor.receive()?;
        editor.send(&json!({ "method": "initialized", "params": {} }))?;
        Ok(editor)
    }

    /// Opens the file; how many milliseconds passed until the findings of the whole catalog came.
    fn open(&mut self, text: &str) -> TaskResult<f64> {
        self.version = 1;
        let document = json!({ "uri": self.url, "languageId": "yaml", "version": 1, "text": text });
        self.timed(&json!({ "method": "textDocument/didOpen", "params": { "textDocument": document } }))
    }

    /// Replaces columns of a line; how many milliseconds passed until the findings came.
    fn edit(&mut self, line: usize, [from, to]: [usize; 2], text: &str) -> TaskResult<f64> {
        self.version += 1;
        let position = |character| json!({ "line": line, "character": character });
        let change = json!({ "range": { "start": position(from), "end": position(to) }, "text": text });
        self.timed(&json!({ "method": "textDocument/didChange", "params": {
            "textDocument": { "uri": self.url, "version": self.version },
            "contentChanges": [change],
        } }))
    }

    fn timed(&mut self, message: &Value) -> TaskResult<f64> {
        let begun = Instant::now();
        self.send(message)?;
        loop {
            let message = self.receive()?;
            let params = message.get("params");
            let has = |key: &str, value: &Value| params.and_then(|params| params.get(key)) == Some(value);
            if has("uri", &json!(self.url)) && has("version", &json!(self.version)) {
                return Ok(begun.elapsed().as_secs_f64() * 1e3);
            }
        }
    }

    fn send(&mut self, message: &Value) -> TaskResult {
        let mut message = message.clone();
        message["jsonrpc"] = json!("2.0");
        let text = message.to_string();
        let sent = write!(self.input, "Content-Length: {}\r\n\r\n{text}", text.len());
        sent.and_then(|()| self.input.flush()).context(|| "writing to the server".to_owned())
    }

    fn receive(&mut self) -> TaskResult<Value> {
        let what = || "reading from the server".to_owned();
        let mut length = 0;
        loop {
            let mut line = String::new();
            if self.output.read_line(&mut line).context(what)? == 0 {
                return Err(TaskError::new("the server is gone"));
            }
            match line.trim_end().split_once(": ") {
                Some(("Content-Length", number)) => length = number.parse().unwrap_or_default(),
                Some(_) => {}
                None => break,
            }
        }
        let mut body = vec![0; length];
        self.output.read_exact(&mut body).context(what)?;
        serde_json::from_slice(&body).context(what)
    }

    fn memory(&self) -> Option<[f64; 2]> {
        serve::memory(self.process.id())
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        // It ends with the benchmark in any case.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_made_at_words() {
        let lines = ["name: foo", "---", "  \"name\": \"b\",", "}"];
        assert_eq!(
            [0, 1, 2, 3].map(|from| end_of_text(&lines, from)),
            [Some((0, 9)), Some((2, 12)), Some((2, 12)), None]
        );
    }
}
