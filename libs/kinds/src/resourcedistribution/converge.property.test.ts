/** Whatever the cluster looks like: the plan leads to the targets, is empty then, and never touches what is not ours. */
import { describe, expect, it } from '@jest/globals';
import type { ResourceDistributionTargets } from '@kruise/api';
import type { KubeObject } from '@kruise/objects';
import { Occurrences } from '@kruise/testing';
import fc from 'fast-check';
import { slimCopyOf, type Copy } from './copy.ts';
import { changedCopy, newCopy } from './new-copy.ts';
import { plan, type Action } from './plan.ts';
import { divide, targetsOf } from './targets.ts';
import { aDistribution, aNamespace, configMap, foreignCopy, heldCopy, list, wantedOf } from './testing.ts';
import type { Wanted } from './wanted.ts';

const names = ['a', 'b', 'c', 'd', 'e', 'kube-system'];
const someNames = fc.subarray([...names, 'gone']);
const labels = fc.constantFrom({}, { team: 'x' }, { team: 'y' });
const selectors = fc.constantFrom(
  undefined,
  {},
  { matchLabels: { team: 'x' } },
  { matchExpressions: [{ key: 'team', operator: 'Exists' as const }] },
);
const targets: fc.Arbitrary<ResourceDistributionTargets> = fc
  .record({ all: fc.boolean(), included: someNames, excluded: someNames, selector: selectors })
  .map(({ all, included, excluded, selector }) => ({
    ...(all ? { allNamespaces: true } : {}),
    includedNamespaces: list(...included),
    excludedNamespaces: list(...excluded),
    ...(selector === undefined ? {} : { namespaceSelector: selector }),
  }));
const states = fc.constantFrom('None', 'Ours', 'Edited', 'Unlabelled', 'Foreign', 'Other');
const cluster = fc.record({
  namespaces: fc
    .array(fc.record({ name: fc.constantFrom(...names), labels, going: fc.boolean(), state: states }), { minLength: 1, maxLength: 6 })
    .map((list) => [...new Map(list.map((one) => [one.name, one])).values()]),
  first: targets,
  second: targets,
});
type Cluster = typeof cluster extends fc.Arbitrary<infer T> ? T : never;

const resource = { ...configMap, metadata: { name: 'settings', labels: { owned: 'yes' } } };
const other = wantedOf(aDistribution({}, resource, { name: 'other', uid: 'other' }));

function copyIn(state: string, wanted: Wanted, namespace: string): Copy | undefined {
  const ours = heldCopy(wanted, namespace);
  switch (state) {
    case 'Ours':
      return ours;
    case 'Edited':
      return { ...ours, contents: 'edited' };
    case 'Unlabelled':
      return { ...ours, metadata: { ...ours.metadata, labels: {} } };
    case 'Foreign':
      return foreignCopy(wanted, namespace);
    case 'Other':
      return heldCopy(other, namespace);
    default:
      return undefined;
  }
}

/** An API server that carries plans out. */
class SimulatedServer {
  readonly namespaces: readonly KubeObject[];
  copies: Map<string, Copy>;

  constructor({ namespaces }: Cluster, wanted: Wanted) {
    this.namespaces = namespaces.map(({ name, labels: held, going }) =>
      aNamespace(name, held, going && name > 'c' ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
    );
    this.copies = new Map(
      namespaces.flatMap(({ name, state }) => {
        const copy = copyIn(state, wanted, name);
        return copy === undefined ? [] : [[name, copy] as const];
      }),
    );
  }

  plan(wanted: Wanted, reversed = false) {
    const namespaces = reversed ? this.namespaces.toReversed() : this.namespaces;
    return plan({ wanted, namespaces, copies: new Map(reversed ? [...this.copies].toReversed() : this.copies) });
  }

  carryOut(actions: readonly Action[], wanted: Wanted): void {
    for (const action of actions) {
      const { namespace } = action;
      if (action.kind === 'Delete') this.copies.delete(namespace);
      else
        this.copies.set(
          namespace,
          slimCopyOf('ConfigMap')(action.kind === 'Create' ? newCopy(wanted, namespace) : changedCopy(wanted, action.copy)),
        );
    }
  }

  run(wanted: Wanted): void {
    const { distribute, clean } = this.plan(wanted);
    this.carryOut([...distribute, ...clean], wanted);
  }

  /** Who has what, as far as it matters. */
  get outcome(): unknown {
    return [...this.copies].map(([namespace, { contents, metadata }]) => [namespace, contents, metadata.ownerReferences?.[0]?.uid]).sort();
  }
}

const wantedFor = (of: ResourceDistributionTargets): Wanted => wantedOf(aDistribution(of, resource));

describe('a plan', () => {
  it('leads to the targets in one pass, is empty then, and touches nothing of others', () => {
    const seen = new Occurrences();
    fc.assert(
      fc.property(cluster, (of) => {
        const wanted = wantedFor(of.first);
        const server = new SimulatedServer(of, wanted);
        const before = new Map(server.copies);
        const { distribute, clean, desired, problems } = server.plan(wanted);
        for (const { kind } of [...distribute, ...clean]) seen.note(kind);
        for (const { condition } of problems) seen.note(condition);
        expect(server.plan(wanted, true)).toEqual({ distribute, clean, desired, problems });
        server.run(wanted);
        const after = server.plan(wanted);
        expect([after.distribute, after.clean, after.problems]).toEqual([[], [], problems]);
        for (const [namespace, copy] of before)
          if (copy.metadata.ownerReferences?.[0]?.uid !== 'dist-uid') expect(server.copies.get(namespace)).toBe(copy);
        const { matched } = divide(targetsOf(wanted.distribution), server.namespaces, undefined);
        expect(desired).toBe(matched.length);
        const failed = new Set(problems.map(({ namespace }) => namespace));
        for (const namespace of matched) if (!failed.has(namespace)) expect(server.copies.get(namespace)?.contents).toBe(wanted.contents);
        for (const [namespace, copy] of server.copies)
          if (copy.contents === wanted.contents && copy.metadata.ownerReferences?.[0]?.uid === 'dist-uid')
            expect(
              matched.includes(namespace) ||
                server.namespaces.some(({ metadata }) => metadata.name === namespace && metadata.deletionTimestamp !== undefined),
            ).toBe(true);
      }),
    );
    seen.expectAtLeast({ Create: 1, Update: 1, Delete: 1, ConflictOccurred: 1, NamespaceNotExists: 1 });
  });

  it('ends the same by way of other targets', () => {
    fc.assert(
      fc.property(cluster, (of) => {
        const [straight, around] = [new SimulatedServer(of, wantedFor(of.second)), new SimulatedServer(of, wantedFor(of.second))];
        straight.run(wantedFor(of.second));
        around.run(wantedFor(of.first));
        around.run(wantedFor(of.second));
        expect(around.outcome).toEqual(straight.outcome);
      }),
    );
  });

  it('that is cut short anywhere is finished by the next', () => {
    fc.assert(
      fc.property(cluster, fc.nat({ max: 6 }), (of, done) => {
        const wanted = wantedFor(of.first);
        const [whole, cut] = [new SimulatedServer(of, wanted), new SimulatedServer(of, wanted)];
        whole.run(wanted);
        const { distribute, clean } = cut.plan(wanted);
        cut.carryOut([...distribute, ...clean].slice(0, done), wanted);
        cut.run(wanted);
        expect(cut.outcome).toEqual(whole.outcome);
      }),
    );
  });
});
