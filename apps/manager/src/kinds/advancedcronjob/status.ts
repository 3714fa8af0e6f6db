/** The status of an AdvancedCronJob. Pure. @see spec/advancedcronjob.md 2.2, 5.3 (3) and 8 */
import type { AdvancedCronJob, AdvancedCronJobStatus } from '@kruise/api';
import { apiVersionOf, formatTime, instant, parseTime, type Instant, type KubeObject, type ResourceType } from '@kruise/objects';
import { childTypeOf, type Child } from './children.ts';

type Reference = NonNullable<AdvancedCronJobStatus['active']>[number];

export function referenceTo(type: ResourceType, { metadata }: KubeObject): Reference {
  const { name, namespace, uid, resourceVersion } = metadata;
  return {
    apiVersion: apiVersionOf(type),
    kind: type.kind,
    name,
    ...(namespace === undefined ? {} : { namespace }),
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
}

const latest = (...times: readonly (Instant | undefined)[]): Instant | undefined => {
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? undefined : instant(Math.max(...known));
};

const byTime = (a: Child, b: Child): number =>
  (a.scheduledAt ?? 0) - (b.scheduledAt ?? 0) || (a.object.metadata.name < b.object.metadata.name ? -1 : 1);

/** The last time for which a job was made: it never goes back, whichever jobs are left. */
export const lastScheduleOf = ({ status }: AdvancedCronJob, children: readonly Child[]): Instant | undefined =>
  latest(parseTime(status?.lastScheduleTime), ...children.map(({ scheduledAt }) => scheduledAt));

/**
 * A reference that is there already stays as it is: the version that it names would change with every step of its job.
 *
 * @param scheduled a time for which a job was made in this pass
 */
export function statusOf(job: AdvancedCronJob, children: readonly Child[], scheduled?: Instant): AdvancedCronJobStatus {
  const held = new Map((job.status?.active ?? []).map((reference) => [reference.uid, reference]));
  const active = children
    .filter(({ state }) => state === 'Active')
    .toSorted(byTime)
    .map(({ type, object }) => held.get(object.metadata.uid) ?? referenceTo(type, object));
  const last = latest(lastScheduleOf(job, children), scheduled);
  return {
    type: childTypeOf(job).kind as NonNullable<AdvancedCronJobStatus['type']>,
    ...(active.length === 0 ? {} : { active }),
    ...(last === undefined ? {} : { lastScheduleTime: formatTime(last) }),
  };
}
