//! Text in HTML.

use std::fmt::{self, Display, Formatter, Write};

/// A text as it is.
pub(crate) struct Text<'a>(pub(crate) &'a str);

impl Display for Text<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for c in self.0.chars() {
            match c {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                c => f.write_char(c)?,
            }
        }
        Ok(())
    }
}

/// A text whose `code` is marked as such.
pub(crate) struct Prose<'a>(pub(crate) &'a str);

impl Display for Prose<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (n, part) in self.0.split('`').enumerate() {
            match n % 2 {
                0 => write!(f, "{}", Text(part))?,
                _ => write!(f, "<code>{}</code>", Text(part))?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_tags_come_through() {
        assert_eq!(
            Prose("a <b> `c & d` \"").to_string(),
            "a &lt;b&gt; <code>c &amp; d</code> &quot;"
        );
    }
}
