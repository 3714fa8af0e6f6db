/** Moves of objects that are nearly as large as the API server takes them. */
import { describe, expect, it } from '@jest/globals';
import { memberAt, type ResourceType } from '@kruise/objects';
import { replicaSets } from '@kruise/workloads';
import type { RunResult } from '../../testing.ts';
import { typeOf } from '../../testing.ts';
import { withMember, type Untyped } from '../../objects/untyped.ts';
import { AdoptCluster, adoptableTypes, adoptLine, identities, template } from '../controllers.testing.ts';
import { directionFrom, type AdoptableKind } from '../observed/directions.ts';
import { annotationBytes, largestAnnotations } from './annotation-room.ts';

const kib = 1024;
const note = ['metadata', 'annotations', 'note'];

/** A template of about this many bytes; every letter of the variable has two of them. */
const large = (bytes: number): object => ({
  ...template,
  spec: { ...template.spec, containers: [{ name: 'main', image: 'nginx', env: [{ name: 'A', value: 'ä'.repeat(bytes / 2) }] }] },
});

/** Sets a member of the source as another client does. @returns whether the source exists */
function set(cluster: AdoptCluster, path: readonly string[], value: unknown): boolean {
  const source = cluster.workload(cluster.from);
  if (source !== undefined) cluster.api.seed(adoptableTypes[cluster.from], withMember(source, path, value) as Untyped);
  return source !== undefined;
}

interface Run extends RunResult {
  readonly writes: number;
  /** The most bytes of annotations that an object had. */
  readonly most: number;
}

/** @param after called after each write of the plugin */
async function run(cluster: AdoptCluster, after: () => void = () => undefined): Promise<Run> {
  let [writes, most, isRunning] = [0, 0, true];
  cluster.api.onWrite(({ call, before, after: written, refused }) => {
    if (!isRunning || call.from !== 'plugin' || refused !== undefined || before === written) return;
    writes++;
    most = Math.max(most, annotationBytes(written?.metadata.annotations ?? {}));
    after();
  });
  const result = await cluster.run(adoptLine(cluster.from));
  isRunning = false;
  return { ...result, writes, most };
}

describe.each<AdoptableKind>(['CloneSet', 'Deployment'])('a %s', (from) => {
  const holder = (from === 'Deployment' ? replicaSets : typeOf('ControllerRevision', 'apps')) as unknown as ResourceType<Untyped>;
  const target = directionFrom(from)?.to ?? from;

  it('with a template of 200 KiB is moved, also when it is changed after the object with the former template was deleted', async () => {
    const cluster = new AdoptCluster(from, 1, { template: large(200 * kib) });
    const before = identities(cluster);
    let isChanged = false;
    const done = await run(cluster, () => {
      const isDeleted = cluster.all(holder).length === 0 && cluster.workload(target) !== undefined;
      if (isDeleted && !isChanged) isChanged = set(cluster, ['spec', 'template', 'metadata', 'annotations'], { tier: 'gold' });
    });
    expect([isChanged, done.code, cluster.harm]).toEqual([true, 0, expect.not.arrayContaining([expect.stringMatching('collected')])]);
    expect(done.most).toBeGreaterThan(200 * kib);
    expect(done.most).toBeLessThanOrEqual(largestAnnotations);
    // The change of the template is rolled out when the move has ended, beside the Pods that were moved.
    expect(identities(cluster)).toEqual(expect.arrayContaining([...before]));
    expect(memberAt(cluster.workload(target), 'spec', 'template', 'metadata', 'annotations')).toEqual({ tier: 'gold' });
  });

  it.each<{ name: string; spec: object; annotation: string; says: RegExp }>([
    {
      name: 'annotations leave no room for the record',
      spec: {},
      annotation: 'x'.repeat(255 * kib),
      says: /^ {2}metadata\.annotations: the move adds its record to them, which makes (\d+) bytes; an object may have 262144$/m,
    },
    {
      name: 'template is larger than an annotation',
      spec: { template: large(300 * kib) },
      annotation: '',
      says: /^ {2}spec\.template: the move records it in an annotation of the target, which makes (\d+) bytes; an object may have 262144$/m,
    },
  ])('whose $name is refused before the first write, with the number of bytes', async ({ spec, annotation, says }) => {
    const cluster = new AdoptCluster(from, 1, spec);
    set(cluster, note, annotation);
    const { code, out, writes } = await run(cluster);
    expect([code, writes]).toEqual([1, 0]);
    expect(Number(says.exec(out)?.[1])).toBeGreaterThan(255 * kib);
  });

  it('that other clients make too large during the move is moved when they take the change back', async () => {
    const cluster = new AdoptCluster(from, 1);
    const before = identities(cluster);
    let isChanged = false;
    const first = await run(cluster, () => {
      if (isChanged || cluster.workload(target) === undefined) return;
      isChanged = set(cluster, note, 'x'.repeat(200 * kib));
      set(cluster, ['spec', 'template'], large(100 * kib));
    });
    expect([isChanged, first.code]).toEqual([true, 1]);
    expect(first.err).toMatch(/its changes during the move make 3\d{5} bytes of annotations on the target; an object may have 262144/);
    expect(cluster.harm).toEqual([]);
    set(cluster, note, 'small');
    expect((await run(cluster)).code).toBe(0);
    expect(identities(cluster)).toEqual(expect.arrayContaining([...before]));
    expect(cluster.workload(target)?.metadata.annotations).toMatchObject({ note: 'small' });
  });
});

it('a StatefulSet with a template of 300 KiB is moved: no object with its template is deleted', async () => {
  const cluster = new AdoptCluster('StatefulSet', 1, { template: large(300 * kib) });
  const before = identities(cluster);
  const { code, most } = await run(cluster);
  expect(code).toBe(0);
  expect(most).toBeLessThan(kib);
  expect(identities(cluster)).toEqual(before);
  expect(cluster.harm).toEqual([]);
});
