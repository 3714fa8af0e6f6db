import { describe, expect, it } from '@jest/globals';
import { daemonSetObstacle } from './rules.ts';

interface Stored {
  readonly spec: unknown;
}

const good = {
  selector: { matchLabels: { app: 'agent' } },
  template: { metadata: { labels: { app: 'agent' } }, spec: { containers: [{ name: 'main', image: 'app:1' }] } },
};
const withTerms = (count: number) => {
  const nodeSelectorTerms = Array.from({ length: count }, (_, at) => ({ matchExpressions: [{ key: `k${at}`, operator: 'Exists' }] }));
  const nodeAffinity = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } };
  return { ...good.template, spec: { ...good.template.spec, affinity: { nodeAffinity } } };
};
const withSpec = (spec: unknown): Stored => ({ spec });
const having = (change: object): Stored => withSpec({ ...good, ...change });

describe('a DaemonSet that is stored without admission', () => {
  it.each<[string, Stored, RegExp]>([
    ['no spec', withSpec(undefined), /^spec: Required value/],
    ['no template', having({ template: null }), /^spec\.template\.spec: Required value/],
    ['a template without containers', having({ template: { spec: {} } }), /^spec\.template\.spec\.containers/],
    ['an empty selector', having({ selector: {} }), /^spec\.selector: Required value: an empty selector is invalid for a DaemonSet$/],
    ['no selector', having({ selector: null }), /^spec\.selector: Required value/],
    ['a list for a selector', having({ selector: [] }), /^spec\.selector: Invalid value/],
    ['a selector that does not match', having({ selector: { matchLabels: { app: 'other' } } }), /does not match the labels/],
    [
      'a text for minReadySeconds',
      having({ minReadySeconds: '5' }),
      /^spec\.minReadySeconds: Invalid value: "5": must be a whole number of at least 0$/,
    ],
    ['negative minReadySeconds', having({ minReadySeconds: -1 }), /^spec\.minReadySeconds: Invalid value: -1/],
    ['half a revision', having({ revisionHistoryLimit: 0.5 }), /^spec\.revisionHistoryLimit: Invalid value: 0\.5/],
    ['a negative limit of revisions', having({ revisionHistoryLimit: -1 }), /^spec\.revisionHistoryLimit: Invalid value: -1/],
    [
      'terms that ask too much of every node',
      having({ template: withTerms(101) }),
      /nodeSelectorTerms: Too many: 101: must have at most 100/,
    ],
  ])('has the obstacle: %s', (_name, set, why) => {
    expect(daemonSetObstacle(set)).toMatch(why);
  });

  it.each<[string, object]>([
    ['as they should be', {}],
    ['0 for the numbers', { minReadySeconds: 0, revisionHistoryLimit: 0 }],
    ['null for the numbers', { minReadySeconds: null, revisionHistoryLimit: null }],
    ['the numbers left out', { minReadySeconds: undefined, revisionHistoryLimit: undefined }],
  ])('has no obstacle with %s', (_name, change) => {
    expect(daemonSetObstacle(having(change))).toBeUndefined();
  });
});
