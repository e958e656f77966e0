// SPDX-License-Identifier: Apache-2.0
//
// Presenters: asked before other programs use a file, told after they did.
'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { test } = require('node:test');

const support = require('./support.js');
const fc = require('..');

const { PATIENCE, file, filecoord, gate, rejects } = support;
const limit = { timeout: PATIENCE };

/** Runs filecoord, and returns what it prints. */
async function run(...args) {
  const other = filecoord(...args);
  const lines = [];
  for (let line = await other.line(); line !== undefined; line = await other.line()) {
    lines.push(line);
  }
  return { ...(await other.ended), output: lines.join('\n'), errors: other.errors };
}

/** Replaces a file as another program. */
async function write(place, contents) {
  const other = filecoord('write', place);
  other.process.stdin.end(contents);
  return { ...(await other.ended), errors: other.errors };
}

test('a presenter saves before another program reads, with its own purpose', limit, async () => {
  const place = file('old');
  const presenter = await fc.present(place, {
    async save({ presenter: own }) {
      assert.equal(own.path, place);
      await fc.update(own.path, () => 'saved', { purpose: own.purpose });
    },
  });
  const { status, output, errors } = await run('read', place);
  assert.equal(status, 0, errors);
  assert.equal(output, 'saved');
  await presenter.close();
  await presenter.close();
  fs.writeFileSync(place, 'plain');
  assert.equal((await run('read', place)).output, 'plain');
});

test('a presenter saves before this program reads, too', limit, async () => {
  const place = file('old');
  const presenter = await fc.present(place, {
    save: ({ presenter: own }) => fc.update(place, () => 'saved', { purpose: own.purpose }),
  });
  assert.equal(await fc.reading(place, (item) => fs.readFileSync(item.path, 'utf8')), 'saved');
  await fc.update(place, (old) => `${old}, and changed`);
  assert.equal(fs.readFileSync(place, 'utf8'), 'saved, and changed');
  await presenter.close();
});

test('an error refuses, and the other program gets its text', limit, async () => {
  const place = file();
  const presenter = await fc.present(place, {
    async save() {
      throw new Error('the disk of the test is full');
    },
    accommodateDeletion() {
      throw new Error('the test needs it');
    },
  });
  const { status, errors } = await run('read', place);
  assert.equal(status, 70, errors);
  assert.match(errors, /the disk of the test is full/);
  const error = await rejects(fc.reading(place, () => {}), 'refused');
  assert.match(error.message, /the disk of the test is full/);
  const removal = await run('rm', place);
  assert.equal(removal.status, 70, removal.errors);
  assert.ok(fs.existsSync(place));
  await presenter.close();
  assert.equal((await run('rm', place)).status, 0);
});

test('a writer is waited for by all methods, in order, and the news follow', limit, async () => {
  const place = file('old');
  const calls = [];
  const { open, opened } = gate();
  const presenter = await fc.present(place, {
    async relinquishToWriter() {
      await new Promise(setImmediate);
      calls.push(`relinquish ${fs.readFileSync(place, 'utf8')}`);
    },
    didChange(news) {
      assert.equal(news.uncoordinated, false);
      assert.equal(news.exists, true);
      assert.equal(news.presenter, presenter);
      calls.push(`change ${fs.readFileSync(place, 'utf8')}`);
    },
    reacquireFromWriter() {
      calls.push('reacquire');
      open();
    },
  });
  const { status, errors } = await write(place, 'new');
  assert.equal(status, 0, errors);
  await opened;
  assert.deepEqual(calls, ['relinquish old', 'change new', 'reacquire']);
  await presenter.close();
});

test('a presenter is told of plain programs, and of moves, which it follows', limit, async () => {
  const place = file('old');
  const next = path.join(path.dirname(place), 'next');
  const [changed, moved] = [gate(), gate()];
  const presenter = await fc.present(place, {
    didChange: changed.open,
    didMove: (to, news) => moved.open({ to, news }),
  });
  fs.writeFileSync(place, 'plain');
  assert.equal((await changed.opened).uncoordinated, true);
  assert.equal((await run('mv', place, next)).status, 0);
  const { to, news } = await moved.opened;
  assert.equal(to, next);
  assert.equal(news.uncoordinated, false);
  assert.equal(presenter.path, next);
  await presenter.close();
});

test('the presenter of a directory is told what happens inside', limit, async () => {
  const folder = support.directory();
  const [appeared, moved] = [gate(), gate()];
  const presenter = await fc.present(folder, {
    subitemDidAppear: (inner) => appeared.open(inner),
    subitemDidMove: (from, to) => moved.open([from, to]),
  });
  const [one, two] = [path.join(folder, 'one'), path.join(folder, 'two')];
  assert.equal((await write(one, 'text')).status, 0);
  assert.equal(await appeared.opened, one);
  assert.equal((await run('mv', one, two)).status, 0);
  assert.deepEqual(await moved.opened, [one, two]);
  await presenter.close();
});

test('what a presenter does not do costs nothing', limit, async () => {
  const place = file();
  const presenter = await fc.present(place, { label: 'the label' });
  await fc.writing(place, { timeout: 0 }, () => {});
  await fc.reading(place, { timeout: 0 }, () => {});
  const { presenters } = await fc.status();
  assert.ok(presenters.some(({ label, path: shown }) => label === 'the label' && shown === place));
  await presenter.close();
});

test('closing ends the wait of others, also from within a method', limit, async () => {
  const place = file();
  const { open, opened } = gate();
  const presenter = await fc.present(place, {
    save: ({ presenter: own }) => {
      open(own.close());
      return new Promise(() => {});
    },
  });
  assert.equal((await run('read', place)).status, 0);
  await opened;
  await presenter.close();
});

test('a name that is not UTF-8 is presented as a Buffer', limit, async () => {
  const folder = support.directory();
  const place = Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([0xff])]);
  const next = Buffer.concat([place, Buffer.from([0xfe])]);
  fs.writeFileSync(place, '');
  const { open, opened } = gate();
  const presenter = await fc.present(place, { didMove: open });
  assert.ok(presenter.path.equals(place));
  const items = [
    { path: place, access: 'writing', options: ['forMoving'] },
    { path: next, access: 'writing', options: ['forReplacing'] },
  ];
  // A plain move, which is noticed.
  await fc.accessing(items, () => fs.renameSync(place, next));
  assert.ok((await opened).equals(next));
  await presenter.close();
});
