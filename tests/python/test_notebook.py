"""The notebook of examples/notebook runs from its first cell to its last."""

import json
import os
import unittest

from support import ROOT, needs_pandas, program

try:
    import matplotlib
except ImportError:
    matplotlib = None

NOTEBOOK = os.path.join(ROOT, "examples", "notebook", "two_rankers.ipynb")


@needs_pandas
@unittest.skipUnless(matplotlib, "matplotlib is not installed for this interpreter")
class Notebook(unittest.TestCase):
    def test_runs(self):
        program()
        matplotlib.use("Agg")
        from matplotlib import pyplot

        with open(NOTEBOOK, encoding="utf-8") as file:
            cells = json.load(file)["cells"]
        names = {"print": lambda *words, **how: None}
        for number, cell in enumerate(cells):
            if cell["cell_type"] == "code":
                self.assertEqual(cell["outputs"], [], "cell %d was saved with its output" % number)
                code = compile("".join(cell["source"]), "cell %d" % number, "exec")
                exec(code, names)
        self.assertEqual(len(pyplot.get_fignums()), 3)
        figures = os.environ.get("PRESCOPE_FIGURES")  # for who wants to look at them
        for number in pyplot.get_fignums() if figures else ():
            pyplot.figure(number).savefig(os.path.join(figures, "figure%d.png" % number))
        pyplot.close("all")

        # Both arms ranked every topic, bm25 but one with an empty ranking: the live means are
        # those of the runs.
        self.assertEqual(names["results"]["bm25"].missing, [names["topics"][7]])
        self.assertEqual(names["pres"].verdict, "better")
        live = names["pair"]["differences"]["PRES@100"]
        self.assertAlmostEqual(live["mean"], names["pres"].difference, delta=1e-12)
        means = names["compared"].groupby("arm")["PRES@100"].mean()
        for arm, result in names["results"].items():
            self.assertAlmostEqual(means[arm], result.means["PRES@100"], delta=1e-12)


if __name__ == "__main__":
    unittest.main()
