// SPDX-License-Identifier: Apache-2.0
//
// Replacing, updating, and refusing to overwrite what was not seen.
'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { test } = require('node:test');

const support = require('./support.js');
const fc = require('..');

const { PATIENCE, file, filecoord, gate, holder, namesBeside, rejects, script } = support;
const limit = { timeout: PATIENCE };
const text = (place) => fs.readFileSync(place, 'utf8');

test('contents are replaced in one step, and the mode is kept', limit, async () => {
  const place = file('old');
  fs.chmodSync(place, 0o640);
  // Open, so that its inode's number is not given to another file.
  const before = fs.openSync(place);
  const seen = await fc.writing(place, async (item) => {
    await item.replace('text ü');
    assert.equal(text(place), 'text ü');
    await item.replace(Buffer.from('bytes'));
    assert.equal(text(place), 'bytes');
    return item.replace(new Uint8Array([104, 105]));
  });
  assert.equal(text(place), 'hi');
  assert.equal(seen, await fc.token(place));
  assert.notEqual(fs.statSync(place).ino, fs.fstatSync(before).ino);
  assert.equal(fs.readFileSync(before, 'utf8'), 'old');
  fs.closeSync(before);
  assert.equal(fs.statSync(place).mode & 0o777, 0o640);
  assert.deepEqual(namesBeside(place), ['file']);
});

test('a file is made with the mode of the umask, and removed by null', limit, async () => {
  const place = file(null);
  await fc.writing(place, (item) => item.replace('new'));
  assert.equal(text(place), 'new');
  assert.equal(fs.statSync(place).mode & 0o777, 0o666 & ~process.umask());
  const seen = await fc.writing(place, (item) => item.replace(null));
  assert.equal(fs.existsSync(place), false);
  assert.equal(seen, await fc.token(place));
});

test('a link is followed, and stays a link', limit, async () => {
  const place = file('old');
  const link = path.join(support.directory(), 'link');
  fs.symlinkSync(place, link);
  await fc.writing(link, (item) => item.replace('new'));
  await fc.update(link, (old) => `${old}er`);
  assert.equal(text(place), 'newer');
  assert.ok(fs.lstatSync(link).isSymbolicLink());
  assert.deepEqual(namesBeside(link), ['link']);
});

test('nothing stays behind if a replacement fails', limit, async () => {
  const place = file('old');
  await fc.writing(place, async (item) => {
    await rejects(item.replace('new', { onlyIf: 'absent' }), 'stale');
    await assert.rejects(item.replace(undefined), TypeError);
    await assert.rejects(item.replace({}), TypeError);
  });
  assert.equal(text(place), 'old');
  assert.deepEqual(namesBeside(place), ['file']);
  const folder = support.directory();
  await assert.rejects(fc.writing(folder, (item) => item.replace('new')));
  assert.deepEqual(namesBeside(folder).filter((name) => name.includes('.')), []);
  const nowhere = path.join(folder, 'none', 'file');
  await assert.rejects(fc.writing(nowhere, (item) => item.replace('new')));
});

test('an item that is not had any more is not replaced', limit, async () => {
  const place = file('old');
  const late = await fc.writing(place, (item) => item);
  await rejects(late.replace('late'), 'unknownClaim');
  await rejects(late.replace(null), 'unknownClaim');
  assert.equal(text(place), 'old');
  assert.deepEqual(namesBeside(place), ['file']);
});

test('a long name is replaced as long as there is room for one beside it', limit, async () => {
  for (const length of [200, 249]) {
    const place = file('old', 'n'.repeat(length));
    await fc.writing(place, (item) => item.replace('new'));
    assert.equal(text(place), 'new');
  }
  const place = file('old', 'n'.repeat(255));
  await rejects(fc.writing(place, (item) => item.replace('new')), 'badPath');
  assert.equal(text(place), 'old');
});

test('update reads, changes and replaces', limit, async () => {
  const place = file('1');
  const seen = await fc.update(place, (old) => {
    assert.ok(Buffer.isBuffer(old));
    return String(Number(old) + 1);
  });
  assert.equal(text(place), '2');
  assert.equal(seen, await fc.token(place));
  await fc.update(place, async () => Buffer.from('3'));
  assert.equal(text(place), '3');
  await fc.update(place, () => null);
  assert.equal(fs.existsSync(place), false);
  await fc.update(place, (old) => {
    assert.equal(old, null);
    return null;
  });
  assert.equal(fs.existsSync(place), false);
  await fc.update(place, () => 'made');
  assert.equal(text(place), 'made');
  assert.deepEqual(namesBeside(place), ['file']);
});

test('equal contents, an error or no contents at all change nothing', limit, async () => {
  const place = file('same');
  const stamp = () => {
    const { ino, mtimeNs, ctimeNs, size } = fs.statSync(place, { bigint: true });
    return { ino, mtimeNs, ctimeNs, size };
  };
  const before = stamp();
  const seen = await fc.update(place, (old) => old.toString());
  assert.equal(seen, await fc.token(place));
  await assert.rejects(
    fc.update(place, () => {
      throw new RangeError();
    }),
    RangeError,
  );
  await assert.rejects(fc.update(place, () => undefined), TypeError);
  await assert.rejects(fc.update(place, async () => 7), TypeError);
  await assert.rejects(fc.update(place), TypeError);
  assert.deepEqual(stamp(), before);
});

test('the old contents may be changed and returned', limit, async () => {
  const place = file('abc');
  await fc.update(place, (old) => old.fill('x'));
  assert.equal(text(place), 'xxx');
});

test('no update of several programs gets lost', limit, async () => {
  const place = file('0');
  const source = `await Promise.all(Array.from({ length: 20 }, () =>
    fc.update(process.argv[1], (old) => String(Number(old) + 1))));`;
  const others = Array.from({ length: 3 }, () => script(source, place));
  const own = Array.from({ length: 20 }, () =>
    fc.update(place, async (old) => String(Number(old) + 1)),
  );
  await Promise.all(own);
  for (const other of others) assert.equal((await other.ended).status, 0, other.errors);
  assert.equal(text(place), '80');
});

test('update refuses if a program that does not coordinate is quicker', limit, async () => {
  const place = file('old');
  const call = fc.update(place, () => {
    fs.writeFileSync(place, 'plain');
    return 'ours';
  });
  await rejects(call, 'stale');
  assert.equal(text(place), 'plain');
  const removed = fc.update(place, () => {
    fs.unlinkSync(place);
    return 'ours';
  });
  await rejects(removed, 'stale');
  assert.equal(fs.existsSync(place), false);
  const made = fc.update(place, () => {
    fs.writeFileSync(place, 'plain');
    return 'ours';
  });
  await rejects(made, 'stale');
  assert.equal(text(place), 'plain');
  const gone = fc.update(place, () => {
    fs.writeFileSync(place, 'plain again');
    return null;
  });
  await rejects(gone, 'stale');
  assert.equal(text(place), 'plain again');
  const half = fc.update(place, () => {
    fs.writeFileSync(place, '{"half":');
    return JSON.stringify(JSON.parse(text(place)));
  });
  assert.equal((await rejects(half, 'stale')).cause.name, 'SyntaxError');
  assert.deepEqual(namesBeside(place), ['file']);
});

test('a directory that is missing is told by the name that the caller knows', limit, async () => {
  const place = path.join(path.dirname(file()), 'none', 'file');
  await assert.rejects(fc.update(place, () => 'new'), (error) => {
    assert.equal(error.code, 'ENOENT');
    assert.equal(error.path, place);
    assert.ok(error.message.includes(`'${place}'`));
    return true;
  });
});

test('a state that is not known is refused like one that has changed', limit, async () => {
  const place = file('old');
  await rejects(fc.writing(place, { onlyIf: null }, () => {}), 'stale');
});

test('update waits as other calls do', limit, async () => {
  const place = file('old');
  await holder('write', place);
  await rejects(fc.update(place, () => 'new', { timeout: 0 }), 'timedOut');
  const signal = AbortSignal.timeout(20);
  await rejects(fc.update(place, () => 'new', { signal }), 'cancelled');
  assert.equal(text(place), 'old');
});

test('a token refuses a write to what was changed since', limit, async () => {
  const place = file('old');
  const seen = await fc.token(place);
  await fc.writing(place, { onlyIf: seen }, (item) => assert.equal(item.token, seen));
  fs.writeFileSync(place, 'new');
  const fail = () => assert.fail('the accessor ran');
  const error = await rejects(fc.writing(place, { onlyIf: seen }, fail), 'stale');
  assert.ok(error.message.includes(place));
  await rejects(fc.update(place, fail, { onlyIf: seen }), 'stale');
  await rejects(fc.reading(place, { onlyIf: seen }, fail), 'stale');
  const items = [
    { path: file(), access: 'writing' },
    { path: place, access: 'writing', onlyIf: seen },
  ];
  await rejects(fc.accessing(items, fail), 'stale');
  assert.equal(text(place), 'new');
});

test('settings that are rewritten from memory overwrite nothing unseen', limit, async () => {
  const place = file('{"a":1}');
  // As in README.md.
  let seen = await fc.token(place);
  const settings = JSON.parse(text(place));
  const save = async () => {
    const contents = JSON.stringify(settings);
    seen = await fc.writing(place, { onlyIf: seen }, (item) =>
      item.replace(contents, { onlyIf: item.token }),
    );
  };
  settings.a = 2;
  await save();
  settings.a = 3;
  await save();
  assert.equal(text(place), '{"a":3}');
  const other = filecoord('write', place);
  other.process.stdin.end('{"b":1}');
  assert.equal((await other.ended).status, 0, other.errors);
  const error = await rejects(save(), 'stale');
  assert.ok(error.message.includes(place));
  assert.equal(text(place), '{"b":1}');
});

test('that there is nothing is a state, too', limit, async () => {
  const place = file(null);
  const seen = await fc.token(place);
  await fc.writing(place, { onlyIf: 'absent' }, () => {});
  await fc.writing(place, { onlyIf: seen }, (item) => item.replace('first'));
  await rejects(fc.writing(place, { onlyIf: seen }, () => {}), 'stale');
  await rejects(fc.writing(place, { onlyIf: 'absent' }, () => {}), 'stale');
});

test('with a digest, equal contents count as unchanged', limit, async () => {
  const place = file('same');
  const [plain, digest] = [await fc.token(place), await fc.token(place, { digest: true })];
  assert.notEqual(plain, digest);
  const copy = file('same');
  fs.renameSync(copy, place);
  await rejects(fc.writing(place, { onlyIf: plain }, () => {}), 'stale');
  await fc.writing(place, { onlyIf: digest }, () => {});
  const seen = await fc.reading(place, { digest: true }, (item) => item.token);
  assert.equal(seen, await fc.token(place, { digest: true }));
});

test('a token that is none is told so', limit, async () => {
  await rejects(fc.writing(file(), { onlyIf: 'no token' }, () => {}), 'badRequest');
  await rejects(fc.token(''), 'badPath');
});

test('what is written is whole at every moment', limit, async () => {
  const place = file('a'.repeat(100_000));
  const { open, opened } = gate();
  const call = fc.update(place, async () => {
    open();
    return 'b'.repeat(100_000);
  });
  await opened;
  let isDone = false;
  call.then(() => {
    isDone = true;
  });
  while (!isDone) {
    const contents = await fs.promises.readFile(place, 'utf8');
    assert.match(contents, /^(a{100000}|b{100000})$/);
  }
  await call;
});
