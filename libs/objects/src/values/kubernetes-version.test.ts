import { describe, expect, it } from '@jest/globals';
import { minorVersionOf } from './kubernetes-version.ts';

describe('the minor version of an API server', () => {
  it.each<[string, number | undefined]>([
    ['v1.34.4', 34],
    ['1.30.0', 30],
    ['v1.9.11', 9],
    ['v1.33.1+k3s1', 33],
    ['v1.32.3-eks-1', 32],
    ['v2.0.0', Infinity],
    ['v10.1.0', Infinity],
    ['v0.99.0', undefined],
    ['v1.32', undefined],
    ['v1.32.x', undefined],
    ['v1.x.0', undefined],
    ['vv1.32.0', undefined],
    ['of v1.32.0', undefined],
    ['', undefined],
  ])('of %s is %p', (gitVersion, minor) => {
    expect(minorVersionOf(gitVersion)).toBe(minor);
  });
});
