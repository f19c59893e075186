"""The bench: data sets, metrics, experiments and their reports.

``Dataset.read`` → ``Experiment.run`` → ``report.summary`` → ``terminal.render``, ``page.html``, ``report.write``.
"""
