//! A text for a camera.

use std::fmt::Write;

use qrcode::{Color, QrCode};

/// The white around it that cameras need, in modules.
const QUIET: usize = 4;

/// The text as SVG: dark on light in both themes, as cameras want it. `None` when it is too long.
pub(super) fn svg(text: &str) -> Option<String> {
    let code = QrCode::new(text).ok()?;
    let (width, colors) = (code.width(), code.to_colors());
    let mut path = String::new();
    for (y, row) in colors.chunks(width).enumerate() {
        for (x, color) in row.iter().enumerate() {
            if *color == Color::Dark {
                // Writing to a string cannot fail.
                let _ = write!(path, "M{} {}h1v1h-1z", x + QUIET, y + QUIET);
            }
        }
    }
    let side = width + 2 * QUIET;
    Some(format!(
        "<svg class=\"qr\" role=\"img\" aria-label=\"The secret, for a camera\" viewBox=\"0 0 {side} {side}\" \
         shape-rendering=\"crispEdges\"><rect class=\"light\" width=\"{side}\" height=\"{side}\"/>\
         <path class=\"dark\" d=\"{path}\"/></svg>"
    ))
}

#[cfg(test)]
mod tests {
    use super::svg;

    #[test]
    fn a_text_becomes_squares_within_a_white_frame() {
        let drawn = svg("otpauth://totp/Handraise:Ana?secret=ABC").unwrap();
        // The corner of the first mark, which every code has.
        assert!(drawn.contains("d=\"M4 4h1v1h-1zM5 4h1v1h-1z"), "{drawn}");
        assert!(!drawn.contains("M3 "), "{drawn}");
        assert!(svg(&"x".repeat(5_000)).is_none());
    }
}
