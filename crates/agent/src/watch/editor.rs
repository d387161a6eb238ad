//! A text while it is typed: several lines, and where the next character goes.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// The place is a number of bytes, at the beginning of a character.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Editor {
    pub(super) text: String,
    pub(super) at: usize,
}

impl Editor {
    /// Types, deletes or moves; other keys do nothing.
    pub(super) fn press(&mut self, key: KeyEvent) {
        let control = KeyModifiers::CONTROL | KeyModifiers::ALT;
        match key.code {
            KeyCode::Char(c) if !key.modifiers.intersects(control) => {
                self.insert(c.encode_utf8(&mut [0; 4]));
            }
            KeyCode::Enter => self.insert("\n"),
            KeyCode::Tab => self.insert("\t"),
            KeyCode::Backspace => {
                let end = self.at;
                self.left();
                self.text.replace_range(self.at..end, "");
            }
            KeyCode::Delete => {
                let start = self.at;
                self.right();
                self.text.replace_range(start..self.at, "");
                self.at = start;
            }
            KeyCode::Left => self.left(),
            KeyCode::Right => self.right(),
            KeyCode::Home => self.at = self.line_start(self.at),
            KeyCode::End => self.at = self.line_end(self.at),
            KeyCode::Up => {
                let start = self.line_start(self.at);
                if let Some(before) = start.checked_sub(1) {
                    self.at = self.in_line(self.line_start(before), start);
                }
            }
            KeyCode::Down => {
                let end = self.line_end(self.at);
                if end < self.text.len() {
                    self.at = self.in_line(end + 1, self.line_start(self.at));
                }
            }
            _ => {}
        }
    }

    /// As it is pasted: line breaks are the text's own, even if the terminal changes them.
    pub(super) fn paste(&mut self, text: &str) {
        self.insert(&text.replace("\r\n", "\n").replace('\r', "\n"));
    }

    fn insert(&mut self, text: &str) {
        self.text.insert_str(self.at, text);
        self.at += text.len();
    }

    fn left(&mut self) {
        let before = self.text[..self.at].chars().next_back();
        self.at -= before.map_or(0, char::len_utf8);
    }

    fn right(&mut self) {
        let after = self.text[self.at..].chars().next();
        self.at += after.map_or(0, char::len_utf8);
    }

    fn line_start(&self, at: usize) -> usize {
        self.text[..at].rfind('\n').map_or(0, |end| end + 1)
    }

    fn line_end(&self, at: usize) -> usize {
        let rest = self.text[at..].find('\n');
        rest.map_or(self.text.len(), |end| at + end)
    }

    /// The place in the line that begins at `start`, as far in as this one is in the line from `from`.
    fn in_line(&self, start: usize, from: usize) -> usize {
        let column = self.text[from..self.at].chars().count();
        let line = &self.text[start..self.line_end(start)];
        let offset = line.char_indices().nth(column);
        start + offset.map_or(line.len(), |(offset, _)| offset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn press(editor: &mut Editor, codes: &[KeyCode]) {
        for code in codes {
            editor.press(KeyEvent::new(*code, KeyModifiers::NONE));
        }
    }

    #[test]
    fn lines_are_typed_and_mended() {
        let mut editor = Editor::default();
        editor.paste("é1\r\n22\r3");
        assert_eq!(editor.text, "é1\n22\n3");
        press(&mut editor, &[KeyCode::Up, KeyCode::Up, KeyCode::Backspace]);
        assert_eq!(editor.text, "1\n22\n3");
        press(
            &mut editor,
            &[KeyCode::End, KeyCode::Down, KeyCode::Char('x')],
        );
        assert_eq!(editor.text, "1\n2x2\n3");
        press(
            &mut editor,
            &[KeyCode::Home, KeyCode::Delete, KeyCode::Enter],
        );
        assert_eq!(editor.text, "1\n\nx2\n3");
        press(&mut editor, &[KeyCode::Down, KeyCode::Down, KeyCode::Down]);
        press(
            &mut editor,
            &[KeyCode::Right, KeyCode::Right, KeyCode::Delete],
        );
        assert_eq!((editor.text.as_str(), editor.at), ("1\n\nx2\n3", 7));
        let control = KeyEvent::new(KeyCode::Char('w'), KeyModifiers::CONTROL);
        editor.press(control);
        assert_eq!(editor.text, "1\n\nx2\n3");
    }
}
