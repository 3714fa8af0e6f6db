import { expect, it } from '@jest/globals';
import { collectGarbage } from './collect-garbage.ts';

it('frees what nobody holds any more', () => {
  const lost = new WeakRef({ text: 'x'.repeat(1000) });
  return new Promise<void>((resolve) => {
    setTimeout(() => {
      collectGarbage();
      expect(lost.deref()).toBeUndefined();
      expect((globalThis as { gc?: unknown }).gc).toBeUndefined();
      resolve();
    }, 1);
  });
});
