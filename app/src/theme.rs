//! Light, dark, or as the system says. Remembered in a cookie, so that the server already sends the
//! right one and nothing flashes.

/// The name of the cookie.
pub const COOKIE: &str = "theme";

/// Which colours to show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// As the system says.
    #[default]
    System,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

impl Theme {
    /// The name in the cookie and on the page.
    pub fn name(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    /// Finds the theme in a `Cookie` header.
    pub fn from_cookies(cookies: &str) -> Self {
        cookies
            .split(';')
            .filter_map(|cookie| cookie.trim().split_once('='))
            .find(|(name, _)| *name == COOKIE)
            .map_or(Self::System, |(_, value)| Self::from_name(value))
    }

    /// The theme of this name, or the system's.
    pub fn from_name(name: &str) -> Self {
        match name {
            "light" => Self::Light,
            "dark" => Self::Dark,
            _ => Self::System,
        }
    }

    /// The theme that a click on the switch leads to.
    pub fn next(self) -> Self {
        match self {
            Self::System => Self::Light,
            Self::Light => Self::Dark,
            Self::Dark => Self::System,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Theme;

    #[test]
    fn the_cookie_is_found_among_others() {
        assert_eq!(Theme::from_cookies("a=b; theme=dark; c"), Theme::Dark);
        assert_eq!(Theme::from_cookies("theme=neon"), Theme::System);
        assert_eq!(Theme::from_cookies(""), Theme::System);
    }
}
