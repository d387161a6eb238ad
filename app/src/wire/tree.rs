//! JSON as a tree. What the server sends the page has no fractions; without them the browser needs no code that reads and
//! writes floating point, which is a twentieth of the first part.

use super::Unreadable;

/// How deep it may go: it is read by recursion, and the browser's stack is small.
const DEPTH: usize = 64;

#[derive(Debug, PartialEq)]
pub(super) enum Node {
    Null,
    Bool(bool),
    Whole(i64),
    Text(String),
    List(Vec<Node>),
    Map(Vec<(String, Node)>),
}

/// Reads all of a text.
pub(super) fn parse(json: &str) -> Result<Node, Unreadable> {
    let mut reader = Reader { json, at: 0 };
    let node = reader.node(0)?;
    reader.skip_space();
    match reader.at == json.len() {
        true => Ok(node),
        false => Err(Unreadable),
    }
}

struct Reader<'a> {
    json: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn node(&mut self, depth: usize) -> Result<Node, Unreadable> {
        if depth > DEPTH {
            return Err(Unreadable);
        }
        self.skip_space();
        match self.peek() {
            Some(b'n') => self.word("null", Node::Null),
            Some(b't') => self.word("true", Node::Bool(true)),
            Some(b'f') => self.word("false", Node::Bool(false)),
            Some(b'"') => self.text().map(Node::Text),
            Some(b'[') => {
                let mut list = Vec::new();
                while self.goes_on(b'[', b']')? {
                    list.push(self.node(depth + 1)?);
                }
                Ok(Node::List(list))
            }
            Some(b'{') => {
                let mut map = Vec::new();
                while self.goes_on(b'{', b'}')? {
                    self.skip_space();
                    let key = self.text()?;
                    self.skip_space();
                    self.expect(b':')?;
                    map.push((key, self.node(depth + 1)?));
                }
                Ok(Node::Map(map))
            }
            _ => self.whole(),
        }
    }

    /// Whether a list or a map has one more, at its beginning or after one.
    fn goes_on(&mut self, open: u8, close: u8) -> Result<bool, Unreadable> {
        self.skip_space();
        let begins = self.peek() == Some(open);
        match self.peek() {
            Some(byte) if byte == open || byte == b',' => self.at += 1,
            Some(byte) if byte == close => {
                self.at += 1;
                return Ok(false);
            }
            _ => return Err(Unreadable),
        }
        self.skip_space();
        if begins && self.peek() == Some(close) {
            self.at += 1;
            return Ok(false);
        }
        Ok(true)
    }

    fn text(&mut self) -> Result<String, Unreadable> {
        self.expect(b'"')?;
        let mut text = String::new();
        loop {
            let rest = self.json.get(self.at..).ok_or(Unreadable)?;
            let end = rest.find(['"', '\\']).ok_or(Unreadable)?;
            text.push_str(&rest[..end]);
            self.at += end + 1;
            if rest.as_bytes().get(end) == Some(&b'"') {
                return Ok(text);
            }
            text.push(self.escaped()?);
        }
    }

    fn escaped(&mut self) -> Result<char, Unreadable> {
        let kind = self.peek().ok_or(Unreadable)?;
        self.at += 1;
        Ok(match kind {
            b'"' | b'\\' | b'/' => char::from(kind),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let mut units = [self.unit()?, 0];
                let mut read = 1;
                if (0xD800..0xDC00).contains(&units[0]) {
                    self.expect(b'\\')?;
                    self.expect(b'u')?;
                    units[1] = self.unit()?;
                    read = 2;
                }
                let mut chars = char::decode_utf16(units.into_iter().take(read));
                chars.next().and_then(Result::ok).ok_or(Unreadable)?
            }
            _ => return Err(Unreadable),
        })
    }

    fn unit(&mut self) -> Result<u16, Unreadable> {
        let digits = self.json.get(self.at..self.at + 4).ok_or(Unreadable)?;
        self.at += 4;
        u16::from_str_radix(digits, 16).map_err(|_| Unreadable)
    }

    fn whole(&mut self) -> Result<Node, Unreadable> {
        let rest = &self.json[self.at..];
        let is_part =
            |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E');
        let length = rest.bytes().take_while(|byte| is_part(byte)).count();
        self.at += length;
        rest[..length]
            .parse()
            .map(Node::Whole)
            .map_err(|_| Unreadable)
    }

    fn word(&mut self, word: &str, node: Node) -> Result<Node, Unreadable> {
        if !self.json[self.at..].starts_with(word) {
            return Err(Unreadable);
        }
        self.at += word.len();
        Ok(node)
    }

    fn expect(&mut self, byte: u8) -> Result<(), Unreadable> {
        if self.peek() != Some(byte) {
            return Err(Unreadable);
        }
        self.at += 1;
        Ok(())
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.json.as_bytes().get(self.at).copied()
    }
}
