import { describe, expect, it } from '@jest/globals';
import { workloadLimits } from '@kruise/objects';
import { validateBroadcastJob } from '../kinds/broadcastjob/rules.ts';
import { validateDaemonSet } from '../kinds/daemonset/rules.ts';
import { nodeTermsFault, validateNodeTerms } from './node-term-size.ts';

const bound = workloadLimits.nodeRequirements.value;
const exists = (key: string) => ({ key, operator: 'Exists' });
const name = (value: string) => ({ key: 'metadata.name', operator: 'In', values: [value] });
const times = <T>(count: number, make: (at: number) => T): readonly T[] => Array.from({ length: count }, (_, at) => make(at));
const templateWith = (nodeSelectorTerms: unknown) => ({
  metadata: { labels: { app: 'a' } },
  spec: {
    containers: [{ name: 'main', image: 'app:1' }],
    restartPolicy: 'Always',
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
  },
});
const terms = (count: number) => times(count, (at) => ({ matchExpressions: [exists(`key-${at}`)] }));
const at = 'spec.template.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms';

describe('the required node affinity of a template that is matched against all nodes', () => {
  it.each<[string, unknown, number | undefined]>([
    ['has as many terms as the bound', terms(bound), undefined],
    ['has one more', terms(bound + 1), bound + 1],
    ['has as many requirements in one term', [{ matchExpressions: times(bound + 1, (i) => exists(`key-${i}`)) }], bound + 1],
    ['names one node in each of very many terms', times(20 * bound, (i) => ({ matchFields: [name(`n${i}`)] })), undefined],
    [
      'asks for one label in each of very many terms',
      times(20 * bound, (i) => ({ matchExpressions: [{ ...name(`n${i}`), key: 'a' }] })),
      undefined,
    ],
    ['names nodes beside labels', times(bound, (i) => ({ matchFields: [name(`n${i}`)], matchExpressions: [exists('a')] })), 2 * bound],
    ['excludes nodes', times(bound + 1, (i) => ({ matchFields: [{ ...name(`n${i}`), operator: 'NotIn' }] })), bound + 1],
    ['names two nodes in one term', [{ matchFields: times(bound + 1, (i) => name(`n${i}`)) }], bound + 1],
    ['has very many values', [{ matchExpressions: [{ key: 'a', operator: 'In', values: times(20 * bound, String) }] }], undefined],
    ['is no list', 'text', undefined],
    ['has terms of any shape', [null, 3, { matchExpressions: 'text', matchFields: [null] }], undefined],
  ])('%s', (_what, given, count) => {
    const fault = nodeTermsFault(templateWith(given), 'spec.template');
    expect(fault?.value).toBe(count);
    expect(fault?.field).toBe(count === undefined ? undefined : at);
  });

  it.each<[string, number | undefined, number, number]>([
    ['is refused when it is new', undefined, bound + 1, 1],
    ['is refused when an update brings it', bound, bound + 1, 1],
    ['is refused when an update adds to it', bound + 1, bound + 2, 1],
    ['passes when an update leaves it', bound + 2, bound + 2, 0],
    ['passes when an update takes from it', bound + 2, bound + 1, 0],
  ])('beyond the bound %s', (_what, old, now, faults) => {
    const oldTemplate = old === undefined ? undefined : templateWith(terms(old));
    expect(validateNodeTerms(templateWith(terms(now)), oldTemplate, 'spec.template')).toHaveLength(faults);
  });
});

it.each(['DaemonSet', 'BroadcastJob'])('a %s is refused with the bound and the way out, and its stored twin passes', (kind) => {
  const restartPolicy = kind === 'DaemonSet' ? 'Always' : 'Never';
  const template = templateWith(terms(bound + 1));
  const object = {
    metadata: { name: 'a', namespace: 'b' },
    spec: {
      ...(kind === 'DaemonSet' ? { selector: { matchLabels: { app: 'a' } }, updateStrategy: { type: 'OnDelete' } } : { parallelism: 1 }),
      template: { ...template, spec: { ...template.spec, restartPolicy } },
    },
  };
  const options = { allowPrivileged: false, hostNetworkHostPorts: false };
  const faultsOf = (oldObject: typeof object | undefined) =>
    kind === 'DaemonSet'
      ? validateDaemonSet(object, { ...options, version: 'v1beta1', oldObject })
      : validateBroadcastJob(object, options, oldObject);
  const ofTerms = (oldObject: typeof object | undefined) => faultsOf(oldObject).filter(({ field }) => field === at);
  expect(ofTerms(undefined)).toEqual([
    expect.objectContaining({ value: bound + 1, detail: expect.stringMatching(/at most 100 .* label/) }),
  ]);
  expect(ofTerms(object)).toEqual([]);
});
