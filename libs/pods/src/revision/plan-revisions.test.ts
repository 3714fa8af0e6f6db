import { describe, expect, it } from '@jest/globals';
import { deepFreeze, fnv1a, parseLossless, safeEncode, type ControllerRevision } from '@kruise/objects';
import { aPod, owner, revisionWith, source, template } from '../testdata/build.ts';
import { hasSameClaimTemplates } from './claim-template-hash.ts';
import { planHistory } from './plan-history.ts';
import {
  type RevisionsSeen,
  afterNameCollision,
  isEqualRevision,
  listRevisions,
  newRevision,
  planRevisions,
  templateContent,
  revisionBody,
  settledRevision,
} from './plan-revisions.ts';
import {
  cloneSetRevisions,
  daemonSetRevisions,
  isOfRevision,
  revisionId,
  revisionLabels,
  revisionOfPod,
  statefulSetRevisions,
} from './revision-adapter.ts';
import { daemonSetNaming } from './revision-name.ts';
import { applyRevision, revisionBytes, templateOf } from './template-data.ts';

const withImage = (image: string) => template({ containers: [{ name: 'nginx', image }] });
const [a, b] = [withImage('a'), withImage('b')];
const seen = (more: Partial<RevisionsSeen>): RevisionsSeen => ({
  listed: [],
  source: source(a),
  currentName: '',
  collisionCount: 0,
  ...more,
});

describe('planRevisions', () => {
  it('creates the first revision with number 1, current and update alike', () => {
    const plan = planRevisions(seen({}));
    expect(plan.actions).toMatchObject([{ kind: 'CreateRevision', attempt: { collisionCount: 0, revision: { revision: 1 } } }]);
    expect(plan.current).toBe(plan.update);
    expect(plan.update).toMatchObject({ apiVersion: 'apps/v1', kind: 'ControllerRevision' });
    expect(plan.update.metadata).toMatchObject({
      namespace: 'default',
      labels: { app: 'sample', 'controller.kubernetes.io/hash': plan.update.metadata.name.slice('sample-'.length) },
      ownerReferences: [owner],
    });
  });

  describe('an unchanged template', () => {
    const frozen = deepFreeze(structuredClone(a));
    /** Returns a revision that counts the reads of its data. */
    function counting(held: typeof a): { readonly revision: ControllerRevision; readonly reads: () => number } {
      let reads = 0;
      const made = revisionWith(held, 1);
      const { spec } = made.data as { readonly spec: unknown };
      const data = Object.freeze({
        get spec() {
          reads++;
          return spec;
        },
      });
      return { revision: { ...made, data }, reads: () => reads };
    }
    const planned = (revision: ControllerRevision, more: Partial<RevisionsSeen> = {}): number =>
      planRevisions(seen({ source: source(frozen), listed: [revision], ...more })).actions.length;

    it('is compared once with the revision that contains it', () => {
      const { revision, reads } = counting(a);
      expect(planned(revision)).toBe(0);
      const once = reads();
      expect([once > 0, planned(revision), planned({ ...revision, revision: 7 }), reads()]).toEqual([true, 0, 0, once]);
    });

    it('is not normalised again when a kind stores other content in its revisions', () => {
      let formed = 0;
      const bytes = (): string => {
        formed += 1;
        return templateContent(frozen).bytes();
      };
      const listed = deepFreeze(revisionWith(a, 1));
      const plan = (held: object): number =>
        planRevisions(seen({ source: { ...source(a), template: { ...templateContent(frozen), of: held, bytes } }, listed: [listed] }))
          .actions.length;
      const whole = Object.freeze({ template: frozen });
      expect([plan(whole), formed]).toEqual([0, 1]);
      expect([plan(whole), plan(whole), formed]).toEqual([0, 0, 1]);
      expect([plan({ template: frozen }), formed]).toEqual([0, 2]);
    });

    it('is compared again with other data, another hash, and after a collision', () => {
      const { revision, reads } = counting(a);
      expect(planned(revision)).toBe(0);
      expect(planned(counting(b).revision)).toBe(1);
      const once = reads();
      expect([planned(revision, { collisionCount: 1 }), reads()]).toEqual([0, 2 * once]);
      const relabelled = { ...revision, metadata: { ...revision.metadata, labels: {} } };
      expect([planned(relabelled, { collisionCount: 1 }), reads()]).toEqual([0, 3 * once]);
      expect([planned(relabelled, { collisionCount: 1 }), reads()]).toEqual([0, 3 * once]);
    });

    it('is compared each time when it is not frozen', () => {
      const { revision, reads } = counting(a);
      const open = structuredClone(a);
      const plan = (): number => planRevisions(seen({ source: source(open), listed: [revision] })).actions.length;
      expect(plan()).toBe(0);
      const once = reads();
      expect([plan(), reads()]).toEqual([0, 2 * once]);
      const held = { ...revision, data: { ...(revision.data as object) } };
      expect([planned(held), planned(held)]).toEqual([0, 0]);
    });
  });

  it('finds its own revision by the unchanged data, without normalising both', () => {
    let formed = 0;
    const storedBytes = (revision: ControllerRevision): string => {
      formed += 1;
      return revisionBytes(revision);
    };
    const plan = (held: typeof a, listed: readonly ControllerRevision[]) =>
      planRevisions(seen({ source: { ...source(a), template: { ...templateContent(held), storedBytes } }, listed }));
    const first = plan(a, []);
    expect([first.actions.length, formed]).toEqual([1, 0]);
    expect([plan(a, [structuredClone(first.update)]).actions.length, formed]).toEqual([0, 0]);
    expect([plan(b, [first.update]).actions.length, formed > 0]).toEqual([1, true]);
  });

  const lasting = (terminationGracePeriodSeconds: bigint) =>
    template({ containers: [{ name: 'nginx', image: 'a' }], terminationGracePeriodSeconds: terminationGracePeriodSeconds as never });

  it.each([9007199254740993n, 9223372036854775807n, -9223372036854775808n])('keeps %s as the original does, and finds it again', (long) => {
    const { update } = planRevisions(seen({ source: source(lasting(long)) }));
    expect(revisionBody(update)).toContain(`"terminationGracePeriodSeconds":${String(Number(long))}}`);
    const stored = parseLossless(revisionBody(update)) as ControllerRevision;
    expect(planRevisions(seen({ source: source(lasting(long)), listed: [stored] })).actions).toEqual([]);
    expect(planRevisions(seen({ source: source(lasting(30n)), listed: [stored] })).actions).toHaveLength(1);
  });

  it('finds the revision of a version that wrote integers unchanged', () => {
    const stored = { ...revisionWith(lasting(9007199254740993n)), data: { spec: { template: lasting(9007199254740993n) } } };
    expect(planRevisions(seen({ source: source(lasting(9007199254740993n)), listed: [stored] })).actions).toEqual([]);
  });

  it('gives Pods an integer that the API server accepts, although the revision contains a greater one', () => {
    const { update } = planRevisions(seen({ source: source(lasting(9223372036854775807n)) }));
    const stored = parseLossless(revisionBody(update)) as ControllerRevision;
    expect(templateOf(stored)?.spec?.terminationGracePeriodSeconds).toBe(9223372036854775807n);
  });

  it.each([
    ['2.500', '2500m'],
    ['001Gi', '1Gi'],
    ['1024Mi', '1Gi'],
  ])('finds the revision of %s that another version wrote as %s', (written, canonical) => {
    const sized = (memory: string) => template({ containers: [{ name: 'nginx', image: 'a', resources: { limits: { memory } } }] });
    const listed = [{ ...revisionWith(sized(canonical)), data: { spec: { template: sized(canonical) } } }];
    expect(planRevisions(seen({ source: source(sized(written)), listed })).actions).toEqual([]);
    expect(planRevisions(seen({ source: source(sized('7Gi')), listed })).actions).toHaveLength(1);
  });

  describe('a template with members that its revision lacks, as the original drops them', () => {
    const note = 'apps.kruise.io/revision-stands-for';
    const [container] = a.spec?.containers ?? [];
    const withMembers = (members: object, of = container): typeof a => template({ containers: [{ ...of, ...members }] });
    const typing = (members: object): typeof a => {
      const { metadata, spec } = withMembers({ bar: 1 });
      return { metadata: { ...metadata, foo: {} }, spec: { ...spec, hostnameOverride: 'x', ...members }, foo: null } as typeof a;
    };
    const plain = revisionWith(withMembers({}), 4, { kept: 'yes' });
    const settled = (of: typeof a, more: Partial<RevisionsSeen> = {}) =>
      planRevisions(seen({ source: source(of), listed: [revisionWith(b, 3), plain], settledName: plain.metadata.name, ...more }));
    const noted = (): ControllerRevision => settled(typing({})).update;

    it('is that of the revision that the status names for exactly this spec, which is noted on it once', () => {
      const { update, current, actions } = settled(typing({}));
      expect(actions).toEqual([{ kind: 'BumpRevision', revision: update, because: expect.stringMatching(/taken over/) }]);
      expect(update).toEqual({
        ...plain,
        metadata: { ...plain.metadata, annotations: { kept: 'yes', [note]: expect.stringMatching(/^[a-z0-9]+$/) } },
      });
      expect([current, update.metadata.name, update.revision]).toEqual([update, plain.metadata.name, 4]);
      expect(settled(typing({}), { listed: [revisionWith(b, 3), update] }).actions).toEqual([]);
    });

    it('remains that of the noted revision when the spec changes elsewhere, and after other templates', () => {
      const scaled = { listed: [revisionWith(b, 3), noted()], settledName: undefined };
      expect(settled(typing({}), scaled)).toMatchObject({ update: noted(), actions: [] });
      const back = settled(typing({}), { listed: [noted(), revisionWith(b, 5)], settledName: undefined });
      expect(back).toMatchObject({ update: { revision: 6, metadata: { name: plain.metadata.name } }, actions: [{ kind: 'BumpRevision' }] });
    });

    it.each<[string, typeof a]>([
      ['such a member comes', typing({ other: 1 })],
      ['such a member changes', typing({ hostnameOverride: 'y' })],
      ['a known member changes', typing({ hostNetwork: true })],
    ])('is new when %s after the note', (_name, changed) => {
      expect(settled(changed, { listed: [noted()], settledName: undefined }).actions).toMatchObject([{ kind: 'CreateRevision' }]);
    });

    it('is still the same revision when all such members are removed', () => {
      expect(settled(withMembers({}), { listed: [noted()], settledName: undefined }).actions).toEqual([]);
    });

    it.each<[string, Partial<RevisionsSeen>, typeof a]>([
      ['the spec has changed since', { settledName: undefined }, typing({})],
      ['the status names another revision', { settledName: 'sample-other' }, typing({})],
      ['the named revision is not the last', { listed: [plain, revisionWith(b, 5)] }, typing({})],
      ['a known member differs, too', {}, typing({ hostNetwork: true })],
      ['the revision itself holds such members', { listed: [revisionWith(typing({ other: 1 }))] }, typing({})],
    ])('is new when %s', (_name, more, of) => {
      const name = more.listed?.length === 1 ? { settledName: more.listed[0]?.metadata.name } : {};
      expect(settled(of, { ...more, ...name }).actions).toMatchObject([{ kind: 'CreateRevision' }]);
    });

    it('is new for a kind that stores other content in its revisions', () => {
      const content = { of: a, bytes: () => '{"x":1}', labels: {}, storedBytes: ({ data }: ControllerRevision) => JSON.stringify(data) };
      const listed = [{ ...plain, data: {} }];
      const plan = planRevisions(seen({ listed, source: { ...source(a), template: content }, settledName: plain.metadata.name }));
      expect(plan.actions).toMatchObject([{ kind: 'CreateRevision' }]);
    });

    it.each([
      ['of this generation', { generation: 7 }, { observedGeneration: 7, updateRevision: 'r' }, 'r'],
      ['of an older generation', { generation: 8 }, { observedGeneration: 7, updateRevision: 'r' }, undefined],
      ['that names none', { generation: 7 }, { observedGeneration: 7 }, undefined],
      ['that tells no generation', {}, { updateRevision: 'r' }, undefined],
      ['that is not there', { generation: 7 }, undefined, undefined],
    ])('a status %s settles on %j', (_name, metadata, status, expected) => {
      expect(settledRevision({ metadata, status })).toBe(expected);
    });
  });

  it('does nothing when the latest revision contains the template', () => {
    const listed = [revisionWith(b, 1), revisionWith(a, 2)];
    expect(planRevisions(seen({ listed, currentName: listed[0]?.metadata.name ?? '' }))).toEqual({
      update: listed[1],
      current: listed[0],
      actions: [],
    });
  });

  it('numbers a new revision after the last', () => {
    expect(planRevisions(seen({ listed: [revisionWith(b, 41)] })).update.revision).toBe(42);
  });

  it('gives an older revision the next number on rollback and keeps its name and labels', () => {
    const old = revisionWith(a, 1);
    const labelled = {
      ...old,
      metadata: { ...old.metadata, labels: { ...old.metadata.labels, 'apps.kruise.io/pre-predownload-created': 'true' } },
    };
    const plan = planRevisions(seen({ listed: [labelled, revisionWith(b, 2)], refreshed: { hash: 'new' } }));
    const because = 'the template equals that of revision 1 again; the latest is 2';
    expect(plan.actions).toMatchObject([{ kind: 'BumpRevision', because }]);
    expect(plan.update).toEqual({ ...labelled, revision: 3, metadata: { ...labelled.metadata, annotations: { hash: 'new' } } });
  });

  it('keeps the annotations of a reused revision when the kind updates none', () => {
    const listed = [revisionWith(a, 1, { own: 'x' }), revisionWith(b, 2)];
    const plan = planRevisions(seen({ listed }));
    expect(plan.update).toEqual({ ...listed[0], revision: 3 });
    const { annotations: _annotations, ...metadata } = revisionWith(a, 1).metadata;
    const bare: ControllerRevision = { ...revisionWith(a, 1), metadata };
    expect(planRevisions(seen({ listed: [bare, revisionWith(b, 2)] })).update).toStrictEqual({ ...bare, revision: 3 });
    expect(plan.actions).toEqual([{ kind: 'BumpRevision', revision: plan.update, because: expect.any(String) }]);
  });

  it('reuses the last of several equal revisions', () => {
    const named = (name: string, number: number): ControllerRevision => {
      const { metadata, ...rest } = revisionWith(a, number);
      return { ...rest, metadata: { ...metadata, name } };
    };
    const listed = [named('x', 1), named('y', 2), revisionWith(b, 3)];
    expect(planRevisions(seen({ listed })).update).toMatchObject({ metadata: { name: 'y' }, revision: 4 });
  });

  it('distinguishes a current revision from the update revision', () => {
    const listed = [revisionWith(a, 1), revisionWith(b, 2)];
    const { current, update } = planRevisions(seen({ listed, currentName: listed[1]?.metadata.name ?? '' }));
    expect([current, update.revision]).toEqual([listed[1], 3]);
  });

  it.each([
    ['equal numbers', '7', '7', true],
    ['other numbers', '7', '8', false],
    ['other letters', 'abc', 'abd', true],
    ['a number and letters', '7', 'abc', true],
    ['no hash', undefined, '7', true],
    ['the largest number and one beyond', '2147483647', '2147483648', true],
    ['the largest number and another', '2147483647', '2147483646', false],
    ['the smallest number and one beyond', '-2147483648', '-2147483649', true],
    ['the smallest number and another', '-2147483648', '+5', false],
    ['a number in other words', '7', '+7', true],
    ['a broken number', '7', '7.5', true],
    ['a number with something around it', '7', 'x8', true],
    ['a number with something behind it', '7', '8x', true],
  ])('two revisions of one template are equal by their hash labels: %s', (_name, left, right, expected) => {
    const hashed = (hash: string | undefined): ControllerRevision => {
      const { metadata, ...rest } = revisionWith(a);
      return { ...rest, metadata: { ...metadata, labels: hash === undefined ? {} : { 'controller.kubernetes.io/hash': hash } } };
    };
    expect([isEqualRevision(hashed(left), hashed(right)), isEqualRevision(hashed(right), hashed(left))]).toEqual([expected, expected]);
    expect(isEqualRevision(hashed(left), { ...hashed(left), data: revisionWith(b).data })).toBe(false);
  });

  it('compares revisions without labels by their data', () => {
    const bare = (of: ControllerRevision): ControllerRevision => ({ ...of, metadata: { name: 'x' } });
    expect([
      isEqualRevision(bare(revisionWith(a)), revisionWith(a)),
      isEqualRevision(bare(revisionWith(a)), bare(revisionWith(b))),
    ]).toEqual([true, false]);
  });

  it('falls back to the update revision when the current one is not in the history', () => {
    const listed = [revisionWith(a, 1)];
    expect(planRevisions(seen({ listed, currentName: 'sample-gone' })).current).toBe(listed[0]);
  });

  it('shows a bumped revision as current too when it is', () => {
    const listed = [revisionWith(a, 1), revisionWith(b, 2)];
    expect(planRevisions(seen({ listed, currentName: listed[0]?.metadata.name ?? '' })).current.revision).toBe(3);
  });

  it('ends after its own action', () => {
    const { update } = planRevisions(seen({ listed: [revisionWith(a, 1), revisionWith(b, 2)] }));
    expect(planRevisions(seen({ listed: [revisionWith(b, 2), update] })).actions).toEqual([]);
  });
});

describe('afterNameCollision', () => {
  const attempt = newRevision(source(template()), 5, 0);

  it('uses the holder of the name if it has the same data, whatever its owner', () => {
    const holder: ControllerRevision = { ...attempt.revision, revision: 1, metadata: { name: attempt.revision.metadata.name } };
    expect(afterNameCollision(attempt, holder)).toEqual({ kind: 'UseExisting', revision: holder });
  });

  it('continues from the previous attempt', () => {
    const step = afterNameCollision({ ...attempt, collisionCount: 7 }, revisionWith(b));
    const ninth = newRevision(source(template()), 5, 8).revision.metadata.name;
    expect(step).toMatchObject({
      kind: 'TryAgain',
      attempt: { collisionCount: 8, parent: 'sample', revision: { metadata: { name: ninth } } },
    });
  });

  it('cuts a long name of the workload to 223 characters', () => {
    const long = newRevision({ ...source(template()), parent: 'w'.repeat(224) }, 5, 0);
    expect(long.revision.metadata.name).toBe(`${'w'.repeat(223)}-5794d985c7`);
    expect(afterNameCollision(long, revisionWith(b))).toMatchObject({
      attempt: { revision: { metadata: { name: `${'w'.repeat(223)}-5794d985c6` } } },
    });
  });

  it('tries the next count and keeps the hash label', () => {
    const step = afterNameCollision(attempt, revisionWith(b));
    expect(step).toMatchObject({
      kind: 'TryAgain',
      attempt: {
        collisionCount: 1,
        revision: { revision: 5, metadata: { name: 'sample-5794d985c6', labels: { 'controller.kubernetes.io/hash': '5794d985c7' } } },
      },
    });
  });
});

describe('revisions of a DaemonSet', () => {
  const daemons = (of: typeof a = a) => ({ ...source(of), naming: daemonSetNaming });
  const attempt = newRevision(daemons(), 5, 0);
  const carried = ({ metadata }: ControllerRevision) => [metadata.name, metadata.labels];

  it('have the hash of their name as label when Pods have it, and not for other kinds', () => {
    const hash = attempt.revision.metadata.name.slice('sample-'.length);
    expect(attempt.revision.metadata.labels).toEqual({ app: 'sample', 'controller-revision-hash': hash });
    const others = newRevision(source(a), 5, 0).revision;
    expect(others.metadata.labels).toEqual({
      app: 'sample',
      'controller.kubernetes.io/hash': others.metadata.name.slice('sample-'.length),
    });
    expect(others.metadata.name).not.toBe(attempt.revision.metadata.name);
    expect(others.data).toEqual(attempt.revision.data);
  });

  it('use the label of the kind, whatever value the template has for it', () => {
    const own = template({}, { labels: { app: 'sample', 'controller-revision-hash': 'own' } });
    const { metadata } = newRevision(daemons(own), 5, 0).revision;
    expect(metadata.labels?.['controller-revision-hash']).toBe(metadata.name.slice('sample-'.length));
  });

  it('have another hash after each collision, in name and label, because Pods of two must never be confused', () => {
    const steps = [attempt];
    for (let i = 0; i < 3; i++) {
      const step = afterNameCollision(steps.at(-1) ?? attempt, revisionWith(b));
      if (step.kind !== 'TryAgain') throw new Error('the holder has another template');
      steps.push(step.attempt);
    }
    const names = steps.map(({ revision }) => revision.metadata.name);
    expect(new Set(names).size).toBe(4);
    expect(steps.map(({ revision }) => carried(revision))).toEqual(
      names.map((name) => [name, { app: 'sample', 'controller-revision-hash': name.slice('sample-'.length) }]),
    );
    expect(steps.map(({ collisionCount }) => collisionCount)).toEqual([0, 1, 2, 3]);
    expect(steps.map(({ collisionCount }) => newRevision(daemons(), 5, collisionCount).revision)).toEqual(
      steps.map(({ revision }) => revision),
    );
  });

  it('are those of the holder of the name when that has the same template, with its hash', () => {
    const holder = { ...attempt.revision, revision: 1 };
    expect(afterNameCollision(attempt, holder)).toEqual({ kind: 'UseExisting', revision: holder });
  });

  it.each([
    [0, ''],
    [1, '\u0001\0\0\0\0\0\0\0'],
    [256, '\0\u0001\0\0\0\0\0\0'],
    [0x01020304, '\u0004\u0003\u0002\u0001\0\0\0\0'],
  ])('hash a count of %d collisions as the original does: four bytes, the least first, in eight', (count, bytes) => {
    expect(daemonSetNaming.hash('{"x":1}', count)).toBe(safeEncode(String(fnv1a(`{"x":1}${bytes}`))));
  });

  it('of known bytes have known hashes', () => {
    expect([0, 1, 2].map((count) => daemonSetNaming.hash('{"x":1}', count))).toEqual(['7cb4cc975d', 'd54459f5', '7fc4f8ddd8']);
  });
});

describe('listRevisions', () => {
  const revision = (name: string, number: number, created: string, uid?: string): ControllerRevision => ({
    metadata: {
      name,
      creationTimestamp: created,
      labels: { app: 'sample' },
      ...(uid === undefined ? {} : { ownerReferences: [{ ...owner, uid }] }),
    },
    revision: number,
  });
  const all = [
    revision('foreign', 9, '2026-01-01T00:00:00Z', 'other'),
    revision('c', 2, '2026-01-02T00:00:00Z', 'u1'),
    revision('b', 2, '2026-01-01T00:00:00Z'),
    revision('a', 2, '2026-01-02T00:00:00Z', 'u1'),
    revision('z', 1, '2026-01-05T00:00:00Z', 'u1'),
  ];

  it('orders by number, creation and name, and omits those of other controllers', () => {
    const listed = listRevisions(all, { uid: 'u1', selects: () => true });
    expect(listed.map(({ metadata }) => metadata.name)).toEqual(['z', 'b', 'a', 'c']);
    expect(listRevisions(all.toReversed(), { uid: 'u1', selects: () => true })).toEqual(listed);
  });

  it('omits what the selector does not match', () => {
    expect(listRevisions(all, { uid: 'u1', selects: () => false })).toEqual([]);
    const bare: ControllerRevision = { metadata: { name: 'bare' }, revision: 1 };
    const asked: unknown[] = [];
    listRevisions([bare, ...all.slice(0, 1)], { uid: 'u1', selects: (labels) => asked.push(labels) > 0 });
    expect(asked).toEqual([{}, { app: 'sample' }]);
  });

  it('puts a revision without a time of creation before others of its number', () => {
    const bare: ControllerRevision = { metadata: { name: 'x' }, revision: 2 };
    const listed = listRevisions([...all, bare], { uid: 'u1', selects: () => true });
    expect(listed.map(({ metadata }) => metadata.name)).toEqual(['z', 'x', 'b', 'a', 'c']);
  });

  it.each([
    [10, []],
    [3, []],
    [2, ['z']],
    [1, ['z', 'b']],
    [0, ['z', 'b', 'c']],
  ])('deletes the lowest numbers beyond a history of %i', (limit, expected) => {
    const listed = listRevisions(all, { uid: 'u1', selects: () => true });
    expect(planHistory(listed, ({ metadata }) => metadata.name === 'a', { unused: limit }).map(({ metadata }) => metadata.name)).toEqual(
      expected,
    );
  });

  it.each([
    [10, []],
    [4, []],
    [3, ['z']],
    [1, ['z', 'b', 'c']],
    [0, ['z', 'b', 'c']],
  ])('deletes the lowest numbers beyond %i in all, live ones never', (limit, expected) => {
    const listed = listRevisions(all, { uid: 'u1', selects: () => true });
    expect(planHistory(listed, ({ metadata }) => metadata.name === 'a', { all: limit }).map(({ metadata }) => metadata.name)).toEqual(
      expected,
    );
  });
});

describe('revisions on Pods', () => {
  const carrying = (hash: string) => aPod({ labels: { 'controller-revision-hash': hash } });
  const shared = revisionWith(a);
  const daemon: ControllerRevision = { ...shared, metadata: { ...shared.metadata, labels: { 'controller-revision-hash': 'abc' } } };

  it.each([
    ['CloneSet: equal names', cloneSetRevisions(false), 'sample-abc', 'sample-abc', true],
    ['CloneSet: short hash against name', cloneSetRevisions(false), 'abc', 'sample-abc', true],
    ['CloneSet: other hash', cloneSetRevisions(true), 'sample-abd', 'sample-abc', false],
    ['StatefulSet: only equal names', statefulSetRevisions, 'abc', 'sample-abc', false],
    ['StatefulSet: equal names', statefulSetRevisions, 'sample-abc', 'sample-abc', true],
    ['no label', cloneSetRevisions(false), '', 'sample-abc', false],
    ['no id', cloneSetRevisions(false), 'sample-abc', '', false],
    ['neither', statefulSetRevisions, '', '', false],
    ['CloneSet: no label against a name that ends in a dash', cloneSetRevisions(false), '', 'sample-', false],
    ['CloneSet: no id against a label that ends in a dash', cloneSetRevisions(false), 'sample-', '', false],
    ['CloneSet: equal hashes of different names', cloneSetRevisions(false), 'other-abc', 'sample-abc', true],
    ['CloneSet: a name without a dash', cloneSetRevisions(false), 'abc', 'abc', true],
    ['DaemonSet: equal hashes', daemonSetRevisions, 'abc', 'abc', true],
    ['DaemonSet: a name that ends in the hash', daemonSetRevisions, 'sample-abc', 'abc', false],
  ])('%s', (_name, adapter, carried, ...[id, expected]) => {
    expect(isOfRevision(adapter, carrying(carried), id)).toBe(expected);
  });

  it('sets labels as the kind requires', () => {
    expect(revisionLabels(cloneSetRevisions(false), 'sample-abc')).toEqual({
      'controller-revision-hash': 'sample-abc',
      'pod-template-hash': 'abc',
    });
    expect(revisionLabels(cloneSetRevisions(true), 'sample-abc')).toEqual({
      'controller-revision-hash': 'abc',
      'pod-template-hash': 'abc',
    });
    expect(revisionLabels(statefulSetRevisions, 'sample-abc')).toEqual({ 'controller-revision-hash': 'sample-abc' });
    expect(revisionLabels(daemonSetRevisions, revisionId(daemonSetRevisions, daemon))).toEqual({ 'controller-revision-hash': 'abc' });
  });

  it('identifies a revision by its name, or by its own hash label', () => {
    const { labels: _labels, ...unlabelled } = daemon.metadata;
    const of = (adapter: typeof statefulSetRevisions) => [
      revisionId(adapter, daemon),
      revisionId(adapter, { ...daemon, metadata: unlabelled }),
    ];
    expect([of(statefulSetRevisions), of(daemonSetRevisions), of(cloneSetRevisions(true))]).toEqual([
      [shared.metadata.name, shared.metadata.name],
      ['abc', ''],
      [shared.metadata.name, shared.metadata.name],
    ]);
    const bare = { metadata: { name: 'p' }, spec: { containers: [] } };
    expect([isOfRevision(statefulSetRevisions, bare, 'x'), isOfRevision(cloneSetRevisions(true), bare, 'x')]).toEqual([false, false]);
  });

  it("finds a Pod's revision, or none", () => {
    expect(revisionOfPod(daemonSetRevisions, carrying('abc'), [shared, daemon])).toBe(daemon);
    expect(revisionOfPod(cloneSetRevisions(true), carrying('gone'), [shared])).toBeUndefined();
  });

  it('puts the template of a revision into the workload and keeps the rest of its spec', () => {
    const workload = { spec: { replicas: 3, template: b } };
    expect(applyRevision(workload, shared)).toMatchObject({ spec: { replicas: 3, template: { spec: { containers: [{ image: 'a' }] } } } });
    expect(applyRevision(workload, shared).spec.template).not.toHaveProperty('$patch');
  });

  it('refuses to apply a revision without a template', () => {
    const empty: ControllerRevision = { metadata: { name: 'empty' }, revision: 1 };
    const apply = (revision: ControllerRevision) => () => applyRevision({ spec: { template: b } }, revision);
    expect(apply(empty)).toThrow('ControllerRevision empty holds no pod template');
    expect(apply({ ...empty, data: {} })).toThrow('ControllerRevision empty holds no pod template');
    expect([
      revisionBytes(empty),
      revisionBytes({ ...empty, data: { spec: { replicas: 1 } } }),
      templateOf({ ...empty, data: {} }),
    ]).toEqual(['null', '{"spec":{"replicas":1}}', undefined]);
  });

  it.each([
    [undefined, '1', true],
    ['1', '1', true],
    ['', '1', false],
    ['1', undefined, true],
    ['2', '1', false],
  ])('claim templates of %p and %p are compatible: %p', (left, right, expected) => {
    const key = 'kruise.io/cloneset-volumeclaimtemplate-hash';
    const hashed = (hash: string | undefined) => revisionWith(a, 1, hash === undefined ? {} : { [key]: hash });
    expect(hasSameClaimTemplates(hashed(left), hashed(right))).toBe(expected);
    expect(hasSameClaimTemplates({ metadata: { name: 'x' }, revision: 1 }, hashed('1'))).toBe(true);
    expect(hasSameClaimTemplates(hashed('1'), { metadata: { name: 'x' }, revision: 1 })).toBe(true);
  });
});
