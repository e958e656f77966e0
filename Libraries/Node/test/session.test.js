// SPDX-License-Identifier: Apache-2.0
//
// The session as a process: how it is found and started, and what happens if it dies or speaks
// another language.
'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { test } = require('node:test');

const support = require('./support.js');
const fc = require('..');
const { version } = require('../package.json');

const { PATIENCE, Program, close, file, gate, rejects, script, session, untilWaiting } = support;
const limit = { timeout: PATIENCE };

/** Uses another program as filecoord for the time of a function. */
async function withProgram(program, body) {
  await close();
  process.env.FILECOORD = program;
  try {
    await body();
  } finally {
    await close();
    process.env.FILECOORD = support.program;
  }
}

/** Uses the program that speaks wrongly. */
async function withFake(mode, body) {
  const program = path.join(support.directory(), 'filecoord');
  const fake = path.join(__dirname, 'fake-session.js');
  fs.writeFileSync(
    program,
    `#!/bin/sh\nFAKE_SESSION='${mode}' exec '${process.execPath}' '${fake}'\n`,
    { mode: 0o700 },
  );
  await withProgram(program, body);
}

function killSession() {
  process.kill(session().pid, 'SIGKILL');
}

test('a program without filecoord is told how to install it', limit, async () => {
  await withProgram('/nowhere/filecoord', async () => {
    const error = await rejects(fc.token('/etc/passwd'), 'notInstalled');
    assert.match(error.message, /\$FILECOORD names \/nowhere\/filecoord.*\.\/install/s);
  });
  const { PATH } = process.env;
  await withProgram('', async () => {
    process.env.PATH = support.directory();
    try {
      const error = await rejects(fc.token('/etc/passwd'), 'notInstalled');
      assert.match(error.message, /no filecoord in PATH.*\.\/install/s);
    } finally {
      process.env.PATH = PATH;
    }
  });
  await fc.token('/etc/passwd');
});

test('filecoord is found in PATH, or by a relative name', limit, async () => {
  const { PATH } = process.env;
  const before = process.cwd();
  await withProgram('', async () => {
    process.env.PATH = `${path.dirname(support.program)}:${PATH}`;
    try {
      await fc.token('/etc/passwd');
    } finally {
      process.env.PATH = PATH;
    }
  });
  process.chdir(path.dirname(support.program));
  try {
    await withProgram(`./${path.basename(support.program)}`, () => fc.token('/etc/passwd'));
  } finally {
    process.chdir(before);
  }
});

test('another version of the protocol is an error that names both', limit, async () => {
  await withFake('other version', async () => {
    const error = await rejects(fc.token('/etc/passwd'), 'wrongVersion');
    assert.match(error.message, /session 1/);
    assert.match(error.message, /session 2/);
    assert.ok(error.message.includes(version) && error.message.includes('9.9.9'), error.message);
  });
  await withFake('no version', async () => {
    const error = await rejects(fc.token('/etc/passwd'), 'wrongVersion');
    assert.match(error.message, /Hello, user!/);
  });
  await withFake('no subcommand', async () => {
    await rejects(fc.token('/etc/passwd'), 'wrongVersion');
  });
  await withFake('early end', async () => {
    const error = await rejects(fc.token('/etc/passwd'), 'lost');
    assert.match(error.message, /status 3/);
  });
});

test('what a later version says more is passed over', limit, async () => {
  const { open, opened } = gate();
  process.once('warning', open);
  await withFake('later version', async () => {
    const error = await rejects(fc.status(), 'aNewCode');
    assert.equal(error.message, 'a new text');
    assert.deepEqual(await fc.explain('/'), { more: true });
    assert.match((await opened).message, /of no request/);
  });
});

for (const mode of ['end at a request', 'line without end', 'output closed']) {
  test(`a call is lost, and its accessor does not run: ${mode}`, limit, async () => {
    await withFake(mode, async () => {
      const call = fc.writing('/x', () => assert.fail('the accessor ran'));
      await rejects(call, 'lost');
    });
  });
}

test('an accessor is told if the session speaks nonsense or dies', limit, async () => {
  await withFake('garbage after the grant', async () => {
    const { open, opened } = gate();
    const call = fc.writing('/x', async (item, { signal }) => {
      open(signal);
      return new Promise(() => {});
    });
    const error = await rejects(call, 'lost');
    assert.match(error.message, /granted, granted!/);
    // The nonsense may be read before the accessor has started: then it does not run.
    open(null);
    const signal = await opened;
    if (signal) assert.equal(signal.reason.code, 'lost');
  });
  await withFake('grant and die', async () => {
    // Whether or not the grant was read before the end.
    await rejects(fc.writing('/x', () => new Promise(() => {})), 'lost');
  });
  await withFake('die at the end', async () => {
    let hasRun = false;
    const call = fc.writing('/x', () => {
      hasRun = true;
    });
    // Access may have ended before the accessor did.
    await rejects(call, 'lost');
    assert.equal(hasRun, true);
  });
});

test('requests that are not read do not take memory without bound', limit, async () => {
  await withFake('silent', async () => {
    const name = `/${'x'.repeat(100_000)}`;
    const calls = Array.from({ length: 1000 }, () => fc.token(name));
    const first = await Promise.race(calls.map((call) => call.catch((error) => error.code)));
    assert.equal(first, 'limitExceeded');
    killSession();
    const codes = (await Promise.allSettled(calls)).map(({ reason }) => reason.code);
    assert.deepEqual(new Set(codes), new Set(['limitExceeded', 'lost']));
  });
});

test('if the session dies, everything that used it is told, and the next call works', limit,
  async () => {
    const [place, other] = [file(), file()];
    const ended = gate();
    const presenter = await fc.present(other, { didChange() {}, didEnd: ended.open });
    const hold = await fc.hold({ path: other, access: 'reading' });
    const held = new Promise((resolve) => hold.signal.addEventListener('abort', resolve));
    const [started, aborted, settled] = [gate(), gate(), gate()];
    let outcome = null;
    const running = fc.writing(place, async (item, { signal }) => {
      signal.addEventListener('abort', () => aborted.open(signal.reason));
      started.open();
      // Goes on after the call has failed: only the signal can stop it.
      await settled.opened;
      await item.replace('too late').catch((error) => {
        outcome = error;
      });
      return 'too late';
    });
    await started.opened;
    const waiting = fc.writing(place, () => assert.fail('it was granted'));
    await untilWaiting(place);
    const pid = session().pid;
    killSession();
    for (const call of [running, waiting]) {
      const error = await rejects(call, 'lost');
      assert.match(error.message, new RegExp(`process ${pid}.*SIGKILL`));
    }
    assert.equal((await aborted.opened).code, 'lost');
    assert.equal((await ended.opened).code, 'lost');
    await held;
    await rejects(hold.release(), 'lost');
    await presenter.close();
    settled.open();
    assert.equal(await fc.writing(place, () => 'again'), 'again');
    assert.notEqual(session().pid, pid);
    assert.equal(outcome.code, 'lost');
    assert.equal(fs.readFileSync(place, 'utf8'), 'contents');
  });

test('one session serves a program, however it loads the package', limit, async () => {
  await fc.token('/etc/passwd');
  const { pid } = session();
  const module = await import('../lib/index.mjs');
  assert.equal(module.CoordinationError, fc.CoordinationError);
  assert.deepEqual(Object.keys(module).filter((name) => name !== 'default').sort(),
    Object.keys(fc).sort());
  await module.token('/etc/passwd');
  assert.equal(session().pid, pid);
});

test('an interrupt from the terminal reaches the program, and not its access', limit, async () => {
  const place = file();
  const other = script(
    `await fc.writing(process.argv[1], async (item) => {
      const interrupted = new Promise((resolve) => process.on('SIGINT', resolve));
      // Without this, nothing would keep the program waiting for a signal.
      const timer = setTimeout(() => {}, 1e6);
      console.log('in');
      await interrupted;
      clearTimeout(timer);
      await item.replace('saved');
    });
    console.log('done');`,
    place,
  );
  assert.equal(await other.line(), 'in');
  const { claims } = await fc.status();
  const { pid } = claims.find(({ items }) => items.some((item) => item.path === place));
  // As a terminal does to the whole group.
  process.kill(pid, 'SIGINT');
  process.kill(other.pid, 'SIGINT');
  assert.equal(await other.line(), 'done');
  assert.equal((await other.ended).status, 0, other.errors);
  assert.equal(fs.readFileSync(place, 'utf8'), 'saved');
});

test('a lost access ends a program that takes no notice', limit, async () => {
  const place = file();
  const other = script(
    `const call = fc.writing(process.argv[1], (item, { signal }) => new Promise(() => {}));
    console.log('called');
    await call;`,
    place,
  );
  await other.line();
  let holder;
  await support.until(async () => {
    const { claims } = await fc.status();
    holder = claims.find(({ items }) => items.some((item) => item.path === place));
    return holder?.state === 'granted';
  });
  process.kill(holder.pid, 'SIGKILL');
  assert.equal((await other.ended).status, 1);
  assert.match(other.errors, /lost/);
});

test('a signal for the group of the program is the program\'s alone', limit, async () => {
  const place = file('old');
  const group = new Program(
    process.execPath,
    ['-e', `const fc = require(${JSON.stringify(path.resolve(__dirname, '..'))});
      fc.writing(${JSON.stringify(place)}, (item) => new Promise((resolve, reject) => {
        process.on('SIGTERM', () => item.replace('saved').then(resolve, reject));
        console.log('ready');
      }))`],
    { detached: true },
  );
  assert.equal(await group.line(), 'ready');
  process.kill(-group.pid, 'SIGTERM');
  assert.deepEqual(await group.ended, { status: 0, signal: null }, group.errors);
  assert.equal(fs.readFileSync(place, 'utf8'), 'saved');
});
