/* SPDX-License-Identifier: MIT */
/* Opens a flame report without a browser, works it, and prints what it then says.
   usage: node drive_page.js REPORT.html SEARCH */
'use strict';
const fs = require('fs');
const vm = require('vm');

const text = fs.readFileSync(process.argv[2], 'utf8'), word = process.argv[3];
const scripts = [...text.matchAll(/<script([^>]*)>([\s\S]*?)<\/script>/g)];
const ignore = new Proxy(function () {}, {get: () => ignore, set: () => true, apply: () => ignore});

function element() {
  const classes = new Set();
  return {textContent: '', value: '', style: {}, children: [], clientWidth: 1200, clientHeight: 600, scrollTop: 0,
    getContext: () => ignore, getBoundingClientRect: () => ({left: 0, top: 0, width: 1200, height: 600}),
    appendChild(c) { this.children.push(c); if (!this.value) this.value = this.children[0].value; },
    append(c) { this.children.push(c); },
    classList: {toggle: c => classes.has(c) ? classes.delete(c) : classes.add(c), contains: c => classes.has(c)}};
}

const elements = {};
const get = id => elements[id] = elements[id] || element();
get('data').textContent = scripts[0][2];
const document = {getElementById: get, createElement: element};
const window = {devicePixelRatio: 1};
const world = vm.createContext({document, window});
vm.runInContext(scripts[1][2], world);
const {p, s} = window.view;
const found = {};
p.data.measures.forEach((m, i) => {
  get('measure').value = i;
  get('thread').value = -1;
  get('measure').onchange();
  const all = p.all, seen = {title: get('line').textContent};
  get('search').oninput({target: {value: word}});
  seen.found = get('found').textContent;
  get('search').oninput({target: {value: '('}});    // no regular expression: a text
  get('search').oninput({target: {value: ''}});
  const rows = world.functions(p).map(([f, own, total]) => [p.data.frames[f], p.classes.has(f), own, total]);
  const widest = rows.reduce((a, b) => b[3] > a[3] ? b : a, ['', false, 0, 0]);
  const wide = [...p.total.keys()].reduce((a, b) => p.total[b] > p.total[a] ? b : a, 0);
  get('canvas').onclick({clientX: 1200 * (p.from[wide] + p.total[wide] / 2) / all, clientY: 18 * p.depth[wide] + 9});
  seen.zoomed = s.zoom === wide && s.drawn > 0;
  seen.line = get('line').textContent;
  get('canvas').onmousemove({clientX: 600, clientY: 18 * p.depth[wide] + 9});
  seen.over = s.over === wide;
  get('flip').onclick({target: get('flip')});
  get('functions').onclick();
  seen.table = get('table').children.length;
  get('functions').onclick();
  get('flip').onclick({target: get('flip')});
  document.onkeydown({key: 'Escape'});
  seen.reset = s.zoom === -1;
  const threads = p.data.threads.map((name, t) => {
    get('thread').value = t;
    get('thread').onchange();
    return p.all;
  });
  found[m.name] = {all, ...seen, rows, widest, threads};
});
console.log(JSON.stringify(found));
