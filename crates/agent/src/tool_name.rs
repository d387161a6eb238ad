//! Tools, as `--tools` names them: one, or all whose names begin so.

/// A tool's name in `--tools`, or the beginning of several.
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
        name: name.to_lowercase(),
        is_open,
    })
}

impl ToolName {
    /// Whether this tool is meant. Capitals do not matter: to ask once too often is better than not at all.
    pub(crate) fn means(&self, tool: &str) -> bool {
        let tool = tool.trim().to_lowercase();
        match self.is_open {
            true => tool.starts_with(&self.name),
            false => tool == self.name,
        }
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
