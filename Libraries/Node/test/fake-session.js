// SPDX-License-Identifier: Apache-2.0
//
// A program in the place of filecoord that speaks the protocol wrongly, as its mode says. It grants
// everything, so it must never be used for more than to see what the package makes of the mistakes.
'use strict';

const readline = require('node:readline');

const mode = process.env.FAKE_SESSION;
const say = (object) => process.stdout.write(`${JSON.stringify(object)}\n`);

const modes = {
  /** Another version of the protocol. */
  'other version': () => say({ session: 2, version: '9.9.9' }),
  'no version': () => process.stdout.write('Hello, user!\n'),
  /** An old filecoord, which has no such subcommand. */
  'no subcommand': () => process.exit(64),
  'early end': () => process.exit(3),
  /** It greets, and ends with the first request. */
  'end at a request': () => {
    greet();
    answer(() => process.exit(0));
  },
  'garbage after the grant': () => {
    greet();
    answer((request) => {
      if (request.do === 'claim') grant(request);
      process.stdout.write('granted, granted!\n');
    });
  },
  'line without end': () => {
    greet();
    answer(() => process.stdout.write('x'.repeat(3 << 20)));
  },
  'output closed': () => {
    greet();
    answer(() => require('node:fs').closeSync(1));
  },
  /** It grants, and dies before the program can do anything with that. */
  'grant and die': () => {
    greet();
    answer((request) => {
      grant(request);
      process.kill(process.pid, 'SIGKILL');
    });
  },
  /** It grants, and dies when the access is to be ended. */
  'die at the end': () => {
    greet();
    answer((request) => {
      if (request.do === 'claim') grant(request);
      else process.kill(process.pid, 'SIGKILL');
    });
  },
  /** Errors of no request, unknown codes, states and members: of a later version, all allowed. */
  'later version': () => {
    greet();
    say({ id: 4711, state: 'done' });
    say({ presenter: 'p9', message: 'aNewMessage' });
    say({ news: true });
    say({ error: { code: 'aNewCode', message: 'of no request' } });
    answer(({ id, do: what }) => {
      if (what === 'status') say({ id, error: { code: 'aNewCode', message: 'a new text' } });
      else say({ id, state: 'done', explanation: { more: true }, more: true });
    });
  },
  /** It reads nothing, but goes on. */
  silent: () => {
    greet();
    setInterval(() => {}, 1e6);
  },
};

function greet() {
  say({ session: 1, version: '0.0.0', more: 'which is passed over' });
}

function answer(take) {
  const lines = readline.createInterface({ input: process.stdin });
  lines.on('line', (line) => take(JSON.parse(line)));
  lines.on('close', () => process.exit(0));
}

function grant({ id, items }) {
  const granted = items.map(({ path }) => ({ path, token: 'none' }));
  say({ id, state: 'granted', claim: 'c1', items: granted, environment: {} });
}

modes[mode]();
