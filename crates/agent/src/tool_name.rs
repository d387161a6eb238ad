//! Tools, as `--tools` and `--except` name them: one, or all whose names begin so.

use std::fmt;

/// A tool's name, or the beginning of several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ToolName {
    name: String,
    /// Whether anything may follow.
    is_open: bool,
}

/// A name that no tool has would let every tool run: it is refused.
pub(crate) fn parsed(text: &str) -> Result<ToolName, String> {
    let text = text.trim();
    let name = text.strip_suffix('*');
    let (name, is_open) = (name.unwrap_or(text), name.is_some());
    let is_fit = |c: char| c.is_alphanumeric() || "_-.:/".contains(c);
    if (name.is_empty() && !is_open) || !name.chars().all(is_fit) {
        return Err(format!(
            "`{text}` is no name of a tool: names are separated by commas, and a `*` may stand at the end of one"
        ));
    }
    Ok(ToolName {
        name: name.to_owned(),
        is_open,
    })
}

/// As [`parsed`], of a tool that is not to be asked about. All tools are no exception.
pub(crate) fn excepted(text: &str) -> Result<ToolName, String> {
    let excepted = parsed(text)?;
    match excepted.name.is_empty() {
        true => Err("`*` would let every tool run: name some".to_owned()),
        false => Ok(excepted),
    }
}

impl ToolName {
    /// Whether this tool is to be asked about. Capitals do not matter: to ask once too often is better than not at all.
    pub(crate) fn means(&self, tool: &str) -> bool {
        self.fits(&self.name.to_lowercase(), &tool.trim().to_lowercase())
    }

    /// Whether this tool is not to be asked about: written as it stands here.
    pub(crate) fn excepts(&self, tool: &str) -> bool {
        self.fits(&self.name, tool)
    }

    fn fits(&self, name: &str, tool: &str) -> bool {
        match self.is_open {
            true => tool.starts_with(name),
            false => tool == name,
        }
    }
}

impl fmt::Display for ToolName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let end = if self.is_open { "*" } else { "" };
        write!(f, "{}{end}", self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_means_its_tool_however_it_is_written() {
        for (name, tool, meant) in [
            ("Bash", "Bash", true),
            (" bash ", "Bash", true),
            ("Ba*", "Bash", true),
            ("*", "Bash", true),
            ("mcp__*", "mcp__db__query", true),
            ("Bash", "BashOutput", false),
            ("mcp__*", "Bash", false),
        ] {
            assert_eq!(parsed(name).unwrap().means(tool), meant, "{name} {tool}");
        }
    }

    #[test]
    fn an_exception_means_its_tool_as_it_is_written() {
        for (name, tool, passes) in [
            ("mcp__handraise__*", "mcp__handraise__ask_human", true),
            ("mcp__handraise__*", "mcp__Handraise__ask_human", false),
            ("Read", "Read", true),
            ("Read", "read", false),
            ("Read", " Read", false),
            ("Read", "ReadAll", false),
        ] {
            assert_eq!(
                excepted(name).unwrap().excepts(tool),
                passes,
                "{name} {tool}"
            );
        }
        assert!(excepted("*").is_err());
        assert!(excepted("").is_err());
    }

    #[test]
    fn what_names_no_tool_is_refused() {
        for wrong in [
            "",
            " ",
            "Bash|Write",
            "Bash(rm *)",
            "*Bash",
            "B*h",
            "Bash Write",
            "'Bash'",
        ] {
            assert!(parsed(wrong).is_err(), "{wrong}");
        }
    }
}
