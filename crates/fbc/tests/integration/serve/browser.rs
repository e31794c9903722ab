//! Chromium, driven over its debugging pipe: no network, and keys, colours and widths as a person has them.

use std::fs::{File, OpenOptions};
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

/// A browser with one page. It ends with the test, or after two minutes.
pub(crate) struct Browser {
    child: Child,
    commands: File,
    messages: BufReader<File>,
    sent: u64,
    session: Option<String>,
    /// What went wrong in the page: errors of its script, and what its policy forbids.
    faults: Vec<String>,
    _folder: tempfile::TempDir,
}

/// How a browser is started, with the two ends of the pipe.
const START: &str = "commands=$1 messages=$2 profile=$3; shift 3
    exec timeout 120 chromium \"$@\" --user-data-dir=\"$profile\" --remote-debugging-pipe 3<\"$commands\" 4>\"$messages\"";

impl Browser {
    /// Starts a browser; nothing, and the test counts as skipped, where Chromium is not installed.
    pub(crate) fn start() -> Option<Self> {
        if !fbc_testing::is_installed("chromium") {
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        let [commands, messages, profile] =
            ["commands", "messages", "profile"].map(|name| folder.path().join(name));
        assert!(Command::new("mkfifo").args([&commands, &messages]).status().unwrap().success());
        let child = Command::new("sh")
            .args(["-c", START, "sh"])
            .args([&commands, &messages, &profile])
            .args(fbc_testing::browser::ARGUMENTS)
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // The order in which the shell opens them.
        let commands = OpenOptions::new().write(true).open(commands).unwrap();
        let messages = BufReader::new(File::open(messages).unwrap());
        let mut browser =
            Self { child, commands, messages, sent: 0, session: None, faults: Vec::new(), _folder: folder };
        let target = browser.call("Target.createTarget", json!({"url": "about:blank"}))["targetId"].clone();
        let attached = browser.call("Target.attachToTarget", json!({"targetId": target, "flatten": true}));
        browser.session = Some(attached["sessionId"].as_str().unwrap().to_owned());
        for domain in ["Page", "Runtime", "Log"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        Some(browser)
    }

    fn message(&mut self) -> Value {
        let mut bytes = Vec::new();
        self.messages.read_until(0, &mut bytes).unwrap();
        assert!(bytes.pop().is_some(), "the browser ended");
        let message: Value = serde_json::from_slice(&bytes).unwrap();
        match message["method"].as_str() {
            Some("Log.entryAdded") => self.faults.push(message["params"]["entry"]["text"].to_string()),
            Some("Runtime.exceptionThrown") => self.faults.push(message["params"].to_string()),
            _ => {}
        }
        message
    }

    fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.sent += 1;
        let mut command = json!({"id": self.sent, "method": method, "params": parameters});
        if let Some(session) = &self.session {
            command["sessionId"] = json!(session);
        }
        self.commands.write_all(format!("{command}\0").as_bytes()).unwrap();
        loop {
            let message = self.message();
            if message["id"] == self.sent {
                // A page that is just left answers nothing.
                let has_left = message["error"]["message"] == "Inspected target navigated or closed";
                assert!(has_left || message["error"].is_null(), "{method}: {}", message["error"]);
                return message["result"].clone();
            }
        }
    }

    /// Opens an address, and waits until all of it is there.
    pub(crate) fn open(&mut self, address: &str) {
        // What is left of the page before is not of interest.
        self.call("Page.navigate", json!({"url": "about:blank"}));
        self.call("Page.navigate", json!({"url": address}));
        self.settled();
    }

    /// Waits until the page that is there, or on its way, is whole.
    pub(crate) fn settled(&mut self) {
        while self.see("document.readyState === 'complete' && location.href !== 'about:blank'") != true {}
    }

    /// What an expression of JavaScript says in the page; null where it leads to another page.
    pub(crate) fn see(&mut self, expression: &str) -> Value {
        let parameters = json!({"expression": expression, "returnByValue": true, "awaitPromise": true});
        let result = self.call("Runtime.evaluate", parameters);
        assert_eq!(result["exceptionDetails"], Value::Null, "{expression}");
        result["result"]["value"].clone()
    }

    /// Presses a key.
    pub(crate) fn press(&mut self, key: &str) {
        let text = match key {
            "Enter" => "\r",
            one if one.chars().count() == 1 => one,
            _ => "",
        };
        let code = match key {
            "Enter" => 13,
            "Escape" => 27,
            "Tab" => 9,
            "ArrowDown" => 40,
            _ => 0,
        };
        let event =
            |kind: &str| json!({"type": kind, "key": key, "text": text, "windowsVirtualKeyCode": code});
        self.call("Input.dispatchKeyEvent", event("keyDown"));
        self.call(
            "Input.dispatchKeyEvent",
            json!({"type": "keyUp", "key": key, "windowsVirtualKeyCode": code}),
        );
    }

    /// Types a text.
    pub(crate) fn enter(&mut self, text: &str) {
        self.call("Input.insertText", json!({"text": text}));
    }

    /// Makes the window so wide, in pixels, and its colours light or dark.
    pub(crate) fn look(&mut self, width: u32, scheme: &str) {
        let size = json!({"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600});
        self.call("Emulation.setDeviceMetricsOverride", size);
        let features = json!([{"name": "prefers-color-scheme", "value": scheme}]);
        self.call("Emulation.setEmulatedMedia", json!({"features": features}));
    }

    /// What went wrong since it was asked last.
    pub(crate) fn faults(&mut self) -> Vec<String> {
        std::mem::take(&mut self.faults)
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // One that has ended already cannot be ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
