/** The job for one time of the schedule. Pure. @see spec/advancedcronjob.md 3 */
import { advancedCronJobAnnotations, advancedCronJobs, type AdvancedCronJob } from '@kruise/api';
import { formatInZone, type Zone } from '@kruise/cron';
import { apiVersionOf, newControllerRef, type Instant, type KubeObject } from '@kruise/objects';
import { childTypeOf } from './children.ts';

interface ChildTemplate {
  /** Null where it came past admission. */
  readonly metadata?: Pick<Partial<KubeObject['metadata']>, 'labels' | 'annotations'> | null;
  readonly spec?: unknown;
}

export interface ChildZones {
  readonly ofSchedule: Zone;
  readonly ofProcess: Zone;
}

const templateOf = ({ spec: { template } }: AdvancedCronJob): ChildTemplate =>
  template.jobTemplate ?? template.imageListPullJobTemplate ?? template.broadcastJobTemplate ?? {};

/** Its name says which time it is for, so that no time has two. */
const childNameOf = ({ metadata: { name } }: AdvancedCronJob, scheduled: Instant): string => `${name}-${Math.floor(scheduled / 1000)}`;

export function newChild(owner: AdvancedCronJob, scheduled: Instant, zones: ChildZones): KubeObject {
  const { metadata: given, spec = {} } = templateOf(owner);
  const metadata = given ?? {};
  const type = childTypeOf(owner);
  const child = {
    apiVersion: apiVersionOf(type),
    kind: type.kind,
    metadata: {
      name: childNameOf(owner, scheduled),
      namespace: owner.metadata.namespace ?? '',
      ...(metadata.labels === undefined ? {} : { labels: metadata.labels }),
      annotations: {
        ...metadata.annotations,
        [advancedCronJobAnnotations.scheduledAt]: formatInZone(scheduled, zones.ofProcess),
        [advancedCronJobAnnotations.cronJobScheduledAt]: formatInZone(scheduled, zones.ofSchedule),
      },
      ownerReferences: [newControllerRef(owner, advancedCronJobs)],
    },
    spec,
  };
  return child;
}
