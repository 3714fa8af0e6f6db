import { describe, expect, it } from '@jest/globals';
import { annotations } from '@kruise/api';
import { type ControllerRevision, type PodTemplateSpec } from '@kruise/objects';
import { newRevision } from '@kruise/pods';
import { casesOf } from '@kruise/testing';
import fc from 'fast-check';
import {
  changesOtherwise,
  heldHash,
  heldTemplate,
  planningWith,
  withConfigHash,
  withHeldConfig,
  type ConfigurableKind,
  type ConfigurableWorkload,
} from './template-hash.ts';

const hash = { [annotations.configHash]: 'h1' };
const template = (image = 'app:1', own?: Readonly<Record<string, string>>): PodTemplateSpec => ({
  metadata: { labels: { app: 'web' }, ...(own === undefined ? {} : { annotations: own }) },
  spec: { containers: [{ name: 'main', image }] },
});
const revision = (of: PodTemplateSpec, number = 1): ControllerRevision =>
  newRevision(
    {
      namespace: 'default',
      parent: 'web',
      owner: { apiVersion: 'v1', kind: 'Owner', name: 'web', uid: 'u' },
      template: of,
      annotations: {},
    },
    number,
    0,
  ).revision;
const workload = (of: PodTemplateSpec, names?: string): ConfigurableWorkload => ({
  metadata: { name: 'web', ...(names === undefined ? {} : { annotations: { [annotations.configRollout]: names } }) },
  spec: { template: of },
});
const hashed = revision(template('app:1', hash), 2);
const plain = revision(template());

describe('a template with the hash', () => {
  it('is the same object for the same hash, and the template itself where it has the hash', () => {
    const given = template();
    expect(withConfigHash(given, 'h1')).toBe(withConfigHash(given, 'h1'));
    expect(withConfigHash(given, 'h1')).toEqual(template('app:1', hash));
    const own = template('app:1', hash);
    expect(withConfigHash(own, 'h1')).toBe(own);
    expect(withConfigHash(own, 'h2')).toEqual(template('app:1', { [annotations.configHash]: 'h2' }));
    expect(given).toEqual(template());
  });

  it('exists for a template without metadata', () => {
    expect(withConfigHash({}, 'h1')).toEqual({ metadata: { annotations: hash } });
  });
});

describe('the hash that a workload has', () => {
  it.each<{ name: string; revisions: readonly ControllerRevision[]; then: string | undefined }>([
    { name: 'is none without revisions', revisions: [], then: undefined },
    { name: 'is that of the latest revision', revisions: [plain, hashed], then: 'h1' },
    { name: 'is none where only an older revision has one', revisions: [hashed, plain], then: undefined },
    { name: 'is none in a revision without data', revisions: [{ metadata: { name: 'x' }, revision: 1 }], then: undefined },
  ])('$name', ({ revisions, then }) => {
    expect(heldHash(revisions)).toBe(then);
  });
});

describe('a workload whose ConfigMaps are not read is planned with', () => {
  const rows: readonly {
    name: string;
    given: ConfigurableWorkload;
    revisions: readonly ControllerRevision[];
    then: 'Same' | PodTemplateSpec;
  }[] = [
    {
      name: 'its own template without a hash in the latest revision',
      given: workload(template(), 'configmap/a'),
      revisions: [hashed, plain],
      then: 'Same',
    },
    {
      name: 'the hash of the latest revision',
      given: workload(template(), 'configmap/a'),
      revisions: [plain, hashed],
      then: template('app:1', hash),
    },
    {
      name: 'that hash where its annotation is faulty',
      given: workload(template(), '!'),
      revisions: [hashed],
      then: template('app:1', hash),
    },
    {
      name: 'that hash and the changes of its template',
      given: workload(template('app:2'), 'configmap/a'),
      revisions: [hashed],
      then: template('app:2', hash),
    },
    {
      name: 'that hash in place of one that its template has from a revision before',
      given: workload(template('app:1', { [annotations.configHash]: 'h0' }), 'configmap/a'),
      revisions: [hashed],
      then: template('app:1', hash),
    },
    {
      name: 'that hash without the annotation while nothing else differs',
      given: workload(template()),
      revisions: [hashed],
      then: template('app:1', hash),
    },
    {
      name: 'its own template without the annotation once something else differs',
      given: workload(template('app:2')),
      revisions: [hashed],
      then: 'Same',
    },
    {
      name: 'the hash that the user wrote, without the annotation',
      given: workload(template('app:1', { [annotations.configHash]: 'mine' })),
      revisions: [hashed],
      then: 'Same',
    },
    { name: 'its own template without the annotation and hash', given: workload(template()), revisions: [plain], then: 'Same' },
  ];
  it.each(rows)('$name', ({ given, revisions, then }) => {
    const held = heldTemplate(given, revisions);
    if (then === 'Same') expect(held).toBe(given.spec.template);
    else expect(held).toEqual(then);
  });
});

it.each<{ name: string; given: PodTemplateSpec; revisions: readonly ControllerRevision[]; then: boolean }>([
  { name: 'no revision', given: template(), revisions: [], then: true },
  { name: 'the same template', given: template(), revisions: [plain], then: false },
  { name: 'the same template, with a hash in the revision', given: template(), revisions: [plain, hashed], then: false },
  { name: 'another image', given: template('app:2'), revisions: [hashed], then: true },
])('a template changes otherwise than in its hash: $name: $then', ({ given, revisions, then }) => {
  expect(changesOtherwise(workload(given), revisions)).toBe(then);
});

describe('a snapshot', () => {
  interface Seen {
    readonly workload: ConfigurableWorkload;
    readonly revisions: readonly ControllerRevision[];
  }
  const kind: ConfigurableKind<Seen, ConfigurableWorkload> = {
    workloadOf: (seen) => seen.workload,
    revisionsOf: ({ revisions }) => revisions,
    withWorkload: (seen, changed) => ({ ...seen, workload: changed }),
  };

  it('without a hash is the same object', () => {
    const seen = { workload: workload(template()), revisions: [plain] };
    expect(withHeldConfig(kind, seen)).toBe(seen);
  });

  it('with a hash has the same workload in every pass, so that what is remembered of it stays valid', () => {
    const seen = { workload: workload(template(), 'configmap/a'), revisions: [hashed] };
    const [one, two] = [withHeldConfig(kind, seen), withHeldConfig(kind, { ...seen })];
    expect(one.workload.spec.template).toEqual(template('app:1', hash));
    expect(one.workload).toBe(two.workload);
    expect(planningWith(kind, one, one.workload.spec.template)).toBe(one);
  });
});

it('a workload without the annotation and a hash is planned from the same objects, whatever else it has', () => {
  const texts = fc.dictionary(fc.string({ maxLength: 20, size: 'max' }), fc.string({ maxLength: 20, size: 'max' }), {
    maxKeys: 5,
    size: 'max',
  });
  const images = fc.array(fc.constantFrom('app:1', 'app:2', 'app:3'), { maxLength: 4, size: 'max' });
  fc.assert(
    fc.property(texts, texts, images, fc.constantFrom('app:1', 'app:2'), (annotated, own, history, image) => {
      const given = { ...workload(template(image, own)), metadata: { name: 'web', annotations: annotated } };
      const revisions = history.map((one, index) => revision(template(one, own), index + 1));
      expect(heldTemplate(given, revisions)).toBe(given.spec.template);
    }),
    { numRuns: casesOf(200, 5000) },
  );
});
