import { access } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { eventually } from './eventually.ts';
import { isBusyWithFiles } from './file-work.ts';

describe('eventually', () => {
  it('continues as soon as the condition holds', async () => {
    let asked = 0;
    await eventually(async () => ++asked === 3);
    expect(asked).toBe(3);
  });

  it('notices what happens meanwhile', async () => {
    let isRead = false;
    const reading = access(import.meta.filename).then(() => (isRead = true));
    expect(isBusyWithFiles()).toBe(true);
    await eventually(() => isRead);
    await reading;
    await eventually(() => !isBusyWithFiles());
    expect(isBusyWithFiles()).toBe(false);
  });

  it('names the condition that did not hold', async () => {
    const neverSo = (): boolean => false;
    await expect(eventually(neverSo, 5)).rejects.toThrow(/^not within 5 ms: .*false$/);
  });
});
