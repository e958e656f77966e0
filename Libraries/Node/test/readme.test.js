// SPDX-License-Identifier: Apache-2.0
//
// The listings of README.md: they are JavaScript, use only what the package has, and those that
// cure a tool do so.
'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const vm = require('node:vm');
const { test } = require('node:test');

const { PATIENCE, file, script } = require('./support.js');
const fc = require('..');
const limit = { timeout: PATIENCE };

const page = fs.readFileSync(path.resolve(__dirname, '../README.md'), 'utf8');
const listings = [...page.matchAll(/^```js\n(.*?)^```$/gms)].map(([, code]) => code);

/** The listing with a text in it, for a function that has the package's names. */
function listing(text) {
  const found = listings.find((code) => code.includes(text));
  return found.replace("require('filecoordination')", 'fc');
}

test('listings compile, and take names that there are', limit, () => {
  assert.ok(listings.length >= 5);
  for (const code of listings) {
    new vm.Script(`(async () => {${code}})`);
    for (const [, names] of code.matchAll(/const \{ (.*) \} = require\('filecoordination'\)/g)) {
      for (const name of names.split(', ')) assert.equal(typeof fc[name], 'function', name);
    }
  }
});

test('three instances tear no settings', limit, async () => {
  const place = file(null);
  const source = `${listing('const change').replace("'settings.json'", 'process.argv[1]')}
    for (let turn = 0; turn < 9; turn += 1) {
      await change(process.argv[1], (settings) => { settings.runs += 1; });
    }`;
  const others = ['a', 'b', 'c'].map(() => script(`(async () => {${source}})()`, place));
  for (const other of others) assert.equal((await other.ended).status, 0, other.errors);
  assert.equal(JSON.parse(fs.readFileSync(place, 'utf8')).runs, 30);
});

test('settings in memory overwrite nothing unseen', limit, async () => {
  const place = file('{"a":1}');
  const run = new Function('fc', 'require', 'path', `
    ${listing('let seen, settings')}
    return { load, save };
  `);
  const one = run(fc, require, place);
  const two = run(fc, require, place);
  await one.load();
  await two.load();
  await one.save((settings) => { settings.b = 2; });
  await one.save((settings) => { settings.c = 3; });
  // Has seen neither.
  await two.save((settings) => { settings.a = 4; });
  assert.deepEqual(JSON.parse(fs.readFileSync(place, 'utf8')), { a: 4, b: 2, c: 3 });
});
