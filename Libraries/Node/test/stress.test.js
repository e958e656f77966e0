// SPDX-License-Identifier: Apache-2.0
//
// The check of stress.js finds what it is for.
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');

const { intervalsOf, overlapsOf } = require('./stress.js');

test('an overlap is found, also of the lock of a killed process', () => {
  const one = intervalsOf('begin 0 1 10\nend 0 1 20\nbegin 0 1 40\nend 0', 'one', 50n);
  assert.equal(one.hasHeld, true);
  assert.deepEqual(one.intervals.map(({ begin, end }) => [begin, end]), [[10n, 20n], [40n, 50n]]);
  const beside = intervalsOf('begin 0 1 20\nend 0 1 40\nbegin 1 2 45\nend 1 2 60\n', 'two');
  assert.equal(beside.hasHeld, false);
  assert.deepEqual(overlapsOf([...one.intervals, ...beside.intervals]), []);
  for (const text of ['begin 0 1 19\nend 0 1 19\n', 'begin 0 1 49\nend 0 1 70\n']) {
    const other = intervalsOf(text, 'two');
    assert.equal(overlapsOf([...one.intervals, ...other.intervals]).length, 1);
  }
  // One long interval around others.
  const around = intervalsOf('begin 0 1 1\nend 0 1 100\n', 'three');
  assert.equal(overlapsOf([...one.intervals, ...around.intervals]).length, 2);
});
