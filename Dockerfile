# The demo:         docker build -t pconv . && docker run --rm -it pconv
# One command:      docker run --rm -it -v "$PWD:/data" pconv pconv train -m 11 -B 8 --store /data/pconv.db
# A Dask worker:    docker run --rm --network host pconv dask worker tls://SCHEDULER:8786 --tls-ca-file ... (docs/cluster.md)
FROM python:3.11-slim
RUN apt-get update && apt-get install -y --no-install-recommends make && rm -rf /var/lib/apt/lists/*
WORKDIR /pconv
COPY requirements.lock ./
# The CPU build of torch: PyPI's includes gigabytes of CUDA.
RUN python -m venv .venv \
 && .venv/bin/pip install --no-cache-dir --index-url https://download.pytorch.org/whl/cpu "$(grep '^torch==' requirements.lock)" \
 && .venv/bin/pip install --no-cache-dir -r requirements.lock
COPY . .
RUN make setup
ENV PATH=/pconv/.venv/bin:$PATH
CMD ["make", "demo"]
