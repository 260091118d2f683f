// How much each number inside a network contributes to the lead of one logit over another: its value times the gradient.
// The gradient is PyTorch's: at 0 the activation has the slope of negative values.
function contributions(network, stages, winner, rival) {
  let gradient = new Float64Array(stages.at(-1).values.length);
  gradient[winner] = 1;
  gradient[rival] -= 1;
  const heat = [];
  for (let k = stages.length - 1; k >= 0; k -= 1) {
    const stage = stages[k];
    heat.unshift(stage.values.map((value, i) => value * gradient[i]));
    if (stage.active) gradient = gradient.map((slope, i) => (stage.values[i] > 0 ? slope : slope * network.slope));
    if (k > 0) gradient = backwards(stage, stages[k - 1], gradient);
  }
  return heat;
}

// The gradient before a stage, from the gradient after it.
function backwards(stage, before, gradient) {
  const result = new Float64Array(before.values.length);
  if (stage.kind === "pooling") {
    stage.from.forEach((place, k) => { result[place] += gradient[k]; });
  } else if (stage.kind === "convolution") {
    convolutionBackwards(stage, before, gradient, result);
  } else {
    const { incoming, weight } = stage.layer;
    gradient.forEach((slope, o) => {
      for (let i = 0; i < incoming && slope; i += 1) result[i] += slope * weight[o * incoming + i];
    });
  }
  return result;
}

function convolutionBackwards({ layer, rows, columns }, before, gradient, result) {
  const { incoming, kernel, weight } = layer;
  const [area, reach] = [rows * columns, (kernel - 1) / 2];
  gradient.forEach((slope, at) => {
    if (!slope) return;
    const [o, y, x] = [Math.floor(at / area), Math.floor((at % area) / columns), at % columns];
    for (let i = 0; i < incoming; i += 1) {
      for (let r = Math.max(0, y - reach); r <= Math.min(rows - 1, y + reach); r += 1) {
        for (let c = Math.max(0, x - reach); c <= Math.min(columns - 1, x + reach); c += 1) {
          result[i * area + r * columns + c] += slope * weight[(o * incoming + i) * kernel * kernel + (r - y + reach) * kernel + (c - x + reach)];
        }
      }
    }
  });
}
