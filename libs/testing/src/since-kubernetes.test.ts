import { describe, expect, it, jest } from '@jest/globals';
import { beforeKubernetes, minorUnderTest, sinceKubernetes } from './since-kubernetes.ts';

const recorder = (): jest.Mock<(name: string) => void> & { skip: jest.Mock<(name: string) => void> } =>
  Object.assign(jest.fn<(name: string) => void>(), { skip: jest.fn<(name: string) => void>() });

describe('tests that need some releases of Kubernetes', () => {
  it('read the minor version from KRUISE_KUBERNETES', () => {
    expect(minorUnderTest({ KRUISE_KUBERNETES: '1.30' })).toBe(30);
    expect(minorUnderTest({})).toBe(34);
  });

  it('run on that release and later ones, and are skipped with the reason on older ones', () => {
    const run = recorder();
    sinceKubernetes(minorUnderTest(), run)('a');
    sinceKubernetes(minorUnderTest() + 1, run)('b');
    expect(run.mock.calls).toEqual([['a']]);
    expect(run.skip.mock.calls).toEqual([[`b (skipped: needs Kubernetes 1.${minorUnderTest() + 1})`]]);
  });
  it('run on older releases, and are skipped with the reason on that one and later ones', () => {
    const run = recorder();
    beforeKubernetes(minorUnderTest() + 1, run)('a');
    beforeKubernetes(minorUnderTest(), run)('b');
    expect(run.mock.calls).toEqual([['a']]);
    expect(run.skip.mock.calls).toEqual([[`b (skipped: needs Kubernetes before 1.${minorUnderTest()})`]]);
  });
});
