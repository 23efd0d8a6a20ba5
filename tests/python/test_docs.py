"""The examples in docstrings and pages run, and the reference is that of the docstrings."""

import doctest
import inspect
import os
import re
import unittest

import api_page
import support
import prescope

PAGES = ("python.md", "coming-from.md")


def examples_of(page):
    """Returns the fenced examples of a page as one text that doctest reads."""
    with open(os.path.join(support.ROOT, "docs", page), encoding="utf-8") as file:
        text = file.read().split(api_page.BEGIN)[0]
    return "\n".join(re.findall(r"^```python\n(>>> .*?)^```$", text, re.MULTILINE | re.DOTALL))


class Docs(unittest.TestCase):
    def run_examples(self, tests, least):
        attempted = 0
        for test in tests:
            report = []
            runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
            result = runner.run(test, out=report.append)
            self.assertEqual(result.failed, 0, "".join(report))
            attempted += result.attempted
        self.assertGreaterEqual(attempted, least)

    def test_examples_of_docstrings(self):
        finder = doctest.DocTestFinder(exclude_empty=True)
        names = {name: getattr(prescope, name) for name in prescope.__all__}
        tests = []
        for name in prescope.__all__:
            tests += [t for t in finder.find(names[name], name, globs=dict(names)) if t.examples]
        self.run_examples(tests, 25)

    def test_examples_of_pages(self):
        for page in PAGES:
            test = doctest.DocTestParser().get_doctest(examples_of(page), {}, page, page, 0)
            self.run_examples([test], 8)

    def test_reference(self):
        with open(api_page.PAGE, encoding="utf-8") as file:
            found = file.read().split(api_page.BEGIN)[1]
        self.assertEqual(
            found.strip(), api_page.render().strip(), "renew it: python3 tests/python/api_page.py"
        )

    def test_everything_public_is_in_the_reference(self):
        listed = set(api_page.FUNCTIONS + api_page.CLASSES + api_page.ERRORS)
        self.assertEqual(listed, set(prescope.__all__))
        for name in prescope.__all__:
            item = getattr(prescope, name)
            self.assertTrue(item.__doc__, name)
            for member, value in vars(item).items() if inspect.isclass(item) else ():
                if not member.startswith("_") and callable(value):
                    self.assertTrue(value.__doc__, "%s.%s" % (name, member))

    def test_declarations_are_those_of_the_header(self):
        """Compares names, order and number of the parts of each struct with the C header."""
        path = os.path.join(support.ROOT, "plugin", "c", "include", "prescope.h")
        with open(path, encoding="utf-8") as file:
            header = re.sub(r"//.*", "", file.read())
        from prescope import _library as lib

        structs = {
            "error": lib.ErrorText,
            "text": lib.Text,
            "column": lib.Column,
            "qrels_options": lib.QrelsOptions,
            "run_columns": lib.RunColumns,
            "scoring": lib.Scoring,
            "scores": lib.Scores,
            "compare_options": lib.CompareOptions,
            "experiment_options": lib.ExperimentOptions,
            "visit": lib.VisitValue,
            "request": lib.Request,
            "ranking": lib.RankingValue,
        }
        for name, struct in structs.items():
            body = re.search(r"typedef struct prescope_%s \{(.*?)\n\}" % name, header, re.DOTALL)
            members = []
            for declaration in body.group(1).split(";"):
                declared = re.sub(r"\(\*(\w+)\)\(.*\)", r"\1", declaration.strip(), flags=re.DOTALL)
                for part in declared.split(","):
                    found = re.search(r"(\w+)(\[\w+\])?$", part.strip())
                    if found:
                        members.append(found.group(1))
            self.assertEqual([field[0] for field in struct._fields_], members, name)


if __name__ == "__main__":
    unittest.main()
