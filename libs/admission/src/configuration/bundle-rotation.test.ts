import { describe, expect, it } from '@jest/globals';
import { announced, bundlesOf, installed, isReplacing, retiresAtMs, type BundleRotation } from './bundle-rotation.ts';

const nowMs = 1_000_000;
const textOf = (bundle: string | undefined): string => Buffer.from(bundle ?? '', 'base64').toString();
const served = (caCert: string): BundleRotation => installed(announced({}, caCert, nowMs), caCert);

describe('the bundle of authorities', () => {
  it('is only the first one', () => {
    expect(isReplacing({}, 'A\n')).toBe(false);
    const rotation = served('A\n');
    expect(bundlesOf(rotation, nowMs)).toEqual({ caBundle: Buffer.from('A\n').toString('base64') });
    expect(isReplacing(rotation, 'A\n')).toBe(false);
    expect(retiresAtMs(announced(rotation, 'A\n', nowMs), nowMs)).toBeUndefined();
  });

  it('has each authority on lines of its own', () => {
    expect(textOf(bundlesOf(announced(served('A\n\n'), 'B\n\n', nowMs), nowMs).caBundle)).toBe('B\nA\n');
  });

  it('contains both until the server presents the new one, then keeps them where they are, then drops the old one', () => {
    expect(isReplacing(served('A\n'), 'B')).toBe(true);
    const before = announced(served('A\n'), 'B', nowMs);
    expect(textOf(bundlesOf(before, nowMs).caBundle)).toBe('B\nA\n');
    const after = installed(before, 'B');
    expect(textOf(bundlesOf(after, nowMs).caBundle)).toBe('B');
    expect(textOf(bundlesOf(after, nowMs).toleratedBundle)).toBe('B\nA\n');
    expect(retiresAtMs(after, nowMs)).toBe(nowMs + 60_000);
    expect(bundlesOf(after, nowMs + 60_000)).toEqual({ caBundle: Buffer.from('B').toString('base64') });
    expect(retiresAtMs(after, nowMs + 60_000)).toBeUndefined();
  });

  it('contains what the server presents as long as it does, even if the replacement takes more than a minute', () => {
    const before = announced(served('A\n'), 'B', nowMs);
    expect(textOf(bundlesOf(before, nowMs + 90_000).caBundle)).toBe('B\nA\n');
  });
});
