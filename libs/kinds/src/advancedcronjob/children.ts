/** The jobs that an AdvancedCronJob has made, of three kinds, seen alike. Pure. @see spec/advancedcronjob.md 5.2 */
import {
  advancedCronJobAnnotations,
  broadcastJobs,
  imageListPullJobs,
  type AdvancedCronJob,
  type BroadcastJob,
  type ImageListPullJob,
} from '@kruise/api';
import { isJsonObject, jobs, ownMember, parseTime, type Instant, type Job, type KubeObject, type ResourceType } from '@kruise/objects';

export type ChildState = 'Active' | 'Complete' | 'Failed';

export interface Child {
  readonly type: ResourceType;
  readonly object: KubeObject;
  readonly state: ChildState;
  /** When it began, as its status says. */
  readonly startTime?: Instant;
  /** The time that it was made for; absent when its annotation cannot be read. */
  readonly scheduledAt?: Instant;
}

interface WithConditions {
  readonly conditions?: readonly { readonly type: string; readonly status: string }[];
}

/** By the first condition that says that it is over. */
function stateOfConditions({ conditions = [] }: WithConditions): ChildState {
  const end = conditions.find(({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True');
  return (end?.type as ChildState | undefined) ?? 'Active';
}

function stateOfImageList({ status }: ImageListPullJob): ChildState {
  if (status?.completionTime === undefined) return 'Active';
  return (status.succeeded ?? 0) === status.desired ? 'Complete' : 'Failed';
}

function childOf(type: ResourceType, object: KubeObject, state: ChildState, startText: string | undefined): Child {
  const startTime = parseTime(startText);
  const scheduledAt = parseTime(ownMember(object.metadata.annotations ?? {}, advancedCronJobAnnotations.scheduledAt) as string | undefined);
  return { type, object, state, ...(startTime === undefined ? {} : { startTime }), ...(scheduledAt === undefined ? {} : { scheduledAt }) };
}

export const childOfJob = (job: Job): Child => childOf(jobs, job, stateOfConditions(job.status ?? {}), job.status?.startTime);
export const childOfBroadcastJob = (job: BroadcastJob): Child =>
  childOf(broadcastJobs, job, stateOfConditions(job.status ?? {}), job.status?.startTime);
export const childOfImageList = (job: ImageListPullJob): Child =>
  childOf(imageListPullJobs, job, stateOfImageList(job), job.status?.startTime);

/** Which kind of job the template makes; that of BroadcastJobs when it says nothing. */
export function childTypeOf({ spec: { template } }: AdvancedCronJob): ResourceType {
  if (isJsonObject(template.jobTemplate)) return jobs;
  return isJsonObject(template.imageListPullJobTemplate) ? imageListPullJobs : broadcastJobs;
}
