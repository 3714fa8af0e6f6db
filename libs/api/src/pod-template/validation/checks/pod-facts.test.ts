import { describe, expect, it } from '@jest/globals';
import { podFactsOf } from './pod-facts.ts';

describe('what containers must know of their Pod', () => {
  it('is nothing of an empty spec', () => {
    expect(podFactsOf({}, [])).toEqual({
      volumes: new Map(),
      hostNetwork: false,
      hostUsers: true,
      resourceClaims: new Set(),
      terminationGraceSeconds: undefined,
    });
  });

  it('are the sources of its volumes and of those of claim templates', () => {
    const volumes = [
      { name: 'a', configMap: null, secret: undefined, emptyDir: {} },
      { name: 'b' },
      { name: 'claimed', emptyDir: {} },
      { emptyDir: {} },
      { name: 5, emptyDir: {} },
      'x',
    ];
    expect(podFactsOf({ volumes }, ['claimed']).volumes).toEqual(
      new Map([
        ['a', 'emptyDir'],
        ['b', ''],
        ['claimed', 'persistentVolumeClaim'],
      ]),
    );
    expect(podFactsOf({ volumes: 'x', resourceClaims: [{ name: 'c' }, {}] }, [])).toMatchObject({
      volumes: new Map(),
      resourceClaims: new Set(['c']),
    });
  });

  it('are its namespaces and its grace', () => {
    expect(podFactsOf({ hostNetwork: true, hostUsers: false, terminationGracePeriodSeconds: 5 }, [])).toMatchObject({
      hostNetwork: true,
      hostUsers: false,
      terminationGraceSeconds: 5,
    });
    expect(podFactsOf({ hostNetwork: 'true', hostUsers: null, terminationGracePeriodSeconds: '5' }, [])).toMatchObject({
      hostNetwork: false,
      hostUsers: true,
      terminationGraceSeconds: undefined,
    });
  });
});
