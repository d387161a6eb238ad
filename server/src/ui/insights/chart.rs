//! Charts as SVG: bars over a line of days, with a scale beside them. A chart stretches to the room there is, so no text stands in
//! it but on the scale; all that it shows is in the table below it.

use std::fmt::Write;

use crate::plain_page::html::Text;

/// How high charts are, in pixels.
pub(super) const HEIGHT: f64 = 140.0;
/// Room above the highest mark, for its words.
const TOP: f64 = 8.0;
/// How wide a day is, of which bars leave some free.
pub(super) const DAY: f64 = 10.0;

/// A mark on the scale.
pub(super) struct Mark {
    /// From 0 at the bottom to 1 at the top.
    pub(super) at: f64,
    pub(super) words: String,
}

/// A bar, or a part of one.
pub(super) struct Bar {
    /// How many days from the left.
    pub(super) day: usize,
    /// From 0 at the bottom to 1 at the top.
    pub(super) from: f64,
    pub(super) to: f64,
    /// Which colour.
    pub(super) class: &'static str,
    /// What it says to a pointer.
    pub(super) words: String,
}

/// A chart of so many days. `name` says what it shows, and `ends` are the words below its left and right end.
pub(super) fn chart(
    name: &str,
    days: usize,
    marks: &[Mark],
    bars: &[Bar],
    ends: (&str, &str),
) -> String {
    let width = DAY * days as f64;
    let mut scale = String::new();
    let mut drawn = String::new();
    for mark in marks {
        let y = y(mark.at);
        // Writing to a string cannot fail.
        let _ = write!(
            scale,
            "<text x=\"56\" y=\"{:.1}\">{}</text>",
            y + 4.0,
            Text(&mark.words)
        );
        let _ = write!(
            drawn,
            "<rect class=\"chart-line\" x=\"0\" y=\"{y:.1}\" width=\"{width}\" height=\"1\"/>"
        );
    }
    for bar in bars {
        let (bottom, top) = (y(bar.from), y(bar.to));
        let _ = write!(
            drawn,
            "<rect class=\"{class}\" x=\"{x:.1}\" y=\"{top:.1}\" width=\"{wide:.1}\" height=\"{high:.1}\">\
             <title>{words}</title></rect>",
            class = bar.class,
            x = DAY * bar.day as f64 + DAY * 0.1,
            wide = DAY * 0.8,
            // What is there can be seen.
            high = (bottom - top).max(1.0),
            words = Text(&bar.words),
        );
    }
    let (first, last) = ends;
    format!(
        "<div class=\"chart\"><svg class=\"chart-scale\" viewBox=\"0 0 60 {HEIGHT}\" width=\"60\" height=\"{HEIGHT}\" aria-hidden=\"true\">{scale}</svg>\
         <svg class=\"chart-plot\" viewBox=\"0 0 {width} {HEIGHT}\" height=\"{HEIGHT}\" preserveAspectRatio=\"none\" role=\"img\" \
         aria-label=\"{name}\">{drawn}</svg>\
         <p class=\"chart-ends\" aria-hidden=\"true\"><span>{first}</span><span>{last}</span></p></div>",
        name = Text(name),
    )
}

fn y(at: f64) -> f64 {
    TOP + (HEIGHT - TOP - 1.0) * (1.0 - at.clamp(0.0, 1.0))
}

/// The marks of a scale of numbers, and what stands at its top.
pub(super) fn numbers(most: u64) -> (Vec<Mark>, f64) {
    let top = round(most.max(1));
    let marks = [0_u32, 1, 2].map(|half| Mark {
        at: f64::from(half) / 2.0,
        words: match half {
            // Half of an odd number of things is nothing to count.
            1 if top % 2 == 1 => String::new(),
            half => (top / 2 * u64::from(half) + top % 2 * u64::from(half / 2)).to_string(),
        },
    });
    let marks = marks.into_iter().filter(|mark| !mark.words.is_empty());
    (marks.collect(), top as f64)
}

/// The next of 1, 2, 5, 10, 20, 50, ...
pub(super) fn round(most: u64) -> u64 {
    let mut step = 1_u64;
    loop {
        for factor in [1, 2, 5] {
            let top = step.saturating_mul(factor);
            if top >= most {
                return top;
            }
        }
        step = step.saturating_mul(10);
    }
}

/// What a colour stands for.
pub(super) fn legend(entries: &[(&str, &str)]) -> String {
    let entries: String = entries
        .iter()
        .map(|(class, words)| {
            format!(
                "<li><svg viewBox=\"0 0 10 10\" width=\"10\" height=\"10\" aria-hidden=\"true\"><rect class=\"{class}\" width=\"10\" \
                 height=\"10\"/></svg>{words}</li>"
            )
        })
        .collect();
    format!("<ul class=\"chart-legend\">{entries}</ul>")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scale_ends_with_a_round_number() {
        for (most, top) in [
            (0, 1),
            (1, 1),
            (2, 2),
            (3, 5),
            (6, 10),
            (11, 20),
            (4_999, 5_000),
        ] {
            let (marks, found) = numbers(most);
            assert_eq!(found, top as f64, "{most}");
            assert_eq!(marks.last().unwrap().words, top.to_string());
        }
        assert_eq!(round(u64::MAX), u64::MAX);
        let words = |most| {
            let (marks, _) = numbers(most);
            marks.into_iter().map(|mark| mark.words).collect::<Vec<_>>()
        };
        assert_eq!(words(10), ["0", "5", "10"]);
        assert_eq!(words(1), ["0", "1"]);
    }

    #[test]
    fn bars_stand_on_the_bottom_and_end_below_the_top() {
        let bar = Bar {
            day: 1,
            from: 0.0,
            to: 2.0,
            class: "fill-people",
            words: "<1>".into(),
        };
        let drawn = chart("n", 2, &[], &[bar], ("a", "b"));
        assert!(
            drawn.contains(
                "x=\"11.0\" y=\"8.0\" width=\"8.0\" height=\"131.0\"><title>&lt;1&gt;</title>"
            ),
            "{drawn}"
        );
    }
}
