"""How fast a network learns: a law for the excess loss against steps, fitted to finished runs.

`curve` is the form of the law, `features` what its two parameters depend on, `measured` reads them off a
finished run, `fit` makes a law from many runs and measures the coverage of its intervals on configurations
that it was not fitted to, `pace` applies it to a run that has not been trained.
"""
