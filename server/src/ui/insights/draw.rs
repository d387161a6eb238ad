//! The charts of the page, each with a sentence of what it shows, its table and its file.

use chrono::TimeDelta;
use domain::Day;
use service::{Figures, Insights, LookBack};

use super::{
    PLACE, address,
    chart::{Bar, Mark, chart, legend, numbers},
    tables::took_or_none,
};
use crate::{
    insights::{Table, WEEKDAYS},
    plain_page::{html::Text, numbers_table::table_of},
    ui::reach::took,
};

/// How long the scale of times is: it doubles from its first mark on, or more.
const TIMES: [(i64, &str); 7] = [
    (1, "1 s"),
    (10, "10 s"),
    (60, "1 min"),
    (600, "10 min"),
    (3_600, "1 h"),
    (28_800, "8 h"),
    (172_800, "2 days"),
];

/// A part of the page: its name, a sentence, what it draws, and its table as a file.
pub(super) fn section(
    name: &str,
    sentence: &str,
    drawn: &str,
    file: Table,
    back: &LookBack,
) -> String {
    let path = format!("{PLACE}/{}", file.file());
    format!(
        "<section class=\"insight\"><div class=\"insight-head\"><h2 class=\"section-title\">{name}</h2>\
         <a class=\"button small\" href=\"{href}\" download aria-label=\"{name} as CSV\">CSV</a></div>\
         <p class=\"insight-said\">{sentence}</p>{drawn}</section>",
        href = Text(&address::of(&path, back)),
    )
}

/// A table that is shown when it is wanted.
fn below(name: &str, first: &str, heads: &[&str], lines: &[(String, Vec<String>)]) -> String {
    format!(
        "<details class=\"chart-table\"><summary>The numbers</summary>{}</details>",
        table_of(name, first, heads, lines)
    )
}

pub(super) fn summary(total: &Figures) -> String {
    let part = |count: u64| match total.ended {
        0 => "0 %".to_owned(),
        ended => format!("{} %", (count * 100 + ended / 2) / ended),
    };
    let entries = [
        ("Ended", total.ended.to_string()),
        ("Half answered within", took_or_none(total.median())),
        ("Nine in ten within", took_or_none(total.nine_in_ten())),
        ("Answered by people", part(total.by_people)),
        ("Decided by rules", part(total.by_rules)),
        ("Went on with a fallback", part(total.fallback)),
        ("Expired", part(total.expired)),
        ("Denied", part(total.denied)),
        ("Agents stood still", stood(total.stood_still)),
    ];
    let entries: String = entries
        .iter()
        .map(|(name, value)| format!("<div><dt>{name}</dt><dd>{value}</dd></div>"))
        .collect();
    format!("<dl class=\"insight-figures\">{entries}</dl>")
}

fn day(day: Day) -> String {
    day.begins().format("%Y-%m-%d").to_string()
}

fn ends_of(insights: &Insights) -> (String, String) {
    let of = |one: Option<&(Day, Figures)>| one.map_or_else(String::new, |(at, _)| day(*at));
    (of(insights.days.first()), of(insights.days.last()))
}

/// Where a time stands on its scale, which is not even: seconds and days are both on it.
fn at(time: TimeDelta) -> f64 {
    let longest = TIMES[TIMES.len() - 1].0 as f64;
    let seconds = time.as_seconds_f64().max(1.0);
    (seconds.ln() / longest.ln()).clamp(0.0, 1.0)
}

pub(super) fn times(insights: &Insights, back: &LookBack) -> String {
    let marks = TIMES.map(|(seconds, words)| Mark {
        at: at(TimeDelta::seconds(seconds)),
        words: words.to_owned(),
    });
    let mut bars = Vec::new();
    let mut lines = Vec::new();
    for (n, (of, figures)) in insights.days.iter().enumerate() {
        let (median, most) = (figures.median(), figures.nine_in_ten());
        if let (Some(median), Some(most)) = (median, most) {
            let words = format!(
                "{}: half within {}, nine in ten within {}, answered {}",
                day(*of),
                took(median),
                took(most),
                figures.by_people
            );
            let half = at(median);
            for (from, to, class) in [
                (half, at(most), "fill-most"),
                // A mark where the half is.
                (half - 0.015, half + 0.015, "fill-half"),
            ] {
                bars.push(Bar {
                    day: n,
                    from,
                    to,
                    class,
                    words: words.clone(),
                });
            }
        }
        let cells = vec![
            took_or_none(median),
            took_or_none(most),
            figures.by_people.to_string(),
        ];
        lines.push((day(*of), cells));
    }
    let total = &insights.total;
    let sentence = match (total.median(), total.nine_in_ten()) {
        (Some(median), Some(most)) => format!(
            "Of what people answered, half was answered within {}, and nine in ten within {}.",
            took(median),
            took(most)
        ),
        _ => "People have answered nothing of it.".to_owned(),
    };
    let (first, last) = ends_of(insights);
    let drawn = format!(
        "{}{}{}",
        chart(
            &format!("Time to answer by day. {sentence}"),
            insights.days.len(),
            &marks,
            &bars,
            (&first, &last)
        ),
        legend(&[("fill-half", "half"), ("fill-most", "up to nine in ten")]),
        below(
            "Time to answer by day",
            "Day",
            &["Half within", "Nine in ten within", "Answered by people"],
            &lines
        ),
    );
    section("Time to answer", &sentence, &drawn, Table::Days, back)
}

/// The ways to end, from the bottom of a bar to its top: their colours, words and numbers.
type Way = (&'static str, &'static str, fn(&Figures) -> u64);
const WAYS: [Way; 5] = [
    ("fill-people", "answered by people", |it| it.by_people),
    ("fill-rules", "decided by rules", |it| it.by_rules),
    ("fill-fallback", "went on with a fallback", |it| it.fallback),
    ("fill-expired", "expired", |it| it.expired),
    ("fill-cancelled", "taken back", |it| it.cancelled),
];

pub(super) fn ends(insights: &Insights, back: &LookBack) -> String {
    let most = insights.days.iter().map(|(_, figures)| figures.ended).max();
    let (marks, top) = numbers(most.unwrap_or_default());
    let mut bars = Vec::new();
    let mut lines = Vec::new();
    for (n, (of, figures)) in insights.days.iter().enumerate() {
        let mut from = 0.0;
        for (class, words, count) in WAYS {
            let count = count(figures);
            if count > 0 {
                let to = from + count as f64 / top;
                bars.push(Bar {
                    day: n,
                    from,
                    to,
                    class,
                    words: format!("{}: {count} {words}", day(*of)),
                });
                from = to;
            }
        }
        let mut cells = vec![figures.ended.to_string()];
        cells.extend(WAYS.map(|(_, _, count)| count(figures).to_string()));
        cells.push(figures.denied.to_string());
        lines.push((day(*of), cells));
    }
    let total = &insights.total;
    let sentence = format!(
        "Of {} that ended, {} met their deadline without an answer, agents went on with their fallback {} times, and people or rules denied {}.",
        total.ended, total.expired, total.fallback, total.denied
    );
    let (first, last) = ends_of(insights);
    let drawn = format!(
        "{}{}{}",
        chart(
            &format!("How it ended by day. {sentence}"),
            insights.days.len(),
            &marks,
            &bars,
            (&first, &last)
        ),
        legend(&WAYS.map(|(class, words, _)| (class, words))),
        below(
            "How it ended by day",
            "Day",
            &[
                "Ended",
                "By people",
                "By rules",
                "Fallback",
                "Expired",
                "Taken back",
                "Denied"
            ],
            &lines
        ),
    );
    section("How it ended", &sentence, &drawn, Table::Days, back)
}

/// How dark an hour can be.
const SHADES: u64 = 5;

pub(super) fn hours(insights: &Insights, back: &LookBack) -> String {
    let week = || insights.hours.iter().zip(WEEKDAYS);
    let most = insights.hours.iter().flatten().copied().max();
    let most = most.unwrap_or_default().max(1);
    let mut rects = String::new();
    let mut busiest = (0, String::new());
    for (y, (hours, weekday)) in week().enumerate() {
        for (x, asked) in hours.iter().enumerate() {
            // Every hour in which something was asked can be told from one in which nothing was.
            let shade = (asked * SHADES).div_ceil(most);
            let words = format!("{weekday}, {x:02}:00 to {:02}:00", x + 1);
            rects.push_str(&format!(
                "<rect class=\"heat-{shade}\" x=\"{}\" y=\"{}\" width=\"9.4\" height=\"18\"><title>{words}: {asked}</title></rect>",
                10 * x,
                20 * y,
            ));
            if *asked > busiest.0 {
                busiest = (*asked, words);
            }
        }
    }
    let sentence = format!("Most was asked on {} (UTC): {}.", busiest.1, busiest.0);
    let names: String = WEEKDAYS
        .iter()
        .enumerate()
        .map(|(n, weekday)| {
            let name = weekday.get(..3).unwrap_or_default();
            format!("<text x=\"56\" y=\"{}\">{name}</text>", 20 * n + 14)
        })
        .collect();
    let heads: Vec<String> = (0..24).map(|hour| format!("{hour:02}")).collect();
    let heads: Vec<&str> = heads.iter().map(String::as_str).collect();
    let lines: Vec<_> = week()
        .map(|(hours, weekday)| {
            let cells = hours.iter().map(ToString::to_string).collect();
            (weekday.to_owned(), cells)
        })
        .collect();
    let drawn = format!(
        "<div class=\"chart\"><svg class=\"chart-scale\" viewBox=\"0 0 60 140\" width=\"60\" height=\"140\" aria-hidden=\"true\">{names}</svg>\
         <svg class=\"chart-plot\" viewBox=\"0 0 240 140\" height=\"140\" preserveAspectRatio=\"none\" role=\"img\" \
         aria-label=\"When it is asked, by hour of the week. {sentence}\">{rects}</svg>\
         <p class=\"chart-ends\" aria-hidden=\"true\"><span>00:00</span><span>12:00</span><span>24:00 UTC</span></p></div>{}",
        below("When it is asked", "Day", &heads, &lines),
    );
    section("When it is asked", &sentence, &drawn, Table::Hours, back)
}

/// A time that is made of many, in hours; a dash where there is none.
pub(super) fn stood(millis: u64) -> String {
    if millis == 0 {
        return "–".to_owned();
    }
    let minutes = millis / 60_000;
    match minutes {
        0 => took(TimeDelta::milliseconds(
            i64::try_from(millis).unwrap_or_default(),
        )),
        1..=599 => format!("{} h {:02} min", minutes / 60, minutes % 60),
        _ => format!("{} h", minutes / 60),
    }
}

pub(super) fn stood_still(insights: &Insights, back: &LookBack) -> String {
    const HOUR: u64 = 3_600_000;
    let longest = insights.days.iter().map(|(_, it)| it.stood_still).max();
    let (marks, top) = numbers(longest.unwrap_or_default().div_ceil(HOUR));
    let marks: Vec<Mark> = marks
        .into_iter()
        .map(|mark| Mark {
            words: format!("{} h", mark.words),
            ..mark
        })
        .collect();
    let mut bars = Vec::new();
    let mut lines = Vec::new();
    for (n, (of, figures)) in insights.days.iter().enumerate() {
        if figures.stood_still > 0 {
            bars.push(Bar {
                day: n,
                from: 0.0,
                to: figures.stood_still as f64 / (HOUR as f64 * top),
                class: "fill-half",
                words: format!("{}: {}", day(*of), stood(figures.stood_still)),
            });
        }
        lines.push((day(*of), vec![stood(figures.stood_still)]));
    }
    let sentence = match insights.total.stood_still {
        0 => "No agent stood still.".to_owned(),
        millis => format!(
            "Agents stood still for {}, all of them together, until what they had stopped for ended.",
            stood(millis)
        ),
    };
    let (first, last) = ends_of(insights);
    let drawn = format!(
        "{}{}",
        chart(
            &format!("How long agents stood still, by day. {sentence}"),
            insights.days.len(),
            &marks,
            &bars,
            (&first, &last)
        ),
        below(
            "How long agents stood still",
            "Day",
            &["Stood still"],
            &lines
        ),
    );
    section(
        "How long agents stood still",
        &sentence,
        &drawn,
        Table::Days,
        back,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_and_days_are_on_one_scale() {
        let places = TIMES.map(|(seconds, _)| at(TimeDelta::seconds(seconds)));
        assert!(places.is_sorted());
        assert_eq!((places[0], places[6]), (0.0, 1.0));
        assert_eq!(at(TimeDelta::zero()), 0.0);
        assert_eq!(at(TimeDelta::days(40)), 1.0);
    }

    #[test]
    fn long_times_are_in_hours() {
        for (millis, words) in [
            (0, "–"),
            (500, "0.5 s"),
            (59_000, "59 s"),
            (60_000, "0 h 01 min"),
            (35_940_000, "9 h 59 min"),
            (360_000_000, "100 h"),
        ] {
            assert_eq!(stood(millis), words);
        }
    }
}
