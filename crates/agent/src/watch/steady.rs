//! A terminal on which every character stands where it was put, however wide the terminal draws the one before it.
//!
//! A terminal moves its cursor by its own measure. Where that differs from ours, all that follows in the row would be
//! drawn elsewhere, over other text or past the edge. So the cursor is placed anew for each character that may differ,
//! and the traces such a one may leave behind are wiped when it goes.

use std::collections::HashMap;

use ratatui::{
    backend::{Backend, ClearType, WindowSize},
    buffer::{Cell, CellWidth},
    layout::{Position, Size},
};

use super::cells;

/// Draws through another backend.
pub(super) struct Steady<B> {
    through: B,
    /// How many cells each character that is not ASCII may take, by its place.
    odd: HashMap<(u16, u16), u16>,
}

impl<B> Steady<B> {
    pub(super) fn new(through: B) -> Self {
        Self {
            through,
            odd: HashMap::new(),
        }
    }
}

/// Empty cells from a place on.
fn blanks(x: u16, y: u16, like: &Cell, count: u16) -> Vec<(u16, u16, Cell)> {
    let mut blank = like.clone();
    blank.set_symbol(" ");
    let places = x..x.saturating_add(count);
    places.map(|x| (x, y, blank.clone())).collect()
}

impl<B: Backend> Backend for Steady<B> {
    type Error = B::Error;

    fn draw<'a, I>(&mut self, content: I) -> Result<(), Self::Error>
    where
        I: Iterator<Item = (u16, u16, &'a Cell)>,
    {
        let width = self.through.size()?.width;
        let content: Vec<_> = content.collect();
        // Before anything else, since a wiped cell may be written anew.
        let mut plain = Vec::with_capacity(content.len());
        for &(x, y, cell) in &content {
            if let Some(count) = self.odd.remove(&(x, y)) {
                plain.extend(blanks(x, y, cell, count.min(width.saturating_sub(x))));
            }
        }
        let mut odd = Vec::new();
        for &(x, y, cell) in &content {
            if cell.symbol().is_ascii() {
                plain.push((x, y, cell.clone()));
                continue;
            }
            let ours = cell.cell_width();
            plain.extend(blanks(x, y, cell, ours));
            let most = cells::most(cell.symbol()).try_into().unwrap_or(u16::MAX);
            self.odd.insert((x, y), ours.max(most));
            odd.push((x, y, cell));
        }
        // The backend places the cursor wherever one does not follow the other, and at its first.
        let plain = plain.iter().map(|(x, y, cell)| (*x, *y, cell));
        self.through.draw(plain)?;
        for one in odd {
            self.through.draw(std::iter::once(one))?;
        }
        Ok(())
    }

    fn hide_cursor(&mut self) -> Result<(), Self::Error> {
        self.through.hide_cursor()
    }

    fn show_cursor(&mut self) -> Result<(), Self::Error> {
        self.through.show_cursor()
    }

    fn get_cursor_position(&mut self) -> Result<Position, Self::Error> {
        self.through.get_cursor_position()
    }

    fn set_cursor_position<P: Into<Position>>(&mut self, position: P) -> Result<(), Self::Error> {
        self.through.set_cursor_position(position)
    }

    fn clear(&mut self) -> Result<(), Self::Error> {
        self.odd.clear();
        self.through.clear()
    }

    fn clear_region(&mut self, region: ClearType) -> Result<(), Self::Error> {
        if region == ClearType::All {
            self.odd.clear();
        }
        self.through.clear_region(region)
    }

    fn size(&self) -> Result<Size, Self::Error> {
        self.through.size()
    }

    fn window_size(&mut self) -> Result<WindowSize, Self::Error> {
        self.through.window_size()
    }

    fn flush(&mut self) -> Result<(), Self::Error> {
        self.through.flush()
    }
}

#[cfg(test)]
mod tests {
    use std::{cell::RefCell, io::Write, rc::Rc};

    use ratatui::{
        Terminal, TerminalOptions, Viewport, backend::CrosstermBackend, layout::Rect, style::Style,
        text::Line, widgets::Paragraph,
    };

    use super::*;
    use crate::watch::fold::folded;

    const WIDTH: u16 = 40;
    const HEIGHT: u16 = 8;

    /// A terminal that adds up the width of each character by itself, and wraps.
    struct Emulator {
        rows: Vec<Vec<String>>,
        x: usize,
        y: usize,
        wide: fn(char) -> usize,
    }

    /// The second cell of a wide character.
    const SECOND: &str = "";

    impl Emulator {
        fn new(wide: fn(char) -> usize) -> Self {
            let row = vec![" ".to_owned(); WIDTH.into()];
            Self {
                rows: vec![row; HEIGHT.into()],
                x: 0,
                y: 0,
                wide,
            }
        }

        fn feed(&mut self, text: &str) {
            let mut rest = text.chars();
            while let Some(c) = rest.next() {
                if c != '\u{1b}' {
                    self.put(c);
                    continue;
                }
                assert_eq!(rest.next(), Some('['));
                let mut arguments = String::new();
                let end = loop {
                    match rest.next().unwrap() {
                        end if end.is_ascii_alphabetic() => break end,
                        other => arguments.push(other),
                    }
                };
                if end == 'H' {
                    let (y, x) = arguments.split_once(';').unwrap();
                    (self.y, self.x) = (y.parse().unwrap(), x.parse().unwrap());
                    (self.y, self.x) = (self.y - 1, self.x - 1);
                }
            }
        }

        fn put(&mut self, c: char) {
            let wide = (self.wide)(c);
            if wide == 0 {
                let before = self.rows[self.y][..self.x].iter_mut();
                if let Some(last) = before.rev().find(|it| *it != SECOND) {
                    last.push(c);
                }
                return;
            }
            if self.x + wide > WIDTH.into() {
                (self.x, self.y) = (0, (self.y + 1).min(usize::from(HEIGHT) - 1));
            }
            for at in self.x..self.x + wide {
                self.wipe(at);
            }
            self.rows[self.y][self.x] = c.to_string();
            for at in self.x + 1..self.x + wide {
                self.rows[self.y][at] = SECOND.to_owned();
            }
            self.x += wide;
        }

        /// Half of a wide character takes the other half along.
        fn wipe(&mut self, at: usize) {
            let row = &mut self.rows[self.y];
            let first = (0..=at).rev().find(|at| row[*at] != SECOND).unwrap_or(0);
            let ends = (first + 1..row.len()).find(|at| row[*at] != SECOND);
            for cell in &mut row[first..ends.unwrap_or(usize::from(WIDTH))] {
                if cell == SECOND || first < at {
                    *cell = " ".to_owned();
                }
            }
            row[at] = " ".to_owned();
        }

        fn shows(&self) -> Vec<String> {
            let rows = self.rows.iter();
            rows.map(|row| row.concat().replace(' ', "")).collect()
        }
    }

    #[derive(Clone, Default)]
    struct Bytes(Rc<RefCell<Vec<u8>>>);

    impl Write for Bytes {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.borrow_mut().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    /// As glibc counts: a mark that takes room takes a cell.
    fn marks_take_room(c: char) -> usize {
        match c {
            '\u{301}' | '\u{fe00}'..='\u{fe0f}' | '\u{200d}' => 0,
            '☰' => 1,
            c => cells::most(c.encode_utf8(&mut [0; 4])),
        }
    }

    /// As others do.
    fn marks_take_none(c: char) -> usize {
        match c {
            '\u{bbe}' => 0,
            c => marks_take_room(c),
        }
    }

    #[test]
    fn whatever_a_terminal_measures_every_character_stands_where_it_was_put() {
        let tail = ";{rm,-rf,/data}";
        let texts = [
            format!("echo {}{tail}", "க\u{bbe}".repeat(45)),
            format!("set {}then\u{a0}drop", "⌚\u{fe0e}".repeat(31)),
            format!("echo ☰{tail};☰x ☑\u{fe0f}{tail} ☑\u{fe0f} 👩\u{200d}👧 {tail}"),
            "漢字".repeat(30) + tail,
            "an acknowledgement that says nothing but more than one row".to_owned(),
            format!("⚠\u{fe0f} x {}", "y".repeat(33)),
        ];
        for wide in [marks_take_room, marks_take_none] {
            let bytes = Bytes::default();
            let backend = Steady::new(Fixed(CrosstermBackend::new(bytes.clone())));
            let area = Rect::new(0, 0, WIDTH, HEIGHT);
            let options = TerminalOptions {
                viewport: Viewport::Fixed(area),
            };
            let mut terminal = Terminal::with_options(backend, options).unwrap();
            let mut emulator = Emulator::new(wide);
            // Each comes after each.
            let each = texts
                .iter()
                .flat_map(|one| texts.iter().flat_map(move |other| [one, other]));
            for text in each {
                let characters = text.chars().map(|c| (c, Style::new()));
                let lines: Vec<Line<'_>> = folded(characters, WIDTH);
                let expected: Vec<String> = lines
                    .iter()
                    .map(|line| line.to_string().replace(' ', ""))
                    .chain(std::iter::repeat(String::new()))
                    .take(HEIGHT.into())
                    .collect();
                terminal
                    .draw(|frame| frame.render_widget(Paragraph::new(lines), area))
                    .unwrap();
                let said = std::mem::take(&mut *bytes.0.borrow_mut());
                emulator.feed(&String::from_utf8(said).unwrap());
                assert_eq!(emulator.shows(), expected, "{text}");
            }
        }
    }

    /// A size of its own: there is no terminal here to ask.
    struct Fixed<B>(B);

    impl<B: Backend> Backend for Fixed<B> {
        type Error = B::Error;

        fn draw<'a, I>(&mut self, content: I) -> Result<(), Self::Error>
        where
            I: Iterator<Item = (u16, u16, &'a Cell)>,
        {
            self.0.draw(content)
        }

        fn hide_cursor(&mut self) -> Result<(), Self::Error> {
            self.0.hide_cursor()
        }

        fn show_cursor(&mut self) -> Result<(), Self::Error> {
            self.0.show_cursor()
        }

        fn get_cursor_position(&mut self) -> Result<Position, Self::Error> {
            Ok(Position::ORIGIN)
        }

        fn set_cursor_position<P: Into<Position>>(&mut self, at: P) -> Result<(), Self::Error> {
            self.0.set_cursor_position(at)
        }

        fn clear(&mut self) -> Result<(), Self::Error> {
            self.0.clear()
        }

        fn clear_region(&mut self, region: ClearType) -> Result<(), Self::Error> {
            self.0.clear_region(region)
        }

        fn size(&self) -> Result<Size, Self::Error> {
            Ok(Size::new(WIDTH, HEIGHT))
        }

        fn window_size(&mut self) -> Result<WindowSize, Self::Error> {
            self.0.window_size()
        }

        fn flush(&mut self) -> Result<(), Self::Error> {
            self.0.flush()
        }
    }
}
