// SPDX-License-Identifier: Apache-2.0
//
// Waits that end when the caller's signal is aborted. A signal that many calls share gets one
// listener: Node takes more than ten for a mistake, and warns of it.
'use strict';

/** What to call for each signal. */
const waits = new WeakMap();

/** Calls `cancel` if the signal is aborted. Returns a function that ends that. */
function onAbort(signal, cancel) {
  let cancels = waits.get(signal);
  if (!cancels) {
    cancels = new Set();
    waits.set(signal, cancels);
    signal.addEventListener('abort', () => {
      for (const each of [...cancels]) each();
    });
  }
  cancels.add(cancel);
  return () => cancels.delete(cancel);
}

module.exports = { onAbort };
