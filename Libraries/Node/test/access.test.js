// SPDX-License-Identifier: Apache-2.0
//
// Access that is waited for, had and ended, among several programs and within one.
'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { pathToFileURL } = require('node:url');
const { test } = require('node:test');

const support = require('./support.js');
const fc = require('..');

const { PATIENCE, file, filecoord, gate, holder, rejects, script, untilWaiting } = support;
const limit = { timeout: PATIENCE };

test('an accessor gets the path and the token of its item, and its result is returned', limit,
  async () => {
    const place = file('text');
    const result = await fc.reading(place, async (item, { signal, environment }) => {
      assert.equal(item.path, place);
      assert.match(item.token, /^[A-Za-z0-9._-]+$/);
      assert.equal(signal.aborted, false);
      assert.equal(typeof environment.FILECOORD_CLAIM, 'string');
      assert.equal(item.replace, undefined);
      return fs.readFileSync(item.path, 'utf8');
    });
    assert.equal(result, 'text');
    assert.equal(await fc.writing(place, { timeout: 5 }, () => 3), 3);
  });

test('a writer waits for another program, and goes on when that is done', limit, async () => {
  const place = file();
  const other = await holder('write', place);
  let isIn = false;
  const call = fc.writing(place, () => {
    isIn = true;
  });
  await untilWaiting(place);
  assert.equal(isIn, false);
  await other.endInput();
  await call;
  assert.equal(isIn, true);
});

test('another program waits for a writer', limit, async () => {
  const place = file();
  const other = await fc.writing(place, async () => {
    const waiting = filecoord('hold', '--write', place);
    await untilWaiting(place);
    return waiting;
  });
  assert.match(await other.line(), /^granted/);
});

test('readers share an item, also with other programs', limit, async () => {
  const place = file();
  await holder('read', place);
  await fc.reading(place, () => fc.reading(place, { timeout: 0 }, () => {}));
});

test('a timeout names who is in the way', limit, async () => {
  const place = file();
  const other = await holder('write', place);
  for (const timeout of [0, 0.1]) {
    let error;
    // On a machine that stalls, the time may be over before the server is asked.
    await support.until(async () => {
      const call = fc.writing(place, { timeout }, () => assert.fail('it was granted'));
      error = await rejects(call, 'timedOut');
      return error.holders.length > 0;
    });
    assert.ok(error instanceof fc.CoordinationError);
    assert.equal(error.name, 'CoordinationError');
    assert.equal(error.holders[0].pid, other.pid);
    assert.match(error.message, new RegExp(`${place}.*${other.pid}`));
  }
  await other.endInput();
  // The server may not know yet that the other program has ended.
  await fc.writing(place, { timeout: 30 }, () => {});
});

test('an error names the lines that wait for it', limit, async () => {
  const place = file();
  await holder('write', place);
  async function nameOfTheTest() {
    await fc.writing(place, { timeout: 0 }, () => {});
  }
  const error = await rejects(nameOfTheTest(), 'timedOut');
  assert.match(error.stack, /nameOfTheTest/);
});

test('who is in the way is told after a second, before the end of the wait', limit, async () => {
  const place = file();
  const other = await holder('write', place);
  const { open, opened } = gate();
  const call = fc.writing(place, { onWaiting: open }, () => 'in');
  const parties = await opened;
  assert.equal(parties[0].pid, other.pid);
  assert.equal(parties[0].path, place);
  await other.endInput();
  assert.equal(await call, 'in');
});

test('a signal cancels the wait, and those behind go on', limit, async () => {
  const place = file();
  await holder('read', place);
  const controller = new AbortController();
  const call = fc.writing(place, { signal: controller.signal }, () => assert.fail('granted'));
  await untilWaiting(place);
  const behind = fc.reading(place, () => 'read');
  await untilWaiting(place, 2);
  controller.abort(new Error('enough'));
  const error = await rejects(call, 'cancelled');
  assert.equal(error.cause.message, 'enough');
  assert.equal(await behind, 'read');
});

test('a signal that is aborted before prevents the wait, and one that is aborted later the access',
  limit, async () => {
    const place = file();
    const fail = () => assert.fail('it was granted');
    await rejects(fc.writing(place, { signal: AbortSignal.abort() }, fail), 'cancelled');
    const controller = new AbortController();
    const { signal } = controller;
    await fc.writing(place, { signal }, (item, access) => {
      controller.abort();
      assert.equal(access.signal.aborted, false);
    });
    // At whatever moment of its way: never granted, and nothing stays.
    for (let turn = 0; turn < 50; turn += 1) {
      const one = new AbortController();
      const call = fc.writing(place, { signal: one.signal }, async () => {
        await new Promise(setImmediate);
      });
      setTimeout(() => one.abort(), turn / 10);
      await call.catch((error) => assert.equal(error.code, 'cancelled'));
    }
    await fc.writing(place, { timeout: 0 }, () => {});
  });

test('calls of one program exclude each other, unless they have the same purpose', limit,
  async () => {
    const place = file();
    await fc.writing(place, async () => {
      await rejects(fc.writing(place, { timeout: 0 }, () => {}), 'timedOut');
    });
    await fc.writing(place, { purpose: 'ours' }, async () => {
      await fc.writing(place, { purpose: 'ours', timeout: 0 }, () => {});
    });
    await fc.writing(place, async (item, { environment }) => {
      const purpose = environment.FILECOORD_PURPOSE;
      await fc.writing(place, { purpose, timeout: 0 }, () => {});
    });
    let inside = 0;
    const calls = Array.from({ length: 30 }, () =>
      fc.writing(place, async () => {
        assert.equal((inside += 1), 1);
        await new Promise(setImmediate);
        inside -= 1;
      }),
    );
    await Promise.all(calls);
  });

test('an error of the accessor is the error of the call, and ends the access', limit, async () => {
  const place = file();
  const fail = () => {
    throw new RangeError('mine');
  };
  await assert.rejects(fc.writing(place, fail), RangeError);
  await assert.rejects(fc.writing(place, async () => fail()), RangeError);
  await fc.writing(place, { timeout: 0 }, () => {});
});

test('several items are one claim', limit, async () => {
  const [one, two] = [file('1'), file('2')];
  const other = await holder('write', two);
  const items = [
    { path: one, access: 'reading' },
    { path: two, access: 'writing', options: ['forMerging'] },
  ];
  await rejects(fc.accessing(items, { timeout: 0 }, () => {}), 'timedOut');
  await other.endInput();
  await fc.accessing(items, async ([first, second], { environment }) => {
    assert.deepEqual([first.path, second.path], [one, two]);
    assert.ok(environment.FILECOORD_PURPOSE);
    await second.replace(fs.readFileSync(first.path));
  });
  assert.equal(fs.readFileSync(two, 'utf8'), '1');
});

test('options reach the claim', limit, async () => {
  const folder = support.directory();
  const inner = path.join(folder, 'inner');
  fs.writeFileSync(inner, '');
  await fc.writing(folder, { recursive: true }, async () => {
    await rejects(fc.reading(inner, { timeout: 0 }, () => {}), 'timedOut');
  });
  const link = path.join(folder, 'link');
  fs.symlinkSync('inner', link);
  await fc.reading(link, (item) => assert.equal(item.path, inner));
  await fc.reading(link, { noFollow: true }, (item) => assert.equal(item.path, link));
  await rejects(fc.writing(inner, { options: ['forNothing'] }, () => {}), 'badRequest');
  await fc.writing(inner, { options: ['forDeleting'], label: 'the label' }, async () => {
    const error = await rejects(fc.reading(inner, { timeout: 0 }, () => {}), 'timedOut');
    assert.match(error.message, /the label/);
  });
});

test('wrong arguments are told at once', limit, async () => {
  const place = file();
  await assert.rejects(fc.writing(place), TypeError);
  await assert.rejects(fc.writing(place, {}), TypeError);
  await assert.rejects(fc.writing(7, () => {}), TypeError);
  await assert.rejects(fc.writing(place, { timeout: -1 }, () => {}), TypeError);
  await assert.rejects(fc.writing(place, { timeout: '1' }, () => {}), TypeError);
  await assert.rejects(fc.accessing([], () => {}), TypeError);
  await assert.rejects(fc.accessing([{ path: place, access: 'both' }], () => {}), TypeError);
  await rejects(fc.writing('', () => {}), 'badPath');
  await rejects(fc.writing('a\0b', () => {}), 'badPath');
  await rejects(fc.writing('a\ud800', () => {}), 'badPath');
  await rejects(fc.writing('x'.repeat(2 << 20), () => {}), 'badRequest');
});

test('paths are relative to the present working directory, and may be URLs', limit, async () => {
  const place = file();
  const before = process.cwd();
  try {
    process.chdir(path.dirname(place));
    await fc.reading('file', (item) => assert.equal(item.path, place));
    const around = `../${path.basename(path.dirname(place))}/file`;
    await fc.reading(around, (item) => assert.equal(fs.realpathSync(item.path), place));
  } finally {
    process.chdir(before);
  }
  await fc.reading(pathToFileURL(place), (item) => assert.equal(item.path, place));
});

test('a name that is not UTF-8 is given and got as a Buffer', limit, async () => {
  const folder = support.directory();
  const place = Buffer.concat([Buffer.from(`${folder}/100% `), Buffer.from([0xff, 0xe4])]);
  fs.writeFileSync(place, 'bytes');
  await fc.writing(place, async (item) => {
    assert.ok(Buffer.isBuffer(item.path));
    assert.ok(item.path.equals(place));
    await item.replace('new');
  });
  assert.equal(fs.readFileSync(place, 'utf8'), 'new');
  assert.equal(fs.readdirSync(folder).length, 1);
  await fc.token(place);
  await fc.update(place, (old) => `${old}er`);
  assert.equal(fs.readFileSync(place, 'utf8'), 'newer');
  // Text cannot name it, and a path that is almost right would be another file's.
  fs.symlinkSync(place, path.join(folder, 'link'));
  await rejects(fc.reading(path.join(folder, 'link'), () => {}), 'badPath');
  await fc.reading(Buffer.from(path.join(folder, 'link')), (item) => {
    assert.ok(item.path.equals(place));
  });
  await fc.writing(place, { timeout: 0 }, () => {});
});

test('a hold lasts until it is released', limit, async () => {
  const place = file();
  const hold = await fc.hold({ path: place, access: 'writing' });
  assert.equal(hold.items[0].path, place);
  await rejects(fc.reading(place, { timeout: 0 }, () => {}), 'timedOut');
  await hold.items[0].replace('held');
  await hold.release();
  await hold.release();
  await fc.reading(place, { timeout: 0 }, () => {});
  assert.equal(fs.readFileSync(place, 'utf8'), 'held');
  await rejects(hold.items[0].replace('late'), 'unknownClaim');
  if (!Symbol.asyncDispose) return;
  const other = await fc.hold([{ path: place, access: 'writing' }]);
  await other[Symbol.asyncDispose]();
  await fc.reading(place, { timeout: 0 }, () => {});
});

test('a child that works under the access is told so by its environment', limit, async () => {
  const place = file();
  await fc.writing(place, async (item, { environment }) => {
    const options = { env: { ...process.env, ...environment } };
    const child = new support.Program(support.program, ['write', place, '--', 'true'], options);
    assert.equal((await child.ended).status, 70, child.errors);
    const purpose = environment.FILECOORD_PURPOSE;
    const joined = new support.Program(
      support.program, ['write', '--purpose', purpose, place, '--', 'true'], options);
    assert.equal((await joined.ended).status, 0, joined.errors);
  });
});

test('waiting takes no thread of the pool', limit, async () => {
  const place = file();
  await holder('write', place);
  const controller = new AbortController();
  const { signal } = controller;
  const warnings = [];
  process.on('warning', (warning) => warnings.push(warning));
  const calls = Array.from({ length: 100 }, () => fc.writing(place, { signal }, () => {}));
  await untilWaiting(place, 100);
  // Would not come back if the four threads of the pool waited.
  assert.equal(await fs.promises.readFile(place, 'utf8'), 'contents');
  controller.abort();
  for (const outcome of await Promise.allSettled(calls)) {
    assert.equal(outcome.reason.code, 'cancelled');
  }
  assert.deepEqual(warnings, []);
});

test('a hold and a presenter do not keep a program alive, and it takes them along', limit,
  async () => {
    const place = file();
    const other = script(
      `const [place] = process.argv.slice(1);
      await fc.hold({ path: place, access: 'writing' });
      await fc.present(place, { save() {}, didChange() {} });
      console.log('has them');`,
      place,
    );
    assert.equal(await other.line(), 'has them');
    assert.deepEqual(await other.ended, { status: 0, signal: null }, other.errors);
    await fc.writing(place, () => {});
  });

test('a call that waits keeps a program alive', limit, async () => {
  const place = file();
  const other = await fc.writing(place, async () => {
    const waiting = script(
      `await fc.writing(process.argv[1], () => new Promise((resolve) => setTimeout(resolve, 10)));
      console.log('was in');`,
      place,
    );
    await untilWaiting(place);
    return waiting;
  });
  assert.equal(await other.line(), 'was in');
  assert.equal((await other.ended).status, 0);
});

test('access ends with its program, however that ends', limit, async () => {
  const place = file();
  const other = script(
    `await fc.writing(process.argv[1], () => {
      console.log('in');
      return new Promise((resolve) => setTimeout(resolve, 1e6));
    });`,
    place,
  );
  assert.equal(await other.line(), 'in');
  await rejects(fc.writing(place, { timeout: 0 }, () => {}), 'timedOut');
  await other.end();
  await fc.writing(place, () => {});
});

test('status and explanation are those of the command', limit, async () => {
  const place = file();
  await fc.writing(place, async () => {
    const { claims } = await fc.status();
    assert.ok(claims.some(({ items }) => items.some((item) => item.path === place)));
    const { accesses } = await fc.explain(place);
    assert.equal(accesses.find(({ access }) => access === 'write').immediate, false);
  });
});
