"""Computing runs and storing them: one (`run`), or many in parallel (`local`, `dask`)."""
