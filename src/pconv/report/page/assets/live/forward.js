// The forward pass of p-Conv and of the MLP. It needs nothing else of the page.
// Weights and activations are numbers of single precision, as in PyTorch. A sum is computed in double precision and rounded
// once; PyTorch rounds at every step, so that logits differ in their last digits.
const SINGLE = (values) => Float32Array.from(values);

// From base64 to numbers; `count` is how many weights the network has.
function decodeWeights(text, form, count) {
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let k = 0; k < bytes.length; k += 1) bytes[k] = letters.charCodeAt(k);
  if (form === "single") return new Float32Array(bytes.buffer);
  const all = new Float32Array(count);
  if (form === "half") {
    new Uint16Array(bytes.buffer).forEach((bits, k) => { all[k] = halfValues()[bits]; });
  } else {
    const values = new Float32Array(bytes.buffer, bytes.length / 2);
    new Uint32Array(bytes.buffer, 0, values.length).forEach((place, k) => { all[place] = values[k]; });
  }
  return all;
}

// All numbers of half precision by their 16 bits: sign, five bits of exponent, ten of fraction.
let halves = null;
function halfValues() {
  halves ??= Float32Array.from({ length: 65536 }, (_, bits) => {
    const [exponent, fraction] = [(bits >> 10) & 31, bits & 1023];
    const size = exponent ? 2 ** (exponent - 15) * (1 + fraction / 1024) : 2 ** -14 * (fraction / 1024);
    return bits & 32768 ? -size : size;
  });
  return halves;
}

// The layers in order, with the shapes of their weights.
function layerShapes({ convolutions, hidden, classes, offsets, primes }) {
  let [channels, rows, columns] = [1, offsets.length, primes.length];
  const layers = convolutions.map(([outgoing, kernel]) => {
    const layer = { kind: "convolution", incoming: channels, outgoing, kernel, size: outgoing * channels * kernel * kernel };
    [channels, rows, columns] = [outgoing, rows >> 1, columns >> 1];
    return layer;
  });
  let width = channels * rows * columns;
  for (const outgoing of [...hidden, classes]) {
    layers.push({ kind: "linear", incoming: width, outgoing, size: width * outgoing });
    width = outgoing;
  }
  return layers;
}

const weightCount = (shapes) => shapes.reduce((sum, { size, outgoing }) => sum + size + outgoing, 0);

// The layers with their weights and biases.
function networkLayers(network, text, form) {
  const shapes = layerShapes(network);
  const flat = decodeWeights(text, form, weightCount(shapes));
  let at = 0;
  const take = (count) => flat.subarray(at, (at += count));
  return shapes.map((shape) => ({ ...shape, weight: take(shape.size), bias: take(shape.outgoing) }));
}

// The same size as the input: a kernel of k is padded by (k - 1) / 2. Zeros of the input are skipped; most of a grid is zero.
function convolution({ rows, columns, values }, { incoming, outgoing, kernel, weight, bias }) {
  const area = rows * columns;
  const reach = (kernel - 1) / 2;
  const sums = new Float64Array(outgoing * area);
  for (let o = 0; o < outgoing; o += 1) sums.fill(bias[o], o * area, (o + 1) * area);
  for (let i = 0; i < incoming; i += 1) {
    for (let r = 0; r < rows; r += 1) {
      for (let c = 0; c < columns; c += 1) {
        const value = values[i * area + r * columns + c];
        if (value === 0) continue;
        for (let y = Math.max(0, r - reach); y <= Math.min(rows - 1, r + reach); y += 1) {
          for (let x = Math.max(0, c - reach); x <= Math.min(columns - 1, c + reach); x += 1) {
            const tap = (r - y + reach) * kernel + (c - x + reach);
            for (let o = 0; o < outgoing; o += 1) sums[o * area + y * columns + x] += value * weight[(o * incoming + i) * kernel * kernel + tap];
          }
        }
      }
    }
  }
  return { channels: outgoing, rows, columns, values: SINGLE(sums) };
}

// The largest of each 2 x 2 block, and where it was found.
function pooling({ channels, rows, columns, values }) {
  const [high, wide] = [rows >> 1, columns >> 1];
  const pooled = { channels, rows: high, columns: wide, values: new Float32Array(channels * high * wide), from: new Uint32Array(channels * high * wide) };
  for (let k = 0; k < pooled.values.length; k += 1) {
    const [o, r, c] = [Math.floor(k / (high * wide)), Math.floor(k / wide) % high, k % wide];
    const corner = o * rows * columns + 2 * r * columns + 2 * c;
    let best = corner;
    for (const place of [corner + 1, corner + columns, corner + columns + 1]) if (values[place] > values[best]) best = place;
    [pooled.values[k], pooled.from[k]] = [values[best], best];
  }
  return pooled;
}

function linear(values, { incoming, outgoing, weight, bias }) {
  const result = new Float32Array(outgoing);
  for (let o = 0; o < outgoing; o += 1) {
    let sum = bias[o];
    for (let i = 0, at = o * incoming; i < incoming; i += 1, at += 1) sum += weight[at] * values[i];
    result[o] = sum;
  }
  return result;
}
const leaky = (values, slope) => values.map((value) => (value < 0 ? value * Math.fround(slope) : value));

// Everything from the grid to the logits: a list of stages { kind, values } with the shape of maps. `layer` made the stage.
function forward(network, layers, grid) {
  const stages = [{ kind: "grid", channels: 1, rows: network.offsets.length, columns: network.primes.length, values: SINGLE(grid) }];
  const lastConvolution = network.convolutions.length - 1;
  layers.forEach((layer, k) => {
    const before = stages.at(-1);
    if (layer.kind === "convolution") {
      const maps = convolution(before, layer);
      const pooled = pooling(maps);
      if (k === lastConvolution) pooled.values = leaky(pooled.values, network.slope);
      stages.push({ kind: "convolution", layer, ...maps }, { kind: "pooling", active: k === lastConvolution, ...pooled });
    } else {
      const last = k === layers.length - 1;
      const values = linear(before.values, layer);
      stages.push({ kind: last ? "logits" : "hidden", layer, active: !last, values: last ? values : leaky(values, network.slope) });
    }
  });
  return stages;
}
