//! Cobertura XML, as coverage.py, gcovr, cargo-llvm-cov, coverlet and others write it.

use std::collections::BTreeMap;

use super::xml::{DocumentType, Node, Xml};
use super::{Coverage, ReportError};
use crate::proof::LineHits;

pub(super) fn read(text: &str) -> Result<Coverage, ReportError> {
    let mut xml = Xml::new(text, DocumentType::NameOnly);
    let mut files: BTreeMap<String, BTreeMap<u32, u64>> = BTreeMap::new();
    let mut class: Option<(usize, String)> = None;
    loop {
        match xml.next()? {
            Node::Open(element) => match (element.name(), &class) {
                ("coverage", _) if element.depth == 1 => {}
                _ if element.depth == 1 => {
                    return Err(ReportError::malformed(xml.line(), "its root is not `<coverage>`"));
                }
                ("class", None) => {
                    let [file] = element.attributes(&xml, ["filename"])?;
                    class = file.map(|file| (element.depth, file.replace('\\', "/")));
                }
                ("line", Some((_, file))) => {
                    let [number, hits] = element.attributes(&xml, ["number", "hits"])?;
                    let number = number.and_then(|number| number.trim().parse::<u32>().ok());
                    let hits = hits.and_then(|hits| hits.trim().parse::<u64>().ok());
                    let (Some(number), Some(hits)) = (number, hits) else {
                        return Err(ReportError::malformed(
                            xml.line(),
                            "a `<line>` needs `number` and `hits`",
                        ));
                    };
                    // A line stands below its method and below its class: what was executed once was executed.
                    let lines = files.entry(file.clone()).or_default();
                    let so_far = lines.entry(number).or_default();
                    *so_far = hits.max(*so_far);
                }
                _ => {}
            },
            Node::Close { depth } => {
                class.take_if(|(at, _)| *at == depth);
            }
            Node::Text(_) => {}
            Node::End => break,
        }
    }
    let files = files.into_iter().map(|(file, lines)| (file, LineHits(lines.into_iter().collect())));
    Ok(Coverage { files: files.collect() })
}
