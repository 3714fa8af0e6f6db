/**
 * A Node process that does nothing but measure how late its own event loop is: what the machine alone costs. It answers each line of its
 * input with the longest delay, in milliseconds, since the line before.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createInterface } from 'node:readline';

const delay = monitorEventLoopDelay({ resolution: 5 });
delay.enable();
for await (const _line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${delay.max / 1e6}\n`);
  delay.reset();
}
