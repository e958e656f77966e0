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

const { PATIENCE, file, rejects, script } = require('./support.js');
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
  const source = `${listing('const setValue')}
    const [place, mark] = process.argv.slice(1);
    for (let turn = 0; turn < 10; turn += 1) await setValue(place, mark + turn, turn);`;
  const others = ['a', 'b', 'c'].map((mark) => script(source, place, mark));
  for (const other of others) assert.equal((await other.ended).status, 0, other.errors);
  assert.equal(Object.keys(JSON.parse(fs.readFileSync(place, 'utf8'))).length, 30);
});

test('settings in memory overwrite nothing unseen', limit, async () => {
  const place = file('{"a":1}');
  const run = new Function('fc', 'fs', 'path', `return (async () => {
    ${listing('let seen')}
    return { save, settings };
  })();`);
  const one = await run(fc, fs.promises, place);
  const two = await run(fc, fs.promises, place);
  one.settings.b = 2;
  await one.save();
  one.settings.c = 3;
  await one.save();
  two.settings.a = 4;
  await rejects(two.save(), 'stale');
  const again = await run(fc, fs.promises, place);
  again.settings.a = 4;
  await again.save();
  assert.deepEqual(JSON.parse(fs.readFileSync(place, 'utf8')), { a: 4, b: 2, c: 3 });
});
