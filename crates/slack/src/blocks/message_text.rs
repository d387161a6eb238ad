//! The text of a message, as its author wrote it. Slack sends entities for `& < >`, and puts addresses,
//! people and channels between `<` and `>`.

/// The text as it was typed.
pub fn decode_message_text(text: &str) -> String {
    let mut decoded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find('<') {
        let (before, marked) = rest.split_at(start);
        decoded.push_str(&entities(before));
        // Slack never leaves one of these alone; a lone one is no markup.
        let Some(end) = marked[1..]
            .find(['<', '>'])
            .filter(|end| marked[1..][*end..].starts_with('>'))
        else {
            decoded.push('<');
            rest = &marked[1..];
            continue;
        };
        decoded.push_str(&typed(&marked[1..=end]));
        rest = &marked[end + 2..];
    }
    decoded.push_str(&entities(rest));
    decoded
}

/// The typed form of the text between `<` and `>`.
fn typed(marked: &str) -> String {
    let (target, label) = match marked.split_once('|') {
        Some((target, label)) => (
            target,
            Some(entities(label)).filter(|label| !label.is_empty()),
        ),
        None => (marked, None),
    };
    let target = entities(target);
    if let Some(user) = target.strip_prefix('@') {
        return format!("@{}", label.as_deref().unwrap_or(user));
    }
    if let Some(channel) = target.strip_prefix('#') {
        return format!("#{}", label.as_deref().unwrap_or(channel));
    }
    if let Some(command) = target.strip_prefix('!') {
        let name = command.split('^').next().unwrap_or(command);
        return label.unwrap_or_else(|| format!("@{name}"));
    }
    match label {
        None => {
            // Slack makes these links of texts typed without it.
            let bare = ["mailto:", "tel:"]
                .iter()
                .find_map(|it| target.strip_prefix(it));
            bare.unwrap_or(&target).to_owned()
        }
        Some(label) if is_typed(&target, &label) => label,
        Some(label) => format!("{label} ({target})"),
    }
}

/// Whether the label is the address as a person types it.
fn is_typed(target: &str, label: &str) -> bool {
    let schemes = ["", "http://", "https://", "mailto:", "tel:"];
    schemes.iter().any(|scheme| {
        let bare = target.strip_prefix(scheme);
        bare.is_some_and(|bare| bare == label || bare.strip_suffix('/') == Some(label))
    })
}

/// Once: a typed entity comes with an entity of its own.
fn entities(text: &str) -> String {
    text.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_reads_as_it_was_typed() {
        for (sent, typed) in [
            ("", ""),
            ("  two\nlines\n\n", "  two\nlines\n\n"),
            ("a &lt; b &amp;&amp; c &gt; d", "a < b && c > d"),
            // The author typed entities.
            ("&amp;lt; &amp;amp;lt;", "&lt; &amp;lt;"),
            (
                "see <https://a.example/?b=1&amp;c=2>",
                "see https://a.example/?b=1&c=2",
            ),
            ("see <http://a.example|a.example>.", "see a.example."),
            (
                "<https://a.example/|https://a.example/>",
                "https://a.example/",
            ),
            ("<https://a.example/|a.example>", "a.example"),
            (
                "<https://a.example/x|the docs>",
                "the docs (https://a.example/x)",
            ),
            (
                "<https://evil.example|https://good.example>",
                "https://good.example (https://evil.example)",
            ),
            ("<mailto:ana@a.example|ana@a.example>", "ana@a.example"),
            ("<mailto:ana@a.example>", "ana@a.example"),
            ("<tel:+4930123|+4930123>", "+4930123"),
            ("<@U12345>, <@U12345|ana>", "@U12345, @ana"),
            (
                "<#C12345|general> <#C12345> <#C12345|>",
                "#general #C12345 #C12345",
            ),
            ("<!here> <!channel> <!everyone>", "@here @channel @everyone"),
            (
                "<!subteam^S123|@backend> <!subteam^S123>",
                "@backend @subteam",
            ),
            ("<!date^1392734382^{date}|today>", "today"),
            ("`x` *b* _i_ ~s~ :tada:", "`x` *b* _i_ ~s~ :tada:"),
            // Not from Slack, but nothing is lost.
            ("a < b", "a < b"),
            ("<a <https://a.example>", "<a https://a.example"),
            ("a > b <", "a > b <"),
            ("🦀<@U1>ü", "🦀@U1ü"),
        ] {
            assert_eq!(decode_message_text(sent), typed, "{sent:?}");
        }
    }

    #[test]
    fn what_we_escape_comes_back() {
        for text in ["<!channel> & <https://a|b>", "&amp;", "x<y>z|", "<<>>&&"] {
            assert_eq!(decode_message_text(&super::super::text::escape(text)), text);
        }
    }
}
