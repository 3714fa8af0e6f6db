/** After the tests of `gates/`: the managers become as before, one after the other, while the next tests begin. */
import endJest from '../../tools/tasks/jest-teardown.ts';
import { restoreKey } from './gates-on.ts';
import type { withGates } from './manager-gates.ts';

// eslint-disable-next-line no-restricted-syntax -- Jest asks for a default export
export default async function turnOff(): Promise<void> {
  const restore = Reflect.get(globalThis, restoreKey) as Awaited<ReturnType<typeof withGates>> | undefined;
  await restore?.({ wait: false });
  endJest();
}
