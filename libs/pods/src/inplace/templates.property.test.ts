/**
 * Templates that follow each other at any moment of a Pod's update: images, labels, annotations, environment from them, batches by priority, grace
 * periods, containers that do not become ready. Without further changes the Pod converges to the last template, and is back in service.
 */
import { describe, expect, it } from '@jest/globals';
import { defaultGates } from '@kruise/api';
import { type Container, type Instant, type Pod, type PodTemplateSpec, podCondition } from '@kruise/objects';
import { casesOf, Occurrences } from '@kruise/testing';
import fc from 'fast-check';
import { cloneSetRevisions, isOfRevision, revisionLabels, revisionOfPod } from '../revision/revision-adapter.ts';
import { aPod, noon, revisionWith } from '../testdata/build.ts';
import { updateCompletion } from './state/completion.ts';
import { planInPlaceUpdate } from './plan-in-place-update.ts';
import { planRefresh } from './plan-refresh.ts';
import { formatRuntimeMeta, metadataEnvHash, plainHash, runtimeMetaOf } from './state/runtime-meta.ts';
import { startUpdate, takeOutOfService } from './start-update.ts';

const seen = new Occurrences();
/** More with FC_RUNS=100000. */
const numRuns = casesOf(150);

const adapter = cloneSetRevisions(false);
const names = ['a', 'b'] as const;

interface Wish {
  readonly images: readonly [number, number];
  /** Undefined: the template has no such label or annotation. */
  readonly fed: number | undefined;
  readonly plain: number | undefined;
  readonly note: number | undefined;
}
type Step =
  { readonly kind: 'Template'; readonly wish: Wish } | { readonly kind: 'Pass'; readonly isReady: boolean; readonly seconds: number };

interface Course {
  readonly priorities: readonly [number | undefined, number | undefined];
  readonly graceSeconds: number;
  /** Which containers read their environment from the label `fed`. */
  readonly fedContainers: readonly (typeof names)[number][];
  readonly first: Wish;
  readonly steps: readonly Step[];
}

const some = fc.option(fc.integer({ min: 1, max: 2 }), { nil: undefined });
const wish: fc.Arbitrary<Wish> = fc.record({
  images: fc.tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 3 })),
  fed: some,
  plain: some,
  note: some,
});
const course: fc.Arbitrary<Course> = fc.record({
  priorities: fc.constantFrom<Course['priorities']>([undefined, undefined], [0, 5], [5, 0], [1, 1]),
  graceSeconds: fc.constantFrom(0, 0, 3),
  fedContainers: fc.subarray([...names]),
  first: wish,
  steps: fc.array(
    fc.oneof(
      fc.record({ kind: fc.constant('Template' as const), wish }),
      fc.record({ kind: fc.constant('Pass' as const), isReady: fc.boolean(), seconds: fc.integer({ min: 0, max: 2 }) }),
    ),
    { maxLength: 14, size: 'max' },
  ),
});

const valued = (entries: Readonly<Record<string, number | undefined>>): Record<string, string> =>
  Object.fromEntries(Object.entries(entries).flatMap(([key, value]) => (value === undefined ? [] : [[key, String(value)]])));

function templateOf({ images, fed, plain, note }: Wish, { fedContainers }: Course): PodTemplateSpec {
  const env = (name: (typeof names)[number]): object =>
    fedContainers.includes(name) ? { env: [{ name: 'FED', valueFrom: { fieldRef: { fieldPath: "metadata.labels['fed']" } } }] } : {};
  return {
    metadata: { labels: { app: 'sample', ...valued({ fed, plain }) }, annotations: valued({ note }) },
    spec: { containers: names.map((name, i): Container => ({ name, image: `${name}:${String(images[i])}`, ...env(name) })) },
  };
}

/** Returns a Pod. The Pod webhook adds a barrier to every container as soon as one has a priority. */
function podOf(template: PodTemplateSpec, { priorities }: Course, revision: string): Pod {
  const barrier = (i: number): object[] => {
    const priority = priorities[i];
    return priority === undefined
      ? []
      : [{ name: 'KRUISE_CONTAINER_BARRIER', valueFrom: { configMapKeyRef: { name: 'x', key: `p_${String(priority)}` } } }];
  };
  const containers = (template.spec?.containers ?? []).map((container, i) => ({
    ...container,
    env: [...(container.env ?? []), ...barrier(i)],
  }));
  return aPod({
    labels: { ...template.metadata?.labels, ...revisionLabels(adapter, revision) },
    annotations: { ...template.metadata?.annotations },
    containers,
    gates: ['InPlaceUpdateReady'],
  });
}

/** Simulates kubelet and agent: containers restart for another image, and in the middle of an update for another environment. */
function node(pod: Pod, isReady: boolean, serial: number): Pod {
  const metas = new Map((runtimeMetaOf(pod) ?? []).map((meta) => [meta.name, meta]));
  const isUpdating = podCondition(pod, 'InPlaceUpdateReady')?.status === 'False';
  const next = pod.spec.containers.map((container) => {
    const held = metas.get(container.name);
    const wanted = metadataEnvHash(container, pod.metadata);
    const isStale = held?.plainHash !== plainHash(container) || (isUpdating && held.metadataEnvHash !== wanted);
    return held === undefined || isStale
      ? {
          name: container.name,
          containerID: `c://${container.name}-${String(serial)}`,
          restartCount: (held?.restartCount ?? -1) + 1,
          plainHash: plainHash(container),
          metadataEnvHash: wanted,
        }
      : held;
  });
  const containerStatuses = next.map(({ name, containerID, restartCount }, i) => {
    const image = pod.spec.containers[i]?.image ?? '';
    return { name, image, imageID: `id of ${image}`, containerID, restartCount, ready: isReady };
  });
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      annotations: { ...pod.metadata.annotations, 'apps.kruise.io/runtime-containers-meta': formatRuntimeMeta(next) },
    },
    status: { ...pod.status, containerStatuses },
  };
}

class PodRun {
  pod: Pod;
  now: Instant = noon;
  readonly #course: Course;
  readonly #revisions: ReturnType<typeof revisionWith>[] = [];
  #serial = 0;

  constructor(given: Course) {
    this.#course = given;
    const template = templateOf(given.first, given);
    this.pod = podOf(template, given, this.#revisionOf(template).metadata.name);
    this.pass(true, 0);
  }

  #revisionOf(template: PodTemplateSpec): ReturnType<typeof revisionWith> {
    const made = revisionWith(template, this.#revisions.length + 1);
    const held = this.#revisions.find(({ metadata }) => metadata.name === made.metadata.name);
    if (held === undefined) this.#revisions.push(made);
    return held ?? made;
  }

  /** Selects the Pod for this template immediately. */
  change(to: Wish): void {
    const target = this.#revisionOf(templateOf(to, this.#course));
    if (isOfRevision(adapter, this.pod, target.metadata.name)) return;
    const from = revisionOfPod(adapter, this.pod, this.#revisions);
    const options = { gates: defaultGates, adapter, ignoreClaimTemplates: false, graceSeconds: this.#course.graceSeconds };
    const decision = planInPlaceUpdate(from, target, options);
    if (decision.kind !== 'InPlace') throw new Error(decision.why);
    const context = { adapter, now: this.now, resources: 'Ignored' as const };
    seen.note('a template before the one before it is there', podCondition(this.pod, 'InPlaceUpdateReady')?.status === 'False');
    this.pod = startUpdate(takeOutOfService(this.pod, this.now), decision.spec, context).pod;
  }

  /** Runs a pass. @returns whether anything was done */
  pass(isReady: boolean, seconds: number): boolean {
    this.now = (this.now + seconds * 1000) as Instant;
    this.pod = node(this.pod, isReady, ++this.#serial);
    const step = planRefresh(this.pod, { adapter, now: this.now, resources: 'Ignored' });
    seen.note(step.kind);
    switch (step.kind) {
      case 'ApplyGrace':
      case 'NextBatch':
        this.pod = step.update.pod;
        return true;
      case 'DropGrace':
      case 'SetReady':
        this.pod = step.pod;
        return true;
      case 'Broken':
        throw new Error(step.why);
      default:
        return step.kind !== 'Nothing';
    }
  }
}

describe('templates that follow each other', () => {
  it('result in a Pod that equals the last one, and is in service', () => {
    fc.assert(
      fc.property(course, (given) => {
        const run = new PodRun(given);
        let last = given.first;
        for (const step of given.steps) {
          if (step.kind === 'Template') {
            run.change(step.wish);
            last = step.wish;
          } else run.pass(step.isReady, step.seconds);
        }
        for (let pass = 0; pass < 20 && run.pass(true, 1); pass++);
        const { metadata, spec } = run.pod;
        const wanted = templateOf(last, given);
        expect(spec.containers.map(({ image }) => image)).toEqual(wanted.spec?.containers.map(({ image }) => image));
        const own = (held: Readonly<Record<string, string>> | undefined, keys: readonly string[]): object =>
          Object.fromEntries(Object.entries(held ?? {}).filter(([key]) => keys.includes(key)));
        expect(own(metadata.labels, ['app', 'fed', 'plain'])).toEqual(wanted.metadata?.labels);
        expect(own(metadata.annotations, ['note'])).toEqual(wanted.metadata?.annotations);
        expect(podCondition(run.pod, 'InPlaceUpdateReady')?.status).toBe('True');
        expect(updateCompletion(run.pod, false).kind).toBe('Complete');
        expect(metadata.annotations?.['apps.kruise.io/inplace-update-grace']).toBeUndefined();
      }),
      { numRuns },
    );
    seen.expectAtLeast({
      'a template before the one before it is there': numRuns,
      ApplyGrace: numRuns / 10,
      NextBatch: numRuns / 10,
      Pending: numRuns / 50,
      SetReady: numRuns / 2,
    });
  });
});
