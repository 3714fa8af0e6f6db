/**
 * Jest's Node environment, in which a test file fails that leaves something open.
 *
 * Jest itself does not mind: a worker that does not end is killed, and the run has passed. So each file is looked at when its last `afterAll` is
 * through, in the process that ran it: what was made since the file began, is open still and does not close within a grace fails the file. A file in
 * which a test failed is not looked at, as a test that ends early often leaves something.
 */
import { setFlagsFromString } from 'node:v8';
import vm from 'node:vm';
import type { EnvironmentContext, JestEnvironmentConfig } from '@jest/environment';
import type { Circus } from '@jest/types';
import { TestEnvironment } from 'jest-environment-node';
import { OpenHandles } from './open-handles.ts';

// V8 keeps what it has compiled for a context after that context ends: about 3 MB a test file, which every collection walks again.
setFlagsFromString('--no-compilation-cache');

// Jest makes contexts whose global object is intercepted: each use of `Array`, `Object` or `Math` is a call into Node, a third of the CPU of long tests.
// Nothing here needs the interception, so that contexts get an ordinary global object.
const { createContext } = vm;
Object.assign(vm, { createContext: () => createContext(vm.constants.DONT_CONTEXTIFY) });

// A worker ends once its event loop is empty. Then Node itself waits for the sockets that tests have closed, sometimes without end: Jest would kill the
// worker and warn of tests that leak. An explicit exit does not wait.
// A run of one file has no worker, but also the variable JEST_WORKER_ID: there, Jest sets the exit code in a later listener of `exit`.
//
// A run that ends at its first failure leaves the other workers in the middle of their tests: each ends once the channel to the run is closed. A listener
// of `disconnect` would keep every other worker alive.
if (/jest-worker/.test(process.argv[1] ?? '')) {
  process.once('exit', () => process.exit());
  setInterval(() => {
    if (!process.connected) process.exit(1);
  }, 1000).unref();
}

/** What is being closed may take this long on a busy machine; spent only by a file that leaves something. `testEnvironmentOptions` may change it. */
const usualGraceMs = 5_000;
const maxReported = 5;

const hasFailed = (block: Circus.DescribeBlock): boolean =>
  block.children.some((child) => (child.type === 'test' ? child.errors.length > 0 : hasFailed(child)));

// eslint-disable-next-line no-restricted-syntax -- Jest requires a default export
export default class LeakEnvironment extends TestEnvironment {
  readonly #handles = new OpenHandles();
  readonly #graceMs: number;

  constructor(config: JestEnvironmentConfig, context: EnvironmentContext) {
    super(config, context);
    const { graceMs } = config.projectConfig.testEnvironmentOptions;
    this.#graceMs = typeof graceMs === 'number' ? graceMs : usualGraceMs;
  }

  async handleTestEvent(event: Circus.Event, state: Circus.State): Promise<void> {
    if (event.name !== 'run_finish' || hasFailed(state.rootDescribeBlock)) return;
    const open = await this.#handles.openAfter(this.#graceMs);
    // As a stack of its own, for Jest would print ours.
    for (const handle of open.slice(0, maxReported))
      state.unhandledErrors.push(Object.assign(new Error(), { stack: `The file leaves open: ${handle}` }));
  }

  override async teardown(): Promise<void> {
    this.#handles.stop();
    await super.teardown();
  }
}
