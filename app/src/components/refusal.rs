//! Why the sign-in form is here again.

use leptos::prelude::*;

use super::icon::{Icon, Shape};

/// The meaning of the server's code in the address; nothing when there is none.
#[component]
pub(crate) fn Refusal(code: String) -> impl IntoView {
    words(&code).map(|words| {
        view! {
            <p id="refusal" class="refusal" role="alert">
                <Icon shape=Shape::Warning />
                <span>{words}</span>
            </p>
        }
    })
}

fn words(code: &str) -> Option<String> {
    if let Some(seconds) = code.strip_prefix("wait-") {
        let seconds: u32 = seconds.parse().ok()?;
        return Some(format!(
            "Too many wrong passwords. Try again in {seconds} s."
        ));
    }
    let words = match code {
        "wrong" => {
            "Nobody can sign in with this name and password. Check both; capitals count in the password only."
        }
        "used" => {
            "What you have shown was used already, or you may not come in any more. Sign in again."
        }
        "by-provider" => {
            "Passwords are no way in here. Take the button of a provider, or a one-time link."
        }
        "busy" => "Too many people are signing in at this moment. Try again.",
        "short" => "This password is too short: it must have at least 8 characters.",
        "long" => "This password is too long: it may have at most 256 characters.",
        "guessable" => {
            "This password is easy to guess. Take several unrelated words, or let a password manager make one."
        }
        "taken" => "Somebody else has this name. Take another one.",
        "name" => "The name must be one line of at most 300 characters.",
        _ => return None,
    };
    Some(words.to_owned())
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn what_nobody_sent_is_not_repeated() {
        assert!(words("wait-12").unwrap().contains("in 12 s"));
        for code in ["", "wait-", "wait-soon", "<script>"] {
            assert_eq!(words(code), None, "{code}");
        }
    }
}
