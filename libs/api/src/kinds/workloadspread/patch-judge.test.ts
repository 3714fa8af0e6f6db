/** Patches of subsets on the template of the workload. @see spec/workloadspread.md 4.1 */
import { describe, expect, it } from '@jest/globals';
import { formatFieldErrors, workloadLimits, type JsonObject } from '@kruise/objects';
import { PatchJudge, type SpreadTemplate } from './validation-subset.ts';
import { unworkableSpread, workloadSpreadFindings } from './validation.ts';

const templateOf = (bytes: number): SpreadTemplate => ({
  template: {
    metadata: { labels: { app: 'web' } },
    spec: { containers: [{ name: 'main', image: 'app:1', env: [{ name: 'FILL', value: 'x'.repeat(bytes) }] }] },
  },
  allowPrivileged: false,
  claimVolumes: [],
  hostNetworkHostPorts: true,
});
const labelled = (value: string): JsonObject => ({ patch: { metadata: { labels: { zone: value } } } });
const broken: JsonObject = { patch: { spec: { containers: [{ name: 'main', image: null }] } } };

const judged = (template: SpreadTemplate, subsets: readonly JsonObject[]) => {
  const judge = new PatchJudge(template);
  const faults = subsets.map((subset, index) => formatFieldErrors(judge.faultsOf(subset, `s${index}`)));
  return { faults, merged: judge.merged, unjudged: judge.unjudged };
};

describe('patches of subsets', () => {
  it('are tried once when they are equal, and each subset has a fault with its own path', () => {
    const { faults, merged } = judged(templateOf(10), [broken, labelled('a'), structuredClone(broken), labelled('a')]);
    expect(merged).toBe(2);
    expect(faults.map((fault) => fault.match(/s\d\.patch/g))).toEqual([['s0.patch', 's0.patch'], null, ['s2.patch', 's2.patch'], null]);
  });

  it('whose Pods the API server would refuse are refused with the path of the fault in the patch', () => {
    expect(judged(templateOf(0), [broken]).faults).toEqual([
      's0.patch: Invalid value: {"spec":{"containers":[{"image":null,"name":"main"}]}}: the Pods that come of it would be refused: ' +
        's0.patch.spec.containers[0].image: Required value',
    ]);
  });

  it('are not refused for a fault that the template has without them', () => {
    const { template, ...options } = templateOf(0);
    const faulty = { ...options, template: { ...template, spec: { containers: [{ name: 'Main', image: 'app:1' }] } } };
    expect(judged(faulty, [labelled('a'), broken]).faults).toEqual(['', '']);
  });

  it('are tried up to a number of bytes, and equal ones behind it still', () => {
    const many = Array.from({ length: 3000 }, (_, index) => labelled(`z${index}`));
    const { merged, unjudged } = judged(templateOf(500_000), [...many, labelled('z0')]);
    expect([merged, unjudged]).toEqual([4, 2996]);
    expect(workloadLimits.judgedBytesOfSpread.value).toBe(2 << 20);
  });

  it('are tried, the first one, on a template of any size', () => {
    const { faults, unjudged } = judged(templateOf(3_000_000), [broken, labelled('a')]);
    expect(faults[0]).toContain('would be refused');
    expect(unjudged).toBe(1);
  });

  it('are tried where they hold whole numbers that a double does not', () => {
    const subset: JsonObject = { patch: { metadata: { labels: { zone: 2n ** 60n } } } };
    expect(judged(templateOf(10), [subset, subset])).toMatchObject({ merged: 1, unjudged: 0 });
  });

  it('that were not tried draw one warning and no fault', () => {
    const spec = {
      targetRef: { apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', name: 'web' },
      subsets: [labelled('a'), labelled('b'), broken].map((subset, index) => ({ name: `s${index}`, ...subset })),
    };
    const rules = { listed: () => ({ kind: 'Supported' }) as const, oldObject: undefined, others: [] };
    expect(workloadSpreadFindings({ spec }, { ...rules, template: templateOf(1_200_000) })).toEqual({
      faults: [],
      warnings: [
        'spec.subsets: 2 patches were not tried on the template of the workload: together with it, all patches have more than 2 MiB',
      ],
    });
    expect(workloadSpreadFindings({ spec }, { ...rules, template: templateOf(10) }).warnings).toEqual([]);
  });
});

it('a WorkloadSpread has a bounded number of subsets', () => {
  const spec = {
    targetRef: { apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', name: 'web' },
    subsets: Array.from({ length: 501 }, (_, index) => ({ name: `s${index}` })),
  };
  const rules = { listed: () => ({ kind: 'Supported' }) as const, oldObject: undefined, others: [], template: undefined };
  expect(formatFieldErrors(workloadSpreadFindings({ spec }, rules).faults)).toBe(
    'spec.subsets: Too many: 501: must have at most 500 items',
  );
  expect(workloadSpreadFindings({ spec: { ...spec, subsets: spec.subsets.slice(1) } }, rules).faults).toEqual([]);
  // The controller does nothing for an object that was stored with more.
  expect(unworkableSpread({ spec })?.type).toBe('FieldValueTooMany');
});
