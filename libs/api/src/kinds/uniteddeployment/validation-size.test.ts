import { describe, expect, it } from '@jest/globals';
import { formatFieldError, workloadLimits, type JsonObject } from '@kruise/objects';
import { unitedSizeFault, validateUnitedSize } from './validation-size.ts';

const { subsetsOfUnited, childBytesOfUnited } = workloadLimits;

const specOf = (subsets: number, templateBytes = 100): JsonObject => ({
  topology: { subsets: Array.from({ length: subsets }, (_, index) => ({ name: `s${index}` })) },
  template: { cloneSetTemplate: { metadata: { annotations: { fill: 'x'.repeat(templateBytes) } } } },
});
const reported = (spec: JsonObject, old?: JsonObject): readonly string[] => validateUnitedSize(spec, old).map(formatFieldError);

describe('the size of a UnitedDeployment', () => {
  it('may be as large as its bounds', () => {
    expect(
      [specOf(subsetsOfUnited.value), specOf(200, 100_000), specOf(10, 3_000_000), {}, { topology: 1 }].flatMap((spec) => reported(spec)),
    ).toEqual([]);
  });

  it('is refused with more subsets, with the number', () => {
    expect(reported(specOf(subsetsOfUnited.value + 1))).toEqual([
      'spec.topology.subsets: Too many: 1001: must have at most 1000 items; use several UnitedDeployments',
    ]);
  });

  it('is refused when subsets and template have more bytes, with both numbers and the way out', () => {
    expect(reported(specOf(400, 100_000))).toEqual([
      'spec.topology.subsets: Forbidden: 400 subsets with this template result in 39 MiB, more than 32 MiB; use fewer subsets, a smaller template, or several UnitedDeployments',
    ]);
    expect(childBytesOfUnited.value).toBe(32 << 20);
  });

  it.each([
    { name: 'that adds nothing', spec: specOf(1100, 90), old: specOf(1100), then: 0 },
    { name: 'with fewer subsets', spec: specOf(1050), old: specOf(1100), then: 0 },
    { name: 'with one more subset', spec: specOf(1101, 90), old: specOf(1100), then: 1 },
    { name: 'with a larger template', spec: specOf(400, 100_001), old: specOf(400, 100_000), then: 1 },
    { name: 'of an object within the bounds', spec: specOf(400, 100_000), old: specOf(1000), then: 1 },
  ])('lets an update pass or not: one $name', ({ spec, old, then }) => {
    expect(reported(spec, old)).toHaveLength(then);
  });

  it('is measured where the template holds whole numbers that a double does not', () => {
    expect(
      reported({ ...specOf(400, 100_000), template: { cloneSetTemplate: { fill: 'x'.repeat(100_000), number: 2n ** 60n } } }),
    ).toHaveLength(1);
  });

  it('of a template that is absent is none', () => {
    expect(unitedSizeFault({ topology: { subsets: new Array(900).fill({}) } })).toBeUndefined();
  });

  it('is refused when a node term of a subset has too many requirements together with the terms of the template', () => {
    const terms = (count: number) => Array.from({ length: count }, (_, at) => ({ key: `key${at}`, operator: 'Exists' }));
    const joining = (held: number, added: number): JsonObject => {
      const nodeSelectorTerms = Array.from({ length: held }, () => ({ matchExpressions: terms(1) }));
      const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } };
      return {
        topology: { subsets: [{ name: 'a' }, { name: 'b', nodeSelectorTerm: { matchExpressions: terms(added) } }] },
        template: { cloneSetTemplate: { spec: { template: { spec: { affinity } } } } },
      };
    };
    expect(reported(joining(1000, 99))).toEqual([]);
    expect(reported(joining(1000, 100))).toEqual([
      'spec.topology.subsets[1].nodeSelectorTerm: Forbidden: results in 101000 requirements with the node affinity of the template, more than 100000; use fewer terms',
    ]);
    expect(reported(joining(1000, 100), joining(1000, 100))).toEqual([]);
    expect(reported(joining(1001, 100), joining(1000, 100))).toHaveLength(1);
  });

  describe('with a node term of each subset that every term of the template gets', () => {
    const joining = (subsets: number, held: number, length: number): JsonObject => {
      const nodeSelectorTerms = Array.from({ length: held }, (_, at) => ({ matchExpressions: [{ key: `key${at}`, operator: 'Exists' }] }));
      const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } };
      const nodeSelectorTerm = { matchExpressions: [{ key: 'zone', operator: 'In', values: ['x'.repeat(length)] }] };
      return {
        topology: { subsets: Array.from({ length: subsets }, (_, at) => ({ name: `s${at}`, nodeSelectorTerm })) },
        template: { cloneSetTemplate: { spec: { template: { spec: { affinity } } } } },
      };
    };

    it.each([
      { name: 'is allowed when one child has as many bytes as the maximum', spec: joining(2, 1000, 4000), then: undefined },
      {
        name: 'is refused when one child has more',
        spec: joining(2, 1000, 4200),
        then: 'spec.topology.subsets[0].nodeSelectorTerm: Forbidden: results in 4326891 bytes with the node affinity of the template, more than 4194304; use fewer terms',
      },
      { name: 'is allowed when all children together have as many bytes as the maximum', spec: joining(100, 1000, 100), then: undefined },
      {
        name: 'is refused when all children together have more, although template and subsets are small',
        spec: joining(300, 1000, 100),
        then: 'spec.topology.subsets: Forbidden: 300 subsets with this template result in 65 MiB, more than 32 MiB; use fewer subsets, a smaller template, or several UnitedDeployments',
      },
    ])('$name', ({ spec, then }) => {
      expect(reported(spec)).toEqual(then === undefined ? [] : [then]);
    });

    it('allows an update that adds nothing, and no other', () => {
      expect(reported(joining(2, 1000, 4200), joining(2, 1000, 4200))).toEqual([]);
      expect(reported(joining(2, 1000, 4201), joining(2, 1000, 4200))).toHaveLength(1);
      expect(reported(joining(300, 1000, 99), joining(300, 1000, 100))).toEqual([]);
      expect(reported(joining(300, 1000, 101), joining(300, 1000, 100))).toHaveLength(1);
    });

    it('is refused by the controller for a stored object when all children together have more', () => {
      expect(unitedSizeFault(joining(300, 1000, 100))).toBeDefined();
      expect(unitedSizeFault(joining(100, 1000, 100))).toBeUndefined();
    });
  });
});
