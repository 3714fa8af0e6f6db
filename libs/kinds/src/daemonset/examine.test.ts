import { describe, expect, it } from '@jest/globals';
import type { DaemonSet } from '@kruise/api';
import { plan } from './plan.ts';
import { momentOf, onEach } from './situation.testing.ts';
import { aDaemonSet } from './testing.ts';
import { examine, selectsAll } from './examine.ts';

const { spec: good } = aDaemonSet();
/** As charts leave them whose values are empty. */
const withNulls = {
  template: {
    ...good.template,
    metadata: { labels: { app: 'agent' }, annotations: null, finalizers: null },
    spec: { ...good.template.spec, nodeSelector: null, tolerations: null, affinity: null, readinessGates: null, nodeName: null },
  },
};
const withSpec = (spec: unknown): DaemonSet => ({ ...aDaemonSet(), spec }) as DaemonSet;
const having = (change: object): DaemonSet => withSpec({ ...good, ...change });

describe('objects that went past admission', () => {
  it('are malformed when the rules cannot work with them', () => {
    expect(examine(having({ minReadySeconds: -1 }))).toEqual({ kind: 'Malformed', why: expect.stringMatching(/^spec\.minReadySeconds/) });
  });

  it.each<[string, object]>([
    ['a text for the strategy', { updateStrategy: 'text' }],
    ['null for the strategy', { updateStrategy: null }],
    ['null for the rolling update', { updateStrategy: { type: 'RollingUpdate', rollingUpdate: null } }],
    [
      'texts for the limits',
      {
        burstReplicas: [],
        updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 'most', partition: [], maxSurge: {}, selector: 'all' } },
      },
    ],
    ['texts for the hooks', { lifecycle: { preDelete: 'text', inPlaceUpdate: 3 } }],
    ['a text for the strategy of scaling', { scaleStrategy: 'text' }],
    ['null for members of the template', withNulls],
    [
      'null for members of the template, in place',
      { ...withNulls, updateStrategy: { type: 'RollingUpdate', rollingUpdate: { rollingUpdateType: 'InPlaceIfPossible' } } },
    ],
    ['null for the numbers', { minReadySeconds: null, revisionHistoryLimit: null, burstReplicas: null }],
  ])('are read leniently where that is safe: %s', (_name, change) => {
    const examined = examine(having(change));
    if (examined.kind !== 'WellFormed') throw new Error(examined.why);
    const moment = momentOf({ revisions: 2, pods: onEach(2, { of: 1 }) });
    const seen = { ...moment.seen, set: { ...moment.seen.set, spec: { ...moment.seen.set.spec, ...change } }, selector: examined.selector };
    expect(() => plan(seen as typeof moment.seen, moment.context)).not.toThrow();
  });
});

describe('a selector that selects all', () => {
  it.each<[string, DaemonSet, boolean]>([
    ['is an empty one', having({ selector: {} }), true],
    ['is one of empty parts', having({ selector: { matchLabels: {}, matchExpressions: [] } }), true],
    ['is not one with a label', aDaemonSet(), false],
    ['is not an absent one', having({ selector: null }), false],
    ['is not one of an absent spec', withSpec(undefined), false],
    ['is not a list', having({ selector: [] }), false],
  ])('%s', (_name, set, expected) => {
    expect(selectsAll(set)).toBe(expected);
  });
});
