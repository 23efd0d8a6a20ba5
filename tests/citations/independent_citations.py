#!/usr/bin/env python3
"""Prints every citation of patent files, read in another way than prescope reads them.

    independent_citations.py FILE...

One line a citation, with tabs between: name of the file, citing document, "patent" or "other",
cited country, number, kind, date (YYYYMMDD), categories, source, phase, text. The test of the C++
readers compares these lines with its own. Documents without citations have a line with "none".
"""

import gzip
import html
import json
import os
import re
import sys
import xml.etree.ElementTree as ElementTree
import zipfile

PHASES = {
    "national-search-report": "search",
    "search": "search",
    "international-search-report": "international search",
    "national-examination": "examination",
    "undefined": "",
}
CODES = {
    "SEA": ("examiner", "search"),
    "ISR": ("examiner", "international search"),
    "EXA": ("examiner", "examination"),
    "OPP": ("examiner", "opposition"),
    "APP": ("applicant", "filing"),
}


def words(text):
    return re.sub(r"[ \t\r\n\f\v]+", " ", text or "").strip()


def local(element):
    """Returns the name of an element without its namespace."""
    return element.tag.rsplit("}", 1)[-1]


def children(element, name):
    return [] if element is None else [each for each in element if local(each) == name]


def child(element, *path):
    for name in path:
        found = children(element, name)
        if not found:
            return None
        element = found[0]
    return element


def text_at(element, *path):
    found = child(element, *path)
    return "" if found is None else words("".join(found.itertext()))


def numbers(document_id):
    return [text_at(document_id, name) for name in ("country", "doc-number", "kind")]


def patent(citing, cited, date="", categories="", source="", phase=""):
    return [citing, "patent", *cited, date, categories, source, phase, ""]


def other(citing, text, categories="", source="", phase=""):
    return [citing, "other", "", "", "", "", categories, source, phase, text]


def cited_by(text):
    return re.sub("^cited by ", "", words(text).lower())


def uspto_xml(root):
    bibliography = [each for each in root if local(each).startswith("us-bibliographic-data")][0]
    citing = "".join(numbers(child(bibliography, "publication-reference", "document-id")))
    for citation in bibliography.iter():
        if local(citation) not in ("citation", "us-citation"):
            continue
        source = cited_by(text_at(citation, "category"))
        for cited in children(citation, "patcit"):
            document_id = child(cited, "document-id")
            date = text_at(document_id, "date")
            yield patent(citing, numbers(document_id), date, "", source)
        for cited in children(citation, "nplcit"):
            yield other(citing, words("".join(cited.itertext())), "", source)
    yield [citing, "document"]


def uspto_pap(root):
    document_id = child(root, "subdoc-bibliographic-information", "document-id")
    yield ["US" + text_at(document_id, "doc-number") + text_at(document_id, "kind-code"), "document"]


def letters(elements):
    """Returns the letters of several categories, each once: "X,I"."""
    found = re.findall("[A-Z&]", "".join("".join(each.itertext()) for each in elements))
    return ",".join(dict.fromkeys(found))


def preferred(ids):
    """Returns the first number in DOCDB's spelling, or else epodoc's, or else the office's own."""
    def rank(each):
        kind = each.get("document-id-type")
        order = ["docdb", "epodoc", "original"]
        return order.index(kind) if kind in order else len(order)

    return sorted(ids, key=rank)[0]


def references(bibliography, citing):
    for references_cited in children(bibliography, "references-cited"):
        for citation in children(references_cited, "citation"):
            phase = PHASES[citation.get("cited-phase")]
            source = citation.get("cited-by") or ("examiner" if phase else "")
            source = "" if source == "unknown" else source
            if not source and phase in ("search", "international search", "examination"):
                source = "examiner"
            categories = letters(children(citation, "category"))
            for cited in children(citation, "patcit"):
                ids = children(cited, "document-id")
                dates = [text_at(each, "date") for each in ids]
                date = next((each for each in dates if each), "")
                yield patent(citing, numbers(preferred(ids)), date, categories, source, phase)
            for cited in children(citation, "nplcit"):
                yield other(citing, text_at(cited, "text"), categories, source, phase)


def exchange_document(root):
    citing = root.get("country") + root.get("doc-number") + root.get("kind")
    yield from references(child(root, "bibliographic-data"), citing)
    yield [citing, "document"]


def register_document(root):
    bibliography = child(root, "bibliographic-data")
    ids = [child(each, "document-id") for each in children(bibliography, "publication-reference")]
    own = [each for each in ids if text_at(each, "country") == "EP"] + ids
    citing = "".join(numbers(own[0]))
    yield from references(bibliography, citing)
    yield [citing, "document"]


def patent_family(root):
    for member in children(root, "family-member"):
        ids = children(child(member, "publication-reference"), "document-id")
        yield ["".join(numbers(preferred(ids))), "document"]


def marec(root):
    citing = root.get("country") + root.get("doc-number") + root.get("kind")
    for cited in root.iter("patcit"):
        document_id = child(cited, "document-id")
        for each in cited.iter("source"):
            source, phase = CODES[each.get("name")]
            date = text_at(document_id, "date")
            yield patent(citing, numbers(document_id), date, "", source, phase)
    yield [citing, "document"]


DOCUMENTS = {
    "us-patent-grant": uspto_xml,
    "us-patent-application": uspto_xml,
    "patent-application-publication": uspto_pap,
    "exchange-document": exchange_document,
    "register-document": register_document,
    "patent-family": patent_family,
    "patent-document": marec,
}


def xml(text):
    for part in re.split(r"(?=<\?xml )", text):
        if not part.strip():
            continue
        # ElementTree refuses entities of a DTD that it does not load, and has no need of pictures.
        part = re.sub(r"<!DOCTYPE[^\[>]*(\[.*?\]\s*)?>", "", part, count=1, flags=re.DOTALL)
        part = re.sub(r"&(?!amp;|lt;|gt;|quot;|apos;|#)(\w+);", "", part)
        root = ElementTree.fromstring(part.encode("utf-8"))
        for element in root.iter():
            if local(element) in DOCUMENTS:
                yield from DOCUMENTS[local(element)](element)


def sgml_text(markup):
    return words(html.unescape(re.sub("<[^>]*>", "", markup)))


def sgml(text):
    def tag(name, markup):
        found = re.search(f"<{name}>(.*?)</{name}>", markup, re.DOTALL)
        return sgml_text(found[1]) if found else ""

    for document in re.findall("<PATDOC.*?</PATDOC>", text, re.DOTALL):
        citing = tag("B190", document) + tag("B110", document) + tag("B130", document)
        for reference in re.findall("<B56[12]>(.*?)</B56[12]>", document, re.DOTALL):
            mark = re.search("<CITED-BY-([A-Z]+)", reference)
            source = mark[1].lower() if mark else ""
            if "<PCIT>" in reference:
                cited = re.search("<DOC>(.*?)</DOC>", reference, re.DOTALL)[1]
                number = [tag("CTRY", cited) or "US", tag("DNUM", cited), tag("KIND", cited)]
                yield patent(citing, number, tag("DATE", cited), "", source)
            else:
                yield other(citing, tag("NCIT", reference), "", source)
        yield [citing, "document"]


def green_book(text):
    kinds = {"1": "A", "2": "E", "4": "S", "6": "P"}
    for document in re.split(r"(?m)^PATN\s*$", text)[1:]:
        number = re.search(r"(?m)^WKU  (\S{8})", document)[1]
        citing = "US" + number + kinds.get(re.search(r"(?m)^APT  (\S)", document)[1], "")
        for found in re.finditer(r"(?m)^([UF])REF\s*\n((?:[A-Z]{3}  .*\n)*)", document):
            fields = dict(re.findall(r"(?m)^([A-Z0-9]{3})  (.*?)\s*$", found[2]))
            country = "US" if found[1] == "U" else fields.get("CNT", "")[:2]
            yield patent(citing, [country, words(fields["PNO"]), ""], fields.get("ISD", ""))
        for found in re.finditer(r"(?m)^OREF\s*\n((?:(?:PA.|   ) .*\n)*)", document):
            for paragraph in re.split(r"(?m)^PA. ", found[1])[1:]:
                yield other(citing, words(paragraph))
        yield [citing, "document"]


def brs(text):
    text = re.sub(r"\n +", " ", text)
    for document in text.split("*** BRS DOCUMENT BOUNDARY ***")[1:]:
        citing = re.search(r"(?m)^DID (\S+) (\S+) (\S+)", document)
        citing = citing[1] + citing[2] + citing[3]
        tail = r"(?: (cited by .*|imported from .*))?$"
        pattern = (r"(?m)^(?:URPN|FRPN) (?P<number>.*)\n(?:URNM .*\n)?(?:[UF]RPD (?P<date>\d+)\n)?"
                   r"(?:[UF]RCL .*\n)*[UF]RGP (?P<country>[A-Z]{2}) .*?(?: (?P<kind>[A-Z]\d?))? \d{8}"
                   r"\b.*?" + tail + r"|^ORPL (?P<text>.*?)" + tail)
        for found in re.finditer(pattern, document):
            if found["text"]:
                yield other(citing, words(found["text"]), "", cited_by(found[7]))
            else:
                number = [found["country"], words(found["number"]), found["kind"] or ""]
                yield patent(citing, number, found["date"] or "", "", cited_by(found[5] or ""))
        yield [citing, "document"]


def json_lines(text):
    for line in text.splitlines():
        document = json.loads(line)
        for cited in document["cites"]:
            yield patent(document["id"], ["", cited, ""])
        yield [document["id"], "document"]


def read(text):
    if "<PATDOC" in text:
        return sgml(text)
    if re.search(r"(?m)^PATN\s*$", text):
        return green_book(text)
    if "*** BRS DOCUMENT BOUNDARY ***" in text:
        return brs(text)
    if text.startswith("{"):
        return json_lines(text)
    return xml(text)


def texts(path):
    with open(path, "rb") as file:
        content = file.read()
    if content.startswith(b"PK"):
        with zipfile.ZipFile(path) as archive:
            for name in archive.namelist():
                if not name.endswith("/"):
                    yield archive.read(name).decode("utf-8")
        return
    if content.startswith(b"\x1f\x8b"):
        content = gzip.decompress(content)
    yield content.decode("utf-8", errors="replace")


def lines(path):
    name = os.path.basename(path)
    for text in texts(path):
        has_citations = False
        for fields in read(text):
            if fields[1] == "document":
                if not has_citations:
                    yield "\t".join([name, fields[0], "none"])
                has_citations = False
            else:
                has_citations = True
                yield "\t".join([name, *fields])


def main():
    for path in sys.argv[1:]:
        sys.stdout.write("".join(line + "\n" for line in lines(path)))


if __name__ == "__main__":
    main()
