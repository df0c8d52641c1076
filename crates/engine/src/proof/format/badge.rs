//! A badge: `proof | 84 %`.

use super::escape::xml;
use crate::view::MatrixView;

/// How wide a character is, about, in the font that badges use.
const CHAR_WIDTH: usize = 7;

/// An SVG that says how many promises are kept.
pub fn badge(view: &MatrixView) -> String {
    let total = view.summary.total;
    let value = match total {
        0 => "no scenarios".to_owned(),
        _ => format!("{} of {total} verified", view.summary.verified),
    };
    let colour = match () {
        () if total == 0 => "#6e7781",
        () if !view.green => "#cf222e",
        () if view.summary.debt > 0 => "#9a6700",
        () => "#1a7f37",
    };
    let label = "proof";
    let width = |text: &str| text.chars().count() * CHAR_WIDTH + 12;
    let (left, right) = (width(label), width(&value));
    let all = left + right;
    let said = xml(&format!("{label}: {value}"));
    format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" width="{all}" height="20" role="img" aria-label="{said}">
  <title>{said}</title>
  <rect rx="3" width="{all}" height="20" fill="#24292f"/>
  <path d="M{left} 0h{inner}a3 3 0 0 1 3 3v14a3 3 0 0 1-3 3h-{inner}z" fill="{colour}"/>
  <g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">
    <text x="{x1}" y="14">{label}</text>
    <text x="{x2}" y="14">{value}</text>
  </g>
</svg>
"##,
        inner = right - 3,
        x1 = left / 2,
        x2 = left + right / 2,
        value = xml(&value),
    )
}
