import { describe, expect, it } from '@jest/globals';
import { FakeClock } from '@kruise/kube/testing';
import { milliseconds } from '@kruise/objects';
import { BundleRotation } from './bundle-rotation.ts';

const textOf = (bundle: string | undefined): string => Buffer.from(bundle ?? '', 'base64').toString();

describe('the bundle of authorities', () => {
  it('is only the first one', () => {
    const rotation = new BundleRotation(new FakeClock());
    expect(rotation.announce('A\n')).toBe(false);
    rotation.installed('A\n');
    expect(rotation.bundles).toEqual({ caBundle: Buffer.from('A\n').toString('base64') });
    expect(rotation.announce('A\n')).toBe(false);
    expect(rotation.retiresAtMs).toBeUndefined();
  });

  it('has each authority on lines of its own', () => {
    const rotation = new BundleRotation(new FakeClock());
    rotation.installed('A\n\n');
    rotation.announce('B\n\n');
    expect(textOf(rotation.bundles.caBundle)).toBe('B\nA\n');
  });

  it('contains both until the server presents the new one, then keeps them where they are, then drops the old one', async () => {
    const clock = new FakeClock();
    const rotation = new BundleRotation(clock);
    rotation.announce('A\n');
    rotation.installed('A\n');
    expect(rotation.announce('B')).toBe(true);
    expect(textOf(rotation.bundles.caBundle)).toBe('B\nA\n');
    rotation.installed('B');
    expect(textOf(rotation.bundles.caBundle)).toBe('B');
    expect(textOf(rotation.bundles.toleratedBundle)).toBe('B\nA\n');
    expect(rotation.retiresAtMs).toBe(clock.now() + 60_000);
    await clock.step(milliseconds(60_000));
    expect(rotation.bundles).toEqual({ caBundle: Buffer.from('B').toString('base64') });
    expect(rotation.retiresAtMs).toBeUndefined();
  });
});
