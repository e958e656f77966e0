// SPDX-License-Identifier: Apache-2.0
//
// Locks in the shape of proper-lockfile: its options, its codes, and no file or directory behind.
'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { test } = require('node:test');

const support = require('./support.js');
const fc = require('..');
const lockfile = require('../lib/lockfile.js');

const { PATIENCE, file, filecoord, holder, namesBeside, rejects, script, session } = support;
const { until, untilWaiting } = support;
const limit = { timeout: PATIENCE };

test('the module is a function with its functions', limit, () => {
  assert.equal(lockfile, lockfile.lock);
  for (const name of ['lock', 'unlock', 'check', 'lockSync', 'unlockSync', 'checkSync']) {
    assert.equal(typeof lockfile[name], 'function');
    assert.equal(fc[name], lockfile[name]);
  }
});

test('a file is locked until it is released, and nothing is left beside it', limit, async () => {
  const place = file();
  const release = await lockfile(place);
  assert.deepEqual(namesBeside(place), ['file']);
  assert.equal(await lockfile.check(place), true);
  const error = await rejects(lockfile.lock(place), 'ELOCKED');
  assert.equal(error.file, place);
  await release();
  assert.equal(await lockfile.check(place), false);
  await rejects(release(), 'ERELEASED');
  assert.deepEqual(namesBeside(place), ['file']);
});

test('a lock is unlocked by the name of its file', limit, async () => {
  const place = file();
  await rejects(lockfile.unlock(place), 'ENOTACQUIRED');
  const release = await lockfile.lock(place);
  const link = path.join(support.directory(), 'link');
  fs.symlinkSync(place, link);
  await lockfile.unlock(link);
  await rejects(release(), 'ERELEASED');
  await rejects(lockfile.unlock(place), 'ENOTACQUIRED');
  await (await lockfile.lock(place))();
});

test('locks exclude those of other programs, and every other access', limit, async () => {
  const place = file();
  const other = script(
    `const { lock, check } = require(process.argv[1]);
    const release = await lock(process.argv[2]);
    console.log('locked');
    await new Promise((resolve) => process.stdin.on('end', resolve).resume());
    await release();
    console.log('unlocked');
    process.exit();`,
    path.resolve(__dirname, '../lib/lockfile.js'),
    place,
  );
  assert.equal(await other.line(), 'locked');
  assert.equal(await lockfile.check(place), true);
  const error = await rejects(lockfile.lock(place), 'ELOCKED');
  assert.ok(error.holders.length > 0);
  await rejects(fc.writing(place, { timeout: 0 }, () => {}), 'timedOut');
  other.endInput();
  assert.equal(await other.line(), 'unlocked');
  // The server may not know yet what the other program has said: here and below.
  await until(async () => !(await lockfile.check(place)));
  const command = await holder('write', place);
  assert.equal(await lockfile.check(place), true);
  await rejects(lockfile.lock(place), 'ELOCKED');
  await command.endInput();
  await (await lockfile.lock(place, { retries: 5 }))();
});

test('with retries, a lock is waited for', limit, async () => {
  const place = file();
  for (const retries of [100, { retries: 100 }, { forever: true }, { retries: Infinity }]) {
    const release = await lockfile.lock(place);
    const next = lockfile.lock(place, { retries });
    await untilWaiting(place);
    await release();
    await (await next)();
  }
  const release = await lockfile.lock(place);
  const before = process.hrtime.bigint();
  const schedule = { retries: 3, factor: 1, minTimeout: 50, maxTimeout: 50 };
  await rejects(lockfile.lock(place, { retries: schedule }), 'ELOCKED');
  assert.ok(process.hrtime.bigint() - before >= 149_000_000n);
  await rejects(lockfile.lock(place, { retries: { retries: 5, maxRetryTime: 20 } }), 'ELOCKED');
  await rejects(lockfile.lock(place, { retries: { retries: 0 } }), 'ELOCKED');
  await release();
});

test('the lock of a program that is killed is free', limit, async () => {
  const place = file();
  const other = script(
    `await fc.lock(process.argv[1]);
    console.log('locked');
    setTimeout(() => {}, 1e6);`,
    place,
  );
  assert.equal(await other.line(), 'locked');
  const next = lockfile.lock(place, { retries: { forever: true } });
  await untilWaiting(place);
  await other.end();
  await (await next)();
});

test('a file must exist, unless its real path is not wanted', limit, async () => {
  const place = file(null);
  await rejects(lockfile.lock(place), 'ENOENT');
  await rejects(lockfile.check(place), 'ENOENT');
  await rejects(lockfile.unlock(place), 'ENOENT');
  const release = await lockfile.lock(place, { realpath: false });
  assert.equal(await lockfile.check(place, { realpath: false }), true);
  await rejects(fc.writing(place, { timeout: 0 }, () => {}), 'timedOut');
  await lockfile.unlock(place, { realpath: false });
  await rejects(release(), 'ERELEASED');
  assert.deepEqual(namesBeside(place), []);
});

test('another path can be claimed in the place of the file', limit, async () => {
  const place = file();
  const lockfilePath = path.join(support.directory(), 'lock');
  const release = await lockfile.lock(place, { lockfilePath });
  assert.equal(await lockfile.check(place, { lockfilePath }), true);
  await rejects(lockfile.lock(file(), { lockfilePath }), 'ELOCKED');
  await fc.writing(place, { timeout: 0 }, () => {});
  await rejects(fc.writing(lockfilePath, { timeout: 0 }, () => {}), 'timedOut');
  await release();
  assert.equal(fs.existsSync(lockfilePath), false);
});

test('a directory can be locked', limit, async () => {
  const folder = support.directory();
  const release = await lockfile.lock(folder);
  await rejects(lockfile.lock(folder), 'ELOCKED');
  await release();
  assert.deepEqual(fs.readdirSync(folder), []);
});

test('what is about staleness is accepted, and said once to have no effect', limit, async () => {
  const place = file();
  const warnings = [];
  const listen = (warning) => warnings.push(warning.message);
  process.on('warning', listen);
  const options = { stale: 5000, update: 1000, fs };
  await (await lockfile.lock(place, options))();
  await (await lockfile.lock(place, options))();
  await lockfile.check(place, { stale: 5000 });
  await new Promise(setImmediate);
  process.removeListener('warning', listen);
  assert.equal(warnings.length, 1);
  assert.match(warnings[0], /stale, update, fs/);
});

test('the functions that would block say what to use instead', limit, () => {
  for (const name of ['lock', 'unlock', 'check']) {
    assert.throws(() => lockfile[`${name}Sync`](file()), new RegExp(`await ${name}\\(file\\)`));
  }
});

test('a lock that is lost is told', limit, async () => {
  const place = file();
  const other = file();
  const { open, opened } = support.gate();
  const release = await lockfile.lock(place, { onCompromised: open });
  const released = await lockfile.lock(other, { onCompromised: () => assert.fail('released') });
  await released();
  process.kill(session().pid, 'SIGKILL');
  const error = await opened;
  assert.equal(error.code, 'ECOMPROMISED');
  assert.equal(error.cause.code, 'lost');
  await rejects(release(), 'ERELEASED');
  await rejects(lockfile.unlock(place), 'ENOTACQUIRED');
  await (await lockfile.lock(place, { retries: 5 }))();
});

test('a lost lock ends a program that has not said what to do then', limit, async () => {
  const place = file();
  const other = script(
    `await fc.lock(process.argv[1]);
    console.log('locked');
    setTimeout(() => {}, 1e6);`,
    place,
  );
  assert.equal(await other.line(), 'locked');
  const { claims } = await fc.status();
  const { pid } = claims.find(({ items }) => items.some((item) => item.path === place));
  process.kill(pid, 'SIGKILL');
  assert.equal((await other.ended).status, 1);
  assert.match(other.errors, /ECOMPROMISED/);
});

test('a lock keeps no program alive', limit, async () => {
  const place = file();
  const other = script(`await fc.lock(process.argv[1]); console.log('locked');`, place);
  assert.equal(await other.line(), 'locked');
  assert.equal((await other.ended).status, 0, other.errors);
  await until(async () => !(await lockfile.check(place)));
});

test('filecoord waits for a lock', limit, async () => {
  const place = file();
  const release = await lockfile.lock(place);
  const refused = filecoord('write', '--nonblock', place, '--', 'true');
  assert.equal((await refused.ended).status, 75);
  await release();
  const granted = filecoord('write', '--timeout', '30', place, '--', 'true');
  assert.equal((await granted.ended).status, 0);
});
