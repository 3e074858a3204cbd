// Unpacks plotly.js and draws the charts one after the other; for printing, folded parts open.
'use strict';

const CONFIG = {
  displaylogo: false,
  displayModeBar: 'hover',
  responsive: true,
  modeBarButtonsToRemove: ['lasso2d', 'select2d', 'sendDataToCloud', 'toggleSpikelines'],
};

const NARROW = 560;

async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Response(stream).text();
}

function loaded(source) {
  const script = document.createElement('script');
  script.textContent = source;
  document.head.appendChild(script);
}

function refitted(chart) {
  if (chart.layout && chart.offsetWidth) {
    Plotly.Plots.resize(chart);
  }
}

// On a narrow screen charts side by side go below each other, and square ones become smaller.
function fitted(chart, layout) {
  const height = chart.clientHeight;
  if (chart.clientWidth >= NARROW) {
    return;
  }
  if (layout.grid && layout.grid.columns > 1) {
    const count = layout.grid.rows * layout.grid.columns;
    chart.style.height = `${Math.max((0.85 * height * count) / layout.grid.rows, 200 * count)}px`;
    Object.assign(layout.grid, {rows: count, columns: 1});
  } else if (layout.yaxis && layout.yaxis.scaleanchor) {
    chart.style.height = `${Math.min(height, chart.clientWidth + 60)}px`;
  }
}

async function drawn(chart) {
  const content = JSON.parse(chart.querySelector('script').textContent);
  chart.replaceChildren();
  fitted(chart, content.layout);
  await Plotly.newPlot(chart, content.data, content.layout, CONFIG);
  if (content.frames.length) {
    await Plotly.addFrames(chart, content.frames);
  }
}

// What stands inside of scenes is drawn by the graphics card, which printers do not see.
async function pictured(chart) {
  if (!chart.querySelector('.gl-container')) {
    return;
  }
  const picture = document.createElement('img');
  picture.className = 'printed';
  picture.alt = '';
  picture.src = await Plotly.toImage(chart, {format: 'png', width: 900, height: 560});
  chart.after(picture);
}

async function main() {
  const charts = [...document.querySelectorAll('.chart')];
  if (typeof DecompressionStream === 'undefined') {
    charts.forEach((chart) => { chart.textContent = 'Charts need a browser of 2023 or later.'; });
    return;
  }
  if (charts.length) {
    loaded(await unpacked(document.getElementById('library').textContent));
  }
  for (const chart of charts) {
    await drawn(chart);
  }
  for (const chart of charts) {
    await pictured(chart);
  }
  document.body.dataset.drawn = charts.length;
}

for (const folded of document.querySelectorAll('details')) {
  folded.addEventListener('toggle', () => folded.querySelectorAll('.chart').forEach(refitted));
}
window.addEventListener('beforeprint', () => {
  document.querySelectorAll('details').forEach((folded) => { folded.open = true; });
});
main();
