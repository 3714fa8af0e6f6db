/** After the tests of `gates/`: the managers are as before. The next tests close nodes, on which none could start any more. */
import endJest from '../../tools/tasks/jest-teardown.ts';
import { restoreKey } from './gates-on.ts';

// eslint-disable-next-line no-restricted-syntax -- Jest asks for a default export
export default async function turnOff(): Promise<void> {
  const restore = Reflect.get(globalThis, restoreKey) as (() => Promise<void>) | undefined;
  await restore?.();
  endJest();
}
