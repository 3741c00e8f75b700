"""The parts of the Word file that do not depend on its text."""

from __future__ import annotations

from dataclasses import dataclass

from documents.demo.read_licence import LISTS, Level

MAIN = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
WORD_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml"
LANGUAGE = "en-GB"


@dataclass(frozen=True, slots=True)
class Prologue:
    """What every part begins with."""

    declaration: str
    namespaces: str


@dataclass(frozen=True, slots=True)
class Style:
    """A paragraph style: what it adds to the one that it is based on."""

    name: str
    title: str
    paragraph: str = ""
    run: str = ""
    based_on: str = "Normal"


W = Prologue(
    declaration='<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n',
    namespaces=f'xmlns:w="{MAIN}" xmlns:r="{OFFICE}"',
)


def _spacing(before: int, after: int) -> str:
    return f'<w:spacing w:before="{before}" w:after="{after}"/>'


def _listed(list_id: int) -> str:
    return f'<w:numPr><w:numId w:val="{list_id}"/></w:numPr>'


HEADING = '<w:b/><w:sz w:val="26"/>'
STYLES = (
    Style("Title", "Title", f'{_spacing(0, 120)}<w:jc w:val="center"/>', '<w:b/><w:sz w:val="40"/>'),
    Style("Subtitle", "Subtitle", f'{_spacing(0, 240)}<w:jc w:val="center"/>', '<w:sz w:val="28"/>'),
    Style("BodyText", "Body Text", _spacing(0, 120)),
    Style("Definition", "Definition", f'{_spacing(0, 120)}<w:ind w:left="720"/>'),
    Style("TableText", "Table Text", _spacing(40, 40)),
    Style("FootnoteText", "footnote text", _spacing(0, 0), '<w:sz w:val="18"/>'),
    Style(
        "Heading1",
        "heading 1",
        f'<w:keepNext/>{_spacing(360, 120)}<w:outlineLvl w:val="0"/>',
        HEADING,
    ),
    Style("PlainHeading", "Plain Heading", based_on="Heading1"),
    Style("Article", "Article", f"<w:keepNext/>{_listed(1)}", based_on="Heading1"),
    Style("Schedule", "Schedule", f"<w:keepNext/><w:pageBreakBefore/>{_listed(2)}", based_on="Heading1"),
    *(
        Style(level.style, level.style, _spacing(0, 120), based_on="BodyText")
        for levels in LISTS.values()
        for level in levels[1:]
    ),
)


def styles_xml() -> str:
    """Write the styles."""
    defaults = (
        '<w:docDefaults><w:rPrDefault><w:rPr><w:rFonts w:ascii="Times New Roman" w:hAnsi="Times New Roman"/>'
        f'<w:sz w:val="22"/><w:lang w:val="{LANGUAGE}"/></w:rPr></w:rPrDefault></w:docDefaults>'
    )
    fixed = (
        '<w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/></w:style>'
        '<w:style w:type="character" w:styleId="FootnoteReference"><w:name w:val="footnote reference"/>'
        '<w:rPr><w:vertAlign w:val="superscript"/></w:rPr></w:style>'
        '<w:style w:type="table" w:styleId="TableGrid"><w:name w:val="Table Grid"/><w:tblPr><w:tblBorders>'
        + "".join(
            f'<w:{side} w:val="single" w:sz="4" w:space="0" w:color="auto"/>'
            for side in ("top", "left", "bottom", "right", "insideH", "insideV")
        )
        + "</w:tblBorders></w:tblPr></w:style>"
    )
    styles = "".join(map(style_xml, STYLES))
    return f"{W.declaration}<w:styles {W.namespaces}>{defaults}{fixed}{styles}</w:styles>"


def style_xml(style: Style) -> str:
    """Write one style."""
    return (
        f'<w:style w:type="paragraph" w:styleId="{style.name}"><w:name w:val="{style.title}"/>'
        f'<w:basedOn w:val="{style.based_on}"/><w:qFormat/>'
        f"<w:pPr>{style.paragraph}</w:pPr><w:rPr>{style.run}</w:rPr></w:style>"
    )


def numbering_xml() -> str:
    """Write both lists; each level below the first starts again after a unit above it."""
    abstract = "".join(
        f'<w:abstractNum w:abstractNumId="{list_id}"><w:multiLevelType w:val="multilevel"/>'
        f"{''.join(level_xml(place, level) for place, level in enumerate(levels))}</w:abstractNum>"
        for list_id, levels in LISTS.items()
    )
    used = "".join(
        f'<w:num w:numId="{list_id}"><w:abstractNumId w:val="{list_id}"/></w:num>' for list_id in LISTS
    )
    return f"{W.declaration}<w:numbering {W.namespaces}>{abstract}{used}</w:numbering>"


def level_xml(place: int, level: Level) -> str:
    """Write one level; headings are tied to their style and part from their number by a blank."""
    tied = "" if place else f'<w:pStyle w:val="{level.style}"/><w:suff w:val="space"/>'
    indent = (
        f'<w:pPr><w:ind w:left="{720 * place}" w:hanging="720"/></w:pPr>'
        if place
        else '<w:pPr><w:ind w:left="0" w:firstLine="0"/></w:pPr>'
    )
    return (
        f'<w:lvl w:ilvl="{place}"><w:start w:val="1"/><w:numFmt w:val="{level.format}"/>{tied}'
        f'<w:lvlText w:val="{level.text}"/><w:lvlJc w:val="left"/>{indent}</w:lvl>'
    )


FOOTNOTES = (
    f"{W.declaration}<w:footnotes {W.namespaces}>"
    '<w:footnote w:type="separator" w:id="-1"><w:p><w:r><w:separator/></w:r></w:p></w:footnote>'
    '<w:footnote w:type="continuationSeparator" w:id="0"><w:p><w:r><w:continuationSeparator/></w:r></w:p>'
    '</w:footnote><w:footnote w:id="1"><w:p><w:pPr><w:pStyle w:val="FootnoteText"/></w:pPr><w:r><w:rPr>'
    '<w:rStyle w:val="FootnoteReference"/></w:rPr><w:footnoteRef/></w:r><w:r>'
    '<w:t xml:space="preserve"> {note}</w:t></w:r></w:p></w:footnote></w:footnotes>'
)

_OVERRIDES = {
    "/word/document.xml": f"{WORD_TYPE}.document.main+xml",
    "/word/styles.xml": f"{WORD_TYPE}.styles+xml",
    "/word/numbering.xml": f"{WORD_TYPE}.numbering+xml",
    "/word/footnotes.xml": f"{WORD_TYPE}.footnotes+xml",
    "/docProps/core.xml": "application/vnd.openxmlformats-package.core-properties+xml",
}

PARTS = {
    "[Content_Types].xml": (
        f'{W.declaration}<Types xmlns="{PACKAGE}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/>'
        + "".join(f'<Override PartName="{part}" ContentType="{kind}"/>' for part, kind in _OVERRIDES.items())
        + "</Types>"
    ),
    "_rels/.rels": (
        f'{W.declaration}<Relationships xmlns="{PACKAGE}/relationships">'
        f'<Relationship Id="rId1" Type="{OFFICE}/officeDocument" Target="word/document.xml"/>'
        f'<Relationship Id="rId2" Type="{PACKAGE}/relationships/metadata/core-properties" '
        'Target="docProps/core.xml"/></Relationships>'
    ),
    "word/_rels/document.xml.rels": (
        f'{W.declaration}<Relationships xmlns="{PACKAGE}/relationships">'
        + "".join(
            f'<Relationship Id="rId{place}" Type="{OFFICE}/{name}" Target="{name}.xml"/>'
            for place, name in enumerate(("styles", "numbering", "footnotes"), start=1)
        )
        + "</Relationships>"
    ),
    "docProps/core.xml": (
        f'{W.declaration}<cp:coreProperties xmlns:cp="{PACKAGE}/metadata/core-properties" '
        'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/" '
        'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">'
        "<dc:title>Berth Licence, Berth 7, Port of Aldmere</dc:title>"
        "<dc:creator>Harbour Authority</dc:creator>"
        '<dcterms:created xsi:type="dcterms:W3CDTF">2025-03-03T00:00:00Z</dcterms:created>'
        '<dcterms:modified xsi:type="dcterms:W3CDTF">2025-03-03T00:00:00Z</dcterms:modified>'
        "</cp:coreProperties>"
    ),
}
