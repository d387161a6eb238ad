//! Text in which nothing is hidden: what a person approves must be what they see.

/// Writes out every character that has no shape of its own or reorders others: controls, zero-width and
/// bidirectional marks, variation selectors and tags (`⟨U+202E⟩`). Line breaks are written out as well,
/// so one argument is one line.
pub(super) fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if is_hidden(c) {
            shown.push_str(&format!("⟨U+{:04X}⟩", u32::from(c)));
        } else {
            shown.push(c);
        }
    }
    shown
}

/// Unicode 16: the general categories Cc, Cf, Zl, Zp and Co, noncharacters, default-ignorable characters,
/// those with an empty shape, and spaces other than the common one.
fn is_hidden(c: char) -> bool {
    c.is_control()
        || (c.is_whitespace() && c != ' ')
        || u32::from(c) & 0xfffe == 0xfffe
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}'
            | '\u{890}'..='\u{891}' | '\u{8e2}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{e000}'..='\u{f8ff}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fdd0}'..='\u{fdef}' | '\u{fff0}'..='\u{fffb}' | '\u{16fe4}' | '\u{1d159}'
            | '\u{110bd}' | '\u{110cd}' | '\u{13430}'..='\u{1343f}' | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}' | '\u{f0000}'..='\u{10ffff}')
}

#[cfg(test)]
mod tests {
    use super::visible;

    #[test]
    fn what_hides_is_written_out() {
        assert_eq!(visible("rm -rf /tmp/ü 日本"), "rm -rf /tmp/ü 日本");
        assert_eq!(
            visible("a\u{202e}b\u{200b}c\nd\u{a0}e\u{e0041}"),
            "a⟨U+202E⟩b⟨U+200B⟩c⟨U+000A⟩d⟨U+00A0⟩e⟨U+E0041⟩"
        );
    }
}
